"""Signal-to-noise ratio of predictions."""

import numpy as np
from sklearn.utils import check_array

from skrobust._array_checks import (
    check_probabilities,
    check_same_length,
    check_scores,
    check_weights,
    number_array,
)
from skrobust._containers import one_per_row
from skrobust._validation import check_choice, check_flag
from skrobust.metrics.labels import label_array, label_pair, true_columns

TASKS = ("classification", "regression", "clustering")
KINDS = ("auto", "linear", "squared")


def signal_to_noise_ratio(
    y_true,
    y_pred,
    *,
    task="classification",
    kind="auto",
    center=False,
    X=None,
    y_prob=None,
    labels=None,
    sample_weight=None,
):
    r"""Compute the signal-to-noise ratio of predictions.

    In [0, inf]; infinity is best (no noise), and 0 when there is no signal.

    .. math:: S_{linear} = \frac{\sum_k C_{kk}}{\sum_{i \ne j} C_{ij}}, \quad
        S_{squared} = \frac{\sum_k C_{kk}^2}{\sum_{i \ne j} C_{ij}^2}, \quad
        S_{regression} = \frac{\sum_i y_i^2}{\sum_i (y_i - \hat{y}_i)^2}, \quad
        S_{clustering} = \frac{BSS}{WSS}

    where :math:`C` is the confusion matrix, :math:`y` is ``y_true``, :math:`\hat{y}`
    is ``y_pred``, and BSS and WSS are the sums of squares of ``X`` between and within
    the predicted clusters.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or None
        True labels or values; not used for clustering.
    y_pred : array-like of shape (n_samples,) or None
        Predicted labels, values or clusters; not used when ``y_prob`` is given.
    task : {"classification", "regression", "clustering"}, default="classification"
        Task, which decides the formula.
    kind : {"auto", "linear", "squared"}, default="auto"
        For classification. "auto" is linear for at most two classes in ``y_true`` and
        ``y_pred`` together, else squared.
    center : bool, default=False
        For regression: measure ``y_true`` from its mean.
    X : array-like of shape (n_samples, ...) or None, default=None
        For clustering: the points.
    y_prob : array-like of shape (n_samples, n_classes) or None, default=None
        For classification: probabilities that are summed to a soft confusion matrix,
        ``C[i, j]`` the sum over the samples of class i of their probability of j.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column of ``y_prob``; None: the sorted labels of ``y_true``.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights, for classification and regression. Weights of one over
        the class size give the class-balanced ratio.

    Returns
    -------
    float
        The ratio.

    Raises
    ------
    ValueError
        For an unknown task or kind, inputs of different length, no sample, NaN, or an
        input that the task needs and lacks.

    Notes
    -----
    The source gives the regression form and the squared signal. The linear form for
    two classes, the squared noise (without it the ratio would grow with the sample
    size), the soft matrix and the clustering form are our choices. The regression form
    changes when a constant is added to both inputs, unless ``center=True``.

    References
    ----------
    S. Ossenov (arXiv 2412.07244, 2024).

    Examples
    --------
    >>> from skrobust.metrics import signal_to_noise_ratio
    >>> signal_to_noise_ratio([0, 0, 1, 1, 1], [0, 0, 1, 1, 0])
    4.0
    >>> ratio = signal_to_noise_ratio([3, 5, 2, 7], [2.5, 5, 2, 8], task="regression")
    >>> round(ratio, 6)
    69.6
    """
    caller = "signal_to_noise_ratio"
    check_choice(task, "task", caller, TASKS)
    check_choice(kind, "kind", caller, KINDS)
    if task == "clustering":
        if X is None or sample_weight is not None:
            raise ValueError(
                f"{caller} needs X and no sample_weight when task='clustering'."
            )
        return cluster_snr(X, label_array(y_pred, caller, "y_pred"), caller)
    if task == "regression":
        y_true, y_pred = value_pair(y_true, y_pred, caller)
        weight = check_weights(sample_weight, len(y_true), caller)
        return value_snr(y_true, y_pred, weight, center)
    if y_prob is not None:
        y_true = label_array(y_true, caller, "y_true")
        weight = check_weights(sample_weight, len(y_true), caller)
        return soft_snr(y_true, y_prob, labels, weight, kind, caller)
    y_true, y_pred = label_pair(y_true, y_pred, caller)
    weight = check_weights(sample_weight, len(y_true), caller)
    return label_snr(y_true, y_pred, weight, kind)


