"""Proofs about trees and models made of them, against all cells of tiny trees."""

from itertools import product

import numpy as np
import pytest
from ball_points import points
from problems import linear_problem
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import RandomSearch
from skrobust.certificates import tree_proof
from skrobust.certificates.find_proof import find_proof
from skrobust.certificates.region import Region
from skrobust.evaluation import robust_accuracy_bounds, robust_ratio_bounds

BOX, RNG = (0, 1), np.random.default_rng(0)
_, X2, Y2 = linear_problem(60, 2, seed=2)
_, X3, Y3 = linear_problem(60, 2, classes=3, seed=1)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
FOREST = RandomForestClassifier(2, max_depth=2, random_state=0)
BOOST = GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=0)
PAIR = [("tree", TREE), ("linear", LogisticRegression(C=10))]
MODELS = {
    "calibrated tree": CalibratedClassifierCV(TREE, cv=2),
    "isotonic forest": CalibratedClassifierCV(FOREST, method="isotonic", cv=2),
    "calibrated boosting": CalibratedClassifierCV(BOOST, cv=2),
    "soft vote": VotingClassifier(PAIR, voting="soft", weights=[1, 2]),
    "hard vote": VotingClassifier([*PAIR, ("boost", BOOST)]),
    "scaled vote": make_pipeline(
        StandardScaler(), VotingClassifier(PAIR, voting="soft")
    ),
    "bagging": BaggingClassifier(FOREST, 2, max_features=0.5, random_state=0),
    "rest": OneVsRestClassifier(TREE),
    "threshold": FixedThresholdClassifier(BOOST, threshold=0.55),
    "tuned threshold": TunedThresholdClassifierCV(BOOST, cv=2, thresholds=5),
    "thresholds of a vote": FixedThresholdClassifier(
        VotingClassifier(PAIR, voting="soft"), threshold=0.55
    ),
}  # fmt: skip
WITH_THREE = [name for name in MODELS if "threshold" not in name]
CASES = [(name, 2) for name in MODELS] + [(name, 3) for name in WITH_THREE]


def cuts_of(model):
    """Return the thresholds of all trees in a model."""
    if hasattr(model, "tree_"):
        return list(model.tree_.threshold[model.tree_.feature >= 0])
    found = []
    for name in ("estimators_", "calibrated_classifiers_", "estimator_", "estimator"):
        if hasattr(model, name) and not (name == "estimator" and found):
            inside = np.ravel(np.array(getattr(model, name), dtype=object))
            found += [cut for one in inside for cut in cuts_of(one)]
    return found


def cells(model, x, eps, norm):
    """Return a point of each cell of the ball, at its corners.

    Trees are constant on cells, and what is monotone has its ends at their corners.
    """
    scale, shift = np.ones(len(x)), np.zeros(len(x))
    if hasattr(model, "steps"):
        scale, shift = model[0].scale_, model[0].mean_
        model = model[-1]
    cuts = np.array(cuts_of(model))
    values = []
    for f, at in enumerate(x):
        own = cuts * scale[f] + shift[f]
        own = np.r_[at, at - eps, at + eps, own - 1e-6, own + 1e-6]
        own = own[(np.abs(own - at) <= eps) & (own >= 0) & (own <= 1)]
        values.append([*own, max(at - eps, 0), min(at + eps, 1)])
    grid = np.array(list(product(*values)))
    return grid[np.linalg.norm(grid - x, ord=norm, axis=1) <= eps + 1e-12]


def problem(k):
    return (X2, Y2) if k == 2 else (X3, Y3)


