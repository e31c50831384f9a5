"""Scorers by the name of their metric."""

from skrobust.metrics.registry import find_metric, metric_names
from skrobust.metrics.scorers import classes


def get_scorer_names():
    """Return the names that :func:`get_scorer` knows.

    Returns
    -------
    list of str
        Sorted.

    Examples
    --------
    >>> from skrobust.metrics import get_scorer_names
    >>> "robust_ratio" in get_scorer_names()
    True
    """
    return metric_names(has_scorer=True)


def get_scorer(name, **params):
    """Return a new scorer by name (scikit-learn's own registry cannot be extended).

    Parameters
    ----------
    name : str
        One of :func:`get_scorer_names`.
    **params : dict
        Parameters of the scorer, such as ``perturbation=``, ``conditions=`` or
        ``n_samples=``; they can be set later with ``set_params``, too.

    Returns
    -------
    scorer : BaseScorer
        A fresh object each time.

    Notes
    -----
    The ends of bounds (certified and attacked) have no name here, as they need a ball
    or an attack in any case: :func:`skrobust.evaluation.make_bounds_scorer` makes their
    scorers.

    Examples
    --------
    >>> from skrobust.metrics import get_scorer
    >>> get_scorer("normalized_accuracy", n_samples=1797)
    NormalizedScorer(n_samples=1797)
    """
    spec = find_metric(name)
    if spec is None or not spec.has_scorer:
        cure = ""
        if str(name).startswith(("certified_", "attacked_")):
            cure = " skrobust.evaluation.make_bounds_scorer makes the ends of bounds."
        raise ValueError(
            f"{name!r} is not a scorer of skrobust; known are "
            f"{', '.join(get_scorer_names())}.{cure}"
        )
    if spec.scorer is not None:
        return spec.scorer(**params)
    return classes.RobustScorer(metric=spec.name, **params)
