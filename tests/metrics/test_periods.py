"""Stability over periods and conditions: worked values, laws, and two real streams."""

import warnings

import numpy as np
import pandas as pd
import pytest
from problems import data_folder
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.metrics import (
    area_under_robust_ratio_curve,
    confidence_interval,
    gini_stability,
    period_stability_index,
    robust_ratio_curve,
    stability_index,
    stability_quadrant,
    stability_summary,
)
from skrobust.metrics.stability.period_rows import period_text

# Periods -----------------------------------------------------------------------------


def rows_with_accuracies(accuracies, n=100):
    """Rows of periods 0, 1, ... whose accuracies are multiples of 1 / n."""
    right = [np.arange(n) < round(a * n) for a in accuracies]
    y_true = np.tile([0, 1], n // 2 * len(accuracies))
    y_pred = np.where(np.concatenate(right), y_true, 1 - y_true)
    return y_true, y_pred, np.repeat(np.arange(len(accuracies)), n)


@pytest.mark.parametrize(
    "accuracies, expected",
    [
        ((0.85, 0.86, 0.84, 0.83, 0.82), 0.728917793),
        ((0.8, 0.8, 0.8, 0.8), 0.8),
        ((0.9, 0.8, 0.7, 0.6), -0.45),
        ((0.6, 0.7, 0.8, 0.9), 0.75),
        ((0.9, 0.7, 0.9, 0.7), 0.275278640),
        ((0.9, 0.8), -0.35),
        ((0.8, 0.9), 0.85),
        ((1, 1, 0, 0), -4.411803399),
    ],
)
def test_worked_values_of_accuracies(accuracies, expected):
    rows = rows_with_accuracies(accuracies)
    result = period_stability_index(*rows)
    assert type(result) is float
    assert result == pytest.approx(expected, abs=5e-10)
    # The order of the rows is nothing, the order of the times everything.
    shuffle = np.random.default_rng(0).permutation(len(rows[0]))
    mixed = period_stability_index(*(part[shuffle] for part in rows))
    assert mixed == pytest.approx(expected, abs=5e-10)


def rows_with_gini(ginis):
    """One positive and 200 negatives a period: the positive's rank sets the AUC."""
    y_true, score, weeks = [], [], []
    for week, gini in enumerate(ginis):
        below = round((gini + 1) / 2 * 200)
        y_true += [0] * 200 + [1]
        score += [*np.arange(200), below - 0.5]
        weeks += [week] * 201
    return y_true, score, weeks


@pytest.mark.parametrize(
    "ginis, weight, expected",
    [
        ((0.5, 0.48, 0.47, 0.49, 0.46), 88, -0.141049752),
        ((0.6, 0.5, 0.55), 88, -1.667677670),
        ((0.6, 0.5, 0.55), 12, 0.232322330),
    ],
)
def test_worked_values_of_ginis(ginis, weight, expected):
    rows = rows_with_gini(ginis)
    result, periods = period_stability_index(
        *rows, metric="gini", falling_rate_weight=weight, return_periods=True
    )
    assert periods.score == pytest.approx(ginis, abs=1e-12)
    assert result == pytest.approx(expected, abs=5e-10)
    assert stability_index(ginis, falling_rate_weight=weight) == pytest.approx(result)
    if weight == 88:
        assert gini_stability(*rows) == result
    aucs = period_stability_index(*rows, metric="roc_auc", return_periods=True)[1]
    assert 2 * aucs.score - 1 == pytest.approx(ginis)


def test_worked_value_of_the_competition():
    y_true = [0, 0, 1, 1] * 3
    y_score = [0.1, 0.4, 0.35, 0.8, 0.1, 0.2, 0.3, 0.4, 0.1, 0.3, 0.2, 0.4]
    weeks = np.repeat([7, 8, 12], 4)
    value, periods = gini_stability(y_true, y_score, weeks, return_periods=True)
    assert value == pytest.approx(0.548815536, abs=5e-10)
    assert periods.score == pytest.approx([0.5, 1, 0.5])
    assert periods.period.tolist() == [7, 8, 12]
    assert periods.to_frame().shape == (3, 3)


def reference_gini_stability(y_true, y_score, weeks):
    """The competition's function, written from its description."""
    ginis = [
        2 * roc_auc_score(y_true[weeks == w], y_score[weeks == w]) - 1
        for w in sorted(set(weeks.tolist()))
    ]
    x = np.arange(len(ginis))
    a, b = np.polyfit(x, ginis, 1)
    return np.mean(ginis) + 88.0 * min(0, a) - 0.5 * np.std(ginis - (a * x + b))


def test_equals_the_competition_on_random_data():
    rng = np.random.default_rng(0)
    for drift in (-0.02, 0.02):
        weeks = rng.integers(3, 40, 4000)
        y = rng.integers(0, 2, 4000)
        score = rng.normal(size=4000) + y * (1 + drift * weeks)
        expected = reference_gini_stability(y, score, weeks)
        assert gini_stability(y, score, weeks) == pytest.approx(expected, abs=1e-9)


def test_periods_of_one_class_count_as_absent():
    y, score, weeks = map(np.array, rows_with_gini((0.6, 0.5, 0.55, 0.4)))
    one_class = (weeks == 1) & (y == 1)
    y[one_class] = 0
    with pytest.warns(UndefinedMetricWarning, match="leaves out 1 of 4 periods") as log:
        result, periods = gini_stability(y, score, weeks, return_periods=True)
    assert len(log) == 1
    rest = weeks != 1
    assert result == gini_stability(y[rest], score[rest], weeks[rest])
    assert np.isnan(periods.score).tolist() == [False, True, False, False]
    with pytest.raises(ValueError, match=r"found 1 of 4 periods.* the first is 1\."):
        gini_stability(y, score, weeks, undefined="raise")
    # Accuracy is defined for one class.
    assert np.isfinite(period_stability_index(y, y, weeks))
    both = (weeks == 1) | (weeks == 2) | (weeks == 3)
    y[both] = 0
    with pytest.warns(
        UndefinedMetricWarning, match="out 3 of 4.*fewer than two"
    ) as log:
        assert np.isnan(gini_stability(y, score, weeks))
    assert len(log) == 1


def test_one_period_is_nan():
    with pytest.warns(UndefinedMetricWarning, match="fewer than two periods") as log:
        assert np.isnan(period_stability_index([0, 1], [0, 1], [5, 5]))
    assert len(log) == 1


@pytest.mark.parametrize(
    "times",
    [
        np.repeat(np.array(["2024-01", "2024-02", "2024-03"], "datetime64[M]"), 100),
        pd.Series(pd.to_datetime(["2024-01-05", "2024-02-05", "2025-01-05"])).repeat(
            100
        ),
        ["2024-01"] * 100 + ["2024-02"] * 100 + ["2024-03"] * 100,
        ["week 01"] * 100 + ["week 02"] * 100 + ["week 10"] * 100,
        list(pd.period_range("2024-01", periods=3, freq="M").repeat(100)),
    ],
    ids=["datetime64", "timestamps", "ISO text", "counted", "periods"],
)
def test_times_of_any_kind(times):
    y_true, y_pred, weeks = rows_with_accuracies((0.9, 0.7, 0.6))
    expected = period_stability_index(y_true, y_pred, weeks)
    assert period_stability_index(y_true, y_pred, times) == pytest.approx(expected)


@pytest.mark.parametrize(
    "texts",
    [
        ("Feb", "Jan", "Mar"),
        ("01.01.2021", "02.01.2020", "03.01.2020"),
        ("a", "b", "c"),
    ],
    ids=" ".join,
)
def test_text_that_need_not_sort_in_time_is_refused(texts):
    y_true, y_pred, _ = rows_with_accuracies((0.9, 0.7, 0.6))
    times = np.repeat(texts, 100)
    message = "must be text that sorts in time, such as dates in ISO format"
    with pytest.raises(ValueError, match=message):
        period_stability_index(y_true, y_pred, times)
    with pytest.raises(ValueError, match=message):
        gini_stability(y_true, y_pred, times)
    correct = (np.asarray(y_true) == y_pred).astype(float)
    with pytest.raises(ValueError, match=message):
        confidence_interval("stability_index", correct, periods=times)


def test_slope_per_time():
    y_true, y_pred, weeks = rows_with_accuracies((0.9, 0.8, 0.6))
    times = np.array([0.0, 2.0, 6.0])[weeks]
    slow = period_stability_index(y_true, y_pred, times, slope_per="time")
    expected = stability_index([0.9, 0.8, 0.6], times=[0, 2, 6])
    assert slow == pytest.approx(expected)
    assert slow > period_stability_index(y_true, y_pred, times)


def test_weights_and_callables():
    y_true, y_pred, weeks = rows_with_accuracies((0.9, 0.8, 0.7))
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 3, len(y_true))
    repeated = [np.repeat(part, whole) for part in (y_true, y_pred, weeks)]
    weighted = period_stability_index(y_true, y_pred, weeks, sample_weight=whole)
    assert weighted == pytest.approx(period_stability_index(*repeated))
    gini = gini_stability(y_true, y_pred, weeks, sample_weight=whole)
    assert gini == pytest.approx(gini_stability(*repeated))
    own = period_stability_index(
        y_true, y_pred, weeks, metric=balanced_accuracy_score, sample_weight=whole
    )
    same = period_stability_index(*repeated, metric=balanced_accuracy_score)
    assert own == pytest.approx(same)
    # A class without weight is no class.
    one = np.where((weeks == 2) & (y_true == 1), 0, 1)
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 periods"):
        gini_stability(y_true, y_pred, weeks, sample_weight=one)
    # A period without weight is left out.
    without = np.where(weeks == 2, 0, whole)
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 periods"):
        left = period_stability_index(y_true, y_pred, weeks, sample_weight=without)
    rest = weeks != 2
    assert left == pytest.approx(
        period_stability_index(
            y_true[rest], y_pred[rest], weeks[rest], sample_weight=whole[rest]
        )
    )


