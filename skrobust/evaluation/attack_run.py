"""One run of an attack as an array, so that a checkpoint can keep it."""

import warnings

import numpy as np

from skrobust._responses import predict_labels
from skrobust._results import Results
from skrobust.base import BaseAttack
from skrobust.metrics.labels import label_pair

_COUNTS = ("forward", "backward", "queries", "iterations")


def right_labels(estimator, X, y):
    """Return whether the estimator is right about each row."""
    y, predicted = label_pair(y, predict_labels(estimator, X), "evaluate_attack")
    return predicted == y


def attack_table(estimator, attack, X, y):
    """Return one row per fact of a run: right under attack, success, norm, counts.

    What a perturbation or an object of the user's own cannot say is nan.
    """
    nothing = np.full(len(y), np.nan)
    if not isinstance(attack, BaseAttack):
        right = right_labels(estimator, attack.perturb(estimator, X, y), y)
        return np.array([right, ~right] + [nothing] * 5, dtype=np.float64)
    result = attack.run(estimator, X, y)
    for sentence in result.warnings:
        warnings.warn(sentence, UserWarning, stacklevel=3)
    counts = [getattr(result, name) for name in _COUNTS]
    rows = [right_labels(estimator, result.X_adv, y), result.success, result.norm]
    rows += [nothing if part is None else part for part in counts]
    return np.array(rows, dtype=np.float64)


def per_sample(table):
    """Return the table of a run by name, without what was not counted."""
    found = dict(zip(("success", "norm", *_COUNTS), table[1:], strict=True))
    found["success"] = found["success"].astype(bool)
    for name in _COUNTS:
        if np.isnan(found[name]).any():
            del found[name]
        else:
            found[name] = found[name].astype(np.int64)
    return Results(columns=tuple(found), **found)
