"""Comparison of a model with its defended version."""

import numpy as np
from scipy.special import rel_entr

from skrobust._array_checks import check_probabilities
from skrobust._results import Results
from skrobust._validation import check_choice, metric
from skrobust.metrics.labels import check_same_shape, true_columns
from skrobust.metrics.undefined import warn_undefined


@metric
def defense_comparison(
    y_true,
    y_prob_raw,
    y_prob_defended,
    *,
    confidence="max",
    over="correct",
    labels=None,
):
    r"""Compare a model with its defended version (CAV, CRR, CSR, CCV, COS).

    .. math:: CAV &= acc_{def} - acc_{raw} = CRR - CSR \\
        CRR &= \frac{1}{N} \sum_i \mathbf{1}[raw_i \ne y_i, def_i = y_i], \quad
        CSR = \frac{1}{N} \sum_i \mathbf{1}[raw_i = y_i, def_i \ne y_i] \\
        CCV &= \frac{1}{|B|} \sum_{i \in B} |c_{def,i} - c_{raw,i}|, \quad
        COS = \frac{1}{|B|} \sum_{i \in B} JS(p_{raw,i}, p_{def,i})

    with the predicted classes :math:`raw_i` and :math:`def_i`, the confidences
    :math:`c`, the Jensen-Shannon divergence in natural logarithms, and the samples
    :math:`B` that both models classify correctly (or that both get wrong).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes: column numbers, or labels when ``labels`` is given.
    y_prob_raw : array-like of shape (n_samples, n_classes)
        Probabilities of the model without the defense.
    y_prob_defended : array-like of shape (n_samples, n_classes)
        Probabilities of the model with the defense, on the same inputs.
    confidence : {"max", "true"}, default="max"
        The largest probability (DEEPSEC), or that of the true class (AISafety).
    over : {"correct", "wrong"}, default="correct"
        CCV and COS over samples that both classify correctly (DEEPSEC), or wrongly
        (AISafety).
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column, as in ``estimator.classes_``.

    Returns
    -------
    Results
        ``cav``, classification accuracy variance in [-1, 1], above 0 where the defense
        helps; ``crr``, rectify ratio, and ``csr``, sacrifice ratio, in [0, 1]; ``ccv``,
        classification confidence variance in [0, 1]; ``cos``, classification output
        stability in [0, log 2], smaller is stabler; ``n_samples``, and ``n_compared``,
        the samples behind ``ccv`` and ``cos``, which are nan with a warning when there
        are none.

    Raises
    ------
    ValueError
        For rows that are no probabilities, shapes that differ, labels without a column,
        or an unknown choice.

    Notes
    -----
    AISafety reports the absolute value of CAV.

    References
    ----------
    Ling et al., "DEEPSEC" (IEEE S&P, 2019); code of the platform AISafety (2020).

    Examples
    --------
    >>> from skrobust.metrics import defense_comparison
    >>> raw = [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]]
    >>> defended = [[0.8, 0.2], [0.4, 0.6], [0.2, 0.8]]
    >>> results = defense_comparison([0, 1, 1], raw, defended)
    >>> round(results.cav, 4), round(results.crr, 4), round(results.ccv, 4)
    (0.3333, 0.3333, 0.1)
    """
    caller = "defense_comparison"
    check_choice(confidence, "confidence", caller, ("max", "true"))
    check_choice(over, "over", caller, ("correct", "wrong"))
    raw = check_probabilities(y_prob_raw, caller, name="y_prob_raw")
    defended = check_probabilities(y_prob_defended, caller, name="y_prob_defended")
    check_same_shape(raw, defended, "y_prob_raw and y_prob_defended", caller)
    column = true_columns(y_true, labels, caller, y_prob_raw=raw)
    was_correct = raw.argmax(axis=1) == column
    is_correct = defended.argmax(axis=1) == column
    wanted = over == "correct"
    compared = (was_correct == wanted) & (is_correct == wanted)
    p, q = (each.astype(np.float64) for each in (raw, defended))
    n = len(p)
    if confidence == "max":
        change = np.abs(q.max(axis=1) - p.max(axis=1))
    else:
        change = np.abs(q[range(n), column] - p[range(n), column])
    if compared.any():
        ccv = float(change[compared].mean())
        cos = float(_jensen_shannon(p, q)[compared].mean())
    else:
        text = f"{caller} finds no sample that both models get {over}; "
        ccv = cos = warn_undefined(text + "ccv and cos are set to nan.")
    return Results(
        columns=(),
        cav=float(int(is_correct.sum()) - int(was_correct.sum())) / n,
        crr=float((~was_correct & is_correct).mean()),
        csr=float((was_correct & ~is_correct).mean()),
        ccv=ccv,
        cos=cos,
        n_samples=n,
        n_compared=int(compared.sum()),
        confidence=confidence,
        over=over,
    )


def _jensen_shannon(p, q):
    middle = (p + q) / 2
    # Rows of rounded probabilities sum to 1 only nearly; below 0 is rounding.
    both = rel_entr(p, middle).sum(axis=1) + rel_entr(q, middle).sum(axis=1)
    return np.maximum(both / 2, 0)
