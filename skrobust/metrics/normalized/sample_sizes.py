"""Variation of a score over sample sizes, and the size from which it is stable."""

import numpy as np

from skrobust._array_checks import check_same_length, check_scores, number_array
from skrobust._validation import check_flag, check_number, invalid
from skrobust.metrics.undefined import warn_undefined


def sample_size_deviation(scores, *, relative=False):
    r"""Compute the mean absolute deviation of a score over sample sizes.

    Non-negative; 0 is best (the score does not depend on the size).

    .. math:: MAD = \frac{1}{m} \sum_{j=1}^{m} |s_j - \bar{s}|

    where :math:`s_j` is the mean score at the j-th size and :math:`\bar{s}` the mean
    over the sizes.

    Parameters
    ----------
    scores : array-like of shape (n_sizes,) or (n_sizes, n_repeats)
        Finite scores by size, such as those of ``sklearn.model_selection.learning_
        curve``; repeats of one size are averaged first.
    relative : bool, default=False
        Divide by the absolute value of the mean. A score that is multiplied by a
        constant c has a deviation c times as large, so that a normalized score and its
        raw score compare only if both are relative.

    Returns
    -------
    float
        The deviation; nan with a warning when it is relative to a mean of 0.

    Raises
    ------
    ValueError
        For an empty, not finite, or neither 1-D nor 2-D input.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024), who compares scores by it.

    Examples
    --------
    >>> from skrobust.metrics import sample_size_deviation
    >>> round(sample_size_deviation([0.7, 0.8, 0.9]), 6)
    0.066667
    """
    caller = "sample_size_deviation"
    means = _means(scores, caller)
    center = means.mean()
    deviation = float(np.abs(means - center).mean())
    if not check_flag(relative, "relative", caller):
        return deviation
    if abs(center) <= 1e-14 * np.abs(means).max():  # 0 but for rounding
        text = f"{caller} is undefined relative to a mean of 0; it is set to nan."
        return warn_undefined(text)
    return deviation / abs(float(center))


def stable_sample_size(sizes, scores, *, tolerance=0.02, relative=False):
    """Compute the smallest sample size from which a score is stable.

    From that size on, every mean score is within the tolerance of the score at the
    largest size. Of two scores on the same data, the one with the smaller size
    stabilizes earlier.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Different sizes in any order.
    scores : array-like of shape (n_sizes,) or (n_sizes, n_repeats)
        Finite scores by size; repeats of one size are averaged first.
    tolerance : float, default=0.02
        Non-negative; largest distance from the score at the largest size.
    relative : bool, default=False
        The tolerance is a share of the absolute score at the largest size. Needed to
        compare a normalized score with its raw score.

    Returns
    -------
    float
        One of the sizes; the largest when no smaller one is stable.

    Raises
    ------
    ValueError
        For sizes that repeat, inputs of different length, scores that are not finite,
        or a negative tolerance.

    Notes
    -----
    The definition is our choice; the source says "stabilises earlier" without one. It
    says nothing about larger sizes than those given.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import stable_sample_size
    >>> stable_sample_size([50, 100, 200, 400], [0.70, 0.84, 0.86, 0.85])
    100.0
    """
    caller = "stable_sample_size"
    sizes = check_scores(sizes, caller, name="sizes")
    means = _means(scores, caller)
    check_same_length(caller, sizes=sizes, scores=means)
    if len(np.unique(sizes)) < len(sizes):
        raise invalid("sizes", caller, "different sizes", sizes.tolist())
    tolerance = check_number(tolerance, "tolerance", caller, low=0)
    order = np.argsort(sizes)
    sizes, means = sizes[order], means[order]
    if check_flag(relative, "relative", caller):
        tolerance *= abs(means[-1])
    # A difference of two decimal fractions may round to a hair above the tolerance.
    far = np.flatnonzero(np.abs(means - means[-1]) > tolerance + 1e-12)
    return float(sizes[far[-1] + 1 if len(far) else 0])


def _means(scores, caller):
    """Return the mean score of each size."""
    scores = number_array(scores, "scores", caller)
    if scores.ndim == 2 and scores.size:
        return np.array([check_scores(s, caller).mean() for s in scores])
    return check_scores(scores, caller)
