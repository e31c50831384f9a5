"""Normalized scores of classification, regression and clustering."""

from dataclasses import replace
from functools import partial

import numpy as np

from skrobust._validation import metric
from skrobust.metrics.intervals.bootstrap import function_interval
from skrobust.metrics.intervals.share_interval import sample_share_interval
from skrobust.metrics.labels import label_array
from skrobust.metrics.normalized.factors import class_sizes
from skrobust.metrics.normalized.parts import (
    check_rows_scored,
    of_resamples,
    score_parts,
)
from skrobust.metrics.normalized.streamed_clustering import StreamedClustering
from skrobust.metrics.normalized.streamed_scores import StreamedAccuracy, StreamedR2
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.scorers.normalized_scorer import NormalizedScorer


@metric
def normalized_accuracy_score(
    y_true,
    y_pred,
    *,
    n_features,
    n_samples=None,
    class_counts=None,
    labels=None,
    snr="auto",
    signal=None,
    clip=True,
    sample_weight=None,
):
    r"""Compute the accuracy, multiplied by factors of the data set.

    In [0, 1]; greater is better. Not comparable between data sets: a perfect classifier
    scores f/h, which is 0.25 for class sizes of 95 and 5, and so does a coin flip on
    classes of equal size.

    .. math:: \mathrm{clip}\left(\frac{accuracy \cdot f(n\_features, n\_samples)
        \cdot g(S)}{h}, 0, 1\right)

    with f of :func:`dimensionality_factor`, g of :func:`signal_factor`, S of
    :func:`signal_to_noise_ratio` and h of :func:`imbalance_factor`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels: text or numbers.
    n_features : int
        At least 1; the product of all dimensions but that of the samples.
    n_samples : int or None, default=None
        Size of the data set; None: the number of rows scored.
    class_counts : array-like of shape (n_classes,), mapping or None, default=None
        Class sizes of the data set; None: those of ``y_true``.
    labels : array-like of shape (n_classes,) or None, default=None
        All labels of the data set, such as ``estimator.classes_``; None: those of
        ``y_true``, ``y_pred`` and ``class_counts``.
    snr : {"auto", "linear", "squared"}, default="auto"
        The kind of :func:`signal_to_noise_ratio`. "auto" is linear when ``y_true`` and
        ``y_pred`` together hold at most two classes, and ``class_counts`` and
        ``labels`` no more.
    signal : callable or None, default=None
        Another g: takes the ratio (infinity when there is no noise), returns a float.
    clip : bool, default=True
        Clip to [0, 1], with a UserWarning when the score was above 1.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights, in the accuracy, the ratio and the class sizes.

    Returns
    -------
    float
        The score.

    Raises
    ------
    ValueError
        For labels of different length or kind, no sample, one-hot or missing labels,
        or a parameter outside its range.

    Warns
    -----
    UserWarning
        When a perfect classifier would score less than 0.5 on these class sizes; when
        the order of the classifier and the best constant prediction is another than
        that by accuracy; when ``y_true`` lacks classes of ``labels`` or ``y_pred`` and
        ``class_counts`` is not given; without ``n_samples``, when f is above 1.

    See Also
    --------
    accuracy_skill_score : Comparable between data sets, as are balanced accuracy,
        Matthews correlation and the Brier skill (``d2_brier_score``) of scikit-learn.

    Notes
    -----
    With the same rows, d and N, the score of two classes is an increasing function of
    the accuracy (up to the clipping), so that it selects the same model. f rises with
    each column, also with one of noise.

    N, d and the class sizes belong to the data set. A fold is smaller: without
    ``n_samples`` f grows with the fold's smallness, and without ``class_counts`` a fold
    that lacks a class has another h. ``labels`` keeps at least the kind of the ratio.
    The form of g, the linear binary ratio and the definition of h are our choices, said
    at each function. The source's claim that the normalized score varies less than the
    raw one was not confirmed.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import normalized_accuracy_score
    >>> y_true = [0] * 50 + [1] * 50
    >>> y_pred = [0] * 45 + [1] * 5 + [0] * 10 + [1] * 40
    >>> score = normalized_accuracy_score(y_true, y_pred, n_features=10, n_samples=100)
    >>> round(score, 6)
    0.88944
    """
    caller, size = "normalized_accuracy_score", (n_features, n_samples)
    data = {"class_counts": class_counts, "snr": snr, "sample_weight": sample_weight}
    data["labels"], task = labels, "classification"
    return score_parts(caller, y_true, y_pred, task, *size, signal, clip, **data).score


