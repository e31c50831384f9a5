"""Proofs about members and machines: sound where there is one, else trivial."""

import warnings

import numpy as np
import pytest
from ball_points import points
from problems import linear_problem
from scipy.sparse import csr_matrix
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from skrobust.certificates.find_proof import find_proof
from skrobust.certificates.region import Region

_, X2, Y2 = linear_problem(60, 4, seed=2)
_, X3, Y3 = linear_problem(60, 4, classes=3, seed=1)


def proof_of(model, rows, eps, norm):
    ask = getattr(model, "predict_proba", None)
    region = Region.of(rows, eps, norm, (0, 1))
    return find_proof(model, region, len(model.classes_), ask, "test")


def quiet_fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is to go, and of convergence
        return model.fit(X, y)


SOUND = {
    "Platt": (SVC(probability=True, random_state=0), 2),
    "scaled Platt": (
        make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)), 2),
    "calibrated machine": (CalibratedClassifierCV(SVC(), cv=2), 2),
    "rest of machines": (OneVsRestClassifier(SVC(C=10)), 3),
    "rest of counts": (OneVsRestClassifier(MultinomialNB(alpha=0.1)), 3),
}  # fmt: skip


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
@pytest.mark.parametrize("name", SOUND)
def test_no_point_of_the_ball_is_outside_of_machines(name, norm):
    model, k = SOUND[name]
    X, y = (X2, Y2) if k == 2 else (X3, Y3)
    model, rows = quiet_fit(model, X, y), X[::5]
    proof = proof_of(model, rows, 0.02, norm)
    assert not proof.name.startswith("trivial")
    own = np.searchsorted(model.classes_, model.predict(rows))
    won, (low, high) = proof.wins(own), proof.probabilities()
    rng = np.random.default_rng(0)
    for i, row in enumerate(rows):
        tried = points(row, 0.02, norm, rng, 50, 0, 1)
        stays = (model.predict(tried) == model.classes_[own[i]]).all()
        assert stays or not won[i]
        if proof.is_exact_on_labels and norm != 2:
            assert won[i] or not stays
        if hasattr(model, "predict_proba"):
            p = model.predict_proba(tried)
            assert (low[i] - 1e-9 <= p).all()
            assert (p <= high[i] + 1e-9).all()
    assert won.mean() > 0.3
    if hasattr(model, "predict_proba") and "Platt" not in name:
        assert (high - low).mean() < 0.6


def test_probabilities_of_many_classes_enclose_every_corner():
    """Beyond 64 classes each difference of scores is at its worst by itself."""
    rng = np.random.default_rng(0)
    X, y = rng.random((70, 3)), np.arange(70)
    model = quiet_fit(LogisticRegression(C=10), X, y)
    low, high = proof_of(model, X[:6], 0.05, np.inf).probabilities()
    for i in range(6):
        p = model.predict_proba(points(X[i], 0.05, np.inf, rng, low=0, high=1))
        assert (low[i] - 1e-9 <= p).all()
        assert (p <= high[i] + 1e-9).all()
    assert (high - low).max() < 0.5


SCALED = make_pipeline(PCA(3), BaggingClassifier(GaussianNB(), 2, random_state=0))
FEW = BaggingClassifier(KNeighborsClassifier(1), 4, max_samples=2, random_state=0)
TRIVIAL = {
    "poly": SVC(kernel="poly"),
    "ties": SVC(break_ties=True),
    "turned machine": make_pipeline(PCA(3), SVC()),
    "calibrated machines": CalibratedClassifierCV(SVC(), cv=2),
    "calibrated poly": CalibratedClassifierCV(SVC(kernel="poly"), cv=2),
    "temperature": CalibratedClassifierCV(LinearSVC(), method="temperature", cv=2),
    "bag of labels": BaggingClassifier(LinearSVC(), 2, random_state=0),
    "bag that misses classes": FEW,
    "turned bag": SCALED,
    "rest of poly": OneVsRestClassifier(SVC(kernel="poly")),
    "one of poly": OneVsOneClassifier(SVC(kernel="poly")),
    "stratified": DummyClassifier(strategy="stratified", random_state=0),
    "binarized": BernoulliNB(binarize=0.5),
    "cosine": KNeighborsClassifier(3, metric="cosine"),
    "weighted neighbours": KNeighborsClassifier(3, weights="distance"),
    "turned neighbours": make_pipeline(PCA(3), KNeighborsClassifier(3)),
}


def check_trivial(model, rows):
    proof = proof_of(model, rows, 0.01, np.inf)
    assert proof.name.startswith("trivial")
    own = np.searchsorted(model.classes_, model.predict(rows))
    assert not proof.wins(own).any()
    low, high = proof.probabilities()
    assert (low == 0).all()
    assert (high == 1).all()


@pytest.mark.parametrize("name", TRIVIAL)
def test_what_no_rule_covers_is_certified_nowhere(name):
    check_trivial(quiet_fit(TRIVIAL[name], X3, Y3), X3[:8])


def test_a_threshold_on_decisions_and_sparse_rows_are_certified_nowhere():
    by_decision = FixedThresholdClassifier(
        SVC(), threshold=0.2, response_method="decision_function"
    )
    check_trivial(by_decision.fit(X2, Y2), X2[:8])
    check_trivial(KNeighborsClassifier(3).fit(csr_matrix(X2), Y2), X2[:8])
