"""Robustness score and mean corruption error."""

import numpy as np

from skrobust._array_checks import check_fractions, number_array
from skrobust._results import Results
from skrobust._validation import check_choice, check_flag, check_number, invalid, metric
from skrobust.metrics.intervals.row_outcomes import outcome_spec
from skrobust.metrics.labels import check_same_shape
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.robust.corruption_checks import (
    check_reference,
    corruption_names,
    quotients,
)
from skrobust.metrics.robust.corruption_outcomes import (
    error_outcomes,
    robustness_outcomes,
)
from skrobust.metrics.undefined import warn_undefined


@metric
def robustness_score(perturbed, clean, *, kind="ratio"):
    r"""Compute the share of the clean accuracy that remains under perturbations.

    Non-negative; 1 says that nothing is lost, and above 1 is possible.

    .. math:: R = \frac{1}{C} \sum_{c=1}^{C} \frac{perturbed_c}{clean}

    Parameters
    ----------
    perturbed : float or array-like of shape (n_perturbations,)
        Accuracy in [0, 1] under each perturbation.
    clean : float
        Accuracy in [0, 1] on clean data.
    kind : {"ratio", "drop"}, default="ratio"
        The mean ratio (the paper of 2019), or the mean drop ``clean - perturbed`` of
        the code published by the same authors, in [-1, 1], where 0 is best.

    Returns
    -------
    float
        The mean over the perturbations; nan with a warning for a ratio to 0.

    Raises
    ------
    ValueError
        For accuracies outside [0, 1], no perturbation, or an unknown kind.

    Notes
    -----
    A bad model that stays as bad has a ratio of 1: read it beside the clean accuracy.
    The text of the paper could not be read: the ratio is unverified, and the drop is
    that of the later code.

    References
    ----------
    Laugros, Caplier, Ospici, "Are adversarial robustness and common perturbation
    robustness independent attributes?" (ICCV workshops, 2019); code of the common
    corruption benchmark (2020).

    Examples
    --------
    >>> from skrobust.metrics import robustness_score
    >>> round(robustness_score([0.72, 0.45, 0.90], 0.90), 6)
    0.766667
    """
    caller = "robustness_score"
    check_choice(kind, "kind", caller, ("ratio", "drop"))
    perturbed = np.atleast_1d(number_array(perturbed, "perturbed", caller))
    perturbed = _fractions(perturbed, 1, "perturbed", caller)
    clean = check_number(clean, "clean", caller, low=0, high=1)
    if kind == "drop":
        return float((clean - perturbed).mean())
    if clean == 0:
        text = f"{caller} is undefined for a clean accuracy of 0; it is set to nan."
        return warn_undefined(text)
    return float((perturbed / clean).mean())


@metric
def mean_corruption_error(
    errors,
    reference_errors=None,
    *,
    clean_error=None,
    reference_clean_error=None,
    relative=False,
    reference=None,
    names=None,
):
    r"""Compute the mean corruption error against a named reference model (mCE).

    Non-negative; smaller is better, and the reference itself has 1.

    .. math:: CE_c = \frac{\sum_s E_{sc}}{\sum_s E^{ref}_{sc}}, \qquad
        RCE_c = \frac{\sum_s (E_{sc} - E_{clean})}
        {\sum_s (E^{ref}_{sc} - E^{ref}_{clean})}, \qquad
        mCE = \frac{1}{C} \sum_{c=1}^{C} CE_c

    and the relative mCE is the mean of :math:`RCE_c` (may be negative). Without a
    reference the errors (or their rises over the clean error) are only averaged.

    Parameters
    ----------
    errors : array-like of shape (n_corruptions, n_severities)
        Error rates in [0, 1] of the model.
    reference_errors : array-like of the same shape or None, default=None
        Error rates of the reference model; None: no normalisation.
    clean_error, reference_clean_error : float or None, default=None
        Error rates on clean data, used with ``relative=True`` only.
    relative : bool, default=False
        Whether to subtract the clean errors.
    reference : str or None, default=None
        Name of the reference model, for example "AlexNet"; needed with
        ``reference_errors``.
    names : sequence of str of length n_corruptions or None, default=None
        Names of the corruptions; None: their numbers from 0.

    Returns
    -------
    Results
        Columns ``corruption`` and ``corruption_error``; ``value``, their mean;
        ``measure``: "mCE", "relative mCE", "mean error (no reference)" or "mean rise
        of the error (no reference)"; ``reference``, its name or None.

    Raises
    ------
    ValueError
        For errors outside [0, 1], shapes that differ, a reference without a name or a
        name without a reference, missing clean errors, or a reference without errors
        (or without a rise) to divide by.

    Notes
    -----
    The source takes AlexNet and five severities on ImageNet-C, and no reference at all
    on CIFAR-10-C. Values are fractions; the source prints percent.

    References
    ----------
    Hendrycks, Dietterich, "Benchmarking neural network robustness to common corruptions
    and perturbations" (ICLR, 2019).

    Examples
    --------
    >>> from skrobust.metrics import mean_corruption_error
    >>> results = mean_corruption_error(
    ...     [[0.2, 0.3, 0.4], [0.1, 0.2, 0.3]], [[0.4, 0.5, 0.6], [0.2, 0.4, 0.6]],
    ...     reference="AlexNet")
    >>> round(results.value, 4), results.measure, results.reference
    (0.55, 'mCE', 'AlexNet')
    """
    caller = "mean_corruption_error"
    errors = _fractions(errors, 2, "errors", caller)
    labels = corruption_names(names, len(errors), caller)
    check_reference(reference, reference_errors, "reference_errors", caller)
    rises = errors - _clean(clean_error, "clean_error", relative, caller)
    measure = "mean rise of the error" if relative else "mean error"
    if reference_errors is None:
        values = rises.mean(axis=1)
        measure += " (no reference)"
    else:
        base = _fractions(reference_errors, 2, "reference_errors", caller)
        check_same_shape(errors, base, "errors and reference_errors", caller)
        name = "reference_clean_error"
        base = base - _clean(reference_clean_error, name, relative, caller)
        values = quotients(rises.sum(axis=1), base.sum(axis=1), labels, caller)
        measure = "relative mCE" if relative else "mCE"
    return Results(
        columns=("corruption", "corruption_error"),
        corruption=labels,
        corruption_error=values,
        value=float(values.mean()),
        measure=measure,
        reference=reference,
    )


def _clean(error, name, relative, caller):
    if not check_flag(relative, "relative", caller):
        return 0.0
    if error is None:
        raise ValueError(f"{caller} needs {name} when relative=True.")
    return check_number(error, name, caller, low=0, high=1)


def _fractions(values, ndim, name, caller):
    values = number_array(values, name, caller)
    if values.ndim != ndim or values.size == 0 or values.dtype.kind not in "fiub":
        shape = "(n_corruptions, n_severities)" if ndim == 2 else "(n_perturbations,)"
        raise invalid(name, caller, f"numbers of shape {shape}", values.shape)
    return check_fractions(values, caller, name=name)


register(
    MetricSpec(
        "robustness_score",
        robustness_score,
        bounds=(-1.0, np.inf),
        needs={"outcomes"},
        **outcome_spec(robustness_outcomes, "robustness score"),
    )
)
register(
    MetricSpec(
        "mean_corruption_error",
        mean_corruption_error,
        aliases=("mce",),
        bounds=(-np.inf, np.inf),
        greater_is_better=False,
        needs={"outcomes"},
        **outcome_spec(error_outcomes, "mean corruption error"),
    )
)
