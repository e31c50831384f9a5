"""Constraints: closed-form optima where there are some, laws for every attack."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from problems import linear_problem
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from skrobust._containers import to_array
from skrobust.attacks import (
    FGSM,
    PGD,
    ZOO,
    Constraints,
    HopSkipJump,
    RandomSearch,
    Square,
)
from skrobust.base import BaseAttack
from skrobust.base.domain import Domain
from skrobust.testing import check_attack

UNITS = np.array([0.5, 2.0, 1.0, 0.1, 3.0, 1.0])
FAST = [
    FGSM,
    PGD,
    lambda *a, **k: RandomSearch(*a, n_steps=10, **k),
    lambda *a, **k: Square(*a, n_steps=60, **k),
    lambda *a, **k: ZOO(*a, n_steps=15, **k),
    lambda *a, **k: HopSkipJump(*a, **{"norm": 2, "n_steps": 4, **k}),
]

NAMES = ["fgsm", "pgd", "random", "square", "zoo", "hsj"]


def mixed_problem(n=60):
    """Two numbers, a count, a code, and a pair of one-hot columns."""
    rng = np.random.default_rng(0)
    hot = rng.integers(0, 3, size=n)
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.normal(size=n),
            rng.integers(0, 9, size=n),
            rng.choice([1, 2, 5], size=n),
            np.eye(3)[hot],
        ]
    )
    score = X @ np.array([1, -1, 0.3, -0.4, 1, -1, 0.2])
    y = (score > score.mean()).astype(int)
    return RandomForestClassifier(20, random_state=0).fit(X, y), X, y


RULES = Constraints(
    frozen=[1], integer=[2], valid_values={3: [1, 2, 5]}, one_hot=[[4, 5, 6]]
)


@pytest.mark.parametrize("attack", [FGSM, PGD, ZOO, RandomSearch, Square])
@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2)])
def test_closed_form_with_frozen_features_and_units(attack, norm, dual):
    # In units s the decision moves by eps * |s w| in the dual norm, frozen ones out.
    model, X, y = linear_problem()
    rules = Constraints(frozen=[0, 4], scale=UNITS)
    unit = UNITS.copy()
    unit[[0, 4]] = 0
    best = 0.07 * np.linalg.norm(unit * model.coef_[0], dual)
    a = attack(0.07, norm=norm, constraints=rules, objective="loss", random_state=0)
    out = a.perturb(model, X, y)
    assert np.array_equal(out[:, [0, 4]], X[:, [0, 4]])
    moved = np.where(y == 1, -1, 1) * (
        model.decision_function(out) - model.decision_function(X)
    )
    assert (moved <= best * (1 + 1e-9)).all()
    share = 0.97 if attack is Square and norm == 2 else 0.998
    assert (moved >= best * (1 - 1e-6 if attack in (FGSM, PGD) else share)).all()


def test_closed_form_robust_accuracy_with_units_and_box():
    model, X, y = linear_problem()
    sign = np.where(y == 1, -1, 1)[:, None]
    best = np.clip(X + 0.2 * UNITS * sign * np.sign(model.coef_), 0, 1)
    for attack in (FGSM, PGD):
        # A random start may move the probability further the other way.
        start = {"random_start": False} if attack is PGD else {}
        a = attack(
            0.2,
            data_range=(0, 1),
            constraints=Constraints(scale=UNITS),
            objective="loss",
            **start,
        )
        found = model.decision_function(a.perturb(model, X, y))
        assert np.allclose(found, model.decision_function(best))


def test_hop_skip_jump_in_units():
    model, X, y = linear_problem()
    y = model.predict(X)
    rules = Constraints(frozen=[0], scale=UNITS)
    unit = UNITS * (np.arange(6) > 0)
    exact = np.abs(model.decision_function(X)) / np.linalg.norm(unit * model.coef_[0])
    out = HopSkipJump(norm=2, constraints=rules, random_state=0).perturb(model, X, y)
    assert np.array_equal(out[:, 0], X[:, 0])
    size = np.linalg.norm((out - X)[:, 1:] / UNITS[1:], axis=1)
    assert (model.predict(out) != y).all()
    assert (size / exact).min() >= 1 - 1e-9
    assert np.median(size / exact) < 1.02


def test_standard_deviations_are_a_change_of_units():
    # eps in deviations on raw rows is eps on standardised rows.
    _, X, y = linear_problem()
    X = X * [1, 10, 100, 0.1, 1, 5] + 3
    sd = X.std(axis=0)
    model = LogisticRegression(max_iter=9999).fit(X / sd, y)
    raw = LogisticRegression().fit(X / sd, y)
    raw.coef_, raw.intercept_ = model.coef_ / sd, model.intercept_
    for norm in (np.inf, 2):
        a = PGD(0.3, norm=norm, n_steps=10, random_start=False, objective="loss")
        scaled = clone(a).set_params(constraints=Constraints(scale=sd))
        assert np.allclose(scaled.perturb(raw, X, y) / sd, a.perturb(model, X / sd, y))


def held(out, X, eps, norm):
    assert np.array_equal(out[:, 1], X[:, 1])
    assert np.array_equal(out[:, 2], np.round(out[:, 2]))
    assert np.isin(out[:, 3], [1, 2, 5]).all()
    assert np.isin(out[:, 4:], [0, 1]).all()
    assert (out[:, 4:].sum(axis=1) == 1).all()
    assert np.linalg.norm(out - X, norm, axis=1).max() <= eps * (1 + 1e-9)


class Wild(BaseAttack):
    """Returns anything, infinities too."""

    def __init__(
        self,
        eps=1.0,
        norm=np.inf,
        data_range=None,
        constraints=None,
        objective=None,
        random_state=0,
    ):
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.constraints, self.objective = constraints, objective
        self.random_state = random_state

    def _attack(self, estimator, X, y, key):
        out = X + 3 * self.eps * key.generator().normal(size=X.shape)
        out[0] = np.inf
        return out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("norm", [np.inf, 2])
@pytest.mark.parametrize("eps", [0.3, 1.0, 2.3])
def test_every_result_keeps_to_the_constraints(eps, norm, dtype):
    _, X, _ = mixed_problem()
    X = X.astype(dtype)
    for scale in (None, np.array([1, 1, 2, 0.5, 1, 1, 1.0])):
        rules = clone(RULES).set_params(scale=scale)
        box = (X.min(axis=0), X.max(axis=0) + [0, 0, 0.5, 0, 0, 0, 0])
        for data_range in (None, box):
            a = Wild(eps, norm, data_range=data_range, constraints=rules)
            out = a.perturb(None, X)
            unit = 1 if scale is None else scale
            held(out, X, np.inf, norm)
            size = np.linalg.norm((out.astype(float) - X) / unit, norm, axis=1)
            assert size.max() <= eps
            if data_range:
                assert (out >= box[0]).all()
                assert (out <= box[1]).all()
            if eps > 2:
                for places in (2, 3, slice(4, 7)):
                    assert (out[:, places] != X[:, places]).any()


@pytest.mark.parametrize("make", FAST[2:], ids=["random", "square", "zoo", "hsj"])
def test_searches_find_what_is_allowed(make):
    model, X, y = mixed_problem()
    a = make(2.0, constraints=RULES, random_state=0)
    out = a.perturb(model, X, y)
    held(out, X, 2.0, a.norm)
    fooled = model.predict(out) != y
    assert fooled.mean() > 0.3
    assert np.array_equal(out[~fooled], X[~fooled])


@pytest.mark.slow
@pytest.mark.parametrize("norm", [np.inf, 2])
@pytest.mark.parametrize("make", FAST, ids=NAMES)
def test_promises_under_constraints(make, norm):
    rules = Constraints(frozen=np.arange(6) == 2, scale=np.linspace(0.3, 1, 6))
    check_attack(make(0.3, norm=norm, constraints=rules, data_range=(0, 1)))


def test_rounding_prefers_the_nearest_level_and_falls_back_inwards():
    X = np.array([[3.0, 0.0], [3.0, 0.0], [3.0, 0.0]])
    rules = Constraints(integer=[0])
    make = {"data_range": None, "caller": "Test"}
    domain = Domain(X, rules, eps=1.0, norm=2, **make)
    # 3.7 rounds to 4, in the ball alone; with 0.6 beside it the row would leave.
    wanted = np.array([[3.7, 0.0], [3.7, 0.6], [3.3, 0.6]])
    assert domain.put_back(wanted, X).tolist() == [[4, 0], [3, 0.6], [3, 0.6]]
    domain = Domain(
        X, Constraints(valid_values={0: [0, 3, 4.5]}), eps=2.0, norm=np.inf, **make
    )
    wanted = np.array([[4.0, 0.0], [1.0, 0.0], [9.0, 0.0]])
    assert domain.put_back(wanted, X)[:, 0].tolist() == [4.5, 3, 4.5]


def test_what_is_inside_comes_back_bit_for_bit():
    rng = np.random.default_rng(0)
    X = rng.random((200, 5))
    for norm in (np.inf, 2):
        for dtype in (np.float64, np.float32):
            rules = Constraints(scale=rng.random(5))
            settings = {"eps": 0.3, "norm": norm, "data_range": (0, 1)}
            domain = Domain(X.astype(dtype), rules, **settings, caller="Test")
            once = domain.put_back(X + rng.normal(size=X.shape), X.astype(dtype))
            assert np.array_equal(domain.put_back(once, X.astype(dtype)), once)
            assert domain.length(once - X.astype(dtype).astype(float)).max() <= 0.3


def test_names_masks_and_images():
    model, X, y = linear_problem()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    mask = np.array([True, False, False, True, False, False])
    results = []
    model = clone(model).fit(frame, y)
    for frozen in ([0, 3], [-6, -3], mask, ["a", "d"], np.array([0, 3])):
        a = PGD(0.1, n_steps=3, constraints=Constraints(frozen=frozen), random_state=0)
        results.append(a.perturb(model, frame, y).to_numpy())
    assert all(np.array_equal(out, results[0]) for out in results)
    named = Constraints(scale=frame.std(), valid_values={"b": frame["b"]})
    assert named.get_params()["valid_values"]
    out = RandomSearch(1.0, constraints=named, random_state=0).perturb(model, frame, y)
    assert np.isin(out["b"], frame["b"]).all()
    images = np.random.default_rng(0).random((4, 2, 3))
    frozen = np.zeros((2, 3), dtype=bool)
    frozen[0] = True
    out = Wild(0.1, constraints=Constraints(frozen=frozen)).perturb(None, images)
    assert np.array_equal(out[:, 0], images[:, 0])
    assert (out[1:, 1] != images[1:, 1]).all()


def test_everything_frozen_is_no_attack():
    model, X, y = linear_problem()
    for make in FAST:
        a = make(0.3, constraints=Constraints(scale=np.zeros(6)), random_state=0)
        if make is FAST[5]:
            with pytest.warns(UserWarning, match="no fooling point"):
                assert np.array_equal(a.perturb(model, X, y), X)
        else:
            assert np.array_equal(a.perturb(model, X, y), X)


def test_constraints_travel():
    rules = Constraints(frozen=[0], scale=UNITS)
    a = PGD(0.1, constraints=rules)
    assert np.array_equal(clone(a).constraints.scale, UNITS)
    assert pickle.loads(pickle.dumps(a)).constraints.frozen == [0]
    a.set_params(constraints__frozen=[1])
    assert a.constraints.frozen == [1]


X = mixed_problem()[1]
BAD = {
    "what": ({}, "'constraints' parameter of FGSM must be None or Constraints"),
    "frozen": (Constraints(frozen=3), "'frozen' parameter of Constraints"),
    "frozen far": (Constraints(frozen=[7]), "positions below 7"),
    "frozen half": (Constraints(frozen=[0.5]), "'frozen' parameter of Constraints"),
    "frozen mask": (Constraints(frozen=[True]), r"mask of the shape \(7,\)"),
    "names": (Constraints(frozen=["a"]), "column names of the X that FGSM got"),
    "integer": (Constraints(integer=[0]), "must hold whole numbers, and row 0"),
    "integer spec": (Constraints(integer="a"), "'integer' parameter of Constraints"),
    "levels": (Constraints(valid_values=[1]), "'valid_values' parameter"),
    "levels empty": (Constraints(valid_values={3: []}), "'valid_values' parameter"),
    "levels text": (Constraints(valid_values={3: ["a"]}), "'valid_values' parameter"),
    "levels nan": (Constraints(valid_values={3: [1, 2, 5, np.nan]}), "of finite num"),
    "levels inf": (Constraints(valid_values={3: [1, 2, 5, np.inf]}), "of finite n"),
    "levels missed": (Constraints(valid_values={3: [1, 2]}), "the valid_values given"),
    "one hot": (Constraints(one_hot=[[4, 5]]), "must hold one 1 among zeros"),
    "one hot flat": (Constraints(one_hot=[4]), "'one_hot' parameter of Constraints"),
    "scale": (Constraints(scale=-np.ones(7)), "'scale' parameter of Constraints"),
    "scale shape": (Constraints(scale=np.ones(3)), "'scale' parameter of Constraints"),
    "scale text": (Constraints(scale="std"), "'scale' parameter of Constraints"),
    "scale nan": (Constraints(scale=np.full(7, np.nan)), "'scale' parameter"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_constraints(name):
    rules, sentence = BAD[name]
    y = mixed_problem()[2]
    model = LogisticRegression(max_iter=999).fit(X, y)
    with pytest.raises(ValueError, match=sentence):
        FGSM(0.1, constraints=rules).perturb(model, X, y)


def test_deviations_by_column_name():
    model, X, y = linear_problem()
    frame = pd.DataFrame(X, columns=list("abcdef")) * [1, 10, 0.1, 3, 1, 1]
    model = clone(model).fit(frame, y)
    sd = frame.std()
    table = pl.DataFrame(frame.to_numpy(), schema=list("abcdef"))
    wanted = PGD(0.3, constraints=Constraints(scale=sd.to_numpy()), random_state=0)
    wanted = wanted.perturb(model, frame, y).to_numpy()
    assert np.isclose((np.abs(wanted - frame) / sd).max(axis=None), 0.3)
    for scale, rows in (
        (sd, frame),
        (sd[::-1], frame),
        (sd.to_dict(), frame),
        (sd.sort_values().to_dict(), table),
        (table.std().select(list("fedcba")), table),
        (list(sd), table),
        (pd.Series(sd.to_numpy()), frame),
    ):
        a = PGD(0.3, constraints=Constraints(scale=scale), random_state=0)
        fitted = model if rows is frame else clone(model).fit(rows, y)
        assert np.allclose(to_array(a.perturb(fitted, rows, y)), wanted)
    for scale in (sd[:5], sd.rename({"a": "x"}), {"a": 1.0}):
        a = FGSM(0.3, constraints=Constraints(scale=scale))
        with pytest.raises(ValueError, match="must be named like the columns of X"):
            a.perturb(model, frame, y)
    with pytest.raises(ValueError, match=r"give scale=X_train.std\(axis=0\)"):
        FGSM(0.3, constraints=Constraints(scale="std")).perturb(model, frame, y)


@pytest.mark.parametrize("cost", [0.25, 1, 4.0])
@pytest.mark.parametrize("scale", [None, UNITS], ids=["ones", "units"])
@pytest.mark.parametrize("norm", [np.inf, 2])
def test_a_cost_divides_the_unit(norm, scale, cost):
    model, X, y = linear_problem()
    unit = np.ones(6) if scale is None else scale.copy()
    unit[[1, 5]] /= cost
    found = [
        FGSM(0.07, norm=norm, constraints=rules, objective="loss").perturb(model, X, y)
        for rules in (
            Constraints(scale=scale, costs={1: cost, -1: cost}),
            Constraints(scale=unit),
        )
    ]
    np.testing.assert_array_equal(*found)
    # With the norm infinity each feature goes as far as its own unit allows.
    if norm == np.inf:
        np.testing.assert_allclose(
            np.abs(found[0] - X), np.tile(0.07 * unit, (len(X), 1))
        )


def test_results_are_in_the_units_of_eps():
    model, X, y = linear_problem()
    rules = Constraints(frozen=[0], scale=UNITS)
    for a in (PGD(0.1, constraints=rules), RandomSearch(0.1, constraints=rules)):
        result = a.run(model, X, y)
        size = np.abs((result.X_adv - X) / UNITS).max(axis=1)
        assert np.allclose(result.norm[result.success], size[result.success])
        assert result.norm[result.success].max() <= 0.1
