"""Candidate repairs of a model: what suits its kind, its data and its weaknesses."""

import numpy as np
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from skrobust._containers import is_frame, to_array
from skrobust._optional import require
from skrobust._responses import unwrap
from skrobust.attacks import AdversarialSampler
from skrobust.base import BaseAttack, BasePerturbation
from skrobust.certificates import SmoothedClassifier
from skrobust.evaluation.repairs.column_places import (
    MONOTONE,
    place_of,
    speaks_of_places,
)
from skrobust.evaluation.repairs.fragile_columns import MOST_COLUMNS, column_names
from skrobust.evaluation.repairs.repair_case import (
    Candidate,
    SkipError,
    need,
    need_fit,
    need_numbers,
    need_weakness,
)
from skrobust.perturbations import (
    FeatureLoss,
    PerturbationSampler,
    QuantileClipping,
    Rounding,
)

KINDS = (
    "imputer",
    "clipping",
    "scaling",
    "monotone",
    "drop_column",
    "coarsening",
    "noise_training",
    "adversarial_training",
    "calibration",
    "smoothing",
)
_N_VOTES = 100  # noisy copies of a row that a smoothed model asks its base for
MOST_PREDICTIONS = 3_000_000  # of a smoothed model that nobody asked for
_TREES = ("tree", "ensemble", "xgboost", "lightgbm", "catboost")
# Steps after which the columns are those of the input, in order and direction.
_KEEPS_COLUMNS = {
    "StandardScaler",
    "RobustScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "QuantileTransformer",
    "PowerTransformer",
    "SimpleImputer",
    "QuantileClipping",
}


def make_candidates(case, kinds=KINDS):
    """Return candidates, and the reason of each kind that does not suit.

    Parameters
    ----------
    case : Case
        The model and its weaknesses.
    kinds : sequence of str
        Of :data:`KINDS`.

    Returns
    -------
    candidates : list of Candidate
        Several of a kind differ in their strength.
    skipped : dict of str to str
        Reasons by kind.
    """
    candidates, skipped = [], {}
    for kind in kinds:
        try:
            found = _MAKERS[kind](case)
            candidates += [Candidate(kind, name, model) for name, model in found]
        except SkipError as reason:
            skipped[kind] = str(reason)
    return candidates, skipped


def _imputer(case):
    need_numbers(case)
    need(case.has_gaps, "No values are missing, in the rows or under a condition.")
    for strategy in ("median", "mean"):
        step = SimpleImputer(strategy=strategy, keep_empty_features=True)
        yield f"impute the {strategy}", case.behind("impute", case.on_numbers(step))


def _clipping(case):
    need_numbers(case)
    if not case.is_frozen:  # it changes the units
        step = case.on_numbers(MinMaxScaler(clip=True))
        yield "clip to the training range", case.behind("clip", step)
    for quantile in (0.999, 0.99, 0.95):
        step = QuantileClipping(quantile=quantile)
        yield f"clip at quantile {quantile:g}", case.behind("clip", step)


def _scaling(case):
    need_numbers(case)
    need_fit(case)
    module = type(unwrap(case.model)[1]).__module__
    need(not any(t in module for t in _TREES), "Trees do not depend on scales.")
    yield "robust scaling", case.behind("scale", case.on_numbers(RobustScaler()))
    n = min(1000, len(case.y))
    for shape in ("uniform", "normal"):
        step = QuantileTransformer(
            n_quantiles=n, output_distribution=shape, random_state=case.seed
        )
        yield f"{shape} quantiles", case.behind("scale", case.on_numbers(step))


def _monotone(case):
    need_fit(case)
    steps, inner = unwrap(case.model)
    params = inner.get_params() if hasattr(inner, "get_params") else {}
    library = type(inner).__module__.partition(".")[0]
    found = [name for name in MONOTONE if name in params]
    if library in ("lightgbm", "catboost"):  # which list what was set alone
        found = ["monotone_constraints"]
    need(found, f"{type(inner).__name__} takes no monotone constraints.")
    need(params.get(found[0]) is None, "The model has monotone constraints.")
    need(len(np.unique(case.y)) == 2, "Monotone constraints need two classes.")
    whole = case.is_table and len(case.numbers) == len(column_names(case.X))
    kept = all(type(step).__name__ in _KEEPS_COLUMNS for _, step in steps)
    need(whole and kept, "The model sees other columns than the table has.")
    place, made = f"{place_of(case.model)}{found[0]}", []
    for level in (0.001, 0.05):
        signs = _signs(case, level)
        need(any(signs), "No column rises or falls with the classes.")
        if signs in made:
            continue
        made.append(signs)
        n = np.count_nonzero(signs)
        if library in ("catboost", "xgboost"):  # lists have no clone, or no meaning
            signs = f"({','.join(map(str, signs))})"
        model = clone(case.model).set_params(**{place: signs})
        yield f"monotone in {n} {'column' if n == 1 else 'columns'}", model


