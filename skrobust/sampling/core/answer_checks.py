"""Checks of the answers given to a sampler."""

import numbers

import numpy as np

from skrobust._containers import is_missing, refuse_unordered, shape_of, to_array
from skrobust._validation import as_float, invalid

UNASKED, OPEN, PASSED, FAILED, SKIPPED = range(5)  # status of an input


class _NotGiven:
    """Default of an argument for which None has a meaning."""

    def __repr__(self):
        return "<not given>"


NOT_GIVEN = _NotGiven()


def id_array(ids, caller):
    """Return ids, or a single one, as a 1-D array of integers, or raise."""
    ids = np.atleast_1d(to_array(ids, "ids", caller))
    if ids.shape == (0,):
        return ids.astype(np.intp)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise invalid("ids", caller, "integer positions that ask returned", ids)
    return ids


def check_ids(ids, status, caller, *, again=False):
    """Return open positions, or raise with the first id that cannot be answered.

    ``again`` allows positions that were answered before.
    """
    ids, seen = id_array(ids, caller), set()
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
    return ids.astype(np.intp, copy=False)


def one_kind(given, caller):
    """Return the name and the value of the one kind of answer that was given."""
    found = [pair for pair in given.items() if pair[1] is not NOT_GIVEN]
    if len(found) > 1:
        found = [pair for pair in found if pair[1] is not None]
    if len(found) != 1:
        raise ValueError(
            f"{caller} takes {', '.join([*given][:-1])} or {[*given][-1]}: one of the "
            f"{'two' if len(given) == 2 else 'three'}. To skip an input give None as "
            "its answer."
        )
    return found[0]


def outcomes_of(kind, answers, y_pred, ids, loss, caller):
    """Return an outcome in [0, 1] for each answer; that of None, a skipped one, is nan.

    1 is a misprediction, or the largest loss of the range.
    """
    told = np.array([answer is not None for answer in answers], dtype=bool)
    outcomes = np.full(len(answers), np.nan)
    if told.any():
        some, ids = [answer for answer in answers if answer is not None], ids[told]
        if kind == "loss":
            outcomes[told] = loss.scaled(some, ids, caller)
        elif kind == "failed":
            outcomes[told] = as_booleans(some, ids, caller)
        elif loss.function is None:
            outcomes[told] = differ(some, y_pred, ids, loss, caller)
        else:
            _need_predictions(y_pred, caller)
            losses = loss.of_labels(some, y_pred[ids], ids, caller)
            outcomes[told] = loss.scaled(losses, ids, caller)
    return outcomes


def _need_predictions(y_pred, caller):
    if y_pred is None:
        raise ValueError(
            f"{caller} cannot compare y_true with predictions, since there are "
            "none: pass failed= or loss=, or fit with a classifier or with y_pred= "
            "(or, for a regressor, with loss= of the sampler)."
        )


def differ(answers, y_pred, ids, loss, caller):
    """Return which answers differ from the predictions."""
    _need_predictions(y_pred, caller)
    loss.refuse_comparison(answers, caller)
    predicted = y_pred[ids].tolist()
    for i, answer, label in zip(ids, answers, predicted, strict=True):
        if not _comparable(answer, label):
            raise ValueError(
                f"{caller}: the true label {answer!r} and the predicted label "
                f"{label!r} of id {i} are of different types."
            )
    pairs = zip(answers, predicted, strict=True)
    return np.array([answer != label for answer, label in pairs], dtype=bool)


def _comparable(answer, label):
    """Return whether two labels are both text, both numbers, or of one type."""
    for kind in (str, numbers.Real):
        if isinstance(answer, kind) or isinstance(label, kind):
            return isinstance(answer, kind) and isinstance(label, kind)
    return type(answer) is type(label)


def as_booleans(failed, ids, caller):
    """Return stated failures as booleans."""
    for i, answer in zip(ids, failed, strict=True):
        if not isinstance(answer, numbers.Real) or answer not in (0, 1):
            raise ValueError(
                f"{caller} needs failed as booleans, or 0 and 1; got {answer!r} "
                f"for id {i}. Tell numbers as loss=."
            )
    return np.array(failed, dtype=bool)


def answer_list(given, name, ids, caller, *, rows=False):
    """Return one Python object for each id; a missing answer is None.

    With ``rows`` an answer is a list of several labels, missing if any of them is.
    """
    if not isinstance(given, (list, tuple)):
        refuse_unordered(given, name, caller)
        n_axes = len(shape_of(given, name, caller))
        if n_axes == 0 and is_missing(given):
            return [None] * len(ids)
        single = isinstance(given, (str, bytes)) or n_axes == 0
        given = [given] if single else to_array(given, name, caller)
    if isinstance(given, np.ndarray):
        if not rows and given.ndim == 2 and given.shape[1] == 1:
            given = given[:, 0]
        if given.ndim != 1 + rows:
            raise invalid(name, caller, f"{1 + rows}-D", given.shape)
        given = given.tolist()
    if len(given) != len(ids):
        cure = f"; pass {name}[ids]" if len(given) > len(ids) else ""
        raise ValueError(
            f"{caller} needs one answer per id: {len(ids)} ids, "
            f"{len(given)} {name}{cure}."
        )
    answers = [_plain_answer(answer) for answer in given]
    several = [one for one in answers if isinstance(one, list)]
    if several and not rows:
        raise invalid(name, caller, "one answer for each id", several[0])
    if rows:
        return [None if _is_missing_row(answer) else answer for answer in answers]
    return [None if is_missing(answer) else answer for answer in answers]


def _plain_answer(answer):
    """Return an answer as Python has it: lists, text, and int or float for numbers."""
    answer = answer.tolist() if isinstance(answer, (np.generic, np.ndarray)) else answer
    if isinstance(answer, list):
        return [_plain_number(part) for part in answer]
    # As in the labels of metrics, bytes are the text that they spell.
    if isinstance(answer, bytes):
        return answer.decode("ascii", "backslashreplace")
    return _plain_number(answer)


def _plain_number(value):
    """Return numbers such as Fraction or numpy.longdouble as int or float, for JSON."""
    if isinstance(value, (int, float)) or not isinstance(value, numbers.Real):
        return value
    if isinstance(value, numbers.Rational) and value.denominator == 1:
        return int(value)
    number = as_float(value)
    return value if number != number else number


def _is_missing_row(answer):
    return is_missing(answer) or any(is_missing(label) for label in answer)
