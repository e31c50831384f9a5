"""Attacks of minimal norm on linear models: closed forms, budgets, laws, bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from problems import digit_rows, linear_problem
from scipy.optimize import linprog, minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust._norms import (
    dual_length,
    l1_step_in_box,
    length,
    project,
    project_in_box,
    reach_plane,
    steepest,
)
from skrobust.attacks import (
    BIM,
    DDN,
    FAB,
    FGSM,
    FMN,
    PGD,
    CarliniWagner,
    DeepFool,
    MomentumPGD,
)
from skrobust.evaluation import evaluate_attack
from skrobust.metrics import make_robust_scorer, robust_ratio_score
from skrobust.testing import check_attack

DUAL = {np.inf: 1, 2: 2, 1: np.inf}
# Attack, and by how much its norm may exceed the optimum on a linear model.
MINIMAL = [
    (DDN(), 1e-9),
    (FMN(norm=2), 1e-9),
    (FMN(norm=np.inf), 1e-9),
    (FMN(norm=1), 1e-9),
    (DeepFool(norm=2), 0.02 + 1e-9),
    (DeepFool(norm=np.inf), 0.02 + 1e-9),
    (DeepFool(norm=1), 0.02 + 1e-9),
    (FAB(norm=2, n_steps=30), 1e-9),
    (FAB(n_steps=30), 1e-9),
    (FAB(norm=1, n_steps=30), 1e-9),
    (CarliniWagner(), 2e-3),
    (CarliniWagner(norm=np.inf), 0.04),
]
ATTACKS = [a for a, _ in MINIMAL]


def margins(model, X, y):
    """Return scores and weights of each other class minus those of the true one."""
    weights, offset = model.coef_, model.intercept_
    if len(weights) == 1:
        weights = np.vstack([0 * weights, weights])
        offset = np.r_[0, offset]
    own = np.searchsorted(model.classes_, y)
    scores = X @ weights.T + offset
    gap = scores - scores[np.arange(len(X)), own][:, None]
    slopes = weights[None] - weights[own][:, None]
    gap[np.arange(len(X)), own] = -np.inf
    return gap, slopes


def exact_norms(model, X, y, norm, box=None):
    """Return the exact minimal norm: the nearest plane of any class, in the box."""
    gap, slopes = margins(model, X, y)
    best = np.full(len(X), np.inf)
    for k in range(gap.shape[1]):
        rows = np.flatnonzero(np.isfinite(gap[:, k]))
        missing = np.clip(-gap[rows, k], 0, None)
        bounds = (None, None)
        if box is not None:
            bounds = (box[0] - X[rows], box[1] - X[rows])
        step = reach_plane(slopes[rows, k], missing, norm, *bounds)
        reached = (step * slopes[rows, k]).sum(axis=1) >= missing * (1 - 1e-9)
        size = np.where(reached, length(step, norm), np.inf)
        best[rows] = np.minimum(best[rows], size)
    return best


@pytest.mark.parametrize("a, slack", MINIMAL, ids=str)
def test_closed_form_of_two_classes(a, slack):
    model, X, y = linear_problem()
    found = a.minimal_norms(model, X, y)
    distance = np.abs(model.decision_function(X)) / np.linalg.norm(
        model.coef_[0], DUAL[a.norm]
    )
    exact = np.where(model.predict(X) == y, distance, 0)
    assert np.allclose(exact_norms(model, X, y, a.norm), exact)
    assert (found >= exact * (1 - 1e-12)).all()
    assert (found <= exact * (1 + slack)).all()


@pytest.mark.parametrize("a, slack", MINIMAL, ids=str)
@pytest.mark.parametrize("box", [None, (0, 1)])
def test_closed_form_of_four_classes(a, slack, box):
    # Which of the classes is nearest is found exactly where all are considered (FAB,
    # DeepFool); the others follow the highest score, and are near on most rows.
    model, X, y = linear_problem(120, classes=4)
    found = clone(a).set_params(data_range=box).minimal_norms(model, X, y)
    exact = exact_norms(model, X, y, a.norm, box)
    assert (found >= exact * (1 - 1e-9)).all()
    ratio = found[exact > 0] / exact[exact > 0]
    assert np.median(ratio) <= 1 + slack + 1e-3
    if isinstance(a, (FAB, DeepFool)) and box is None:
        assert ratio.max() <= 1 + slack
    assert (ratio <= 1.5).mean() >= 0.95


@pytest.mark.slow
def test_a_box_that_leaves_no_way_out_is_a_failure():
    model = LogisticRegression().fit([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    model.coef_, model.intercept_ = np.array([[1.0, 0.0]]), np.array([-1.5])
    X = np.array([[0.2, 0.5], [0.9, 0.5]])
    for a in ATTACKS:
        a = clone(a).set_params(data_range=(0, 1))
        assert np.isinf(a.minimal_norms(model, X)).all(), a
        assert np.array_equal(a.perturb(model, X), X), a
        a.set_params(data_range=([0, 0], [2, 1]))
        assert np.allclose(a.minimal_norms(model, X), [1.3, 0.6], rtol=0.1), a


@pytest.mark.parametrize("a", ATTACKS, ids=str)
def test_rows_on_the_bounds_move_as_freely_as_others(a):
    # Features that are exactly 0 or 1: a tanh variable would stand still there.
    _, X, y = linear_problem(60, d=12)
    X = np.round(X)
    model = LogisticRegression(C=1).fit(X, y)
    found = clone(a).set_params(data_range=(0, 1)).minimal_norms(model, X)
    exact = exact_norms(model, X, model.predict(X), a.norm, (0, 1))
    assert np.isfinite(found).all()
    assert (found >= exact * (1 - 1e-9)).all()
    assert np.median(found / exact) < 1.1


def test_changed_features_are_counted():
    model, X, _ = linear_problem(60, d=12)
    free = FMN(norm=0).minimal_norms(model, X)
    assert (free == 1).all()  # one feature is enough without bounds
    found = FMN(norm=0, data_range=(0, 1)).minimal_norms(model, X)
    exact = exact_norms(model, X, model.predict(X), 0, (0, 1))
    assert (found >= exact).all()
    assert (found == exact).mean() > 0.8
    two = FMN(2, norm=0, data_range=(0, 1)).perturb(model, X)
    assert ((two != X).sum(axis=1) <= 2).all()


@pytest.mark.parametrize("a", ATTACKS, ids=str)
def test_eps_says_what_counts(a):
    model, X, y = linear_problem(120, classes=3)
    norms = a.minimal_norms(model, X, y)
    eps = float(np.median(norms))
    out = clone(a).set_params(eps=eps).perturb(model, X, y)
    unchanged = (out == X).all(axis=1)
    assert np.array_equal(unchanged, (norms == 0) | (norms > eps))
    assert (model.predict(out) == y)[norms > eps].all()
    assert (model.predict(out) != y)[norms <= eps].all()
    whole = a.perturb(model, X, y)
    assert np.allclose(length(whole - X, a.norm), norms)


def test_projected_examples_are_never_the_clean_row():
    model, X, y = linear_problem(120)
    y = y.copy()
    y[:10] = 1 - y[:10]
    a = DDN(0.02, objective="minimal")
    out = a.perturb(model, X, y)
    exact = np.abs(model.decision_function(X)) / np.linalg.norm(model.coef_)
    moved = np.linalg.norm(out - X, axis=1)
    assert np.allclose(moved, np.minimum(exact, 0.02), rtol=1e-6)
    assert np.array_equal(a.set_params(objective="loss").perturb(model, X, y), out)
    # Projected, a row that was not fooled has lost confidence all the same.
    p = model.predict_proba(X).max(axis=1)
    q = model.predict_proba(out)[np.arange(120), model.predict(X)]
    assert (q < p).all()


@pytest.mark.parametrize(
    "a", [DDN(), FMN(), FMN(norm=np.inf), FMN(norm=1), FAB(n_steps=5)], ids=str
)
def test_probability_shift_in_closed_form(a):
    # The probability moves farthest at one of the two ends of the ball.
    model, X, y = linear_problem()
    z = model.decision_function(X)
    reach = 0.05 * np.linalg.norm(model.coef_[0], DUAL[a.norm])

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    best = np.maximum(
        np.abs(sigmoid(z + reach) - sigmoid(z)), np.abs(sigmoid(z - reach) - sigmoid(z))
    )
    a = clone(a).set_params(eps=0.05, objective="probability_shift")
    p = model.predict_proba(a.perturb(model, X, y))[:, 1]
    assert np.allclose(np.abs(p - sigmoid(z)), best, atol=1e-6)


def test_the_trap_between_the_two_metrics():
    model, X, y = linear_problem(300)
    a = DDN(0.2)
    p = model.predict_proba(X)
    stopped = clone(a).set_params(objective="misclassification").perturb(model, X, y)
    stopped = model.predict_proba(stopped)
    with pytest.warns(UserWarning, match="whose probabilities did not change at all"):
        flattered = robust_ratio_score(p, stopped, tolerance=0.5)
    scorer = make_robust_scorer(a, metric="robust_ratio", tolerance=0.5)
    assert scorer(model, X, y) < flattered - 0.05
    with pytest.raises(ValueError, match="stops once a sample is fooled"):
        make_robust_scorer(
            clone(a).set_params(objective="misclassification"),
            metric="robust_ratio",
            tolerance=0.5,
        )(model, X, y)
    exact = exact_norms(model, X, y, 2)
    assert make_robust_scorer(a)(model, X, y) == (exact > 0.2).mean()
    results = evaluate_attack(model, X, y, a)
    assert results.modes == ("loss", "probability_shift")
    assert results.robust_accuracy == (exact > 0.2).mean()


LAWS = [
    DDN(0.1, n_steps=20, data_range=(0, 1)),
    FMN(norm=2, n_steps=20),
    FMN(0.05, norm=np.inf, n_steps=20, objective="probability_shift"),
    FMN(2, norm=0, data_range=(0, 1), n_steps=20),
    FMN(0.2, norm=1, n_steps=20, data_range=(0, 1), objective="minimal"),
    DeepFool(norm=2),
    DeepFool(0.1, norm=np.inf, data_range=(0, 1)),
    FAB(0.1, n_steps=5, data_range=(np.zeros(6), np.ones(6))),
    FAB(0.3, norm=1, n_steps=5),
    CarliniWagner(0.2, n_steps=20, n_searches=3, data_range=(0, 1)),
    CarliniWagner(0.1, norm=np.inf, n_steps=20, n_searches=3),
    BIM(),
    BIM(0.3, norm=1, data_range=(0, 1)),
    MomentumPGD(0.3, norm=2, objective="probability_shift"),
    MomentumPGD(0.3, norm=1),
    PGD(0.3, norm=1, n_steps=10, data_range=(0, 1)),
    FGSM(0.3, norm=1, data_range=(0, 1)),
]


@pytest.mark.parametrize("a", LAWS, ids=str)
def test_promises(a):
    check_attack(a)
    check_attack(a, *linear_problem(classes=3))


@pytest.mark.parametrize("a", LAWS, ids=str)
def test_batches_mates_and_layouts(a):
    model, X, y = linear_problem(40, classes=3)
    a = clone(a).set_params(random_state=0)
    whole = a.perturb(model, X, y)
    small = clone(a).set_params(batch_size=7).perturb(model, X, y)
    assert np.allclose(small, whole, atol=1e-9)
    alone = a.perturb(model, X[5:6], y[5:6])
    assert np.allclose(alone, whole[5:6], atol=1e-9)
    read_only = np.asfortranarray(X)
    read_only.flags.writeable = False
    assert np.array_equal(a.perturb(model, read_only, y), whole)
    assert np.array_equal(a.perturb(model, X[::-1], y[::-1])[::-1], whole)


def test_norm_one_in_closed_form():
    # Without a box one coordinate takes it all; in the box the budget goes to the
    # steepest coordinates in turn.
    model, X, y = linear_problem()
    w = model.coef_[0]
    sign = np.where(y == 1, -1, 1)
    z = model.decision_function(X)
    for a in (FGSM, PGD):
        free = a(0.3, norm=1, objective="loss", random_state=0).perturb(model, X, y)
        moved = model.decision_function(free) - z
        assert np.allclose(moved, sign * 0.3 * np.abs(w).max(), rtol=1e-6)
        box = a(
            0.6, norm=1, objective="loss", data_range=(0, 1), random_state=0
        ).perturb(model, X, y)
        for i in range(0, 80, 8):
            best = linprog(
                -sign[i] * np.r_[w, -w],
                A_ub=[np.ones(12)],
                b_ub=[0.6],
                bounds=[(0, 1 - v) for v in X[i]] + [(0, v) for v in X[i]],
            )
            moved = model.decision_function(box[i : i + 1])[0] - z[i]
            assert np.isclose(sign[i] * moved, -best.fun, rtol=1e-6)


def test_momentum_and_basic_steps():
    model, X, y = linear_problem()
    # One step is the fast gradient sign method; small steps stay behind eps.
    one = MomentumPGD(0.1, n_steps=1, objective="loss").perturb(model, X, y)
    assert np.allclose(one, FGSM(0.1, objective="loss").perturb(model, X, y))
    short = BIM(0.1, n_steps=3, step_size=0.01, objective="loss").perturb(model, X, y)
    assert np.allclose(np.abs(short - X), 0.03)
    still = MomentumPGD(0.1, decay=0.0, objective="loss").perturb(model, X, y)
    assert np.array_equal(still, BIM(0.1, objective="loss").perturb(model, X, y))


def test_precision_of_the_input():
    # An example on the boundary must still fool once it is rounded.
    model, X, y = linear_problem(200)
    for dtype, share in ((np.float32, 1), (np.float16, 0.95)):
        coarse = X.astype(dtype)
        out = DDN().perturb(model, coarse, y)
        assert out.dtype == dtype
        fooled = model.predict(out) != y
        assert fooled.mean() >= share
        # What no number of that precision fools is a failure, and says so.
        assert np.array_equal(out[~fooled], coarse[~fooled])
        assert np.array_equal(np.isinf(DDN().minimal_norms(model, coarse, y)), ~fooled)
    exact = exact_norms(model, X.astype(np.float32).astype(float), y, 2)
    found = DDN().minimal_norms(model, X.astype(np.float32), y)
    assert np.allclose(found, exact, rtol=1e-4, atol=1e-6)


def test_units_of_features_do_not_matter():
    model, X, y = linear_problem(classes=3)
    for a in ATTACKS:
        if isinstance(a, CarliniWagner):
            continue
        far = clone(model)
        far.fit(X, y)
        far.coef_ = model.coef_ / 1e4
        found = a.minimal_norms(model, X, y)
        # Rounding may turn a step; most paths are the same to the last digits.
        scaled = a.minimal_norms(far, X * 1e4, y)
        assert np.allclose(scaled, found * 1e4, rtol=2e-3)
        assert np.isclose(scaled, found * 1e4, rtol=1e-6).mean() > 0.95
        far.coef_, far.intercept_ = model.coef_ * 1e3, model.intercept_ * 1e3
        # The direction of the log odds depends on the temperature, if not by much.
        other = a.minimal_norms(far, X, y)
        assert np.isclose(np.median(other), np.median(found), rtol=0.1), a


def test_labels_frames_and_pipelines():
    model, X, y = linear_problem()
    expected = DDN().minimal_norms(model, X, y)
    for labels in (2 * y - 1, np.array(["u", "v"])[y], y.astype(bool)):
        signed = clone(model).fit(X, labels)
        assert np.allclose(DDN().minimal_norms(signed, X, labels), expected)
    frame = pd.DataFrame(X * [1, 10, 100, 0.1, 1, 5], columns=list("abcdef"))
    pipe = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
    out = FMN(norm=np.inf).perturb(pipe, frame, y)
    assert list(out.columns) == list("abcdef")
    assert (pipe.predict(out) != y).all()
    weights = pipe[-1].coef_[0] / pipe[0].scale_
    right = pipe.predict(frame) == y
    exact = np.abs(pipe.decision_function(frame)) / np.abs(weights).sum() * right
    assert np.allclose(FMN(norm=np.inf).minimal_norms(pipe, frame, y), exact)
    unknown = y.copy()
    unknown[:3] = 9
    assert np.array_equal(DDN().perturb(model, X, unknown)[:3], X[:3])


BAD = {
    "eps": (DDN(-1.0), "'eps' parameter of DDN must be a non-negative float"),
    "eps nan": (FMN(np.nan), "'eps' parameter of FMN"),
    "eps none": (FMN(None), "'eps' parameter of FMN"),
    "norm": (DDN(norm=np.inf), "'norm' parameter of DDN must be 2. Got inf"),
    "norm of DeepFool": (DeepFool(norm=0), "must be numpy.inf, 2 or 1. Got 0"),
    "norm of FMN": (FMN(norm=3), "must be numpy.inf, 2, 1 or 0. Got 3"),
    "objective": (DDN(objective="best"), "'minimal'"),
    "minimal": (FGSM(objective="minimal"), "'objective' parameter of FGSM"),
    "steps": (DDN(n_steps=0), "'n_steps' parameter of DDN"),
    "gamma": (DDN(gamma=2), "'gamma' parameter of DDN"),
    "FMN steps": (FMN(n_steps=1.5), "'n_steps' parameter of FMN"),
    "FMN gamma": (FMN(gamma=-1), "'gamma' parameter of FMN"),
    "FMN step": (FMN(step_size=0), "'step_size' parameter of FMN"),
    "overshoot": (DeepFool(overshoot=-1), "'overshoot' parameter of DeepFool"),
    "DeepFool steps": (DeepFool(n_steps=0), "'n_steps' parameter of DeepFool"),
    "candidates": (
        DeepFool(norm=2, n_candidates=0),
        "'n_candidates' parameter of DeepFool",
    ),
    "FAB steps": (FAB(n_steps=0), "'n_steps' parameter of FAB"),
    "targets": (FAB(n_targets=0), "'n_targets' parameter of FAB"),
    "alpha": (FAB(alpha_max=2), "'alpha_max' parameter of FAB"),
    "eta": (FAB(eta=0.5), "'eta' parameter of FAB"),
    "beta": (FAB(beta=2), "'beta' parameter of FAB"),
    "CW steps": (CarliniWagner(n_steps=0), "'n_steps' parameter of CarliniWagner"),
    "searches": (CarliniWagner(n_searches=0), "'n_searches' parameter of CarliniWag"),
    "const": (CarliniWagner(initial_const=0), "'initial_const' parameter of Carlini"),
    "rate": (CarliniWagner(learning_rate=0), "'learning_rate' parameter of Carlini"),
    "batch": (DDN(batch_size=0), "'batch_size' parameter of DDN"),
    "momentum": (MomentumPGD(decay=-1), "'decay' parameter of MomentumPGD"),
    "BIM steps": (BIM(n_steps=0), "'n_steps' parameter of BIM"),
    "BIM step": (BIM(step_size=-1), "'step_size' parameter of BIM"),
}


@pytest.mark.parametrize("row", BAD)
def test_bad_parameters(row):
    model, X, y = linear_problem()
    attack, sentence = BAD[row]
    with pytest.raises(ValueError) as error:
        attack.perturb(model, X, y)
    assert sentence in str(error.value)


def test_projections_are_exact():
    rng = np.random.default_rng(0)
    d = rng.normal(size=(12, 5))
    low, high = -0.6 * rng.random((12, 5)), 0.6 * rng.random((12, 5))
    high[:, 0] = 0
    free, cut = project(d, 0.9, 1), project_in_box(d, 0.7, 1, low, high)
    for i in range(12):
        for found, eps, up, down in (
            (free[i], 0.9, [None] * 5, [None] * 5),
            (cut[i], 0.7, high[i], -low[i]),
        ):
            best = minimize(
                lambda u, v=d[i]: ((u[:5] - u[5:] - v) ** 2).sum(),
                np.zeros(10),
                bounds=[(0, b) for b in up] + [(0, b) for b in down],
                constraints={"type": "ineq", "fun": lambda u, e=eps: e - u.sum()},
                options={"ftol": 1e-14, "maxiter": 500},
            ).x
            assert np.allclose(best[:5] - best[5:], found, atol=1e-4)
    assert np.array_equal(project(d, 100.0, 1), d)
    assert (length(project(d, 2, 0), 0) == 2).all()
    radii = np.linspace(0.1, 3, 12)
    for norm in (np.inf, 2, 1):
        each = [project(d[i : i + 1], r, norm)[0] for i, r in enumerate(radii)]
        assert np.allclose(project(d, radii, norm), each)
        assert np.array_equal(project(d, np.inf, norm), d)


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
def test_shortest_steps_are_exact(norm):
    rng = np.random.default_rng(1)
    w = rng.normal(size=(15, 4))
    w[:, 3] = 0
    low, high = -rng.random((15, 4)), rng.random((15, 4))
    rise = 2 * rng.random(15)
    step = reach_plane(w, rise, norm, low, high)
    most = np.where(w > 0, w * high, w * low).sum(axis=1)
    assert ((step >= low - 1e-12) & (step <= high + 1e-12)).all()
    assert np.allclose((w * step).sum(axis=1), np.minimum(rise, most))
    for i in np.flatnonzero(rise < most):
        sides = list(zip(low[i], high[i], strict=True))
        if norm == 2:
            best = minimize(
                lambda u: (u**2).sum(),
                step[i] / 2,
                bounds=sides,
                constraints={
                    "type": "eq", "fun": lambda u, i=i: u @ w[i] - rise[i]
                },
            ).fun ** 0.5  # fmt: skip
        elif norm == 1:
            split = [(0, b) for b in high[i]] + [(0, -b) for b in low[i]]
            best = linprog(
                np.ones(8), A_eq=[np.r_[w[i], -w[i]]], b_eq=[rise[i]], bounds=split
            ).fun
        else:
            eye, one = np.eye(4), -np.ones((4, 1))
            best = linprog(
                np.r_[np.zeros(4), 1],
                A_eq=[np.r_[w[i], 0]],
                b_eq=[rise[i]],
                A_ub=np.block([[eye, one], [-eye, one]]),
                b_ub=np.zeros(8),
                bounds=[*sides, (0, None)],
            ).fun
        assert np.isclose(length(step[i : i + 1], norm)[0], best, atol=1e-4)
    free = reach_plane(w, rise, norm)
    assert np.allclose((free * w).sum(axis=1), rise)
    assert np.allclose(length(free, norm) * dual_length(w, norm), rise)
    wide = reach_plane(w, rise, norm, low - 1e6, high + 1e6)
    assert np.allclose(wide, free)
    nothing = np.zeros((2, 4))
    assert not reach_plane(nothing, np.ones(2), norm, low[:2], high[:2]).any()
    torch = pytest.importorskip("torch")
    t = [torch.from_numpy(v) for v in (w, rise, low, high)]
    assert np.allclose(reach_plane(t[0], t[1], norm, t[2], t[3]).numpy(), step)
    assert np.allclose(reach_plane(t[0], t[1], norm).numpy(), free)
    near = project_in_box(w, 0.8, norm, low, high)
    assert np.allclose(project_in_box(t[0], 0.8, norm, t[2], t[3]).numpy(), near)
    assert np.allclose(
        l1_step_in_box(t[0], 0.8, t[2], t[3]).numpy(), l1_step_in_box(w, 0.8, low, high)
    )
    assert np.allclose(steepest(t[0], norm).numpy(), steepest(w, norm))


@pytest.mark.parametrize("norm", [np.inf, 2])
def test_planes_are_reached_in_single_precision(norm):
    # Slopes over many decades, where running sums along sorted rows lose digits.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        w, noise = rng.normal(size=(2, 8, 200))
        w = (w * np.exp(2 * noise)).astype(np.float32)
        low, high = -rng.random(w.shape), rng.random(w.shape)
        low, high = low.astype(np.float32), high.astype(np.float32)
        most = np.where(w > 0, w * high, w * low).sum(axis=1)
        rise = (most * rng.uniform(0.1, 0.95, size=8)).astype(np.float32)
        step = reach_plane(w, rise, norm, low, high)
        assert step.dtype == np.float32
        assert ((step >= low) & (step <= high)).all()
        reached = (step.astype(float) * w).sum(axis=1)
        assert np.allclose(reached, rise, rtol=3e-6)


@pytest.mark.parametrize(
    "a", [DeepFool(), FAB(n_steps=20), FAB(norm=2, n_steps=20), FMN(), DDN()], ids=str
)
def test_searches_do_not_run_off_between_narrow_kernels(a):
    # Pixels of 0 to 16: the scores are level but for 1e-100 and less, first-order
    # distances were 1e148, overflowed, and such rows came back as examples.
    X, y = digit_rows()
    X, y = X[:60], y[:60]
    model = SVC(gamma=0.5).fit(X, y)
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        norms = a.minimal_norms(model, X)
    found = np.isfinite(norms)
    assert found.mean() >= 0.8
    other = [
        np.linalg.norm(X[y != label] - x, axis=1).min()
        for x, label in zip(X, y, strict=True)
    ]
    assert (norms[found] <= np.array(other)[found]).all()


def test_values_beyond_where_a_search_ends_are_kept():
    # Time in nanoseconds: no bound of the search may cut it.
    X = np.c_[np.linspace(1.7e18, 1.8e18, 20), np.linspace(-1, 1, 20)]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, X[:, 1] > 0)
    found = DDN().perturb(model, X)
    assert (found[:, 0] > 1.6e18).all()
    assert np.isfinite(DDN().minimal_norms(model, X)).all()


@pytest.mark.parametrize("far", [5.0, 20.0])
@pytest.mark.parametrize("d", [2, 10, 50])
def test_carlini_wagner_crosses_a_plateau(d, far):
    # Its steps must not stay as short as the steep slope at the row promises.
    model = MLPClassifier((2,), activation="tanh", max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(np.eye(d), np.arange(d) % 2)
    weights = np.zeros((d, 2))
    weights[0] = [20.0, 0.3]  # one step up at 0, which is not enough, and one far off
    model.coefs_ = [weights, np.array([[0.9], [0.9]])]
    model.intercepts_ = [np.array([0.0, -0.3 * far]), np.array([-0.5])]
    x = np.zeros((1, d))
    x[0, 0] = -0.1
    edge = far + np.arctanh(0.5 / 0.9 - 1) / 0.3 + 0.1
    norms = CarliniWagner().minimal_norms(model, x)
    np.testing.assert_allclose(norms, edge, rtol=1e-3)
