"""Alarm when an accuracy or mean loss changes, from labels in the order of time."""

import numpy as np
from scipy.special import betaln, gammaln, xlogy

from skrobust._array_checks import check_scores, refuse_missing
from skrobust._containers import one_per_row
from skrobust._results import Results
from skrobust._validation import check_count, check_number, invalid
from skrobust.sampling.core.loss_scale import Loss, check_loss_range
from skrobust.sampling.core.pool import own_generator
from skrobust.sampling.core.reporting import ACCURACY
from skrobust.sampling.living.part_tests import alarm_facts, part_drift

MOST_EVEN = 1000  # places of a change at even distances; later ones lie further apart
RATES = 60  # failure rates after a change that are betted on, with a baseline


def detect_drift(
    failed,
    *,
    baseline=None,
    parts=None,
    alpha=0.05,
    block=10,
    loss_range=None,
    random_state=0,
):
    r"""Look for a change of the accuracy, or mean loss, in labels in the order of time.

    It may be looked at as often as wanted, for ever: while the accuracy does not
    change, the probability that the alarm is ever raised is at most ``alpha``.

    * With a **baseline**, a known accuracy, the null hypothesis is that each label
      fails with a probability of at most :math:`p_0` = 1 - ``baseline``, which may
      vary. Bets :math:`\prod_{t > \tau} (1 + \lambda (x_t - p_0))` are placed on all
      higher rates from :math:`\tau` = 0, b, 2b, ... on (b is ``block``), with weights
      1 / (k (k + 1)), and their capital E is a supermartingale. The alarm is raised
      by a drop alone, at any label.
    * With **parts** (months), the labels of each part are compared with all before
      by Fisher's exact test, at the level :math:`6 \alpha / (\pi k)^2` of the k-th
      such test; these add up to :math:`\alpha`. The accuracy before need not be known.
    * With **neither**, at any label, without knowing the accuracy before, by universal
      inference (this needs many labels after a change, as it guards against every
      rate),

      .. math::

          E_n = \frac{\sum_k w_k \, B(x_1, \dots, x_{kb}) \,
              B(x_{kb + 1}, \dots, x_n)}{\max_p \prod_{t \le n} p^{x_t}
              (1 - p)^{1 - x_t}}, \qquad w_k = \frac{1}{k (k + 1)}

      with B the likelihood of outcomes of a rate drawn from Beta(1/2, 1/2).

    E ever reaches :math:`1 / \alpha` with a probability of at most :math:`\alpha`
    (Ville).

    Beyond 1,000 b labels, places lie a hundredth of the labels before them apart, so
    that the time grows linearly.

    Losses in a range, scaled to [0, 1], take the place of x. The bets are linear in x,
    so that they need no more than :math:`E(x) \le p_0`; the likelihood of universal
    inference is one that losses do not have, but since
    :math:`a^x b^{1 - x} \le x a + (1 - x) b` its ratios stay supermartingales while the
    mean is constant (our own remark). For parts, Fisher's test becomes a permutation
    test of the two means, which is exact while the distribution of losses stays the
    same, and an approximation while only their mean does.

    Parameters
    ----------
    failed : array-like of shape (n,)
        Whether each prediction was wrong (booleans, or 0 and 1), or with ``loss_range``
        its loss, in the order of time. Labels must be a uniform draw from what arrived.
    baseline : float, default=None
        Known accuracy before any change, in (0, 1), or known mean loss, inside
        ``loss_range``.
    parts : array-like of shape (n,), default=None
        Part of each label: numbers that never fall. The last one counts as complete.
    alpha : float in (0, 1), default=0.05
        Probability of a false alarm, over all looks together.
    block : int, default=10
        Labels between two places of a possible change, without parts.
    loss_range : (float, float), default=None
        The least and the largest possible loss, where losses are given.
    random_state : int, RandomState, Generator or None, default=0
        Of the permutations, for losses with parts.

    Returns
    -------
    Results
        One row for each label, with columns ``n``, ``e_value`` and ``p_value`` (the
        smallest of 1 / ``e_value`` so far); or for each part, with ``part``, ``n``,
        ``accuracy``, ``p_value`` and ``level``. For losses it is ``mean_loss`` instead
        of ``accuracy``, everywhere. About the whole: ``alarm``,
        ``alarm_at`` (number of labels at the first alarm, None without),
        ``changed_at`` (most likely number of labels before the change),
        ``accuracy_before`` and ``accuracy_after``, ``direction`` ("worse", "better" or
        None).

    Raises
    ------
    ValueError
        For outcomes, losses or parts that are none, and for parts beside a baseline.

    References
    ----------
    L. Wasserman, A. Ramdas, S. Balakrishnan, "Universal inference", PNAS 2020.
    A. Ramdas, J. Ruf, M. Larsson, W. Koolen, "Testing exchangeability: fork-convexity,
    supermartingales and e-processes", International Journal of Approximate Reasoning
    2022. J. Shin, A. Ramdas, A. Rinaldo, "E-detectors", New England Journal of
    Statistics in Data Science 2024 (mixtures over change points; theirs bound the time
    to a false alarm, ours the probability of one). R. A. Fisher, "The logic of
    inductive inference", JRSS 1935. E. Chung, J. P. Romano, "Exact and asymptotically
    robust permutation tests", Annals of Statistics 2013. J. Besag, P. Clifford,
    "Sequential Monte Carlo p-values", Biometrika 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import detect_drift
    >>> rng = np.random.default_rng(0)
    >>> failed = rng.random(500) < np.repeat([0.05, 0.25], [300, 200])
    >>> found = detect_drift(failed, baseline=0.95)
    >>> found.alarm_at, found.direction
    (341, 'worse')
    >>> found = detect_drift(failed, parts=np.arange(500) // 100)
    >>> found.alarm_at, found.changed_at
    (400, 300)
    >>> losses = rng.beta(2, 6, 500) * np.repeat([4.0, 5.5], [300, 200])
    >>> found = detect_drift(losses, loss_range=(0, 8), parts=np.arange(500) // 100)
    >>> found.alarm_at, round(found.mean_loss_after, 1)
    (500, 1.3)
    """
    caller = "detect_drift"
    x = np.zeros(0)
    if np.size(failed):
        x = check_scores(failed, caller, name="failed")
    scale = ACCURACY
    if loss_range is not None:
        check_loss_range(loss_range, "loss_range", caller)
        scale = Loss(bounds=loss_range)
        outside = (x < scale.low) | (x > scale.high)
        if outside.any():
            rule = f"losses in loss_range=({scale.low:g}, {scale.high:g})"
            raise invalid("failed", caller, rule, float(x[outside][0]))
        x = scale.rate(x)
    elif not np.isin(x, (0, 1)).all():
        cure = "For losses state loss_range=."
        raise invalid("failed", caller, "booleans, or 0 and 1", failed, cure)
    ends = {"low": 0, "high": 1, "low_open": True, "high_open": True}
    alpha = check_number(alpha, "alpha", caller, **ends)
    if parts is not None:
        if baseline is not None:
            raise ValueError(f"{caller} takes baseline or parts, not both.")
        rng = own_generator(random_state, caller)
        return part_drift(x, _check_parts(parts, len(x), caller), alpha, scale, rng)
    n, block, limit = len(x), check_count(block, "block", caller), None
    points = _change_points(n, block)
    if baseline is None:
        log_e = _log_e_of_constant(x, points)
    else:
        ends |= {"low": scale.low, "high": scale.high}
        baseline = check_number(baseline, "baseline", caller, **ends)
        limit = scale.rate(baseline)
        log_e = _log_e_of_baseline(x, points, limit)
    reached = log_e >= -np.log(alpha)
    p_value = np.minimum(1.0, np.exp(-np.maximum.accumulate(log_e))) if n else log_e
    about = alarm_facts(scale)
    if reached.any():
        at = int(reached.argmax()) + 1
        split = _likeliest(x[:at], points, limit)
        before = limit if split == 0 else float(x[:split].mean())
        about = alarm_facts(scale, at, split, before, float(x[split:at].mean()))
    return Results(
        columns=("n", "e_value", "p_value"),
        n=np.arange(1, n + 1),
        e_value=np.exp(np.minimum(log_e, 700.0)),
        p_value=p_value,
        **about,
        alpha=alpha,
        baseline=baseline,
    )


