"""Relations that are read from text say of any row what Python says of the text."""

import numpy as np
import pytest

from skrobust.attacks import Constraints
from skrobust.base.domain import Domain
from skrobust.base.linear_relation import read_relation

NAMES = {"a": 0, "b": 1, "c": 2}
TEXTS = [
    "a <= b",
    "a >= b",
    "a - b >= c - 2",
    "-a <= b",
    "a >= -b",
    "-(a - 2 * b) + c <= -1.5",
    "2 * a + b * 3 >= 6 - c / 4",
    "-(-(a)) - -b <= 3 * -(c - 1)",
    "a <= b <= c",
    "c >= b >= a",
    "-2 <= a - b <= 2 >= c",
]


@pytest.mark.parametrize("text", TEXTS)
def test_inequalities_hold_where_their_text_does(text):
    rows = np.random.default_rng(0).uniform(-3, 3, (300, 3))
    kept = np.ones(len(rows), dtype=bool)
    for one in read_relation(text, NAMES):
        weights = np.zeros(3)
        for place, weight in one.weights.items():
            weights[place] = weight
        kept &= rows @ weights <= one.bound
        assert not one.is_equal
    names = [dict(zip(NAMES, row, strict=True)) for row in rows.tolist()]
    expected = [eval(text, {}, row) for row in names]
    assert 0 < np.sum(expected) < len(rows)
    assert kept.tolist() == expected


@pytest.mark.parametrize(
    ("text", "value_of_c"),
    [
        ("c == a + b", lambda a, b: a + b),
        ("-a - b == -c", lambda a, b: a + b),
        ("-(c - a) == 2 * b - 4", lambda a, b: a - 2 * b + 4),
        ("a / 2 - c == -b * 3 + 1", lambda a, b: a / 2 + 3 * b - 1),
    ],
)
def test_equations_hold_where_their_text_does(text, value_of_c):
    [one] = read_relation(text, NAMES)
    a, b = np.random.default_rng(0).uniform(-3, 3, (2, 50))
    rows = np.column_stack([a, b, value_of_c(a, b)])
    assert one.is_equal
    weights = np.array([one.weights[place] for place in range(3)])
    np.testing.assert_allclose(rows @ weights, one.bound, atol=1e-12)
    assert (weights != 0).all()


@pytest.mark.parametrize(
    "texts",
    [
        ("x0 <= x1 - 0.5", "x1 - 0.5 >= x0"),
        ("-x0 >= -1", "x0 <= 1"),
        ("x0 + x1 <= 1", "1 >= x1 + x0"),
    ],
    ids=str,
)
def test_a_relation_and_its_mirror_image_put_rows_back_alike(texts):
    rng = np.random.default_rng(0)
    clean = np.column_stack([rng.uniform(0, 0.2, 30), rng.uniform(0.7, 0.8, 30)])
    moved = clean + rng.normal(size=clean.shape)
    ball = {"eps": 0.6, "norm": np.inf, "data_range": None, "caller": "PGD"}
    one, other = (
        Domain(clean, Constraints(relations=[text]), **ball).put_back(moved, clean)
        for text in texts
    )
    np.testing.assert_allclose(one, other, atol=1e-12)
    assert (one != clean).any(axis=1).all()


@pytest.mark.parametrize(
    "text",
    [
        "a == 2 * b",
        "2 * b == a",
        "a == a / 2 + b",
        "a == 3 * a - 4 * b",
        "b == a / 2",
        "a - b == b",
        "2 * a == 4 * b",
    ],
)
def test_equations_that_say_the_same_put_rows_back_alike(text):
    rng = np.random.default_rng(0)
    clean = rng.uniform(1, 2, (60, 3))
    clean[:, 0] = 2 * clean[:, 1]
    moved = clean + rng.normal(size=clean.shape)
    given = {"eps": 0.7, "norm": 2, "data_range": None, "caller": "PGD"}

    def put_back(text):
        rules = Constraints(relations=[text]).by_position(NAMES)
        return Domain(clean, rules, **given).put_back(moved, clean)

    found = put_back(text)
    assert (found != clean).any(axis=1).all()
    assert found[:, 0] == pytest.approx(2 * found[:, 1])
    np.testing.assert_allclose(found, put_back("0 == a - 2 * b"), atol=1e-8)


@pytest.mark.parametrize("text", ["a == a + b", "a == a - b", "a + b == a"])
def test_a_feature_on_both_sides_says_nothing_of_itself(text):
    [read] = read_relation(text, NAMES)
    assert set(read.weights) == {1}
    assert read.given is None
    clean = np.random.default_rng(0).uniform(1, 2, (20, 3)) * [1, 0, 1]
    rules = Constraints(relations=[text]).by_position(NAMES)
    given = {"eps": 0.7, "norm": np.inf, "data_range": None, "caller": "PGD"}
    found = Domain(clean, rules, **given).put_back(clean + 0.5, clean)
    np.testing.assert_allclose(found, clean + [0.5, 0, 0.5], atol=1e-9)
    [read] = read_relation("a == a", NAMES)
    assert read.weights == {}
    assert read.given is None
