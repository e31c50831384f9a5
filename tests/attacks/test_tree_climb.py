"""Sums of groups of boxes: climbed to where no feature helps, and what is proven."""

import itertools

import numpy as np
import pytest

from skrobust.attacks.trees.box_climb import climb
from skrobust.attacks.trees.box_groups import Groups
from skrobust.attacks.trees.tree_questions import Extreme, Row
from skrobust.attacks.trees.tree_search import _Task, search

N_CELLS = 6


def sum_of_trees(seed, n_features=3, n_trees=4, unused=(0,)):
    """Return trees of cells, each cut at places of some features, as groups."""
    rng = np.random.default_rng(seed)
    used = [f for f in range(n_features) if f not in unused]
    low, high, value, first = [], [], [], []
    for _ in range(n_trees):
        first.append(len(low))
        parts = []
        for f in range(n_features):
            cut = int(rng.integers(N_CELLS - 1)) if f in used else N_CELLS - 1
            parts.append([(0, cut), (cut + 1, N_CELLS - 1)][: 1 + (f in used)])
        for box in itertools.product(*parts):
            low.append([begin for begin, _ in box])
            high.append([end for _, end in box])
            value.append([rng.normal()])
    whole = np.zeros(n_features, dtype=int), np.full(n_features, N_CELLS - 1)
    return Groups(
        np.array(low), np.array(high), np.array(value), np.array(first),
        np.array([0.5]), np.arange(n_features), whole,
    )  # fmt: skip


def value_at(part, point):
    inside = ((part.low <= point) & (point <= part.high)).all(axis=1)
    assert inside.sum() == len(part.first)
    return part.constant[0] + part.value[inside].sum()


@pytest.mark.parametrize("unused", [(), (0,), (1,), (2,), (0, 1)])
@pytest.mark.parametrize("seed", range(4))
def test_a_climb_ends_where_no_value_of_one_feature_is_better(seed, unused):
    part = sum_of_trees(seed, unused=unused)
    start = np.random.default_rng(seed).integers(0, N_CELLS, 3)
    begun = value_at(part, start)
    (low, high), found = climb(part, start.copy())
    assert (low <= high).all()
    for point in itertools.product(*map(range, low, high + 1)):
        assert value_at(part, point) == pytest.approx(found)
    for f, cell in itertools.product(range(3), range(N_CELLS)):
        point = low.copy()
        point[f] = cell
        assert value_at(part, point) <= found + 1e-9
    assert found >= begun - 1e-9


@pytest.mark.parametrize("n_stairs", [1, 5, 12])
def test_a_stair_of_twelve_steps_is_climbed_to_its_top(n_stairs):
    # Each round finds one step up in each of two features, and no other way.
    stairs = np.arange(2 * n_stairs + 1)
    corners = np.column_stack([(stairs + 1) // 2, stairs // 2])
    whole = np.zeros(2, dtype=int), np.full(2, n_stairs)
    part = Groups(
        corners, corners, stairs[:, None] * 1.0, np.array([0]), np.array([0.5]),
        np.arange(2), whole,
    )  # fmt: skip
    (low, high), found = climb(part, np.zeros(2, dtype=int))
    assert low.tolist() == high.tolist() == [n_stairs, n_stairs]
    assert found == 2 * n_stairs + 0.5


@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_highest_sum_is_that_of_enumeration(seed, shift):
    part = sum_of_trees(seed, unused=())
    part.value[:] += shift  # all sums below 0, around it, above it
    points = itertools.product(range(N_CELLS), repeat=3)
    best = max(value_at(part, np.array(point)) for point in points)
    found = search(part, floor=-np.inf, budget=500, aim="highest")
    assert found.is_done
    assert found.value == pytest.approx(best)
    assert found.bound == pytest.approx(best)
    assert value_at(part, found.box[0]) == pytest.approx(best)


@pytest.mark.parametrize("aim", ["highest", "nearest"])
@pytest.mark.parametrize("left", [3.0, 5.0, 7.0])
def test_what_was_found_is_proven_where_no_part_that_is_left_is_better(left, aim):
    task = _Task(-np.inf, aim, None, None, np.inf)
    task.box, task.value, task.length = (np.zeros(1), np.zeros(1)), 5.0, 5.0
    bound, way = (left, 0.0) if aim == "highest" else (9.0, left)
    task.heap = [((0.0, 0.0), 1, bound, way, None)]
    found = task.result(4)
    better = left > 5 if aim == "highest" else left < 5
    assert found.is_done == (not better)
    assert found.n_opened == 4
    if aim == "highest":
        assert found.bound == max(left, 5.0)
    else:
        assert found.near == min(left, 5.0)
    task.heap = []
    assert task.result(4).is_done


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_bound_is_met_up_to_the_last_digits_of_the_sum(size, sign):
    value, digit = sign * size, 1e-9 * max(1.0, size)
    assert Extreme(None, value, value).is_met
    assert Extreme(None, value, value + 0.5 * digit).is_met
    assert not Extreme(None, value, value + 2 * digit).is_met


def test_radii_are_doubled_up_to_the_longest_way():
    row = Row(None, 0, np.array([0.0, 3.2, np.inf, 6.4, 0.1]))
    expected = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, np.inf]
    assert row._radii(np.inf) == pytest.approx(expected)
    assert row._radii(0.3) == [0.3]