def _check_parts(parts, n, caller):
    """Return the part of each label."""
    parts = one_per_row(parts)
    refuse_missing(parts, caller, "parts")
    if parts.shape != (n,) or (n and (parts[1:] < parts[:-1]).any()):
        rule = f"one part for each of {n} labels, in the order of time (never falling)"
        raise invalid("parts", caller, rule, parts)
    return parts


def _change_points(n, block):
    """Return the numbers of labels after which a change is looked for, below n."""
    points = np.arange(block, max(min(n, (MOST_EVEN + 1) * block), block), block)
    later, last = [], MOST_EVEN * block
    while (last := last + max(block, last // 100)) < n:
        later.append(last)
    return np.r_[points, np.array(later, dtype=points.dtype)]


def _log_beta_of(x):
    """Return a function of failures and labels, up to those of x.

    It is the log likelihood of outcomes with a rate from Beta(1/2, 1/2).
    """
    if not np.isin(x, (0, 1)).all():
        return lambda f, n: betaln(f + 0.5, n - f + 0.5) - betaln(0.5, 0.5)
    halves = gammaln(np.arange(len(x) + 2) + 0.5)  # of counts, looked up
    wholes = gammaln(np.arange(len(x) + 2) + 1.0) + betaln(0.5, 0.5)

    def log_beta(f, n):
        return halves[f] + halves[n - f] - wholes[n]

    return log_beta


def _log_e_of_constant(x, points):
    """Return the log e-values against one constant rate."""
    log_beta, f = _log_beta_of(x), np.r_[0, np.cumsum(x)]
    if np.isin(x, (0, 1)).all():
        f = f.astype(np.int64)
    n, log_e = np.arange(len(x) + 1), np.empty(len(x))
    before = log_beta(f[points], points)
    before = before + _log_weights(len(points))
    for t in range(1, len(x) + 1):
        k = int(np.searchsorted(points, t))  # changes before the last label
        some, past = before[:k], points[:k]
        after = log_beta(f[t] - f[past], t - past)
        none = log_beta(f[t], t) - np.log(k + 1.0)
        best = xlogy(f[t], f[t] / n[t]) + xlogy(t - f[t], 1 - f[t] / n[t])
        log_e[t - 1] = np.logaddexp.reduce(np.r_[some + after, none]) - best
    return log_e


def _log_e_of_baseline(x, points, limit):
    """Return the log e-values against rates of at most a limit."""
    share = (np.arange(RATES) + 0.5) / RATES  # of the way up, quadratic: most are near
    rates = limit + (1 - limit) * share**2
    passed, failed = (1 - rates) / (1 - limit), rates / limit
    points = np.r_[0, points]
    start = np.exp(_log_weights(len(points)))
    capital, placed, log_e = np.zeros(RATES), 0, np.empty(len(x))
    scale = 0.0  # log of what capital is counted in
    for t, outcome in enumerate(x):
        while placed < len(points) and points[placed] <= t:
            capital = capital + start[placed] * np.exp(-scale)
            placed += 1
        capital = capital * ((1 - outcome) * passed + outcome * failed)
        largest = max(capital.max(), 1e-300)
        if largest > 1e100:
            capital, scale = capital / largest, scale + np.log(largest)
        held = 1 / (placed + 1)
        log_e[t] = np.logaddexp(np.log(capital.mean()) + scale, np.log(held))
    return log_e


def _log_weights(n):
    k = np.arange(1, n + 1)
    return -np.log(k) - np.log(k + 1)


def _likeliest(x, points, limit):
    """Return the change point of the largest likelihood."""
    points = points[points < len(x)]
    if limit is not None:
        points = np.r_[0, points]
    f = np.r_[0, np.cumsum(x)]
    total, past = f[-1], f[points]

    def largest(failures, n):
        p = failures / np.maximum(n, 1)
        return xlogy(failures, p) + xlogy(n - failures, 1 - p)

    before = largest(past, points)
    if limit is not None:
        before = xlogy(past, limit) + xlogy(points - past, 1 - limit)
    return int(points[np.argmax(before + largest(total - past, len(x) - points))])
