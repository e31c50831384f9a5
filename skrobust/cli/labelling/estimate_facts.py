"""Facts of an estimate as plain data, in the units that people answer in."""

import numpy as np

from skrobust.report.core.strict_json import to_plain


def estimate_facts(result, grading=None, *, stopping=False):
    """Return what a result says about the accuracy, or about the mean loss or score.

    Parameters
    ----------
    result : SamplingResult
        Of the answers so far.
    grading : Grading, default=None
        The scale of graded answers; None: answers are right or wrong.
    stopping : bool, default=False
        Whether the interval holds at every look.

    Returns
    -------
    dict
        ``measure`` ("accuracy", "mean loss" or "mean score"), ``estimate``,
        ``interval``, ``range`` (None for the accuracy), and the counts.
    """
    names = ("confidence", "method", "n_labels", "n_failures", "n_skipped")
    facts = {name: getattr(result, name) for name in names}
    facts |= {"stopping": stopping, "measure": "accuracy", "range": None}
    estimate, ends = result.value, tuple(result.interval)
    if grading is not None:
        facts |= {"measure": grading.measure, "range": [grading.low, grading.high]}
        facts["best"] = grading.best
        if result.loss_range is None:  # of (0, 1) and nothing told yet
            estimate, ends = np.nan, grading.loss_range
        estimate, ends = grading.turned(estimate), grading.between(*ends)
    return to_plain(facts | {"estimate": estimate, "interval": list(ends)})
