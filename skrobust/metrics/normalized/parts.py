"""Parts of a normalized score: the raw score and its factors."""

import numbers
import warnings
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from sklearn.metrics import normalized_mutual_info_score, r2_score
from sklearn.utils import Bunch

from skrobust._array_checks import check_same_length, check_weights
from skrobust._stacklevel import level_outside
from skrobust._validation import check_choice, check_count, check_flag, invalid, metric
from skrobust.metrics.labels import label_array, label_pair
from skrobust.metrics.normalized import against_accuracy, factors, signal_to_noise

_LARGE = 1e150  # whose square is no double; the score has no unit
_OF_RESAMPLE = ContextVar("skrobust_of_resample", default=False)


@metric
def normalized_score_parts(
    y_true,
    y_pred,
    *,
    task,
    n_features,
    n_samples=None,
    class_counts=None,
    snr="auto",
    y_prob=None,
    labels=None,
    center=False,
    X=None,
    signal=None,
    clip=True,
    sample_weight=None,
):
    r"""Compute a normalized score together with each of its factors.

    .. math:: score = \mathrm{clip}\left(unclipped, 0, 1\right), \qquad
        unclipped = \frac{raw \cdot dimensionality \cdot signal}{imbalance}

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        What :func:`normalized_accuracy_score`, :func:`normalized_r2_score` or
        :func:`normalized_clustering_score` takes.
    task : {"classification", "regression", "clustering"}
        Task of the score.
    n_features : int
        At least 1; the product of all dimensions but that of the samples.
    n_samples : int or None, default=None
        Size of the data set; None: the number of rows scored.
    class_counts : array-like of shape (n_classes,), mapping or None, default=None
        For classification: class sizes of the data set.
    snr : {"auto", "linear", "squared"}, default="auto"
        For classification: the kind of :func:`signal_to_noise_ratio`.
    y_prob : array-like of shape (n_samples, n_classes) or None, default=None
        For classification: probabilities for a soft confusion matrix in the ratio.
    labels : array-like of shape (n_classes,) or None, default=None
        All labels of the data set, those of the columns of ``y_prob``; None: the sorted
        labels of ``y_true``.
    center : bool, default=False
        For regression: measure ``y_true`` from its mean in the ratio.
    X : array-like of shape (n_samples, ...) or None, default=None
        For clustering: the points.
    signal : callable or None, default=None
        Another g.
    clip : bool, default=True
        Clip to [0, 1], with a UserWarning when the score was above 1.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights, not for clustering.

    Returns
    -------
    Bunch
        ``raw``, ``dimensionality`` (f), ``snr``, ``signal`` (g), ``imbalance`` (h),
        ``n_samples`` (N), ``n_features`` (d), ``unclipped`` and ``score``. The ``snr``
        of a clustering without X is nan.

    Raises
    ------
    ValueError
        For what the function of the task refuses.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import normalized_score_parts
    >>> parts = normalized_score_parts(
    ...     [0, 0, 1, 1],
    ...     [0, 0, 1, 0],
    ...     task="classification",
    ...     n_features=2,
    ...     n_samples=90,
    ... )
    >>> parts.raw, parts.dimensionality, parts.snr, parts.signal, parts.imbalance
    (0.75, 1.0, 3.0, 0.75, 1.0)
    """
    given = {"class_counts": class_counts, "snr": snr, "y_prob": y_prob}
    data = {"labels": labels, "center": center, "X": X, "sample_weight": sample_weight}
    options = task, n_features, n_samples, signal, clip
    caller = "normalized_score_parts"
    return score_parts(caller, y_true, y_pred, *options, **given, **data)


def score_parts(
    caller, y_true, y_pred, task, n_features, n_samples, signal, clip, **data
):
    """Return every part of a normalized score."""
    check_choice(task, "task", caller, signal_to_noise.TASKS)
    n_features, n_samples = check_size(n_features, n_samples, caller)
    measures = measure_labels, _regression, _clustering
    measure = dict(zip(signal_to_noise.TASKS, measures, strict=True))[task]
    measured = measure(caller, y_true, y_pred, **data)
    return assemble(caller, measured, n_features, n_samples, signal, clip)


def check_size(n_features, n_samples, caller):
    """Return the size of a data set, of which the number of rows may be None."""
    n_features = check_count(n_features, "n_features", caller)
    if n_samples is not None:
        n_samples = check_count(n_samples, "n_samples", caller)
    return n_features, n_samples


def check_rows_scored(n_samples, n_rows, caller):
    """Raise where a data set would have fewer rows than those that are scored."""
    if n_samples is not None and n_samples < n_rows:
        rule = f"at least the {n_rows} rows scored, since it is the whole data set's"
        raise invalid("n_samples", caller, rule, n_samples)


@contextmanager
def of_resamples():
    """Let resamples of clusters have more rows than the data set."""
    token = _OF_RESAMPLE.set(True)
    try:
        yield
    finally:
        _OF_RESAMPLE.reset(token)


