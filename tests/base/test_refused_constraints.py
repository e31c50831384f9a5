"""Constraints that make no sense are refused by name, in every kind of rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skrobust.attacks import PGD, Constraints, ExactLinear, Square
from skrobust.base.constraint_reader import Reader

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = (X[:, 0] > 0).astype(int)
NAMES = ["a", "b", "c"]
TABLE = pd.DataFrame(X, columns=NAMES)
MIXED = TABLE.assign(note=RNG.choice(["good", "bad"], 30))
STEPS = ColumnTransformer(
    [("numbers", "passthrough", NAMES), ("texts", OneHotEncoder(), ["note"])]
)
ROWS = {
    "array": (LogisticRegression().fit(X, Y), X),
    "frame": (LogisticRegression().fit(TABLE, Y), TABLE),
    "mixed": (make_pipeline(STEPS, LogisticRegression()).fit(MIXED, Y), MIXED),
}


def refused(kind, name, **rules):
    model, rows = ROWS[kind]
    for attack in (PGD(0.1), Square(0.1), ExactLinear(0.1)):
        attack.constraints = Constraints(**rules)
        if kind == "mixed" and isinstance(attack, ExactLinear):
            continue  # such a model is not linear in its rows
        with pytest.raises(ValueError, match=f"'{name}' parameter of Constraints"):
            attack.perturb(model, rows, Y)


@pytest.mark.parametrize("cost", [0, 0.0, -1e-9, -0.5, -2, np.nan, np.inf, "1", True])
@pytest.mark.parametrize("kind", ROWS)
def test_a_change_costs_a_positive_number(kind, cost):
    place = 1 if kind == "array" else "b"
    refused(kind, "costs", costs={place: cost})
    refused(kind, "costs", costs=cost)
    reader = Reader(X, "PGD")
    assert reader.unit(None, [], {1: 4.0}).tolist() == [1.0, 0.25, 1.0]


@pytest.mark.parametrize("wrong", [-1e-9, -1.0, np.nan, np.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("kind", ["array", "frame"])
def test_no_unit_is_negative(kind, place, wrong):
    scale = np.array([1.0, 2.0, 3.0])
    scale[place] = wrong
    refused(kind, "scale", scale=scale)
    refused(kind, "scale", scale=np.full(3, wrong))
    if kind == "frame":
        refused(kind, "scale", scale=dict(zip(NAMES, scale, strict=True)))


@pytest.mark.parametrize("wrong", [5, 0, True, False, 1.5, "a", ["a"], [0]], ids=repr)
@pytest.mark.parametrize("kind", ROWS)
def test_one_hot_lists_groups_of_features(kind, wrong):
    refused(kind, "one_hot", one_hot=wrong)


@pytest.mark.parametrize("wrong", [True, 9, -9, "d", 0.5], ids=repr)
@pytest.mark.parametrize("kind", ROWS)
def test_levels_and_costs_are_those_of_features(kind, wrong):
    refused(kind, "valid_values", valid_values={wrong: [0.0, 1.0]})
    refused(kind, "costs", costs={wrong: 2.0})


@pytest.mark.parametrize("name", ["valid_values", "costs"])
def test_flags_are_no_names_of_the_columns_of_a_small_frame(name):
    frame = pd.DataFrame({"note": list("ab") * 10, "a": np.arange(20.0)})
    parts = [("texts", OneHotEncoder(), ["note"]), ("a", "passthrough", ["a"])]
    model = make_pipeline(ColumnTransformer(parts), LogisticRegression(max_iter=999))
    model.fit(frame, np.arange(20) > 9)
    value = {"valid_values": ["a", "b"], "costs": 2.0}[name]
    rules = Constraints(**{name: {True: value, False: value}})
    with pytest.raises(ValueError, match=f"'{name}' parameter of Constraints"):
        PGD(0.1, constraints=rules).perturb(model, frame)
