"""Scores of predicted labels, and how well they order and pick models."""

import warnings

import numpy as np
from ranks import tau
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.metrics import normalized_score_parts

KINDS = ("raw", "normalized", "not clipped", "balanced", "MCC")


def label_scores(y_true, y_pred, *, n_features, y):
    """Return each kind of score of the test part of a data set with the labels y."""
    labels, counts = np.unique(y, return_counts=True)
    size = {"n_features": n_features, "n_samples": len(y), "class_counts": counts}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # clipped, or a class is missing
        parts = normalized_score_parts(
            y_true, y_pred, task="classification", **size, labels=labels
        )
        balanced = balanced_accuracy_score(y_true, y_pred)
    return {
        "raw": parts.raw,
        "normalized": parts.score,
        "not clipped": parts.unclipped,
        "balanced": balanced,
        "MCC": matthews_corrcoef(y_true, y_pred),
    }


def order(scores, target):
    """Return Kendall's tau over models; scores that are all equal order nothing: 0."""
    value = tau(np.round(scores, 12), target)
    return 0.0 if np.isnan(value) else value


def regret(scores, target):
    """Return what the model of the highest score lacks of the best target.

    Of models that share the highest score one is taken by lot: their mean.
    """
    best = np.asarray(scores) >= np.max(scores) - 1e-12
    return float(np.max(target) - np.mean(np.asarray(target)[best]))


def ties(scores):
    """Return the share of pairs of models that the score does not tell apart."""
    scores = np.asarray(scores)
    first, second = np.triu_indices(len(scores), 1)
    return float(np.mean(np.abs(scores[first] - scores[second]) < 1e-12))


def scores_of_models(models, split, y, at_large):
    """Return scores of each model on a data set, and what holds of it at large.

    Parameters
    ----------
    models : dict of str to classifier
        They are fitted behind a scaler.
    split : tuple
        Training and test rows, training and test labels.
    y : ndarray
        All labels of the data set.
    at_large : callable
        From a fitted model to a dictionary of further numbers.

    Returns
    -------
    dict of str to ndarray of shape (n_models,)
        Each score, and each number of ``at_large``.
    """
    X_train, X_test, y_train, y_test = split
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in models.values():
            model = make_pipeline(StandardScaler(), model).fit(X_train, y_train)
            labels = model.predict(X_test)
            one = label_scores(y_test, labels, n_features=X_test.shape[1], y=y)
            found.append(one | at_large(model))
    return {kind: np.array([one[kind] for one in found]) for kind in found[0]}