def assemble(caller, measured, n_features, n_samples, signal, clip):
    """Return every part of a normalized score that was measured.

    Parameters
    ----------
    caller : str
        Name of the public function, for messages.
    measured : (float, float, float, int, tuple or None)
        The raw score, the ratio, h, the number of rows, and accuracy and g of the best
        constant prediction.
    n_features, n_samples : int
        Size of the data set, checked.
    signal, clip : object
        As of :func:`normalized_score_parts`.
    """
    raw, snr, h, n_rows, constant = measured
    if not _OF_RESAMPLE.get():
        check_rows_scored(n_samples, n_rows, caller)
    f = factors.dimension_factor(n_features, n_rows if n_samples is None else n_samples)
    if n_samples is None and f > 1:
        warnings.warn(
            f"{caller} took the {n_rows} rows scored as the size of the data set, "
            f"which raises the score by the factor {f:.3g}; pass n_samples=len(X) of "
            "the whole data set.",
            UserWarning,
            stacklevel=level_outside(),
        )
    check_flag(clip, "clip", caller)
    g = _signal_value(signal, snr, caller)
    if constant is not None and signal is None:
        against_accuracy.warn_order(caller, raw, g, *constant)
    if f < h * against_accuracy.LOW_CEILING:
        against_accuracy.warn_ceiling(caller, f, h)
    # A raw score of 0 stays 0, also where a g of the user is infinite.
    unclipped = raw * f * g / h if raw != 0 else 0.0
    score = unclipped
    if clip:
        score = float(np.clip(unclipped, 0.0, 1.0))
        # A perfect score may round to a hair above 1.
        if unclipped > 1 + 1e-9:
            warnings.warn(
                f"{caller} was {unclipped:.4g} and is clipped to 1, where good models "
                "tie; clip=False keeps the order.",
                UserWarning,
                stacklevel=level_outside(),
            )
    return Bunch(
        raw=raw,
        dimensionality=f,
        snr=snr,
        signal=g,
        imbalance=h,
        n_samples=n_rows if n_samples is None else n_samples,
        n_features=n_features,
        unclipped=unclipped,
        score=score,
    )


def measure_labels(
    caller,
    y_true,
    y_pred,
    *,
    class_counts=None,
    snr="auto",
    y_prob=None,
    labels=None,
    sample_weight=None,
    **_,
):
    """Return what :func:`assemble` takes, of labels."""
    check_choice(snr, "snr", caller, signal_to_noise.KINDS)
    y_true, y_pred = label_pair(y_true, y_pred, caller)
    weight = check_weights(sample_weight, len(y_true), caller)
    accuracy = float(np.average(y_true == y_pred, weights=weight))
    present = factors.class_sizes(y_true, weight)
    counts, n_classes = present, len(present)
    if class_counts is not None:
        counts = factors.count_array(class_counts, caller)
        n_classes = len(counts)
    if y_prob is not None:
        ratio = signal_to_noise.soft_snr(y_true, y_prob, labels, weight, snr, caller)
        constant = None
    else:
        if labels is not None:
            labels = np.unique(label_array(labels, caller, "labels"))
            n_classes = max(n_classes, len(labels))
        n_classes = signal_to_noise.count_classes(y_true, y_pred, weight, n_classes)
        ratio = signal_to_noise.label_snr(y_true, y_pred, weight, snr, n_classes)
        constant = against_accuracy.constant_score(present, snr, n_classes)
        if class_counts is None and 1 < len(present) < n_classes:
            against_accuracy.warn_missing(caller, len(present), n_classes)
    # The warning of a single class points at the caller of the public function.
    h = factors.imbalance(counts, caller)
    return accuracy, ratio, h, _n_rows(y_true, weight), constant


def _regression(caller, y_true, y_pred, *, center=False, sample_weight=None, **_):
    y_true, y_pred = signal_to_noise.value_pair(y_true, y_pred, caller)
    weight = check_weights(sample_weight, len(y_true), caller)
    largest = max(np.abs(y_true).max(initial=0), np.abs(y_pred).max(initial=0))
    if largest > _LARGE:
        y_true, y_pred = y_true / largest, y_pred / largest
    # np.maximum keeps the nan of a single sample.
    raw = float(np.maximum(0.0, r2_score(y_true, y_pred, sample_weight=weight)))
    ratio = signal_to_noise.value_snr(y_true, y_pred, weight, center)
    return raw, ratio, 1.0, _n_rows(y_true, weight), None


def _clustering(caller, y_true, y_pred, *, X=None, sample_weight=None, **_):
    if sample_weight is not None:
        raise ValueError(f"{caller} takes no sample_weight when task='clustering'.")
    # Classes and clusters are never compared, so their kinds may differ.
    y_true = label_array(y_true, caller, "labels_true")
    y_pred = label_array(y_pred, caller, "labels_pred")
    check_same_length(caller, labels_true=y_true, labels_pred=y_pred)
    raw = float(normalized_mutual_info_score(*map(_codes, (y_true, y_pred))))
    ratio = float("nan")
    if X is not None:
        ratio = signal_to_noise.cluster_snr(X, y_pred, caller)
    return raw, ratio, 1.0, len(y_true), None


def _codes(labels):
    return np.unique(labels, return_inverse=True)[1]


def _n_rows(y, weight):
    # A row of weight 0 counts as absent.
    return len(y) if weight is None else int(np.count_nonzero(weight))


def _signal_value(signal, snr, caller):
    if np.isnan(snr):
        return 1.0
    if signal is None:
        return factors.signal_factor(snr)
    if not callable(signal):
        raise invalid("signal", caller, "a callable or None", signal)
    g = signal(snr)
    if not isinstance(g, numbers.Real) or np.isnan(g):
        raise ValueError(f"{caller} needs a signal that returns a number; got {g!r}.")
    return float(g)
