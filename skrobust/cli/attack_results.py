"""What one attack does to one model, as a row of a table."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.metrics import r2_score

from skrobust._containers import to_array
from skrobust.evaluation import check_evaluation, evaluate_attack
from skrobust.evaluation.checkpoint import Checkpoint
from skrobust.metrics import prediction_shift, proportion_interval
from skrobust.report.section_log import one_line
from skrobust.report.summary_cells import TOLERANCE, ratio_at

SHARE = 0.05  # of the spread of the targets: how far a prediction may move


def class_row(model, X, y, one, *, tolerance, checkpoint):
    """Return robust accuracy and robust ratio of a classifier under one attack."""
    tolerance = TOLERANCE if tolerance is None else tolerance
    found = evaluate_attack(
        model, X, y, one, tolerances=[tolerance], checkpoint=checkpoint
    )
    row = {
        "accuracy": found["clean_accuracy"],
        "accuracy_interval": found["clean_accuracy_interval"],
        "robust_accuracy": found["robust_accuracy"],
        "robust_accuracy_interval": found["robust_accuracy_interval"],
        "constant_model_accuracy": found["constant_model_accuracy"],
        "robust_ratio": None,
        "robust_ratio_interval": None,
        "tolerance": tolerance,
        "skipped": found.get("skipped"),
    }
    for mode in ("probability_shift", "given"):
        cell = ratio_at(found, mode, tolerance)
        if cell is not None:
            row["robust_ratio"] = cell["value"]
            row["robust_ratio_interval"] = cell["interval"]
    return row


def moved_predictions(model, X, y, one, checkpoint):
    """Return the predictions of a regressor under attack, kept as a part."""
    store = Checkpoint(checkpoint, "attack")
    key = store.key(store.prefix(model, X, y), "predictions", one)
    return store.run(key, lambda: model.predict(one.perturb(model, X, y)))


def tolerance_of(y, tolerance):
    """Return how far predictions may move, in the units of the targets."""
    return SHARE * float(np.std(y)) if tolerance is None else tolerance


def number_row(model, X, y, one, *, tolerance, checkpoint):
    """Return how far one attack moves the predictions of a regressor."""
    clean, tolerance = model.predict(X), tolerance_of(y, tolerance)
    moved = moved_predictions(model, X, y, one, checkpoint)
    shift = prediction_shift(clean, moved)
    n_held, n = int((shift <= tolerance).sum()), len(shift)
    return {
        "r2": float(r2_score(y, clean)),
        "robust_r2": float(r2_score(y, moved)),
        "prediction_shift": float(shift.mean()),
        "largest_shift": float(shift.max()),
        "robust_ratio": n_held / n,
        "robust_ratio_interval": proportion_interval(n_held, n),
        "tolerance": tolerance,
    }


def worst(rows):
    """Return what bars are held against: the worst of all attacks and sizes."""

    def least(name):
        values = [row[name] for row in rows if row.get(name) is not None]
        return min(values, default=None)

    return {name: least(name) for name in ("accuracy", "r2", *_ROBUST)}


_ROBUST = ("robust_accuracy", "robust_r2", "robust_ratio")


def plain(X):
    """Return rows as an array that a file without pickles can hold."""
    values = np.asarray(to_array(X))
    return values.astype(str) if values.dtype.kind == "O" else values


def at_the_label(one):
    """Return the attack aimed at the label, as for robust accuracy."""
    if "objective" in one.get_params(deep=False):
        return clone(one).set_params(objective="misclassification")
    return one


def examples(model, one, X, y, parts):
    """Return the adversarial examples of an attack, kept as a part."""
    store = Checkpoint(parts, "attack")
    key = store.key(store.prefix(model, X, y), "examples", one)
    return store.run(key, lambda: plain(one.perturb(model, X, y)))


def doubts(made, model, X, y, say):
    """Return the doubts about the last attack of each kind.

    Parameters
    ----------
    made : list of attack
        Those that were run.
    model, X, y : estimator and arrays
        What they were run on.
    say : callable
        Called with a line before each.

    Returns
    -------
    list of dict
        ``attack``, ``code``, ``sentence`` and, for doubts, ``numbers``.
    """
    found = []
    for kind, one in {type(one).__name__: one for one in made}.items():
        say(f"{kind}: checks")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                seen = check_evaluation(model, X, y, one)
        except Exception as error:  # a check that cannot be made is no failure
            text = f"The checks could not be made: {one_line(error)}"
            found.append({"attack": kind, "code": "UNCHECKED", "sentence": text})
            continue
        for doubt in seen:
            found.append({
                "attack": kind,
                "code": doubt.code,
                "sentence": doubt.sentence,
                "numbers": doubt.numbers,
            })  # fmt: skip
    return found
