"""Preset of tables: each perturbation at several severities."""

from skrobust.perturbations.presets import register_preset
from skrobust.perturbations.severity_grid import severity_grid
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


@register_preset("table")
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
    kinds = {name: kind(columns=columns) for name, kind in _NUMBERS.items()}
    kinds["feature_loss"] = FeatureLoss(fill="mean", columns=columns)
    if categories is not False and categories is not None:
        where = None if categories is True else categories
        kinds["category_flip"] = CategoryFlip(columns=where)
    for mechanism in ("mcar", "mar", "mnar") if missing else ():
        kinds[f"missing_{mechanism}"] = MissingValues(
            mechanism=mechanism, columns=columns
        )
    return severity_grid(kinds, severities, "tabular", random_state)
