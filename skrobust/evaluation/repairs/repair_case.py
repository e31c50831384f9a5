"""Case of a repair: what is known of the model, and what its repairs need."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from skrobust._containers import is_frame
from skrobust.evaluation.repairs.column_places import speaks_of_places
from skrobust.evaluation.repairs.fragile_columns import column_names


class Candidate(NamedTuple):
    """A repair that may help: its kind, its name, and the unfitted estimator."""

    kind: str
    name: str
    estimator: Any


class Case(NamedTuple):
    """What is known of a model that shall be repaired.

    Parameters
    ----------
    model : classifier
        Unfitted, or inside of FrozenEstimator.
    X, y : array-like
        The rows that fit.
    weak : list of (str, object)
        Names and conditions that cost accuracy, the worst first; fitted.
    milder : list of (str, object)
        Three that cost less, where there are many.
    attacks : list of object
        Attacks, if any.
    fragile : list of (column, float)
        From :func:`~skrobust.evaluation.repairs.fragile_columns.fragile_columns`.
    numbers : list
        Columns of numbers.
    has_gaps : bool
        Whether values are missing, in the rows or under a condition.
    n_predictions : int
        Rows that a candidate is asked for in all.
    most_predictions : float
        Predictions that smoothing may take.
    seed : int
        Seed of what a repair draws.
    """

    model: Any
    X: Any
    y: np.ndarray
    weak: list
    milder: list
    attacks: list
    fragile: list
    numbers: list
    has_gaps: bool
    n_predictions: int
    most_predictions: float
    seed: int

    @property
    def is_frozen(self):
        """Whether the model may not be fitted again."""
        parts = [self.model]
        if hasattr(self.model, "get_params"):
            parts += self.model.get_params().values()
        return any(type(part).__name__ == "FrozenEstimator" for part in parts)

    @property
    def is_table(self):
        """Whether the rows are a table of columns."""
        return column_names(self.X) is not None

    def behind(self, name, step):
        """Return the model behind one more step."""
        return Pipeline([(name, step), ("model", self.model)])

    def on_numbers(self, step):
        """Return a step of scikit-learn that acts on the columns of numbers alone."""
        if len(self.numbers) < len(column_names(self.X)):
            parts = [("numbers", step, self.numbers)]
            settings = {"remainder": "passthrough", "verbose_feature_names_out": False}
            step = ColumnTransformer(parts, **settings)
        if is_frame(self.X):
            is_pandas = hasattr(self.X, "iloc")
            step.set_output(transform="pandas" if is_pandas else "polars")
        return step


class SkipError(ValueError):
    """Why a kind of repair does not suit a case."""


def need(condition, reason):
    """Raise the reason unless the condition holds."""
    if not condition:
        raise SkipError(reason)


def need_numbers(case):
    """Raise unless there are columns of numbers that a step may act on."""
    need(case.is_table and case.numbers, "There are no columns of numbers.")
    mixed = len(case.numbers) < len(column_names(case.X))
    text = "The model chooses columns by position, which a step before it would move."
    need(not (mixed and speaks_of_places(case.model)), text)


def need_weakness(case):
    """Raise unless a condition costs accuracy."""
    need(case.weak, "No condition costs accuracy.")


def need_fit(case):
    """Raise for a frozen model."""
    need(not case.is_frozen, "A frozen model is not fitted again.")
