"""Scorers over batches, from the answers of the model to all rows."""

import numpy as np

from skrobust.evaluation.acted import part_of
from skrobust.evaluation.condition_table import perturb_rows
from skrobust.evaluation.untouched import change_fields

_METHODS = ("predict", "predict_proba", "decision_function")
_CALLER = "evaluate_perturbations"
_CURE = (
    "such a score is no function of labels and answers alone. Give rows in memory, or "
    "another scoring."
)


class AnswersOfBatches:
    """Scorer that is applied to the answers of a model once all rows were answered.

    Parameters
    ----------
    scorer : callable
        Takes a model, rows and labels, and asks the model once about these rows.
    estimator : fitted estimator
        The model.
    units : ColumnUnits or None
        Units in which changes of a table are told.
    X, y : array-like
        A first batch, of which the scorer tells what it asks.
    """

    def __init__(self, scorer, estimator, units, X, y):
        self.scorer, self.estimator, self.units = scorer, estimator, units
        asked = _model(estimator, Recorder(estimator, X))
        scorer(asked, X, y)
        self.method = asked.answers_.method
        if self.method is None:
            raise ValueError(f"{_CALLER}: {scorer!r} does not ask the model; {_CURE}")

    def clean_part(self, X):
        """Return the answers to clean rows."""
        answers = np.asarray(getattr(self.estimator, self.method)(X))
        return part_of(X, X, answers=answers)

    def condition_part(self, condition, X, y):
        """Return the answers to rows under a condition, and what it did to them."""
        moved = perturb_rows(condition, self.estimator, X, y, _CALLER)
        answers = np.asarray(getattr(self.estimator, self.method)(moved))
        change = change_fields(X, moved, self.units)
        return part_of(X, moved, answers=answers, **change)

    def score(self, parts, y, shape):
        """Return the score of the answers to all batches.

        ``shape`` is that of all rows, which are not there: only their shape is.
        """
        answers = np.concatenate([np.asarray(part["answers"]) for part in parts])
        rows = np.broadcast_to(np.zeros(1), shape)
        return float(self.scorer(_model(self.estimator, _Given(answers)), rows, y))


class Recorder:
    """Answers of a model to one batch, with the method that was asked."""

    def __init__(self, estimator, X):
        self.estimator, self.X, self.method = estimator, X, None

    def answer(self, method, X):
        """Return what the model answers, once and to these rows alone."""
        if X is not self.X or self.method is not None:
            raise ValueError(
                f"{_CALLER}: the scorer asks the model about other rows, or twice; "
                f"{_CURE}"
            )
        self.method = method
        return getattr(self.estimator, method)(X)


class _Given:
    """Answers that are given."""

    def __init__(self, answers):
        self.answers = answers

    def answer(self, method, X):
        """Return them."""
        return self.answers


def _model(estimator, answers):
    """Return a model of the kind of another one, whose answers come from elsewhere."""
    there = [name for name in _METHODS if hasattr(estimator, name)]
    methods = {name: _method(name) for name in there}
    kind = type(type(estimator).__name__, (type(estimator),), methods)
    model = kind.__new__(kind)
    vars(model).update(vars(estimator))
    model.answers_ = answers
    return model


def _method(name):
    def answer(self, X):
        return self.answers_.answer(name, X)

    answer.__name__ = name  # by which scikit-learn asks
    return answer
