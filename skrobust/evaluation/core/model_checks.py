"""Checks of model and input before any attack runs."""

import warnings
from contextlib import suppress

import numpy as np

from skrobust._parallel import LostTask, alone
from skrobust._repeated_answers import warn_if_random
from skrobust._responses import predict_labels, predict_probabilities, respond
from skrobust.evaluation.core._evaluation_warning import doubt

_CALLER = "check_evaluation"


def responses(estimator, X):
    """Return probabilities, scores or one-hot labels of shape (n, n_columns)."""
    if hasattr(estimator, "predict_proba"):
        return predict_probabilities(estimator, X, _CALLER)
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(
            respond(estimator, "decision_function", X), dtype=np.float64
        )
        return scores if scores.ndim == 2 else np.stack([-scores, scores], axis=1)
    labels = predict_labels(estimator, X)
    classes = getattr(estimator, "classes_", np.unique(labels))
    return (labels[:, None] == np.asarray(classes)[None]).astype(np.float64)


def check_repeats(estimator, X, caller):
    """Warn where a model answers differently when it is asked again.

    Within isolation it is asked there; one that is lost is left to the run.
    """
    with suppress(LostTask):
        alone(warn_if_random, estimator, X, caller)


def check_answers(estimator, X, take):
    """Yield doubts about a model whose answers for the same rows differ."""
    first, second = responses(estimator, X), responses(estimator, X)
    scale = max(1.0, float(np.abs(first).max()))
    differ = float(np.abs(first - second).max())
    if differ > 1e-4 * scale:
        yield doubt("STOCHASTIC", {"largest_difference": differ})
        return
    if len(first) < 4:
        return
    # Two at a time: batch normalisation in training mode refuses a single row.
    few = range(0, min(len(first) // 2 * 2, 16), 2)
    alone = [responses(estimator, take(X, np.arange(i, i + 2))) for i in few]
    if alone[0].shape[1] != first.shape[1]:  # labels alone
        return
    alone = np.concatenate(alone)
    differ = float(np.abs(alone - first[: len(alone)]).max())
    if differ > 1e-3 * scale:
        yield doubt("BATCH_DEPENDENT", {"largest_difference": differ})


def check_input(values, eps, norm, data_range):
    """Yield doubts about the units of the input."""
    flat = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    low, high = float(flat.min()), float(flat.max())
    sd, mean = flat.std(axis=0), flat.mean(axis=0)
    moving = sd > 0
    slack = 0.02 + 4 / np.sqrt(len(flat))
    alike = (np.abs(mean) < slack) & (np.abs(sd - 1) < slack)
    if len(flat) >= 20 and moving.any() and alike[moving].mean() > 0.9 and low < 0:
        sd = float(np.median(sd[moving]))
        numbers = {"mean": float(np.abs(mean).max()), "sd": sd}
        yield doubt("INPUT_SCALE", numbers)
    whole = bool((flat == np.round(flat)).all()) and high - low >= 10
    # Less than one step can be meant where there are few steps; 1/50 of all is not.
    small = eps is not None and 0 < eps < min(1, 0.02 * (high - low))
    if small and whole and norm == np.inf:
        yield doubt("INPUT_SCALE", {"low": low, "high": high, "eps": eps}, "of eps")
    if data_range is None:
        return
    floor, ceiling = (np.asarray(bound, dtype=np.float64) for bound in data_range)
    span = float((ceiling - floor).max())
    if high > low and span > 10 * (high - low):
        numbers = {"low": low, "high": high, "width": span}
        yield doubt("INPUT_SCALE", numbers, "of data_range")


def quietly(function, *arguments, **settings):
    """Call a function without its warnings; the checks replace them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **settings)
