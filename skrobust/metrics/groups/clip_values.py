"""Aggregation of frames to clips."""

import numpy as np

from skrobust._array_checks import (
    check_fractions,
    check_same_length,
    check_scores,
    number_array,
)
from skrobust._containers import shape_of
from skrobust._validation import check_choice, check_count, invalid, metric
from skrobust.metrics.labels import label_array

HOWS = ("mean", "median", "vote", "max")


@metric
def aggregate_clips(values, clips, *, how="mean", positive=None):
    r"""Aggregate values of frames to one value per clip.

    Parameters
    ----------
    values : array-like of shape (n_frames,) or (n_frames, n_classes)
        Probabilities with one column per class; or one number per frame; or, with
        ``how="vote"``, one label per frame (text, integers or booleans).
    clips : array-like of shape (n_frames,)
        The clip of each frame: text or numbers, in any order.
    how : {"mean", "median", "vote", "max"}, default="mean"
        - "mean": :math:`\frac{1}{n} \sum_f p_{fk}` over the n frames of the clip.
        - "median": the median of each column, divided by their sum (by which it is 1
          for two classes already); where all medians are 0, the mean.
        - "vote": the share of frames whose largest probability is that of class k (the
          first of equals); of labels, the most frequent one (the smallest of equals).
        - "max": the frame with the largest probability of the class ``positive`` speaks
          for the clip; of numbers, the largest.
    positive : int, default=None
        Column that "max" looks at, as that of the fakes; needed there with columns.

    Returns
    -------
    values : ndarray of shape (n_clips,) or (n_clips, n_classes)
        One row per clip; floats of the width of the input, labels as given.
    clips : ndarray of shape (n_clips,)
        The clips, in the order in which they first occur.

    Raises
    ------
    ValueError
        For lengths that differ, no frame, NaN, probabilities outside [0, 1], and values
        that the rule cannot take.

    Notes
    -----
    The sources that score videos (Roessler et al., 2019; Li et al., 2020) average over
    frames; the other rules are common in practice, and the ties are our choice.

    Examples
    --------
    >>> from skrobust.metrics import aggregate_clips
    >>> frames = [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]]
    >>> aggregate_clips(frames, ["a", "b", "b"])[0].round(2).tolist()
    [[0.9, 0.1], [0.3, 0.7]]
    >>> aggregate_clips(["real", "fake", "fake"], [7, 7, 7], how="vote")
    (array(['fake'], dtype='<U4'), array([7]))
    """
    caller = "aggregate_clips"
    check_choice(how, "how", caller, HOWS)
    codes, names = clip_codes(clips, caller)
    if len(shape_of(values, "values", caller)) == 2:
        p = number_array(values, "values", caller)
        if p.dtype.kind not in "fiu" or 0 in p.shape:
            raise invalid("values", caller, "numbers, one row per frame", p.dtype)
        check_fractions(p, caller, name="values")
        check_same_length(caller, values=p, clips=codes)
        return aggregate_columns(p, codes, len(names), how, positive, caller), names
    if positive is not None:
        raise ValueError(f"{caller} takes positive with columns of classes only.")
    if how == "vote":
        labels = label_array(values, caller, "values")
        if labels.dtype.kind == "f" and (labels != np.rint(labels)).any():
            raise ValueError(
                f"{caller} takes a vote of labels, not of numbers. Pass probabilities "
                "with one column per class: `np.column_stack([1 - p, p])`."
            )
        check_same_length(caller, values=labels, clips=codes)
        kinds, votes = np.unique(labels, return_inverse=True)
        counts = np.zeros((len(names), len(kinds)))
        np.add.at(counts, (codes, votes), 1)
        return kinds[counts.argmax(axis=1)], names
    numbers = check_scores(values, caller, name="values")
    check_same_length(caller, values=numbers, clips=codes)
    rule = {"mean": np.mean, "median": np.median, "max": np.max}[how]
    out = np.array([rule(numbers[rows]) for rows in _rows(codes, len(names))])
    return out.astype(_width(values)), names


def clip_codes(clips, caller):
    """Return the number of each frame's clip and the clips as they first occur."""
    clips = label_array(clips, caller, "clips")
    check_same_length(caller, clips=clips)
    names, first, inverse = np.unique(clips, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank[inverse], names[order]


def aggregate_columns(p, codes, n_clips, how, positive, caller):
    """Return one row of probabilities per clip; ``p`` has shape (n_frames, n_classes).

    The arguments are checked but for ``positive``.
    """
    if how == "max":
        if positive is None:
            raise ValueError(
                f"{caller} needs positive with how='max': the column whose largest "
                "value speaks for the clip, as that of the fakes."
            )
        positive = check_count(positive, "positive", caller, low=0)
        if positive >= p.shape[1]:
            rule = f"a column, at most {p.shape[1] - 1}"
            raise invalid("positive", caller, rule, positive)
    elif positive is not None:
        raise ValueError(f"{caller} takes positive with how='max' only.")
    out = np.empty((n_clips, p.shape[1]))
    wide = np.asarray(p, dtype=np.float64)
    if how == "vote":
        wide = np.eye(p.shape[1])[wide.argmax(axis=1)]
    for clip, rows in enumerate(_rows(codes, n_clips)):
        part = wide[rows]
        if how == "max":
            out[clip] = part[part[:, positive].argmax()]
        elif how == "median":
            middle = np.median(part, axis=0)
            total = middle.sum()
            out[clip] = middle / total if total > 0 else part.mean(axis=0)
        else:
            out[clip] = part.mean(axis=0)
    return out.astype(_width(p))


def _width(values):
    kind = getattr(values, "dtype", None)
    return kind if kind is not None and getattr(kind, "kind", "") == "f" else np.float64


def _rows(codes, n_clips):
    """Return the rows of each clip, in their order."""
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(n_clips + 1))
    return np.split(order, bounds[1:-1])
