"""Batch under attack: goal, classes, and the best iterate of each row."""

import numpy as np

from skrobust._norms import namespace, per_sample
from skrobust.attacks.core.goal import (
    BestSoFar,
    log_odds_against,
    margin_against,
    probability,
)
from skrobust.attacks.core.losses import loss_and_slope


class Batch(BestSoFar):
    """The rows of a batch: their goal, their classes, and the best iterate of each.

    Parameters
    ----------
    view : NetView, LinearView or PipelineView
        The model.
    x : array or tensor of shape (n, ...)
        Clean rows.
    goal : Goal
        Goal of the attack.
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
        self.watched = self.label if goal.targeted else self.predicted
        if goal.stops:
            _, _, margin = log_odds_against(scores, self.label)
            super().__init__(x, goal.margin(margin))
        else:
            against, _, _ = log_odds_against(scores, self.watched)
            self.anchor = probability(against)
            super().__init__(x, xp.zeros_like(self.anchor))

    @property
    def done(self):
        """Mask of the rows that need no further attack."""
        if self.goal.stops:
            return (self.score > 0) | ~self.known
        return namespace(self.x).zeros_like(self.known)

    def judge(self, z, logits, label, loss="log_odds", target=None):
        """Return a loss, its slope by the logits, which underflowed, and the scores.

        Rows may have left only where the goal stops; then the loss is against the label
        that decides. Losses are of the scores that decide the label or, where a
        probability is moved, of those behind it; slopes are by the logits all the same.
        """
        xp, goal = namespace(logits), self.goal
        if goal.moves_prediction:
            value = logits[:, 0]
            return value, xp.ones_like(logits), None, xp.abs(value - self.anchor)
        scores, inner = self.view.decision_scores(logits), None
        if not goal.stops:
            scores, inner = self.view.scores(z, logits)
        if loss == "log_odds":
            value, slope, margin = log_odds_against(scores, label)
            underflowed = None
        else:
            found = loss_and_slope(loss, scores, label, target)
            value, slope, underflowed, margin = found
        if inner is not None:
            slope = slope * inner
        if goal.stops:
            margin = margin_against(scores, label) if margin is None else margin
            return value, slope, underflowed, goal.margin(margin)
        against = value
        if label is not self.watched or loss != "log_odds":
            against, _, _ = log_odds_against(scores, self.watched)
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

    def add_passes(self, other):
        """Count the passes of another search of the same rows, and its judgement."""
        self.passes += other.passes
        rows = namespace(self.x).where(self.known | ~self.known)[0]
        self.passes.append((rows, 1, 0))
        self.n_zero_gradients += other.n_zero_gradients
        self.n_underflowed += other.n_underflowed

    def leave_only_doubtful(self, rough):
        """Leave only rows that a search in reduced precision may have got wrong.

        They still stand, at its best iterates, by no more than the two precisions
        differ anywhere in the batch. What it claimed and does not hold is among them.
        """
        xp, stand = namespace(self.x), ~self.done
        apart = xp.where(stand, xp.abs(self.score - rough.score), 0.0)
        self.known = self.known & stand & (self.score >= -xp.amax(apart, 0))

    def moved(self, values):
        """Return the best iterates on the host, in the dtype of the clean values."""
        moved = self.view.host(self.iterate)
        if moved.dtype == values.dtype:
            shares = np.may_share_memory(moved, values)
            return moved.copy() if shares else moved
        # What did not move stays bit for bit, whatever the precision.
        still = moved == self.view.host(self.x)
        return np.where(still, values, moved)

    def take_back(self):
        """Under misclassification give rows back that nothing fooled."""
        if self.goal.stops:
            fooled = per_sample(self.score > 0, self.x)
            self.iterate = namespace(self.x).where(fooled, self.iterate, self.x)
