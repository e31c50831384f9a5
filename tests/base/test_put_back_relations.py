"""Rows put back onto relations: exact points, any unit and size, and never outside."""

import numpy as np
import pytest

from skrobust.attacks import Constraints
from skrobust.base.domain import Domain
from skrobust.base.linear_relation import read_relation
from skrobust.base.relations import Relations

NORMS = [np.inf, 2, 1]


def put_back(candidates, clean, **given):
    rules = {"constraints": None, "norm": np.inf, "data_range": None, "caller": "PGD"}
    return Domain(clean, **{**rules, **given}).put_back(candidates, clean)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("size", [2.0**-20, 2.0**-3, 2.0**3, 2.0**20])
@pytest.mark.parametrize(
    "relations",
    [
        ["x0 + 3 * x1 - x2 <= 4 * x3"],
        ["x0 == x1 + x2 - x3"],
        ["x0 + 3 * x1 - x2 <= 4 * x3", "x1 <= 2 * x3", "x2 <= x0 + 4 * x3"],
    ],
    ids=["inequality", "equation", "three"],
)
def test_rows_of_another_size_are_put_back_in_the_same_way(relations, size, norm):
    # A power of two changes no digit of the rows, the ball, and relations without 1.
    rng = np.random.default_rng(0)
    clean = np.repeat(rng.uniform(1, 2, (60, 1)), 4, axis=1)
    candidates = clean + rng.normal(size=clean.shape)
    rules = Constraints(relations=relations)
    expected = put_back(candidates, clean, eps=0.7, norm=norm, constraints=rules)
    found = put_back(
        size * candidates, size * clean, eps=0.7 * size, norm=norm, constraints=rules
    )
    assert (expected != clean).any(axis=1).all()
    np.testing.assert_allclose(found / size, expected, rtol=1e-6)


@pytest.mark.parametrize("box", [None, (-0.1, 0.9)], ids=["free", "box"])
@pytest.mark.parametrize("relation", ["x0 + x1 <= x2 + 0.5", "x0 + x1 - x2 == 0.5"])
def test_projections_onto_relation_ball_and_box_take_turns(relation, box):
    rng, weights = np.random.default_rng(0), np.array([1, 1, -1])
    clean = rng.uniform(0.3, 0.7, (300, 3))
    clean[:, 2] = clean[:, 0] + clean[:, 1] - 0.5 + (0.05 if "<=" in relation else 0)
    candidates = clean + rng.normal(size=clean.shape)
    low, high = (-np.inf, np.inf) if box is None else box
    expected = candidates
    for turn in range(21):
        over = expected @ weights - 0.5
        over = over if "==" in relation else np.maximum(over, 0)
        if turn:
            expected = expected - np.outer(over, weights) / 3
        expected = np.clip(expected, clean - 0.4, clean + 0.4)
        expected = np.clip(expected, low, high)
    over = expected @ weights - 0.5
    over = np.abs(over) if "==" in relation else over
    rests = over < 1e-10
    rules = Constraints(relations=[relation])
    found = put_back(candidates, clean, eps=0.4, data_range=box, constraints=rules)
    assert rests.mean() > 0.2
    np.testing.assert_allclose(found[rests], expected[rests], atol=1e-8)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_rows_are_shortened_to_the_first_inequality_that_they_meet(size):
    a, b, c = (f"{number * size:.7f}" for number in (3, 4, 1))
    texts = [
        f"2 * x0 - x1 <= {a}",
        f"x0 + x1 + x2 <= {b}",
        f"x2 >= -{c}",
        "x1 == x2 + x0",
    ]
    names = {f"x{i}": i for i in range(3)}
    bounds = [one for text in texts for one in read_relation(text, names)]
    weights = np.array([[2, -1, 0], [1, 1, 1], [0, 0, -1]])
    limits = size * np.array([3, 4, 1])
    rng = np.random.default_rng(0)
    clean = size * rng.uniform(-0.5, 0.5, (200, 3))
    clean[:, 1] = clean[:, 0] + clean[:, 2]
    rows = clean + size * rng.normal(size=clean.shape) * [4, 4, 1]
    found = Relations(bounds, clean, None, "PGD").shortened(rows, clean)
    rise, room = (rows - clean) @ weights.T, limits - clean @ weights.T
    share = np.where(rise > room, room / rise, 1).min(axis=1, keepdims=True)
    assert 0.2 < np.mean(share < 1) < 0.9
    np.testing.assert_allclose(found, clean + share * (rows - clean), rtol=1e-9)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("box", [None, (-4e7, 4e7)], ids=["free", "box"])
def test_rows_are_put_back_as_if_each_were_alone(norm, box):
    # Sizes differ, and the greatest rows lie inside already.
    rng = np.random.default_rng(0)
    clean = np.repeat(10.0 ** rng.uniform(-2, 7, (40, 1)), 4, axis=1)
    candidates = clean + rng.normal(size=clean.shape) * (clean < 1e4)
    rules = Constraints(relations=["2 * x0 + x1 == x2 + 2 * x3", "x2 <= x0 + 2 * x3"])
    given = {"eps": 0.7, "norm": norm, "data_range": box, "constraints": rules}
    together = put_back(candidates, clean, **given)
    alone = [
        put_back(candidates[i : i + 1], clean[i : i + 1], **given)[0] for i in range(40)
    ]
    np.testing.assert_allclose(together, alone, rtol=1e-7)


