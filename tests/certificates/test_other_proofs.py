"""Proofs about every other model: no point of the ball is outside, some are exact."""

import warnings

import numpy as np
import pytest
from ball_points import points
from problems import linear_problem
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC, LinearSVC, NuSVC

from skrobust.certificates.find_proof import find_proof
from skrobust.certificates.quadratic import least_quadratic
from skrobust.certificates.region import Region
from skrobust.evaluation import robust_accuracy_bounds

NORMS = [np.inf, 2, 1]
_, X2, Y2 = linear_problem(60, 4, seed=2)
_, X3, Y3 = linear_problem(60, 4, classes=3, seed=1)
LOGISTIC = LogisticRegression(C=10)
MODELS = {
    "naive Bayes": GaussianNB(),
    "scaled naive Bayes": make_pipeline(StandardScaler(), GaussianNB()),
    "multinomial": MultinomialNB(),
    "complement": ComplementNB(),
    "bernoulli": BernoulliNB(binarize=None),
    "rbf": SVC(),
    "scaled rbf": make_pipeline(StandardScaler(), SVC(gamma=0.3)),
    "nu": NuSVC(),
    "linear kernel": SVC(kernel="linear"),
    "1 neighbour": KNeighborsClassifier(1),
    "scaled 1 neighbour": make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
    "5 neighbours": KNeighborsClassifier(5),
    "manhattan": KNeighborsClassifier(3, p=1),
    "chebyshev": KNeighborsClassifier(4, metric="chebyshev"),
    "sigmoid": CalibratedClassifierCV(LinearSVC(), cv=2),
    "isotonic": CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=2),
    "isotonic Bayes": CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=2),
    "voting": VotingClassifier([("a", LOGISTIC), ("b", GaussianNB())], voting="soft",
                               weights=[1, 2]),
    "hard voting": VotingClassifier([("a", LOGISTIC), ("b", GaussianNB()),
                                     ("c", SVC())]),
    "bagging": BaggingClassifier(LOGISTIC, 4, max_features=0.7, random_state=0),
    "scaled bagging": make_pipeline(
        StandardScaler(), BaggingClassifier(GaussianNB(), 3, random_state=0)
    ),
    "rest": OneVsRestClassifier(LOGISTIC),
    "rest of perceptrons": OneVsRestClassifier(Perceptron()),
    "rest of naive Bayes": OneVsRestClassifier(GaussianNB()),
    "one": OneVsOneClassifier(LinearSVC()),
    "one of naive Bayes": OneVsOneClassifier(GaussianNB()),
    "self-training": SelfTrainingClassifier(LOGISTIC),
    "quadratic": QuadraticDiscriminantAnalysis(reg_param=0.1),
    "constant": DummyClassifier(),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("k", "norm"), [(2, np.inf), (3, np.inf), (3, 2), (2, 1)])
