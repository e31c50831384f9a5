"""Raw rows from the boxes that a search over trees has found, and their proofs."""

import numpy as np


def to_other_labels(rows, found, label, predict):
    """Return rows moved to the nearest other label, how far that was, and proofs.

    Parameters
    ----------
    rows : TreeRows
        The clean rows.
    found : list of Nearest
        One of each row.
    label : ndarray of int of shape (n_samples,)
        Place of the label that each row leaves.
    predict : callable
        From raw rows to the labels that the library itself gives.

    Returns
    -------
    moved, lengths, proofs : ndarray, ndarray, dict
        Rows that the library does not see changed are clean; their length is inf.
    """
    out, norms = rows.values.copy(), np.array([one.length for one in found])
    for i, one in enumerate(found):
        out[i] = rows.row(i, one.box)
    proven = np.array([one.is_done for one in found])
    lower = np.array([one.lower for one in found])
    moved = np.flatnonzero(np.isfinite(norms) & (norms > 0))
    if len(moved):
        labels = predict(out[moved].astype(rows.given))
        same = moved[labels == rows.model.trees.classes[label[moved]]]
        # The sum is within rounding of a tie, and the library sees it otherwise.
        out[same], norms[same], proven[same] = rows.values[same], np.inf, False
    return out, norms, {"proven_": proven, "lower_bounds_": lower}


def to_farthest_answers(rows, found, anchor):
    """Return rows moved to where the answer of a regressor is farthest, and proofs.

    Parameters
    ----------
    rows : TreeRows
        The clean rows.
    found : list of (Extreme, Extreme)
        Both ends of the answer of each row.
    anchor : ndarray of shape (n_samples,), or None
        Where the answer is moved away from; None: the clean answer.
    """
    clean = rows.scores[:, 0]
    middle = clean if anchor is None else anchor
    out, most = rows.values.copy(), np.abs(clean - middle)
    bound = np.array([[up.bound, -down.bound] for up, down in found])
    bound = np.max((bound - middle[:, None]) * [1, -1], axis=1)
    for i, ends in enumerate(found):
        for sign, end in zip((1, -1), ends, strict=True):
            if abs(sign * end.value - middle[i]) > most[i]:
                most[i] = abs(sign * end.value - middle[i])
                out[i] = rows.row(i, end.box)
    return out, {"proven_": bound <= most + 1e-9 * np.maximum(1.0, most)}


def to_farthest_probabilities(rows, found, column, probability, *, falls):
    """Return rows moved to where the probability of a class is farthest, and proofs.

    Parameters
    ----------
    rows : TreeRows
        The clean rows.
    found : list of Range
        One of each row.
    column : ndarray of int of shape (n_samples,)
        The class whose probability is moved.
    probability : callable
        From raw rows and columns to the probabilities that the library itself gives.
    falls : bool
        Whether the probability is to fall; else it may move either way.
    """
    places = [(i, box) for i, one in enumerate(found) for box in one.boxes if box]
    owner = np.array([i for i, _ in places], dtype=int)
    tried = np.array([rows.row(i, box) for i, box in places]).astype(rows.given)
    clean = probability(rows.values.astype(rows.given), column)
    rise = probability(tried, column[owner]) - clean[owner]
    gain = -rise if falls else np.abs(rise)
    out, best = rows.values.copy(), np.zeros(len(column))
    for place in np.argsort(gain, kind="stable"):
        if gain[place] > 0:
            out[owner[place]], best[owner[place]] = tried[place], gain[place]
    down = clean - [one.low for one in found]
    most = down if falls else np.maximum(down, [one.high for one in found] - clean)
    exact = np.array([one.is_exact for one in found])
    return out, {"proven_": exact | (most <= best + 1e-9)}
