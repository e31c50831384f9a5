"""Guard of the robust ratios: rows whose answer did not change at all."""

import warnings
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from skrobust._stacklevel import level_outside

MIN_ROWS = 5  # fewer rows are no evidence
MIN_SHARE = 0.02  # of all rows
MOSTLY = 0.8  # of the rows of a continuous model have an answer of their own
_FULL_ATTACK = ContextVar("skrobust_full_attack", default=False)
_CURES = {
    "probabilities": (
        "An attack with objective=None or 'misclassification' leaves wrong rows clean "
        "and stops once a row is fooled, so that the ratio is too high: attack with "
        "objective='probability_shift', or use make_robust_scorer, which asks for it."
    ),
    "predictions": (
        "If the perturbation left rows clean, the ratio is too high: attack every row "
        "with objective='prediction_shift', or use make_robust_scorer with "
        "metric='regression_robust_ratio', which asks for it."
    ),
}


@contextmanager
def full_attack(known=True):
    """Keep the guard silent where every row is known to be attacked in full.

    Parameters
    ----------
    known : bool, default=True
        Whether that is known; False leaves the guard as it is.
    """
    token = _FULL_ATTACK.set(known or _FULL_ATTACK.get())
    try:
        yield
    finally:
        _FULL_ATTACK.reset(token)


def warn_unmoved(clean, moved, what, caller):
    """Warn of rows whose answers are the same bit for bit, and return their share.

    An answer that other rows have too is no evidence, nor is a probability of exactly
    1: with trees and saturated models answers often stay although the row changed.
    They count only where no answer of the perturbation changed.

    Parameters
    ----------
    clean : ndarray of shape (n_samples, ...)
        Answers on the clean rows.
    moved : ndarray of shape (n_perturbations, n_samples, ...)
        Answers on the perturbed rows.
    what : {"probabilities", "predictions"}
        The kind of answers.
    caller : str
        Name of the public function or class, for the warning.

    Returns
    -------
    float
        Share of rows, of the perturbation with the most.
    """
    clean = np.asarray(clean).reshape(len(clean), -1)
    kind = np.float32 if np.float32 in (clean.dtype, moved.dtype) else clean.dtype
    clean = clean.astype(kind, copy=False)
    moved = moved.reshape(len(moved), *clean.shape)
    stays = [(one.astype(kind, copy=False) == clean).all(axis=1) for one in moved]
    some = [same for same in stays if not same.all()]
    n, total = 0, len(clean)
    if not some:
        n = total
    elif max(same.sum() for same in some) >= _least(total):
        alone = _alone(clean, what)  # only now is it worth a sort
        n = max(int((same & alone).sum()) for same in some)
    _warn(n, total, what, caller)
    return n / total


def _alone(clean, what):
    """Return which rows have an answer of their own; none of a model of few answers."""
    kinds = np.unique(clean, axis=0, return_inverse=True, return_counts=True)
    alone = kinds[2][kinds[1].ravel()] == 1
    certain = clean.max(axis=1) == 1 if what == "probabilities" else ~alone & alone
    rest = alone[~certain]
    few = len(rest) > 0 and rest.mean() < MOSTLY
    return alone & ~certain & (not few)


def warn_zero_shifts(shift, caller):
    """Warn of shifts of exactly 0 among many different ones, and return their share."""
    shift = np.asarray(shift)
    total, rest = len(shift), shift[shift != 0]
    n = total - len(rest)
    if n >= _least(total) and len(np.unique(rest)) < MOSTLY * len(rest):
        n = 0  # a model of few answers
    _warn(n, total, "probabilities", caller)
    return n / total


def _least(total):
    return max(MIN_ROWS, MIN_SHARE * total)


def _warn(n, total, what, caller):
    if n < _least(total) or _FULL_ATTACK.get():
        return
    if n == total:
        text = (
            f"{caller} found that the {what} of no row changed ({total} rows), so that "
            "the ratio is 1 at every tolerance. Did the perturbation act, and is the "
            "second array that of the perturbed rows?"
        )
    else:
        text = (
            f"{caller} found {n} of {total} rows ({n / total:.1%}) whose {what} did "
            f"not change at all; each counts as robust at every tolerance. "
            f"{_CURES[what]}"
        )
    warnings.warn(text, UserWarning, stacklevel=level_outside())
