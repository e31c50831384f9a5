"""Verdicts on differences of models against a margin."""

import numpy as np

EQUIVALENT = "equivalent"
UNDECIDED = "undecided"


def margin_columns(found, margin, confidence, sign):
    """Return the columns of non-inferiority and equivalence, for all rows at once.

    Each one-sided test has the error (1 - confidence) / n_rows, which is Bonferroni's
    correction over the rows; the limits are those of the same tests.
    """
    rows = found.evidence or [None] * len(found.difference)
    error = (1 - confidence) / len(rows)
    table = {
        "margin_low": [],
        "margin_high": [],
        "p_first": [],
        "p_second": [],
        "p_equivalent": [],
        "verdict": [],
    }
    for evidence in rows:
        if evidence is None:
            found_row = *[np.nan] * 5, UNDECIDED
        else:
            found_row = _judge(evidence, margin, error, len(rows), sign)
        for column, value in zip(table.values(), found_row, strict=True):
            column.append(value)
    return {name: np.array(column) for name, column in table.items()}


def _judge(evidence, margin, error, n_rows, sign):
    low, high = evidence.limits(error)
    above, below = evidence.p_at_most(-margin), evidence.p_at_least(margin)
    worse, better = evidence.p_at_least(-margin), evidence.p_at_most(margin)
    if sign < 0:  # the first model is not inferior where it is not too large
        above, below, worse, better = below, above, better, worse
    if above <= error and below <= error:
        verdict = EQUIVALENT
    elif worse <= error:
        verdict = "first inferior"
    elif better <= error:
        verdict = "second inferior"
    elif above <= error:
        verdict = "first not inferior"
    elif below <= error:
        verdict = "second not inferior"
    else:
        verdict = UNDECIDED
    chances = np.minimum(1.0, n_rows * np.array([above, below, max(above, below)]))
    return low, high, *chances, verdict
