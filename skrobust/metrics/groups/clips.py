"""Robust accuracy and robust ratio of frames and of clips."""

import warnings

import numpy as np

from skrobust._array_checks import check_probabilities, check_same_length, number_array
from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._stacklevel import level_outside
from skrobust._validation import check_choice, check_confidence, check_count, metric
from skrobust.metrics.groups.clip_values import HOWS, aggregate_columns, clip_codes
from skrobust.metrics.intervals.bootstrap import jackknife_error
from skrobust.metrics.intervals.clusters import (
    FEW_CLUSTERS,
    jackknife_df,
    make_units,
    t_quantile,
)
from skrobust.metrics.intervals.share_interval import share_interval
from skrobust.metrics.labels import label_array, label_columns
from skrobust.metrics.robust.curves import straightness
from skrobust.metrics.robust.probability_shift import check_tolerances, shift_and_atol
from skrobust.metrics.robust.unmoved import full_attack

_LINEARITY = ("r_squared_chord", "r_squared", "max_deviation")


@metric
def clip_robustness(
    y_true,
    y_prob,
    y_prob_perturbed,
    clips,
    *,
    how="mean",
    positive=None,
    tolerances=None,
    reference="predicted",
    labels=None,
    confidence=0.95,
    n_resamples=999,
    random_state=None,
):
    r"""Compute robust accuracy and robust ratio per frame and per clip, side by side.

    The probabilities of the frames are aggregated to clips, clean and perturbed alike;
    a clip is correct where its largest probability is that of its label, and moves
    by the :func:`probability_shift` of its own probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n_frames,)
        True label of each frame: a column number, or a label when ``labels`` is given.
        All frames of a clip have one label.
    y_prob : array-like of shape (n_frames, n_classes)
        Probabilities on the clean frames.
    y_prob_perturbed : array-like of shape ([n_perturbations,] n_frames, n_classes)
        Probabilities on the perturbed frames; the worst perturbation counts, for a
        clip the one that is worst for the clip as a whole.
    clips : array-like of shape (n_frames,)
        The clip of each frame, in any order.
    how : {"mean", "median", "vote", "max"}, default="mean"
        How frames speak for their clip, as in :func:`aggregate_clips`.
    positive : int, default=None
        Column that ``how="max"`` looks at.
    tolerances : array-like of shape (n_tolerances,) or None, default=None
        Tolerances in [0, 1], rising; None: 0, 0.01, ..., 0.2.
    reference : {"predicted", "true", "max"}, default="predicted"
        Class whose probability is compared, as in :func:`probability_shift`;
        "predicted" is that of the clip for clips.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column, as in ``estimator.classes_``.
    confidence : float in (0, 1), default=0.95
        Of each interval.
    n_resamples : int, default=999
        Bootstrap resamples of clips for what compares clips with frames.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the resamples.

    Returns
    -------
    Results
        Columns, one row per tolerance: ``tolerance``; ``frame_ratio``, ``clip_ratio``
        and their ``_low`` and ``_high``; ``difference`` (clips less frames) with
        ``difference_low``, ``difference_high``. Beside them:

        - ``accuracy``, a table of two rows, ``unit`` "frames" and "clips": ``clean``,
          ``robust`` and their ``_low``, ``_high``, and ``n``;
        - ``linearity``, a table of three rows, "frames", "clips" and "difference":
          what :func:`rr_linearity` gives, with ``_low``, ``_high``;
        - ``per_clip``, a table of one row per clip: ``clip``, ``label``, ``n_frames``,
          ``right``, ``right_perturbed``, ``shift``, in the order in which clips first
          occur;
        - ``n_frames``, ``n_clips``, ``how``, ``confidence``, ``warnings``.

    Raises
    ------
    ValueError
        For a clip with two labels, fewer than three tolerances or not rising ones, and
        what :func:`aggregate_clips` and :func:`robust_ratio_curve` refuse.

    Warns
    -----
    UserWarning
        For fewer than 20 clips.

    Notes
    -----
    Limits of frames are those of shares in clusters (see :func:`confidence_interval`),
    as the frames of a clip are alike; limits of clips are Wilson's. Differences are
    resampled by whole clips, frames and clips together, and have percentile limits.
    The linearity has t limits from the curves that leave out one clip each (jackknife):
    resampled curves are bent more than the measured one, so that percentiles would lie
    beside it. Where a single clip makes the whole rise, there are none. The largest
    distance to the chord has the sign of its side.

    The perturbation was chosen for the frames. One that is chosen for the clip as a
    whole may be stronger, so these are upper bounds as all values under attack are.

    For two classes and ``how="mean"`` the shift of a clip is at most the mean shift of
    its frames, since moves in both directions cancel.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795), which compares images and videos
    without saying how frames are put together.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import clip_robustness
    >>> p = np.array([0.9, 0.8, 0.7, 0.1, 0.2, 0.3] * 10)
    >>> q = p + 0.06 * np.array([1, -1, -1] * 20)
    >>> two = [np.column_stack([1 - x, x]) for x in (p, q)]
    >>> y, clips = np.repeat([1, 0] * 10, 3), np.repeat(np.arange(20), 3)
    >>> results = clip_robustness(y, *two, clips, random_state=0)
    >>> int(results.frame_ratio[5]), int(results.clip_ratio[5])
    (0, 1)
    """
    caller = "clip_robustness"
    check_choice(how, "how", caller, HOWS)
    confidence = check_confidence(confidence, caller)
    n_resamples = check_count(n_resamples, "n_resamples", caller)
    seed = seed_number(random_state, caller)
    tolerances = check_tolerances(tolerances, caller, min_size=3)
    if (np.diff(tolerances) <= 0).any():
        raise ValueError(f"{caller} needs tolerances that rise from first to last.")
    y = label_array(y_true, caller, "y_true")
    clean = check_probabilities(y_prob, caller, name="y_prob")
    moved = number_array(y_prob_perturbed, "y_prob_perturbed", caller)
    codes, names = clip_codes(clips, caller)
    check_same_length(caller, y_true=y, y_prob=clean, clips=codes)
    settings = tolerances, reference, labels, confidence, caller
    units = make_units(codes, len(y), caller)
    frames = _Side(units, y, clean, moved, *settings)
    first = np.unique(codes, return_index=True)[1]
    mixed = codes[y != y[first][codes]]
    if len(mixed):
        raise ValueError(
            f"{caller} needs one label per clip; the frames of clip "
            f"{names[mixed[0]].item()!r} have several."
        )

    def together(p):
        return aggregate_columns(p, codes, len(names), how, positive, caller)

    several = np.stack([together(p) for p in frames.moved])
    units = make_units(None, len(names), caller)
    with full_attack():  # frames that stay were named above
        whole = _Side(units, y[first], together(clean), several, *settings)
    results = Results(columns=("tolerance",), tolerance=tolerances)
    for name, side in (("frame", frames), ("clip", whole)):
        limits = [side.interval(within) for within in side.within.T]
        _add(results, f"{name}_ratio", side.within.mean(axis=0), limits)
    hits = np.zeros((len(names), len(tolerances)))
    np.add.at(hits, codes, frames.within)
    sides = hits, np.bincount(codes), whole.within
    draws = _curves(*sides, n_resamples, seed)
    left_out = _curves_without_one(*sides)
    _compare(results, draws, left_out, tolerances, confidence)
    results["accuracy"] = _accuracy(frames, whole)
    facts = {
        "clip": names,
        "label": y[first],
        "n_frames": np.bincount(codes),
        "right": whole.correct,
        "right_perturbed": whole.correct_perturbed,
        "shift": whole.shift,
    }
    results["per_clip"] = Results(columns=tuple(facts), **facts)
    notes = ()
    if len(names) < FEW_CLUSTERS:
        notes = (
            f"Only {len(names)} clips: limits of frames and of differences are rough; "
            f"take {FEW_CLUSTERS} or more.",
        )
        warnings.warn(notes[0], UserWarning, stacklevel=level_outside())
    results.update(
        n_frames=len(y),
        n_clips=len(names),
        how=how,
        confidence=confidence,
        warnings=notes,
    )
    return results


