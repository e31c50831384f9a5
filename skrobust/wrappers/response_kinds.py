"""Kinds of answers: labels, probabilities, logits or values, seen from a sample."""

import numpy as np
from scipy.special import expit, softmax

RESPONSES = ("labels", "probabilities", "logits", "values")
_TOLERANCE = 1e-3  # of sums of probabilities in single precision


def detect_response(answers, n_classes, is_net, caller):
    """Return the kind of answers, or say why several are possible.

    Parameters
    ----------
    answers : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        To a sample.
    n_classes : int or None
        Number of classes that the user named; None where there are none.
    is_net : bool
        Whether the model is a network, whose outputs may be logits.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    str
        One of RESPONSES.
    """
    if answers.dtype.kind in "USb":
        return "labels"
    if answers.dtype.kind not in "fiu" or answers.ndim not in (1, 2):
        raise ValueError(
            f"{caller} needs one answer a row: labels, probabilities or numbers. Got "
            f"{answers.dtype} answers of shape {answers.shape}; wrap a function that "
            "picks one."
        )
    if not np.isfinite(answers).all():
        raise ValueError(f"{caller} got answers that hold NaN or infinity.")
    whole = bool((answers == np.rint(answers)).all())
    inside = bool((answers >= 0).all() and (answers <= 1).all())
    if answers.ndim == 1:
        if answers.dtype.kind in "iu":
            return "labels"
        return _of_one_number(n_classes, whole, inside, is_net, caller)
    k = answers.shape[1]
    if n_classes is not None and n_classes != k:
        raise ValueError(
            f"{caller} got {n_classes} classes for a model that answers with {k} "
            "numbers a row; they must be as many, in the order of the outputs."
        )
    if inside and np.abs(answers.sum(axis=1) - 1).max() <= _TOLERANCE:
        if whole and not is_net:  # nets may be that sure
            raise _ambiguous(
                f"rows of {k} numbers 0 and 1", "probabilities", "several labels",
                "response='probabilities', or a function of labels", caller,
            )  # fmt: skip
        return "probabilities"
    if inside:
        raise _ambiguous(
            f"{k} numbers in [0, 1] a row that do not sum to 1", "logits",
            "the probabilities of several labels",
            "response='logits', or a function of one label", caller,
        )  # fmt: skip
    if n_classes is None and not is_net:
        raise _ambiguous(
            f"{k} numbers a row", "logits", "several values",
            "classes=[...] for logits, or response='values'", caller,
        )  # fmt: skip
    return "logits"


def _of_one_number(n_classes, whole, inside, is_net, caller):
    if n_classes is None:
        if whole or inside or is_net:
            second = "a label" if whole else "a probability" if inside else "a logit"
            raise _ambiguous(
                "one number a row", second, "a value",
                "classes=[...] for a classifier, or response='values'", caller,
            )  # fmt: skip
        return "values"
    if whole:
        second = "probabilities" if inside else "logits"
        cure = f"response='labels' or response={second!r}"
        raise _ambiguous("one whole number a row", "labels", second, cure, caller)
    if n_classes != 2:
        raise ValueError(
            f"{caller} got {n_classes} classes for a model that answers with one "
            "number a row, which tells two classes apart."
        )
    return "probabilities" if inside else "logits"


def _ambiguous(what, first, second, cure, caller):
    return ValueError(
        f"{caller} cannot tell what the model answers: {what} may be {first} or "
        f"{second}. Pass {cure}."
    )


def as_probabilities(answers, response, n_classes, caller):
    """Return class probabilities of shape (n_samples, n_classes), in the given order.

    Parameters
    ----------
    answers : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Probabilities or logits; one number is that of the second of two classes.
    response : {"probabilities", "logits"}
        What they are.
    n_classes : int
        Number of classes.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Rows that sum to 1.
    """
    if answers.dtype.kind not in "fiu":
        raise ValueError(
            f"{caller} was told that the model answers with {response}, and got "
            f"{answers.dtype} such as {answers.ravel()[0]!r}. Pass response='labels'."
        )
    answers = answers.astype(np.float64)
    if answers.ndim == 1 and response == "logits":
        answers = expit(answers)
    elif response == "logits":
        answers = softmax(answers, axis=1)
    if answers.ndim == 1:
        answers = np.column_stack([1 - answers, answers])
    if answers.ndim != 2 or answers.shape[1] != n_classes:
        raise ValueError(
            f"{caller} needs {n_classes} {response} a row, one for each class. Got "
            f"answers of shape {answers.shape}."
        )
    if not np.isfinite(answers).all():
        raise ValueError(f"{caller} got {response} that hold NaN or infinity.")
    wrong = (answers < -1e-6) | (answers > 1 + 1e-6)
    if wrong.any():
        raise ValueError(
            f"{caller} needs probabilities in [0, 1], and the model answers "
            f"{answers[wrong][0]:g}. Pass response='logits', or 'values' for a "
            "regressor."
        )
    sums = answers.sum(axis=1)
    if np.abs(sums - 1).max() > _TOLERANCE:
        worst = sums[np.abs(sums - 1).argmax()]
        raise ValueError(
            f"{caller} needs probabilities that sum to 1, and those of one row sum to "
            f"{worst:g}. Pass response='logits', or a function of one label."
        )
    return answers