def proof_of(model, rows, eps, norm):
    ask = getattr(model, "predict_proba", None)
    region = Region.of(rows, eps, norm, BOX)
    return find_proof(model, region, len(model.classes_), ask, "test")


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
@pytest.mark.parametrize(("name", "k"), CASES)
def test_no_cell_is_outside(name, k, norm):
    X, y = problem(k)
    model, rows, eps = MODELS[name].fit(X, y), X[::6], 0.06
    proof = proof_of(model, rows, eps, norm)
    own = np.searchsorted(model.classes_, model.predict(rows))
    won, lost = proof.wins(own), 0
    assert not proof.name.startswith("trivial")
    low, high = proof.probabilities()
    for i, x in enumerate(rows):
        tried = cells(model, x, eps, norm)
        stays = bool((model.predict(tried) == model.classes_[own[i]]).all())
        lost += not stays
        assert stays or not won[i]
        if hasattr(model, "predict_proba"):
            p = model.predict_proba(tried)
            assert (low[i] - 1e-9 <= p).all()
            assert (p <= high[i] + 1e-9).all()
    assert won.sum() > 0.3 * (len(rows) - lost)


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("base", [TREE, FOREST, BOOST])
def test_trees_alone_are_exact(base, k, norm):
    X, y = problem(k)
    model = make_pipeline(StandardScaler(), base).fit(X, y)
    rows, eps = X[::6], 0.06
    proof = proof_of(model, rows, eps, norm)
    own = np.searchsorted(model.classes_, model.predict(rows))
    won = proof.wins(own)
    assert (proof.name, proof.is_exact_on_labels) == ("exact for trees", True)
    low, high = proof.probabilities()
    assert proof.is_exact_on_probabilities or (base is BOOST and k == 3)
    for i, x in enumerate(rows):
        tried = cells(model, x, eps, norm)
        p = model.predict_proba(tried)
        assert won[i] == (model.predict(tried) == own[i]).all()
        if proof.is_exact_on_probabilities:
            np.testing.assert_allclose(low[i], p.min(axis=0), atol=1e-9)
            np.testing.assert_allclose(high[i], p.max(axis=0), atol=1e-9)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("base", [TREE, BOOST])
def test_one_calibrated_tree_is_met(base, method):
    """A monotone map of one exact answer: the bounds are reached."""
    inner = base.fit(X2[:30], Y2[:30])
    model = CalibratedClassifierCV(FrozenEstimator(inner), method=method).fit(X2, Y2)
    low, high = proof_of(model, X2, 0.05, np.inf).probabilities()
    for i in range(0, 60, 5):
        p = model.predict_proba(cells(inner, X2[i], 0.05, np.inf))
        np.testing.assert_allclose(low[i], p.min(axis=0), atol=1e-6)
        np.testing.assert_allclose(high[i], p.max(axis=0), atol=1e-6)


@pytest.mark.parametrize("name", ["calibrated tree", "soft vote", "threshold"])
def test_certified_true_attacked(name):
    model, rows, y, eps = MODELS[name].fit(X2, Y2), X2[::3], Y2[::3], 0.05
    attack = RandomSearch(eps, data_range=BOX, n_steps=5, random_state=0)
    r = robust_accuracy_bounds(model, rows, y, attack)
    near = [cells(model, x, eps, np.inf) for x in rows]
    truth = [(model.predict(q) == c).all() for q, c in zip(near, y, strict=True)]
    assert r.certificate.startswith("bound for")
    assert (r.per_sample.lower <= truth).all()
    assert (truth <= r.per_sample.upper).all()
    assert 0 < r.lower <= np.mean(truth) < 1
    attack.set_params(objective="probability_shift")
    r = robust_ratio_bounds(model, rows, y, attack, reference="max")
    p = model.predict_proba(rows)
    moves = [
        np.abs(model.predict_proba(q) - own).max()
        for q, own in zip(near, p, strict=True)
    ]
    assert r.certificate.startswith("bound for")
    assert (moves <= r.per_sample.certified + 1e-9).all()
    assert (r.per_sample.found <= np.array(moves) + 1e-9).all()
    assert r.per_sample.certified.min() < 0.5