@pytest.mark.parametrize("size", [0.01, 1.0, 1e6])
@pytest.mark.parametrize("weights", [[1, -1], [1, 1, -1], [2, -3, 0.7]], ids=str)
def test_rows_on_the_edge_of_a_relation_slide_along_it(weights, size):
    # The clean row is at the bound already; the nearest point is a closed form.
    rng, n = np.random.default_rng(0), len(weights)
    clean = size * rng.uniform(1, 2, (300, n))
    clean[:, -1] = -clean[:, :-1] @ weights[:-1] / weights[-1]
    slide = size * rng.uniform(-0.2, 0.2, (300, n))
    slide -= np.outer(slide @ weights, weights) / np.dot(weights, weights)
    beyond = size * rng.uniform(0.1, 0.3, (300, 1)) * weights
    text = " + ".join(f"{w} * x{i}" for i, w in enumerate(weights)) + " <= 0"
    rules = Constraints(relations=[text])
    found = put_back(clean + slide + beyond, clean, eps=9 * size, constraints=rules)
    np.testing.assert_allclose(found, clean + slide, atol=1e-10 * size)


@pytest.mark.parametrize("scale", [None, 0.25, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("relation", ["x2 == x0 + x1", ("pair",)], ids=str)
def test_a_total_follows_parts_that_are_whole_in_any_unit(relation, scale):
    rng = np.random.default_rng(0)
    clean = rng.integers(3, 9, (50, 3)).astype(float)
    clean[:, 2] = clean[:, 0] + clean[:, 1]
    if relation == ("pair",):
        relation = (2, lambda rows: rows[:, 0] + rows[:, 1])
    rules = Constraints(integer=[0, 1], relations=[relation])
    rules.scale = None if scale is None else np.full(3, scale)
    candidates = clean + rng.uniform(0.8, 1.2, (50, 2)) @ [[1, 0, 0.7], [0, 1, 0.7]]
    found = put_back(candidates, clean, eps=100.0, constraints=rules)
    assert (found[:, 2] == found[:, 0] + found[:, 1]).all()
    assert (found[:, :2] == np.round(found[:, :2])).all()
    assert (found[:, :2] >= clean[:, :2] + 1).all()


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("limit", ["high", "low", "ball", "none"])
def test_rows_shrink_to_the_limit_that_a_following_feature_crosses(limit, norm):
    # x1 = 2 x0: with x0 moved by 0.5 it moves by 1, and 0.625 is allowed.
    side = -1.0 if limit == "low" else 1.0
    clean, moved = np.array([[0.25, 0.5]] * 3), np.array([0.5, 0.25, 0.125])
    candidates = clean + np.column_stack([side * moved, np.zeros(3)])
    box = {"high": (-9.0, 1.125), "low": (-0.125, 9.0)}.get(limit)
    eps = np.linalg.norm([0.3125, 0.625], norm) if limit == "ball" else 9.0
    if norm == 2 and limit == "ball":
        eps *= 1 + 1e-12  # its length is rounded
    rules = Constraints(relations=[(1, lambda rows: 2 * rows[:, 0])])
    found = put_back(
        candidates, clean, eps=eps, norm=norm, data_range=box, constraints=rules
    )
    share = np.array([1.0 if limit == "none" else 0.625, 1.0, 1.0])
    step = side * (share * moved)[:, None] * [1, 2]
    np.testing.assert_allclose(found, clean + step, rtol=1e-9)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    "relation",
    ["x0 <= x1 + 2", "x2 == x0 + x1", (2, lambda rows: rows[:, 0] + rows[:, 1])],
    ids=["inequality", "equation", "pair"],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_never_leaves_the_ball(relation, norm, dtype):
    rng = np.random.default_rng(0)
    clean = rng.uniform(0.3, 0.9, (400, 3)).astype(dtype)
    clean[:, 2] = clean[:, 0] + clean[:, 1]
    moved = clean + rng.normal(size=clean.shape)
    rules = Constraints(relations=[relation])
    found = put_back(moved, clean, eps=0.1, norm=norm, constraints=rules)
    assert found.dtype == dtype
    step = found.astype(np.float64) - clean.astype(np.float64)
    size = np.linalg.norm(step, norm, axis=1)
    assert (size > 0.05).mean() > 0.5
    assert (size <= 0.1).all()


@pytest.mark.parametrize(
    "relation",
    ["x2 == x0 + x1", (2, lambda rows: rows[:, :2].sum(axis=1))],
    ids=["equation", "pair"],
)
@pytest.mark.parametrize("far", [1, 1e3])
def test_rounding_costs_none_of_the_radius(relation, far):
    # The move keeps the relation, so that shortening it is all there is to do.
    rng = np.random.default_rng(0)
    clean = rng.uniform(-1, 1, (400, 3))
    clean[:, 2] = clean[:, 0] + clean[:, 1]
    move = rng.choice([-1, 1], (400, 2)) * rng.uniform(0.5, 1, (400, 2))
    move = far * move @ [[1, 0, 1], [0, 1, 1]]
    rules = Constraints(relations=[relation])
    found = put_back(clean + move, clean, eps=0.1, norm=2, constraints=rules)
    step = 0.1 * move / np.linalg.norm(move, axis=1, keepdims=True)
    np.testing.assert_allclose(found - clean, step, atol=1e-9)
