"""Mean corruption error of the models of a report."""

import numpy as np

from skrobust._validation import invalid
from skrobust.metrics import confidence_interval
from skrobust.report.core.summary_cells import interval_ends

CONSTANT = "the constant model"


def add_corruption_errors(paired, models, y, reference, log):
    """Add the mean corruption error (mCE) to the stability of each model.

    Parameters
    ----------
    paired : dict of str to ndarray of shape (n_samples, n_conditions)
        Correctness under each condition, by model.
    models : list of dict
        The ``models`` of a report; changed in place.
    y : ndarray of shape (n_samples,)
        True labels.
    reference : str or None
        The model whose error is 1; None is the constant answer of the largest class.
    log : Log
        Takes reasons and warnings.
    """
    for model in models:
        results = model["stability"]
        if results is None or model["name"] not in paired:
            continue
        severity = np.asarray(results["severity"], dtype=np.float64)
        corruptions = np.asarray(results["corruption"])
        on = (corruptions != "") & (severity > 0)
        if not on.any():
            continue
        correct = paired[model["name"]][:, on]
        name = CONSTANT if reference is None else reference
        other = _constant(y, correct.shape) if reference is None else None
        if other is None:
            if reference not in paired:
                reason = f"{reference!r} was not measured under the same conditions."
                log.skip(model["name"], "mean corruption error", reason)
                continue
            other = paired[reference][:, on]
        found = log.run(
            model["name"], "mean corruption error", _error, correct, other,
            corruptions[on],
        )  # fmt: skip
        if found is not None:
            results.update(found, mean_corruption_error_reference=name)


def check_reference(reference, models, caller):
    """Raise unless the reference is None or the name of a model."""
    if reference is not None and reference not in models:
        rule = f"None or one of {', '.join(map(repr, models))}"
        raise invalid("reference", caller, rule, reference)


def _constant(y, shape):
    labels, counts = np.unique(y, return_counts=True)
    return np.repeat((y == labels[counts.argmax()])[:, None], shape[1], axis=1)


def _error(correct, other, corruptions):
    found = confidence_interval(
        "mean_corruption_error", correct, other, corruptions=corruptions
    )
    value = found.value if found.plug_in is None else found.plug_in
    return {
        "mean_corruption_error": float(value),
        "mean_corruption_error_interval": interval_ends(found)[0],
    }
