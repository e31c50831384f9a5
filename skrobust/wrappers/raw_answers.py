"""Answers of models of any kind as arrays: tensors, JSON lists, labels with scores."""

import numpy as np

from skrobust._containers import to_array
from skrobust._one_line import one_line


def answer_array(raw, names, caller):
    """Return the answers to a batch as an array, with the names of their columns.

    Parameters
    ----------
    raw : object
        What the model returned: an array, a tensor, a list, a tuple that begins with
        one of these, or for each row a dictionary of scores by label, a dictionary
        ``{"label": ..., "score": ...}`` or a list of these.
    names : list or None
        Names of the classes in the order of columns, where they are known; dictionaries
        with other integers as keys are read in the order of these.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    answers : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Labels or numbers.
    names : list or None
        Names of the columns.
    """
    if isinstance(raw, tuple) and raw:
        raw = raw[0]
    if isinstance(raw, list) and raw and isinstance(raw[0], dict):
        return _scores_by_label(raw, names, caller)
    pairs = isinstance(raw, list) and raw and isinstance(raw[0], list) and raw[0]
    if pairs and isinstance(raw[0][0], dict):
        rows = [{_label_of(d): d["score"] for d in row} for row in raw]
        return _columns(rows, names, caller)
    try:
        answers = to_array(raw)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{caller} got answers that are no array of one entry a row: "
            f"{one_line(error)}."
        ) from None
    if answers.dtype.kind == "O":
        answers = np.asarray(answers.tolist())
    if answers.dtype.kind == "O":
        raise ValueError(
            f"{caller} got answers that are no array of one entry a row, but "
            f"{type(raw).__name__} of {type(answers.ravel()[0]).__name__}."
        )
    if answers.ndim == 2 and answers.shape[1] == 1:
        answers = answers[:, 0]
    return answers, names


def _scores_by_label(raw, names, caller):
    """Read one dictionary a row: the best label with its score, or all scores."""
    if "label" not in raw[0]:
        return _columns(raw, names, caller)
    found = [_label_of(row) for row in raw]
    if names is None or len(names) != 2 or any("score" not in row for row in raw):
        return np.asarray(found), names
    unknown = sorted(set(found) - set(names))
    if unknown:
        raise _unknown(unknown[0], names, caller)
    # Of two classes, the score of one gives that of the other.
    p = np.array([float(row["score"]) for row in raw])
    is_last = np.array([label == names[1] for label in found])
    last = np.where(is_last, p, 1 - p)
    return np.column_stack([1 - last, last]), names


def _label_of(entry):
    if "label" not in entry:
        raise ValueError(
            "skrobust.wrap reads dictionaries with 'label' and 'score'; this model "
            f"answers with the keys {sorted(map(str, entry))[:5]}."
        )
    return _plain(entry["label"])


def _plain(label):
    """Return a label as Python has it, for messages."""
    return label.item() if hasattr(label, "item") else label


def _columns(rows, names, caller):
    rows = [{_plain(label): score for label, score in row.items()} for row in rows]
    found = sorted({label for row in rows for label in row}, key=_order)
    are_places = all(isinstance(label, int) for label in found)
    if names is None or (are_places and not set(found) & set(names)):
        names = found
    columns = {name: i for i, name in enumerate(names)}
    out = np.zeros((len(rows), len(names)))
    for i, row in enumerate(rows):
        for label, score in row.items():
            if label not in columns:
                raise _unknown(label, names, caller)
            out[i, columns[label]] = score
    return out, names


def _order(label):
    return (isinstance(label, str), label)


def _unknown(label, names, caller):
    return ValueError(
        f"{caller} got the label {label!r}, which is not among the classes "
        f"{list(names)[:5]}. Pass classes={{name: label, ...}} with the names that the "
        "model uses."
    )
