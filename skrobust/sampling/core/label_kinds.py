"""One label among others: of the same kind, and equal to which of them."""

import numbers

import numpy as np

from skrobust._validation import invalid


def kind_of_label(label):
    """Return "text", "number" or, of labels of several values, the type's name."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, (numbers.Real, np.bool_)):
        return "number"
    return type(label).__name__


def check_label(label, known, caller):
    """Return a label as a plain value of the kind of those that are known, or raise."""
    if getattr(label, "shape", None) == () and hasattr(label, "item"):
        label = np.nan if np.ma.is_masked(label) else label.item()
    kinds = sorted({kind_of_label(one) for one in known})
    if kind_of_label(label) not in kinds or label != label:
        shown = ", ".join(repr(one) for one in list(known)[:3])
        raise invalid("label", caller, f"one label ({shown}, ...)", label)
    return label


def where_equal(labels, label):
    """Return which labels equal one, that may be a tuple of several values."""
    if labels.dtype != object:
        return labels == label
    return np.fromiter((one == label for one in labels), bool, len(labels))
