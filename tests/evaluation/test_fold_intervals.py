"""Intervals of the summary over folds and test rows of a cross-validation."""

import numpy as np
import pytest
from interval_problems import quiet
from problems import digit_rows
from scipy.stats import sem, t
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from skrobust.evaluation import cross_validate_perturbations, evaluate_perturbations
from skrobust.evaluation.conditions.fold_intervals import NOTE, _wider
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.function_of_means import ALIKE
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.stability.asi_interval import variation_interval
from skrobust.perturbations import GaussianNoise, SaltAndPepper

X, Y = digit_rows()
X, Y = X[:240], Y[:240]
SHAPE = {"image_shape": (8, 8), "data_range": (0, 16), "random_state": 0}
KINDS = GaussianNoise, SaltAndPepper
CONDITIONS = [kind(severity=s, **SHAPE) for kind in KINDS for s in (2, 4)]
NAMES = ["mean", "area_under_severity_curve", "mean_corruption_error"]
CV = StratifiedKFold(4)


def crossed(model, cv=CV, **options):
    data = model, X, Y, CONDITIONS
    return quiet(cross_validate_perturbations, *data, cv=cv, **options)


@pytest.fixture(scope="module")
def other():
    return crossed(LogisticRegression(max_iter=20))


@pytest.fixture(scope="module")
def results(other):
    return crossed(GaussianNB(), n_repeats=2, reference={"linear": other})


def by_fold(results):
    k = len(results.conditions.score)
    return results.score.reshape(k, results.n_folds, -1).mean(axis=2).T


def holds(interval, low, high):
    return interval.low <= low + 1e-12 and interval.high >= high - 1e-12


def test_the_mean_has_students_t_over_folds_or_the_wider_limits_of_rows(results):
    folds = by_fold(results).mean(axis=1)
    found = results.mean_interval
    assert found.value == pytest.approx(results.mean)
    assert found.std_error == pytest.approx(sem(folds))
    half = t.ppf(0.975, 3) * sem(folds)
    over_folds = np.clip([folds.mean() - half, folds.mean() + half], 0, 1)
    rows = results.correct.mean(axis=(1, 2))
    error = sem(rows)  # every row is tested once
    over_rows = rows.mean() - 1.97 * error, rows.mean() + 1.97 * error
    expected = min(over_folds[0], over_rows[0]), max(over_folds[1], over_rows[1])
    assert tuple(found) == pytest.approx(expected, abs=1e-3)
    assert (found.method, found.unit, found.n) == ("t over folds", "folds", 4)
    assert found.warnings[0] == NOTE


def test_one_condition_has_the_limits_of_its_score():
    data = GaussianNB(), X, Y, CONDITIONS[1:2]
    found = quiet(cross_validate_perturbations, *data, cv=CV, scoring="f1_macro")
    limits = found.conditions.score_low[0], found.conditions.score_high[0]
    assert tuple(found.mean_interval) == pytest.approx(limits)
    assert "coefficient_of_variation_interval" not in found


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_the_summary(results, name):
    found = results[f"{name}_interval"]
    assert found.value == pytest.approx(results[name])
    assert found.low < found.value < found.high


def test_area_and_error_are_of_the_loop_over_folds(results, other):
    scores, rival = by_fold(results), by_fold(other)

    def error(kept):
        own, base = (1 - s[kept].mean(axis=0) for s in (scores, rival))
        pairs = zip(np.split(own, 2), np.split(base, 2), strict=True)
        return np.mean([a.sum() / b.sum() for a, b in pairs])

    left_out = np.array([error(np.arange(4) != f) for f in range(4)])
    off = left_out - left_out.mean()
    expected = np.sqrt(3 / 4 * (off**2).sum())
    found = results.mean_corruption_error_interval
    assert found.std_error == pytest.approx(expected)
    half = t.ppf(0.975, 3) * expected
    assert holds(found, max(0, found.value - half), found.value + half)


def test_the_variation_is_over_rows_as_that_of_the_index(results):
    correct = results.correct.mean(axis=2)
    expected = variation_interval(correct, make_units(None, len(correct), ""), 0.95)
    found = results.coefficient_of_variation_interval
    assert found.value == pytest.approx(expected.value)
    assert tuple(found) == pytest.approx(tuple(expected))


