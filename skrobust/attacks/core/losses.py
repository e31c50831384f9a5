"""Losses of class scores, each with its slope by the scores.

With z the scores of the classes and c one class of each sample, every loss rises when
the evidence for c falls. The slope is given in closed form, so that one backward pass
through the model is all that a step costs.
"""

import numpy as np

from skrobust._norms import mask_at, namespace
from skrobust.attacks.core.class_margins import (
    log_odds_against,
    margin_against,
    soft_margin_against,
)

# Below this, a slope times the gradients of a model leaves single precision.
UNDERFLOW = 1e-19


def one_hot(scores, label):
    """Return rows of zeros, with 1 at the class of each row."""
    xp = namespace(scores)
    is_label = mask_at(label, scores.shape[1])
    return xp.where(is_label, 1.0, xp.zeros_like(scores))


def _log_odds(scores, label, target):
    return log_odds_against(scores, label)[:2]


def _soft_margin(scores, label, target):
    return soft_margin_against(scores, label)[:2]


def _cross_entropy(scores, label, target):
    """-log P(c): the slope of the log odds times 1 - P(c), which can underflow."""
    xp = namespace(scores)
    against, slope, _ = log_odds_against(scores, label)
    wrong = 1 / (1 + xp.exp(xp.clip(-against, None, 700.0)))
    value = xp.clip(against, 0, None) + xp.log1p(xp.exp(-xp.abs(against)))
    return value, slope * wrong[:, None]


def _margin(scores, label, target):
    xp = namespace(scores)
    others = xp.where(mask_at(label, scores.shape[1]), -np.inf, scores)
    slope = one_hot(scores, xp.argmax(others, 1)) - one_hot(scores, label)
    return margin_against(scores, label), slope


def _dlr(scores, label, target):
    """Margin over the gap between the first and the third score."""
    if scores.shape[1] < 3:
        return _margin(scores, label, target)
    margin, slope = _margin(scores, label, target)
    order = _descending(scores, 3)
    weights = [(1.0, order[:, 0]), (-1.0, order[:, 2])]
    return _ratio(scores, margin, slope, weights)


def _dlr_upwards(scores, label, target):
    """Margin over z1 - (z3 + z4) / 2: for driving the class up from any place."""
    margin, slope = _margin(scores, label, target)
    return _over_upper_gap(scores, margin, slope)


def _targeted_dlr(scores, label, target):
    """Score of the target minus that of the class, over z1 - (z3 + z4) / 2."""
    slope = one_hot(scores, target) - one_hot(scores, label)
    return _over_upper_gap(scores, (scores * slope).sum(1), slope)


def _over_upper_gap(scores, top, slope):
    if scores.shape[1] < 4:
        return top, slope
    order = _descending(scores, 4)
    weights = [(1.0, order[:, 0]), (-0.5, order[:, 2]), (-0.5, order[:, 3])]
    return _ratio(scores, top, slope, weights)


def _ratio(scores, top, top_slope, weights):
    """Return top / bottom and its slope; bottom is a weighted sum of scores.

    Where the bottom is 0 (scores that tie) it counts as constant.
    """
    xp = namespace(scores)
    bottom_slope = sum(w * one_hot(scores, place) for w, place in weights)
    bottom = (scores * bottom_slope).sum(1)
    ties = bottom <= 0
    bottom = xp.where(ties, xp.ones_like(bottom), bottom)[:, None]
    bottom_slope = xp.where(ties[:, None], xp.zeros_like(bottom_slope), bottom_slope)
    value = top / bottom[:, 0]
    return value, (top_slope - value[:, None] * bottom_slope) / bottom


def _descending(scores, n):
    """Return the places of the n largest scores of each row, largest first."""
    if isinstance(scores, np.ndarray):
        return np.argsort(-scores, axis=1, kind="stable")[:, :n]
    return scores.topk(n, dim=1).indices


LOSSES = {
    "dlr_upwards": _dlr_upwards,
    "cross_entropy": _cross_entropy,
    "dlr": _dlr,
    "log_odds": _log_odds,
    "margin": _margin,
    "soft_margin": _soft_margin,
    "targeted_dlr": _targeted_dlr,
}
LOSS_NAMES = ("soft_margin", "log_odds", "margin", "dlr", "cross_entropy")


def loss_and_slope(name, scores, label, target=None):
    """Return value, slope, which rows fell back to the soft margin, and the margin.

    Parameters
    ----------
    name : str
        Key of ``LOSSES``.
    scores : array or tensor of shape (n, n_classes)
        Scores of the classes.
    label : integer array or tensor of shape (n,)
        Class whose evidence falls when the loss rises.
    target : integer array or tensor of shape (n,), default=None
        Class to move to, for "targeted_dlr".

    Returns
    -------
    value : array or tensor of shape (n,)
        The loss.
    slope : array or tensor of shape (n, n_classes)
        Its derivative; where that underflows or is not finite, the slope of the soft
        margin, which has no scale.
    underflowed : array or tensor of bool of shape (n,), or None
        The rows where it underflowed; None for losses that cannot (the slope of DLR is
        0 only where the loss is at its maximum).
    margin : array or tensor of shape (n,), or None
        The largest other score minus that of the class, where it cost nothing.
    """
    if name in ("log_odds", "soft_margin"):
        against = log_odds_against if name == "log_odds" else soft_margin_against
        value, slope, margin = against(scores, label)
        return value, slope, None, margin
    value, slope = LOSSES[name](scores, label, target)
    if name == "margin":
        return value, slope, None, value
    xp = namespace(scores)
    fine = xp.amax(xp.abs(slope), 1) > UNDERFLOW  # False for NaN too
    fine = fine & xp.isfinite(slope).all(1)
    _, safe, _ = soft_margin_against(scores, label)
    slope = xp.where(fine[:, None], slope, safe)
    return value, slope, ~fine if name == "cross_entropy" else None, None
