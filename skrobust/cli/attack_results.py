"""Results of one attack on one model, as a row of a table."""

from dataclasses import asdict
from functools import partial

import numpy as np
from sklearn.metrics import r2_score

from skrobust._containers import to_array
from skrobust._guarded_rows import perturb_guarded
from skrobust._responses import respond
from skrobust.evaluation import evaluate_attack
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.metrics import prediction_shift, proportion_interval
from skrobust.report.core.summary_cells import TOLERANCE, ratio_at

SHARE = 0.05  # of the spread of the targets: default tolerance of a prediction
_ACCURACIES = ("clean_accuracy", "clean_accuracy_interval", "robust_accuracy")
_ACCURACIES += ("robust_accuracy_interval", "constant_model_accuracy")
_CERTIFICATE = ("certificate", "is_exact", "not_certified")
MEASURES = ("accuracy", "robust_accuracy", "certified_accuracy", "robust_ratio")
MEASURES += ("r2", "robust_r2")


def classifier_row(model, X, y, attack, *, tolerance, checkpoint, checks):
    """Return robust accuracy and robust ratio of a classifier under one attack."""
    tolerance = TOLERANCE if tolerance is None else tolerance
    settings = {"tolerances": [tolerance], "checkpoint": checkpoint}
    found = evaluate_attack(model, X, y, attack, **settings, checks=checks)
    kinds = ("given", "probability_shift")
    ratios = filter(None, (ratio_at(found, kind, tolerance) for kind in kinds))
    ratio = next(ratios, {"value": None, "interval": None})
    return {
        **{name.removeprefix("clean_"): found[name] for name in _ACCURACIES},
        "robust_ratio": ratio["value"],
        "robust_ratio_interval": ratio["interval"],
        "tolerance": tolerance,
        "certified_accuracy": found.get("robust_accuracy_lower"),
        "certified_accuracy_interval": found.get("robust_accuracy_lower_interval"),
        **{name: found[name] for name in _CERTIFICATE if name in found},
        "skipped": found.get("skipped"),
        "failed": found.get("failed"),
        "n_samples": found["n_samples"],
        "doubts": [asdict(doubt) for doubt in found.get("warnings", ())],
    }


def regressor_row(model, X, y, attack, *, tolerance, checkpoint):
    """Return how far one attack moves the predictions of a regressor."""
    clean, tolerance = respond(model, "predict", X), tolerance_of(y, tolerance)
    moved = perturbed_predictions(model, X, y, attack, checkpoint)
    shift = prediction_shift(clean, moved)
    n_steady, n = int((shift <= tolerance).sum()), len(shift)
    return {
        "r2": float(r2_score(y, clean)),
        "robust_r2": float(r2_score(y, moved)),
        "prediction_shift": float(shift.mean()),
        "largest_shift": float(shift.max()),
        "robust_ratio": n_steady / n,
        "robust_ratio_interval": proportion_interval(n_steady, n),
        "tolerance": tolerance,
        "n_samples": n,
    }


def tolerance_of(y, tolerance):
    """Return the tolerance of predictions, in the units of the targets."""
    return SHARE * float(np.std(y)) if tolerance is None else tolerance


def perturbed_predictions(model, X, y, attack, parts):
    """Return the predictions of a regressor under attack, kept as a part."""
    return _kept(
        parts, "predictions", partial(respond, model, "predict"), model, X, y, attack
    )


def adversarial_examples(model, X, y, attack, parts):
    """Return the adversarial examples of an attack, kept as a part."""
    return _kept(parts, "examples", plain_array, model, X, y, attack)


def _kept(parts, name, function, model, X, y, attack):
    store = Checkpoint(parts, "attack")
    key = store.key(store.prefix(model, X, y), name, attack)
    return store.run(key, lambda: function(perturb_guarded(attack, model, X, y)))


def worst(rows):
    """Return the worst of all attacks and sizes, to which thresholds apply."""
    return {
        name: min((r[name] for r in rows if r.get(name) is not None), default=None)
        for name in MEASURES
    }


def limits(rows):
    """Return the lowest of the lower limits of all attacks and sizes."""
    lows = [
        {name: ends[0] for name in MEASURES if (ends := row.get(f"{name}_interval"))}
        for row in rows
    ]
    return worst(lows)


def plain_array(X):
    """Return rows as an array that a file without pickles can hold."""
    values = np.asarray(to_array(X))
    return values.astype(str) if values.dtype.kind == "O" else values
