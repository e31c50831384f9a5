"""Exact attacks: equal to brute force, to linear programs, and above every other."""

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from scipy.optimize import linprog, minimize
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
)

from skrobust._norms import length
from skrobust.attacks import FGSM, PGD, ExactLinear, ExactTree
from skrobust.attacks.core.closed_forms import farthest, room_of, shortest
from skrobust.metrics import make_robust_scorer
from skrobust.testing import check_attack

NORMS = [np.inf, 2, 1]
BOX = (np.zeros(5), np.array([1.0, 1, 1, 0.7, 1]))


def some_rows(seed=0, n=30, d=5):
    rng = np.random.default_rng(seed)
    x = rng.random((n, d)) * BOX[1]
    x[:3] = BOX[1]  # corners have no room one way
    weights = rng.normal(size=d)
    weights[1] = 0
    return rng, x, weights


def linear_program(w, x, rise, norm):
    """Shortest move by linear programming over (delta, size)."""
    d = len(w)
    low, high = BOX[0] - x, BOX[1] - x
    if norm == np.inf:
        cost = np.r_[np.zeros(d), 1]
        rows = [np.r_[s * np.eye(d)[i], -1] for i in range(d) for s in (1, -1)]
        bounds = [*zip(low, high, strict=True), (0, None)]
        rows.append(np.r_[-w, 0])
    else:
        cost = np.r_[np.zeros(d), np.ones(d)]
        eye = np.eye(d)
        rows = [np.r_[s * eye[i], -eye[i]] for i in range(d) for s in (1, -1)]
        bounds = [*zip(low, high, strict=True), *[(0, None)] * d]
        rows.append(np.r_[-w, np.zeros(d)])
    right = np.r_[np.zeros(len(rows) - 1), -rise]
    found = linprog(cost, np.array(rows), right, bounds=bounds)
    return found.fun if found.status == 0 else np.inf


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("share", [0.0, 0.2, 0.7, 1.4])
def test_shortest_against_programs(norm, share):
    _, x, w = some_rows()
    room = room_of(w, x, BOX)
    rise = share * np.abs(w).sum() * np.full(len(x), 0.5)
    moves, possible = shortest(w, rise, room, norm)
    for i in range(len(x)):
        if norm == 2:
            best = np.inf
            if (np.abs(w) * room[i]).sum() >= rise[i]:
                found = minimize(
                    lambda v: v @ v, moves[i] * 0, jac=lambda v: 2 * v,
                    bounds=list(zip(BOX[0] - x[i], BOX[1] - x[i], strict=True)),
                    constraints={"type": "ineq", "fun": lambda v, i=i: v @ w - rise[i],
                                 "jac": lambda v: w},
                    options={"ftol": 1e-14}, method="SLSQP",
                )  # fmt: skip
                best = np.sqrt(found.fun)
        else:
            best = linear_program(w, x[i], rise[i], norm)
        assert possible[i] == np.isfinite(best)
        if possible[i]:
            assert moves[i] @ w == pytest.approx(rise[i], abs=1e-9)
            assert length(moves[i][None], norm)[0] == pytest.approx(best, abs=1e-6)
            assert (x[i] + moves[i] >= BOX[0] - 1e-12).all()
            assert (x[i] + moves[i] <= BOX[1] + 1e-12).all()


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("eps", [0.05, 0.4, 1.5, 9.0])
def test_farthest_is_the_other_side_of_shortest(norm, eps):
    rng, x, w = some_rows()
    room = room_of(w, x, BOX)
    moves = farthest(w, eps, room, norm)
    assert (length(moves, norm) <= eps * (1 + 1e-12)).all()
    gain = moves @ w
    back, possible = shortest(w, gain, room, norm)
    assert possible.all() or np.allclose(gain, (np.abs(w) * room).sum(axis=1))
    assert np.allclose(length(back, norm), length(moves, norm), atol=1e-9)
    for _ in range(500):  # nothing in the ball and the box goes farther
        v = rng.normal(size=x.shape)
        v = v / length(v, norm)[:, None] * eps * rng.random((len(x), 1)) ** 0.2
        v = np.clip(x + v, *BOX) - x
        assert (v @ w <= gain + 1e-12).all()


@pytest.mark.parametrize("norm", NORMS)
def test_no_box_is_the_dual_norm(norm):
    _, _x, w = some_rows()
    dual = {np.inf: 1, 2: 2, 1: np.inf}[norm]
    moves, possible = shortest(w, np.array([0.3, 0.0]), None, norm)
    assert possible.all()
    expected = [0.3 / np.linalg.norm(w, dual), 0]
    assert np.allclose(length(moves, norm), expected)
    assert farthest(w, 0.2, None, norm)[0] @ w == pytest.approx(
        0.2 * np.linalg.norm(w, dual)
    )
    _, impossible = shortest(np.zeros(3), np.array([1.0]), None, norm)
    assert not impossible[0]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("box", [None, (0, 1)])
