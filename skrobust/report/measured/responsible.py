"""What a fall of the score rests on: columns, regions of images, or words."""

from collections import Counter

import numpy as np
from sklearn.metrics import r2_score

from skrobust._containers import like, to_array
from skrobust._guarded_rows import perturb_guarded
from skrobust._keyed_noise.rows import take_rows
from skrobust._responses import predict_labels
from skrobust.report.measured.mixed_table import MixedTable

N_ROWS = 256  # rows that are asked
N_PARTS = 64  # columns at most, those that changed most
N_TOGETHER = 5  # columns that are added to one another
_REGIONS = 4  # per side of an image
_WORDS = 30


def responsible_parts(model, X, y, kind, condition, settings, is_text):
    """Return the parts of the input on which the worst condition, or the model, rests.

    Tables: the worst condition is applied to one column at a time, and where no single
    column costs half of the fall, to several, the most harmful one added each time.
    Images: one region at a time is covered with the mean of its image. Texts: one word
    at a time is deleted.

    Parameters
    ----------
    model : fitted estimator
        The model.
    X, y : array-like
        Rows and their labels or targets.
    kind : {"classifier", "regressor"}
        Kind of the model.
    condition : object with ``perturb``
        The worst condition, fitted where it learns scales.
    settings : dict
        With ``sides`` (of images), ``image_shape`` and ``channel_axis``.
    is_text : bool
        Whether rows are strings.

    Returns
    -------
    dict or None
        ``part`` ("column", "region" or "word"), ``method`` (a sentence), ``n_rows``,
        ``clean`` and ``score`` (on these rows), ``names`` and ``drops``, the largest
        first, and ``together`` with ``together_drop``. None where nothing changes.
    """
    rows = np.unique(np.linspace(0, len(y) - 1, min(N_ROWS, len(y))).astype(int))
    few, truth = take_rows(X, rows), np.asarray(y)[rows]

    def score(changed):
        predicted = predict_labels(model, changed)
        if kind == "regressor":
            return float(r2_score(truth, predicted))
        return float((predicted == truth).mean())

    clean = score(few)
    found = {"n_rows": len(rows), "clean": clean, "together": [], "together_drop": None}
    if is_text:
        return found | _words(few, score, clean)
    if settings["sides"] is not None:
        return found | _regions(few, score, clean, settings)
    moved = take_rows(perturb_guarded(condition, model, X, y), rows)
    return _columns(few, moved, score, found)


def _columns(few, moved, score, found):
    """Return the columns that cost most when the condition changes them alone."""
    table = MixedTable(few, moved, N_PARTS)
    if not table.changed:
        return None
    worst = score(moved)
    whole = found["clean"] - worst
    drops = {j: found["clean"] - score(table.mixed([j])) for j in table.changed}
    order = sorted(drops, key=lambda j: -drops[j])
    chosen, best = [order[0]], drops[order[0]]
    while best < whole / 2 and len(chosen) < min(N_TOGETHER, len(order)):
        rest = [j for j in order if j not in chosen]
        tried = {j: found["clean"] - score(table.mixed([*chosen, j])) for j in rest}
        chosen.append(max(tried, key=tried.get))
        best = tried[chosen[-1]]
    method = (
        f"the worst condition applied to one column at a time, on {found['n_rows']} "
        "rows"
    )
    return found | {
        "part": "column",
        "method": method,
        "score": worst,
        "names": [table.names[j] for j in order],
        "drops": [drops[j] for j in order],
        "together": [table.names[j] for j in chosen] if len(chosen) > 1 else [],
        "together_drop": best if len(chosen) > 1 else None,
        "n_untouched": len(table.names) - table.n_changed,
    }


def _regions(few, score, clean, settings):
    """Return the regions of images whose cover costs most."""
    values = np.array(to_array(few), dtype=np.float64, copy=True)
    shape, n = values.shape, len(values)
    height, width = settings["sides"]
    if values.ndim == 2:
        inner = tuple(settings["image_shape"])
    else:
        inner = shape[1:]
    first = len(inner) == 3 and inner[1:] == (height, width)
    images = values.reshape(n, *inner)
    axes = tuple(range(1, images.ndim))
    mean = images.mean(axis=axes, keepdims=True)
    drops = {}
    for i, rows in enumerate(np.array_split(np.arange(height), _REGIONS)):
        for j, columns in enumerate(np.array_split(np.arange(width), _REGIONS)):
            if not len(rows) or not len(columns):
                continue
            covered = images.copy()
            box = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
            place = (slice(None), slice(None), *box) if first else (slice(None), *box)
            covered[place] = np.broadcast_to(mean, covered[place].shape)
            name = (
                f"rows {rows[0]} to {rows[-1]}, columns {columns[0]} to {columns[-1]}"
            )
            back = covered.reshape(shape).astype(np.asarray(to_array(few)).dtype)
            drops[name] = (clean - score(like(back, few)), (i, j))
    order = sorted(drops, key=lambda name: -drops[name][0])
    return {
        "part": "region",
        "method": (
            f"clean images with one of {_REGIONS} by {_REGIONS} regions covered by the "
            f"mean of the image, on {n} rows"
        ),
        "score": clean - drops[order[0]][0],
        "names": order,
        "drops": [drops[name][0] for name in order],
        "places": [list(drops[name][1]) for name in order],
    }


def _words(few, score, clean):
    """Return the frequent words whose deletion costs most."""
    texts = [str(text) for text in np.asarray(few).tolist()]
    counts = Counter(word for text in texts for word in set(text.lower().split()))
    drops = {}
    for word, _ in counts.most_common(_WORDS):
        without = [
            " ".join(w for w in text.split() if w.lower() != word) for text in texts
        ]
        drops[word] = clean - score(np.array(without, dtype=np.asarray(few).dtype))
    order = sorted(drops, key=lambda word: -drops[word])
    return {
        "part": "word",
        "method": (
            f"clean texts without one word, for each of the {len(order)} most "
            f"frequent words, on {len(texts)} rows"
        ),
        "score": clean - (drops[order[0]] if order else 0.0),
        "names": order,
        "drops": [drops[word] for word in order],
    }