GOOD = {"y_true": [0, 1, 0, 1], "y_pred": [0, 1, 1, 1], "times": [0, 0, 1, 1]}


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"times": [0, 0, 1]}, "one time per sample; times has 3"),
        ({"times": [0, 0, np.nan, 1]}, "times without missing values; 1 of 4"),
        ({"times": [0, 0, None, 1]}, "times without missing values; 1 of 4"),
        ({"times": [0, 0, "a", b"x"]}, "values of one kind that sort"),
        ({"y_pred": [0, 1]}, "equal length"),
        ({"metric": "f1"}, "'gini', 'roc_auc' or a callable"),
        ({"metric": "gini", "y_true": [0, 1, 2, 1]}, "two classes for metric='gini'"),
        ({"metric": "gini", "y_pred": [[0, 1]] * 4}, "pass `y_pred\\[:, 1\\]`"),
        ({"undefined": "skip"}, "'undefined' parameter"),
        ({"slope_per": "week"}, "'slope_per' parameter"),
        (
            {"slope_per": "time", "times": ["1 a", "1 a", "2 a", "2 a"]},
            "numbers when slope_per",
        ),
        ({"falling_rate_weight": -1}, "non-negative"),
        ({"sample_weight": [1, 1]}, "one weight per sample"),
    ],
)
def test_periods_refuse(change, sentence):
    given = GOOD | change
    if given["times"] == [0, 0, "a", b"x"]:
        given["times"] = np.array(given["times"], dtype=object)
    with pytest.raises(ValueError, match=sentence):
        period_stability_index(
            given.pop("y_true"), given.pop("y_pred"), given.pop("times"), **given
        )


