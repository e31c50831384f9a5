"""Trees of XGBoost, LightGBM and CatBoost, against the libraries and all cells."""

import itertools
import json

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from skrobust._norms import length
from skrobust.attacks import Constraints, ExactTree, HopSkipJump, RandomSearch, Square
from skrobust.attacks.trees import box_groups
from skrobust.attacks.trees.tree_reader import read_trees
from skrobust.certificates import tree_proof
from skrobust.evaluation import robust_ratio_bounds

# Of XGBoost from 3.4 on, of dart, of its linear models and of its forests.
pytestmark = [
    pytest.mark.filterwarnings("ignore:(?s).*deprecated:UserWarning"),
    pytest.mark.filterwarnings("ignore:(?s).*deprecated:FutureWarning"),
]
NORMS = [np.inf, 2, 1]
SMALL = {"n_estimators": 5, "max_depth": 3}


def xgboost(kind="XGBClassifier", **params):
    library = pytest.importorskip("xgboost")
    return getattr(library, kind)(**{**SMALL, "n_jobs": 1, **params})


def lightgbm(kind="LGBMClassifier", **params):
    library = pytest.importorskip("lightgbm")
    small = {**SMALL, "verbose": -1, "n_jobs": 1, "min_child_samples": 5}
    return getattr(library, kind)(**{**small, **params})


def catboost(kind="CatBoostClassifier", **params):
    library = pytest.importorskip("catboost")
    small = {**SMALL, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return getattr(library, kind)(**{**small, **params})


CLASSIFIERS = {"xgboost": xgboost, "lightgbm": lightgbm, "catboost": catboost}
EVERY = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)


