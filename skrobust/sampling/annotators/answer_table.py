"""Tables of repeated answers."""

from itertools import combinations

import numpy as np

from skrobust._containers import is_missing, one_per_row, refuse_unordered
from skrobust._validation import invalid

RULE = "an array of shape (n_inputs, n_answers), with None where there is no answer"


def answer_table(answers, caller):
    """Return answers as a table of objects, None where there is none, or raise."""
    refuse_unordered(answers, "answers", caller)
    rows = answers
    if isinstance(answers, np.ma.MaskedArray):
        rows = one_per_row(answers, "answers", caller).tolist()
    elif hasattr(answers, "to_numpy"):
        rows = answers.to_numpy().tolist()
    elif hasattr(answers, "tolist"):
        rows = answers.tolist()
    is_table = isinstance(rows, (list, tuple)) and len(rows) > 0
    if not is_table or not all(isinstance(row, (list, tuple)) for row in rows):
        raise invalid("answers", caller, RULE, answers)
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        raise invalid("answers", caller, RULE, answers)
    table = np.empty((len(rows), len(rows[0])), dtype=object)
    for at, row in enumerate(rows):
        table[at] = [None if is_missing(one) else one for one in row]
    return table


def as_outcomes(table, y_pred, caller):
    """Return whether each answer says failed, nan where there is none, or raise."""
    if y_pred is not None:
        there = table != None  # noqa: E711 (of each element)
        return np.where(there, table != y_pred[:, None], np.nan)
    for one in table.ravel():
        if one is not None and (isinstance(one, (str, bytes)) or one not in (0, 1)):
            rule = "0 and 1 (whether the prediction is wrong), or labels with y_pred="
            raise invalid("answers", caller, rule, one)
    return table.astype(np.float64)


def pairs_that_differ(table):
    """Return the number of pairs of answers of each row, and of those that differ."""
    pairs, differ = np.zeros(len(table)), np.zeros(len(table))
    there = table != None  # noqa: E711 (of each element)
    for one, two in combinations(range(table.shape[1]), 2):
        both = there[:, one] & there[:, two]
        pairs += both
        differ += both & (table[:, one] != table[:, two])
    return pairs, differ


def all_labels(told):
    """Return whether all of (id, annotator, label or None, failed) have a label."""
    return all(label is not None for _, _, label, _ in told)


def table_of_inputs(told):
    """Return answers as a table, one row for each input, by position."""
    by_id, labels = {}, all_labels(told)
    for i, _, label, failed in told:
        by_id.setdefault(i, []).append(label if labels else failed)
    widest = max(map(len, by_id.values()))
    table = np.full((len(by_id), widest), None, dtype=object)
    for row, i in enumerate(sorted(by_id)):
        table[row, : len(by_id[i])] = by_id[i]
    return table


def table_of_annotators(told):
    """Return names, the row of each input, and a table with a column for each name."""
    names = sorted({who for _, who, *_ in told})
    rows = {i: row for row, i in enumerate(sorted({i for i, *_ in told}))}
    table, labels = (
        np.full((len(rows), len(names)), None, dtype=object),
        all_labels(told),
    )
    for i, who, label, failed in told:
        table[rows[i], names.index(who)] = label if labels else failed
    return names, rows, table
