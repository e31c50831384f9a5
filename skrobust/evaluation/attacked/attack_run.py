"""Run of an attack as one array, so that a checkpoint can keep it."""

import warnings

import numpy as np

from skrobust._containers import n_rows
from skrobust._guarded_rows import perturb_guarded
from skrobust._responses import predict_labels
from skrobust._results import Results
from skrobust._stacklevel import level_outside
from skrobust.base import BaseAttack
from skrobust.base.changed_rows import changed_rows, row_distortion
from skrobust.metrics.labels import label_pair

N_FACTS = 9  # rows of the table of a run
_COUNTS = ("forward", "backward", "queries", "iterations")


def correct_labels(estimator, X, y, caller="evaluate_attack"):
    """Return whether the estimator predicts the label of each row."""
    y, predicted = label_pair(y, predict_labels(estimator, X), caller)
    return predicted == y


def attack_table(estimator, attack, X, y):
    """Return one row per fact of a run.

    Correct under attack, success, norm, counts, whether the row changed, and its
    distortion. Facts that a perturbation or an object of your own does not report are
    nan.
    """
    unknown = np.full(len(y), np.nan)
    if not isinstance(attack, BaseAttack):
        moved = perturb_guarded(attack, estimator, X, y)
        correct = correct_labels(estimator, moved, y)
        facts = [correct, ~correct] + [unknown] * (1 + len(_COUNTS))
        return np.array(facts + _effect(X, moved, unknown), dtype=np.float64)
    result = attack.run(estimator, X, y)
    for message in result.warnings:
        warnings.warn(message, UserWarning, stacklevel=level_outside())
    counts = [getattr(result, name) for name in _COUNTS]
    rows = [correct_labels(estimator, result.X_adv, y), result.success, result.norm]
    rows += [unknown if part is None else part for part in counts]
    rows += _effect(X, result.X_adv, unknown)
    return np.array(rows, dtype=np.float64)


def _effect(X, moved, unknown):
    if n_rows(moved) != len(unknown):
        return [np.ones(len(unknown)), unknown]
    return [changed_rows(X, moved), row_distortion(X, moved)[0]]


def per_sample(table):
    """Return the facts of a run by name, without those that are unknown."""
    names = ("success", "norm", *_COUNTS, "changed", "distortion")
    found = dict(zip(names, table[1:], strict=True))
    for name in ("success", "changed"):
        found[name] = found[name].astype(bool)
    for name in _COUNTS:
        if np.isnan(found[name]).any():
            del found[name]
        else:
            found[name] = found[name].astype(np.int64)
    return Results(columns=tuple(found), **found)