class _Side:
    """Correctness, probability shifts and tolerated shifts of frames or of clips."""

    def __init__(
        self, units, y, clean, moved, tolerances, reference, labels, confidence, caller
    ):
        self.settings = units, confidence, caller
        columns = label_columns(y, labels, clean.shape[1], caller)
        self.correct = clean.argmax(axis=1) == columns
        self.shift, atol = shift_and_atol(clean, moved, reference, y, labels, caller)
        self.moved = moved[None] if moved.ndim == 2 else moved
        self.correct_perturbed = (self.moved.argmax(axis=2) == columns).all(axis=0)
        self.within = self.shift[:, None] <= tolerances + atol

    def interval(self, hits):
        """Return the limits of a share."""
        return share_interval(hits, *self.settings)


def _add(results, name, values, limits):
    low, high = np.array([tuple(limit) for limit in limits]).T
    columns = {name: values, f"{name}_low": low, f"{name}_high": high}
    results.update(columns)
    results["columns"] += tuple(columns)


def _curves(hits, sizes, within, n_resamples, seed):
    """Return the two curves, as measured first and then of resampled clips.

    ``hits`` counts the frames of a clip that are within each tolerance, of ``sizes``.
    """
    n = len(within)
    rng = np.random.default_rng(seed % 2**64)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=n_resamples)
    weights = np.vstack([np.ones((1, n)), weights])
    n_frames = weights @ sizes
    return weights @ hits / n_frames[:, None], weights @ within / n