@metric
def normalized_r2_score(
    y_true,
    y_pred,
    *,
    n_features,
    n_samples=None,
    center=False,
    signal=None,
    clip=True,
    sample_weight=None,
):
    r"""Compute the R2 of a regression, multiplied by factors of the data set.

    In [0, 1]; 1 is best. R2 itself is the skill over the best constant prediction.

    .. math:: \mathrm{clip}\left(\max(0, R^2) \cdot f(n\_features, n\_samples)
        \cdot g(S), 0, 1\right), \qquad
        S = \frac{\sum_i y_i^2}{\sum_i (y_i - \hat{y}_i)^2}

    with f of :func:`dimensionality_factor` and g of :func:`signal_factor`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted values.
    n_features : int
        At least 1; the product of all dimensions but that of the samples.
    n_samples : int or None, default=None
        Size of the data set; None: the number of rows scored.
    center : bool, default=False
        Measure ``y_true`` from its mean in S, so that adding a constant to both inputs
        changes nothing; g is then 1 / (2 - R2).
    signal : callable or None, default=None
        Another g: takes the ratio (infinity when there is no noise), returns a float.
    clip : bool, default=True
        Clip to [0, 1], with a UserWarning when the score was above 1.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights.

    Returns
    -------
    float
        The score; nan with scikit-learn's warning for a single sample.

    Raises
    ------
    ValueError
        For inputs that are not 1-D, differ in length, are empty or hold NaN, or a
        parameter outside its range.

    Notes
    -----
    R2 as the raw score, cut at 0, and ``center`` are our choices; S is the source's.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import normalized_r2_score
    >>> score = normalized_r2_score(
    ...     [3, 5, 2, 7], [2.5, 5, 2, 8], n_features=1, n_samples=100
    ... )
    >>> round(score, 6)
    0.90229
    """
    caller, size = "normalized_r2_score", (n_features, n_samples)
    data = {"center": center, "sample_weight": sample_weight}
    task = "regression"
    return score_parts(caller, y_true, y_pred, task, *size, signal, clip, **data).score


@metric
def normalized_clustering_score(
    labels_true,
    labels_pred,
    *,
    n_features,
    n_samples=None,
    X=None,
    signal=None,
    clip=True,
):
    r"""Compute the normalized mutual information, times factors of the data set.

    In [0, 1]; 1 is best.

    .. math:: \mathrm{clip}\left(NMI \cdot f(n\_features, n\_samples)
        \cdot g\left(\frac{BSS}{WSS}\right), 0, 1\right)

    with f of :func:`dimensionality_factor`, g of :func:`signal_factor`, and BSS and WSS
    the sums of squares of ``X`` between and within the predicted clusters.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        True classes and predicted clusters: text or numbers.
    n_features : int
        At least 1; the product of all dimensions but that of the samples.
    n_samples : int or None, default=None
        Size of the data set; None: the number of rows scored.
    X : array-like of shape (n_samples, ...) or None, default=None
        The points that were clustered; None: g is 1.
    signal : callable or None, default=None
        Another g: takes the ratio (infinity when there is no noise), returns a float.
    clip : bool, default=True
        Clip to [0, 1], with a UserWarning when the score was above 1.

    Returns
    -------
    float
        The score.

    Raises
    ------
    ValueError
        For inputs of different length, no sample, missing labels, or a parameter
        outside its range.

    Notes
    -----
    The ratio BSS/WSS is our choice. The score does not change when X is moved, rotated
    or scaled as a whole; scaling single columns changes it.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import normalized_clustering_score
    >>> score = normalized_clustering_score(
    ...     [0, 0, 1, 1],
    ...     ["a", "a", "b", "b"],
    ...     n_features=1,
    ...     n_samples=100,
    ...     X=[[0], [1], [10], [11]],
    ... )
    >>> round(score, 6)
    0.990099
    """
    pair, size = (labels_true, labels_pred), (n_features, n_samples)
    options = "clustering", *size, signal, clip
    return score_parts("normalized_clustering_score", *pair, *options, X=X).score


def _interval(function, data, request, **params):
    # The size and the class sizes stay those of the whole in each resample.
    weight = params.get("sample_weight")
    n_rows = len(data[0]) if weight is None else np.count_nonzero(weight)
    if params.get("n_samples") is None:
        params["n_samples"] = n_rows
    if function is normalized_accuracy_score and params.get("class_counts") is None:
        y_true = label_array(data[0], request.caller, "y_true")
        params["class_counts"] = class_sizes(y_true, params.get("sample_weight"))
    per_row = ("sample_weight", "X")
    check_rows_scored(params["n_samples"], n_rows, function.__name__)
    with of_resamples():
        found = function_interval(function, data, request, per_row=per_row, **params)
    if function is not normalized_accuracy_score or not np.isnan(found.low):
        return found
    correct = np.asarray(data[0]) == np.asarray(data[1])
    if not correct.all():
        return found
    # The accuracy is 1, and the value is the factor: it carries over the limits.
    share = sample_share_interval(
        correct, params.get("sample_weight"), replace(request, method="auto")
    )
    limits = {"low": found.value * share.low, "high": found.value * share.high}
    return replace(share, value=found.value, **limits)


_OVER_BATCHES = {
    "accuracy": StreamedAccuracy,
    "r2": StreamedR2,
    "clustering": StreamedClustering,
}
for _name, _task, _function in (
    ("accuracy", "classification", normalized_accuracy_score),
    ("r2", "regression", normalized_r2_score),
    ("clustering", "clustering", normalized_clustering_score),
):
    register(
        MetricSpec(
            f"normalized_{_name}",
            _function,
            task=_task,
            needs={"labels", "n_features"},
            interval=partial(_interval, _function),
            scorer=partial(NormalizedScorer, _name),
            streaming=_OVER_BATCHES[_name],
        )
    )
