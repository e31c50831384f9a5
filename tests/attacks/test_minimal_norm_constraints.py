"""Attacks of minimal norm under constraints: closed forms, all rows that there are."""

import numpy as np
import pandas as pd
import pytest
from problems import grid_problem, linear_problem
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust._norms import length, reach_plane
from skrobust.attacks import DDN, FAB, FMN, CarliniWagner, Constraints, DeepFool
from skrobust.testing import check_attack

DUAL = {np.inf: 1, 2: 2, 1: np.inf}
UNITS = np.array([0.5, 2.0, 1.0, 0.1, 3.0, 1.0])
MINIMAL = [
    (DDN(), 1e-6),
    (FMN(norm=2), 1e-6),
    (FMN(norm=np.inf), 1e-6),
    (FMN(norm=1), 1e-6),
    (DeepFool(norm=2), 0.02 + 1e-6),
    (DeepFool(norm=np.inf), 0.02 + 1e-6),
    (FAB(norm=2, n_steps=30), 1e-6),
    (FAB(n_steps=30), 1e-6),
    (FAB(norm=1, n_steps=30), 1e-6),
    (CarliniWagner(), 2e-3),
    (CarliniWagner(norm=np.inf), 0.02),
]
ATTACKS = [a for a, _ in MINIMAL]


@pytest.mark.parametrize("a, slack", MINIMAL, ids=str)
def test_closed_form_with_frozen_features_and_units(a, slack):
    # |f(x)| / |s w| in the dual norm, where frozen features have the unit 0.
    model, X, y = linear_problem()
    y = model.predict(X)
    unit = UNITS * (np.arange(6) != 2)
    exact = np.abs(model.decision_function(X))
    exact = exact / np.linalg.norm(unit * model.coef_[0], DUAL[a.norm])
    a = clone(a).set_params(constraints=Constraints(frozen=[2], scale=UNITS))
    found = a.minimal_norms(model, X, y)
    assert (found >= exact * (1 - 1e-9)).all()
    assert (found <= exact * (1 + slack)).all()
    out = a.perturb(model, X, y)
    assert np.array_equal(out[:, 2], X[:, 2])
    assert (model.predict(out) != y).all()
    size = length(np.delete((out - X) / UNITS, 2, axis=1), a.norm)
    assert np.allclose(size, found)


@pytest.mark.parametrize("a, slack", MINIMAL, ids=str)
def test_closed_form_with_units_in_a_box(a, slack):
    model, X, _ = linear_problem()
    X = np.round(2 * X) / 2  # many values on the bounds
    y, missing = model.predict(X), np.abs(model.decision_function(X))
    frozen = np.argsort(np.abs(model.coef_[0]))[-3:]
    unit = UNITS.copy()
    unit[frozen] = 0
    normal = np.where(y == 0, 1, -1)[:, None] * model.coef_ * unit
    safe = np.where(unit > 0, unit, 1)
    step = reach_plane(normal, missing, a.norm, -X / safe, (1 - X) / safe)
    possible = (normal * step).sum(axis=1) >= missing * (1 - 1e-9)
    a = clone(a).set_params(
        constraints=Constraints(frozen=frozen, scale=UNITS), data_range=(0, 1)
    )
    found, exact = a.minimal_norms(model, X, y), length(step, a.norm)
    assert 0 < possible.sum() < len(X)
    assert np.isinf(found[~possible]).all()
    assert (found[possible] >= exact[possible] * (1 - 1e-9)).all()
    ratio = found[possible] / exact[possible]
    # Near the corners of the box some do not get there, or not quite.
    assert np.median(ratio) <= 1 + slack + 1e-3
    assert (ratio <= 1.03).mean() > 0.95


@pytest.mark.parametrize("a", ATTACKS, ids=str)
def test_deviations_are_a_change_of_units(a):
    _, X, y = linear_problem(n=60)
    X = X * [1, 10, 100, 0.1, 1, 5] + 3
    sd = X.std(axis=0)
    model = SVC(gamma=0.05).fit(X / sd, y)
    raw = make_pipeline(StandardScaler(with_mean=False), SVC(gamma=0.05)).fit(X, y)
    box = np.array([X.min(axis=0), X.max(axis=0)])
    plain = clone(a).set_params(data_range=box / sd).minimal_norms(model, X / sd)
    scaled = clone(a).set_params(data_range=box, constraints=Constraints(scale=sd))
    assert np.isfinite(plain).all()
    # Adam follows signs, which rounding may turn.
    rtol = 0.05 if isinstance(a, CarliniWagner) else 1e-3
    assert np.allclose(scaled.minimal_norms(raw, X), plain, rtol=rtol)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("a", ATTACKS, ids=str)
