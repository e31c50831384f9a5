"""Laws of the moves of predictions: order, weights, units and the tolerance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import any_rows, few, seeds

from skrobust.metrics import (
    prediction_shift,
    regression_robust_ratio_curve,
    regression_robust_ratio_score,
)

references = st.sampled_from(["predicted", "true"])


def case(seed, n=12, k=3):
    """Targets, predictions and k perturbed ones, multiples of 1/4."""
    rng = np.random.default_rng(seed)
    return rng, *(rng.integers(-20, 20, shape) / 4 for shape in ((n,), (n,), (k, n)))


@few
@given(seeds, references)
def test_shift_is_the_largest_distance(seed, reference):
    _, y, clean, moved = case(seed)
    with any_rows():
        shift = prediction_shift(clean, moved, reference=reference, y_true=y)
        origin = y if reference == "true" else clean
        for i in range(len(y)):
            assert shift[i] == max(abs(row[i] - origin[i]) for row in moved)
        # A further perturbation never lowers it, their order is nothing, and 3 more
        # for all predictions and targets neither.
        less = prediction_shift(clean, moved[:2], reference=reference, y_true=y)
        assert (less <= shift).all()
        same = prediction_shift(
            -8 * clean + 3, -8 * moved[::-1] + 3, reference=reference, y_true=-8 * y + 3
        )
    np.testing.assert_array_equal(same, 8 * shift)


@few
@given(seeds, references)
def test_ratio_is_the_distribution_function_of_the_shift(seed, reference):
    rng, y, clean, moved = case(seed)
    of = {"reference": reference, "y_true": y}
    with any_rows():
        shift = prediction_shift(clean, moved, **of)
        tolerances = rng.integers(0, 40, 7) / 4
        given_back, ratios = regression_robust_ratio_curve(
            clean, moved, tolerances=tolerances, **of
        )
        np.testing.assert_array_equal(given_back, tolerances)
        assert ratios.tolist() == [(shift <= b).mean() for b in tolerances]
        assert (np.diff(ratios[np.argsort(tolerances)]) >= 0).all()
        for b, ratio in zip(tolerances, ratios, strict=True):
            score = regression_robust_ratio_score(clean, moved, tolerance=b, **of)
            assert score == ratio
        steps, ratios = regression_robust_ratio_curve(clean, moved, **of)
    assert (len(steps), steps[0], steps[-1]) == (21, 0, shift.max())
    assert ratios[-1] == 1


@few
@given(seeds, references, st.integers(0, 40))
def test_weights_of_predictions_are_repetitions(seed, reference, quarters):
    rng, y, clean, moved = case(seed)
    times = rng.integers(0, 4, len(y))
    times[0] = 1
    rows = rng.permutation(np.repeat(np.arange(len(y)), times))
    options = {"tolerance": quarters / 4, "reference": reference}

    def score(rows, weight=None):
        return regression_robust_ratio_score(
            clean[rows],
            moved[:, rows],
            y_true=y[rows],
            sample_weight=weight,
            **options,
        )

    with any_rows():
        every = np.arange(len(y))
        found = score(every, times)
        assert found == pytest.approx(score(rows), abs=1e-12)
        assert found == pytest.approx(score(every, times / 7), abs=1e-12)
        tolerances = [quarters / 4, 0]
        curve = regression_robust_ratio_curve(
            clean,
            moved,
            tolerances=tolerances,
            reference=reference,
            y_true=y,
            sample_weight=times,
        )[1]
    assert curve[0] == pytest.approx(found, abs=1e-12)


@few
@given(seeds, references, st.sampled_from([0, 10**3, 10**7]))
def test_a_move_of_the_tolerance_itself_stays(seed, reference, far):
    # 0.9 - 0.85 is above 0.05, and more so far from 0: rounding of the reference.
    rng = np.random.default_rng(seed)
    origin = far + rng.integers(0, 100, 12) / 100
    step = rng.integers(1, 100) / 100
    moved = origin + rng.choice([-step, step], 12)
    clean = np.zeros(12) if reference == "true" else origin
    score = regression_robust_ratio_score(
        clean, moved, tolerance=step, reference=reference, y_true=origin
    )
    assert score == 1
