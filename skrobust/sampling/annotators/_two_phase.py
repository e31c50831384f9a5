"""A cheap judge for many inputs, and an expert for a part of them."""

import numpy as np
from scipy.special import ndtri, stdtrit

from skrobust._array_checks import check_scores, number_array
from skrobust._containers import one_per_row
from skrobust._results import Results
from skrobust._validation import (
    check_choice,
    check_confidence,
    check_count,
    check_number,
    invalid,
)
from skrobust.metrics import Interval

_MOST_EXPERT = 10_000_000


def two_phase_accuracy(
    judge, expert, *, n_pool=None, weight="difference", confidence=0.95
):
    r"""Estimate the accuracy from a cheap judge, corrected by an expert.

    The judge (a model, a crowd) says for n uniformly drawn inputs whether the
    prediction is right, the expert for a random part of m. With f the judge's and y
    the expert's answers,

    .. math::

        \hat a = \lambda \bar f_n + \overline{(y - \lambda f)}_m, \qquad
        \hat V = \Bigl(\frac1n - \frac1N\Bigr) s_y^2
            + \Bigl(\frac1m - \frac1n\Bigr) s_{y - \lambda f}^2

    which is exactly unbiased for the expert's accuracy with :math:`\lambda` = 1,
    however bad the judge is. A judge that is not worth its answers makes it wide, and
    never wrong.

    Parameters
    ----------
    judge : array-like of shape (n,)
        Whether each prediction is right by the judge (booleans, or probabilities in
        [0, 1]).
    expert : array-like of shape (n,)
        The same by the expert (booleans, or 0 and 1); None or NaN where the expert was
        not asked. Which inputs are asked must not depend on the expert's answers: a
        uniform draw.
    n_pool : int, default=None
        Size of the pool that the n inputs were drawn from without replacement; None
        for independent draws.
    weight : {"difference", "tuned"}, default="difference"
        :math:`\lambda` = 1; or the slope of y on f in the part, within [0, 1] (PPI++,
        with one degree of freedom less): never much worse than the expert alone, and
        only nearly unbiased.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Results
        ``accuracy``, ``interval``, ``std_error``, ``weight`` (:math:`\lambda`),
        ``agreement`` (share of the part in which the judge, rounded, says what the
        expert says), ``judge_accuracy`` (that the judge alone gives),
        ``expert_std_error`` (of the expert's part alone), ``n_judge``, ``n_expert``.

    Raises
    ------
    ValueError
        For bad answers, fewer than two of the expert, and a pool that is too small.

    Notes
    -----
    The interval is Student's t with m - 1 degrees of freedom. While few answers of the
    two differ the residuals vary too little; one more difference of each sign is
    counted in their variance (after Agresti and Min 2005; the number is our choice).

    References
    ----------
    W. G. Cochran, "Sampling Techniques", 3rd edition, Wiley 1977, chapter 12 (double
    sampling). A. N. Angelopoulos, J. C. Duchi, T. Zrnic, "PPI++: efficient
    prediction-powered inference", 2023. A. Agresti, Y. Min, "Simple improved confidence
    intervals for comparing matched proportions", Statistics in Medicine 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import two_phase_accuracy
    >>> right = np.arange(600) % 5 > 0
    >>> judge = np.where(np.arange(600) % 9 == 0, ~right, right)
    >>> expert = np.where(np.arange(600) % 7 == 0, right, np.nan)   # 86 of 600
    >>> found = two_phase_accuracy(judge, expert)
    >>> round(found.judge_accuracy, 3), round(found.accuracy, 3)
    (0.735, 0.805)
    """
    caller = "two_phase_accuracy"
    f = check_scores(judge, caller, name="judge")
    if f.min() < 0 or f.max() > 1:
        rule = "booleans, or probabilities in [0, 1]"
        raise invalid("judge", caller, rule, float(f[np.abs(f - 0.5).argmax()]))
    y = _expert_answers(expert, len(f), caller)
    asked = ~np.isnan(y)
    n, m = len(f), int(asked.sum())
    if m < 2:
        raise ValueError(f"{caller} needs two answers of the expert; got {m}.")
    if n_pool is not None:
        n_pool = check_count(n_pool, "n_pool", caller, low=n)
    check_choice(weight, "weight", caller, ("difference", "tuned"))
    confidence = check_confidence(confidence, caller)
    y, f_part = y[asked], f[asked]
    slope, lost = 1.0, 1
    if weight == "tuned":
        spread = float(f_part.var())
        slope = float(np.mean((f_part - f_part.mean()) * (y - y.mean())))
        slope, lost = float(np.clip(slope / spread if spread else 0, 0, 1)), 2
    residual = y - slope * f_part
    value = slope * float(f.mean()) + float(residual.mean())
    of_y = float(y.var(ddof=1))
    df = max(m - lost, 1)
    of_rest = float(((residual - residual.mean()) ** 2).sum()) / df
    first, second = 1 / n - (1 / n_pool if n_pool else 0), 1 / m - 1 / n
    more = (m * of_rest + 2) / (m + 2)  # one difference more of each sign
    error = np.sqrt(first * of_y + second * of_rest)
    wide = np.sqrt(first * max(of_y, 1 / (m + 2)) + second * more)
    half = float(stdtrit(df, (1 + confidence) / 2) * wide)
    ends = max(value - half, min(0.0, value)), min(value + half, max(1.0, value))
    alone = of_y * (1 / m - (1 / n_pool if n_pool else 0))
    return Results(
        accuracy=value,
        interval=Interval(value, *ends, float(error), confidence, "t", m),
        std_error=float(error),
        weight=slope,
        agreement=float(((f_part >= 0.5) == (y == 1)).mean()),
        judge_accuracy=float(f.mean()),
        expert_std_error=float(np.sqrt(max(alone, 0.0))),
        n_judge=n,
        n_expert=m,
    )


