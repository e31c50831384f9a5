"""Intervals of the metrics cover what they promise, over the right units."""

import inspect
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from interval_problems import (
    ROWS,
    agreement_score,
    condition_means,
    coverage,
    draw_clusters,
    draw_images,
    quiet,
)
from scipy.stats import beta, binomtest, bootstrap, norm
from sklearn.metrics import f1_score

from skrobust.metrics import (
    compare_models,
    confidence_interval,
    misclassification_rate,
    robust_ratio_band,
)
from skrobust.metrics.normalized.scores import (
    normalized_accuracy_score,
    normalized_clustering_score,
)
from skrobust.metrics.robust.accuracy_and_ratio import (
    robust_accuracy_score,
    robust_ratio_curve,
    robust_ratio_score,
)

# Shares


@pytest.mark.parametrize("method", ["wilson", "exact"])
@pytest.mark.parametrize("count", [0, 7, 30])
def test_share_equals_scipy(method, count):
    correct = np.arange(30) < count
    interval = confidence_interval("accuracy", correct, method=method, confidence=0.9)
    expected = binomtest(count, 30).proportion_ci(0.9, method)
    assert tuple(interval) == pytest.approx(tuple(expected), abs=1e-10)
    assert (interval.value, interval.n) == (count / 30, 30)
    assert (interval.unit, interval.method) == ("samples", method)
    assert interval.warnings == ()


def test_share_takes_labels_matrices_names_and_functions():
    y = np.array([0, 1, 1, 0, 1])
    predictions = np.array([[0, 1, 1, 1, 1], [0, 0, 1, 0, 1]])
    expected = confidence_interval("robust_accuracy", y, predictions)
    assert expected.value == robust_accuracy_score(y, predictions) == 0.6
    matrix = (predictions == y).T
    words = np.array(["b", "a"])
    for same in [
        confidence_interval(robust_accuracy_score, y, predictions),
        confidence_interval("robust_accuracy_score", matrix),
        confidence_interval("robust_accuracy", matrix[::-1]),
        confidence_interval("robust_accuracy", words[y], words[predictions]),
    ]:
        assert same == expected


def test_equal_weights_change_nothing_and_zero_weights_leave_out():
    correct = np.arange(40) % 3 > 0
    plain = confidence_interval("accuracy", correct)
    weighted = confidence_interval("accuracy", correct, sample_weight=np.full(40, 2.5))
    assert tuple(weighted) == pytest.approx(tuple(plain))
    half = confidence_interval("accuracy", correct, sample_weight=np.arange(40) < 20)
    assert tuple(half) == pytest.approx(
        tuple(confidence_interval("accuracy", correct[:20]))
    )


def test_weighted_share_covers():
    rng = np.random.default_rng(1)

    def draw():
        weight = rng.exponential(size=200)
        hits = rng.random(200) < 0.8
        return confidence_interval("accuracy", hits, sample_weight=weight)

    assert 0.93 <= coverage(draw, 0.8, 2000) <= 0.97


def test_clustered_share_covers_where_wilson_does_not():
    rng = np.random.default_rng(2)

    def draw_over_clusters():
        hits, clips = draw_clusters(rng, 5, 50, 0.2, 0.7)
        return confidence_interval("robust_accuracy", hits, clusters=clips)

    @cache
    def of_count(count):  # all that an interval over samples looks at
        return confidence_interval("robust_accuracy", np.arange(250) < count)

    def draw_over_samples():
        return of_count(int(draw_clusters(rng, 5, 50, 0.2, 0.7)[0].sum()))

    assert coverage(draw_over_clusters, 0.7, 200) >= 0.93
    assert 0.36 <= coverage(draw_over_samples, 0.7, 2000) <= 0.5


def test_clustered_share_covers_at_thirty_clusters():
    rng = np.random.default_rng(3)

    def draw():
        hits, clips = draw_clusters(rng, 30, 20, 0.2, 0.8)
        return confidence_interval("accuracy", hits, clusters=clips)

    assert coverage(draw, 0.8, 200) >= 0.93