# Real streams ------------------------------------------------------------------------


def frozen_accuracies(name, n_train, length, *, whole):
    """Fit on the first rows, then predict the rest in periods of equal length."""
    table = np.loadtxt(data_folder("streams") / name, delimiter=",", skiprows=1)
    X, y = table[:, :-1], table[:, -1]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    model.fit(X[:n_train], y[:n_train])
    y_true, y_pred = y[n_train:], model.predict(X[n_train:])
    times = np.arange(len(y_true)) // length
    if whole:
        keep = times < len(y_true) // length
        y_true, y_pred, times = y_true[keep], y_pred[keep], times[keep]
    return period_stability_index(y_true, y_pred, times, return_periods=True)


@pytest.mark.data
def test_electricity_by_week():
    # Standardised logistic regression on the first nine weeks of half-hours.
    index, periods = frozen_accuracies("elec.csv", 9 * 336, 336, whole=False)
    assert len(periods.score) == 126
    assert index == pytest.approx(0.65, abs=0.005)
    assert periods.score.mean() == pytest.approx(0.7055, abs=0.002)


@pytest.mark.data
def test_weather_by_year():
    # Standardised logistic regression on the first two years of days; whole years only.
    index, periods = frozen_accuracies("weather.csv", 2 * 365, 365, whole=True)
    assert len(periods.score) == 47
    assert index == pytest.approx(0.73, abs=0.005)


