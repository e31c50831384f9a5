"""Coded rows of a frame: numbers, indicators, one code of the other cells, and back."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skrobust.attacks import FGSM, PGD, Constraints, HopSkipJump
from skrobust.base.rows_as_numbers import as_numbers, frame_of

LIBRARIES = ["pandas", "polars"]
N = 40
RNG = np.random.default_rng(0)
CELLS = {
    "note": RNG.choice(["good", "bad", "ok"], N),
    "size": RNG.integers(0, 9, N),
    "job": RNG.choice(list("abc"), N),
    "cost": RNG.integers(0, 9, N) + 0.5,
    "income": RNG.normal(size=N),
}
Y = (CELLS["income"] + (CELLS["job"] == "a") > 0).astype(int)
JOBS = {"valid_values": {"job": list("abc")}}


def frame(library):
    return pytest.importorskip(library).DataFrame(CELLS)


def model_of(X):
    parts = [
        ("numbers", "passthrough", ["size", "cost", "income"]),
        ("texts", OneHotEncoder(), ["job", "note"]),
    ]
    return make_pipeline(ColumnTransformer(parts), LogisticRegression()).fit(
        X, Y[: len(X)]
    )


def coded(X, **rules):
    attack = PGD(constraints=Constraints(**rules))
    attack, model, values, back = as_numbers(attack, model_of(X), X)
    return attack, frame_of(model), values, back


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("frozen", [[], ["cost"], ["size", "income"]], ids=str)
def test_a_coded_row_holds_numbers_then_indicators_then_one_code(library, frozen):
    X = frame(library)
    _, known, values, back = coded(X, frozen=frozen, **JOBS)
    free = [name for name in ("size", "cost", "income") if name not in frozen]
    numbers = free + [name for name in ("size", "cost", "income") if name in frozen]
    for place, name in enumerate(numbers):
        assert (values[:, place] == CELLS[name]).all()
    assert [X.columns[place] for place in known.coded] == numbers
    indicators = CELLS["job"][:, None] == np.array(list("abc"))
    assert (values[:, 3:6] == indicators).all()
    assert values.shape == (N, 7)
    kept = [CELLS["note"], *(CELLS[name] for name in frozen)]
    alike = len(set(zip(*(cells.tolist() for cells in kept), strict=True)))
    assert len(np.unique(values[:, -1])) == alike
    # A sum of code and 1 is another number: codes are exact.
    assert (values[:, -1] == np.round(values[:, -1])).all()
    assert (values[:, -1] < 2**53).all()
    decoded = back(values)
    assert type(decoded) is type(X)
    for name in CELLS:
        assert (np.asarray(decoded[name]) == CELLS[name]).all()
        if name in ("note", "job", *frozen):
            assert decoded[name].dtype == X[name].dtype


@pytest.mark.parametrize("library", LIBRARIES)
def test_rows_that_are_learnt_later_are_coded_as_if_they_had_been_there(library):
    X = frame(library)
    _, _, values, _ = coded(X, **JOBS)
    _, known, begun, _ = coded(X[:25], **JOBS)
    later = known.encode(X[25:], "starts")
    assert (np.vstack([begun, later]) == values).all()
    decoded = known.decode(later)
    for name in CELLS:
        assert (np.asarray(decoded[name]) == CELLS[name][25:]).all()


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("integer", [True, ["size"]], ids=str)
def test_whole_numbers_are_asked_of_the_columns_that_may_change(library, integer):
    # Halves in the frozen column "cost" are of no concern.
    X = frame(library)
    rules = Constraints(integer=integer, frozen=["cost", "income"])
    attack = FGSM(2.0, constraints=rules, objective="loss")
    moved = attack.perturb(model_of(X), X, Y)
    assert (np.asarray(moved["cost"]) == CELLS["cost"]).all()
    sizes = np.asarray(moved["size"])
    assert (np.abs(sizes - CELLS["size"]) == 2).all()


@pytest.mark.filterwarnings("ignore:HopSkipJump found no fooling point")
def test_rows_to_begin_from_are_coded_alike_in_both_libraries():
    found = []
    for library in LIBRARIES:
        X = frame(library)
        attack = HopSkipJump(
            2.0, starts=X[10:], n_steps=1, n_directions=5, random_state=0
        )
        attack.constraints = Constraints(costs={"job": 0.3}, **JOBS)
        found.append(attack.perturb(model_of(X), X[:10], Y[:10]))
    for name in CELLS:
        assert (np.asarray(found[0][name]) == np.asarray(found[1][name])).all()
    assert (np.asarray(found[1]["income"]) != CELLS["income"][:10]).any()


def test_the_code_does_not_depend_on_the_order_of_rows():
    X = frame("pandas")
    _, _, values, _ = coded(X, **JOBS)
    order = np.random.default_rng(1).permutation(N)
    _, _, shuffled, _ = coded(X.iloc[order], **JOBS)
    assert (shuffled == values[order]).all()
    pd.testing.assert_frame_equal(X, frame("pandas"))
