"""Plan of how many inputs to label twice."""

import numpy as np
from scipy.special import ndtri

from skrobust._results import Results
from skrobust._validation import check_confidence, check_count, check_number


def plan_repeats(n_answers, *, noise, expected_accuracy, n_pool=None, confidence=0.95):
    r"""Divide a number of answers between new inputs and second answers.

    Answers are of two kinds (right and wrong). Of n inputs, r get a second answer, n +
    r answers in all. The variance of the corrected accuracy is

    .. math::

        \frac{1}{(1 - 2e)^2} \Bigl[\frac{(1 - 2e)^2 a (1 - a)}{n}
            + \frac{e (1 - e)}{n} \Bigl(1 - \frac{r}{2n}\Bigr)
            + (2a - 1)^2 \Bigl(\frac{d (1 - d)}{4 r (1 - 2e)^2}
            - \frac{e (1 - e)}{n}\Bigr)\Bigr], \qquad d = 2 e (1 - e)

    (delta method, our own derivation), with the first term less a (1 - a) / N in a
    pool of N. It is minimised over r.

    Parameters
    ----------
    n_answers : int
        Answers to pay for, at least 4.
    noise : float in (0, 0.5)
        A guess of the share of wrong answers.
    expected_accuracy : float in [0, 1]
        A guess of the accuracy.
    n_pool : int, default=None
        Size of the pool; None for independent draws.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Results
        ``n_inputs``, ``n_repeated``, the expected ``half_width`` of the corrected
        interval, and what taking all answers for right would give with as many inputs:
        ``half_width_uncorrected`` and ``bias_uncorrected``.

    Raises
    ------
    ValueError
        For bad arguments.

    Examples
    --------
    >>> from skrobust.sampling import plan_repeats
    >>> plan = plan_repeats(400, noise=0.05, expected_accuracy=0.75)
    >>> plan.n_inputs, plan.n_repeated, round(plan.bias_uncorrected, 3)
    (331, 69, -0.025)
    """
    caller = "plan_repeats"
    n_answers = check_count(n_answers, "n_answers", caller, low=4)
    open_ends = {"low_open": True, "high_open": True}
    e = check_number(noise, "noise", caller, low=0, high=0.5, **open_ends)
    a = check_number(expected_accuracy, "expected_accuracy", caller, low=0, high=1)
    z = ndtri((1 + check_confidence(confidence, caller)) / 2)
    r = np.arange(1, n_answers // 2 + 1)
    if n_pool is not None:
        n_pool = check_count(n_pool, "n_pool", caller, low=2)
        r = r[n_answers - r <= n_pool]
        if not len(r):
            raise ValueError(
                f"{caller}: {n_answers} answers are more than two for each of the "
                f"{n_pool} inputs of the pool."
            )
    n, keep = n_answers - r, 1 - 2 * e
    flips, d = e * (1 - e), 2 * e * (1 - e)
    of_draws = a * (1 - a) * (1 / n - (1 / n_pool if n_pool else 0))
    tilt = (2 * a - 1) ** 2
    of_noise = flips / n * (1 - r / (2 * n) - tilt) / keep**2
    of_rate = tilt * d * (1 - d) / (4 * r * keep**4)
    best = int(np.argmin(of_draws + of_noise + of_rate))
    variance = float((of_draws + of_noise + of_rate)[best])
    plain = float(keep**2 * of_draws[best] + flips / n[best])
    return Results(
        n_inputs=int(n[best]),
        n_repeated=int(r[best]),
        half_width=float(z * np.sqrt(variance)),
        half_width_uncorrected=float(z * np.sqrt(plain)),
        bias_uncorrected=float(-e * (2 * a - 1)),
        noise=e,
        expected_accuracy=a,
    )