@pytest.mark.parametrize("classes", [2, 4])
def test_exact_linear(norm, box, classes):
    model, X, y = linear_problem(120, classes=classes)
    attack = ExactLinear(0.08, norm=norm, data_range=box)
    check_attack(attack, model, X, y)
    norms = attack.minimal_norms(model, X, y)
    wrong = model.predict(X) != y
    assert np.array_equal(norms == 0, wrong)
    out = attack.perturb(model, X, y)
    fooled = model.predict(out) != y
    assert np.array_equal(fooled, norms <= 0.08)
    assert np.array_equal(out[wrong], X[wrong])
    assert np.array_equal(out[~fooled], X[~fooled])
    won = fooled & ~wrong
    assert won.any()
    assert np.allclose(length(out - X, norm)[won], norms[won], rtol=1e-5, atol=1e-7)
    # No gradient attack fools a row that the exact one says is safe.
    if norm != 1:
        for other in (FGSM, PGD):
            kw = {} if other is FGSM else {"random_state": 0}
            found = other(0.08, norm=norm, data_range=box, **kw).perturb(model, X, y)
            assert not ((model.predict(found) != y) & ~fooled).any()
    # Random directions never find a shorter way.
    rng = np.random.default_rng(1)
    for _ in range(200):
        v = rng.normal(size=X.shape)
        v = v / length(v, norm)[:, None] * (0.98 * norms * np.isfinite(norms))[:, None]
        near = X + np.nan_to_num(v)
        if box is not None:
            near = np.clip(near, *box)
        assert np.array_equal(model.predict(near)[~wrong], y[~wrong])


def test_impossible_is_inf():
    X = np.array([[0.2, 0.3], [0.9, 0.4]])
    model = LogisticRegression().fit([[0, 0], [1, 1.0]], [0, 1])
    model.coef_[:], model.intercept_[:] = [[1.0, 1.0]], [-5.0]
    attack = ExactLinear(10.0, data_range=(0, 1))
    assert np.isinf(attack.minimal_norms(model, X)).all()
    assert np.array_equal(attack.perturb(model, X), X)
    assert np.allclose(ExactLinear().minimal_norms(model, X), [2.25, 1.85])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pipelines_and_widths_of_floats(dtype):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(dtype)
    for model in (
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), PCA(5, whiten=True), LinearSVC()),
        make_pipeline(StandardScaler(), SVC(kernel="linear")),
        FixedThresholdClassifier(
            make_pipeline(StandardScaler(), LogisticRegression()), threshold=0.8
        ),
    ):
        model = model.fit(X.astype(np.float64), y)
        attack = ExactLinear(5.0, norm=2)
        norms = attack.minimal_norms(model, X, y)
        out = attack.perturb(model, X, y)
        assert out.dtype == dtype
        fooled = model.predict(out.astype(np.float64)) != y
        # Borders within rounding of eps may fall on either side.
        clear = np.abs(norms - 5) > 1e-3
        assert np.array_equal(fooled[clear], (norms <= 5)[clear])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("box", [None, (0, 1)])
def test_probability_shift_of_two_classes(norm, box):
    model, X, y = linear_problem()
    attack = ExactLinear(0.2, norm=norm, data_range=box, objective="probability_shift")
    out = attack.perturb(model, X, y)
    p = model.predict_proba(X)[:, 1]
    moved = np.abs(model.predict_proba(out)[:, 1] - p)
    assert (length(out - X, norm) <= 0.2 + 1e-9).all()
    if norm != 1:
        other = PGD(
            0.2,
            norm=norm,
            data_range=box,
            objective="probability_shift",
            random_state=0,
        ).perturb(model, X, y)
        found = np.abs(model.predict_proba(other)[:, 1] - p)
        assert (moved >= found - 1e-9).all()
        assert np.allclose(moved, found, atol=0.05)
    loss = ExactLinear(0.2, norm=norm, data_range=box, objective="loss")
    own = np.arange(len(y)), y
    down = model.predict_proba(loss.perturb(model, X, y))[own]
    assert (down <= model.predict_proba(X)[own]).all()
    scorer = make_robust_scorer(
        ExactLinear(0.2, norm=norm, data_range=box), "robust_ratio", tolerance=0.1
    )
    assert scorer(model, X, y) == np.mean(moved <= 0.1 + 1e-9)


