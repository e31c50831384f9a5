"""Readers of columns, relations, spreads and attacks of training."""

import datetime

import numpy as np
import pytest

from skrobust.attacks import PGD, Constraints, ExactTree
from skrobust.base.domain import Domain
from skrobust.base.linear_relation import read_relation
from skrobust.base.spread import assumed_units
from skrobust.base.table_change import read_column
from skrobust.base.training_attack import training_attack


def test_products_with_numbers_are_linear():
    [read] = read_relation("2 * a - b / 4 + a * 3 <= 3 * 2 - 1", {"a": 4, "b": 7})
    assert read.weights == {4: 5.0, 7: -0.25}
    assert read.bound == 5.0
    assert not read.is_equal
    with pytest.raises(ValueError, match=r"linear, with <=, >= or =="):
        read_relation("a * b <= 1", {"a": 0, "b": 1})


@pytest.mark.parametrize(
    ("dtype", "error", "is_kept"),
    [(np.float64, 1e-7, False), (np.float64, 1e-11, True), (np.float32, 1e-6, True)],
)
def test_clean_rows_keep_relations_to_the_digits_that_they_have(dtype, error, is_kept):
    X = np.array([[0.3, 0.6, 0.9 * (1 + error)]], dtype=dtype)
    rules = Constraints(relations=["x2 == x0 + x1"])
    given = {"eps": 1, "norm": 2, "data_range": None, "caller": "PGD"}
    if is_kept:
        Domain(X, rules, **given)
    else:
        with pytest.raises(ValueError, match="row 0 breaks a relation"):
            Domain(X, rules, **given)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_spreads_are_compared_whatever_their_unit(unit):
    X = np.random.default_rng(0).normal(size=(40, 3)) * unit
    assert assumed_units(X * [1, 900, 0], 0.1) is None
    assert "'0.1 std'" in assumed_units(X * [1, 2000, 0], 0.1)


@pytest.mark.parametrize("missing", [None, np.nan, np.datetime64("NaT")], ids=str)
def test_missing_dates_are_no_dates(missing):
    column = np.array([datetime.date(2020, 1, 1), missing], dtype=object)
    kind, values = read_column(column)
    assert kind == "dates"
    assert values[0] == np.datetime64("2020-01-01")
    assert np.isnat(values[1])


def test_training_drives_the_loss_up_unless_it_was_told_otherwise():
    assert training_attack(PGD()).objective == "loss"
    told = PGD(objective="misclassification")
    assert training_attack(told).objective == "misclassification"
    assert training_attack(ExactTree()).objective is None  # it knows no loss
    assert told.objective == "misclassification"


def test_training_draws_anew_at_each_place_and_the_same_again():
    attack = PGD(random_state=3)
    seeds = [training_attack(attack, epoch, 0).random_state for epoch in (0, 1, 2, 0)]
    assert len(set(seeds)) == 3
    assert seeds[0] == seeds[3]
    assert attack.random_state == 3
    assert training_attack(PGD(), 0).random_state is None
