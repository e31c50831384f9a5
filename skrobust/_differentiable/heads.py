"""Heads: class scores of a final model, and their link to probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from skrobust._differentiable.maps import Map, stand_in_of


@dataclass(frozen=True)
class Head:
    """Head of a translated model: a map from rows to scores, and their meaning.

    Attributes
    ----------
    map : Map
        To scores of shape (n, n_classes), or predictions of shape (n, 1). Two classes
        have scores whose difference is the decision function.
    classes : array or None
        Labels of the columns; None for a regressor.
    link : {"softmax", "sigmoid", "huber", None}
        How probabilities come from scores; None where there are none.
    offset : array or None
        What is added to scores before the largest is the predicted label.
    decide : callable or None
        From scores to scores whose largest is the predicted label, where an offset is
        not enough.
    margins : Map or None
        To scores whose largest is the predicted label, for attacks on labels, where
        those of ``map`` have no slope that leads to other labels.
    model : estimator or None
        Asked for probabilities where no link gives them.
    """

    map: Map
    classes: Any = None
    link: str | None = None
    offset: Any = None
    decide: Any = None
    margins: Any = None
    model: Any = None

    def decision_scores(self, scores):
        """Return scores whose largest is the label that the model predicts."""
        if self.decide is not None:
            return self.decide(scores)
        return scores if self.offset is None else scores + self.offset

    def log_proba(self, x):
        """Return logarithms of probabilities and their pullback."""
        raw, pull = self.map.apply(x)
        scores, inner = linked(raw, self.link)
        log_p = scores - logsumexp(scores, axis=1, keepdims=True)

        def pullback(slope):
            out = slope - np.exp(log_p) * slope.sum(axis=1, keepdims=True)
            return pull(out if inner is None else out * inner)

        return log_p, pullback


def linked(raw, link):
    """Return what probabilities are the softmax of, and its slope (None: 1)."""
    two = raw.shape[1] == 2
    if link == "sigmoid" and not two:
        return log_expit(raw), expit(-raw)
    if link == "huber":
        most = 1 - 1e-12
        d = np.clip(raw, -most, most)
        inside = np.abs(raw) < most
        if two:  # (0, d): the log odds of (1 + d) / 2
            return np.log1p(d) - np.log1p(-d), inside * 2 / (1 - d * d)
        return np.log1p(d), inside / (1 + d)
    return raw, None


def two_columns(decision):
    """Return the map from decisions of shape (n, 1) to scores (0, decision)."""

    def apply(x):
        d, pull = decision.apply(x)
        return np.hstack([np.zeros_like(d), d]), lambda slope: pull(slope[:, 1:])

    return Map(apply, decision.affine, decision.stand_in)


def mixture(heads, weights, classes):
    """Return the head whose probabilities are the weighted mean of those of heads.

    Means are taken of logarithms without leaving them, so that tiny probabilities keep
    their slopes.
    """
    log_w = np.log(np.asarray(weights, dtype=np.float64) / np.sum(weights))

    def apply(x):
        parts = [head.log_proba(x) for head in heads]
        terms = np.stack([p for p, _ in parts]) + log_w[:, None, None]
        log_p = logsumexp(terms, axis=0)

        def pullback(slope):
            shares = np.exp(terms - log_p)
            pairs = zip(parts, shares, strict=True)
            return sum(pull(slope * share) for (_, pull), share in pairs)

        return log_p, pullback

    whole = Map(apply, stand_in=stand_in_of([head.map for head in heads]))
    return Head(whole, classes, "softmax")
