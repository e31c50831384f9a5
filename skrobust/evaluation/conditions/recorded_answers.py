"""Scorers over batches, from the answers of the model to all rows."""

import warnings

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from skrobust._containers import n_rows
from skrobust._responses import one_a_row, respond
from skrobust.evaluation.conditions.condition_part import answers_named
from skrobust.evaluation.conditions.untouched import change_fields
from skrobust.evaluation.core.acted import part_of
from skrobust.evaluation.core.condition_table import perturb_rows
from skrobust.metrics.labels import label_array

_METHODS = ("predict", "predict_proba", "decision_function")
_CALLER = "evaluate_perturbations"
_CURE = (
    "such a score is no function of labels and answers alone. Give rows in memory, or "
    "another scoring, such as the name 'r2' or 'neg_log_loss'."
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
        shape = getattr(X, "shape", None) or (n_rows(X),)
        recorder = Recorder(estimator, X, _UnreadRows(shape))
        try:
            named = answers_named(scorer, estimator, _CALLER)
            with named, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they are of one batch alone
                scorer(_model(estimator, recorder), recorder.rows, y)
        except _NotOfAnswers:
            raise
        except Exception:  # of one batch, such as one that lacks a class
            if recorder.method is None:
                raise
        self.method = recorder.method
        if self.method is None:
            raise _NotOfAnswers(
                f"{_CALLER}: {scorer!r} does not ask the model; {_CURE}"
            )

    def clean_part(self, X):
        """Return the answers to clean rows."""
        return part_of(X, X, answers=self._answers(X))

    def _answers(self, X):
        found = one_a_row(self.estimator, self.method, X)
        if found.dtype.kind != "O":
            return found
        return label_array(found, _CALLER, "y_pred")  # as a checkpoint can keep them

    def condition_part(self, condition, X, y):
        """Return the answers to rows under a condition, and what it did to them."""
        moved = perturb_rows(condition, self.estimator, X, y, _CALLER)
        change = change_fields(X, moved, self.units)
        return part_of(X, moved, answers=self._answers(moved), **change)

    def score(self, parts, y, shape):
        """Return the score of the answers to all batches.

        ``shape`` is that of all rows, which are not there: only their shape is.
        """
        answers = np.concatenate([np.asarray(part["answers"]) for part in parts])
        given = _model(self.estimator, _Given(answers))
        return float(self.scorer(given, _UnreadRows(shape), y))


class _NotOfAnswers(ValueError):
    """A score that is no function of labels and answers."""


class _UnreadRows(NDArrayOperatorsMixin):
    """Rows that have a shape, and whose content a scorer must not read."""

    def __init__(self, shape):
        self.shape = tuple(shape)

    @property
    def ndim(self):
        return len(self.shape)

    def __len__(self):
        return int(self.shape[0])

    def __getattr__(self, name):
        if name.startswith("__"):  # protocols that rows may lack
            raise AttributeError(name)
        raise self._read()

    def __array__(self, dtype=None, copy=None):
        raise self._read()

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        raise self._read()

    def __getitem__(self, key):
        raise self._read()

    def __iter__(self):
        raise self._read()

    @staticmethod
    def _read():
        return _NotOfAnswers(f"{_CALLER}: the scorer reads the rows; {_CURE}")


class Recorder:
    """Answers of a model to one batch, with the method that was asked."""

    def __init__(self, estimator, X, rows):
        self.estimator, self.X, self.rows, self.method = estimator, X, rows, None

    def answer(self, method, X):
        """Return what the model answers, once and to these rows alone."""
        if X is not self.rows or self.method is not None:
            raise _NotOfAnswers(
                f"{_CALLER}: the scorer asks the model about other rows, or twice; "
                f"{_CURE}"
            )
        self.method = method
        return respond(self.estimator, method, self.X)


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
