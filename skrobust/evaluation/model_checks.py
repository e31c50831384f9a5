"""Checks of model and input before any attack runs."""

import warnings

import numpy as np
from scipy.special import logsumexp

from skrobust._differentiable import differentiable_view
from skrobust._responses import predict_labels, predict_probabilities
from skrobust.evaluation._evaluation_warning import doubt

_CALLER = "check_evaluation"
_SATURATED = 100.0  # log odds at which cross entropy underflows in single precision


def responses(estimator, X):
    """Return probabilities, scores or one-hot labels of shape (n, n_columns)."""
    if hasattr(estimator, "predict_proba"):
        return predict_probabilities(estimator, X, _CALLER)
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        return scores if scores.ndim == 2 else np.stack([-scores, scores], axis=1)
    labels = predict_labels(estimator, X)
    return (labels[:, None] == np.unique(labels)[None]).astype(np.float64)


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


def check_gradients(estimator, X, y):
    """Yield doubts about the gradients of a model; none where there is no view."""
    try:
        view = differentiable_view(estimator, _CALLER)
    except (ValueError, TypeError):
        return
    with view:
        x = view.tensor(X)
        logits, pullback = view.forward(x)
        plain = view.host(logits if isinstance(logits, np.ndarray) else logits.detach())
        plain = np.asarray(plain, dtype=np.float64)
        yield from _check_logits(plain)
        column = plain.argmax(axis=1)
        slope = np.exp(plain - plain.max(axis=1, keepdims=True))
        slope[np.arange(len(plain)), column] = 0.0
        slope /= np.maximum(slope.sum(axis=1, keepdims=True), 1e-300)
        slope[np.arange(len(plain)), column] = -1.0
        if not isinstance(logits, np.ndarray):
            slope = logits.detach().new_tensor(slope)
        try:
            gradient = view.host(pullback(slope))
        except ValueError:  # no gradient reaches the input at all
            gradient = np.zeros_like(X, dtype=np.float64)
    flat = np.asarray(gradient, dtype=np.float64).reshape(len(X), -1)
    dead = float((~np.isfinite(flat).all(axis=1) | ~flat.any(axis=1)).mean())
    if dead > 0:
        yield doubt("ZERO_GRADIENT", {"share": dead})


def _check_logits(logits):
    rows_sum = np.abs(logits.sum(axis=1) - 1).max() < 1e-3
    within = logits.min() >= 0 and logits.max() <= 1
    single = logits.shape[1] == 2 and not logits[:, 0].any()
    if within and len(logits) > 1 and (rows_sum or single) and logits.any():
        numbers = {"smallest": float(logits.min()), "largest": float(logits.max())}
        yield doubt("PROBABILITIES_AS_LOGITS", numbers)
    best = logits.argmax(axis=1)
    others = logits.copy()
    others[np.arange(len(logits)), best] = -np.inf
    odds = logits.max(axis=1) - logsumexp(others, axis=1)
    share = float((odds > _SATURATED).mean())
    if share > 0.01:
        numbers = {"share": share, "median_log_odds": float(np.median(odds))}
        yield doubt("SATURATED_LOSS", numbers)


def quietly(function, *arguments, **settings):
    """Call a function without its warnings; the checks replace them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **settings)