def value_pair(y_true, y_pred, caller):
    """Return two float arrays of shape (n_samples,), or raise."""
    pair = []
    for name, y in (("y_true", y_true), ("y_pred", y_pred)):
        y = one_per_row(y, name, caller)
        # Linear models return one column when they were fitted on one column.
        y = y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y
        pair.append(check_scores(y, caller, name=name))
    check_same_length(caller, y_true=pair[0], y_pred=pair[1])
    return pair


def value_snr(y_true, y_pred, weight, center):
    """Return the regression ratio of checked values."""
    check_flag(center, "center", "the ratio of signal to noise")
    signal, noise = y_true, y_true - y_pred
    if center:
        signal = y_true - y_true[0]  # a constant becomes exactly 0
        signal = signal - np.average(signal, weights=weight)
    # Squares of very large or small values would leave the range of floats.
    scale = max(np.abs(signal).max(), np.abs(noise).max()) or 1.0
    weight = 1.0 if weight is None else weight
    powers = [np.sum(weight * (part / scale) ** 2) for part in (signal, noise)]
    return ratio_of_powers(*powers)


def label_snr(y_true, y_pred, weight, kind, n_classes=0):
    """Return the classification ratio of checked labels.

    ``kind`` "auto" counts the classes in rows of positive weight, true or predicted,
    and takes them to be at least ``n_classes``.
    """
    labels, codes = np.unique(np.concatenate([y_true, y_pred]), return_inverse=True)
    rows, columns = codes[: len(y_true)], codes[len(y_true) :]
    # Only the cells that occur: a full matrix of many classes would fill the memory.
    cells, where = np.unique(rows * len(labels) + columns, return_inverse=True)
    counts = np.bincount(where, weights=weight)
    n_classes = count_classes(y_true, y_pred, weight, n_classes)
    return _cell_ratio(counts, cells % (len(labels) + 1) == 0, kind, n_classes)


def count_classes(y_true, y_pred, weight, n_classes=0):
    """Return the number of classes in rows of positive weight, at least n_classes."""
    seen = slice(None) if weight is None else weight > 0
    return max(n_classes, len(np.union1d(y_true[seen], y_pred[seen])))


def class_ratio(signal, noise, kind, n_classes):
    """Return the classification ratio of the diagonal and the other cells."""
    cells = np.concatenate([signal, noise]).astype(np.float64)
    diagonal = np.arange(len(cells)) < len(signal)
    return _cell_ratio(cells, diagonal, kind, n_classes)


def soft_snr(y_true, y_prob, labels, weight, kind, caller):
    """Return the classification ratio of a soft confusion matrix."""
    y_prob = check_probabilities(y_prob, caller, name="y_prob")
    labels = np.unique(y_true) if labels is None else labels
    n_classes = y_prob.shape[1]
    rows = true_columns(y_true, labels, caller, y_prob=y_prob)
    matrix = np.zeros((n_classes, n_classes))
    np.add.at(matrix, rows, y_prob if weight is None else y_prob * weight[:, None])
    diagonal = np.eye(n_classes, dtype=bool)
    return _cell_ratio(matrix, diagonal, kind, n_classes)


def cluster_snr(X, y_pred, caller):
    """Return the sum of squares between over that within the predicted clusters."""
    named = {"input_name": "X", "estimator": caller}
    X = number_array(X, "X", caller)
    X = check_array(X, dtype=np.float64, allow_nd=True, **named)
    check_same_length(caller, X=X, y_pred=y_pred)
    # From the first point: equal points then have exactly no distance.
    X = X.reshape(len(X), -1) - X.reshape(len(X), -1)[0]
    X = (X - X.mean(axis=0)) / (np.abs(X).max() or 1.0)
    clusters, codes = np.unique(y_pred, return_inverse=True)
    if len(clusters) == 1:
        return 0.0
    sizes = np.bincount(codes)
    totals = np.zeros((len(clusters), X.shape[1]))
    np.add.at(totals, codes, X)
    means = totals / sizes[:, None]
    between = np.sum(sizes[:, None] * means**2)
    return ratio_of_powers(between, np.sum((X - means[codes]) ** 2))


def _cell_ratio(cells, diagonal, kind, n_classes):
    if kind == "squared" or (kind == "auto" and n_classes > 2):
        # Shares, not counts: squares of tiny weights would vanish.
        cells = (cells / cells.sum()) ** 2
    return ratio_of_powers(cells[diagonal].sum(), cells[~diagonal].sum())


def ratio_of_powers(signal, noise):
    """Return the quotient, infinity without noise, and 0 without a signal."""
    if signal == 0:
        return 0.0
    return float("inf") if noise == 0 else float(signal / noise)