@pytest.mark.parametrize("name", MODELS)
def test_no_point_of_the_ball_is_outside(name, norm, k):
    X, y = (X2, Y2) if k == 2 else (X3, Y3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence
        model = MODELS[name].fit(X, y)
    eps, rows = (0.02 if norm == np.inf else 0.04), X[::4]
    region = Region.of(rows, eps, norm, (0, 1))
    has = hasattr(model, "predict_proba")
    ask = model.predict_proba if has else None
    proof = find_proof(model, region, len(model.classes_), ask, "test")
    assert not proof.name.startswith("trivial"), proof.name
    own = np.searchsorted(model.classes_, model.predict(rows))
    won = proof.wins(own)
    rng = np.random.default_rng(0)
    low, high = proof.probabilities()
    assert (low <= high + 1e-12).all()
    lost = 0
    for i in range(len(rows)):
        tried = points(rows[i], eps, norm, rng, 100, 0, 1)
        stays = (model.predict(tried) == model.classes_[own[i]]).all()
        lost += not stays
        assert stays or not won[i]
        if proof.is_exact_on_labels and norm != 2:
            assert won[i] or not stays or name.endswith("neighbour")
        if has:
            p = model.predict_proba(tried)
            assert (low[i] - 1e-9 <= p).all()
            assert (p <= high[i] + 1e-9).all()
    assert won.sum() > 0.3 * (len(rows) - lost)


@pytest.mark.parametrize("norm", NORMS)
def test_quadratics_by_enumeration(norm):
    rng = np.random.default_rng(0)
    rows, a, b = rng.random((5, 2)), rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    region = Region.of(rows, 0.4, norm, (0.1, 0.9))
    found = least_quadratic(region, a, b)
    grid = np.stack(np.meshgrid(*[np.linspace(-0.4, 0.4, 161)] * 2), -1).reshape(-1, 2)
    size = {np.inf: np.abs(grid).max(1), 1: np.abs(grid).sum(1)}
    size[2] = np.sqrt((grid**2).sum(1))
    low, high = region.box
    for i in range(5):
        inside = size[norm] <= 0.4 + 1e-12
        moved = rows[i] + grid
        inside &= ((moved >= low[i] - 1e-12) & (moved <= high[i] + 1e-12)).all(axis=1)
        values = (a[i] * grid**2 + b[i] * grid).sum(axis=1)[inside]
        assert found[i] <= values.min() + 1e-12
        if norm == np.inf:
            assert found[i] >= values.min() - 0.01


def test_one_neighbour_is_exact_by_a_fine_grid():
    """Two features: each label change of the ball shows on a fine grid of it."""
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 2)), rng.integers(0, 3, 40)
    model = KNeighborsClassifier(1).fit(X, y)
    rows = rng.random((25, 2))
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 121)] * 2), -1).reshape(-1, 2)
    for norm, eps in ((np.inf, 0.05), (2, 0.06), (1, 0.07)):
        size = {np.inf: np.abs(grid).max(1), 1: np.abs(grid).sum(1)}
        size[2] = np.sqrt((grid**2).sum(1))
        ball = eps * grid[size[norm] <= 1]
        region = Region.of(rows, eps, norm, None)
        proof = find_proof(model, region, 3, model.predict_proba, "test")
        own = model.predict(rows)
        won = proof.wins(own)
        stays = [
            (model.predict(x + ball) == c).all() for x, c in zip(rows, own, strict=True)
        ]
        np.testing.assert_array_equal(won, stays)
        assert 0 < won.sum() < 25


def test_naive_bayes_is_exact_in_a_cube():
    model = GaussianNB().fit(X3, Y3)
    region = Region.of(X3, 0.05, np.inf, (0, 1))
    proof = find_proof(model, region, 3, model.predict_proba, "test")
    own = model.predict(X3)
    won = proof.wins(own)
    grid = np.stack(np.meshgrid(*[np.linspace(-0.05, 0.05, 9)] * 4), -1).reshape(-1, 4)
    for i in range(0, 60, 2):
        tried = np.clip(X3[i] + grid, 0, 1)
        assert won[i] == (model.predict(tried) == own[i]).all()
    assert 0 < won.mean() < 1


def test_a_threshold_and_unknown_labels():
    base = LogisticRegression().fit(X2, Y2)
    inner = VotingClassifier([("a", base), ("b", GaussianNB())], voting="soft")
    model = FixedThresholdClassifier(inner, threshold=0.7).fit(X2, Y2)
    r = robust_accuracy_bounds(model, X2, Y2, eps=0.02, random_state=0)
    assert r.certificate == "bound for a threshold on probabilities"
    assert 0.2 < r.lower <= r.upper
    wrong = np.where(np.arange(60) < 5, 7, Y2)
    r = robust_accuracy_bounds(model, X2, wrong, eps=0.02, random_state=0)
    assert not r.per_sample.lower[:5].any()
    assert not r.per_sample.upper[:5].any()


@pytest.mark.parametrize("name", ["naive Bayes", "rbf", "5 neighbours", "isotonic"])
def test_certified_is_below_attacked(name):
    model = MODELS[name].fit(X3, Y3)
    r = robust_accuracy_bounds(
        model, X3, Y3, eps=0.03, data_range=(0, 1), random_state=0
    )
    assert (r.per_sample.lower <= r.per_sample.upper).all()
    assert (r.per_sample.upper <= r.per_sample.clean).all()
    assert 0 < r.lower <= r.upper
