"""Goals of attacks, the best iterate so far of each row, and batches under attack."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skrobust._norms import namespace, per_sample
from skrobust._validation import invalid
from skrobust.attacks.core.class_margins import (
    log_odds_against,
    margin_against,
    probability,
    soft_margin_against,
)

_OF_REGRESSORS = ("prediction_shift", "prediction_error")


@dataclass(frozen=True)
class Goal:
    """Goal of an attack, and the margin by which an iterate reaches it.

    ``"misclassification"`` scores an iterate by its margin and ``stops`` at the first
    success of a row. The others move a number as far as they can, and no row ever
    stops: the probability of the predicted class (``"probability_shift"``, ``"loss"``)
    or the prediction of a regressor (``"prediction_shift"``, ``"prediction_error"``).

    Parameters
    ----------
    objective : str
        One of the names above.
    targeted : bool, default=False
        Whether a label is to be reached instead of left; a probability then counts
        where it rises.
    """

    objective: str
    targeted: bool = False
    stops: bool = True  # whether a row is done at its first success
    moves_prediction: bool = False  # of a regressor

    @classmethod
    def of(cls, attack):
        """Return the goal of an attack on a classifier, or raise."""
        objective = attack.objective or "misclassification"
        if objective in _OF_REGRESSORS:
            rule = "one of the objectives of classifiers; this one is of regressors"
            raise invalid("objective", type(attack).__name__, rule, objective)
        is_targeted = attack.target is not None
        return cls(objective, is_targeted, objective == "misclassification")

    @classmethod
    def of_regressor(cls, attack, y):
        """Return the goal of an attack on a regressor, or raise."""
        caller = type(attack).__name__
        if attack.objective not in (None, *_OF_REGRESSORS):
            rule = "None, 'prediction_shift' or 'prediction_error' for a regressor"
            raise invalid("objective", caller, rule, attack.objective)
        if attack.target is not None:
            raise invalid("target", caller, "None for a regressor", attack.target)
        if attack.objective == "prediction_error":
            if y is None:
                raise ValueError(f"{caller} needs y for objective='prediction_error'.")
            if np.asarray(y).dtype.kind not in "iufb":
                raise ValueError(
                    f"{caller} needs numbers as the targets y of a regressor."
                )
        return cls(attack.objective or "prediction_shift", False, False, True)

    def is_reached(self, labels, label):
        """Say where predicted labels are a success against, or for, a label."""
        return (labels == label) if self.targeted else (labels != label)

    def move(self, rise):
        """Return by how much a number was moved, from its rise."""
        return rise if self.targeted else abs(rise)


@dataclass(eq=False)
class BestSoFar:
    """The best iterate so far of each row, over all runs, and the passes it took.

    Parameters
    ----------
    iterate : array or tensor of shape (n, ...)
        Where every row begins.
    score : array or tensor of shape (n,)
        Scores of these; larger is better.
    stops : bool, default=False
        Whether a row whose score is above 0 keeps what it has.
    """

    iterate: Any
    score: Any
    stops: bool = False
    passes: list = field(default_factory=list)  # of (rows, forward, backward)
    _owns_iterate: bool = False  # until something is kept

    def update(self, z, score, rows=None, *, better=None):
        """Keep iterates of some rows (None: all) where their score is larger.

        With ``better`` a mask says where instead; True is everywhere.
        """
        whole = rows is None or len(rows) == len(self.score)
        if better is not True:
            xp, iterate, before = namespace(z), self.iterate, self.score
            if not whole:
                iterate, before = iterate[rows], before[rows]
            if better is None:
                better = score > before
                if self.stops:  # what fooled first stays until the row has left
                    better = better & (before <= 0)
            z = xp.where(per_sample(better, z), z, iterate)
            score = xp.where(better, score, before)
        if whole:
            self._owns_iterate = better is not True
            self.iterate, self.score = z, score if self._owns_iterate else score + 0
            return
        if not self._owns_iterate:
            self.iterate, self._owns_iterate = self.iterate + 0, True
        self.iterate[rows], self.score[rows] = z, score


class Batch(BestSoFar):
    """The rows of a batch: their goal, their classes, and the best iterate of each.

    Parameters
    ----------
    view : NetView, LinearView or PipelineView
        The model.
    x : array or tensor of shape (n, ...)
        Clean rows.
    goal : Goal
        What is to be achieved.
    reference : array or tensor of shape (n,), or None
        Index of the true class (-1: unknown to the model) or of the target; None takes
        the predicted one. Of a regressor, where the prediction is moved away from;
        None takes the clean prediction.
    """

    def __init__(self, view, x, goal, reference):
        self.view, self.x, self.goal = view, x, goal
        self.n_zero_gradients = self.n_underflowed = 0
        # The graph of the clean pass is kept for one use: a first step from x.
        self.clean_pass = view.forward(x)
        xp, logits = namespace(x), self.clean_pass[0]
        logits = logits if xp is np else logits.detach()
        self.known = xp.ones_like(logits[:, 0]) > 0
        if goal.moves_prediction:
            clean = logits[:, 0]
            self.label = self.predicted = None
            self.anchor = clean if reference is None else reference
            super().__init__(x, xp.abs(clean - self.anchor))
            return
        decisions = view.decision_scores(logits)
        scores = decisions if goal.stops else view.scores(x, logits)[0]
        self.predicted = xp.argmax(logits if goal.stops else scores, 1)
        if reference is None:
            reference = xp.argmax(decisions, 1)
        self.known = reference >= 0
        self.label = xp.where(self.known, reference, self.predicted)
        self.clean_scores = scores
        # Of the clean sample, the class whose probability is moved.
        self.shifted_class = self.label if goal.targeted else self.predicted
        if goal.stops:
            margin = margin_against(scores, self.label)
            super().__init__(x, -margin if goal.targeted else margin, stops=True)
        else:
            against, _, _ = log_odds_against(scores, self.shifted_class)
            self.anchor = probability(against)
            super().__init__(x, xp.zeros_like(self.anchor))

    def judge(self, z, logits, label, loss=None, target=None):
        """Return a loss, its slope by the logits, which underflowed, and the scores.

        Rows may have left only where the goal stops; then the loss is against the label
        that decides. None is the soft margin there, and elsewhere the log odds, which
        move a probability. Losses are of the scores that decide the
        label or, where a probability is moved, of those behind it; slopes are by the
        logits all the same.
        """
        xp, goal = namespace(logits), self.goal
        if goal.moves_prediction:
            value = logits[:, 0]
            return value, xp.ones_like(logits), None, xp.abs(value - self.anchor)
        scores, inner = self.view.decision_scores(logits), None
        if not goal.stops:
            scores, inner = self.view.scores(z, logits)
        if loss is None:
            against = soft_margin_against if goal.stops else log_odds_against
            value, slope, margin = against(scores, label)
            underflowed = None
        else:
            value, slope, underflowed, margin = loss(scores, label, target)
        if inner is not None:
            slope = slope * inner
        if goal.stops:
            margin = margin_against(scores, label) if margin is None else margin
            margin = -margin if goal.targeted else margin
            return value, slope, underflowed, margin
        against = value
        if label is not self.shifted_class or loss is not None:
            against, _, _ = log_odds_against(scores, self.shifted_class)
        return value, slope, underflowed, goal.move(probability(against) - self.anchor)

    def forward_clean(self, rows):
        """Return logits and pullback of clean rows, and the passes that it took."""
        if self.clean_pass is None:
            return *self.view.forward(self.x[rows]), 1
        (logits, pullback), self.clean_pass = self.clean_pass, None
        if len(rows) == len(self.x):
            return logits, pullback, 0

        def pull_rows(slope):
            whole = namespace(slope).zeros_like(logits)
            whole[rows] = slope
            return pullback(whole)[rows]

        return logits[rows], pull_rows, 0

    def take_back(self):
        """Under misclassification give rows back that nothing fooled."""
        if self.goal.stops:
            fooled = per_sample(self.score > 0, self.x)
            self.iterate = namespace(self.x).where(fooled, self.iterate, self.x)
