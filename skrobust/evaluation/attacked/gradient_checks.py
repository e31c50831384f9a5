"""Checks of gradients: dead ones, and those along which the loss does not rise."""

import numpy as np
from scipy.special import logsumexp

from skrobust._differentiable import differentiable_view
from skrobust.evaluation.core._evaluation_warning import doubt

_CALLER = "check_evaluation"
_SATURATED = 100.0  # log odds at which cross entropy underflows in single precision
_STEPS = (1e-4, 1e-3, 1e-2, 1e-1)  # of the spread of X, along the gradient
_RISE = 0.1  # of what the gradient promises; less is none


def check_gradients(estimator, X, differences, is_finished):
    """Yield doubts about the gradients of a model; none where there is no view.

    ``differences`` says whether to compare with finite differences too, and
    ``is_finished`` whether the attack knows of slopes that stand in for others, and
    goes on with a search.
    """
    try:
        view = differentiable_view(estimator, _CALLER)
    except (ValueError, TypeError):
        return
    with view:
        x = view.tensor(X)
        logits, pullback = view.forward(x)
        plain = _plain(view, logits)
        yield from _check_logits(plain)
        column = plain.argmax(axis=1)
        slope = _slope(plain, column)
        if not isinstance(logits, np.ndarray):
            slope = logits.detach().new_tensor(slope)
        try:
            gradient = view.host(pullback(slope))
        except ValueError:  # no gradient reaches the input at all
            gradient = np.zeros_like(X, dtype=np.float64)
        flat = np.asarray(gradient, dtype=np.float64).reshape(len(X), -1)
        alive = np.isfinite(flat).all(axis=1) & flat.any(axis=1)
        if not alive.all():
            yield doubt("ZERO_GRADIENT", {"share": float(1 - alive.mean())})
        if not differences or (is_finished and getattr(view, "stand_in", "")):
            return
        lost = alive & _points_nowhere(view, X, flat, plain, column)
        if lost.sum() >= max(2, 0.05 * len(X)):
            numbers = {"share": float(lost.mean()), "n": int(lost.sum())}
            yield doubt("WRONG_GRADIENT", numbers)


def _plain(view, logits):
    host = view.host(logits if isinstance(logits, np.ndarray) else logits.detach())
    return np.asarray(host, dtype=np.float64)


def _slope(plain, column):
    """Return the slope of the log odds against the predicted class by the logits."""
    slope = np.exp(plain - plain.max(axis=1, keepdims=True))
    slope[np.arange(len(plain)), column] = 0.0
    slope /= np.maximum(slope.sum(axis=1, keepdims=True), 1e-300)
    slope[np.arange(len(plain)), column] = -1.0
    return slope


def _odds(logits, column):
    """Return the log odds against a class."""
    rows, others = np.arange(len(logits)), logits.copy()
    others[rows, column] = -np.inf
    return logsumexp(others, axis=1) - logits[rows, column]


def _points_nowhere(view, X, gradient, plain, column):
    """Say for which rows the loss does not rise along the gradient.

    Central differences at several lengths, of which one that rises clears the row;
    those that rounding may hide do not count. A row without any is not judged.
    """
    size = np.linalg.norm(np.nan_to_num(gradient), axis=1)
    way = np.nan_to_num(gradient) / np.where(size > 0, size, 1.0)[:, None]
    values = np.asarray(X, dtype=np.float64).reshape(len(X), -1)
    spread = float(values[:, (way != 0).any(axis=0)].std()) or 1.0
    noise = 1e-5 * (1 + np.abs(plain).max(axis=1))
    judged, rises = np.zeros(len(X), dtype=bool), np.zeros(len(X), dtype=bool)
    for share in _STEPS:
        h = share * spread * np.sqrt(way.shape[1])
        ends = []
        for sign in (1, -1):
            moved = np.asarray(X, dtype=np.float64) + (sign * h * way).reshape(X.shape)
            logits = view.logits(view.tensor(moved.astype(X.dtype)))
            ends.append(_odds(_plain(view, logits), column))
        expected = 2 * h * size
        rise = ends[0] - ends[1]
        # A steep promise over a long way is kept by no bounded loss.
        seen = (expected > 10 * noise) & (expected < 1 + np.abs(plain).max(axis=1))
        judged |= seen
        rises |= seen & (rise > _RISE * expected)
    return judged & ~rises


def _check_logits(logits):
    rows_sum = np.abs(logits.sum(axis=1) - 1).max() < 1e-3
    within = logits.min() >= 0 and logits.max() <= 1
    single = logits.shape[1] == 2 and not logits[:, 0].any()
    if within and len(logits) > 1 and (rows_sum or single) and logits.any():
        numbers = {"smallest": float(logits.min()), "largest": float(logits.max())}
        yield doubt("PROBABILITIES_AS_LOGITS", numbers)
    odds = -_odds(logits, logits.argmax(axis=1))
    share = float((odds > _SATURATED).mean())
    if share > 0.01:
        numbers = {"share": share, "median_log_odds": float(np.median(odds))}
        yield doubt("SATURATED_LOSS", numbers)