def _curves_without_one(hits, sizes, within):
    """Return the two curves without each of the clips in turn."""
    n_frames = sizes.sum() - sizes
    with np.errstate(invalid="ignore"):  # of a single clip
        return (
            (hits.sum(axis=0) - hits) / n_frames[:, None],
            (within.sum(axis=0) - within) / np.float64(len(within) - 1),
        )


def _compare(results, draws, left_out, tolerances, confidence):
    """Add differences of clips and frames, and the linearity of each curve."""
    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    difference = draws[1] - draws[0]
    low, high = np.quantile(difference[1:], tails, axis=0)
    _add(results, "difference", difference[0], zip(low, high, strict=True))
    units = np.array(["frames", "clips", "difference"])
    results["linearity"] = table = Results(columns=("unit",), unit=units)
    measured = [straightness(tolerances, curves[:1])[:3] for curves in draws]
    without = [straightness(tolerances, curves)[:3] for curves in left_out]
    for i, name in enumerate(_LINEARITY):
        values, fewer = (
            np.stack([one[i], other[i], other[i] - one[i]])
            for one, other in (measured, without)
        )
        limits = [
            _jackknife_limits(value, row, confidence)
            for (value,), row in zip(values, fewer, strict=True)
        ]
        if name != "max_deviation":  # which 1 bounds, but no difference
            limits[:2] = [(low, min(high, 1.0)) for low, high in limits[:2]]
        _add(table, name, values[:, 0], limits)


def _jackknife_limits(value, left_out, confidence):
    """Return t limits from leave-one-out values; none where some are unknown."""
    if len(left_out) < 2 or not np.isfinite([value, *left_out]).all():
        return np.nan, np.nan
    half = t_quantile(confidence, jackknife_df(left_out - left_out.mean()))
    half *= jackknife_error(left_out)
    return value - half, value + half


def _accuracy(*sides):
    n = np.array([len(side.correct) for side in sides])
    table = Results(columns=("unit", "n"), unit=np.array(["frames", "clips"]), n=n)
    for name, hits in (("clean", "correct"), ("robust", "correct_perturbed")):
        found = [side.interval(getattr(side, hits)) for side in sides]
        _add(table, name, np.array([limits.value for limits in found]), found)
    return table