def table(n=120, classes=3, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    y = 3 * X[:, 0] + np.sin(6 * X[:, 1]) + rng.normal(0, 0.3, n)
    return X, (y % classes).astype(int)


def with_holes(n=300, classes=3):
    X, y = table(n, classes, d=4)
    X[:, 3] = np.random.default_rng(1).integers(0, 6, n)
    y = (y + X[:, 3].astype(int) % 2) % classes
    X[:, :3][np.random.default_rng(2).random((n, 3)) < 0.1] = np.nan
    return X, y


# The reader --------------------------------------------------------------------------


def raw_answer(model, X):
    kind = type(model).__module__.partition(".")[0]
    how = {
        "xgboost": {"output_margin": True},
        "lightgbm": {"raw_score": True},
        "catboost": {"prediction_type": "RawFormulaVal"},
    }[kind]
    return np.asarray(model.predict(X, **how), dtype=np.float64)


def on_the_cuts(trees, X):
    """Return rows on each cut and the numbers beside it, in both precisions."""
    rows = []
    for node in np.flatnonzero(trees.feature >= 0):
        if node in trees.codes_left or not np.isfinite(trees.cut[node]):
            continue
        cut = trees.cut[node]
        beside = np.nextafter(np.float32(cut), np.float32(np.inf)).astype(float)
        for value in (cut, np.nextafter(cut, np.inf), beside, (cut + beside) / 2):
            row = X[node % len(X)].copy()
            row[trees.feature[node]] = value
            rows.append(row)
    return np.array(rows)


CASES = {
    "gbtree": lambda: xgboost(n_estimators=15, max_depth=4),
    "dart": lambda: xgboost(n_estimators=15, booster="dart", rate_drop=0.3),
    "forest of xgboost": lambda: xgboost("XGBRFClassifier"),
    "codes of xgboost": lambda: xgboost(
        enable_categorical=True, feature_types=["q", "q", "q", "c"], max_cat_to_onehot=1
    ),
    "xgboost regressor": lambda: xgboost("XGBRegressor", base_score=0.3),
    "lightgbm": lambda: lightgbm(n_estimators=15),
    "forest of lightgbm": lambda: lightgbm(
        boosting_type="rf", bagging_freq=1, bagging_fraction=0.5
    ),
    "codes of lightgbm": lambda: lightgbm(
        categorical_feature=[3], min_data_per_group=1, cat_smooth=1
    ),
    "lightgbm regressor": lambda: lightgbm("LGBMRegressor"),
    "catboost": lambda: catboost(n_estimators=15),
    "missing first": lambda: catboost(nan_mode="Min"),
    "missing last": lambda: catboost(nan_mode="Max"),
    "trees that are not symmetric": lambda: catboost(grow_policy="Lossguide"),
    "catboost regressor": lambda: catboost("CatBoostRegressor"),
}


@pytest.mark.filterwarnings("ignore:.*categorical_feature:UserWarning")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("classes", [2, 3])
def test_sums_are_those_of_the_library(case, classes):
    X, y = with_holes(classes=classes)
    model = CASES[case]().fit(X, y)
    read = read_trees(model, "test")
    rows = np.concatenate([X, on_the_cuts(read.trees, X)])
    scores = read.trees.scores(read.seen(rows))
    raw = raw_answer(model, rows).reshape(len(rows), -1)
    if case == "forest of lightgbm":  # its raw score is not divided
        raw = raw / SMALL["n_estimators"]
    if scores.shape[1] > raw.shape[1]:
        assert (scores[:, 0] == 0).all()
        scores = scores[:, 1:]
    np.testing.assert_allclose(scores, raw, atol=2e-6, rtol=0)
    assert np.abs(scores - raw).max() <= read.trees.slack + 1e-12
    if read.trees.classes is not None:
        p = read.trees.probabilities(read.trees.scores(read.seen(rows)))
        np.testing.assert_allclose(p, model.predict_proba(rows), atol=1e-6)
    assert bool(read.trees.codes_left) == case.startswith("codes")


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
@EVERY
def test_trees_after_early_stopping_are_left_out(make):
    X, y = table(classes=2)
    model = make(n_estimators=60, learning_rate=1.0)
    how = {"eval_set": [(X[80:], y[80:])]}
    if make is xgboost:
        model.set_params(early_stopping_rounds=2)
    elif make is lightgbm:
        stop = pytest.importorskip("lightgbm").early_stopping(2, verbose=False)
        how["callbacks"] = [stop]
    else:
        how["early_stopping_rounds"] = 2
    model.fit(X[:80], y[:80], **how)
    read = read_trees(model, "test")
    assert read.trees.n_trees < 60
    p = read.trees.probabilities(read.trees.scores(read.seen(X)))
    np.testing.assert_allclose(p, model.predict_proba(X), atol=1e-6)


# The engine, against all cells -------------------------------------------------------


def cells(trees, x):
    """Return a point of every cell that the cuts make, the nearest to x."""
    sides = []
    for j in range(len(x)):
        cuts = trees.cut[trees.feature == j]
        kind = trees.dtype
        above = np.nextafter(cuts.astype(kind), kind(np.inf)).astype(float)
        sides.append(np.unique(np.r_[x[j], cuts, above]))
    return np.stack(np.meshgrid(*sides, indexing="ij"), -1).reshape(-1, len(x))


@EVERY
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("classes", [2, 3])
def test_labels_against_all_cells(make, norm, classes):
    X, y = table(classes=classes)
    model = make().fit(X, y)
    trees, some = read_trees(model, "test").trees, slice(0, 12)
    attack = ExactTree(0.08, norm=norm)
    norms = attack.minimal_norms(model, X[some], y[some])
    assert attack.proven_.all()
    bounds = attack.label_bounds(model, X[some], y[some])
    for i, x in enumerate(X[some]):
        points = cells(trees, x)
        other = np.ravel(model.predict(points)) != y[i]
        best = length(points - x, norm)[other].min(initial=np.inf)
        assert norms[i] == pytest.approx(best, rel=1e-6, abs=1e-7)
        if abs(best - 0.08) > 1e-6:
            assert bounds.attacked[i] == (best < 0.08)
            assert bounds.certified[i] == (best > 0.08)
    out = attack.perturb(model, X[some], y[some])
    assert np.array_equal(np.ravel(model.predict(out)) != y[some], norms <= 0.08)


@EVERY
@pytest.mark.parametrize("norm", [np.inf, 1])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_against_all_cells(make, norm, classes):
    X, y = table(classes=classes)
    model = make().fit(X, y)
    trees, some = read_trees(model, "test").trees, slice(0, 8)
    attack = ExactTree(0.083, norm=norm, objective="probability_shift")
    bounds = robust_ratio_bounds(model, X[some], y[some], attack)
    assert bounds.is_exact
    for i, x in enumerate(X[some]):
        points = cells(trees, x)
        points = points[length(points - x, norm) <= 0.083]
        clean = model.predict_proba(x[None])[0]
        moves = np.abs(model.predict_proba(points) - clean)[:, clean.argmax()]
        assert bounds.per_sample.found[i] == pytest.approx(moves.max(), abs=1e-6)
        assert bounds.per_sample.certified[i] == pytest.approx(moves.max(), abs=1e-4)
    attack.perturb(model, X[some])
    assert attack.proven_.all()


@pytest.mark.parametrize("kind", ["XGBRegressor", "LGBMRegressor", "CatBoostRegressor"])
def test_regressors_against_all_cells(kind):
    make = {"X": xgboost, "L": lightgbm, "C": catboost}[kind[0]]
    X, y = table()
    model = make(kind).fit(X, y + X[:, 0])
    trees, attack = read_trees(model, "test").trees, ExactTree(0.083)
    out = attack.perturb(model, X[:10])
    assert attack.proven_.all()
    clean = model.predict(X[:10])
    for i, x in enumerate(X[:10]):
        points = cells(trees, x)
        points = points[length(points - x, np.inf) <= 0.083]
        best = np.abs(model.predict(points) - clean[i]).max()
        found = np.abs(model.predict(out[[i]]) - clean[i])[0]
        assert found == pytest.approx(best, abs=1e-6)


@pytest.mark.filterwarnings("ignore:ExactTree opened node_budget=2:UserWarning")
@pytest.mark.parametrize("norm", [np.inf, 2])
def test_bounds_hold_where_the_budget_ends(norm, monkeypatch):
    X, y = table(200, classes=2, d=4)
    y = y ^ np.random.default_rng(0).integers(0, 2, len(y))
    model = xgboost(n_estimators=12, max_depth=4).fit(X, y)
    rows = X[:10]
    exact = ExactTree(norm=norm).minimal_norms(model, rows)
    # No room to merge trees, so that parts are divided.
    monkeypatch.setattr(box_groups, "_PAIRS", 1)
    few, more = (ExactTree(0.15, norm=norm, node_budget=n) for n in (2, 20_000))
    np.testing.assert_allclose(more.minimal_norms(model, rows), exact)
    assert more.proven_.all()
    upper = few.minimal_norms(model, rows)
    assert not few.proven_.all()
    assert (few.lower_bounds_ <= exact + 1e-9).all()
    assert (exact <= upper + 1e-9).all()
    bounds = few.label_bounds(model, rows)
    assert (bounds.certified <= (exact > 0.15)).all()
    assert (bounds.attacked <= (exact <= 0.15)).all()
    monkeypatch.setattr(tree_proof, "_PARTS", 1)
    shift = robust_ratio_bounds(model, rows, y[:10], few, eps=0.5)
    assert not shift.is_exact
    assert shift.certificate.startswith("bound for trees")
    assert (shift.per_sample.found <= shift.per_sample.certified).all()


# What may move -----------------------------------------------------------------------


@EVERY
def test_constraints_against_all_rows(make):
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 3, 200)
    X = np.column_stack(
        [rng.integers(0, 9, 200), rng.choice([0.0, 2.5, 4.0], 200), np.eye(3)[kinds],
         rng.random(200)]
    )  # fmt: skip
    y = ((X[:, 0] + X[:, 1] + 4 * X[:, 2] + 9 * X[:, 5]) // 4 % 2).astype(int)
    model = make(n_estimators=12).fit(X, y)
    rules = Constraints(
        frozen=[5], integer=[0], valid_values={1: [0, 2.5, 4]}, one_hot=[[2, 3, 4]],
        scale=[2, 1, 1, 1, 1, 1],
    )  # fmt: skip
    levels = itertools.product(range(-1, 11), [0, 2.5, 4], np.eye(3))
    every = np.array([[a, b, *c] for a, b, c in levels])
    for norm in (np.inf, 1):
        attack = ExactTree(2.5, norm=norm, constraints=rules)
        norms = attack.minimal_norms(model, X[:10], y[:10])
        assert attack.proven_.all()
        for i in range(10):
            rows = np.column_stack([every, np.full(len(every), X[i, 5])])
            far = length((rows - X[i]) / [2, 1, 1, 1, 1, 1], norm)
            other = np.ravel(model.predict(rows)) != y[i]
            assert norms[i] == pytest.approx(far[other].min(initial=np.inf))
        out = attack.perturb(model, X[:10], y[:10])
        assert np.array_equal(np.ravel(model.predict(out)) != y[:10], norms <= 2.5)


@pytest.mark.filterwarnings("ignore:.*categorical_feature:UserWarning")
@pytest.mark.parametrize("case", ["codes of xgboost", "codes of lightgbm"])
def test_categories_stay_unless_their_codes_are_listed(case):
    X, y = with_holes(classes=2)
    X = np.nan_to_num(X, nan=0.5)
    model = CASES[case]().fit(X, y)
    assert read_trees(model, "test").trees.categorical.tolist() == [3]
    free = ExactTree(1.0, data_range=([0, 0, 0, 0], [1, 1, 1, 5]))
    assert np.array_equal(free.perturb(model, X[:20])[:, 3], X[:20, 3])
    rules = Constraints(frozen=[0, 1, 2], valid_values={3: range(6)})
    attack = ExactTree(2.0, constraints=rules)
    norms = attack.minimal_norms(model, X[:20])
    for i, x in enumerate(X[:20]):
        rows = np.tile(x, (6, 1))
        rows[:, 3] = range(6)
        other = model.predict(rows) != model.predict(x[None])
        far = np.abs(rows[:, 3] - x[3])
        assert norms[i] == far[other].min(initial=np.inf)


@EVERY
def test_missing_values_stay_missing(make):
    X, y = with_holes(classes=2)
    model = make(n_estimators=10).fit(X, y)
    rows = X[np.isnan(X).any(axis=1)][:15]
    attack = ExactTree(0.1, constraints=Constraints(frozen=[3]))
    result = attack.run(model, rows)
    np.testing.assert_array_equal(np.isnan(result.X_adv), np.isnan(rows))
    assert attack.proven_.all()
    assert np.array_equal(result.success, np.isfinite(result.norm))
    assert (result.norm[result.success] <= 0.1).all()
    bounds = attack.label_bounds(model, rows)
    assert np.array_equal(bounds.attacked, result.success)
    clean, rng = np.ravel(model.predict(rows)), np.random.default_rng(0)
    for _ in range(200):
        near = rows + rng.uniform(-0.1, 0.1, rows.shape)
        near[:, 3] = rows[:, 3]
        same = np.ravel(model.predict(near)) == clean
        assert same[bounds.certified].all()


@pytest.mark.parametrize("kind", ["pandas", "nullable", "polars"])
def test_missing_values_in_frames(kind):
    library = pytest.importorskip("polars" if kind == "polars" else "pandas")
    X, y = with_holes(120, classes=2)
    frame = library.DataFrame(X)
    frame.columns = list("abcd")
    frame = frame.astype("Float64") if kind == "nullable" else frame
    trees = HistGradientBoostingClassifier(max_iter=5)
    plain, named = clone(trees).fit(X, y), clone(trees).fit(frame, y)
    attack = ExactTree(0.05)
    one, other = attack.run(plain, X, y), attack.run(named, frame, y)
    assert np.array_equal(one.success, other.success)
    assert type(other.X_adv) is type(frame)
    np.testing.assert_allclose(other.norm, one.norm)
    np.testing.assert_array_equal(np.isnan(one.X_adv), np.isnan(X))


# Pipelines ---------------------------------------------------------------------------


@EVERY
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_pipelines_and_every_kind_of_attack(make):
    pd = pytest.importorskip("pandas")
    X, y = table()
    frame = pd.DataFrame(X * [1, 50] + [0, 7], columns=["a", "b"])
    model = make_pipeline(StandardScaler(), MinMaxScaler(), make()).fit(frame, y)
    eps = {"constraints": Constraints(scale={"b": 50, "a": 1}), "eps": 0.1}
    exact = ExactTree(**eps).run(model, frame[:20], y[:20])
    assert exact.success.any()
    for attack in (
        Square(**eps, max_queries=30, random_state=0),
        RandomSearch(**eps, n_steps=3, random_state=0),
        HopSkipJump(**eps, n_steps=1, random_state=0),
    ):
        result = attack.run(model, frame[:20], y[:20])
        assert (result.success <= exact.success).all()
    with parallel_config("threading"):
        twice = ExactTree(**eps, n_jobs=2).perturb(model, frame[:20], y[:20])
    pd.testing.assert_frame_equal(twice, exact.X_adv)


@pytest.fixture
def other_file(monkeypatch):
    """Return a function that changes what XGBoost says of its trees."""
    library = pytest.importorskip("xgboost")
    save = library.Booster.save_raw

    def change(each_tree, **more):
        def save_raw(self, raw_format):
            stored = json.loads(bytes(save(self, raw_format=raw_format)))
            model = stored["learner"]["gradient_booster"]["model"]
            for tree in model["trees"]:
                each_tree(tree)
            model |= {k: [v] * len(model["trees"]) for k, v in more.items()}
            return json.dumps(stored).encode()

        monkeypatch.setattr(library.Booster, "save_raw", save_raw)

    return change


def halve_leaves(tree):
    ends = zip(tree["left_children"], tree["split_conditions"], strict=True)
    tree["split_conditions"] = [v / 2 if left < 0 else v for left, v in ends]


def test_weights_of_trees_lie_in_the_model_from_some_version_on(other_file):
    X, y = with_holes(classes=2)
    model = xgboost(n_estimators=15).fit(X, y)
    other_file(halve_leaves, weight_drop=2.0)
    read = read_trees(model, "test")
    scores = read.trees.scores(read.seen(X))[:, 1]
    np.testing.assert_allclose(scores, raw_answer(model, X), atol=2e-6)


def test_trees_whose_sum_is_not_the_answer_are_refused(other_file):
    X, y = with_holes(classes=2)
    model = xgboost(n_estimators=15).fit(X, y)
    other_file(halve_leaves)
    with pytest.raises(ValueError, match="their sum is not its answer"):
        read_trees(model, "test")


def test_what_is_not_understood():
    X, y = table(classes=2)
    many = np.column_stack([y, y])
    for model, target, sentence in (
        (xgboost(booster="gblinear", max_depth=None), y, "booster='gblinear'"),
        (xgboost("XGBRegressor", objective="count:poisson"), y, "has a link"),
        (xgboost("XGBRegressor"), many, "one target"),
        (lightgbm(linear_tree=True), y, "linear_tree=True"),
        (lightgbm(zero_as_missing=True), y, "zero_as_missing=True"),
        (lightgbm("LGBMRegressor", objective="poisson"), y, "has a link"),
        (catboost("CatBoostRegressor", loss_function="Poisson"), y, "has a link"),
    ):
        with pytest.raises(ValueError, match=sentence):
            read_trees(model.fit(X, target), "ExactTree")