def plan_two_phase(
    budget, *, judge_cost, expert_cost, agreement, expected_accuracy, confidence=0.95
):
    r"""Divide a budget between a cheap judge and an expert.

    With :math:`S_y^2 = a (1 - a)` and :math:`S_d^2 = 1 - g` for an agreement g (of a
    judge without bias, or more if it has one), n answers of the judge at cost
    :math:`c_j` and m of the expert at :math:`c_e`, the variance
    :math:`(S_y^2 - S_d^2) / n + S_d^2 / m` is smallest, within the budget, at

    .. math:: \frac{n}{m} = \sqrt{\frac{(S_y^2 - S_d^2) \, c_e}{S_d^2 \, c_j}}

    (Cochran 1977, section 12.3). Where :math:`S_d^2 \ge S_y^2`, or where the two cost
    more than they tell, the expert alone is best.

    Parameters
    ----------
    budget : float > 0
        In the unit of the costs.
    judge_cost, expert_cost : float > 0
        Of one answer.
    agreement : float in [0, 1]
        A guess of how often the judge says what the expert says.
    expected_accuracy : float in [0, 1]
        A guess of the accuracy.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Results
        ``n_judge`` (0: the judge is not worth it), ``n_expert``, the expected
        ``half_width`` and that of the expert alone, ``half_width_expert_alone``.

    Raises
    ------
    ValueError
        For bad arguments, and a budget below two answers of the expert, or above ten
        million.

    Examples
    --------
    >>> from skrobust.sampling import plan_two_phase
    >>> plan = plan_two_phase(300, judge_cost=0.02, expert_cost=3, agreement=0.95,
    ...                       expected_accuracy=0.8)
    >>> plan.n_judge, plan.n_expert
    (1650, 89)
    """
    caller = "plan_two_phase"
    budget = check_number(budget, "budget", caller, low=0, low_open=True)
    cheap = check_number(judge_cost, "judge_cost", caller, low=0, low_open=True)
    dear = check_number(expert_cost, "expert_cost", caller, low=0, low_open=True)
    g = check_number(agreement, "agreement", caller, low=0, high=1)
    a = check_number(expected_accuracy, "expected_accuracy", caller, low=0, high=1)
    z = ndtri((1 + check_confidence(confidence, caller)) / 2)
    if budget < 2 * dear:
        rule = f"at least the cost of two answers of the expert, {2 * dear:g}"
        raise invalid("budget", caller, rule, budget)
    of_y, of_rest = a * (1 - a), 1 - g
    if budget / dear > _MOST_EXPERT:
        rule = f"at most the cost of {_MOST_EXPERT:,} answers of the expert, which "
        rule += "are all tried"
        raise invalid("budget", caller, rule, budget)
    if budget / cheap > 2**53:
        rule = "a cost of which the budget pays no more than 2**53, such as 1e-9"
        raise invalid("judge_cost", caller, rule, judge_cost)
    alone = int(_answers_for(budget, dear))
    half_alone = z * np.sqrt(of_y / alone)
    n_judge, n_expert, half = 0, alone, half_alone
    # Whole numbers of the expert's answers, the rest for the judge; all are tried, as
    # the part cannot be larger than the whole.
    m = np.arange(2, alone + 1)
    n = _answers_for(budget - m * dear, cheap, budget)
    m, n = m[n >= m], n[n >= m]
    if len(m) and of_rest < of_y:
        variance = (of_y - of_rest) / n + of_rest / m
        best = int(variance.argmin())
        if z * np.sqrt(variance[best]) < half:
            n_judge, n_expert = int(n[best]), int(m[best])
            half = z * np.sqrt(variance[best])
    return Results(
        n_judge=n_judge,
        n_expert=n_expert,
        half_width=float(half),
        half_width_expert_alone=float(half_alone),
        cost=float(n_judge * cheap + n_expert * dear),
    )


def _answers_for(money, price, budget=None):
    """Return how many answers money buys: 30 for 6 at 0.2, although 6 // 0.2 is 29.

    What is left of a budget is as exact as the budget.
    """
    slack = 1e-12 * (money if budget is None else budget)
    return np.floor((money + slack) / price)


def _expert_answers(expert, n, caller):
    """Return the expert's answers as 0, 1 or nan, one for each of the judge's."""
    values = one_per_row(expert, "expert", caller)
    rule = f"0, 1, or None where the expert was not asked, for each of {n} inputs"
    if values.shape != (n,):
        raise invalid("expert", caller, rule, values.shape)
    y = number_array(values, "expert", caller, what=rule).astype(np.float64)
    bad = ~np.isnan(y) & ~np.isin(y, (0, 1))
    if bad.any():
        raise invalid("expert", caller, rule, float(y[bad][0]))
    return y
