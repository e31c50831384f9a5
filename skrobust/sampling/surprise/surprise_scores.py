"""Scores of a pool from surprise, alone or combined with confidence."""

import numpy as np

from skrobust._array_checks import check_same_length, check_scores
from skrobust._containers import to_array
from skrobust._validation import invalid

STANDARDIZE = ("max", "minmax", None)


def surprise_scores(sampler, X, y_pred):
    """Return the standardized surprise of each input, and a list of notes.

    Parameters
    ----------
    sampler : sampler
        With parameters ``estimator``, ``auxiliary``, ``surprise`` and ``standardize``.
    X, y_pred
        The pool, and its predicted labels.
    """
    caller, source = type(sampler).__name__, sampler.surprise
    combined = sampler.auxiliary == "combined"
    if hasattr(source, "score_samples"):
        values = source.score_samples(X, y_pred)
    elif callable(source):
        values = source(X)
    elif source is not None:
        values = to_array(source)
    elif sampler.estimator is None and not combined and np.ndim(X) == 1:
        values = X
    else:
        raise ValueError(
            f"{caller} needs surprise= for auxiliary={sampler.auxiliary!r}: an array, "
            "a function of X, or a fitted estimator with score_samples(X, y_pred)."
        )
    values = check_scores(values, caller, name="surprise")
    if combined and sampler.standardize is None:
        raise ValueError(
            f"{caller} with auxiliary='combined' needs surprise between 0 and 1: "
            "use standardize='max' or 'minmax'."
        )
    return standardized(values, sampler.standardize, caller)


def standardized(values, standardize, caller):
    """Return surprise scaled to at most 1, or only shifted, and a list of notes."""
    least, most, notes = values.min(), values.max(), []
    if least < 0 and standardize != "minmax":
        notes.append(
            f"Surprise as low as {least:g} was shifted so that its lowest value is 0: "
            "weights cannot be negative."
        )
        values, most = values - least, most - least
    if standardize == "minmax":
        if most == least:
            raise ValueError(
                f"{caller} cannot standardize constant surprise by 'minmax'; use "
                "'max', which leaves the draws uniform."
            )
        return (values - least) / (most - least), notes
    if standardize is None or most == 0:
        return values, notes
    return values / most, notes


def with_confidence(doubt, surprise, caller):
    """Return 1 - c (1 - d) of the confidence c and the surprise d."""
    if doubt.max() > 1:
        raise invalid("X", caller, "1 - confidence, in [0, 1]", float(doubt.max()))
    check_same_length(caller, X=doubt, surprise=surprise)
    return 1 - (1 - doubt) * (1 - surprise)
