"""Number of samples, clusters, conditions or training runs to measure next."""

import numpy as np
from scipy.special import stdtrit

from skrobust._array_checks import number_array
from skrobust._containers import to_array
from skrobust._results import Results
from skrobust._validation import check_confidence, check_number, invalid
from skrobust.metrics.comparison.variance_components import Components
from skrobust.metrics.intervals.clusters import make_units

_MOST = 2**40  # levels of a factor that are tried


def plan_samples(
    values,
    factors=("condition", "sample"),
    *,
    clusters=None,
    fixed=("condition",),
    half_width=None,
    difference=None,
    power=0.8,
    confidence=0.95,
):
    r"""Compute how many samples, clusters, conditions or runs to measure next.

    The variance of the mean of a pilot table is decomposed by its factors. For each
    factor the number of levels is found that reaches the goal while the other factors
    keep theirs.

    Parameters
    ----------
    values : array-like with one axis per factor
        A full table: the correctness (or any value) of each sample under each
        condition, training run and so on; for a comparison of two models the
        difference of their values.
    factors : tuple of str, default=("condition", "sample")
        Names of the axes, for example ``("run", "condition", "sample")``. One axis may
        be called "sample".
    clusters : array-like of shape (n_samples,) or None, default=None
        Cluster of each level of "sample", all of the same size. "cluster" is then a
        factor of its own, and "sample" counts the samples of each cluster.
    fixed : tuple of str, default=("condition",)
        Factors whose levels are all of interest, not a sample of others. Their number
        is not planned.
    half_width : float > 0 or None, default=None
        Goal: the half width of the confidence interval of the mean.
    difference : float > 0 or None, default=None
        Goal: a mean of this size is told from 0 with probability ``power``. Exactly one
        of the two goals is given.
    power : float in (0, 1), default=0.8
        Probability of a significant result, with ``difference``.
    confidence : float in (0, 1), default=0.95
        Coverage of the interval; one less the level of the two-sided test.

    Returns
    -------
    Results
        One row per planned factor. Columns ``factor``, ``n`` (its levels in the table)
        and ``needed`` (levels that reach the goal; inf where no number does). About the
        whole: ``components`` (a table with ``component``, ``variance``, which may be
        negative, and ``share`` of the variance of the mean), ``value`` (the mean),
        ``std_error`` and ``half_width`` (of the table as it is), ``goal``,
        ``confidence``, ``power``.

    Raises
    ------
    ValueError
        For a table with another number of axes than factors or fewer than two levels
        of one, clusters of different sizes, or not exactly one goal.

    Notes
    -----
    Each set A of factors has the variance :math:`\sigma_A^2`, estimated by equating the
    mean squares of the table to their expectations, which is unbiased. The mean of a
    table with :math:`n_f` levels of factor f has the variance

    .. math:: \sum_{A \not\subseteq fixed} \frac{\sigma_A^2}{\prod_{f \in A} n_f}

    and t quantiles with Satterthwaite's degrees of freedom. Negative estimates count
    as 0 in the plan. A plan is as uncertain as the pilot table: with few levels of a
    factor its variance, and the number needed, may be wrong by a multiple.

    References
    ----------
    S. Searle, G. Casella and C. McCulloch, "Variance components" (Wiley, 1992);
    R. Brennan, "Generalizability theory" (Springer, 2001); F. Satterthwaite
    (Biometrics Bulletin, 1946).

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import plan_samples
    >>> rng = np.random.default_rng(0)
    >>> runs = rng.normal(0, 0.02, (5, 1, 1))
    >>> correct = rng.random((5, 4, 200)) < 0.8 + runs
    >>> axes = ("run", "condition", "sample")
    >>> plan = plan_samples(correct, axes, half_width=0.015)
    >>> plan.factor.tolist(), plan.n.tolist(), plan.needed.tolist()
    (['run', 'sample'], [5, 200], [7.0, 396.0])
    """
    caller = "plan_samples"
    confidence = check_confidence(confidence, caller)
    power = check_number(power, "power", caller, low=0, high=1, low_open=True)
    goals = {"half_width": half_width, "difference": difference}
    given = {name: goal for name, goal in goals.items() if goal is not None}
    if len(given) != 1 or power == 1:
        rule = "exactly one of half_width and difference, and a power below 1"
        raise ValueError(f"{caller} needs {rule}.")
    ((name, goal),) = given.items()
    goal = check_number(goal, name, caller, low=0, low_open=True)
    values, factors, nested = _table(values, factors, clusters, caller)
    fixed = _names(fixed, "fixed", caller)
    planned = [factor for factor in factors if factor not in fixed]
    if not planned:
        raise invalid("fixed", caller, "some of the factors, not all", fixed)
    found = Components(values, factors, nested)
    tail = (1 + confidence) / 2

    def reach(shape, only_seen=False):
        error, df = found.error(shape, fixed, planned=not only_seen)
        quantile = stdtrit(df, tail)
        if name == "difference" and not only_seen:
            quantile += stdtrit(df, power)
        return error, float(quantile * error)

    needed = [_levels(reach, found.shape, factor, goal) for factor in planned]
    table = {
        "factor": np.array(planned),
        "n": np.array([found.shape[factor] for factor in planned]),
        "needed": np.array(needed, dtype=np.float64),
    }
    error, half = reach(found.shape, only_seen=True)
    return Results(
        columns=tuple(table),
        **table,
        components=found.table(fixed),
        value=found.value,
        std_error=error,
        half_width=half,
        goal=goal,
        confidence=confidence,
        power=power if name == "difference" else None,
    )


