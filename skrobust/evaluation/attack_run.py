"""Run of an attack as one array, so that a checkpoint can keep it."""

import warnings

import numpy as np

from skrobust._responses import predict_labels
from skrobust._results import Results
from skrobust.base import BaseAttack
from skrobust.metrics.labels import label_pair

_COUNTS = ("forward", "backward", "queries", "iterations")


def correct_labels(estimator, X, y, caller="evaluate_attack"):
    """Return whether the estimator predicts the label of each row."""
    y, predicted = label_pair(y, predict_labels(estimator, X), caller)
    return predicted == y


def attack_table(estimator, attack, X, y):
    """Return one row per fact of a run: correct under attack, success, norm, counts.

    Facts that a perturbation or an object of your own does not report are nan.
    """
    unknown = np.full(len(y), np.nan)
    if not isinstance(attack, BaseAttack):
        correct = correct_labels(estimator, attack.perturb(estimator, X, y), y)
        return np.array([correct, ~correct] + [unknown] * 5, dtype=np.float64)
    result = attack.run(estimator, X, y)
    for message in result.warnings:
        warnings.warn(message, UserWarning, stacklevel=3)
    counts = [getattr(result, name) for name in _COUNTS]
    rows = [correct_labels(estimator, result.X_adv, y), result.success, result.norm]
    rows += [unknown if part is None else part for part in counts]
    return np.array(rows, dtype=np.float64)


def per_sample(table):
    """Return the facts of a run by name, without those that are unknown."""
    found = dict(zip(("success", "norm", *_COUNTS), table[1:], strict=True))
    found["success"] = found["success"].astype(bool)
    for name in _COUNTS:
        if np.isnan(found[name]).any():
            del found[name]
        else:
            found[name] = found[name].astype(np.int64)
    return Results(columns=tuple(found), **found)
