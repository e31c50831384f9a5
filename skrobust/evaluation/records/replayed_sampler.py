"""Operational tests of a record, drawn again and compared."""

import dataclasses

import numpy as np

from skrobust._one_line import one_line
from skrobust.evaluation.records.fingerprints import ROWS
from skrobust.evaluation.records.replayed_steps import DIFFERS as OTHER
from skrobust.evaluation.records.replayed_steps import (
    EQUAL,
    NO_NUMBER,
    SKIPPED,
    compare_step,
)
from skrobust.evaluation.records.sampler_record import (
    STEP,
    restored_sampler,
    told_labels,
)


def replay_sampler(content, models, X, y, tolerance):
    """Return rows, the largest difference, and reasons.

    The draws are made again from the seed: with the scores of the pool in the record,
    or, where the pool and the model are given, with scores that are made again too.

    Parameters
    ----------
    content : RecordContent
        A record that was read and holds.
    models : dict of str to estimator
        At most one.
    X, y : array-like or None
        The pool, and labels of all of it, of which those told are compared.
    tolerance : float
        As in :func:`~skrobust.evaluation.replay_record`.

    Returns
    -------
    rows : list of tuple
        Step, quantity, both numbers, differing entries and state.
    largest : float
        Largest relative difference.
    reasons : list of str
        Why something was not replayed.
    """
    state, known, reasons = content.facts["sampler"], {}, []
    if content.facts["settings"][STEP]["not_replayable"]:
        missing = content.facts["settings"][STEP]["not_replayable"]
        reasons.append(f"{STEP}: without {', '.join(missing)}")
        return [(STEP, "all", NO_NUMBER, NO_NUMBER, 0, SKIPPED)], 0.0, reasons
    names = {one["name"] for one in content.facts["data"]}
    if X is not None and models and ROWS in names:
        known = {"X": X, "estimator": next(iter(models.values()))}
    try:
        sampler = restored_sampler(content, **known)
    except Exception as error:  # of the model, or of draws that cannot be made again
        reasons.append(f"{STEP}: {one_line(error)}")
        return [(STEP, "draws", NO_NUMBER, NO_NUMBER, 0, OTHER)], 0.0, reasons
    n = float(len(sampler.ids_))
    rows = [(STEP, "draws", n, n, 0, EQUAL)]
    if y is not None:
        rows.append((STEP, *_row_of_labels(told_labels(state), np.asarray(y))))
    found, largest = compare_step(content, STEP, _fields(sampler), tolerance)
    return [*rows, *((STEP, *row) for row in found)], largest, reasons


def _fields(sampler):
    return dataclasses.asdict(sampler.result())


def _row_of_labels(told, y):
    n = sum(
        not 0 <= place < len(y) or y[place].tolist() != label
        for place, label in told.items()
    )
    size = float(len(told))
    return "labels told", size, size - n, n, OTHER if n else EQUAL
