"""Proofs about models made of other models: from proofs about their members."""

import numpy as np
from sklearn.base import is_classifier

from skrobust._differentiable import sklearn_name
from skrobust._differentiable.steps import ask
from skrobust._responses import unwrap
from skrobust.certificates.linear_proof import LinearProof
from skrobust.certificates.member_bounds import (
    BoundsProof,
    ConstantProof,
    DuelsProof,
    RestProof,
    VotesProof,
)
from skrobust.certificates.proof import DifferenceProof
from skrobust.certificates.region import SLACK, diagonal_steps
from skrobust.certificates.shares import share_bounds
from skrobust.certificates.tree_proof import TreeProof


class Members:
    """The members of a model, each with its proof.

    Parameters
    ----------
    find : callable
        From (estimator, region, n_classes, ask, shape) to a proof.
    region : Region
        Where rows may move.
    shape : tuple of int or None
        Of a row of the raw input.
    """

    def __init__(self, find, region, shape):
        self._find, self.region, self._shape = find, region, shape
        self._found = {}

    def proof(self, estimator, columns=None):
        """Return the proof about one member, which may see some features alone."""
        region = self.region if columns is None else self.region.of_features(columns)
        asks = hasattr(estimator, "predict_proba")
        shape = self._shape if columns is None else None

        def answer(rows):
            if shape is not None:
                rows = rows.reshape((len(rows), *shape))
            return ask(estimator.predict_proba, rows).astype(np.float64)

        key = id(estimator), None if columns is None else tuple(columns)
        if key not in self._found:
            parts = region, len(estimator.classes_), answer if asks else None, shape
            found = self._find(estimator, *parts)
            is_trees = isinstance(found, TreeProof)
            self._found[key] = found.enclose_rounding() if is_trees else found
        return self._found[key]

    def decisions(self, estimator):
        """Return bounds of what a calibrator takes, of shape (n_samples, n_columns).

        Decisions before probabilities, of two classes one column; None where they are
        not known.
        """
        proof = self.proof(estimator)
        two = len(estimator.classes_) == 2
        if not hasattr(estimator, "decision_function"):
            low, high = proof.probabilities()
            if isinstance(proof, TreeProof):  # calibrators may jump at its values
                low, high = low - SLACK, high + SLACK
            return (low[:, 1:], high[:, 1:]) if two else (low, high)
        if isinstance(proof, TreeProof):
            return proof.decisions()
        if hasattr(proof, "duel") and two:
            return tuple(end[:, None] for end in proof.duel(0))
        if not isinstance(proof, DifferenceProof) or not hasattr(
            proof, "scores_within"
        ):
            return None
        if two:
            ends = proof.differences(np.ones(len(self.region), dtype=int))
            return tuple(end[:, :1] for end in ends)
        return proof.scores_within()


def _calibrated(model, members):
    """Return the mean over calibrated models, each monotone in what it takes."""
    lows, highs = [], []
    for part in model.calibrated_classifiers_:
        ends = members.decisions(part.estimator)
        if ends is None or len(part.estimator.classes_) != len(model.classes_):
            return None
        if part.method not in ("sigmoid", "isotonic"):
            return None
        pairs = zip(part.calibrators, ends[0].T, ends[1].T, strict=True)
        values = [
            [np.asarray(c.predict(end), dtype=np.float64) for end in (low, high)]
            for c, low, high in pairs
        ]
        low = np.column_stack([np.minimum(*pair) for pair in values])
        high = np.column_stack([np.maximum(*pair) for pair in values])
        if low.shape[1] == 1:
            low, high = np.hstack([1 - high, low]), np.hstack([1 - low, high])
        else:
            low, high = share_bounds(low, high)
        lows.append(low)
        highs.append(high)
    name = "bound for calibrated models: monotone in the score"
    return BoundsProof(np.mean(lows, axis=0), np.mean(highs, axis=0), name)


def _mean(proofs, weights, name):
    weights = np.asarray(weights, dtype=np.float64) / np.sum(weights)
    ends = [proof.probabilities() for proof in proofs]
    low, high = (
        sum(w * end[i] for w, end in zip(weights, ends, strict=True)) for i in (0, 1)
    )
    return BoundsProof(low, high, name)


def _voting(model, members):
    weights = np.ones(len(model.estimators_))
    if model.weights is not None:
        pairs = zip(model.estimators, model.weights, strict=True)
        weights = [w for (_, member), w in pairs if not isinstance(member, str)]
    proofs = [members.proof(member) for member in model.estimators_]
    if model.voting == "soft":
        name = "bound for the mean of members: each at its worst"
        return _mean(proofs, weights, name)
    return VotesProof(proofs, np.asarray(weights, dtype=np.float64))


