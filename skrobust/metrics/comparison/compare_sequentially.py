"""Comparison of two models that stays valid when it is looked at often."""

import numpy as np

from skrobust._results import Results
from skrobust._validation import check_confidence, check_number, invalid
from skrobust.metrics.comparison.anytime_shares import (
    limits_of_difference,
    log_e_of_discordant,
)
from skrobust.metrics.robust.sample_values import correctness


def compare_sequentially(models, *, y_true=None, margin=None, confidence=0.95):
    r"""Compare two models while samples arrive, with a look after each of them.

    The error is at most :math:`\alpha` = 1 - ``confidence`` however often the results
    are looked at, and for any rule of when to stop.

    Parameters
    ----------
    models : dict
        Name of each of two models to its correctness of shape (n_samples,) or
        (n_samples, n_conditions), or to its predictions, when ``y_true`` is given: of
        shape (n_samples,) or (n_conditions, n_samples). Samples in the order of
        arrival; a sample counts when it is correct under each condition.
    y_true : array-like of shape (n_samples,) or None, default=None
        True labels.
    margin : float > 0 or None, default=None
        The largest difference that does not matter. Given, the models may also be
        found equivalent.
    confidence : float in (0, 1), default=0.95
        One less the error over all looks.

    Returns
    -------
    Results
        One row for each look. Columns ``n`` (samples so far), ``only_first`` and
        ``only_second`` (samples that one model alone has right), ``difference`` (first
        less second), ``low`` and ``high`` (limits that hold for all looks at once),
        ``e_value`` (evidence against equal models) and ``p_value`` (the smallest of
        1 / ``e_value`` so far). About the whole: ``verdict`` ("first better", "second
        better", "equivalent" or "undecided"), ``decided_at`` (number of samples at the
        first decision, None before it), ``first``, ``second``, ``confidence``,
        ``margin``.

    Raises
    ------
    ValueError
        For another number of models than two, models of different samples, or bad
        parameters.

    Notes
    -----
    Of b + c samples that one model alone has right, b belong to the first. Under equal
    models each belongs to either with the chance 1/2, whatever came before, and

    .. math:: E = 2^{b + c} \, \frac{B(b + 1/2, c + 1/2)}{B(1/2, 1/2)}

    is a martingale of mean 1: by Ville's inequality it ever reaches
    :math:`1 / \alpha` with a probability of at most :math:`\alpha`. The limits of the
    difference hold the values under which the likelihood of all three counts (mixed
    over Dirichlet(1/2, 1/2, 1/2)) is below :math:`1 / \alpha` times the largest one;
    they are intersected over the looks. "Better" follows from E, "equivalent" from the
    limits, each with the error :math:`\alpha`; samples must be drawn independently.

    References
    ----------
    J. Ville, "Etude critique de la notion de collectif" (1939); H. Robbins,
    "Statistical methods related to the law of the iterated logarithm" (Annals of
    Mathematical Statistics, 1970); I. Waudby-Smith and A. Ramdas, "Estimating means of
    bounded random variables by betting" (JRSS B, 2024).

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import compare_sequentially
    >>> found = compare_sequentially(
    ...     {"new": np.arange(60) % 20 > 0, "old": np.arange(60) % 3 > 0}
    ... )
    >>> found.verdict, found.decided_at
    ('first better', 34)
    """
    caller = "compare_sequentially"
    confidence = check_confidence(confidence, caller)
    if margin is not None:
        margin = check_number(margin, "margin", caller, low=0, low_open=True)
    if not isinstance(models, dict) or len(models) != 2:
        raise invalid("models", caller, "a dict of two models", models)
    data = [(one,) if y_true is None else (y_true, one) for one in models.values()]
    first, second = (correctness(one, caller).all(axis=1) for one in data)
    if len(first) != len(second):
        raise ValueError(
            f"{caller} needs the same samples; got {len(first)} and {len(second)}."
        )
    n = np.arange(1, len(first) + 1)
    up, down = np.cumsum(first & ~second), np.cumsum(second & ~first)
    error = 1 - confidence
    low, high = limits_of_difference(up, down, n, error)
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high)
    log_e = log_e_of_discordant(up, down)
    p_value = np.minimum(1.0, np.exp(-np.maximum.accumulate(log_e)))
    better = log_e >= -np.log(error)
    equal = np.zeros(len(n), dtype=bool)
    if margin is not None:
        equal = (low > -margin) & (high < margin)
    table = {
        "n": n,
        "only_first": up,
        "only_second": down,
        "difference": (up - down) / n,
        "low": low,
        "high": high,
        "e_value": np.exp(np.minimum(log_e, 700.0)),
        "p_value": p_value,
    }
    names = [str(name) for name in models]
    verdict, at = "undecided", None
    if np.any(better | equal):
        place = int(np.argmax(better | equal))
        at = int(n[place])
        verdict = "equivalent"
        if better[place]:
            verdict = "first better" if up[place] > down[place] else "second better"
    return Results(
        columns=tuple(table),
        **table,
        verdict=verdict,
        decided_at=at,
        first=names[0],
        second=names[1],
        confidence=confidence,
        margin=margin,
    )
