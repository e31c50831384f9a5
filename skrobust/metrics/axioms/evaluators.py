"""Values of metrics and scorers on the cases of an audit."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.metrics import get_scorer_names as sklearn_names

from skrobust._validation import invalid
from skrobust.metrics.callable_metrics import is_scorer, read_callable
from skrobust.metrics.registry import find_metric, metric_names

N_PERIODS = 6
_CLASSES = "classification"
_SURE = 0.9  # probability of a predicted class


class Reader(ClassifierMixin, BaseEstimator):
    """Classifier whose prediction is the level of the first feature.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels; the first feature in [0, 1] is cut into as many equal levels.
    """

    def __init__(self, classes):
        self.classes = classes

    @property
    def classes_(self):
        """Return the labels."""
        return self.classes

    def fit(self, X, y):
        """Return itself, since nothing is learned."""
        return self

    def predict(self, X):
        """Return the label of each row."""
        return self.classes[self._level(X)]

    def predict_proba(self, X):
        """Return a high probability for the predicted label."""
        return _probabilities(self._level(X), len(self.classes))

    def _level(self, X):
        level = np.floor(np.asarray(X)[:, 0] * len(self.classes)).astype(int)
        return np.clip(level, 0, len(self.classes) - 1)


class NumberReader(RegressorMixin, BaseEstimator):
    """Regressor whose prediction is a linear function of the first feature."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def fit(self, X, y):
        """Return itself, since nothing is learned."""
        return self

    def predict(self, X):
        """Return the value of each row."""
        return self.low + (self.high - self.low) * np.asarray(X)[:, 0]


def find_evaluator(metric, task, greater_is_better, params, caller):
    """Return the function of a case, and the needs and the task of the metric.

    Parameters
    ----------
    metric : str or callable
        As in :func:`metric_axioms`.
    task : str or None
        Task; None: that of the metric, or classification.
    greater_is_better : bool or None
        Direction of a plain function; None: its name tells it.
    params : dict
        Options of the metric.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    value : callable
        Takes a case and returns a float, greater is better.
    needs : frozenset
        As in ``MetricSpec``; with "model" for a scorer.
    task : str
        Task.
    """
    spec = find_metric(metric)
    if spec is not None:
        task = task or spec.task
        sign = 1 if spec.greater_is_better else -1
        if "tolerance" in spec.needs:
            params = {"tolerance": 0.1, **params}
        data = _data_of(spec.needs)

        def value(case):
            if "outcomes" in spec.needs:
                raise ValueError("it takes summaries of samples under conditions")
            options = dict(params)
            if "n_features" in spec.needs:
                options = {"n_features": case.n_features, **options}
                options = {"n_samples": len(case.y), **options}
            return sign * spec.function(*data(case), **options)

        return value, spec.needs, task
    if isinstance(metric, str) and metric in sklearn_names():
        metric = sklearn_scorer(metric)
    if callable(metric) and is_scorer(metric):
        return _of_scorer(metric, params), frozenset({"model"}), task or _CLASSES
    if not callable(metric):
        names = ", ".join(metric_names())
        rule = f"a metric, a scorer, a name of a scorer of scikit-learn or of {names}"
        raise invalid("metric", caller, rule, metric)

    made = read_callable(
        partial(metric, **params), caller, greater_is_better=greater_is_better
    )
    if made.response != "predict":

        def value_of_model(case):
            X, model = _model_of(case)
            return made.of_rows(model, X, case.y, None, caller)

        return value_of_model, frozenset({"model"}), task or _CLASSES

    def value_of_labels(case):
        return made.sign * made.metric(case.y, case.predicted[0])

    return value_of_labels, frozenset({"labels"}), task or _CLASSES


def _data_of(needs):
    """Return the function that makes the data of a metric from a case."""
    if "conditions" in needs:
        return lambda case: ((case.predicted == case.y).mean(axis=1),)
    if "periods" in needs:
        return lambda case: (_period_scores(case),)
    if "probabilities" in needs:
        if "clean" in needs:
            return lambda case: (_of_labels(case, 0), _of_labels(case, 1))
        return lambda case: (case.y, _of_labels(case, 0))
    if "clean" in needs:
        return lambda case: (case.predicted[0], case.predicted[1])
    return lambda case: (case.y, case.predicted[0])


def _period_scores(case):
    if case.scores is not None:
        return case.scores
    blocks = np.array_split(case.predicted[0] == case.y, N_PERIODS)
    return np.array([block.mean() for block in blocks])


def _of_labels(case, row):
    labels = np.unique(np.append(case.y, case.predicted))
    codes = np.searchsorted(labels, case.predicted[row])
    return _probabilities(codes, max(len(labels), 2))


def _probabilities(codes, n_classes):
    p = np.full((len(codes), n_classes), (1 - _SURE) / (n_classes - 1))
    p[np.arange(len(codes)), codes] = _SURE
    return p


def _of_scorer(scorer, params):
    def value(case):
        X, model = _model_of(case)
        return scorer(model, X, case.y, **params)

    return value


def _model_of(case):
    """Return rows in [0, 1] and a model with the predictions of a case."""
    predicted = case.predicted[0]
    rows = np.arange(len(case.y)) if case.rows is None else case.rows
    X = np.random.default_rng(0).random((case.n_features, rows.max() + 1)).T[rows]
    if case.y.dtype.kind == "f":
        both = np.append(case.y, predicted)
        low, high = both.min(), both.max()
        X[:, 0] = (predicted - low) / ((high - low) or 1.0)
        return X, NumberReader(low, high)
    labels = np.unique(np.append(case.y, predicted))
    if len(labels) == 1:
        labels = np.append(labels, labels[0] + 1)
    X[:, 0] = (np.searchsorted(labels, predicted) + 0.5) / len(labels)
    return X, Reader(labels)
