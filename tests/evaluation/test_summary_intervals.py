"""Intervals of mean, variation, area and mean corruption error of an evaluation."""

import numpy as np
import pytest
from interval_problems import quiet
from problems import digit_rows
from scipy.stats import t
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from skrobust.evaluation import evaluate_perturbations
from skrobust.metrics import Interval
from skrobust.metrics.intervals.clusters import jackknife_df, make_units
from skrobust.metrics.stability.asi_interval import variation_interval
from skrobust.perturbations import GaussianNoise, SaltAndPepper, two_factor_grid

DIGITS, LABELS = digit_rows()
MODEL = GaussianNB().fit(DIGITS[:600], LABELS[:600])
OTHER = SVC().fit(DIGITS[:600], LABELS[:600])
X, Y = DIGITS[1000:1150], LABELS[1000:1150]
CONDITIONS = [
    kind(severity=s, random_state=0, **shared)
    for kind, shared in (
        (GaussianNoise, {"image_shape": (8, 8), "data_range": (0, 16)}),
        (SaltAndPepper, {"image_shape": (8, 8), "data_range": (0, 16)}),
    )
    for s in (2, 4, 5)
]
GRID = two_factor_grid(image_shape=(8, 8), data_range=(0, 16), random_state=0)
CLUSTERS = np.arange(150) // 4
LEVELS = [0, 2, 4, 5]


def evaluate(model=MODEL, rows=slice(None), **options):
    data = model, X[rows], Y[rows], CONDITIONS
    return quiet(evaluate_perturbations, *data, **options)


def mean_area(clean, scores):
    curves = [np.append(clean, part) for part in np.split(scores, 2)]
    return np.mean([np.trapezoid(curve, LEVELS) / 5 for curve in curves])


def mean_error(scores, other):
    pairs = zip(np.split(1 - scores, 2), np.split(1 - other, 2), strict=True)
    return np.mean([own.sum() / base.sum() for own, base in pairs])


def assert_jackknife(interval, value, groups, without, *, logarithmic):
    """Compare with a loop over the units, where ``without`` takes the other rows."""
    parts = np.array([without(groups != g) for g in np.unique(groups)])
    off = parts - parts.mean()
    error = np.sqrt((len(off) - 1) / len(off) * (off**2).sum())
    assert isinstance(interval, Interval)
    assert interval.value == pytest.approx(value)
    assert interval.std_error == pytest.approx(error)
    if logarithmic:
        off = np.log(parts) - np.log(parts).mean()
        error = np.sqrt((len(off) - 1) / len(off) * (off**2).sum())
    half = t.ppf(0.975, jackknife_df(off)) * error
    limits = (value / np.exp(half), value * np.exp(half))
    limits = limits if logarithmic else (value - half, value + half)
    assert tuple(interval) == pytest.approx(limits)


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_intervals_are_those_of_a_loop_over_the_units(clusters):
    other = evaluate(OTHER)
    r = evaluate(clusters=clusters, reference={"svm": other})
    groups = np.arange(150) if clusters is None else clusters
    clean = MODEL.predict(X) == Y
    right, base = r.correct, other.correct
    loops = {
        "mean": lambda rows: right[rows].mean(),
        "area_under_severity_curve": lambda rows: mean_area(
            clean[rows].mean(), right[rows].mean(axis=0)
        ),
        "mean_corruption_error": lambda rows: mean_error(
            right[rows].mean(axis=0), base[rows].mean(axis=0)
        ),
    }
    for name, loop in loops.items():
        found, scale = r[f"{name}_interval"], name == "mean_corruption_error"
        assert_jackknife(found, r[name], groups, loop, logarithmic=scale)
        limits = f"[{found.low:.4g}, {found.high:.4g}]"
        assert any(name in line and limits in line for line in repr(r).split("\n"))
    units = make_units(clusters, 150, "")
    variation = r.coefficient_of_variation_interval
    assert variation == variation_interval(right, units, 0.95)
    assert variation.plug_in == pytest.approx(r.coefficient_of_variation)
    assert r.mean_interval.unit == variation.unit == units.name


def test_a_reference_of_other_rows_counts_as_known():
    other = evaluate(OTHER, rows=slice(100))
    r = evaluate(reference={"svm": other})

    def loop(rows):
        return mean_error(r.correct[rows].mean(axis=0), other.score)

    found = r.mean_corruption_error_interval
    parts = found, r.mean_corruption_error, np.arange(150)
    assert_jackknife(*parts, loop, logarithmic=True)


def test_the_reference_itself_is_not_certain():
    r = evaluate(OTHER, reference={"svm": evaluate(OTHER)})
    found = r.mean_corruption_error_interval
    assert found.value == r.mean_corruption_error == 1
    assert found.low < 1 < found.high
    assert found.warnings


def test_what_has_no_interval():
    plain = evaluate()
    assert "mean_corruption_error_interval" not in plain
    one = evaluate_perturbations(MODEL, X, Y, GRID[5:6])
    assert one.coefficient_of_variation_interval is None
    assert "area_under_severity_curve_interval" not in one
    assert one.mean_interval.value == one.mean
    scored = evaluate(scoring="balanced_accuracy")
    assert not [name for name in scored if name.endswith("interval")]
    few = evaluate(clusters=np.arange(150) // 75)
    assert few.mean_interval is few.area_under_severity_curve_interval is None
    assert np.isnan(few.coefficient_of_variation_interval.low)
    assert few.coefficient_of_variation_interval.warnings


def test_a_model_that_is_always_right_is_not_certain():
    rows = np.flatnonzero(OTHER.predict(X) == Y)[:40]
    mild = [GaussianNoise(severity=s, random_state=0) for s in (1, 2)]
    mild = [c.set_params(image_shape=(8, 8), data_range=(0, 16)) for c in mild]
    r = evaluate_perturbations(OTHER, X[rows], Y[rows], mild)
    assert r.mean == 1
    missed = 1 - 0.025 ** (1 / 40)
    for name in ("mean_interval", "area_under_severity_curve_interval"):
        assert tuple(r[name]) == pytest.approx((1 - missed, 1))
    assert r.coefficient_of_variation_interval.high > 0