def test_folds_that_agree_have_a_width_from_their_rows():
    easy = np.repeat([[0.0], [9.0]], 40, axis=0)
    y = np.repeat([0, 1], 40)
    calm = [GaussianNoise(std=0.01, data_range=(0, 9), random_state=i) for i in (0, 1)]
    data = GaussianNB(), easy, y, calm
    found = quiet(cross_validate_perturbations, *data, cv=CV).mean_interval
    missed = 1 - 0.025 ** (1 / 80)
    assert (found.value, found.std_error) == (1.0, 0.0)
    assert tuple(found) == pytest.approx((1 - missed, 1.0))
    assert ALIKE in found.warnings


def test_a_single_fold_has_the_limits_of_its_rows():
    split = ShuffleSplit(1, test_size=80, random_state=0)
    found = crossed(GaussianNB(), cv=split)
    train, test = next(split.split(X))
    model = GaussianNB().fit(X[train], Y[train])
    conditions = [c.fit(X[train]) for c in CONDITIONS]
    whole = quiet(evaluate_perturbations, model, X[test], Y[test], conditions)
    assert found.mean_interval.value == pytest.approx(found.mean)
    assert (found.mean_interval.n, found.mean_interval.unit) == (80, "samples")
    wide = np.ptp(tuple(found.mean_interval))
    assert wide == pytest.approx(np.ptp(tuple(whole.mean_interval)), rel=0.2)
    scored = crossed(GaussianNB(), cv=split, scoring="f1_macro").mean_interval
    assert np.isnan(tuple(scored)).all()


def test_groups_and_a_reference_that_is_known(other):
    clips = np.arange(240) // 6
    table = {"linear": other}
    found = crossed(GaussianNB(), cv=StratifiedKFold(3), reference=table, groups=clips)
    known = found.mean_corruption_error_interval
    folds = by_fold(found)
    errors = [
        (1 - folds[:, on]).sum(axis=1) / (1 - other.conditions.score[on]).sum()
        for on in (slice(0, 2), slice(2, 4))
    ]
    assert known.std_error == pytest.approx(sem(np.mean(errors, axis=0)))


def test_limits_of_rows_that_are_unknown_leave_those_over_folds():
    facts = {"confidence": 0.95, "method": "t over folds", "n_units": 4}
    known = Interval(0.5, 0.4, 0.6, warnings=("a",), **facts)
    nothing = Interval(0.5, float("nan"), float("nan"), warnings=("b",), **facts)
    assert _wider(known, None) is known
    assert _wider(known, nothing) is known
    rows = Interval(0.5, 0.45, 0.7, warnings=("b",), **facts)
    assert tuple(_wider(known, rows)) == (0.4, 0.7)
    assert _wider(known, rows).warnings == ("a", "b")
    assert tuple(_wider(nothing, rows)) == (0.45, 0.7)


@pytest.mark.parametrize("seed", [0, 1])  # of the reference: on equal or other rows
def test_errors_are_paired_with_those_of_a_reference_on_the_same_rows(seed):
    split = ShuffleSplit(1, test_size=80, random_state=0)
    of_other = ShuffleSplit(1, test_size=80, random_state=seed)
    other = crossed(LogisticRegression(max_iter=20), cv=of_other)
    found = crossed(GaussianNB(), cv=split, reference={"linear": other})
    assert np.array_equal(found.rows, other.rows) == (seed == 0)
    own, base = (1 - one.correct.mean(axis=2) for one in (found, other))
    if seed:  # the errors of another sample count as known
        base = np.broadcast_to(1 - other.conditions.score, own.shape)

    def error(kept):
        sums = [(own[kept][:, on], base[kept][:, on]) for on in ([0, 1], [2, 3])]
        return np.mean([a.sum() / b.sum() for a, b in sums])

    left_out = np.array([error(np.arange(80) != i) for i in range(80)])
    off = left_out - left_out.mean()
    interval = found.mean_corruption_error_interval
    assert interval.value == pytest.approx(error(slice(None)))
    assert interval.std_error == pytest.approx(np.sqrt(79 / 80 * (off**2).sum()))