def test_cluster_error_equals_a_slow_loop():
    rng = np.random.default_rng(4)
    hits, clips = draw_clusters(rng, 25, 8, 0.3, 0.7)
    weight = rng.random(200)
    interval = confidence_interval(
        "accuracy", hits, clusters=clips, sample_weight=weight
    )
    p = np.sum(weight * hits) / weight.sum()
    without = []
    for clip in range(25):
        rest = clips != clip
        without.append(np.sum(weight[rest] * hits[rest]) / weight[rest].sum())
    error = np.sqrt(24 / 25 * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert interval.value == pytest.approx(p)
    assert interval.std_error == pytest.approx(error)


def test_robust_ratio_is_a_share():
    shift = np.array([0.05, 0.05, 0.15, 0.05, 0.0])
    clean = np.array([0.9, 0.2, 0.6, 0.55, 0.1])
    moved = np.array([0.85, 0.25, 0.45, 0.6, 0.1])
    clean, moved = (np.column_stack([1 - p, p]) for p in (clean, moved))
    interval = confidence_interval("robust_ratio", clean, moved, tolerance=0.05)
    assert interval.value == robust_ratio_score(clean, moved, tolerance=0.05) == 0.8
    assert tuple(interval) == pytest.approx(
        tuple(binomtest(4, 5).proportion_ci(method="wilson"))
    )
    assert confidence_interval("robust_ratio", shift, tolerance=0.05) == interval
    assert (
        confidence_interval(robust_ratio_score, clean, moved, tolerance=0.05)
        == interval
    )


# Clusters, whatever the metric

ASI_DATA = draw_images(np.random.default_rng(5), 60, condition_means(0.7, 0.1, 6))
CASES = {
    "accuracy": (ASI_DATA[:, 0],),
    "robust_accuracy": (ASI_DATA,),
    "accuracy_stability_index": (ASI_DATA,),
    "callable": (ASI_DATA[:, 0], ASI_DATA[:, 1]),
}


def interval_of(name, *data, **kwargs):
    metric = agreement_score if name == "callable" else name
    return quiet(confidence_interval, metric, *data, random_state=0, **kwargs)


@pytest.mark.parametrize("name", CASES)
def test_clusters_of_size_one_are_no_clusters(name):
    plain = interval_of(name, *CASES[name])
    assert interval_of(name, *CASES[name], clusters=np.arange(60)) == plain


@pytest.mark.parametrize("name", CASES)
def test_order_and_cluster_names_do_not_matter(name):
    clusters = np.repeat(np.arange(15), 4)
    expected = interval_of(name, *CASES[name], clusters=clusters)
    order = np.random.default_rng(6).permutation(60)
    names = np.array([f"clip {(7 * i) % 15}" for i in range(15)])
    shuffled = interval_of(
        name, *(a[order] for a in CASES[name]), clusters=names[clusters][order]
    )
    for field in ("value", "low", "high", "std_error"):
        assert getattr(shuffled, field) == pytest.approx(getattr(expected, field))
    assert (expected.n, expected.unit) == (15, "clusters")


@pytest.mark.parametrize("name", CASES)
def test_few_clusters_warn(name):
    metric = agreement_score if name == "callable" else name
    clusters = np.arange(60)
    few = interval_of(name, *CASES[name], clusters=clusters % 19)
    assert few.warnings[0].startswith("Only 19 clusters: t with 18 degrees")
    assert np.isfinite(tuple(few)).all()
    assert "warning: Only 19 clusters" in repr(few)
    enough = interval_of(name, *CASES[name], clusters=clusters % 20)
    assert not any("clusters" in text for text in enough.warnings)
    for n in (1, 2):
        with pytest.warns(UserWarning, match=f"{n} clusters allow no interval"):
            none = confidence_interval(metric, *CASES[name], clusters=clusters % n)
        assert np.isnan(tuple(none)).all()
        assert np.isfinite(none.value)


def test_unanimous_clusters_get_an_honest_width():
    right = np.ones(100, dtype=bool)
    interval = quiet(
        confidence_interval, "accuracy", right, clusters=np.arange(100) % 10
    )
    assert interval.high == pytest.approx(1)
    assert interval.low < binomtest(10, 10).proportion_ci(method="wilson").low
    assert "All samples agree" in interval.warnings[-1]


# Curves


def test_band_is_the_curve_between_its_limits():
    pytest.importorskip("pandas")
    rng = np.random.default_rng(18)
    clean, moved = (rng.dirichlet([1, 1, 1], size=50) for _ in range(2))
    band = robust_ratio_band(clean, moved)
    tolerances, ratios = robust_ratio_curve(clean, moved)
    np.testing.assert_array_equal(band.tolerance, tolerances)
    np.testing.assert_allclose(band.ratio, ratios)
    for i in (0, 10, 20):
        count = round(50 * ratios[i])
        wilson = binomtest(count, 50).proportion_ci(method="wilson")
        assert (band.low[i], band.high[i]) == pytest.approx(tuple(wilson), abs=1e-10)
    half = np.sqrt(np.log(2 / 0.05) / 100)
    np.testing.assert_allclose(band.band_high, np.minimum(1, ratios + half))
    np.testing.assert_allclose(band.band_low, np.maximum(0, ratios - half))
    assert list(band.to_frame().columns) == list(band.columns)


@pytest.mark.slow
def test_band_covers_the_whole_curve():
    rng = np.random.default_rng(19)
    inside = {"band": 0, "points": 0}
    for _ in range(1000):
        band = robust_ratio_band(rng.beta(1, 15, 200))
        truth = beta.cdf(band.tolerance, 1, 15)
        inside["band"] += np.all((band.band_low <= truth) & (truth <= band.band_high))
        inside["points"] += np.all((band.low <= truth) & (truth <= band.high))
    assert inside["band"] / 1000 >= 0.95
    assert inside["points"] / 1000 < 0.9


@pytest.mark.slow
def test_band_over_clusters_covers():
    rng = np.random.default_rng(20)
    clusters = np.repeat(np.arange(25), 10)
    inside = plain = 0
    for _ in range(120):
        shared = np.repeat(rng.normal(size=25), 10)
        u = norm.cdf(0.7 * shared + np.sqrt(0.51) * rng.normal(size=250))
        shift = beta.ppf(u, 1, 15)
        band = robust_ratio_band(
            shift, tolerances=np.linspace(0, 0.2, 6), clusters=clusters
        )
        truth = beta.cdf(band.tolerance, 1, 15)
        inside += np.all((band.band_low <= truth) & (truth <= band.band_high))
        curve = robust_ratio_band(shift)
        truth = beta.cdf(curve.tolerance, 1, 15)
        plain += np.all(np.abs(curve.ratio - truth) < 0.086)
    assert inside / 120 >= 0.93
    assert plain / 120 < 0.8
    with pytest.warns(UserWarning, match="Only 5 clusters"):
        robust_ratio_band(shift, clusters=clusters // 5)


# Any callable


@pytest.mark.slow
def test_callable_methods_agree_and_cover():
    rng = np.random.default_rng(21)

    def correlation(a, b):
        a, b = a - a.sum() / len(a), b - b.sum() / len(b)
        return a @ b / np.sqrt((a @ a) * (b @ b))

    def draw(method):
        a = rng.normal(size=60)
        b = 0.8 * a + 0.6 * rng.normal(size=60)
        return confidence_interval(
            correlation, a, b, method=method, n_resamples=300, random_state=0
        )

    assert 0.92 <= coverage(lambda: draw("bca"), 0.8, 400) <= 0.97
    assert 0.91 <= coverage(lambda: draw("jackknife"), 0.8, 600) <= 0.97


@pytest.mark.slow
def test_bca_equals_scipy():
    a = np.random.default_rng(43).exponential(size=40) ** 2
    options = {"n_resamples": 20_000, "method": "bca"}
    ours = confidence_interval(np.var, a, random_state=0, **options)
    # Older SciPy knows the generator by another name.
    names = inspect.signature(bootstrap).parameters
    seed = "rng" if "rng" in names else "random_state"
    options[seed] = np.random.default_rng(1)
    scipy = bootstrap((a,), np.var, **options)
    low, high = scipy.confidence_interval
    assert tuple(ours) == pytest.approx((low, high), rel=0.06)
    percentile = confidence_interval(
        np.var, a, method="percentile", n_resamples=20_000, random_state=0
    )
    assert percentile.high < 0.85 * high, "the case must need the correction"


def test_callable_of_a_mean_is_the_t_interval():
    values = np.random.default_rng(22).normal(size=40)
    interval = confidence_interval(np.mean, values, method="jackknife")
    error = values.std(ddof=1) / np.sqrt(40)
    assert interval.std_error == pytest.approx(error)
    assert tuple(interval) == pytest.approx(
        [values.mean() - 2.022691 * error, values.mean() + 2.022691 * error]
    )


@pytest.mark.slow
def test_callable_resamples_weights_and_repeats():
    rng = np.random.default_rng(23)
    y, p = rng.integers(2, size=(2, 80))
    weight = rng.random(80)
    options = {"sample_weight": weight, "n_resamples": 200, "random_state": 3}

    def f1(y, p, sample_weight):  # without the checks of f1_score
        return 2 * (sample_weight * y * p).sum() / (sample_weight * (y + p)).sum()

    one = confidence_interval(f1_score, y, p, **options)
    assert tuple(one) == pytest.approx(tuple(confidence_interval(f1, y, p, **options)))
    assert one.value == pytest.approx(f1_score(y, p, sample_weight=weight))
    assert one.method == "bca"
    one = confidence_interval(f1, y, p, **options)
    assert one == confidence_interval(f1, y, p, **options)
    other = confidence_interval(f1, y, p, **(options | {"random_state": 4}))
    assert tuple(other) != tuple(one)
    assert tuple(other) == pytest.approx(tuple(one), abs=0.08)


def test_undefined_resamples_are_counted():
    def strict(a):
        if not a.any():
            raise ValueError("nothing")
        return float(a.mean())

    with pytest.warns(UserWarning, match=r"undefined in \d+ of 500 resamples"):
        interval = confidence_interval(
            strict, np.array([1, 0, 0, 0]), n_resamples=500, random_state=0
        )
    assert np.isfinite(tuple(interval)).all()


def test_normalized_scores_keep_the_data_set():
    rng = np.random.default_rng(24)
    y = rng.permutation(np.array(["a"] * 40 + ["b"] * 15 + ["c"] * 5))
    p = np.where(rng.random(60) < 0.8, y, "a")
    options = {"n_features": 8, "n_resamples": 150, "random_state": 0}
    interval = confidence_interval("normalized_accuracy", y, p, **options)
    expected = quiet(normalized_accuracy_score, y, p, n_features=8)
    assert interval.value == pytest.approx(expected)
    assert 0 < interval.low < expected < interval.high < 1
    options |= {"n_samples": 60}
    assert interval == confidence_interval(
        "normalized_accuracy", y, p, class_counts=[40, 15, 5], **options
    )
    x = np.where(p == "a", 0, 5)[:, None] + rng.normal(size=(60, 2))
    interval = confidence_interval(
        normalized_clustering_score, y, p, X=x, method="percentile", **options
    )
    expected = normalized_clustering_score(y, p, X=x, n_features=8, n_samples=60)
    assert interval.value == pytest.approx(expected)
    assert interval.low < expected < interval.high


# Bad input


@pytest.mark.parametrize(
    "arguments, options, sentence",
    [
        (("nothing", ROWS), {}, "'metric' .* robust_accuracy"),
        (("accuracy",), {}, "needs the data of the metric"),
        (("accuracy", [0.3, 0.7]), {}, "correctness of each sample as booleans"),
        (("accuracy", np.ones((2, 2, 2))), {}, "\\(n_samples, n_conditions\\)"),
        (("accuracy", [0, 1], [0, 1, 1]), {}, "predictions of shape"),
        (("accuracy", [0, 1], ["0", "1"]), {}, "labels of one kind"),
        (("accuracy", ROWS), {"confidence": 95}, "'confidence'"),
        (("accuracy", ROWS), {"confidence": 1}, "'confidence'"),
        (("accuracy", ROWS), {"method": "bca"}, "one of 'auto', 'wilson', 'exact'"),
        (("accuracy", ROWS), {"n_resamples": 5}, "at least 100"),
        (("accuracy", ROWS), {"random_state": "x"}, "'random_state'"),
        (("accuracy", ROWS), {"clusters": [1, 2]}, "clusters has 2"),
        (("accuracy", ROWS), {"clusters": [1, 1, np.nan]}, "clusters without missing"),
        (("accuracy", ROWS), {"sample_weight": [1, 1, -1]}, "'sample_weight'"),
        (("robust_ratio", [0.1, 0.2]), {}, "needs tolerance="),
        (("robust_ratio", [0.1, 2.0]), {"tolerance": 0.1}, "fractions in \\[0, 1\\]"),
        (("asi", "abc"), {}, "Got 'abc' instead"),
        (("asi", ROWS), {}, "at least two conditions"),
        (("asi", [[-0.5, 0.2], [0.1, 0.3]]), {}, "booleans, or 0 and 1"),
        (("stability_index", [0.9, np.nan]), {}, "NaN"),
        (("stability_index", [0.9, 0.8], [1, 0]), {}, "pass periods="),
        (("stability_index", [0.9, 0.8]), {"clusters": [0, 1]}, "pass periods="),
        (("stability_index", [0.9, 0.8]), {"times": [1, 1]}, "not all equal"),
        (("stability_index", [0.9, 0.8]), {"times": [1]}, "one time per period"),
        ((robust_ratio_curve, [0.1]), {}, "use robust_ratio_band"),
        ((agreement_score, [1, 2], [1, 2, 3]), {}, "array 2 has 3"),
        ((np.abs, [1, 2]), {}, "must return one number"),
    ],
)
def test_interval_refuses(arguments, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        confidence_interval(*arguments, **options)


@pytest.mark.filterwarnings("ignore:8 periods cannot tell")
@pytest.mark.parametrize("confidence", [Fraction(19, 20), np.float32(0.95)])
@pytest.mark.parametrize(
    "data",
    [
        ("accuracy", ROWS),
        ("asi", np.c_[np.ones(300), np.arange(300) % 3 > 0]),
        ("stability_index", np.linspace(0.9, 0.7, 8) + 0.01 * (np.arange(8) % 3)),
        (agreement_score, ROWS, np.roll(ROWS, 1)),
    ],
)
def test_confidence_is_any_real_number(data, confidence):
    exact = confidence_interval(*data, random_state=0, confidence=confidence)
    assert exact == confidence_interval(
        *data, random_state=0, confidence=float(confidence)
    )
    assert isinstance(exact.confidence, float)


def test_unknown_parameters_are_named():
    with pytest.raises(TypeError, match="no parameter 'tolerance'; it takes"):
        confidence_interval("accuracy", ROWS, tolerance=0.1)
    with pytest.raises(TypeError, match="no parameter 'tolerance'"):
        compare_models({"a": ROWS, "b": ROWS}, tolerance=0.1)


def test_band_refuses():
    with pytest.raises(ValueError, match="fractions in"):
        robust_ratio_band([0.1, 0.2], tolerances=[5])
    with pytest.raises(ValueError, match="or the shift of each sample"):
        robust_ratio_band([0.1], [0.2], [0.3])


def test_options_with_one_entry_per_sample_are_resampled():
    y, target = np.zeros(200, int), np.array([1, 2] * 100)
    prediction = np.where(np.arange(200) % 5 == 0, 0, target)
    interval = confidence_interval(
        misclassification_rate, y, prediction, target=target, random_state=0
    )
    assert interval.low < interval.value == 0.8 < interval.high


def test_rows_of_weight_zero_make_no_cluster():
    rng = np.random.default_rng(0)
    right, clusters = rng.random(60) < 0.7, np.repeat(range(6), 10)
    weight = np.where(clusters < 2, 1.0, 0.0)
    with pytest.warns(UserWarning, match="2 clusters allow no interval"):
        interval = confidence_interval(
            "accuracy", right, clusters=clusters, sample_weight=weight
        )
    assert np.isnan(interval.low)
