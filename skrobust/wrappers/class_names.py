"""Classes of a wrapped model, from the user and from the model."""

import numpy as np

from skrobust._containers import is_missing, one_per_row
from skrobust._validation import invalid
from skrobust.wrappers.wrapped_model import CALLER


def checked_classes(classes):
    """Return the parameter ``classes`` as a list or dictionary, or raise."""
    if classes is None:
        return None
    is_map = isinstance(classes, dict)
    values = list(classes.values()) if is_map else classes
    given = one_per_row(values, "classes", CALLER)
    labels = given.ravel().tolist()
    # Text and numbers do not sort together, and numpy makes text of both.
    is_mixed = given.dtype.kind == "O" and not all(isinstance(v, str) for v in labels)
    is_list = given.ndim == 1 and not is_mixed and not any(map(is_missing, labels))
    if not is_list or len(labels) < 2 or len(set(labels)) < len(labels):
        rule = (
            "None, or a list or dictionary of at least two different labels, all "
            "numbers or all text"
        )
        raise invalid("classes", CALLER, rule, classes)
    return classes if is_map else labels


def names_in_order(classes, names):
    """Return the names that the model uses, in the order of its outputs."""
    if not isinstance(classes, dict):
        return names
    if names is None:
        return list(classes)
    missing = [name for name in names if name not in classes]
    if missing:
        rule = f"a dictionary with all names of the model, {names[:5]}"
        raise invalid("classes", CALLER, rule, classes)
    return names


def find_classes(classes, names, response, answers, source):
    """Return the classes of the wrapped model, in the order of its outputs."""
    if isinstance(classes, dict):
        return {name: classes[name] for name in names}
    if names is not None and classes is not None and list(names) != list(classes):
        if len(names) != len(classes):
            rule = f"as many labels as the model has classes, {len(names)}"
            raise invalid("classes", CALLER, rule, classes)
        return dict(zip(names, classes, strict=True))
    if classes is None:
        classes = names
    if classes is not None:
        return list(classes)
    if response == "labels":
        raise ValueError(
            f"{CALLER} needs the labels that the {source.kind} may answer with. Pass "
            "classes=[...]."
        )
    if answers is not None:
        return list(range(2 if answers.ndim == 1 else answers.shape[1]))
    raise ValueError(
        f"{CALLER} does not know the classes of the {source.kind}. Pass classes=[...], "
        "or a few rows to ask it, sample=X."
    )


def check_positions(source, answers, rows):
    """Raise where the labels of a converted classifier are not 0, 1, ... ."""
    own = source.own_labels(rows) if hasattr(source, "own_labels") else None
    if own is None or answers.ndim != 2:
        return
    if not np.array_equal(own, answers.argmax(axis=1)):
        raise ValueError(
            f"{CALLER} needs the labels of this {source.kind}, which are not 0, 1, ... "
            f"(it answers {own[0].item() if hasattr(own[0], 'item') else own[0]!r}). "
            "Pass classes=[...], in the order of the columns."
        )
