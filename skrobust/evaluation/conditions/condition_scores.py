"""Scores of all conditions, of rows in memory or in batches."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from skrobust._containers import n_rows
from skrobust._parallel import alone
from skrobust._responses import predict_labels
from skrobust.base.changed_rows import is_clean
from skrobust.base.column_moments import ColumnMoments
from skrobust.base.table_change import (
    change_figures,
    joined_changes,
    touched_columns,
)
from skrobust.evaluation.conditions.answering_devices import moved_once, one_process
from skrobust.evaluation.conditions.condition_part import (
    PartKeys,
    clean_part,
    condition_part,
)
from skrobust.evaluation.conditions.default_scorer import scorer_of_answers
from skrobust.evaluation.conditions.recorded_answers import AnswersOfBatches
from skrobust.evaluation.core.failures import check_any_left, spread
from skrobust.evaluation.core.joined_batches import joined, joined_effect
from skrobust.metrics.labels import label_array, label_pair


@dataclass
class ConditionScores:
    """What was measured under each condition.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels or targets.
    clean_score : float
        Score on the clean rows.
    clean : ndarray of shape (n_samples,) or None
        Labels for the clean rows, for accuracy.
    score : ndarray of shape (n_conditions,)
        Scores.
    changed, distortion, unit : list of length n_conditions
        What the conditions did to the rows.
    correct, flipped : ndarray of shape (n_samples, n_conditions) or None
        For accuracy; of bool, and of float where conditions failed.
    figures : ndarray of shape (n_conditions, 8) or None
        Changes of a table.
    touched : ndarray of bool of shape (n_features,) or None
        Columns of a table that a condition changed.
    refused, words : list or None
        Shares of rows on which the model raises an error, and its words.
    errors : dict of int to Exception
        By the place of a condition that failed; its numbers are nan.
    """

    y: np.ndarray
    clean_score: float
    clean: np.ndarray | None
    score: np.ndarray
    changed: list
    distortion: list
    unit: list
    correct: np.ndarray | None = None
    flipped: np.ndarray | None = None
    figures: np.ndarray | None = None
    touched: np.ndarray | None = None
    refused: list | None = None
    words: list | None = None
    errors: dict = field(default_factory=dict)

    def places(self, n):
        """Return the places of those of n conditions that did not fail."""
        return [i for i in range(n) if i not in self.errors]

    def among(self, places, errors, n):
        """Put what was measured into its places among n conditions; others failed."""
        self.errors = errors
        if not errors:
            return self
        for name in ("score", "changed", "distortion", "refused"):
            if getattr(self, name) is not None:
                setattr(self, name, spread(getattr(self, name), places, n))
        if self.correct is not None:
            self.correct = spread(self.correct.T, places, n).T
            self.flipped = spread(self.flipped.T, places, n).T
        if self.figures is not None:
            # Nothing is known of the cells: no mean, of no column.
            figures = np.tile([np.nan, 0.0], (n, self.figures.shape[1] // 2))
            figures[places] = self.figures
            self.figures = figures
        return self


def scores_in_memory(estimator, X, y, conditions, scorer, units, store, caller, jobs):
    """Return the :class:`ConditionScores` of rows that are in memory."""
    keys = PartKeys(store)
    prefix = keys.prefix(estimator, X, y, scorer, units)
    X = moved_once(X, conditions, estimator)
    clean_score, clean = alone(clean_part, estimator, X, y, scorer, caller)
    data = X, y, scorer, clean, units, caller
    tasks = [
        (keys.key(prefix, c), condition_part, estimator, c, *data) for c in conditions
    ]
    with one_process(estimator):
        parts = store.run_all(tasks, **jobs, label="conditions")
    errors = {i: error for i, (_, error) in enumerate(parts) if error is not None}
    check_any_left(errors, _n_acting(conditions), caller)
    places = [i for i in range(len(parts)) if i not in errors]
    parts = [part for part, error in parts if error is None]
    effects = {
        k: [part[k] for part in parts] for k in ("changed", "distortion", "unit")
    }
    found = ConditionScores(y, clean_score, clean, None, **effects)
    if scorer is None:
        found.correct = np.stack([part["correct"] for part in parts], axis=1)
        found.score = found.correct.mean(axis=0)
        found.flipped = np.stack([part["flipped"] for part in parts], axis=1)
    else:
        found.score = np.array([part["score"] for part in parts])
    if all("figures" in part.dtype.names for part in parts):
        found.figures = np.array([part["figures"] for part in parts])
        found.touched = np.any([part["touched"] for part in parts], axis=0)
        if scorer is None:
            found.refused = [part["refused"] for part in parts]
            found.words = [part["words"] for part in parts]
    return found.among(places, errors, len(conditions))


def scores_over_batches(
    estimator, runs, conditions, scorer, units, store, caller, *, of_reference
):
    """Return the :class:`ConditionScores` of rows that come in batches.

    ``of_reference`` says whether the units of a table are those of other rows; without
    them they are those of all batches.
    """
    if scorer is not None:
        scorer = scorer_of_answers(scorer, estimator)
    prefix = PartKeys(store).prefix(estimator, (), (), scorer, units, "batches")
    moments = None if units is None or of_reference else ColumnMoments()
    if scorer is None:
        score, parts = _scores_of_labels, (units, caller)
    else:
        score, parts = _scores_of_answers, (scorer, units)

    def ready(X):
        if moments is not None:
            moments.update(X)
        return moved_once(X, conditions, estimator)

    with one_process(estimator):
        found, parts = score(estimator, runs, conditions, *parts, prefix, ready)
    if all("changes" in part.dtype.names for own in parts for part in own):
        sd = units.sd if moments is None else moments.sd
        changes = [joined_changes([part["changes"] for part in own]) for own in parts]
        found.figures = np.array([change_figures(one, sd) for one in changes])
        found.touched = np.any([touched_columns(one) for one in changes], axis=0)
    first = 0 if scorer is None else 1  # the clean rows
    errors = {i - first: error for i, error in runs.errors.items()}
    places = [i for i in range(len(conditions)) if i not in errors]
    return found.among(places, errors, len(conditions))


def _scores_of_labels(estimator, runs, conditions, units, caller, prefix, ready):
    """Return the scores of accuracy, and the parts by condition and batch."""
    cleans = []

    def tasks_of(X, y, clean):
        cleans.append(clean)
        data = X, y, None, clean, units, caller
        return [(condition_part, estimator, c, *data) for c in conditions]

    first = "labels of clean rows", partial(_plain_labels, estimator, caller)
    parts = runs.run(conditions, tasks_of, prefix, ready=ready, first=first)
    parts = _left(runs, parts, 0, conditions)
    clean = np.concatenate(cleans)
    y, labels = label_pair(runs.y, clean, caller)
    found = _with_effects(runs, parts, float((labels == y).mean()), clean)
    found.correct = np.stack([joined(own, "correct") for own in parts], axis=1)
    found.score = found.correct.mean(axis=0)
    found.flipped = np.stack([joined(own, "flipped") for own in parts], axis=1)
    if all("refused" in part.dtype.names for own in parts for part in own):
        shares = np.array([[part["refused"] for part in own] for own in parts])
        found.refused = np.average(shares, axis=1, weights=runs.sizes)
        words = [[str(part["words"]) for part in own] for own in parts]
        found.words = [next((w for w in own if w), "") for own in words]
    return found, parts


def _n_acting(conditions):
    """Return how many conditions are meant to change rows, at least 1."""
    return max(1, sum(not is_clean(condition) for condition in conditions))


def _left(runs, parts, first, conditions):
    """Return the parts of conditions that did not fail; ``first`` is their place."""
    check_any_left(runs.errors, _n_acting(conditions), runs.caller)
    return [part for i, part in enumerate(parts, first) if i not in runs.errors]


def _plain_labels(estimator, caller, X):
    # As objects a checkpoint could not keep them.
    return label_array(predict_labels(estimator, X), caller, "y_pred")


def _with_effects(runs, parts, clean_score, clean):
    effects = [joined_effect(own, runs.sizes) for own in parts]
    changed, distortion, unit = (list(one) for one in zip(*effects, strict=True))
    effects = {"changed": changed, "distortion": distortion, "unit": unit}
    return ConditionScores(runs.y, clean_score, clean, None, **effects)


def _scores_of_answers(estimator, runs, conditions, scorer, units, prefix, ready):
    """Return the scores of a scorer from the answers of the model to all batches."""
    answers = AnswersOfBatches(scorer, estimator, units, *runs.first)
    plain, moved = answers.clean_part, answers.condition_part  # sent once

    def tasks_of(X, y, _):
        return [(plain, X), *((moved, c, X, y) for c in conditions)]

    things = ["clean rows", *conditions]
    clean, *parts = runs.run(things, tasks_of, prefix, ready=ready, n_needed=1)
    parts = _left(runs, parts, 1, conditions)
    shape = getattr(runs.first[0], "shape", (n_rows(runs.first[0]),))
    value = partial(answers.score, y=runs.y, shape=(len(runs.y), *shape[1:]))
    found = _with_effects(runs, parts, value(clean), None)
    found.score = np.array([value(own) for own in parts])
    return found, parts
