"""Boosting of every kind and sums of regression trees, against all cells."""

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skrobust._norms import length
from skrobust.attacks import Constraints, ExactTree
from skrobust.attacks.trees.tree_reader import read_trees

NORMS = [np.inf, 2, 1]


def table(n=80, d=2, seed=0, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    values = 3 * X[:, 0] + np.sin(6 * X[:, 1]) + rng.normal(0, 0.3, n)
    return X, (values % classes).astype(int), values


def cuts_of(model, j):
    """Return the thresholds of a feature, and the precision they are compared in."""
    if hasattr(model, "_predictors"):
        nodes = np.concatenate([p.nodes for many in model._predictors for p in many])
        inner = nodes[nodes["is_leaf"] == 0]
        return inner["num_threshold"][inner["feature_idx"] == j], np.float64
    members = np.ravel(getattr(model, "estimators_", [model]))
    cuts = [m.tree_.threshold[m.tree_.feature == j] for m in members]
    return np.concatenate(cuts), np.float32


def cells(model, x, box):
    """Return a point of every cell that the thresholds make, the nearest to x."""
    sides = []
    for j in range(len(x)):
        cuts, kind = cuts_of(model, j)
        below = cuts.astype(kind)
        below = np.where(below > cuts, np.nextafter(below, kind(-np.inf)), below)
        above = np.nextafter(below, kind(np.inf))
        points = np.r_[x[j], below.astype(float), above.astype(float)]
        if box is not None:
            points = points[(points >= box[0]) & (points <= box[1])]
        sides.append(np.unique(points))
    return np.stack(np.meshgrid(*sides, indexing="ij"), -1).reshape(-1, len(x))


HIST = {"max_iter": 4, "max_depth": 3, "min_samples_leaf": 5, "early_stopping": False}
CLASSIFIERS = [
    HistGradientBoostingClassifier(**HIST),
    HistGradientBoostingClassifier(**HIST, learning_rate=0.5),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4,
                       random_state=0),
    AdaBoostClassifier(n_estimators=6, random_state=0),
    GradientBoostingClassifier(loss="log_loss", n_estimators=3, max_depth=3,
                               subsample=0.7, random_state=0),
]  # fmt: skip


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("box", [None, (0, 1)])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_boosting_against_all_cells(model, norm, box, classes):
    X, y, _ = table(classes=classes)
    model = clone(model).fit(X, y)
    rows = slice(0, 20)
    attack = ExactTree(0.1, norm=norm, data_range=box, node_budget=20000)
    norms = attack.minimal_norms(model, X[rows], y[rows])
    assert attack.proven_.all()
    right = model.predict(X[rows]) == y[rows]
    assert np.array_equal(norms == 0, ~right)
    for i in np.flatnonzero(right):
        points = cells(model, X[i], box)
        other = model.predict(points) != y[i]
        far = length(points - X[i], norm)[other]
        best = far.min() if other.any() else np.inf
        assert norms[i] == pytest.approx(best, rel=1e-6, abs=1e-7)
    out = attack.perturb(model, X[rows], y[rows])
    assert np.array_equal(model.predict(out) != y[rows], norms <= 0.1)


REGRESSORS = [
    DecisionTreeRegressor(max_depth=4, random_state=0),
    RandomForestRegressor(4, max_depth=3, random_state=0),
    ExtraTreesRegressor(3, max_depth=4, random_state=0),
    GradientBoostingRegressor(n_estimators=4, max_depth=2, random_state=0),
    HistGradientBoostingRegressor(**HIST),
    HistGradientBoostingRegressor(**HIST, loss="poisson"),
]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("box", [None, (0, 1)])
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
@pytest.mark.parametrize("objective", ["prediction_shift", "prediction_error"])
def test_regression_against_all_cells(model, norm, box, objective):
    X, _, values = table()
    values = values - values.min() + 0.1
    model = clone(model).fit(X, values)
    if getattr(model, "loss", None) == "poisson":
        with pytest.raises(ValueError, match="link"):
            ExactTree(0.0917).perturb(model, X)
        return
    rows, eps = slice(0, 15), 0.0917
    attack = ExactTree(
        eps, norm=norm, data_range=box, objective=objective, node_budget=20000
    )
    out = attack.perturb(model, X[rows], values[rows])
    assert attack.proven_.all()
    clean = model.predict(X[rows])
    middle = clean if objective == "prediction_shift" else values[rows]
    assert (length(out - X[rows], norm) <= eps * (1 + 1e-9)).all()
    for i, x in enumerate(X[rows]):
        points = cells(model, x, box)
        points = points[length(points - x, norm) <= eps]
        best = np.abs(model.predict(points) - middle[i]).max()
        found = abs(model.predict(out[i : i + 1])[0] - middle[i])
        assert found == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_sums_of_regression_tell_their_budget():
    X, _, values = table(150, d=5)
    model = RandomForestRegressor(50, random_state=0).fit(X, values)
    few, more = (ExactTree(0.15, node_budget=n) for n in (1, 1000))
    with pytest.warns(UserWarning, match="node_budget=1 parts"):
        one = few.perturb(model, X[:10])
    other = more.perturb(model, X[:10])
    assert more.proven_.all()
    assert not few.proven_.all()
    clean = model.predict(X[:10])
    shifts = [np.abs(model.predict(Z) - clean) for Z in (one, other)]
    assert (shifts[1] >= shifts[0] - 1e-9).all()
    assert shifts[1].mean() > 0


