"""What an attack drives up: losses of the scores, each with its slope by the scores.

With z the scores of the classes and c one class of each sample, every loss rises when
the evidence for c falls. The slope is given in closed form, so that one backward pass
through the model is all that a step costs.
"""

import numpy as np

from skrobust._norms import namespace

# Below this, a slope times the gradients of a model leaves single precision.
FAINT = 1e-19


def is_own_column(scores, column):
    """Return a mask of shape (n, n_classes) that is True at the class of each row."""
    xp = namespace(scores)
    places = xp.arange(scores.shape[1])
    if xp is not np:
        places = places.to(scores.device)
    return places[None, :] == column[:, None]


def log_odds_against(logits, column):
    """Return L_c, its slope by the logits, and the margin, for one class c per sample.

    Parameters
    ----------
    logits : array or tensor of shape (n, n_classes)
        Scores of the classes.
    column : integer array or tensor of shape (n,)
        Class c of each sample.

    Returns
    -------
    value : array or tensor of shape (n,)
        Log odds against class c.
    slope : array or tensor of shape (n, n_classes)
        Derivative of the value by the logits.
    margin : array or tensor of shape (n,)
        The largest other logit minus that of class c: above 0 means fooled.
    """
    xp = namespace(logits)
    is_own = is_own_column(logits, column)
    others = xp.where(is_own, -np.inf, logits)
    peak = xp.amax(others, 1)
    share = xp.exp(others - peak[:, None])
    total = share.sum(1)
    slope = xp.where(is_own, -1.0, share / total[:, None])
    margin = peak - xp.where(is_own, logits, 0.0).sum(1)
    return margin + xp.log(total), slope, margin


def margin_against(scores, column):
    """Return the largest other score minus that of the class, for one class a row."""
    xp = namespace(scores)
    is_own = is_own_column(scores, column)
    peak = xp.amax(xp.where(is_own, -np.inf, scores), 1)
    return peak - xp.where(is_own, scores, 0.0).sum(1)


def _one_hot(scores, column):
    return is_own_column(scores, column) * 1.0


def _log_odds(scores, column, aim):
    value, slope, _ = log_odds_against(scores, column)
    return value, slope


def _cross_entropy(scores, column, aim):
    """-log P(c): the slope of the log odds times 1 - P(c), which can underflow."""
    xp = namespace(scores)
    against, slope, _ = log_odds_against(scores, column)
    wrong = 1 / (1 + xp.exp(xp.clip(-against, None, 700.0)))
    value = xp.clip(against, 0, None) + xp.log1p(xp.exp(-xp.abs(against)))
    return value, slope * wrong[:, None]


def _margin(scores, column, aim):
    xp = namespace(scores)
    others = xp.where(is_own_column(scores, column), -np.inf, scores)
    rival = xp.argmax(others, 1)
    slope = _one_hot(scores, rival) - _one_hot(scores, column)
    return margin_against(scores, column), slope


def _dlr(scores, column, aim):
    """Margin over the gap between the first and the third score."""
    if scores.shape[1] < 3:
        return _margin(scores, column, aim)
    margin, slope = _margin(scores, column, aim)
    order = _descending(scores, 3)
    weights = [(1.0, order[:, 0]), (-1.0, order[:, 2])]
    return _ratio(scores, margin, slope, weights)


def _aimed_dlr(scores, column, aim):
    """Margin over z1 - (z3 + z4) / 2: for driving the class up from any place."""
    margin, slope = _margin(scores, column, aim)
    return _over_upper_gap(scores, margin, slope)


def _targeted_dlr(scores, column, aim):
    """Score of the aim minus that of the class, over z1 - (z3 + z4) / 2."""
    own, other = _one_hot(scores, column), _one_hot(scores, aim)
    slope = other - own
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
    bottom_slope = sum(w * _one_hot(scores, place) for w, place in weights)
    bottom = (scores * bottom_slope).sum(1)
    ties = bottom <= 0
    bottom = xp.where(ties, xp.ones_like(bottom), bottom)[:, None]
    bottom_slope = xp.where(ties[:, None], xp.zeros_like(bottom_slope), bottom_slope)
    value = top / bottom[:, 0]
    return value, (top_slope - value[:, None] * bottom_slope) / bottom


def _descending(scores, n):
    """Return the columns of the n largest scores of each row, largest first."""
    if isinstance(scores, np.ndarray):
        return np.argsort(-scores, axis=1, kind="stable")[:, :n]
    return scores.topk(n, dim=1).indices


LOSSES = {
    "aimed_dlr": _aimed_dlr,
    "cross_entropy": _cross_entropy,
    "dlr": _dlr,
    "log_odds": _log_odds,
    "margin": _margin,
    "targeted_dlr": _targeted_dlr,
}
LOSS_NAMES = ("log_odds", "margin", "dlr", "cross_entropy")


def loss_and_slope(name, scores, column, aim=None):
    """Return value, slope, which rows fell back to the log odds, and the margin.

    Parameters
    ----------
    name : str
        Key of ``LOSSES``.
    scores : array or tensor of shape (n, n_classes)
        Scores of the classes.
    column : integer array or tensor of shape (n,)
        Class whose evidence falls when the loss rises.
    aim : integer array or tensor of shape (n,), default=None
        Class to move to, for "targeted_dlr".

    Returns
    -------
    value : array or tensor of shape (n,)
        The loss.
    slope : array or tensor of shape (n, n_classes)
        Its derivative; where that underflows or is not finite, the slope of the log
        odds, which has no scale.
    fell_back : array or tensor of bool of shape (n,), or None
        The rows where it underflowed; None for losses that cannot (the slope of DLR is
        0 only where the loss is at its maximum).
    margin : array or tensor of shape (n,), or None
        The largest other score minus that of the class, where it cost nothing.
    """
    if name == "log_odds":
        value, slope, margin = log_odds_against(scores, column)
        return value, slope, None, margin
    value, slope = LOSSES[name](scores, column, aim)
    if name == "margin":
        return value, slope, None, value
    xp = namespace(scores)
    fine = xp.amax(xp.abs(slope), 1) > FAINT  # False for NaN too
    fine = fine & xp.isfinite(slope).all(1)
    _, safe, _ = log_odds_against(scores, column)
    slope = xp.where(fine[:, None], slope, safe)
    return value, slope, ~fine if name == "cross_entropy" else None, None