# Quadrants ---------------------------------------------------------------------------

CLEAN = {"AlexNet": (2.28, 85.25), "ResNet50": (2.56, 88.56), "VGG-19": (3.98, 91.13)}
# Network, CV and mean accuracy in percent, quadrant.
TABLE = [
    ("AlexNet", 1.50, 89.60, "I"),
    ("AlexNet", 1.33, 89.75, "I"),
    ("AlexNet", 3.33, 85.75, "II"),
    ("AlexNet", 3.07, 86.33, "II"),
    ("AlexNet", 1.33, 89.44, "I"),
    ("AlexNet", 1.04, 89.67, "I"),
    ("AlexNet", 1.92, 88.39, "I"),
    ("AlexNet", 1.56, 88.79, "I"),
    ("ResNet50", 0.22, 81.98, "III"),
    ("ResNet50", 0.37, 82.17, "III"),
    ("ResNet50", 2.50, 84.83, "III"),
    ("ResNet50", 2.62, 85.20, "IV"),
    ("ResNet50", 0.29, 82.27, "III"),
    ("ResNet50", 0.12, 81.97, "III"),
    ("ResNet50", 1.85, 84.66, "III"),
    ("ResNet50", 2.62, 83.54, "IV"),
    ("VGG-19", 2.81, 89.78, "III"),
    ("VGG-19", 1.83, 91.18, "I"),
    ("VGG-19", 1.51, 89.94, "III"),
    ("VGG-19", 1.36, 89.34, "III"),
    ("VGG-19", 1.37, 90.72, "III"),
    ("VGG-19", 2.07, 89.77, "III"),
    ("VGG-19", 1.04, 90.08, "III"),
    ("VGG-19", 1.24, 88.30, "III"),
]


@pytest.mark.parametrize("network, cv, mean, quadrant", TABLE)
def test_quadrants_of_the_published_table(network, cv, mean, quadrant):
    reference_cv, reference_mean = CLEAN[network]
    found = stability_quadrant(
        mean, cv, reference_mean=reference_mean, reference_cv=reference_cv
    )
    assert found == quadrant
    # Two scores with that mean and variation, as fractions.
    scores, reference = (
        [m / 100 * (1 - c / 100), m / 100 * (1 + c / 100)]
        for m, c in ((mean, cv), (reference_mean, reference_cv))
    )
    assert stability_summary(scores, reference=reference).quadrant == quadrant


def test_the_reference_is_in_quadrant_one():
    settings = {"reference_mean": 0.8, "reference_cv": 0.1}
    assert stability_quadrant(0.8, 0.1, **settings) == "I"
    summary = stability_summary([0.9, 0.8, 0.7])
    assert summary.quadrant is None
    assert summary.asi == pytest.approx(0.773713859, abs=5e-10)
    assert summary.cv == pytest.approx(0.1020620726, abs=5e-11)
    assert summary.mean == pytest.approx(0.8)
    assert stability_summary([0.9, 0.8, 0.7], reference=summary).quadrant == "I"


