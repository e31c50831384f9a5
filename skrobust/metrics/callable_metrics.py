"""Metrics that are given as callables: what they take, and which way is better.

Scorers of scikit-learn state both. Of functions the name tells the direction, as in
scikit-learn: ``..._score`` is to be maximised, ``..._loss``, ``..._error``,
``..._deviance`` and ``..._distance`` to be minimised; and the second parameter tells
the response: ``y_score``, ``y_proba`` and ``pred_decision`` are no labels. Other
functions are refused where direction or response matter.
"""

import inspect
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer
from sklearn.utils.multiclass import type_of_target

from skrobust._responses import (
    check_net_input,
    predict_labels,
    predict_probabilities,
    respond,
    score_guarded,
    unwrap,
)
from skrobust._validation import invalid

_SMALLER = ("_loss", "_error", "_deviance", "_distance")
_RESPONSES = {
    "y_score": "scores",
    "pred_decision": "scores",
    "y_proba": "predict_proba",
    "y_prob": "predict_proba",
}
# Their second parameter has other names in some versions, or takes more than one kind.
_OF_PROBABILITIES = {
    "brier_score_loss",
    "d2_brier_score",
    "d2_log_loss_score",
    "log_loss",
    "top_k_accuracy_score",
}


@dataclass(frozen=True)
class CallableMetric:
    """Metric that is a function of ``(y_true, answers)``, or a scorer.

    Parameters
    ----------
    metric : callable
        As the user gave it.
    name : str
        For results and messages.
    response : {"predict", "predict_proba", "scores"} or None
        What it takes of a model; None: a scorer asks the model itself.
    sign : {1, -1}
        -1 where smaller is better.
    """

    metric: object
    name: str
    response: str | None
    sign: int

    def of_rows(self, estimator, X, y, sample_weight, caller, predicted=None):
        """Return the value of a model on rows, greater is better.

        ``predicted`` are its labels for them, where they are known.
        """
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        if self.response is None:
            score = partial(self.metric, **weight)
            return score_guarded(score, estimator, X, y)
        answers = predicted
        if self.response != "predict" or predicted is None:
            answers = response_values(estimator, X, self.response, caller)
        return self.sign * self.metric(y, answers, **weight)

    def of_arrays(self, data, caller):
        """Return the function of arrays such as ``data``: true values and answers."""
        if self.response is not None:
            return self.metric
        if not isinstance(self.metric, _SCORER) or len(data) != 2:
            rule = "a function, or a scorer of scikit-learn with true and other values"
            raise invalid("metric", caller, f"{rule}, for arrays", self.name)
        y_true = np.asarray(data[0])
        is_class = type_of_target(y_true) in ("binary", "multiclass")
        classes = np.unique(y_true) if is_class else None

        def value(y_true, answers, sample_weight=None):
            model = _given_answers(np.asarray(answers), classes)
            weight = {} if sample_weight is None else {"sample_weight": sample_weight}
            return self.metric(model, np.empty((len(y_true), 1)), y_true, **weight)

        return value


def mean_score(values):
    """Return the mean of values of which greater is better, for comparisons."""
    return float(np.mean(values))


def mean_error(values):
    """Return the mean of values of which smaller is better, for comparisons."""
    return float(np.mean(values))


def is_scorer(metric):
    """Return whether a callable takes a model and rows, as scorers do."""
    return _needed(metric)[:1] in (["estimator"], ["model"])


def is_function_of_answers(metric):
    """Return whether a callable takes two arrays, which a scorer never does."""
    return len(_needed(metric)) == 2 and not is_scorer(metric)


def _needed(metric):
    """Return the names of the parameters without a default."""
    try:
        parameters = inspect.signature(metric).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in kinds and p.default is p.empty]


def read_callable(metric, caller, *, name="metric", greater_is_better=None):
    """Return a callable as a :class:`CallableMetric`, or raise where it is not clear.

    Parameters
    ----------
    metric : callable
        A scorer, or a function of ``(y_true, answers)``, also inside of a partial.
    caller, name : str
        The function and the parameter that an error names.
    greater_is_better : bool, default=None
        Direction of a function; None: its name tells it.
    """
    if is_scorer(metric):
        return CallableMetric(metric, name_of(metric), None, 1)
    called = name_of(metric)
    if greater_is_better is None:
        greater_is_better = direction_of(metric, caller, name=name)
    sign = 1 if greater_is_better else -1
    return CallableMetric(metric, called, response_of(metric), sign)


def direction_of(metric, caller, *, name="metric"):
    """Return whether greater values of a callable are better, or raise."""
    called = name_of(metric)
    # The second is the one name in scikit-learn without a suffix.
    if is_scorer(metric) or called.endswith(("_score", "matthews_corrcoef")):
        return True
    if is_loss(metric):
        return False
    raise ValueError(
        f"The {name!r} parameter of {caller} must say which way is better: a scorer, "
        "or a function whose name ends in _score, or in _loss or _error. Got "
        f"{called} instead. Wrap it: sklearn.metrics.make_scorer(function, "
        "greater_is_better=..., response_method=...)."
    )


def is_loss(metric):
    """Return whether the name of a function says that smaller values are better."""
    return not is_scorer(metric) and name_of(metric).endswith(_SMALLER)


def response_of(metric):
    """Return what a function takes: "predict", "predict_proba" or "scores"."""
    function = getattr(metric, "func", metric)
    if name_of(function) in _OF_PROBABILITIES:
        return "predict_proba"
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    return _RESPONSES.get(names[1] if len(names) > 1 else "", "predict")


def response_values(estimator, X, response, caller):
    """Return labels, probabilities or scores of a model, of the second class of two.

    ``response`` may be "decision_function", too; "scores" is that, or else
    probabilities.
    """
    if response == "predict":
        return predict_labels(estimator, X)
    if response != "predict_proba" and hasattr(estimator, "decision_function"):
        check_net_input(estimator, X)
        return np.asarray(respond(estimator, "decision_function", X))
    if response == "decision_function":
        model = type(unwrap(estimator)[1]).__name__
        raise ValueError(f"{caller} needs decision_function; {model} has none.")
    p = predict_probabilities(estimator, X, caller)
    return p[:, 1] if p.shape[1] == 2 else p


def name_of(metric):
    """Return the name of a callable, of the function inside of a partial."""
    function = getattr(metric, "func", metric)
    return getattr(function, "__name__", None) or repr(metric)


class _Labels(RegressorMixin, BaseEstimator):
    """Model whose answers are given."""

    def __init__(self, answers, classes_=None):
        self.answers, self.classes_ = answers, classes_

    def predict(self, X):
        """Return them."""
        return self.answers


class _Probabilities(ClassifierMixin, _Labels):
    """Classifier whose answers are given."""

    def predict_proba(self, X):
        """Return them, both columns of one."""
        p = self.answers
        return p if p.ndim == 2 else np.column_stack([1 - p, p])


class _Scores(_Probabilities):
    """Classifier whose answers in one column may be scores."""

    def decision_function(self, X):
        """Return them."""
        return self.answers


def _given_answers(answers, classes):
    kind = _Labels
    if classes is not None:
        kind = _Scores if answers.ndim == 1 else _Probabilities
    return kind(answers, classes)


_SCORER = type(get_scorer("accuracy"))