def _signs(case, level):
    values = to_array(case.X).astype(np.float64)
    target = np.unique(case.y, return_inverse=True)[1]
    signs = []
    for column in values.T:
        known = ~np.isnan(column)
        sign = 0
        if np.ptp(column[known]) > 0 and len(np.unique(target[known])) > 1:
            found = spearmanr(column[known], target[known])
            sign = int(np.sign(found.statistic)) if found.pvalue < level else 0
        signs.append(sign)
    return signs


def _drop_column(case):
    need_weakness(case)
    need(case.is_table, "The rows have no columns.")
    text = f"Columns are tried one by one up to {MOST_COLUMNS} of them."
    need(len(column_names(case.X)) <= MOST_COLUMNS, text)
    need(case.fragile, "No column by itself costs accuracy under the conditions.")
    need_fit(case)
    most = min(3, len(case.fragile), len(column_names(case.X)) - 1)
    for n in range(1, most + 1):
        columns = [name for name, _ in case.fragile[:n]]
        shown = ", ".join(repr(name) for name in columns)
        if is_frame(case.X) or speaks_of_places(case.model):
            # The model names its columns: one value for all rows takes their place.
            step = FeatureLoss(
                share=1.0, fill="median", columns=columns, random_state=case.seed
            )
        else:
            parts = [("drop", "drop", columns)]
            step = ColumnTransformer(parts, remainder="passthrough")
        yield f"drop {shown}", case.behind("drop", step)


def _coarsening(case):
    need_numbers(case)
    fragile = [name for name, _ in case.fragile if name in case.numbers][:1]
    for levels in (16, 8):
        step = Rounding(levels=levels)
        yield f"round to {levels} levels", case.behind("round", step)
        if fragile:
            step = Rounding(levels=levels, columns=fragile)
            yield f"round {fragile[0]!r} to {levels} levels", case.behind("round", step)


def _noise_training(case):
    need_weakness(case)
    need_fit(case)
    weak, milder = (
        [(name, one) for name, one in named if isinstance(one, BasePerturbation)]
        for named in (case.weak, case.milder)
    )
    need(weak, "No condition is a perturbation of skrobust.")
    chosen = [weak[:n] for n in range(1, min(3, len(weak)) + 1)]
    for named in [*chosen, milder] if milder else chosen:
        steps = [
            (f"noise_{i}", PerturbationSampler(one, random_state=case.seed))
            for i, (_, one) in enumerate(named)
        ]
        shown = ", ".join(name for name, _ in named)
        yield f"train on {shown}", _sampled(case, steps)


def _adversarial_training(case):
    need_fit(case)
    attacks = [one for one in case.attacks if isinstance(one, BaseAttack)]
    need(attacks, "No attack was made.")
    settings = {"keep": "best", "random_state": case.seed}
    for n_rounds in (1, 5):
        step = AdversarialSampler(case.model, attacks[0], n_rounds=n_rounds, **settings)
        name = f"train on {type(attacks[0]).__name__}, {n_rounds} rounds"
        yield name, _sampled(case, [("examples", step)])


def _sampled(case, steps):
    try:
        pipeline = require(
            "imblearn.pipeline", "Training on more rows", extra="imblearn"
        )
    except ImportError as error:
        raise SkipError(str(error)) from error
    return pipeline.Pipeline([*steps, ("model", case.model)])


def _calibration(case):
    need(hasattr(case.model, "fit"), "The model has no fit.")
    counts = np.unique(case.y, return_counts=True)[1]
    need(counts.min() >= 5, "Each class needs five rows.")
    for method in ("sigmoid", "isotonic"):
        model = CalibratedClassifierCV(case.model, method=method)
        yield f"{method} calibration", model


def _smoothing(case):
    whole = case.is_table and len(case.numbers) == len(column_names(case.X))
    need(whole and not case.has_gaps, "Smoothing needs numbers, and all of them.")
    need_fit(case)
    n = case.n_predictions * _N_VOTES
    text = f"It would take {n} predictions; name it to have it tried."
    need(n <= case.most_predictions, text)
    for sigma in (0.25, 0.5):
        model = SmoothedClassifier(
            case.model, sigma, n_samples=_N_VOTES, random_state=case.seed
        )
        steps = [("scale", StandardScaler()), ("model", model)]
        yield f"smooth with sigma {sigma:g} sd", Pipeline(steps)


_MAKERS = {
    "imputer": _imputer,
    "clipping": _clipping,
    "scaling": _scaling,
    "monotone": _monotone,
    "drop_column": _drop_column,
    "coarsening": _coarsening,
    "noise_training": _noise_training,
    "adversarial_training": _adversarial_training,
    "calibration": _calibration,
    "smoothing": _smoothing,
}
