"""Relations between features: kept by every attack, and the best move found."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import (
    DDN,
    FGSM,
    PGD,
    AutoPGD,
    Constraints,
    HopSkipJump,
    RandomSearch,
    Square,
)

RNG, N = np.random.default_rng(0), 20
LOW = RNG.uniform(0, 1, N)
HIGH = LOW + RNG.uniform(0, 0.3, N)
X = pd.DataFrame({"low": LOW, "high": HIGH, "total": LOW + HIGH})
Y = (X["total"] + 0.1 * RNG.normal(size=N) > 1.1).to_numpy().astype(int)
MODEL = LogisticRegression(C=10).fit(X, Y)
ORDERED = ["low <= high", "total == low + high"]
WAYS = {
    "text": ORDERED,
    "a pair": ["low <= high", ("total", lambda f: f["low"] + f["high"])],
    "a function": [lambda f: f["low"] <= f["high"], "total == low + high"],
    "a chain": ["-0.0 <= low <= high <= total", "total - high - low == 0"],
}
ATTACKS = [
    PGD(0.2, n_steps=10, random_state=0),
    AutoPGD(0.2, n_steps=10, random_state=0),
    RandomSearch(0.2, n_steps=3, n_candidates=20, random_state=0),
    Square(0.2, n_steps=30, random_state=0),
    HopSkipJump(0.2, n_steps=3, n_directions=20, random_state=0),
    DDN(0.2, n_steps=20),
]


def keeps(frame):
    ordered = (frame["low"] <= frame["high"] + 1e-9).all()
    return (
        ordered and np.abs(frame["total"] - frame["low"] - frame["high"]).max() < 1e-9
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: type(a).__name__)
def test_every_attack_keeps_them_and_still_fools(attack, way):
    attack.constraints = Constraints(relations=WAYS[way])
    result = attack.run(MODEL, X, Y)
    assert keeps(result.X_adv)
    assert (result.norm[result.success] <= attack.eps * (1 + 1e-9)).all()
    assert result.success.mean() > np.mean(MODEL.predict(X) != Y)


def best_move(weights, low, high):
    """The linear programme: most of weights @ move, in the cube, relations kept."""
    moves = linprog(
        -weights,
        A_ub=[[1, -1, 0]],
        b_ub=[high - low],
        A_eq=[[-1, -1, 1]],
        b_eq=[0],
        bounds=[(-0.1, 0.1)] * 3,
    )
    return -moves.fun


def test_gradients_come_near_the_optimum_of_the_linear_programme():
    attack = PGD(
        0.1,
        n_steps=40,
        objective="loss",
        constraints=Constraints(relations=ORDERED),
        random_state=0,
    )
    label = MODEL.predict(X)
    found = attack.perturb(MODEL, X, label)
    rise = MODEL.decision_function(found) - MODEL.decision_function(X)
    rise = np.where(label == 1, -rise, rise)
    sign = np.where(label == 1, -1, 1)
    best = [
        best_move(s * MODEL.coef_[0], a, b)
        for s, a, b in zip(sign, LOW, HIGH, strict=True)
    ]
    share = rise / np.array(best)
    assert share.max() <= 1 + 1e-9
    assert share.min() > 0.95


@pytest.mark.slow
def test_arrays_name_features_by_place():
    rules = Constraints(relations=["x0 <= x1", "x2 == x0 + x1"])
    model = LogisticRegression(C=10).fit(X.to_numpy(), Y)
    found = PGD(0.1, constraints=rules, random_state=0).perturb(model, X.to_numpy(), Y)
    assert keeps(pd.DataFrame(found, columns=X.columns))
    named = PGD(0.1, constraints=Constraints(relations=ORDERED), random_state=0)
    np.testing.assert_array_equal(found, named.perturb(MODEL, X, Y).to_numpy())


def test_whole_numbers_and_a_sum():
    counts = pd.DataFrame({"a": RNG.integers(0, 9, 30), "b": RNG.integers(0, 9, 30)})
    counts["sum"] = counts["a"] + counts["b"]
    y = (counts["sum"] > 8).to_numpy()
    model = LogisticRegression().fit(counts, y)
    rules = Constraints(integer=True, relations=["sum == a + b", "0 <= a", "0 <= b"])
    for attack in (PGD(3.0, random_state=0), RandomSearch(3.0, random_state=0)):
        attack.constraints = rules
        found = attack.perturb(model, counts, y)
        assert (found == found.round()).all(axis=None)
        assert (found["sum"] == found["a"] + found["b"]).all()
        assert found.min(axis=None) >= 0
        assert model.score(found, y) < 0.8 * model.score(counts, y)


def test_spaces_in_names_and_frozen_sides():
    named = X.rename(columns={"low": "lower end", "high": "upper end"})
    model = LogisticRegression(C=10).fit(named, Y)
    rules = Constraints(relations=["`lower end` <= `upper end`"], frozen=["upper end"])
    found = FGSM(0.5, constraints=rules, objective="loss").perturb(model, named, Y)
    assert (found["lower end"] <= named["upper end"]).all()
    assert (found["lower end"] != named["lower end"]).any()


BROKEN = {
    "no rule": (["low"], "must be rules such as"),
    "strict": (["low < high"], "must be rules such as"),
    "curved": (["low * high <= 1"], "must be rules such as"),
    "unknown": (["low <= size"], "'size' is none"),
    "a text": ("low <= high", "a list of rules"),
    "a number": ([3], "must be rules such as"),
    "clean rows break it": (["high <= low"], "row 0 breaks a relation"),
    "one value for all": ([lambda f: [True]], "one value a row"),
    "unknown pair": ([("size", lambda f: f["low"])], "of features of X"),
}


@pytest.mark.parametrize("row", BROKEN)
def test_one_clear_sentence(row):
    relations, sentence = BROKEN[row]
    with pytest.raises(ValueError, match=sentence):
        PGD(constraints=Constraints(relations=relations)).perturb(MODEL, X, Y)
