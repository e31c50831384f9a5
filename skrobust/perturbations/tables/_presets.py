"""Preset of tables: each perturbation at several severities."""

from skrobust._validation import as_flag, check_flag, invalid
from skrobust.perturbations.presets import register_preset
from skrobust.perturbations.severity_grid import severity_grid
from skrobust.perturbations.tables._categories import CategoryFlip
from skrobust.perturbations.tables._dates import DateShift
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

# Quantile noise and clipping at quantiles give values of the training range anyway.
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
_CATEGORIES = {
    "category_flip": "marginal",
    "unseen_category": "unseen",
    "category_typo": "typo",
}


@register_preset("table")
def tabular(
    severities=(1, 2, 3, 4, 5),
    *,
    columns=None,
    categories=True,
    dates=True,
    missing="auto",
    plausible=True,
    random_state=None,
):
    """Return the customary conditions for tables, at several severities.

    Each acts on the columns of its kind, where the table has any: ten perturbations of
    numbers; the loss of features, filled by training means; categories swapped by their
    frequencies, replaced by an unknown one, or with a typo; dates shifted, all alike or
    each by its own draw; and more missing values in columns that have some. All learn
    scales: fit the conditions on training data, or use an evaluation that does.
    Evaluations leave out the conditions for which the table has no column.

    Parameters
    ----------
    severities : sequence of floats in [0, 5], default=(1, 2, 3, 4, 5)
        One condition of each perturbation for each severity.
    columns : list, str, dtype or callable, default=None
        The columns of numbers that are perturbed, see :class:`FeatureNoise`; None is
        all of them.
    categories : bool, list, str or callable, default=True
        Whether categories are perturbed, or in which columns.
    dates : bool, list, str or callable, default=True
        Whether dates are shifted, or in which columns.
    missing : bool or "auto", default="auto"
        "auto": values go missing completely at random in the columns that have missing
        values in training. True: in all ``columns``, by each of the three mechanisms,
        which needs a model that takes them. False: nowhere.
    plausible : bool, default=True
        Whether integers stay integers, and numbers stay in the range of their column in
        the training rows, and whole where all of these are. Outliers, wrong units and
        wrong signs are then those that a check of the range lets through.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all conditions.

    Returns
    -------
    conditions : list of PerturbationSequence
        First the clean one, number 1; then each with a ``name`` such as
        ``"feature_noise-3"`` and its ``number``. A condition whose columns the rows of
        ``fit`` lack changes nothing; its ``finds_columns()`` is False.

    Raises
    ------
    ValueError
        For a severity outside [0, 5].

    Examples
    --------
    >>> from skrobust.perturbations import tabular
    >>> conditions = tabular((1, 3))
    >>> len(conditions), conditions[0].name, conditions[2].name
    (35, 'CLEAN', 'feature_noise-3')
    """
    categories, dates, missing = map(as_flag, (categories, dates, missing))
    for name, value in (("categories", categories), ("dates", dates)):
        if value is None:
            raise invalid(name, "tabular", "a bool or a choice of columns", value)
    if not (isinstance(missing, (bool, str)) and missing in (True, False, "auto")):
        raise invalid("missing", "tabular", "a bool or 'auto'", missing)
    check_flag(plausible, "plausible", "tabular")
    kinds = {name: kind(columns=columns) for name, kind in _NUMBERS.items()}
    if plausible:
        for kind in kinds.values():
            own = kind.get_params(deep=False)
            kept = {"keep_integer", "plausible"} & set(own)
            kind.set_params(**dict.fromkeys(kept, True))
    lost = FeatureLoss(fill="mean", columns=columns, keep_integer=plausible)
    kinds["feature_loss"] = lost
    if categories is not False:
        where = None if categories is True else categories
        for name, mode in _CATEGORIES.items():
            kinds[name] = CategoryFlip(mode=mode, columns=where)
    if dates is not False:
        where = None if dates is True else dates
        kinds["date_shift"] = DateShift(mode="shift", columns=where)
        kinds["date_noise"] = DateShift(mode="noise", columns=where)
    if missing == "auto":
        kinds["missing_mcar"] = MissingValues(columns="missing")
    for mechanism in ("mcar", "mar", "mnar") if missing is True else ():
        kinds[f"missing_{mechanism}"] = MissingValues(
            mechanism=mechanism, columns=columns
        )
    return severity_grid(kinds, severities, "tabular", random_state, no_columns="skip")
