"""Which rows lie in a domain: the answer of the definition, whatever the candidates."""

import numpy as np
import pytest

from skrobust.attacks import Constraints
from skrobust.base import BaseAttack
from skrobust.base.domain import Domain
from skrobust.base.relations import Relations

NORMS = [np.inf, 2, 1, 0]
BOXES = {
    "none": None,
    "numbers": (0.0, 1.0),
    "a number below": (0.0, np.array([0.8, 1.0, 1.0, 0.9])),
    "a number above": (np.array([0.1, 0.0, 0.0, 0.2]), 1.0),
    "rows": (np.array([0.1, 0.0, 0.0, 0.2]), np.array([0.8, 1.0, 1.0, 0.9])),
}


def domain(values, **given):
    rules = {"constraints": None, "norm": np.inf, "data_range": None, "caller": "PGD"}
    return Domain(values, **{**rules, **given})


def lies_inside(rows, clean, eps, norm, box):
    low, high = (-np.inf, np.inf) if box is None else box
    delta = rows - clean
    size = (delta != 0).sum(axis=1) if norm == 0 else np.linalg.norm(delta, norm, 1)
    return (size <= eps) & ((rows >= low) & (rows <= high)).all(axis=1)


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("norm", NORMS)
def test_rows_inside_stay_bit_for_bit_and_others_come_inside(norm, box):
    rng, box = np.random.default_rng(0), BOXES[box]
    clean = rng.uniform(0.25, 0.75, (400, 4))
    eps = 2 if norm == 0 else 0.4
    moved = rng.random(clean.shape) < rng.choice([0.25, 0.5, 1], (400, 1))
    candidates = clean + moved * rng.normal(scale=0.3, size=clean.shape)
    inside = lies_inside(candidates, clean, eps, norm, box)
    assert 20 < inside.sum() < 380
    found = domain(clean, eps=eps, norm=norm, data_range=box).put_back(
        candidates, clean
    )
    assert (found[inside] == candidates[inside]).all()
    assert lies_inside(found, clean, eps, norm, box).all()
    assert (found[~inside] != candidates[~inside]).any(axis=1).all()


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("box", ["none", "numbers", "rows"])
@pytest.mark.parametrize("norm", NORMS)
def test_what_is_not_finite_never_comes_back(norm, box, odd):
    clean = np.full((3, 4), 0.5)
    candidates = clean.copy()
    candidates[0, 2] = odd  # the other features are fine
    candidates[1] = odd
    candidates[2, 0] = 0.6
    space = domain(clean, eps=1, norm=norm, data_range=BOXES[box])
    found = space.put_back(candidates, clean)
    assert (found[:2] == clean[:2]).all()
    assert (found[2] == candidates[2]).all()


@pytest.mark.parametrize("shape", [(3, 1), (3, 4), (2, 2), (3, 2, 1), (1, 2)])
def test_an_attack_of_your_own_keeps_the_shape(shape):
    class Reshaping(BaseAttack):
        eps, norm, data_range, objective, random_state = 0.1, np.inf, None, None, 0

        def _attack(self, estimator, X, y, key):
            return np.zeros(shape)

    class Model:
        classes_ = np.array([0, 1])

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    with pytest.raises(ValueError, match=r"Reshaping._attack must keep the shape"):
        Reshaping().perturb(Model(), np.zeros((3, 2)), np.zeros(3, dtype=int))


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("relation", ["x3 == x0 + x1 + x2", "x0 + x1 + x2 <= x3"])
def test_a_sum_in_the_precision_of_the_input_is_kept_at_any_size(relation, dtype, size):
    rng = np.random.default_rng(0)
    clean = (size * rng.uniform(1, 2, (500, 4))).astype(dtype)
    clean[:, 3] = clean[:, 0] + clean[:, 1] + clean[:, 2]  # rounded
    rules = Constraints(relations=[relation])
    space = domain(clean, eps=0.5 * size, constraints=rules)
    found = space.put_back(clean.copy(), clean)
    np.testing.assert_allclose(found, clean, rtol=1e-6)
    broken = clean.copy()
    broken[7, 3] -= dtype(max(1e-2 * size, 1e-3))
    with pytest.raises(ValueError, match="row 7 breaks a relation"):
        domain(broken, eps=0.5 * size, constraints=rules)


@pytest.mark.parametrize("place", [-1, 4, 1.0, "x9"])
def test_a_derived_feature_is_one_of_those_of_x(place):
    rules = [(place, lambda rows: rows[:, 0])]
    with pytest.raises(ValueError, match="'relations' parameter of Constraints"):
        Relations(rules, np.zeros((2, 4)), None, "PGD")


@pytest.mark.parametrize("frozen", [0, 1, 2])
def test_frozen_features_stay_where_an_equation_gives_one_of_them(frozen):
    rng = np.random.default_rng(0)
    clean = rng.uniform(0.2, 0.4, (40, 3))
    clean[:, 2] = clean[:, 0] + clean[:, 1]
    rules = Constraints(relations=["x2 == x0 + x1"], frozen=[frozen])
    space = domain(clean, eps=0.2, constraints=rules)
    found = space.put_back(clean + 0.3 * rng.normal(size=clean.shape), clean)
    assert (found[:, frozen] == clean[:, frozen]).all()
    assert np.abs(found[:, 0] + found[:, 1] - found[:, 2]).max() < 1e-8
    # Two features that move against, or with, each other are free to do so.
    assert (np.abs(found - clean).max(axis=1) >= 0.01).mean() > 0.7
