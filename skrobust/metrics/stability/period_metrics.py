"""Metrics of one period of time."""

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

from skrobust._array_checks import check_same_length, check_scores, refuse_missing
from skrobust._containers import one_per_row, shape_of
from skrobust._validation import invalid
from skrobust.metrics.callable_metrics import read_callable
from skrobust.metrics.labels import label_array, label_pair
from skrobust.metrics.registry import find_metric, get_metric, metric_names
from skrobust.metrics.undefined import warn_undefined

_OF_SCORES = ("gini", "roc_auc")
_UNDEFINED = float("nan")


def named_metric(metric, y_true, y_pred, caller):
    """Return checked arrays and the function that scores the rows of one period."""
    if callable(metric) and find_metric(metric) is None:
        made = read_callable(metric, caller)
        y_true, y_pred = one_per_row(y_true), one_per_row(y_pred)
        for name, values in (("y_true", y_true), ("y_pred", y_pred)):
            refuse_missing(values, caller, name)
        check_same_length(caller, y_true=y_true, y_pred=y_pred)
        function = made.of_arrays((y_true, y_pred), caller)
        return y_true, y_pred, function if made.sign > 0 else _negative(function)
    if callable(metric):
        metric = find_metric(metric).name
    of_labels = metric_names(needs={"labels"}, objective=None)
    known = [*of_labels, *_OF_SCORES]
    if not isinstance(metric, str) or metric not in known:
        rule = f"one of {', '.join(map(repr, known))} or a callable"
        raise invalid("metric", caller, rule, metric)
    if metric in of_labels:
        y_true, y_pred = label_pair(y_true, y_pred, caller)
        return y_true, y_pred, get_metric(metric).function
    y_true = label_array(y_true, caller, "y_true")
    if len(shape_of(y_pred, "y_pred", caller)) == 2:
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


def _negative(function):
    """Return a loss with its sign changed, so that greater is better."""

    def value(*data, **options):
        return -function(*data, **options)

    return value


def takes_scores(metric):
    """Say whether a metric takes scores of the second class instead of labels."""
    return isinstance(metric, str) and metric in _OF_SCORES


def period_values(score, y_true, y_pred, rows, weight):
    """Return the metric of each period, nan where it is undefined."""
    weights = [None if weight is None else weight[i] for i in rows]
    parts = zip(rows, weights, strict=True)
    return np.array([_score_of(score, y_true[i], y_pred[i], w) for i, w in parts])


def _score_of(score, y_true, y_pred, weight):
    if weight is not None and not weight.any():
        return _UNDEFINED
    settings = {} if weight is None else {"sample_weight": weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # counted once for all
        return float(score(y_true, y_pred, **settings))


def _auc(y_true, y_pred, sample_weight=None):
    seen = y_true if sample_weight is None else y_true[sample_weight > 0]
    if seen.all() or not seen.any():
        return _UNDEFINED
    return roc_auc_score(y_true, y_pred, sample_weight=sample_weight)


def _gini(y_true, y_pred, sample_weight=None):
    return 2 * _auc(y_true, y_pred, sample_weight) - 1


def report_left_out(distinct, counts, undefined, caller):
    """Warn once, or raise, when periods are left out."""
    n_out = int((~counts).sum())
    text = ""
    if n_out:
        text = (
            f"{n_out} of {len(counts)} periods, in which the metric is undefined (one "
            f"class only, or no weight); the first is {distinct[~counts][0]}."
        )
        if undefined == "raise":
            raise ValueError(f"{caller} found {text}")
        text = f"{caller} leaves out {text} "
    if counts.sum() < 2:
        text += f"{caller} is undefined for fewer than two periods; it is set to nan."
    if text:
        warn_undefined(text.rstrip())
