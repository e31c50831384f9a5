"""The customary conditions for tables."""

from skrobust._validation import check_number, invalid
from skrobust.perturbations.meta._sequence import PerturbationSequence
from skrobust.perturbations.tables._categories import CategoryFlip
from skrobust.perturbations.tables._drift import MeanDrift, ScaleDrift
from skrobust.perturbations.tables._entry_errors import Outliers, SignFlip, UnitError
from skrobust.perturbations.tables._feature_loss import FeatureLoss
from skrobust.perturbations.tables._feature_noise import (
    FeatureNoise,
    MultiplicativeNoise,
    QuantileNoise,
)
from skrobust.perturbations.tables._missing import MissingValues
from skrobust.perturbations.tables._rounding import QuantileClipping, Rounding

_NUMBERS = {
    "feature_noise": FeatureNoise,
    "multiplicative_noise": MultiplicativeNoise,
    "quantile_noise": QuantileNoise,
    "outliers": Outliers,
    "unit_error": UnitError,
    "sign_flip": SignFlip,
    "mean_drift": MeanDrift,
    "scale_drift": ScaleDrift,
    "rounding": Rounding,
    "quantile_clipping": QuantileClipping,
}


def tabular(
    severities=(1, 2, 3, 4, 5),
    *,
    columns=None,
    categories=False,
    missing=False,
    random_state=None,
):
    """Return the customary conditions for tables, at several severities.

    Ten perturbations of numbers and the loss of features, filled by training means, so
    that every model can answer. All learn scales: fit the conditions on training data,
    or use an evaluation that does.

    Parameters
    ----------
    severities : sequence of floats in [0, 5], default=(1, 2, 3, 4, 5)
        One condition of each perturbation for each severity.
    columns : list, str, dtype or callable, default=None
        The columns of numbers that are perturbed, see :class:`FeatureNoise`; None is
        all of them.
    categories : bool, list, str or callable, default=False
        Whether categories are flipped as well, or in which columns.
    missing : bool, default=False
        Whether values go missing as well (by each of the three mechanisms), which needs
        a model that takes them.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all conditions.

    Returns
    -------
    conditions : list of PerturbationSequence
        First the clean one, number 1; then each with a ``name`` such as
        ``"feature_noise-3"`` and its ``number``.

    Raises
    ------
    ValueError
        For a severity outside [0, 5].

    Examples
    --------
    >>> from skrobust.perturbations import tabular
    >>> conditions = tabular((1, 3))
    >>> len(conditions), conditions[0].name, conditions[2].name
    (23, 'CLEAN', 'feature_noise-3')
    """
    if isinstance(severities, (str, dict)) or not hasattr(severities, "__iter__"):
        raise invalid("severities", "tabular", "a sequence of numbers", severities)
    for severity in severities:
        check_number(severity, "severities", "tabular", low=0, high=5)
    makers = {
        name: lambda severity, kind=kind: kind(severity, columns=columns)
        for name, kind in _NUMBERS.items()
    }
    makers["feature_loss"] = lambda severity: FeatureLoss(
        severity, fill="mean", columns=columns
    )
    if categories is not False and categories is not None:
        where = None if categories is True else categories
        makers["category_flip"] = lambda severity: CategoryFlip(severity, columns=where)
    for mechanism in ("mcar", "mar", "mnar") if missing else ():
        makers[f"missing_{mechanism}"] = lambda severity, mechanism=mechanism: (
            MissingValues(severity, mechanism=mechanism, columns=columns)
        )
    named = [("CLEAN", [])]
    for name, make in makers.items():
        named += [(f"{name}-{s:g}", [make(s)]) for s in severities]
    return [
        PerturbationSequence(steps, name=name, number=i, random_state=random_state)
        for i, (name, steps) in enumerate(named, start=1)
    ]
