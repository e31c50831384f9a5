"""Values by which models are compared: one value per row and model."""

import warnings

import numpy as np
from sklearn.metrics import r2_score

from skrobust._containers import is_text
from skrobust._responses import respond
from skrobust.cli import attack_results
from skrobust.cli.attack_options import build_attacks, known_of
from skrobust.cli.exit_codes import UserError
from skrobust.evaluation import evaluate_perturbations
from skrobust.evaluation.attacked.attack_run import attack_table, correct_labels
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.metrics import (
    accuracy_stability_index,
    confidence_interval,
    prediction_shift,
    proportion_interval,
)
from skrobust.metrics.scorers.attack_objective import aimed_at_labels
from skrobust.perturbations.presets import find_preset
from skrobust.report.core.preset_conditions import with_scales
from skrobust.report.core.summary_cells import interval_ends
from skrobust.report.measured.data_facts import kind_of

# Measures of the command line: the name in a report, and what each needs. They are
# listed in the order of preference for the ranking.
MEASURES = {
    "robust_accuracy": ("robust accuracy", "classifiers and --eps"),
    "asi": ("stability", "classifiers, and --preset or --image-shape"),
    "accuracy": ("clean accuracy", "classifiers"),
    "robust_ratio": ("robust ratio", "regressors and --eps"),
    "r2": ("R2", "regressors"),
    "mean_accuracy": ("mean accuracy", "classifiers, and --preset or --image-shape"),
}
# Order of the columns.
COLUMNS = ("accuracy", "robust_accuracy", "mean_accuracy", "asi", "r2", "robust_ratio")


def measure(name, model, rows, options, known, parts, say):
    """Return the values of one model, row by row.

    Parameters
    ----------
    name : str
        Name of the model.
    model : fitted estimator
        The model.
    rows : (X, y, X_train)
        Rows and targets; the training rows or None.
    options : dict
        Options of the command, with ``names`` of the attacks.
    known : dict
        Facts about the data.
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
    attacks = list(build_attacks(options["names"], options, known).values())
    if attacks:
        say(f"{name}: attacks")
    if kind_of(name, model) == "regressor":
        return _measure_regressor(name, model, X, y, attacks, options, parts)
    found = {"accuracy": correct_labels(model, X, y)}
    if attacks:
        found["robust_accuracy"] = _robust_rows(model, attacks, X, y, parts)
    settings = known_of(options, known)
    settings |= {"channel_axis": None, "random_state": options["seed"]}
    preset = options["preset"] or (settings["image_shape"] and "asi68")
    if preset:
        say(f"{name}: {preset}")
        settings["conditions"] = preset
        correct = _correct_rows(model, X, y, X_train, settings, options, parts)
        found |= {"mean_accuracy": correct.mean(axis=1), "asi": correct}
    return found


def _measure_regressor(name, model, X, y, attacks, options, parts):
    if options["preset"]:
        raise UserError(
            f"--preset counts right labels, and {name!r} is a regressor; compare "
            "regressors with --eps, or by R2."
        )
    clean = respond(model, "predict", X)
    found = {"r2": clean}
    if attacks:
        predictions = attack_results.perturbed_predictions
        moved = [predictions(model, X, y, one, parts) for one in attacks]
        tolerance = attack_results.tolerance_of(y, options["tolerance"])
        found["robust_ratio"] = prediction_shift(clean, np.array(moved)) <= tolerance
    return found


def _robust_rows(model, attacks, X, y, parts):
    """Return which rows stay correct under every attack."""
    store, robust = Checkpoint(parts, "compare"), np.ones(len(y), dtype=bool)
    prefix = store.prefix(model, X, y)
    for attack in map(aimed_at_labels, attacks):
        key = store.key(prefix, "right", attack)
        robust &= store.run(key, attack_table, model, attack, X, y)[0].astype(bool)
    return robust


def _correct_rows(model, X, y, X_train, settings, options, parts):
    """Return which rows are correct under each condition."""
    preset = settings["conditions"]
    kind = find_preset(preset).kind
    if kind == "text" and not is_text(X):
        raise UserError(f"--preset {preset} needs a table with one column of texts.")
    if X_train is None and kind not in ("text", "images"):
        text = "scales were learned from the rows scored; see --x-train"
        warnings.warn(text, UserWarning, stacklevel=2)
        X_train = X
    conditions, X_ref = with_scales(preset, settings, X_train)
    more = {"X_ref": X_ref, "checkpoint": parts, "n_jobs": options["n_jobs"]}
    return evaluate_perturbations(model, X, y, conditions, **more).correct


def summarize(measure, values, y):
    """Return a measure over all rows as a value with its interval.

    Parameters
    ----------
    measure : str
        One of ``MEASURES``.
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
    if measure in ("r2", "mean_accuracy"):
        value = r2_score(y, values) if measure == "r2" else values.mean()
        return {"value": float(value), "interval": None}
    if measure != "asi":
        interval = proportion_interval(int(values.sum()), len(values))
        return {"value": float(values.mean()), "interval": interval}
    with warnings.catch_warnings():  # the note says it
        warnings.simplefilter("ignore")
        found = confidence_interval("accuracy_stability_index", values)
    ends, note = interval_ends(found)
    return {
        "value": float(accuracy_stability_index(values.mean(axis=0))),
        "corrected": found.value,
        "interval": ends,
        "interval_note": note,
    }
