"""Flip rate of predictions along a sequence of inputs."""

import numpy as np

from skrobust._array_checks import check_scores, check_weights
from skrobust._containers import to_array
from skrobust._results import Results
from skrobust._validation import check_choice, check_number, metric
from skrobust.metrics.intervals.row_outcomes import RowOutcomes, outcome_spec
from skrobust.metrics.labels import check_one_each, label_array
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.robust.corruption_checks import (
    check_reference,
    corruption_names,
    quotients,
)


@metric
def flip_rate(y_pred_sequences, *, against="previous"):
    r"""Compute the probability that a prediction flips along a sequence (FP).

    In [0, 1]; 0 is best.

    .. math:: FP = \frac{1}{m} \sum_{i=1}^{m} \frac{1}{n - 1} \sum_{j=2}^{n}
        \mathbf{1}[\hat{y}_{ij} \ne \hat{y}_{i,j-1}]

    for sequences :math:`i` of frames :math:`j`; or against the first frame,
    :math:`\hat{y}_{i1}`.

    Parameters
    ----------
    y_pred_sequences : array-like of shape (n_sequences, n_frames)
        Labels predicted on at least two frames of each sequence.
    against : {"previous", "first"}, default="previous"
        Which frame each is compared with. The source takes the first for noise, whose
        frames are in no order, and the previous one otherwise.

    Returns
    -------
    float
        The mean over the sequences.

    Raises
    ------
    ValueError
        For another shape, a single frame, or missing labels.

    References
    ----------
    Hendrycks, Dietterich, "Benchmarking neural network robustness to common corruptions
    and perturbations" (ICLR, 2019), ImageNet-P.

    Examples
    --------
    >>> from skrobust.metrics import flip_rate
    >>> flip_rate([[1, 1, 2, 2, 1], [0, 0, 0, 3, 0]])
    0.5
    >>> flip_rate([[1, 1, 2, 2, 1], [0, 0, 0, 3, 0]], against="first")
    0.375
    """
    return float(_share_of_flips(y_pred_sequences, against).mean())


def _share_of_flips(y_pred_sequences, against="previous", caller="flip_rate"):
    """Return the share of frames of each sequence at which the prediction flips."""
    check_choice(against, "against", caller, ("previous", "first"))
    try:
        labels = to_array(y_pred_sequences, "y_pred_sequences", caller)
    except ValueError:  # sequences of different lengths
        labels = np.empty(0)
    if labels.ndim != 2 or len(labels) == 0 or labels.shape[1] < 2:
        raise ValueError(
            f"{caller} needs y_pred_sequences as labels of shape (n_sequences, "
            f"n_frames) with at least two frames. Got shape {labels.shape}."
        )
    shape = labels.shape
    labels = label_array(labels.ravel(), caller, "y_pred_sequences").reshape(shape)
    other = labels[:, :-1] if against == "previous" else labels[:, :1]
    return (labels[:, 1:] != other).mean(axis=1)


def _flip_outcomes(sequences, *, against="previous", sample_weight=None, caller):
    """Return the outcomes of sequences, the share of flips of each."""
    shares = _share_of_flips(sequences, against, caller)
    weight = check_weights(sample_weight, len(shares), caller)
    return RowOutcomes(shares[:, None], np.ravel, (0.0, 1.0), weight=weight)


@metric
def mean_flip_rate(
    flip_rates, reference_flip_rates=None, *, reference=None, names=None
):
    r"""Compute the mean flip rate against a named reference model (mFR).

    Non-negative; smaller is better, and the reference itself has 1.

    .. math:: mFR = \frac{1}{C} \sum_{c=1}^{C} \frac{FP_c}{FP^{ref}_c}

    Without a reference the flip probabilities are only averaged.

    Parameters
    ----------
    flip_rates : array-like of shape (n_perturbations,)
        The :func:`flip_rate` of the model under each perturbation.
    reference_flip_rates : array-like of shape (n_perturbations,), default=None
        The same of the reference model; None: no normalisation.
    reference : str or None, default=None
        Name of the reference model, for example "AlexNet"; needed with
        ``reference_flip_rates``.
    names : sequence of str of length n_perturbations or None, default=None
        Names of the perturbations; None: their numbers from 0.

    Returns
    -------
    Results
        Columns ``perturbation`` and ``flip_rate``; ``value``, their mean; ``measure``:
        "mFR" or "mean flip probability (no reference)"; ``reference``, its name or
        None.

    Raises
    ------
    ValueError
        For rates outside [0, 1], lengths that differ, a reference without a name or a
        name without a reference, or a reference that never flips.

    References
    ----------
    Hendrycks, Dietterich, "Benchmarking neural network robustness to common corruptions
    and perturbations" (ICLR, 2019), ImageNet-P.

    Examples
    --------
    >>> from skrobust.metrics import mean_flip_rate
    >>> results = mean_flip_rate([0.1, 0.3], [0.2, 0.4], reference="AlexNet")
    >>> round(results.value, 4), results.measure
    (0.625, 'mFR')
    """
    caller = "mean_flip_rate"
    rates = _rates(flip_rates, "flip_rates", caller)
    labels = corruption_names(names, len(rates), caller)
    name = "reference_flip_rates"
    check_reference(reference, reference_flip_rates, name, caller)
    measure = "mean flip probability (no reference)"
    if reference_flip_rates is not None:
        base = _rates(reference_flip_rates, name, caller)
        what = "one rate per perturbation of both models"
        check_one_each(rates, len(base), what, "flip_rates", caller, other=name)
        rates = quotients(rates, base, labels, caller)
        measure = "mFR"
    return Results(
        columns=("perturbation", "flip_rate"),
        perturbation=labels,
        flip_rate=rates,
        value=float(rates.mean()),
        measure=measure,
        reference=reference,
    )


def _rates(rates, name, caller):
    rates = check_scores(rates, caller, name=name)
    check_number(rates.max(), name, caller, low=0, high=1)
    check_number(rates.min(), name, caller, low=0, high=1)
    return rates


register(
    MetricSpec(
        "flip_rate",
        flip_rate,
        bounds=(0.0, 1.0),
        greater_is_better=False,
        needs={"outcomes"},
        **outcome_spec(_flip_outcomes, "flip rate"),
    )
)