@pytest.mark.parametrize("norm", NORMS)
def test_regression(norm):
    X, y = load_diabetes(return_X_y=True)
    model = make_pipeline(StandardScaler(), PCA(4), Ridge()).fit(X, y)
    box = (X.min(axis=0), X.max(axis=0))
    attack = ExactLinear(0.03, norm=norm, data_range=box)
    moved = np.abs(model.predict(attack.perturb(model, X, y)) - model.predict(X))
    if norm != 1:
        other = PGD(0.03, norm=norm, data_range=box, random_state=0)
        found = np.abs(model.predict(other.perturb(model, X, y)) - model.predict(X))
        assert (moved >= found - 1e-6).all()
        assert found.mean() > 0.99 * moved.mean()
    attack.set_params(objective="prediction_error")
    error = np.abs(model.predict(attack.perturb(model, X, y)) - y)
    assert (error >= np.abs(model.predict(X) - y)).all()


def test_refusals():
    X, y = load_iris(return_X_y=True)
    curved = make_pipeline(PolynomialFeatures(), LogisticRegression(max_iter=9999))
    many = SGDClassifier(random_state=0).fit(X, y)
    for call, sentence in (
        (lambda: ExactLinear().perturb(curved.fit(X, y), X, y), "is not linear"),
        (lambda: ExactLinear().perturb(SVC().fit(X, y), X, y), "is not linear"),
        (lambda: ExactLinear(objective="loss").perturb(many, X, y), "two classes"),
        (lambda: ExactLinear(norm=3).perturb(many, X, y), "numpy.inf, 2 or 1"),
        (lambda: ExactLinear(-1).perturb(many, X, y), "'eps' parameter of ExactLinear"),
        (lambda: ExactLinear(norm=0).minimal_norms(many, X, y), "numpy.inf, 2 or 1"),
        (lambda: ExactLinear().minimal_norms(many, X, y[:3]), "equal length"),
        (lambda: ExactLinear().minimal_norms(many, X[:, :2], y), "takes 4 features"),
        (lambda: ExactLinear(objective="prediction_shift").perturb(many, X, y),
         "objectives of classifiers"),
        (lambda: ExactLinear(data_range=(0, 1)).minimal_norms(many, X, y),
         "outside data_range"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            call()


# Trees -------------------------------------------------------------------------------


def grid_answer(model, x, label, norm, box):
    """Shortest move by trying a point in every cell that the thresholds make."""
    members = getattr(model, "estimators_", [model])
    trees = [member.tree_ for member in np.ravel(members)]
    sides = []
    for j in range(len(x)):
        cuts = np.concatenate([t.threshold[t.feature == j] for t in trees])
        below = cuts.astype(np.float32)
        below = np.where(below > cuts, np.nextafter(below, np.float32(-np.inf)), below)
        above = np.nextafter(below, np.float32(np.inf))
        points = np.r_[x[j], below.astype(float), above.astype(float)]
        if box is not None:
            points = points[(points >= box[0]) & (points <= box[1])]
        sides.append(np.unique(points))
    cells = np.stack(np.meshgrid(*sides, indexing="ij"), -1).reshape(-1, len(x))
    other = model.predict(cells) != label
    far = length(cells - x, norm)
    return far[other].min() if other.any() else np.inf


def table(n=80, d=2, seed=0, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    y = ((3 * X[:, 0] + np.sin(6 * X[:, 1]) + rng.normal(0, 0.3, n)) % classes).astype(
        int
    )
    return X, y


TREES = [
    DecisionTreeClassifier(max_depth=4, random_state=0),
    ExtraTreeClassifier(random_state=0),
    RandomForestClassifier(5, max_depth=3, random_state=0),
    RandomForestClassifier(4, max_depth=None, random_state=1),
    ExtraTreesClassifier(4, max_depth=4, random_state=0),
    GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0),
]  # fmt: skip


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("box", [None, (0, 1)])
@pytest.mark.parametrize("model", TREES, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_trees_against_all_cells(model, norm, box, classes):
    X, y = table(classes=classes)
    model = clone(model).fit(X, y)
    rows = slice(0, 25)
    attack = ExactTree(0.1, norm=norm, data_range=box, node_budget=20000)
    norms = attack.minimal_norms(model, X[rows], y[rows])
    assert attack.proven_.all()
    right = model.predict(X[rows]) == y[rows]
    assert np.array_equal(norms == 0, ~right)
    for i in np.flatnonzero(right):
        best = grid_answer(model, X[i], y[i], norm, box)
        assert norms[i] == pytest.approx(best, rel=1e-6, abs=1e-7)
    out = attack.perturb(model, X[rows], y[rows])
    fooled = model.predict(out) != y[rows]
    assert np.array_equal(fooled, norms <= 0.1)
    assert np.array_equal(out[~fooled], X[rows][~fooled])
    reach = length(out - X[rows], norm)
    assert np.allclose(reach[fooled], norms[fooled], rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("model", TREES[:3], ids=str)
def test_tree_promises(model):
    X, y = table(d=4)
    model = clone(model).fit(X, y)
    check_attack(ExactTree(0.05), model, X, y)
    check_attack(ExactTree(0.1, norm=2, data_range=(0, 1)), model, X, y)
    single = ExactTree(0.1).perturb(model, X.astype(np.float32), y)
    assert single.dtype == np.float32
    frame = pd.DataFrame(X, columns=list("abcd"))
    out = ExactTree(0.1).perturb(clone(model).fit(frame, y), frame, y)
    assert np.array_equal(out.to_numpy(), ExactTree(0.1).perturb(model, X, y))


def test_trees_behind_scalers_and_names():
    X, y = table(d=3)
    X = X * [1, 100, 0.01] + [0, 5, 3]
    names = np.array(["u", "v", "w"])[y]
    model = make_pipeline(
        StandardScaler(), MinMaxScaler(), DecisionTreeClassifier(random_state=0)
    ).fit(X, names)
    bare = DecisionTreeClassifier(random_state=0).fit(X, names)
    attack = ExactTree(5.0, norm=2)
    norms = attack.minimal_norms(model, X, names)
    out = attack.perturb(model, X, names)
    assert np.array_equal(model.predict(out) != names, norms <= 5)
    # The same tree up to the place of its thresholds.
    assert np.allclose(
        norms, attack.minimal_norms(bare, X, names), rtol=1e-3, atol=1e-4
    )


@pytest.mark.slow
def test_budget_is_told():
    X, y = table(120, d=6)
    model = RandomForestClassifier(30, random_state=0).fit(X, y)
    attack = ExactTree(0.2, node_budget=3)
    upper = attack.minimal_norms(model, X[:20], y[:20])
    assert not attack.proven_.all()
    assert (attack.lower_bounds_ <= upper).all()
    with pytest.warns(UserWarning, match="node_budget=3 parts"):
        attack.perturb(model, X[:20], y[:20])
    more = ExactTree(0.2, node_budget=300)
    better = more.minimal_norms(model, X[:20], y[:20])
    assert (better <= upper + 1e-12).all()
    assert (more.lower_bounds_ >= attack.lower_bounds_ - 1e-12).all()


def test_answers_of_single_trees_move_farthest():
    X, y = table(d=2)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    attack = ExactTree(0.1, objective="probability_shift")
    rows, own = np.arange(len(X)), model.predict_proba(X).argmax(axis=1)

    def shift(Z):
        return np.abs(model.predict_proba(Z) - model.predict_proba(X))[rows, own]

    best = shift(attack.perturb(model, X, y))
    rng = np.random.default_rng(0)
    tried = [shift(X + rng.uniform(-0.1, 0.1, X.shape)) for _ in range(500)]
    assert (best >= np.max(tried, axis=0)).all()
    assert best.mean() < np.max(tried, axis=0).mean() + 0.05
    scorer = make_robust_scorer(ExactTree(0.1), "robust_ratio", tolerance=0.2)
    assert scorer(model, X, y) == np.mean(best <= 0.2 + 1e-9)
    tree = DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, X[:, 0] + y)
    moved = np.abs(tree.predict(ExactTree(0.1).perturb(tree, X)) - tree.predict(X))
    for _ in range(200):
        near = X + rng.uniform(-0.1, 0.1, X.shape)
        assert (moved >= np.abs(tree.predict(near) - tree.predict(X)) - 1e-12).all()


def test_one_leaf_cannot_be_fooled():
    X, _ = table()
    stump = DecisionTreeClassifier(max_depth=3).fit(X, np.zeros(len(X), dtype=int))
    attack = ExactTree(9.0)
    assert np.isinf(attack.minimal_norms(stump, X)).all()
    assert np.array_equal(attack.perturb(stump, X), X)


def test_tree_refusals():
    X, y = table()
    tree = DecisionTreeClassifier().fit(X, y)
    behind = make_pipeline(PCA(2), DecisionTreeClassifier()).fit(X, y)
    line = LogisticRegression().fit(X, y)
    number = DecisionTreeRegressor().fit(X, y)
    for call, sentence in (
        (lambda: ExactTree().perturb(line, X, y), "this is LogisticRegression"),
        (lambda: ExactTree().perturb(behind, X, y), "the step 'pca'"),
        (lambda: ExactTree(node_budget=0).perturb(tree, X, y), "'node_budget'"),
        (lambda: ExactTree(norm=3).perturb(tree, X, y), "numpy.inf, 2 or 1"),
        (lambda: ExactTree().perturb(tree, X[:, :1], y), "takes 2 features"),
        (lambda: ExactTree().perturb(tree, X, y + 9), "none of the model's classes"),
        (lambda: ExactTree().minimal_norms(number, X), "needs labels"),
        (lambda: ExactTree(objective="prediction_shift").perturb(tree, X, y),
         "objectives of classifiers"),
        (lambda: ExactTree().perturb(DecisionTreeClassifier(), X, y), "not fitted"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            call()
