"""What strengths, functions, severities and perturbed models refuse."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from skrobust.attacks import FGSM
from skrobust.perturbations import (
    FeatureNoise,
    FunctionPerturbation,
    PerturbedClassifier,
)
from skrobust.perturbations.strength import Strength

X = np.random.default_rng(0).normal(size=(20, 2))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"levels": (1, 2)}, "levels"),
        ({"levels": [1, 2, 3, 4, 5]}, "levels"),
        ({"large": (1, 2, 3, 4, np.inf)}, "large"),
        ({"zero": None}, "zero"),
        ({"high": "much"}, "high"),
        ({"whole": 2}, "whole"),
        ({"measure": 3}, "measure"),
    ],
)
def test_a_wrong_declaration_of_strength_is_refused(params, name):
    """The sentence names the part of the declaration."""
    with pytest.raises(ValueError, match=f"'{name}'"):
        Strength(**params)


def test_strengths_are_asked_with_numbers_and_sizes():
    """A strength is the level of its severity, and asks for the size it needs."""
    levels = (1.0, 2.0, 4.0, 8.0, 16.0)
    plain, by_size = Strength(levels), Strength(levels, large=levels)
    assert [plain.at(s) for s in range(6)] == [0.0, *levels]
    assert by_size.at(3, (32, 224)) == plain.in_force(None, 3) == 4.0
    assert plain.in_force(None, None) == plain.at(1)
    for asked in (
        lambda: plain.at("strong"),
        lambda: plain.in_force("strong", 1),
        lambda: by_size.at(3),
        lambda: by_size.at(3, (0, 32)),
    ):
        with pytest.raises(ValueError, match="Strength"):
            asked()


def test_a_function_that_asks_rng_for_too_much_is_told_what_there_is():
    """The sentence lists the draws that belong to rows."""
    change = FunctionPerturbation(lambda X, rng: X + rng.dirichlet([1, 1]))
    with pytest.raises(ValueError, match=r"asks rng for 'dirichlet'; .*normal"):
        change.fit(X).transform(X)


def test_attribute_errors_of_a_function_are_its_own():
    """An error that has nothing to do with rng passes unchanged."""
    change = FunctionPerturbation(lambda X: X.no_such_verb)
    with pytest.raises(AttributeError, match="no_such_verb"):
        change.fit(X).transform(X)


@pytest.mark.parametrize(
    "params",
    [{"function": np.ndarray}, {"kw_args": [1]}, {"draws": "some"}, {"name": 3}],
)
def test_wrong_parameters_of_a_function_are_refused(params):
    """The sentence names the parameter."""
    (name,) = params
    change = FunctionPerturbation(**{"function": np.negative, **params})
    with pytest.raises(ValueError, match=f"'{name}'"):
        change.fit(X).transform(X)


def test_a_function_without_a_signature_is_called_with_the_rows_alone():
    """A function that tells no signature draws nothing, as some written in C."""

    class Untold:
        __signature__ = "none"

        def __call__(self, X):
            return -X

    change = FunctionPerturbation(Untold()).fit(X)
    assert np.array_equal(change.transform(X), -X)
    assert str(change) == "Untold"


@pytest.mark.parametrize(
    ("estimator", "perturbation", "message"),
    [
        (LogisticRegression(), FGSM(), "cannot attack"),
        (LogisticRegression(), FeatureNoise, "an object with perturb"),
        (LogisticRegression, FeatureNoise(), "a classifier"),
        (LinearRegression(), FeatureNoise(), "a classifier"),
    ],
)
def test_a_perturbed_model_of_wrong_parts_is_refused(estimator, perturbation, message):
    """The sentence says which part cannot be taken."""
    with pytest.raises(ValueError, match=message):
        PerturbedClassifier(estimator, perturbation).fit(X, Y)


def test_weights_for_a_perturbed_model_that_takes_none_are_refused():
    """A fit without weights is named."""
    model = PerturbedClassifier(KNeighborsClassifier(), FeatureNoise())
    with pytest.raises(TypeError, match="fit of KNeighborsClassifier takes none"):
        model.fit(X, Y, sample_weight=np.ones(20))
