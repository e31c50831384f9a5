"""Confidence band of the robust ratio curve."""

import warnings

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._results import Results
from skrobust._validation import check_confidence
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.share_interval import share_interval
from skrobust.metrics.robust.curves import area_outcomes
from skrobust.metrics.robust.probability_shift import check_tolerances, shifts


def robust_ratio_band(
    *data,
    tolerances=None,
    reference="predicted",
    y_true=None,
    labels=None,
    sample_weight=None,
    clusters=None,
    confidence=0.95,
):
    r"""Compute the robust ratio at several tolerances, with limits for the curve.

    The robust ratio is the empirical distribution function of the probability shift,
    so that the inequality of Dvoretzky, Kiefer and Wolfowitz bounds all of it at once:

    .. math:: P\left(\sup_b |RR(b) - \rho(b)| > \epsilon\right) \le
        2 e^{-2 n \epsilon^2}, \qquad
        \epsilon = \sqrt{\frac{1}{2n} \ln \frac{2}{1 - confidence}}

    where :math:`\rho` is the true curve.

    Parameters
    ----------
    *data : array-like
        Clean and perturbed probabilities as in :func:`robust_ratio_curve`, or the
        :func:`probability_shift` of each sample.
    tolerances : array-like of shape (n_tolerances,) or None, default=None
        Tolerances in [0, 1]; None: 0, 0.01, ..., 0.2.
    reference : {"predicted", "true", "max"}, default="predicted"
        Class whose probability is compared.
    y_true : array-like of shape (n_samples,) or None, default=None
        True classes, used with ``reference="true"`` only.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights, as fixed by the design of the sample.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together: the clip of a frame, the patient of a row.
    confidence : float in (0, 1), default=0.95
        Wanted coverage.

    Returns
    -------
    Results
        Columns ``tolerance``, ``ratio``, ``low`` and ``high`` (pointwise), ``band_low``
        and ``band_high`` (all tolerances at once); and ``method``, ``band_method``,
        ``n``, ``unit``, ``confidence``, ``warnings``; ``area``, the
        :class:`Interval` of the :func:`area_under_robust_ratio_curve`, None for fewer
        than two tolerances, equal ones or too few samples; and ``share_unmoved``, the
        share of rows whose shift is exactly 0, which is high where rows were left
        clean.

    Raises
    ------
    ValueError
        For what :func:`robust_ratio_curve` refuses.

    Warns
    -----
    UserWarning
        For few clusters.

    Notes
    -----
    Pointwise limits are those of :func:`confidence_interval`. The inequality is a
    theorem for independent samples of equal weight, and covers the curve between the
    tolerances too. With weights or clusters the band has the form of the pointwise
    limits, at the level of Bonferroni over the tolerances. The area is the mean of the
    areas of the samples; its limits are those of a jackknife over samples or clusters
    with the quantile of t.

    References
    ----------
    P. Massart, "The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality"
    (Annals of Probability, 1990); Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795).

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import robust_ratio_band
    >>> shift = np.linspace(0, 0.2, 100)
    >>> band = robust_ratio_band(shift, tolerances=[0.05, 0.1])
    >>> band.ratio, band.band_low.round(3), band.band_high.round(3)
    (array([0.25, 0.5 ]), array([0.114, 0.364]), array([0.386, 0.636]))
    >>> band.area
    Interval(0.3750 in [0.2923, 0.4577], 95% jackknife, 100 samples)
    """
    caller = "robust_ratio_band"
    confidence = check_confidence(confidence, caller)
    tolerances = check_tolerances(tolerances, caller)
    shift, atol = shifts(data, caller, reference, y_true, labels)
    weight = check_weights(sample_weight, len(shift), caller)
    units = make_units(clusters, len(shift), caller)
    within = [shift <= tolerance + atol for tolerance in tolerances]

    def limits(level):
        return [share_interval(w, units, level, caller, weight=weight) for w in within]

    points = limits(confidence)
    ratio = np.array([point.value for point in points])
    if units.clustered or (weight is not None and np.ptp(weight) > 0):
        level = 1 - (1 - confidence) / len(tolerances)
        band = np.transpose([tuple(interval) for interval in limits(level)])
        band_method = f"Bonferroni over {len(tolerances)} tolerances"
    else:
        half = np.sqrt(np.log(2 / (1 - confidence)) / (2 * len(shift)))
        band = np.clip([ratio - half, ratio + half], 0.0, 1.0)
        band_method = "Dvoretzky-Kiefer-Wolfowitz"
    for text in units.warnings():
        warnings.warn(text, UserWarning, stacklevel=2)
    return Results(
        columns=("tolerance", "ratio", "low", "high", "band_low", "band_high"),
        tolerance=tolerances,
        ratio=ratio,
        low=np.array([point.low for point in points]),
        high=np.array([point.high for point in points]),
        band_low=band[0],
        band_high=band[1],
        method=points[0].method,
        band_method=band_method,
        area=_area(tolerances, np.column_stack(within), weight, units, confidence),
        share_unmoved=float((shift == 0).mean()),
        n=units.n,
        unit=units.name,
        confidence=confidence,
        warnings=units.warnings(),
    )


def _area(tolerances, within, weight, units, confidence):
    """Return the interval of the area, None where there is none."""
    if len(np.unique(tolerances)) < max(2, len(tolerances)) or not units.enough:
        return None
    return area_outcomes(tolerances, within, weight).over(units, confidence)