def _bagging(model, members):
    width = members.region.rows.shape[1]
    if not all(hasattr(member, "predict_proba") for member in model.estimators_):
        return None
    if any(len(m.classes_) != len(model.classes_) for m in model.estimators_):
        return None
    proofs = []
    for member, features in zip(
        model.estimators_, model.estimators_features_, strict=True
    ):
        every = np.array_equal(features, np.arange(width))
        proofs.append(members.proof(member, None if every else features))
    name = "bound for the mean of members: each at its worst"
    return _mean(proofs, np.ones(len(proofs)), name)


def _threshold(model, members):
    inner = getattr(model, "estimator_", model.estimator)
    method, tuned = model.response_method, hasattr(model, "best_threshold_")
    if method == "auto":
        has = hasattr(inner, "predict_proba")
        method = "predict_proba" if has else "decision_function"
    value = model.best_threshold_ if tuned else model.threshold
    value = 0.5 if isinstance(value, str) else value
    positive = None if tuned else model.pos_label
    if method != "predict_proba" or (tuned and not isinstance(model.scoring, str)):
        return None
    column = 1 if positive is None else int(np.argmax(model.classes_ == positive))
    low, high = members.proof(inner).probabilities()
    return BoundsProof(
        low, high, "bound for a threshold on probabilities", (column, value)
    )


def _one_vs_rest(model, members):
    """Return the proof from bounds of the answer of each binary model."""
    if len(model.estimators_) == 1 < len(model.classes_):
        return members.proof(model.estimators_[0])
    if len(model.estimators_) != len(model.classes_):
        return None
    ends = [members.decisions(member) for member in model.estimators_]
    if any(end is None for end in ends):
        return None
    low, high = (np.hstack([end[i] for end in ends]) for i in (0, 1))
    if hasattr(model.estimators_[0], "predict_proba"):
        parts = [members.proof(member).probabilities() for member in model.estimators_]
        shares = (np.column_stack([part[i][:, 1] for part in parts]) for i in (0, 1))
        bounds = share_bounds(*shares)
    else:
        bounds = np.zeros_like(low), np.ones_like(low)
    proofs = [members.proof(member) for member in model.estimators_]
    linear = None
    if all(isinstance(proof, LinearProof) for proof in proofs):
        linear = LinearProof.of_rest(proofs)
    return RestProof(low, high, *bounds, linear)


def _one_vs_one(model, members):
    """Return the proof from bounds of the decision of each pair."""
    if model.n_classes_ != len(model.classes_) or model.pairwise_indices_ is not None:
        return None
    ends = [members.decisions(member) for member in model.estimators_]
    if any(end is None for end in ends):
        return None
    middle = [
        0.0 if hasattr(member, "decision_function") else 0.5
        for member in model.estimators_
    ]
    duels = [
        (end[0][:, 0] - m, end[1][:, 0] - m)
        for end, m in zip(ends, middle, strict=True)
    ]
    return DuelsProof(model.n_classes_, duels)


def _self_training(model, members):
    """Return the proof about the classifier that was trained in the end."""
    return members.proof(model.estimator_)


def _constant(model, members):
    """Return the proof about a model that ignores its rows."""
    if model.strategy not in ("most_frequent", "prior", "constant"):
        return None
    row = np.zeros((1, members.region.rows.shape[1]))
    p = np.repeat(model.predict_proba(row), len(members.region), axis=0)
    return ConstantProof(p, int(np.searchsorted(model.classes_, model.predict(row)[0])))


_MODELS = {
    "BaggingClassifier": _bagging,
    "CalibratedClassifierCV": _calibrated,
    "DummyClassifier": _constant,
    "FixedThresholdClassifier": _threshold,
    "OneVsOneClassifier": _one_vs_one,
    "OneVsRestClassifier": _one_vs_rest,
    "SelfTrainingClassifier": _self_training,
    "TunedThresholdClassifierCV": _threshold,
    "VotingClassifier": _voting,
}


def member_proof(estimator, region, find, shape):
    """Return the proof for a model made of others, or None for another model.

    Parameters
    ----------
    estimator, region, shape : object
        As in :func:`skrobust.certificates.find_proof.find_proof`; steps before the
        model must be none, as members see what it sees.
    find : callable
        From (estimator, region, n_classes, ask, shape) to the proof of a member.
    """
    steps, model = unwrap(estimator)
    name = sklearn_name(model)
    if name not in _MODELS or not is_classifier(model):
        return None
    if steps:
        parts = diagonal_steps(steps, region.rows.shape[1])
        if parts is None:
            return None
        region, shape = region.through(*parts), None
    if np.ndim(model.classes_[0]):
        return None  # several outputs
    return _MODELS[name](model, Members(find, region, shape))