def test_rounded_examples_against_all_rows_that_there_are(a, dtype):
    model, X, rules, every, box = grid_problem()
    X = X.astype(dtype)
    y, labels = model.predict(X), model.predict(every)
    gaps = length((every[None] - X[:, None]).reshape(-1, 6), a.norm)
    gaps = gaps.reshape(len(X), len(every))
    exact = np.where(labels != y[:, None], gaps, np.inf).min(axis=1)
    a = clone(a).set_params(constraints=rules, data_range=box)
    out = a.perturb(model, X, y)
    # Only rows that exist, and fooled as they are, or as they came.
    assert (out[:, None] == every).all(axis=2).any(axis=1).all()
    fooled = model.predict(out) != y
    assert np.array_equal(out[~fooled], X[~fooled])
    assert fooled.mean() > 0.9
    found = a.minimal_norms(model, X, y)
    assert (found >= exact * (1 - 1e-6)).all()
    assert np.median(found[fooled] / exact[fooled]) < 1.3
    assert np.array_equal(np.isfinite(found), fooled)


@pytest.mark.parametrize("objective", ["minimal", "loss", "probability_shift"])
@pytest.mark.parametrize("a", ATTACKS, ids=str)
def test_other_objectives_stay_on_the_rows_that_there_are(a, objective):
    model, X, rules, every, box = grid_problem()
    a = clone(a).set_params(
        constraints=rules, data_range=box, eps=2.0, objective=objective
    )
    out = a.perturb(model, X)
    assert (out[:, None] == every).all(axis=2).any(axis=1).all()
    assert (length(out - X, a.norm) <= 2).all()
    assert (out != X).any(axis=1).mean() > 0.5


@pytest.mark.parametrize("a", ATTACKS, ids=str)
def test_promises_under_constraints(a):
    rules = Constraints(frozen=np.arange(6) == 2, scale=np.linspace(0.3, 1, 6))
    check_attack(clone(a).set_params(eps=0.5, constraints=rules, data_range=(0, 1)))


@pytest.mark.parametrize("a", ATTACKS, ids=str)
def test_all_frozen_is_a_failure(a):
    model, X, y = linear_problem(n=20)
    y = model.predict(X)
    a = clone(a).set_params(constraints=Constraints(scale=np.zeros(6)))
    assert np.array_equal(a.perturb(model, X, y), X)
    assert np.isinf(a.minimal_norms(model, X, y)).all()


def test_names_of_frames():
    model, X, y = linear_problem()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    named = clone(model).fit(frame, y)
    found = [
        DDN(constraints=Constraints(frozen=frozen, scale=UNITS)).minimal_norms(m, rows)
        for m, rows, frozen in ((named, frame, ["b"]), (model, X, [1]))
    ]
    assert np.allclose(*found)


def test_changed_features_are_counted_without_the_frozen_ones():
    model, X, y = linear_problem()
    y = model.predict(X)
    a = FMN(norm=0, data_range=(0, 1), constraints=Constraints(frozen=[0, 3]))
    out = a.perturb(model, X, y)
    assert np.array_equal(out[:, [0, 3]], X[:, [0, 3]])
    counts = a.minimal_norms(model, X, y)
    moved = (out != X).sum(axis=1)
    assert np.array_equal(counts[np.isfinite(counts)], moved[np.isfinite(counts)])


@pytest.mark.parametrize("a", ATTACKS, ids=str)
def test_the_model_has_the_last_word(a):
    # On the boundary a kernel machine rounds otherwise than any other sum of kernels.
    _, X, y = linear_problem(n=60)
    X = X / X.std(axis=0)
    model = SVC(gamma=0.05).fit(X, y)
    y = model.predict(X)
    assert (model.predict(clone(a).perturb(model, X, y)) != y).all()


def distances_to_class(model, X, target, free):
    """Return how far each row is from a class of a linear model, by its faces."""
    others = [k for k in model.classes_ if k != target]
    normal = (model.coef_[target] - model.coef_[others])[:, free]
    scores = model.decision_function(X)
    gap = scores[:, [target]] - scores[:, others]
    out = np.where((gap >= 0).all(axis=1), 0.0, np.inf)
    for faces in ([0], [1], [0, 1]):
        steps = -gap[:, faces] @ np.linalg.pinv(normal[faces]).T
        reached = (gap + steps @ normal.T >= -1e-9).all(axis=1)
        size = np.linalg.norm(steps, axis=1)
        out = np.where(reached, np.minimum(out, size), out)
    return out


@pytest.mark.parametrize("n_steps", [30, 100, 500])
def test_fmn_reaches_a_narrow_target_with_any_number_of_steps(n_steps, iris):
    # The radius must not grow from step to step: more steps find no less.
    model, X, y = iris
    attack = FMN(
        norm=2, target=1, n_steps=n_steps, constraints=Constraints(frozen=[0, 1])
    )
    norms = attack.minimal_norms(model, X, y)
    assert norms.mean() < 1.3 * distances_to_class(model, X, 1, [2, 3]).mean()