def _names(names, parameter, caller):
    """Return names of factors as a tuple of text, or raise."""
    if isinstance(names, str):
        return (names,)
    found = (
        names
        if isinstance(names, (set, frozenset))
        else to_array(names, parameter, caller)
    )
    found = tuple(found) if np.iterable(found) and np.ndim(found) < 2 else (None,)
    if not all(isinstance(name, str) for name in found):
        raise invalid(parameter, caller, "names of factors, of text", names)
    return tuple(str(name) for name in found)


def _table(values, factors, clusters, caller):
    """Return the table with its factors, samples split by their clusters."""
    values = number_array(values, "values", caller).astype(np.float64)
    factors = _names(factors, "factors", caller)
    if values.ndim != len(factors) or len(set(factors)) < len(factors):
        rule = "one name for each axis of values"
        raise invalid("factors", caller, rule, factors)
    if min(values.shape, default=0) < 2 or not np.isfinite(values).all():
        rule = "finite, with two or more levels of each factor"
        raise invalid("values", caller, rule, f"shape {values.shape}")
    if clusters is None:
        return values, factors, {}
    if "sample" not in factors or "cluster" in factors:
        rule = "of an axis 'sample', without an axis 'cluster'"
        raise invalid("clusters", caller, rule, factors)
    axis = factors.index("sample")
    units = make_units(clusters, values.shape[axis], caller, name="samples")
    sizes = np.bincount(units.codes)
    if not units.clustered or sizes.min() < sizes.max() or len(sizes) < 2:
        rule = "two or more clusters of equal size, two samples or more each"
        raise invalid("clusters", caller, rule, f"sizes {sizes.min()} to {sizes.max()}")
    order = np.argsort(units.codes, kind="stable")
    split = values.take(order, axis=axis)
    shape = (*values.shape[:axis], len(sizes), sizes[0], *values.shape[axis + 1 :])
    names = (*factors[:axis], "cluster", "sample", *factors[axis + 1 :])
    return split.reshape(shape), names, {"sample": "cluster"}


def _levels(reach, shape, factor, goal):
    """Return the smallest number of levels of a factor that reaches the goal."""

    def is_enough(n):
        return reach({**shape, factor: n})[1] <= goal

    high = 2
    while not is_enough(high):
        high *= 2
        if high > _MOST:
            return np.inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
