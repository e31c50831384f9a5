"""What the models of a comparison are paired by: one value a row and model."""

import warnings

import numpy as np
from sklearn.metrics import r2_score

from skrobust.cli.attack_options import build_attack
from skrobust.cli.attack_results import at_the_label, moved_predictions, tolerance_of
from skrobust.cli.exit_codes import UserError
from skrobust.evaluation import evaluate_perturbations
from skrobust.evaluation.attack_run import attack_table, right_labels
from skrobust.evaluation.checkpoint import Checkpoint
from skrobust.metrics import (
    accuracy_stability_index,
    confidence_interval,
    prediction_shift,
    proportion_interval,
)
from skrobust.report.data_facts import is_text, kind_of
from skrobust.report.measurements import make_conditions
from skrobust.report.summary_cells import index_ends

# Measures of the command line, and what a report calls them.
WORDS = {
    "accuracy": "clean accuracy",
    "robust_accuracy": "robust accuracy",
    "mean_accuracy": "mean accuracy",
    "asi": "stability",
    "r2": "R2",
    "robust_ratio": "robust ratio",
}
# What each needs, in the order in which they are ranked by.
NEEDS = {
    "robust_accuracy": "classifiers and --eps",
    "asi": "classifiers, and --preset or --image-shape",
    "accuracy": "classifiers",
    "robust_ratio": "regressors and --eps",
    "r2": "regressors",
    "mean_accuracy": "classifiers, and --preset or --image-shape",
}
NUMBERS = ("r2", "robust_ratio")  # measures of regressors
_TABLES = ("series", "tabular")


def measure(name, model, rows, options, parts, say):
    """Return the values of one model, row by row.

    Parameters
    ----------
    name : str
        Of the model.
    model : fitted estimator
        The model.
    rows : (X, y, X_train)
        Rows and targets; the training rows or None.
    options : dict
        Of the command, with ``known`` of the data.
    parts : str or None
        Folder of finished parts.
    say : callable
        Called with a line before each step.

    Returns
    -------
    dict of str to ndarray
        By measure.
    """
    X, y, X_train = rows
    attacks = [
        build_attack(kind, eps, options, options["known"])
        for kind in options["names"]
        for eps in options["eps"] or ()
    ]
    if kind_of(name, model) == "regressor":
        return _numbers(name, model, X, y, attacks, options, parts, say)
    found = {"accuracy": right_labels(model, X, y)}
    if attacks:
        say(f"{name}: attacks")
        found["robust_accuracy"] = _stands(model, attacks, X, y, parts)
    shape = options["image_shape"] or options["known"].get("image_shape")
    preset = options["preset"] or (shape and "asi68")
    if preset:
        say(f"{name}: {preset}")
        held = _held(model, X, y, X_train, preset, shape, options, parts)
        found |= {"mean_accuracy": held.mean(axis=1), "asi": held}
    return found


def _numbers(name, model, X, y, attacks, options, parts, say):
    if options["preset"]:
        raise UserError(
            f"--preset counts right labels, and {name!r} is a regressor; compare "
            "regressors with --eps, or by R2."
        )
    clean = model.predict(X)
    found = {"r2": clean}
    if attacks:
        say(f"{name}: attacks")
        moved = [moved_predictions(model, X, y, one, parts) for one in attacks]
        shift = prediction_shift(clean, np.array(moved))
        found["robust_ratio"] = shift <= tolerance_of(y, options["tolerance"])
    return found


def _stands(model, attacks, X, y, parts):
    """Return which rows every attack leaves right."""
    store, stands = Checkpoint(parts, "compare"), np.ones(len(y), dtype=bool)
    prefix = store.prefix(model, X, y)
    for one in map(at_the_label, attacks):
        key = store.key(prefix, "right", one)
        stands &= store.run(key, attack_table, model, one, X, y)[0].astype(bool)
    return stands


def _held(model, X, y, X_train, preset, shape, options, parts):
    """Return which rows stay right under each condition."""
    span = options["data_range"] or options["known"].get("data_range")
    settings = {
        "conditions": preset,
        "image_shape": shape,
        "channel_axis": None,
        "data_range": span,
        "random_state": options["seed"],
    }
    if preset == "text" and not is_text(X):
        raise UserError("--preset text needs texts: a table of one column of them.")
    learns = preset in _TABLES or (preset != "text" and span is None)
    if learns and X_train is None and preset in _TABLES:
        text = "scales were learned from the rows scored; see --x-train"
        warnings.warn(text, UserWarning, stacklevel=2)
        X_train = X
    results = evaluate_perturbations(
        model,
        X,
        y,
        make_conditions(preset, settings),
        X_ref=X_train if learns else None,
        checkpoint=parts,
        n_jobs=options["n_jobs"],
    )
    return results.correct


def cell(measure, values, y):
    """Return a measure over all rows as a value with its interval.

    Parameters
    ----------
    measure : str
        One of ``WORDS``.
    values : ndarray
        From :func:`measure`.
    y : ndarray of shape (n_samples,)
        The targets.

    Returns
    -------
    dict
        ``value`` and ``interval`` (or None); for the index ``corrected``, which the
        interval is of, and ``interval_note``: why an end is missing.
    """
    if measure == "r2":
        return {"value": float(r2_score(y, values)), "interval": None}
    if measure == "mean_accuracy":
        return {"value": float(values.mean()), "interval": None}
    if measure != "asi":
        interval = proportion_interval(int(values.sum()), len(values))
        return {"value": float(values.mean()), "interval": interval}
    with warnings.catch_warnings():  # the note says it
        warnings.simplefilter("ignore")
        found = confidence_interval("accuracy_stability_index", values)
    ends, note = index_ends(found)
    return {
        "value": float(accuracy_stability_index(values.mean(axis=0))),
        "corrected": found.value,
        "interval": ends,
        "interval_note": note,
    }
