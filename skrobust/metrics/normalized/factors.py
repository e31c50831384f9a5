"""Factors of the normalized score: dimensionality, signal and imbalance."""

import math
import numbers
from collections.abc import Mapping

import numpy as np
from scipy.special import expit

from skrobust._array_checks import check_scores, check_weights
from skrobust._validation import check_count, invalid
from skrobust.metrics.labels import label_array
from skrobust.metrics.undefined import warn_undefined


def dimensionality_factor(n_features, n_samples):
    r"""Compute the factor f that raises a score for many features and few samples.

    In [1, 1.5]; 1 when n_features is at most 5 % of n_samples.

    .. math:: f = 1 + \max\left(0, \frac{1}{1 + e^{-(d / (0.05 N) - 1)}} -
        \frac{1}{2}\right)

    where :math:`d` is ``n_features`` and :math:`N` is ``n_samples``.

    Parameters
    ----------
    n_features : int
        At least 1; the product of all dimensions but that of the samples.
    n_samples : int
        At least 1; the size of the data set.

    Returns
    -------
    float
        The factor; it does not fall with n_features nor rise with n_samples.

    Raises
    ------
    ValueError
        For anything but integers of at least 1.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import dimensionality_factor
    >>> round(dimensionality_factor(10, 100), 6)
    1.231059
    """
    caller = "dimensionality_factor"
    n_features = check_count(n_features, "n_features", caller)
    return dimension_factor(n_features, check_count(n_samples, "n_samples", caller))


def dimension_factor(n_features, n_samples):
    """Return f of two numbers that were checked before."""
    # 20 d / N, since 0.05 N is not exact.
    excess = 20 * n_features / n_samples - 1
    return 1 + max(0.0, float(expit(excess)) - 0.5)


def signal_factor(snr):
    r"""Compute the factor g, the share of the signal in signal and noise.

    In [0, 1]; 1 is best (no noise).

    .. math:: g = \frac{S}{1 + S}

    where :math:`S` is ``snr``.

    Parameters
    ----------
    snr : float
        Signal-to-noise ratio, non-negative; infinity when there is no noise.

    Returns
    -------
    float
        The factor; 1 for infinity.

    Raises
    ------
    ValueError
        For a negative number or NaN.

    Notes
    -----
    The form of g in the source is unknown. It says that a score above 1 hardly
    occurs, which rules out an unbounded g; this bounded one is our choice.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import signal_factor
    >>> signal_factor(4.0)
    0.8
    """
    is_number = isinstance(snr, numbers.Real) and not isinstance(snr, (bool, np.bool_))
    if not is_number or not snr >= 0:
        raise invalid("snr", "signal_factor", "a non-negative float", snr)
    return 1.0 if snr == np.inf else float(snr / (1 + snr))


def imbalance_factor(y_true=None, *, class_counts=None, sample_weight=None):
    r"""Compute the factor h that a score is divided by when classes are imbalanced.

    At least 1; 1 for classes of equal size.

    .. math:: h = 1 + \ln\frac{1}{ACIR}, \qquad
        ACIR = \frac{1}{K - 1} \sum_{k \ne k_{max}} \frac{n_k}{n_{max}}

    where :math:`n_k` is the size of class :math:`k` and :math:`n_{max}` that of the
    largest. For two classes this is :math:`1 + \ln CI`, with
    :math:`CI = n_{majority} / n_{minority}`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or None, default=None
        Labels: text or numbers.
    class_counts : array-like of shape (n_classes,), mapping or None, default=None
        The class sizes of the data set instead of ``y_true``; a mapping gives the size
        by label. Sizes of 0 are left out.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights of ``y_true``.

    Returns
    -------
    float
        The factor; 1 with a warning when there is a single class.

    Raises
    ------
    ValueError
        When not exactly one of ``y_true`` and ``class_counts`` is given, or for counts
        that are negative, not finite or all 0.

    Notes
    -----
    The source names ACIR without a definition and no base of the logarithm: the mean
    over the classes but the largest, and the natural logarithm, are our choices.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import imbalance_factor
    >>> round(imbalance_factor(class_counts=[90, 10]), 6)
    3.197225
    """
    caller = "imbalance_factor"
    if (y_true is None) == (class_counts is None):
        raise ValueError(f"{caller} needs either y_true or class_counts.")
    if class_counts is not None:
        counts = count_array(class_counts, caller)
    else:
        y_true = label_array(y_true, caller, "y_true")
        counts = class_sizes(y_true, check_weights(sample_weight, len(y_true), caller))
    if len(counts) == 0:
        raise ValueError(f"{caller} needs at least one sample; got none.")
    return imbalance(counts, caller)


def count_array(class_counts, caller):
    """Return the positive class sizes as a float array, or raise."""
    if isinstance(class_counts, Mapping):
        class_counts = list(class_counts.values())
    counts = check_scores(class_counts, caller, name="class_counts")
    if counts.min() < 0 or counts.max() == 0:
        rule = "non-negative with a positive sum"
        raise invalid("class_counts", caller, rule, counts.tolist())
    return counts[counts > 0]


def class_sizes(y, weight):
    """Return the (weighted) size of each class that occurs in checked labels."""
    _, codes = np.unique(y, return_inverse=True)
    counts = np.bincount(codes, weights=weight)
    return counts[counts > 0].astype(np.float64)


def imbalance(counts, caller):
    """Return h of positive class sizes, with a warning for a single class."""
    if len(counts) == 1:
        text = (
            f"{caller}: the imbalance of a single class is undefined; its factor is "
            "set to 1. Pass the `class_counts` of the data set."
        )
        return warn_undefined(text, 1.0)
    ratios = np.sort(counts)[:-1] / counts.max()
    return 1 + math.log(1 / ratios.mean())
