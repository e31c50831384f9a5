"""Rows put back into ball, box and relations: near, never outside, and no others."""

import numpy as np
import pytest

from skrobust.attacks import Constraints
from skrobust.base.domain import Domain

NORMS = [np.inf, 2, 1]


def domain(values, **given):
    ball = {"constraints": None, "norm": np.inf, "data_range": None, "caller": "PGD"}
    return Domain(values, **{**ball, **given})


@pytest.mark.parametrize("norm", NORMS)
def test_only_the_rows_outside_are_put_back(norm):
    rng = np.random.default_rng(0)
    clean = rng.normal(size=(8, 3))
    step = rng.normal(size=(8, 3))
    step /= np.linalg.norm(step, norm, axis=1, keepdims=True)
    long = np.array([0.2, 5, 0.1, 7, 0.3, 0.2, 9, 4])  # some within 0.5, the last not
    candidates = clean + long[:, None] * step
    found = domain(clean, eps=0.5, norm=norm).put_back(candidates, clean)
    inside = long < 0.5
    assert (found[inside] == candidates[inside]).all()
    size = np.linalg.norm(found - clean, norm, axis=1)
    assert size[~inside] == pytest.approx(0.5)
    assert (size <= 0.5).all()


@pytest.mark.parametrize("outside", [[0], [99], [3, 50, 98]])
def test_any_of_many_wide_rows_is_put_back(outside):
    clean = np.zeros((100, 40_000), dtype=np.float32)  # worked on a few at a time
    candidates = clean.copy()
    candidates[:, 7] = 0.1
    candidates[outside, 5] = 3
    found = domain(clean, eps=0.5).put_back(candidates, clean)
    assert (found[outside, 5] == 0.5).all()
    found[outside, 5] = 3
    assert (found == candidates).all()


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("far", [10, 1e3, 1e6])
def test_candidates_from_far_away_use_the_whole_radius(norm, far):
    rng = np.random.default_rng(0)
    clean = rng.normal(size=(50, 20))
    step = rng.normal(size=(50, 20)) * 10.0 ** rng.uniform(-3, 3, 20)
    found = domain(clean, eps=0.3, norm=norm).put_back(clean + far * step, clean)
    size = np.linalg.norm(found - clean, norm, axis=1)
    assert (size <= 0.3).all()
    assert size == pytest.approx(0.3, rel=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_rounding_gives_away_no_more_than_it_must(dtype):
    # Of one feature the best row is known: the greatest number of the precision.
    clean = np.random.default_rng(0).uniform(0.5, 2, (200, 1)).astype(dtype)
    found = domain(clean, eps=0.1).put_back(clean + dtype(1), clean)
    exact = clean.astype(np.float64)
    beyond = np.nextafter(found, dtype(np.inf)).astype(np.float64)
    assert found.dtype == dtype
    assert (found.astype(np.float64) - exact <= 0.1).all()
    assert (beyond - exact > 0.1).all()


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("relation", ["x2 == x0 + x1", "x0 + x1 <= x2"])
def test_relations_hold_in_the_box_and_in_the_ball(relation, norm):
    rng = np.random.default_rng(0)
    clean = rng.uniform(0.1, 0.34, (50, 3))
    clean[:, 2] = clean[:, 0] + clean[:, 1]
    rules = Constraints(relations=[relation])
    box = np.array([0.05, 0.0, 0.1]), np.array([0.45, 0.5, 0.7])
    inside = domain(clean, eps=0.3, norm=norm, data_range=box, constraints=rules)
    candidates = clean + 0.3 * rng.normal(size=clean.shape)
    found = inside.put_back(candidates, clean)
    over = found[:, 0] + found[:, 1] - found[:, 2]
    assert (np.abs(over) if "==" in relation else over).max() <= 1e-8
    assert ((found >= box[0]) & (found <= box[1])).all()
    assert (inside.distance(found, clean) <= 0.3).all()
    assert (inside.distance(found, clean) > 0.01).mean() > 0.5  # they still move
