"""Robust accuracy and robust ratio by group."""

from skrobust._validation import check_number, metric
from skrobust.metrics.groups.by_group import compare_groups
from skrobust.metrics.robust.probability_shift import check_tolerances


@metric
def group_robustness(
    y_true,
    y_pred_perturbed,
    groups,
    *,
    clusters=None,
    confidence=0.95,
    n_permutations=999,
    random_state=None,
):
    r"""Compare robust accuracy over groups.

    .. math:: RA_g = \frac{1}{n_g} \sum_{i: groups_i = g} \prod_j
        \mathbf{1}[y\_pred\_perturbed_{ji} = y\_true_i]

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred_perturbed : array-like of shape ([n_perturbations,] n_samples)
        Labels predicted on the perturbed inputs; a sample counts when it is correct
        under each perturbation.
    groups : array-like of shape (n_samples,)
        The group of each sample; at least two groups.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that belong together (clips, patients), each within one group. Intervals
        then take the effective n, and clusters are permuted instead of samples.
    confidence : float in (0, 1), default=0.95
        Of each interval.
    n_permutations : int, default=999
        Random assignments of the samples (or clusters) to the groups.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the permutations.

    Returns
    -------
    Results
        One row a group: ``group``, ``n_samples``, ``value`` in [0, 1], its Wilson
        interval ``low`` and ``high``, which holds for one group chosen beforehand,
        ``band_low`` and ``band_high``, which hold for all groups at once, ``is_small``
        (fewer than 30 samples), and ``n_clusters`` with clusters. ``gaps``: one row a
        pair with ``first``, ``second``, ``gap`` (the first less the second, in
        [-1, 1]), Newcombe's interval ``low`` and ``high`` and ``p_value``, of one pair
        chosen beforehand, and ``band_low``, ``band_high`` and ``p_adjusted`` (Holm),
        which hold for all pairs at once. ``range``, the
        greatest less the smallest value; ``range_by_chance``, its mean over the
        permutations; ``range_p_value``. ``worst_group`` and ``measure``, what
        ``value`` is.

    Raises
    ------
    ValueError
        For lengths that differ, fewer than two groups, or a cluster in two groups.

    Notes
    -----
    The band of groups has the level :math:`confidence^{1/G}` for each of the G groups
    (Sidak). That of gaps has Newcombe's interval at Bonferroni's level, and holds 0
    where the adjusted p-value is above 1 - confidence; Holm's rule may also reject
    where the band holds 0. The intervals of one gap each exclude 0 somewhere far more
    often than the level says, already with six equal groups. The page "Coverage of
    intervals" of the guide has the measured coverage.

    The range of equal groups is not 0: six of 120 samples show .09 on average when
    the value is .8. P-values of pairs are Fisher's exact ones, or of permuted
    clusters. With clusters intervals use quantiles of t, with a warning below 20 in a
    group; two clusters have no interval. When all samples have one class, the value is
    the rate of that class alone (with real faces only, the true negative rate), which
    ``measure`` says; it is no robust accuracy.

    References
    ----------
    R. G. Newcombe, "Interval estimation for the difference between independent
    proportions" (Statistics in Medicine, 1998), method 10; S. Holm, "A simple
    sequentially rejective multiple test procedure" (Scandinavian Journal of
    Statistics, 1979); groups as in Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795).

    Examples
    --------
    >>> from skrobust.metrics import group_robustness
    >>> y_true = [0, 1] * 40
    >>> y_pred = [0, 1] * 20 + [0, 0] * 20
    >>> results = group_robustness(
    ...     y_true, y_pred, ["a"] * 40 + ["b"] * 40, random_state=0)
    >>> results.value, results.gaps.gap, results.worst_group
    (array([1. , 0.5]), array([0.5]), 'b')
    """
    draws = confidence, n_permutations, random_state
    parts = (y_true, y_pred_perturbed), {}, groups, clusters
    return compare_groups("robust_accuracy", *parts, draws, "group_robustness")


