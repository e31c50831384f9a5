"""assert_robust of drawn models and thresholds, and contract checks with any seed."""

import warnings

import numpy as np
import pytest
from drawn_models import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import seeds
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import FGSM, ExactLinear
from skrobust.metrics import make_robust_scorer
from skrobust.perturbations import GaussianNoise, MultiplicativeNoise
from skrobust.sampling import SimpleRandomSampler
from skrobust.testing import (
    assert_robust,
    check_attack,
    check_perturbation,
    check_sampler,
    check_scorer,
    instances_for_checks,
    measure_conformance,
)
from skrobust.wrappers import wrap

FEW = settings(max_examples=10, deadline=None, derandomize=True)


def passes(*args, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            assert_robust(*args, **params)
        except AssertionError:
            return False
    return True


@FEW
@given(cases(False), st.floats(0, 1), st.floats(0, 1))
def test_the_estimate_decides_and_proof_asks_for_more(case, eps, threshold):
    attack = ExactLinear(eps, data_range=case.box)
    args = case.model, case.X, case.y
    right = case.model.predict(attack.perturb(*args)) == case.y
    for level in (threshold, right.mean()):
        options = {"attack": attack, "min_accuracy": level}
        assert passes(*args, **options) == (right.mean() >= level)
        strict, lenient = (
            passes(*args, **options, decide=how)
            for how in ("only_if_shown", "unless_refuted")
        )
        assert strict <= passes(*args, **options) <= lenient
    drop = (case.model.predict(case.X) == case.y).mean() - right.mean()
    assert passes(*args, attack=attack, max_drop=min(1.0, drop + 1e-9))
    assert not (drop > 1e-6 and passes(*args, attack=attack, max_drop=drop / 2))


@settings(max_examples=3, deadline=None, derandomize=True)
@given(seeds, st.floats(0.01, 0.5))
def test_what_keeps_the_contract_passes_with_any_seed(seed, size):
    check_attack(FGSM(size, random_state=seed))
    check_perturbation(GaussianNoise(std=size, random_state=seed))
    check_scorer(make_robust_scorer(MultiplicativeNoise(sd=size, random_state=seed)))


@settings(max_examples=3, deadline=None, derandomize=True)
@given(seeds)
def test_a_sampler_is_unbiased_for_any_truth(seed):
    rng = np.random.default_rng(seed)
    failed = rng.random(30) < 0.3
    check_sampler(SimpleRandomSampler(), rng.random(30), failed, n_repeats=60)


@FEW
@given(st.lists(st.dictionaries(st.just("eps"), st.floats(0, 1)), max_size=4))
def test_instances_are_those_of_the_parameters(params):
    class Own(FGSM):
        @classmethod
        def _get_test_params(cls):
            return params

    found = instances_for_checks(Own)
    assert [one.eps for one in found] == [one.get("eps", 0.1) for one in params]


@pytest.mark.parametrize("kind", ["brightness", "contrast"])
def test_unchanged_pictures_have_no_change_of_moments(kind):
    found = measure_conformance(
        lambda image, kind, severity: image, kinds=[kind], severities=[1, 5]
    )
    assert np.abs(found.mean).max() == np.abs(found.spread).max() == 0
    assert list(found.deviating) == [kind]
    assert not found.ok


@FEW
@given(cases(False), st.integers(1, 9))
def test_wrapped_functions_answer_as_the_model(case, batch_size):
    model = case.model
    wrapped = wrap(
        model.predict_proba, classes=list(model.classes_), response="probabilities",
        sample=case.X, batch_size=batch_size,
    )  # fmt: skip
    assert np.array_equal(wrapped.classes_, np.sort(model.classes_))
    assert wrapped.predict_proba(case.X) == pytest.approx(model.predict_proba(case.X))
    assert np.array_equal(wrapped.predict(case.X), model.predict(case.X))
    scaled = wrap(
        LogisticRegression.predict_proba.__get__(model), sample=case.X * 255,
        classes=list(model.classes_), response="probabilities", data_range=(0, 255),
    )  # fmt: skip
    assert np.array_equal(scaled.predict(case.X * 255), model.predict(case.X))
