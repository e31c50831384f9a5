"""Quadrant and summary of a model by mean score and variation."""

import math
from collections.abc import Mapping

from skrobust._array_checks import check_scores
from skrobust._results import Results
from skrobust._validation import check_number, metric
from skrobust.metrics.labels import check_one_each
from skrobust.metrics.stability import indices


def stability_quadrant(mean, cv, *, reference_mean, reference_cv):
    r"""Place a model beside a reference by its mean score and its variation (mCV).

    ======== ======================== =======================
    quadrant mean                     variation
    ======== ======================== =======================
    I        at least the reference's at most the reference's
    II       at least the reference's greater
    III      smaller                  at most the reference's
    IV       smaller                  greater
    ======== ======================== =======================

    Parameters
    ----------
    mean : float
        Mean score over the conditions, in any unit.
    cv : float
        Coefficient of variation over the same conditions, non-negative.
    reference_mean, reference_cv : float
        The same of the reference, in the same units.

    Returns
    -------
    str
        "I", "II", "III" or "IV".

    Raises
    ------
    ValueError
        For numbers that are not finite, or a negative variation.

    Notes
    -----
    In the source the reference is the same network trained on clean data.

    References
    ----------
    "Benchmarking Deep Learning Classifiers: Beyond Accuracy" (arXiv 2103.03102, 2021).

    Examples
    --------
    >>> from skrobust.metrics import stability_quadrant
    >>> stability_quadrant(0.8575, 0.0333, reference_mean=0.8525, reference_cv=0.0228)
    'II'
    """
    caller = "stability_quadrant"
    mean = check_number(mean, "mean", caller)
    cv = check_number(cv, "cv", caller, low=0)
    reference_mean = check_number(reference_mean, "reference_mean", caller)
    reference_cv = check_number(reference_cv, "reference_cv", caller, low=0)
    return _quadrant(mean, cv, reference_mean, reference_cv)


@metric
def stability_summary(scores, *, reference=None):
    r"""Summarise scores over conditions by mean, variation, ASI and quadrant.

    Parameters
    ----------
    scores : array-like of shape (n_conditions,)
        Accuracies in [0, 1], one per condition.
    reference : array-like of shape (n_conditions,), mapping or None, default=None
        Scores of the reference model under the same conditions, or its summary.

    Returns
    -------
    Results
        ``mean`` in [0, 1], ``cv`` (population standard deviation over the mean, nan
        when every score is 0), ``asi`` in [-1, 1] and ``quadrant``: "I" to "IV" as in
        :func:`stability_quadrant`, None without a reference.

    Raises
    ------
    ValueError
        For scores outside [0, 1], or a reference of another number of conditions.

    Notes
    -----
    A variation of nan counts as greater than the reference's.

    References
    ----------
    Accuracy-Stability Index (arXiv 2311.15332, 2023); quadrants of "Benchmarking Deep
    Learning Classifiers: Beyond Accuracy" (arXiv 2103.03102, 2021).

    Examples
    --------
    >>> from skrobust.metrics import stability_summary
    >>> summary = stability_summary([0.9, 0.8, 0.7], reference=[0.8, 0.8, 0.5])
    >>> round(summary.asi, 4), summary.quadrant
    (0.7737, 'I')
    """
    caller = "stability_summary"
    summary = _summary(scores)
    if reference is None:
        return summary
    if isinstance(reference, Mapping):
        if not {"mean", "cv"} <= set(reference):
            raise ValueError(
                f"{caller} needs a reference of scores, or a summary with mean and cv; "
                f"this one has {sorted(reference)}."
            )
        check_number(reference["mean"], "reference mean", caller)
        cv = reference["cv"]
        if not (isinstance(cv, float) and math.isnan(cv)):  # as of scores that are 0
            check_number(cv, "reference cv", caller, low=0)
    else:
        n = len(check_scores(reference, caller, name="reference"))
        what = "scores and reference under the same conditions"
        check_one_each(scores, n, what, "scores", caller, other="reference")
        reference = _summary(reference)
    parts = [one[name] for one in (summary, reference) for name in ("mean", "cv")]
    summary["quadrant"] = _quadrant(*parts)
    return summary


def _summary(scores):
    asi = indices.accuracy_stability_index(scores)
    mean = float(check_scores(scores, "stability_summary").mean())
    cv = indices.coefficient_of_variation(scores) if mean > 0 else float("nan")
    return Results(columns=(), mean=mean, cv=cv, asi=asi, quadrant=None)


def _quadrant(mean, cv, reference_mean, reference_cv):
    # Equal scores in another order differ by rounding.
    steady = cv <= reference_cv + 1e-12  # never for nan
    if mean >= reference_mean - 1e-12:
        return "I" if steady else "II"
    return "III" if steady else "IV"
