"""Every attack on linear models of any weights, labels, radii and boxes."""

import warnings

import numpy as np
import pytest
from drawn_models import Case, cases
from families import public_classes
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import seeds
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import skrobust.attacks as family
from skrobust._norms import length
from skrobust.attacks import (
    BIM,
    FGSM,
    PGD,
    DeepFool,
    ExactLinear,
    ExactTree,
    ProbabilityShift,
)
from skrobust.base import BaseAttack
from skrobust.testing import instances_for_checks

FEW = settings(max_examples=6, deadline=None, derandomize=True)
MORE = settings(max_examples=25, deadline=None, derandomize=True)
CLASSES = public_classes(family, BaseAttack)
INSTANCES = [
    pytest.param(kind, i, id=f"{kind.__name__}-{i}")
    for kind in CLASSES
    for i in range(len(instances_for_checks(kind)))
]


def drawn(kind, i, data, **how):
    """Return an attack of a drawn radius in a drawn box, and its case."""
    case = data.draw(cases(**how))
    attack = instances_for_checks(kind)[i]
    more = {"eps": data.draw(st.floats(0.001, 1)), "random_state": data.draw(seeds)}
    if kind.__name__ != "ClipPGD":  # whose rows are frames
        more["norm"] = attack.norm
    attack.set_params(data_range=case.box, **more)
    if kind is ExactTree:
        depth = data.draw(st.integers(1, 4))
        case.model = DecisionTreeClassifier(max_depth=depth, random_state=0)
        case.model.fit(case.X, case.y)
    return attack, case


def perturbed(attack, model, X, y):
    with warnings.catch_warnings():
        # A few steps do not converge, and a box may leave no way out.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return attack.perturb(model, X, y)


@pytest.mark.parametrize("kind, i", INSTANCES)
@FEW
@given(st.data())
def test_ball_box_and_clean_rows(kind, i, data):
    attack, case = drawn(kind, i, data)
    X, y, model = case.X, case.y, case.model
    before = X.copy()
    out = perturbed(attack, model, X, y)
    assert np.array_equal(X, before)
    assert out.shape == X.shape
    assert out.dtype == X.dtype
    assert length(out - X, attack.norm).max() <= attack.eps * (1 + 1e-9)
    if case.box is not None:
        assert case.box[0] <= out.min() <= out.max() <= case.box[1]
    if kind is not ProbabilityShift:  # which moves wrong rows either way
        was, now = model.predict(X) == y, model.predict(out) == y
        assert not (now & ~was).any()  # none becomes right
    assert np.array_equal(perturbed(attack, model, X, y), out)


@pytest.mark.parametrize("kind, i", INSTANCES)
@FEW
@given(st.data())
def test_order_of_rows_and_batches(kind, i, data):
    attack, case = drawn(kind, i, data, border=False)
    X, y, model = case.X, case.y, case.model
    out = perturbed(attack, model, X, y)
    order = data.draw(st.permutations(range(len(X))))
    if attack.get_params().get("batch_size", 0) != 0:
        attack.set_params(batch_size=data.draw(st.integers(1, len(X))))
    mixed = perturbed(attack, model, X[order], y[order])
    np.testing.assert_allclose(mixed, out[order], rtol=0, atol=1e-9)


LINEAR = [one for one in INSTANCES if one.id not in ("ExactTree-0", "FMN-1")]


@pytest.mark.parametrize("kind, i", LINEAR)
@FEW
@given(st.data())
def test_nothing_fools_more_rows_than_the_exact_attack(kind, i, data):
    attack, case = drawn(kind, i, data)
    X, y, model = case.X, case.y, case.model
    fooled = model.predict(perturbed(attack, model, X, y)) != y
    exact = ExactLinear(attack.eps * (1 + 1e-6), norm=attack.norm, data_range=case.box)
    assert not (fooled & (model.predict(exact.perturb(model, X, y)) == y)).any()


@pytest.mark.parametrize("kind", [FGSM, PGD, BIM, ExactLinear])
@MORE
@given(cases(), st.floats(1e-4, 2), seeds)
def test_the_worst_corner_of_the_box(kind, case, eps, seed):
    attack = kind(eps, data_range=case.box, objective="loss", random_state=seed)
    corner = case.X - eps * case.sign[:, None] * np.sign(case.weights)
    if case.box is not None:
        corner = corner.clip(*case.box)
    found = case.margin(perturbed(attack, case.model, case.X, case.y))
    # Of wrong rows, too, the example that moves the probability most is kept.
    right = case.margin(case.X) > 0
    np.testing.assert_allclose(
        found[right], case.margin(corner)[right], rtol=0, atol=1e-6 * eps
    )


@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2), (1, np.inf)])
@MORE
@given(cases(False))
def test_the_exact_norm_is_the_distance_to_the_plane(norm, dual, case):
    found = ExactLinear(1.0, norm=norm).minimal_norms(case.model, case.X, case.y)
    distance = np.maximum(case.margin(case.X), 0) / np.linalg.norm(case.weights, dual)
    np.testing.assert_allclose(found, distance, rtol=1e-6, atol=1e-8)
    near = DeepFool(norm=norm).minimal_norms(case.model, case.X, case.y)
    np.testing.assert_allclose(near, distance, rtol=0.03, atol=1e-6)


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
@pytest.mark.parametrize("eps", [1e-3, 1.0])
def test_a_right_row_on_the_border_falls(norm, eps):
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    model.coef_, model.intercept_ = np.array([[1.0]]), np.array([-0.5])
    attack = ExactLinear(eps, norm=norm)
    # On it, and on either side of it by a last bit.
    X = np.array([[0.5], [0.5], [np.nextafter(0.5, 0)], [np.nextafter(0.5, 1)]])
    assert attack.minimal_norms(model, X, [0, 1, 0, 1]) == pytest.approx(0, abs=1e-15)
    out = attack.perturb(model, X, [0, 1, 0, 1])
    assert model.predict(out).tolist() == [1, 0, 1, 0]
    # What another sum would call right is put clearly beyond.
    assert (np.sign(out - 0.5).ravel() == [1, -1, 1, -1]).all()
    assert np.array_equal(attack.perturb(model, X + 0.1, [0] * 4), X + 0.1)


@pytest.mark.parametrize("kind", [FGSM, BIM, DeepFool, ExactLinear])
@MORE
@given(cases(), st.floats(1e-3, 1), st.data())
def test_names_of_features_do_not_matter(kind, case, eps, data):
    order = data.draw(st.permutations(range(len(case.weights))))
    attack = kind(eps, data_range=case.box, random_state=0)
    out = perturbed(attack, case.model, case.X, case.y)
    X = case.X[:, order]
    other = Case(case.weights[order], case.offset, X, case.y, case.box)
    found = perturbed(attack, other.model, X, case.y)
    np.testing.assert_allclose(found, out[:, order], rtol=0, atol=1e-9)
