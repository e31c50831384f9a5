"""Notes on conditions that changed nothing, or no more than a lower severity."""

from itertools import pairwise

import numpy as np

from skrobust.base.changed_rows import is_clean
from skrobust.base.idle import idle_reason


def condition_notes(table, conditions, X):
    """Return a note on each condition, and the kinds that changed no row at all.

    Parameters
    ----------
    table : dict
        Columns of the conditions, with ``changed`` and ``distortion``.
    conditions : list of objects with ``perturb``
        The conditions, fitted where they must be.
    X : container of rows
        The clean rows.

    Returns
    -------
    notes : list of str
        Empty for conditions that acted, and for those of strength 0.
    idle_kinds : dict of str to str
        By the name of the kind, why its conditions changed no row.
    """
    notes = [""] * len(conditions)
    for place, below in _no_stronger(table):
        notes[place] = f"changes no more than severity {below:g}"
    kinds = [str(k) or str(n) for k, n in zip(*_labels(table), strict=True)]
    acted = {kind for kind, share in zip(kinds, table["changed"], strict=True) if share}
    reasons = {}
    for place, condition in enumerate(conditions):
        if table["changed"][place] != 0 or is_clean(condition):
            continue
        kind = kinds[place]
        if kind not in acted and kind not in reasons:
            reasons[kind] = idle_reason(condition, X)
        reason = reasons.get(kind)
        notes[place] = f"does not apply: {reason}" if reason else "changed no row"
    idle_kinds = {kind: why or "changed no row" for kind, why in reasons.items()}
    return notes, idle_kinds


def _labels(table):
    return table["corruption"], table["name"]


def _no_stronger(table):
    """Yield places of conditions no stronger than the next lower severity, and that."""
    for kind in dict.fromkeys(table["corruption"].tolist()):
        inside = (table["corruption"] == kind) & (table["severity"] > 0)
        places = np.flatnonzero(inside) if kind else []
        places = sorted(places, key=lambda i: table["severity"][i])
        for low, high in pairwise(places):
            below = table["severity"][low]
            if below < table["severity"][high] and _is_no_stronger(table, low, high):
                yield high, below


def _is_no_stronger(table, low, high):
    """Compare the rows changed, and their mean change times their share."""
    share, size = table["changed"], table["distortion"]
    if not share[low] or share[high] > share[low]:
        return False
    if not share[high]:
        return True
    if np.isnan(size[low]) or np.isnan(size[high]):  # series of another length
        return False
    if size[low] == size[high] == 0:  # what the distortion does not see, as word order
        return share[low] < 1
    return share[high] * size[high] <= share[low] * size[low]
