"""Optional measurements of a report: curves, doubts, groups and periods."""

import dataclasses
import json

import numpy as np
from sklearn.metrics import r2_score

from skrobust.attacks import PGD
from skrobust.evaluation import robust_accuracy_curve
from skrobust.metrics import group_robustness, period_stability_index
from skrobust.metrics.stability.period_rows import period_text
from skrobust.report.core.strict_json import to_plain

N_CHECKED = 64  # rows that an honest evaluation is checked on


def kept(store, model, X, y, parts, function, *args, **kwargs):
    """Return ``function(model, X, y, ...)`` as plain data, read where it was kept.

    Parameters
    ----------
    store : Checkpoint
        Finished parts; without a folder it keeps nothing.
    model, X, y : estimator and arrays
        Data of the measurement.
    parts : list
        Further values that the result depends on.
    function : callable
        The measurement.
    *args, **kwargs : object
        Further arguments of the function.

    Returns
    -------
    object
        Result of the function; plain values where there is a folder.
    """
    if store.folder is None:
        return function(model, X, y, *args, **kwargs)
    key = store.key(store.prefix(model, X, y), function.__name__, *parts)

    def text():
        return np.array(json.dumps(to_plain(function(model, X, y, *args, **kwargs))))

    return json.loads(str(store.run(key, text)))


def curve(model, X, y, radii, *, norm, data_range, random_state):
    """Return robust accuracy under PGD at each radius."""
    attack = PGD(norm=norm, data_range=data_range, random_state=random_state)
    results = robust_accuracy_curve(model, X, y, attack, radii)
    # One value a row: the curve says what is needed.
    return {k: v for k, v in results.items() if k not in ("radius", "distance")}


def doubts(found, name, y):
    """Return the signs that an evaluation under attack overstates robustness, as data.

    Parameters
    ----------
    found : list of EvaluationWarning
        From :func:`~skrobust.evaluation.evaluate_attack` with ``checks=True``.
    name : str
        Name of the attack in the report.
    y : ndarray of shape (n_samples,)
        Labels of the rows.

    Returns
    -------
    dict
        ``attack``, ``n_checked`` and ``found``: one dict each, with ``code``,
        ``sentence`` and ``numbers``.
    """
    plain = [dataclasses.asdict(doubt) for doubt in found]
    return {"attack": name, "n_checked": min(N_CHECKED, len(y)), "found": plain}


def group_table(y, correct, groups, *, random_state):
    """Return the accuracy in each group, with its range and that due to chance.

    Only correctness counts, so one label stands for all wrong ones.
    """
    _, codes = np.unique(y, return_inverse=True)
    answers = np.where(correct, codes, codes.max() + 1)
    return group_robustness(codes, answers, groups, random_state=random_state)


def period_scores(y, predicted, kind, times):
    """Return the score of each period and its stability index."""
    name, metric = "accuracy", "accuracy"
    if kind == "regressor":
        name, metric = "R2", r_squared_score
    settings = {"metric": metric, "return_periods": True}
    index, table = period_stability_index(y, predicted, times, **settings)
    return {
        "index": float(index),
        "metric": name,
        "period": [period_text(period) for period in table["period"]],
        "n_samples": table["n_samples"],
        "score": table["score"],
    }


def r_squared_score(y_true, y_pred):
    """Return R2, which a single row leaves undefined."""
    return float(r2_score(y_true, y_pred)) if len(y_true) > 1 else float("nan")