def test_summary_of_an_always_wrong_model():
    with pytest.warns(UndefinedMetricWarning) as log:
        summary = stability_summary([0, 0, 0], reference=[0.5, 0.4, 0.5])
    assert len(log) == 1
    assert (summary.asi, summary.quadrant) == (-1, "IV")


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: stability_summary([80, 90]), "Divide percent by 100"),
        (lambda: stability_summary([0.8], reference=[0.8, 0.9]), "same conditions"),
        (lambda: stability_summary([0.8], reference={"asi": 1}), "with mean and cv"),
        (
            lambda: stability_quadrant(1, -1, reference_mean=1, reference_cv=1),
            "'cv' .* non-negative",
        ),
        (
            lambda: stability_quadrant(1, 1, reference_mean=np.nan, reference_cv=1),
            "'reference_mean'",
        ),
    ],
)
def test_quadrants_refuse(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


# Area under the curve ----------------------------------------------------------------


def test_area_of_the_worked_example():
    clean = np.array([0.9, 0.2, 0.6, 0.55, 0.1])
    moved = np.array([0.85, 0.25, 0.45, 0.6, 0.1])
    p, q = (np.column_stack([1 - each, each]) for each in (clean, moved))
    curve = robust_ratio_curve(p, q)
    assert area_under_robust_ratio_curve(*curve) == pytest.approx(0.72, abs=1e-9)
    mean = area_under_robust_ratio_curve(*curve, method="mean")
    assert mean == pytest.approx(0.714285714, abs=5e-10)
    backwards = area_under_robust_ratio_curve(*(part[::-1] for part in curve))
    assert backwards == pytest.approx(0.72, abs=1e-9)


def test_area_of_uneven_tolerances():
    # A line has the height of its middle, wherever its points are.
    b = [0.1, 0.15, 0.4, 0.5]
    assert area_under_robust_ratio_curve(b, b) == pytest.approx(0.3)
    assert area_under_robust_ratio_curve(b, [1, 1, 1, 1]) == pytest.approx(1)


@pytest.mark.parametrize(
    "tolerances, ratios, sentence",
    [
        ([0.1], [1], "at least 2 values"),
        ([0.1, 0.1], [1, 1], "free of repetitions"),
        ([0.1, 0.2], [1], "equal length"),
        ([0.1, 20], [1, 1], "fractions in"),
        ([0.1, 0.2], [1, 50], "Divide percent"),
    ],
)
def test_area_refuses(tolerances, ratios, sentence):
    with pytest.raises(ValueError, match=sentence):
        area_under_robust_ratio_curve(tolerances, ratios)


def test_a_million_rows_of_a_hundred_weeks_pass():
    rng = np.random.default_rng(0)
    weeks = rng.integers(0, 100, 1_000_000)
    y = rng.random(1_000_000) < 0.03
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, periods = gini_stability(
            y, rng.normal(size=len(y)) + y, weeks, return_periods=True
        )
    assert periods.n_samples.sum() == 1_000_000
    assert 0.3 < value < 0.6


@pytest.mark.parametrize(
    ("period", "text"),
    [
        (np.datetime64("2020-01-01T00:00:00.000000"), "2020-01-01"),
        (np.datetime64("2020-01-01T10:30:00.000000000"), "2020-01-01T10:30:00"),
        ("2020-01-01 00:00:00", "2020-01-01"),
        (np.datetime64("2020-01"), "2020-01"),
        (3.0, "3.0"),
        ("00:00", "00:00"),
    ],
)
def test_period_text_is_a_short_iso_date(period, text):
    assert period_text(period) == text


@pytest.mark.parametrize("names", ["2022-{}", "week {}", "{}"])
def test_text_times_sort_by_time(names):
    # As text the months sort as 1, 10, 11, 12, 2, ...
    y, months = np.tile([0, 1], 12), np.repeat(np.arange(1, 13), 2)
    times = np.array([names.format(month) for month in months])
    with pytest.raises(ValueError, match=r"text that sorts in time.*Categorical"):
        period_stability_index(y, y, times)
    padded = np.array([names.format(f"{month:02d}") for month in months])
    assert period_stability_index(y, y, padded) == 1


def test_ordered_categories_keep_their_order():
    names = ["Jan", "Feb", "Mar", "Apr"]
    month = pd.Categorical(np.repeat(names, 2), categories=names, ordered=True)
    y, predicted = [0, 1] * 4, [0, 1, 0, 1, 0, 0, 1, 0]
    by_number = period_stability_index(y, predicted, np.repeat(range(4), 2))
    assert period_stability_index(y, predicted, month) == by_number
    assert period_stability_index(y, predicted, pd.Series(month)) == by_number