def test_each_column_is_searched_once(monkeypatch):
    """Columns that nobody watches cost nothing, nor does asking again."""
    asked = []
    search = tree_proof.ask_each_row

    def counting(rows, question, column, *rest):
        asked.append((column, len(rows.values)))
        return search(rows, question, column, *rest)

    monkeypatch.setattr(tree_proof, "ask_each_row", counting)
    model = FOREST.fit(X3, Y3)
    proof = proof_of(model, X3[:9], 0.05, np.inf)
    columns = np.array([0] * 4 + [2] * 5)
    low, high = proof.probabilities(columns)
    assert asked == [(0, 4), (2, 5)]
    assert (low[:, 1] == 0).all()
    assert (high[:, 1] == 1).all()
    every = proof.probabilities()
    assert asked[2:] == [(0, 5), (1, 9), (2, 4)]
    rows = np.arange(9)
    np.testing.assert_array_equal(every[0][rows, columns], low[rows, columns])
    proof.probabilities()
    assert len(asked) == 5
    asked.clear()
    proof_of(OneVsRestClassifier(TREE).fit(X3, Y3), X3[:9], 0.05, np.inf).wins(Y3[:9])
    assert asked == [(1, 9)] * 3


@pytest.mark.slow
def test_single_precision_behind_scalers():
    """Every number of single precision within reach is tried, next to the border."""
    rng = np.random.default_rng(0)
    X = (1000 + rng.random((200, 1))).astype(np.float32)
    y = (X[:, 0] > 1000.4).astype(int)
    vote = VotingClassifier([("a", TREE), ("b", TREE)], voting="soft")
    model = make_pipeline(StandardScaler(), vote).fit(X, y)
    unit = np.spacing(np.float32(1000))
    line = np.float32(1000.3) + unit * np.arange(4000, dtype=np.float32)[:, None]
    labels = model.predict(line)
    border = int(labels.argmax())
    assert (np.diff(labels) >= 0).all()
    steps = np.arange(1, 60)
    rows, own = line[border + steps], np.ones(59, dtype=int)
    for n in range(1, 20):
        region = Region.of(rows, float(n * unit), np.inf, None, np.float32)
        won = find_proof(model, region, 2, model.predict_proba, "test").wins(own)
        assert not (won & (steps <= n)).any()
        assert won[steps > n + 20].all()


def test_members_of_other_libraries():
    xgboost, lightgbm = map(pytest.importorskip, ("xgboost", "lightgbm"))
    few = {"n_estimators": 3, "max_depth": 2, "n_jobs": 1}
    pair = [
        ("xgboost", xgboost.XGBClassifier(**few)),
        ("lightgbm", lightgbm.LGBMClassifier(**few, verbose=-1, min_child_samples=5)),
    ]
    # Probabilities in single precision meet others in double: the row alone, too.
    for eps in (1e-9, 0.05):
        for k in (2, 3):
            X, y = problem(k)
            model = VotingClassifier(pair, voting="soft").fit(X, y)
            proof = proof_of(model, X[::3], eps, np.inf)
            low, high = proof.probabilities()
            for i, x in enumerate(X[::3]):
                p = model.predict_proba(points(x, eps, np.inf, RNG, 50, 0, 1))
                assert (low[i] - 1e-12 <= p).all()
                assert (p <= high[i] + 1e-12).all()
            if eps < 0.01:
                assert (high - low < 1e-5).all()
            assert (high - low).mean() < 0.5


def test_unknown_labels_and_links():
    """No point has a label that the model does not know; votes have no probability."""
    model = TREE.fit(X2, Y2)
    proof = proof_of(model, X2[:8], 0.02, np.inf)
    own = np.where(np.arange(8) < 4, -1, model.predict(X2[:8]))
    assert not proof.wins(own)[:4].any()
    assert proof.wins(own)[4:].any()
    assert proof.is_exact_on_labels
    assert not proof.wins(np.full(8, -1)).any()
    boost = AdaBoostClassifier(TREE, n_estimators=2).fit(X2, Y2)
    r = robust_accuracy_bounds(boost, X2, Y2, eps=0.02, random_state=0)
    assert r.certificate == "exact for trees"
    r = robust_ratio_bounds(boost, X2, Y2, eps=0.02, random_state=0)
    assert r.certificate.startswith("trivial")
    outer = CalibratedClassifierCV(boost, cv=2).fit(X2, Y2)
    assert proof_of(outer, X2, 0.02, np.inf).name.startswith("trivial")
