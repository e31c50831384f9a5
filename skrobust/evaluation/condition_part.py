"""One condition scored once: the part that runs in a worker and is kept on disk."""

from collections import Counter

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring

from skrobust._responses import is_net, predict_labels, unwrap
from skrobust.evaluation.condition_table import perturb_rows
from skrobust.metrics.labels import label_pair

_NETS = {"NeuralNetClassifier", "NeuralNetBinaryClassifier"}


def answers_classes(estimator):
    """Say whether a model is a classifier, nets of skorch included."""
    model = unwrap(estimator)[1]
    kinds = {c.__name__ for c in type(model).__mro__} if is_net(model) else set()
    return is_classifier(estimator) or bool(kinds & _NETS)


def find_scorer(estimator, scoring):
    """Return None for accuracy, whose correctness is kept, and otherwise a scorer."""
    if scoring == "accuracy" or (scoring is None and answers_classes(estimator)):
        return None
    return check_scoring(estimator, scoring=scoring)


def clean_part(estimator, X, y, scorer, caller):
    """Return the score on clean rows and, for accuracy, the predictions."""
    if scorer is not None:
        return float(scorer(estimator, X, y)), None
    predicted = predict_labels(estimator, X)
    y, labels = label_pair(y, predicted, caller)
    return float((labels == y).mean()), predicted


def condition_part(estimator, condition, X, y, scorer, clean, caller):
    """Return the score or, for accuracy, what is right and what has flipped.

    Parameters
    ----------
    estimator : fitted estimator
        The model.
    condition : object with ``perturb``
        The condition.
    X, y : array-like
        Rows and their labels or targets.
    scorer : callable or None
        None is accuracy.
    clean : ndarray of shape (n_samples,) or None
        Predictions for the clean rows.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ndarray
        A score of shape (), or booleans of shape (2, n_samples).
    """
    rows = perturb_rows(condition, estimator, X, y, caller)
    if scorer is not None:
        return np.float64(scorer(estimator, rows, y))
    predicted = predict_labels(estimator, rows)
    y, labels = label_pair(y, predicted, caller)
    return np.stack([labels == y, predicted != clean])


class PartKeys:
    """Keys of parts in a checkpoint; equal parts are told apart by their number."""

    def __init__(self, store):
        self.store = store
        self.seen = Counter()

    def prefix(self, estimator, X, y, scorer):
        """Return what the parts of one model on the same rows share."""
        kind = "right and flipped" if scorer is None else scorer
        return self.store.prefix(estimator, X, y, kind)

    def key(self, prefix, condition):
        """Return the key of one condition."""
        key = self.store.key(prefix, condition)
        self.seen[key] += 1
        n = self.seen[key] - 1
        return f"{key}-{n}" if n else key
