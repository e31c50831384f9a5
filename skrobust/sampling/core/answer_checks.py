"""Checks of the answers given to a sampler."""

import numpy as np

from skrobust._containers import is_missing, to_array
from skrobust._validation import invalid

UNASKED, OPEN, PASSED, FAILED, SKIPPED = range(5)  # status of an input


class _NotGiven:
    """Default of an argument for which None has a meaning."""

    def __repr__(self):
        return "<not given>"


NOT_GIVEN = _NotGiven()


def check_ids(ids, status, caller, *, again=False):
    """Return open positions, or raise with the first id that cannot be answered.

    ``again`` allows positions that were answered before.
    """
    ids = np.atleast_1d(np.asarray(ids))
    if ids.size == 0:
        ids = ids.astype(np.intp)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise invalid("ids", caller, "integer positions that ask returned", ids)
    seen = set()
    for i in ids.tolist():
        fault = None
        if not 0 <= i < len(status):
            fault = f"is outside the pool of {len(status)}"
        elif status[i] == UNASKED:
            fault = "was never asked"
        elif i in seen:
            fault = "was told already (it is there twice)"
        elif not again and status[i] in (PASSED, FAILED):
            fault = "was told already"
        if fault:
            raise ValueError(f"{caller}: id {i} {fault}.")
        seen.add(i)
    return ids


def one_kind(y_true, failed, caller):
    """Return the name and the value of whichever of the two was given."""
    pairs = ("y_true", y_true), ("failed", failed)
    given = [pair for pair in pairs if pair[1] is not NOT_GIVEN]
    if len(given) == 2:
        given = [pair for pair in given if pair[1] is not None]
    if len(given) != 1:
        raise ValueError(
            f"{caller} takes either y_true or failed: one of the two. To skip an input "
            "give None as its answer."
        )
    return given[0]


def outcome_codes(kind, answers, y_pred, ids, caller):
    """Return PASSED, FAILED or SKIPPED for each answer; None is a skipped one."""
    told = np.array([answer is not None for answer in answers], dtype=bool)
    known = np.full(len(answers), SKIPPED, dtype=np.int8)
    if told.any():
        some = [answer for answer in answers if answer is not None]
        if kind == "y_true":
            failed = differ(some, y_pred, ids[told], caller)
        else:
            failed = as_booleans(some, ids[told], caller)
        known[told] = np.where(failed, FAILED, PASSED)
    return known


def differ(answers, y_pred, ids, caller):
    """Return which answers differ from the predictions."""
    if y_pred is None:
        raise ValueError(
            f"{caller} cannot compare y_true with predictions, since there are "
            "none: pass failed=, or fit with a classifier or with y_pred=."
        )
    predicted = y_pred[ids].tolist()
    for i, answer, label in zip(ids, answers, predicted, strict=True):
        if isinstance(answer, str) != isinstance(label, str):
            raise ValueError(
                f"{caller}: the true label {answer!r} and the predicted label "
                f"{label!r} of id {i} are of different types."
            )
    pairs = zip(answers, predicted, strict=True)
    return np.array([answer != label for answer, label in pairs], dtype=bool)


def as_booleans(failed, ids, caller):
    """Return stated failures as booleans."""
    for i, answer in zip(ids, failed, strict=True):
        if isinstance(answer, (str, bytes)) or answer not in (0, 1):
            raise ValueError(
                f"{caller} needs failed as booleans, or 0 and 1; got {answer!r} "
                f"for id {i}."
            )
    return np.array(failed, dtype=bool)


def answer_list(given, name, ids, caller):
    """Return one Python object for each id; a missing answer is None."""
    if np.ndim(given) == 0 and is_missing(given):
        return [None] * len(ids)
    if not isinstance(given, (list, tuple)):
        single = isinstance(given, (str, bytes)) or np.ndim(given) == 0
        given = [given] if single else to_array(given)
    if isinstance(given, np.ndarray):
        if given.ndim == 2 and given.shape[1] == 1:
            given = given[:, 0]
        if given.ndim != 1:
            raise invalid(name, caller, "1-D", given.shape)
        given = given.tolist()
    if len(given) != len(ids):
        cure = f"; pass {name}[ids]" if len(given) > len(ids) else ""
        raise ValueError(
            f"{caller} needs one answer per id: {len(ids)} ids, "
            f"{len(given)} {name}{cure}."
        )
    answers = [a.item() if isinstance(a, np.generic) else a for a in given]
    return [None if is_missing(answer) else answer for answer in answers]
