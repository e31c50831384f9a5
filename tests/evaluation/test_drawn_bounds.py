"""Bounds of robustness and evaluations under attack of drawn linear models."""

import warnings

import numpy as np
import pytest
from drawn_models import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import seeds

from skrobust.attacks import FGSM, PGD, ExactLinear
from skrobust.evaluation import (
    check_evaluation,
    evaluate_attack,
    make_bounds_scorer,
    robust_accuracy_bounds,
    robust_ratio_bounds,
)

FEW = settings(max_examples=4, deadline=None, derandomize=True)
SOME = settings(max_examples=10, deadline=None, derandomize=True)
RADII = st.lists(st.floats(0, 1.5), min_size=2, max_size=4, unique=True).map(sorted)
NORMS = st.sampled_from([np.inf, 2, 1])


def quietly(function, *args, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **params)


@SOME
@given(cases(), RADII, NORMS)
def test_bounds_of_accuracy_enclose_the_truth_and_fall(case, radii, norm):
    model, X, y = case.model, case.X, case.y
    clean, last = (model.predict(X) == y).mean(), 1.0
    norms = ExactLinear(norm=norm, data_range=case.box).minimal_norms(model, X, y)
    for eps in [0.0, *radii]:
        options = {"eps": eps, "norm": norm, "data_range": case.box}
        found = quietly(robust_accuracy_bounds, model, X, y, random_state=0, **options)
        assert 0 <= found.low <= found.lower <= found.upper <= found.high <= 1
        assert found.upper <= min(last, clean)
        last = found.upper
        if eps == 0:
            assert found.lower == found.upper == clean
        elif not np.isclose(norms, eps, rtol=1e-6, atol=1e-9).any():
            assert found.lower == found.upper == (norms > eps).mean()
        for end in ("lower", "upper"):
            scorer = make_bounds_scorer(end=end, random_state=0, **options)
            assert quietly(scorer, model, X, y) == pytest.approx(found[end])


@SOME
@given(cases(), RADII, NORMS, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_bounds_of_the_ratio_enclose_and_are_monotone(case, radii, norm, tolerances):
    model, X, y = case.model, case.X, case.y
    tolerances = sorted({0.0, *tolerances, 1.0})
    last = np.ones(len(tolerances)), np.ones(len(tolerances))
    for eps in [0.0, *radii]:
        options = {"eps": eps, "norm": norm, "data_range": case.box, "random_state": 0}
        attack = ExactLinear(eps, norm=norm, data_range=case.box)
        found = quietly(robust_ratio_bounds, model, X, y, attack, tolerances=tolerances)
        assert (found.lower <= found.upper).all()
        assert (np.diff(found.lower) >= 0).all()
        assert (np.diff(found.upper) >= 0).all()
        assert found.lower[-1] == found.upper[-1] == 1
        assert (found.lower <= last[0]).all()
        assert (found.upper <= last[1]).all()
        last = found.lower, found.upper
        if eps == 0:
            assert (found.lower == 1).all()
        scorer = make_bounds_scorer("robust_ratio", tolerance=tolerances[1], **options)
        assert quietly(scorer, model, X, y) == pytest.approx(found.lower[1])


@FEW
@given(
    cases(False),
    st.floats(1e-3, 1),
    st.sampled_from([FGSM, PGD, ExactLinear]),
    st.data(),
)
def test_an_evaluation_is_that_of_its_examples_in_any_order(case, eps, kind, data):
    model, X, y = case.model, case.X, case.y
    attack = kind(eps, data_range=case.box, random_state=0)
    found = quietly(evaluate_attack, model, X, y, attack)
    right = model.predict(attack.perturb(model, X, y)) == y
    assert found.clean_accuracy == (model.predict(X) == y).mean()
    assert found.robust_accuracy == right.mean()
    for name in ("clean_accuracy", "robust_accuracy"):
        low, high = found[f"{name}_interval"]
        assert 0 <= low <= found[name] <= high <= 1
    for mode in found.modes:
        ratio = found[f"robust_ratio_{mode}"]
        assert (np.diff(ratio) >= 0).all()
        assert (found[f"robust_ratio_{mode}_low"] <= ratio).all()
        assert (ratio <= found[f"robust_ratio_{mode}_high"]).all()
    order = data.draw(st.permutations(range(len(X))))
    size = data.draw(st.integers(1, len(X)))
    args = model, X[order], y[order], attack
    for other in (
        quietly(evaluate_attack, *args),
        quietly(evaluate_attack, *args, batch_size=size),
    ):
        assert other.robust_accuracy == found.robust_accuracy
        success = np.asarray(other.per_sample.success)
        assert np.array_equal(success, np.asarray(found.per_sample.success)[order])
        for mode in found.modes:
            name = f"robust_ratio_{mode}"
            np.testing.assert_allclose(other[name], found[name])


BEATEN = {
    *("ONE_STEP_BEATS_ATTACK", "BLACK_BOX_BEATS_ATTACK", "TRANSFER_BEATS_ATTACK"),
    *("OUT_OF_BALL", "OUT_OF_RANGE", "NOT_FALLING", "STOCHASTIC", "WRONG_GRADIENT"),
}


@settings(max_examples=8, deadline=None, derandomize=True)
@given(cases(), st.floats(1e-3, 1), seeds)
def test_there_is_no_doubt_that_the_exact_attack_is_the_strongest(case, eps, seed):
    attack = ExactLinear(eps, data_range=case.box)
    args = case.model, case.X, case.y, attack
    doubts = quietly(check_evaluation, *args, n_queries=10, random_state=seed)
    assert not BEATEN & {doubt.code for doubt in doubts}
    again = quietly(check_evaluation, *args, n_queries=10, random_state=seed)
    assert [str(doubt) for doubt in again] == [str(doubt) for doubt in doubts]
