"""The rows of each period of time, and the metrics of one period."""

import re
import warnings
from itertools import pairwise

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score
from sklearn.utils import column_or_1d

from skrobust._validation import check_same_length, check_scores, invalid
from skrobust.metrics.labels import label_array, label_pair

_NAMED = ("accuracy", "gini", "roc_auc")
_UNDEFINED = float("nan")


def period_text(period):
    """Return a period as people write it: a day without its midnight."""
    text = re.sub(r"(:\d\d)\.0+$", r"\1", str(period))
    return re.sub(r"(?<=\d)[T ]00:00(:00)?$", "", text)


def rows_of_periods(times, n_samples, caller):
    """Return the distinct times in order and the rows of each."""
    ordered = getattr(times, "cat", times)
    names = None
    if getattr(ordered, "ordered", False) and hasattr(ordered, "codes"):
        names, times = np.asarray(ordered.categories), np.asarray(ordered.codes)
        if (times < 0).any():
            raise ValueError(f"{caller} needs a time for every sample; one is missing.")
    times = column_or_1d(np.asarray(times))
    if len(times) != n_samples:
        raise ValueError(
            f"{caller} needs one time per sample; times has {len(times)}, the data "
            f"{n_samples}."
        )
    # What is missing (NaN, NaT) differs from itself, or is None.
    none = times.dtype.kind == "O" and any(time is None for time in times)
    if none or (times != times).any():
        raise ValueError(f"{caller} needs a time for every sample; one is missing.")
    try:
        distinct, period = np.unique(times, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(time).__name__ for time in times})
        raise invalid("times", caller, "values of one kind that sort", kinds) from error
    if names is not None:  # categories in their own order
        distinct = names[distinct]
    else:
        _check_order(distinct, caller)
    order = np.argsort(period, kind="stable")
    return distinct, np.split(order, np.cumsum(np.bincount(period))[:-1])


def _check_order(distinct, caller):
    """Refuse text that sorts otherwise than its numbers: week 10 before week 2."""
    texts = distinct.tolist()
    if not all(isinstance(text, str) for text in texts):
        return
    for before, after in pairwise(texts):
        if _counted(before) > _counted(after):
            rule = f"text that sorts in time; as text {before!r} is before {after!r}"
            cure = "Give dates, numbers or an ordered Categorical."
            raise invalid("times", caller, rule, texts[:3], cure)


def _counted(text):
    """Return the parts of a text, numbers as numbers, in an order of their own."""
    parts = re.split(r"(\d+)", text)
    return [int(part) if i % 2 else part for i, part in enumerate(parts)]


def named_metric(metric, y_true, y_pred, caller):
    """Return checked arrays and the function that scores the rows of one period."""
    if callable(metric):
        y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
        check_same_length(caller, y_true=y_true, y_pred=y_pred)
        return y_true, y_pred, metric
    if not isinstance(metric, str) or metric not in _NAMED:
        rule = f"one of {', '.join(map(repr, _NAMED))} or a callable"
        raise invalid("metric", caller, rule, metric)
    if metric == "accuracy":
        y_true, y_pred = label_pair(y_true, y_pred, caller)
        return y_true, y_pred, _accuracy
    y_true = label_array(y_true, caller, "y_true")
    if np.ndim(y_pred) == 2:
        cure = "For probabilities of two classes pass `y_pred[:, 1]`."
        raise invalid("y_pred", caller, "1-D scores", np.shape(y_pred), cure)
    y_pred = check_scores(y_pred, caller, name="y_pred", min_size=0)
    check_same_length(caller, y_true=y_true, y_pred=y_pred)
    classes = np.unique(y_true)
    if len(classes) > 2:
        raise ValueError(
            f"{caller} needs two classes for metric={metric!r}; y_true has "
            f"{len(classes)}. Pass a callable for more classes."
        )
    return y_true == classes[-1], y_pred, _gini if metric == "gini" else _auc


def score_of(score, y_true, y_pred, weight):
    """Return the metric of one period, nan where it is undefined."""
    if weight is None:
        settings = {}
    elif weight.sum() > 0:
        settings = {"sample_weight": weight}
    else:
        return _UNDEFINED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # counted once for all
        return float(score(y_true, y_pred, **settings))


def _accuracy(y_true, y_pred, sample_weight=None):
    return np.average(y_true == y_pred, weights=sample_weight)


def _auc(y_true, y_pred, sample_weight=None):
    seen = y_true if sample_weight is None else y_true[sample_weight > 0]
    if seen.all() or not seen.any():
        return _UNDEFINED
    return roc_auc_score(y_true, y_pred, sample_weight=sample_weight)


def _gini(y_true, y_pred, sample_weight=None):
    return 2 * _auc(y_true, y_pred, sample_weight) - 1
