"""Noise of answers from repeats, and the accuracy without it."""

import numpy as np

from skrobust._array_checks import check_same_length
from skrobust._containers import one_per_row
from skrobust._validation import check_confidence, check_count
from skrobust.metrics import proportion_interval
from skrobust.sampling.annotators.answer_table import (
    answer_table,
    as_outcomes,
    pairs_that_differ,
)
from skrobust.sampling.annotators.noise_correction import (
    corrected,
    noise_of_disagreement,
)


def estimate_label_noise(answers, *, n_classes=2, confidence=0.95):
    r"""Estimate how often answers are wrong, from inputs that were answered twice.

    With errors that are independent of each other, of the same rate e for all inputs
    and annotators, and that choose among the K - 1 other labels evenly, the share of
    pairs of answers that differ is

    .. math::

        d = 2 e - \frac{K}{K - 1} e^2, \qquad
        e = \frac{K - 1}{K} \Bigl(1 - \sqrt{1 - \frac{K}{K - 1} d}\Bigr)

    of two answers :math:`e = (1 - \sqrt{1 - 2 d}) / 2`. Errors that annotators share
    (an input that misleads all of them) do not show in repeats: e is then too low.

    Parameters
    ----------
    answers : array-like of shape (n_inputs, n_answers)
        Labels of any type, or whether the annotator says that a prediction is wrong
        (booleans, or 0 and 1). None or NaN where there is no answer.
    n_classes : int, default=2
        K, the labels that an answer chooses among.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    NoiseRate
        Rate of errors with its interval (Wilson's of d, with the number of independent
        pairs that their spread over inputs amounts to).

    Raises
    ------
    ValueError
        For bad answers, and where no input has two.

    References
    ----------
    W. J. Rogan, B. Gladen, "Estimating prevalence from the results of a screening
    test", American Journal of Epidemiology 1978. S. L. Hui, S. D. Walter, "Estimating
    the error rates of diagnostic tests", Biometrics 1980.

    Examples
    --------
    >>> from skrobust.sampling import estimate_label_noise
    >>> print(estimate_label_noise([[0, 0]] * 90 + [[0, 1]] * 10))
    5.3 % of the answers are wrong, 95 % interval 2.8 to 9.6
    10.0 % of the pairs of answers to 100 inputs differ
    """
    caller = "estimate_label_noise"
    n_classes = check_count(n_classes, "n_classes", caller, low=2)
    confidence = check_confidence(confidence, caller)
    return noise_of_table(answer_table(answers, caller), n_classes, confidence, caller)


def accuracy_with_label_noise(
    answers, *, y_pred=None, n_classes=2, n_pool=None, confidence=0.95
):
    r"""Estimate the accuracy from uniform draws whose answers are wrong at times.

    With q the accuracy that the answers say (the mean over inputs of the share of their
    answers that pass) and e the noise rate, estimated from the inputs that were
    answered twice,

    .. math:: a = \frac{q - e / (K - 1)}{1 - e K / (K - 1)}

    for K classes; of two :math:`a = (q - e) / (1 - 2 e)`. A wrong label makes a right
    prediction count as wrong; a wrong prediction counts as right only if the wrong
    label is the predicted one.

    Parameters
    ----------
    answers : array-like of shape (n_inputs, n_answers)
        Labels with ``y_pred``; otherwise whether each annotator says that the
        prediction is wrong (booleans, or 0 and 1), which is taken to be as often wrong
        for right as for wrong predictions. None or NaN where there is no answer. Which
        inputs were answered twice must not depend on the first answer: give a random
        part of them to a second annotator (how large, says :func:`plan_repeats`).
    y_pred : array-like of shape (n_inputs,), default=None
        Predicted labels of these inputs.
    n_classes : int, default=2
        K, the labels that an answer chooses among.
    n_pool : int, default=None
        Size of the pool that the inputs were drawn from without replacement; None for
        independent draws.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    NoisyAccuracy
        With the error of e in its interval.

    Raises
    ------
    ValueError
        For bad answers, where no input has two, and for a pool that is too small.

    References
    ----------
    W. J. Rogan, B. Gladen, "Estimating prevalence from the results of a screening
    test", American Journal of Epidemiology 1978. G. Y. Zou, A. Donner, "Construction of
    confidence limits about effect measures: a general approach", Statistics in Medicine
    2008 (the interval).

    Examples
    --------
    >>> from skrobust.sampling import accuracy_with_label_noise
    >>> once, twice = [[0, None]] * 170 + [[1, None]] * 30, [[0, 0]] * 44 + [[0, 1]] * 6
    >>> found = accuracy_with_label_noise(once + twice)
    >>> round(found.observed, 3), round(found.accuracy, 3)
    (0.868, 0.922)
    """
    caller = "accuracy_with_label_noise"
    confidence = check_confidence(confidence, caller)
    n_classes = check_count(n_classes, "n_classes", caller, low=2)
    table = answer_table(answers, caller)
    if y_pred is not None:
        y_pred = np.array(one_per_row(y_pred).tolist(), dtype=object)
        check_same_length(caller, answers=table, y_pred=y_pred)
    failed = as_outcomes(table, y_pred, caller)
    answered = ~np.isnan(failed).all(axis=1)
    noise = noise_of_table(table[answered], n_classes, confidence, caller)
    n = int(answered.sum())
    if n_pool is not None:
        n_pool = check_count(n_pool, "n_pool", caller, low=n)
    passed = 1 - np.nanmean(failed[answered], axis=1)
    q = float(passed.mean())
    variance = float(passed.var(ddof=1)) / n
    trials = q * (1 - q) / variance if variance > 0 else float(n)
    if n_pool is not None:
        variance *= 1 - n / n_pool
        trials *= (n_pool - 1) / max(n_pool - n, 1e-9)
    ends = proportion_interval(q * trials, trials, confidence=confidence)
    share = float((1 / (~np.isnan(failed[answered])).sum(axis=1)).mean())
    sizes = {"n_used": n, "n_pool": n_pool, "answers_share": share}
    return corrected(q, np.sqrt(variance), ends, noise, **sizes)


def noise_of_table(table, n_classes, confidence, caller):
    """Return the ``NoiseRate`` of a table of answers."""
    pairs, differ = pairs_that_differ(table)
    repeated = pairs > 0
    if not repeated.any():
        raise ValueError(
            f"{caller} needs inputs with two answers or more; of {len(table)} inputs "
            "none has. Give a random part of them to a second annotator."
        )
    pairs, differ = pairs[repeated], differ[repeated]
    share = float(differ.sum() / pairs.sum())
    # Pairs of one input are not independent: count what their spread amounts to.
    n = len(pairs)
    spread = ((differ - share * pairs) ** 2).sum() / pairs.sum() ** 2
    n_pairs = share * (1 - share) / spread if n > 1 and spread > 0 else float(n)
    n_answers = int((table[repeated] != None).sum())  # noqa: E711 (of each element)
    return noise_of_disagreement(share, n_pairs, n, n_answers, n_classes, confidence)