@metric
def group_robust_ratio(
    y_prob,
    y_prob_perturbed,
    groups,
    *,
    tolerance,
    reference="predicted",
    y_true=None,
    labels=None,
    clusters=None,
    confidence=0.95,
    n_permutations=999,
    random_state=None,
):
    r"""Compare the robust ratio over groups at one tolerance.

    .. math:: RR_g = \frac{1}{n_g} \sum_{i: groups_i = g}
        \mathbf{1}[|dP|_i \le tolerance]

    with :math:`|dP|_i` the :func:`probability_shift` of sample :math:`i`.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities on the clean inputs.
    y_prob_perturbed : array-like of shape ([n_perturbations,] n_samples, n_classes)
        Probabilities on the perturbed inputs; the worst perturbation counts.
    groups : array-like of shape (n_samples,)
        The group of each sample; at least two groups.
    tolerance : float in [0, 1]
        The move that is still accepted.
    reference : {"predicted", "true", "max"}, default="predicted"
        Class whose probability is compared, as in :func:`robust_ratio_score`.
    y_true : array-like of shape (n_samples,) or None, default=None
        True classes, used with ``reference="true"`` only.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that belong together, as in :func:`group_robustness`.
    confidence : float in (0, 1), default=0.95
        Of each interval.
    n_permutations : int, default=999
        Random assignments of the samples (or clusters) to the groups.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the permutations.

    Returns
    -------
    Results
        The tables of :func:`group_robustness`, where ``value`` is the robust ratio; and
        ``tolerance``.

    Raises
    ------
    ValueError
        For what :func:`robust_ratio_score` or :func:`group_robustness` refuses.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795); intervals and tests as in
    :func:`group_robustness`.

    Examples
    --------
    >>> from skrobust.metrics import group_robust_ratio
    >>> clean = [[0.1, 0.9]] * 40
    >>> moved = [[0.1, 0.9]] * 20 + [[0.3, 0.7]] * 20
    >>> results = group_robust_ratio(
    ...     clean, moved, ["a"] * 20 + ["b"] * 20, tolerance=0.1, random_state=0)
    >>> results.value
    array([1., 0.])
    """
    caller = "group_robust_ratio"
    tolerance = check_number(tolerance, "tolerance", caller, low=0, high=1)
    draws = confidence, n_permutations, random_state
    options = {"reference": reference, "y_true": y_true, "labels": labels}
    parts = (y_prob, y_prob_perturbed), {"tolerance": tolerance, **options}
    return compare_groups("robust_ratio", *parts, groups, clusters, draws, caller)


@metric
def group_robust_ratio_curve(
    y_prob,
    y_prob_perturbed,
    groups,
    *,
    tolerances=None,
    reference="predicted",
    y_true=None,
    labels=None,
    clusters=None,
    confidence=0.95,
    n_permutations=999,
    random_state=None,
):
    r"""Compare the curves of the robust ratio over groups.

    .. math:: RR_g(b) = \frac{1}{n_g} \sum_{i: groups_i = g}
        \mathbf{1}[|dP|_i \le b]

    for each :math:`b` of ``tolerances``.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities on the clean inputs.
    y_prob_perturbed : array-like of shape ([n_perturbations,] n_samples, n_classes)
        Probabilities on the perturbed inputs; the worst perturbation counts.
    groups : array-like of shape (n_samples,)
        The group of each sample; at least two groups.
    tolerances : array-like of shape (n_tolerances,) or None, default=None
        Tolerances in [0, 1]; None: 0, 0.01, ..., 0.2 as in the source.
    reference : {"predicted", "true", "max"}, default="predicted"
        Class whose probability is compared, as in :func:`robust_ratio_curve`.
    y_true : array-like of shape (n_samples,) or None, default=None
        True classes, used with ``reference="true"`` only.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that belong together, as in :func:`group_robustness`.
    confidence : float in (0, 1), default=0.95
        Of each interval.
    n_permutations : int, default=999
        Random assignments of the samples (or clusters) to the groups.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the permutations.

    Returns
    -------
    Results
        One row per ``tolerance`` and ``group``, with the columns of
        :func:`group_robustness`; ``gaps``, one row per ``tolerance`` and pair, Holm's
        rule and the bands within each tolerance; ``ranges``, one row per ``tolerance``
        with ``range``, ``range_by_chance``, ``p_value`` and ``p_adjusted``, which
        compares with the greatest range over all tolerances.

    Raises
    ------
    ValueError
        For what :func:`robust_ratio_curve` or :func:`group_robustness` refuses.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795); intervals and tests as in
    :func:`group_robustness`.

    Examples
    --------
    >>> from skrobust.metrics import group_robust_ratio_curve
    >>> clean = [[0.1, 0.9]] * 40
    >>> moved = [[0.1, 0.9]] * 20 + [[0.3, 0.7]] * 20
    >>> results = group_robust_ratio_curve(
    ...     clean, moved, ["a"] * 20 + ["b"] * 20, tolerances=[0.1, 0.2],
    ...     random_state=0)
    >>> results.ranges.range
    array([1., 0.])
    """
    caller = "group_robust_ratio_curve"
    tolerances = check_tolerances(tolerances, caller)
    draws = confidence, n_permutations, random_state
    options = {"reference": reference, "y_true": y_true, "labels": labels}
    parts = (y_prob, y_prob_perturbed), {"tolerance": tolerances, **options}
    return compare_groups("robust_ratio", *parts, groups, clusters, draws, caller)
