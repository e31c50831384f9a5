"""Laws of bands and areas of curves, of Gini over time, and of normalized parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import any_rows, few, fewer, moved, seeds
from sklearn.metrics import accuracy_score, r2_score

from skrobust.metrics import (
    area_under_robust_ratio_curve,
    dimensionality_factor,
    gini_stability,
    imbalance_factor,
    normalized_accuracy_score,
    normalized_r2_score,
    normalized_score_parts,
    period_stability_index,
    probability_shift,
    robust_ratio_band,
    robust_ratio_curve,
    signal_factor,
    signal_to_noise_ratio,
)


@fewer
@given(seeds, st.integers(2, 3), st.booleans())
def test_a_band_holds_its_curve_in_any_order_of_rows(seed, k, weighted):
    rng = np.random.default_rng(seed)
    _, p, q = moved(rng, 30, k)
    q = (3 * p + q) / 4
    weight = rng.integers(1, 4, 30) if weighted else None
    tolerances = [0, 0.05, 0.1, 0.4]
    with any_rows():
        found = robust_ratio_band(p, q, tolerances=tolerances, sample_weight=weight)
        curve = robust_ratio_curve(p, q, tolerances=tolerances, sample_weight=weight)
        shift = probability_shift(p, q)
    assert found.ratio == pytest.approx(curve[1])
    for low, high in (("low", "high"), ("band_low", "band_high")):
        assert (found[low] <= found.ratio + 1e-12).all()
        assert (found.ratio <= found[high] + 1e-12).all()
        assert (found[low] >= 0).all()
        assert (found[high] <= 1).all()
    if weight is None:  # the inequality of Dvoretzky, Kiefer and Wolfowitz
        eps = np.sqrt(np.log(2 / 0.05) / 60)
        assert found.band_low == pytest.approx(np.maximum(found.ratio - eps, 0))
        assert found.band_high == pytest.approx(np.minimum(found.ratio + eps, 1))
    area = area_under_robust_ratio_curve(tolerances, found.ratio)
    assert found.area.value == pytest.approx(area)
    order = rng.permutation(30)
    again = robust_ratio_band(
        shift[order],
        tolerances=tolerances,
        sample_weight=None if weight is None else weight[order] / 7,
    )
    for name in ("ratio", "low", "high", "band_low", "band_high"):
        assert again[name] == pytest.approx(found[name], abs=1e-9), name


@few
@given(st.lists(st.integers(0, 64), min_size=2, max_size=9), seeds)
def test_areas_are_mean_heights(steps, seed):
    rng = np.random.default_rng(seed)
    ratios = np.array(steps) / 64
    tolerances = np.sort(rng.choice(100, len(steps), replace=False)) / 100
    found = area_under_robust_ratio_curve(tolerances, ratios)
    assert ratios.min() - 1e-12 <= found <= ratios.max() + 1e-12
    widths = np.diff(tolerances)
    heights = (ratios[1:] + ratios[:-1]) / 2
    assert found == pytest.approx(np.average(heights, weights=widths))
    order = rng.permutation(len(steps))
    again = area_under_robust_ratio_curve(tolerances[order], ratios[order])
    assert again == found
    for method in ("trapezoid", "mean"):
        area = area_under_robust_ratio_curve
        assert 0 <= area(tolerances, ratios, method=method) <= 1
        assert area(tolerances, np.ones(len(steps)), method=method) == 1
        rest = area(tolerances, 1 - ratios, method=method)
        assert rest == pytest.approx(1 - area(tolerances, ratios, method=method))


@fewer
@given(seeds)
def test_gini_over_time_sees_the_order_of_scores_alone(seed):
    rng = np.random.default_rng(seed)
    week, y = np.arange(24) % 3, rng.integers(0, 2, 24)
    y[:3], y[3:6] = 0, 1
    scores = rng.integers(0, 9, 24) / 8
    weight = rng.integers(1, 4, 24)
    found = gini_stability(y, scores, week, sample_weight=weight)
    own = period_stability_index(
        y, scores, week, metric="gini", falling_rate_weight=88, sample_weight=weight
    )
    assert found == own <= 1
    order = rng.permutation(24)
    again = gini_stability(
        np.array(["no", "yes"])[y[order]],
        np.exp(scores[order]),
        week[order] ** 2,
        sample_weight=weight[order],
    )
    assert again == pytest.approx(found, abs=1e-9)
    rows = np.repeat(np.arange(24), weight)
    again = gini_stability(y[rows], scores[rows], week[rows])
    assert again == pytest.approx(found, abs=1e-9)


@few
@given(seeds, st.integers(1, 40), st.integers(80, 400))
@pytest.mark.filterwarnings("ignore:normalized_.*_score")
def test_normalized_parts_multiply(seed, n_features, n_samples):
    rng = np.random.default_rng(seed)
    size = {"n_features": n_features, "n_samples": n_samples, "clip": False}
    y, predicted = rng.integers(0, 2, (2, 20))
    y[:2], predicted[:2] = [0, 1], [1, 1]
    values = rng.integers(-8, 9, 20) / 8
    values[:2] = [0, 1]
    answers = values + rng.integers(1, 4, 20) / 8
    for task, data in (
        ("classification", (y, predicted)),
        ("regression", (values, answers)),
    ):
        parts = normalized_score_parts(*data, task=task, **size)
        assert parts.dimensionality == dimensionality_factor(n_features, n_samples)
        assert parts.signal == pytest.approx(signal_factor(parts.snr))
        snr = signal_to_noise_ratio(*data, task=task)
        assert parts.snr == pytest.approx(snr)
        product = parts.raw * parts.dimensionality * parts.signal / parts.imbalance
        assert parts.unclipped == pytest.approx(product)
        if task == "regression":
            assert parts.raw == pytest.approx(max(0.0, r2_score(*data)))
            score = normalized_r2_score(*data, **size)
            assert parts.imbalance == 1
        else:
            assert parts.raw == accuracy_score(*data)
            assert parts.imbalance == imbalance_factor(y)
            score = normalized_accuracy_score(*data, **size)
        assert parts.score == score == pytest.approx(product)
        order = rng.permutation(20)
        mixed = normalized_score_parts(*(a[order] for a in data), task=task, **size)
        assert mixed.score == pytest.approx(score)
    # R2 has no unit, and a centred signal no zero either.
    twice = normalized_r2_score(-4 * values, -4 * answers, **size)
    assert twice == pytest.approx(normalized_r2_score(values, answers, **size))
    centred = normalized_r2_score(values, answers, center=True, **size)
    away = normalized_r2_score(values + 3, answers + 3, center=True, **size)
    assert away == pytest.approx(centred)
    weight = rng.integers(1, 4, 20)
    rows = np.repeat(np.arange(20), weight)
    repeated = normalized_r2_score(values[rows], answers[rows], **size)
    found = normalized_r2_score(values, answers, sample_weight=weight / 3, **size)
    assert found == pytest.approx(repeated, abs=1e-12)