@pytest.mark.slow
def test_boosting_behind_scalers_and_with_names():
    pd = pytest.importorskip("pandas")
    X, y, _ = table()
    frame = pd.DataFrame(X, columns=["a", "b"])
    words = np.array(["low", "mid", "top"])[y]
    for model in CLASSIFIERS[:3]:
        bare = clone(model).fit(X, y)
        piped = make_pipeline(StandardScaler(), clone(model)).fit(frame, words)
        attack = ExactTree(0.1)
        norms = attack.minimal_norms(piped, frame, words)
        assert np.allclose(norms, attack.minimal_norms(bare, X, y), atol=0.05)
        out = attack.perturb(piped, frame, words)
        assert np.array_equal(piped.predict(out) != words, norms <= 0.1)


def test_refusals():
    pd = pytest.importorskip("pandas")
    X, y, values = table()
    kinds = pd.DataFrame({"a": pd.Categorical(y.astype(str)), "b": X[:, 1]})
    for model, rows, targets, sentence in (
        (AdaBoostClassifier(LogisticRegression()), X, y, "this is AdaBoostClassifier"),
        (AdaBoostRegressor(), X, values, "this is AdaBoostRegressor"),
        (GradientBoostingClassifier(init=DummyClassifier()), X, y, "this is Gradient"),
        (RandomForestRegressor(3), X, X, "this is RandomForestRegressor"),
    ):
        fitted = clone(model).fit(rows, targets)
        with pytest.raises(ValueError, match=sentence):
            ExactTree(0.1).perturb(fitted, rows, None if is_regressor(model) else y)
    fitted = HistGradientBoostingClassifier(**HIST).fit(kinds, y)
    with pytest.raises(ValueError, match=r"categor|numeric|numbers|convert"):
        ExactTree(0.1).perturb(fitted, kinds, y)


def test_categories_of_histogram_boosting():
    rng = np.random.default_rng(0)
    codes = rng.choice([0.5, 3.0, 7.0, 8.0, np.nan], 300)
    X = np.column_stack([rng.random(300), codes, rng.random(300)])
    y = (X[:, 0] + np.isin(codes, [0.5, 8.0]) > 1).astype(int)
    model = HistGradientBoostingClassifier(**HIST, categorical_features=[1]).fit(X, y)
    unseen = np.where([[False, True, False]], 6.0, X[:20])
    rows = np.concatenate([X, unseen])
    read = read_trees(model, "test")
    assert read.trees.categorical.tolist() == [1]
    scores = read.trees.scores(read.seen(rows))
    np.testing.assert_allclose(scores[:, 1], model.decision_function(rows))
    rows = X[~np.isnan(codes)][:20]
    rules = Constraints(frozen=[0, 2], valid_values={1: [0.5, 3.0, 7.0, 8.0]})
    norms = ExactTree(constraints=rules).minimal_norms(model, rows)
    for row, norm in zip(rows, norms, strict=True):
        moved = np.tile(row, (4, 1))
        moved[:, 1] = [0.5, 3.0, 7.0, 8.0]
        other = model.predict(moved) != model.predict(row[None])
        assert norm == np.abs(moved[other, 1] - row[1]).min(initial=np.inf)


@pytest.mark.parametrize("scales", [False, True])
@pytest.mark.parametrize("histograms", [False, True])
def test_nearest_points_of_trees_hold_in_single_precision(histograms, scales):
    # The nearest point of a box, rounded to float32, may lie on the near side of it.
    rng = np.random.default_rng(0)
    X = rng.normal(3, 1, size=(60, 2)).astype(np.float32)
    y = (X.sum(axis=1) > 6).astype(int)
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    if histograms:
        model = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5)
    model = make_pipeline(StandardScaler(), model) if scales else model
    model.fit(X, y)
    attack = ExactTree(eps=1.0)
    norms = attack.minimal_norms(model, X, y)
    fooled = model.predict(attack.perturb(model, X, y)) != y
    clear = np.abs(norms - 1) > 1e-5
    np.testing.assert_array_equal(fooled[clear], (norms <= 1)[clear])


def test_branches_of_missing_values_alone_are_out_of_reach():
    # Their box begins and ends at infinity; no search may walk into it.
    rng = np.random.default_rng(20)
    X = rng.normal(size=(12, 2))
    y = rng.permutation(np.repeat([0, 1], 6))
    holes = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = HistGradientBoostingClassifier(
        max_iter=3, max_depth=2, min_samples_leaf=2, learning_rate=0.7
    )
    model.fit(holes, y)
    attack = ExactTree(norm=1, node_budget=300)
    attack.minimal_norms(model, X)
    assert attack.proven_.all()


@pytest.mark.parametrize("init", ["zero", None])
def test_a_sum_of_zero_is_the_second_class_of_gradient_boosting(init):
    X = np.array([[0.0], [1.0], [1.0], [2.0]])
    model = GradientBoostingClassifier(init=init, n_estimators=1, learning_rate=1.0)
    model.fit(X, [0, 0, 1, 1])
    assert model.decision_function([[1.0]]) == 0
    assert model.predict([[1.0]]) == 1
    norms = ExactTree().minimal_norms(model, X)
    np.testing.assert_allclose(norms, [0.5, 0.5, 0.5, 1.5], rtol=1e-6)
