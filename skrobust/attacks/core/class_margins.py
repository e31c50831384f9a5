"""Margins and log odds of a class against all others, with slopes by the scores."""

import numpy as np

from skrobust._norms import mask_at, namespace

_SOFTNESS = 0.2  # of the soft margin: its temperature over the margin


def log_odds_against(logits, label):
    """Return log odds against a class, their slope by the logits, and the margin.

    With z the logits and c the class of a sample,

        L_c(z) = logsumexp of z_k over k != c, minus z_c = -logit P(c | x).

    It rises in the direction of cross entropy exactly (the gradient of cross entropy is
    that of L_c times 1 - P(c)), but it does not vanish for confident models, so that an
    attack with normalised steps follows the published loss without its blind spot.

    Parameters
    ----------
    logits : array or tensor of shape (n, n_classes)
        Scores of the classes.
    label : integer array or tensor of shape (n,)
        Index of the class c of each sample.

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
    is_label = mask_at(label, logits.shape[1])
    others = xp.where(is_label, -np.inf, logits)
    peak = xp.amax(others, 1)
    share = xp.exp(others - peak[:, None])
    total = share.sum(1)
    slope = xp.where(is_label, -1.0, share / total[:, None])
    margin = peak - xp.where(is_label, logits, 0.0).sum(1)
    return margin + xp.log(total), slope, margin


def soft_margin_against(scores, label, temperature=None):
    """Return the soft margin against a class, its slope by the scores, and the margin.

    With z the scores, c the class of a sample and m = max of z_k over k != c, minus
    z_c, its margin,

        M_c(z) = T log sum of exp(z_k / T) over k != c, minus z_c, with T = 0.2 |m|.

    It is the margin, softened over the other classes: far from the boundary the slope
    follows all classes that are nearly as likely as the first of them, and so does not
    zigzag between these; near the boundary it follows that of the nearest class alone.
    T is in the unit of the scores, so that the direction of the slope is the same at
    every scale of theirs. That of the log odds (T = 1) follows all classes alike where
    scores are close together. The temperature is our choice. It counts as constant in
    the slope.

    Parameters
    ----------
    scores : array or tensor of shape (n, n_classes)
        Scores of the classes.
    label : integer array or tensor of shape (n,)
        Index of the class c of each sample.
    temperature : array or tensor of shape (n,), default=None
        T; None computes it.

    Returns
    -------
    value : array or tensor of shape (n,)
        Soft margin.
    slope : array or tensor of shape (n, n_classes)
        Derivative of the value by the scores; never zero.
    margin : array or tensor of shape (n,)
        The largest other score minus that of class c: above 0 means fooled.
    """
    xp = namespace(scores)
    is_label = mask_at(label, scores.shape[1])
    others = xp.where(is_label, -np.inf, scores)
    peak = xp.amax(others, 1)
    margin = peak - xp.where(is_label, scores, 0.0).sum(1)
    if temperature is None:
        temperature = _SOFTNESS * xp.abs(margin)
    # Where it vanishes, so do all but the first; no quotient leaves single precision.
    behind = (others - peak[:, None]) / xp.clip(temperature, 1e-30, None)[:, None]
    share = xp.exp(behind)
    total = share.sum(1)
    slope = xp.where(is_label, -1.0, share / total[:, None])
    return margin + temperature * xp.log(total), slope, margin


def margin_against(scores, label):
    """Return the largest other score minus that of the class, for one class a row."""
    xp = namespace(scores)
    is_label = mask_at(label, scores.shape[1])
    peak = xp.amax(xp.where(is_label, -np.inf, scores), 1)
    return peak - xp.where(is_label, scores, 0.0).sum(1)


def probability(against):
    """Return the probability of a class from the log odds against it."""
    xp = namespace(against)
    return 1 / (1 + xp.exp(xp.clip(against, -80, 80)))
