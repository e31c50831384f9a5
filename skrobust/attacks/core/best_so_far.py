"""The best iterate so far of every sample of a batch."""

import numpy as np

from skrobust._norms import namespace, per_sample
from skrobust.attacks.core.losses import (
    log_odds_against,
    loss_and_slope,
    margin_against,
)


def probability(against):
    """Return the probability of a class from the log odds against it."""
    xp = namespace(against)
    return 1 / (1 + xp.exp(xp.clip(against, -80, 80)))


def values_of(logits):
    """Return logits without their graph."""
    return logits if isinstance(logits, np.ndarray) else logits.detach()


class Record:
    """The best iterate so far of every sample of a batch, over all runs.

    With the objective ``"misclassification"`` (``stops``) the score of an iterate is
    its margin, and a sample that is fooled is settled: it leaves, and keeps the iterate
    that fooled it first. Otherwise no sample is ever settled and the largest score
    counts: the shift of the probability of the class that was predicted for the clean
    sample or, for a targeted attack, the rise of that of the target.

    Parameters
    ----------
    view : NetView or LinearView
        The model.
    x : array or tensor of shape (n, ...)
        Clean rows.
    column : integer array or tensor of shape (n,), or None
        True classes (-1: unknown to the model); None takes the predicted ones. For a
        targeted attack, the targets.
    stops : bool
        Whether fooled samples leave.
    targeted : bool, default=False
        Whether ``column`` is to be reached instead of left.
    """

    def __init__(self, view, x, column, stops, *, targeted=False):
        xp = namespace(x)
        self.view, self.x, self.stops, self.targeted = view, x, stops, targeted
        # The graph of the clean pass is kept for one use: a first step from x.
        self._clean = view.forward(x)
        logits = values_of(self._clean[0])
        verdicts = view.verdicts(logits)
        scores = logits if stops else view.scores(x, logits)[0]
        self.predicted = xp.argmax(scores, 1)
        if column is None:
            column = xp.argmax(verdicts, 1)
        known = column >= 0
        self.column = xp.where(known, column, self.predicted)
        self.clean_scores = verdicts if stops else scores
        self.watched = self.column if targeted else self.predicted
        self.probability = None
        self.best, self._owns_best = x, False  # until something is kept
        self._known = known
        if stops:
            margin = margin_against(verdicts, self.column)
            self.score = -margin if targeted else margin
        else:
            against, _, _ = log_odds_against(scores, self.watched)
            self.probability = probability(against)
            self.score = xp.zeros_like(self.probability)
        self.n_flat = self.n_faint = 0
        self._passes = []

    @property
    def settled(self):
        """Which samples need no further attack."""
        if self.stops:
            return (self.score > 0) | ~self._known
        return namespace(self.x).zeros_like(self._known)

    def judge(self, z, logits, column, loss="log_odds", aim=None):
        """Return a loss against a class, its slope by the logits, and what decides.

        Parameters
        ----------
        z, logits : array or tensor
            Iterates and their logits.
        column, aim : integer array or tensor of shape (n,)
            The class, and for "targeted_dlr" where to.
        loss : str
            A key of ``LOSSES``.

        Returns
        -------
        value, slope, fell_back, margin
            See :func:`loss_and_slope`.
        scores : array or tensor of shape (n, n_classes)
            For misclassification those that decide the label, otherwise those behind
            the probabilities; the slope is by the logits all the same.
        """
        scores, inner = self.view.verdicts(logits), None
        if not self.stops:
            scores, inner = self.view.scores(z, logits)
        found = loss_and_slope(loss, scores, column, aim)
        value, slope, fell_back, margin = found
        slope = slope if inner is None else slope * inner
        return value, slope, fell_back, margin, scores

    def forward_clean(self, rows):
        """Return logits and pullback of clean rows, and the passes that it took."""
        if self._clean is None:
            return *self.view.forward(self.x[rows]), 1
        (logits, pullback), self._clean = self._clean, None
        if len(rows) == len(self.x):
            return logits, pullback, 0

        def pull_rows(slope):
            whole = namespace(slope).zeros_like(values_of(logits))
            whole[rows] = slope
            return pullback(whole)[rows]

        return logits[rows], pull_rows, 0

    def keep(self, rows, best, score):
        """Write down the best iterates of some rows."""
        if len(rows) == len(self.x):
            self.best, self.score, self._owns_best = best, score + 0, False
            return
        if not self._owns_best:
            self.best, self._owns_best = self.best + 0, True
        self.best[rows], self.score[rows] = best, score

    def doubtful(self, rough):
        """Return which rows a search in lower precision may have got wrong.

        They still stand, at its best iterates, by no more than the two precisions
        differ anywhere in the batch. What it claimed and does not hold is among them.
        """
        xp = namespace(self.x)
        stand = ~self.settled
        apart = xp.where(stand, xp.abs(self.score - rough.score), 0.0)
        apart = xp.amax(apart, 0)
        return stand & (self.score >= -apart)

    def settle_all_but(self, rows):
        """Leave only some rows (a mask) under attack."""
        self._known = self._known & rows

    def forget_clean_pass(self):
        """Let go of the graph of the clean pass."""
        self._clean = None

    def add_passes(self, other):
        """Count the passes of another record of the same rows too."""
        self._passes += other._passes
        self.count(namespace(self.x).where(self._known | ~self._known)[0], 1, 0)

    def take_back(self):
        """Under misclassification give rows back that nothing fooled."""
        if self.stops:
            fooled = per_sample(self.score > 0, self.x)
            self.best = namespace(self.x).where(fooled, self.best, self.x)

    def count(self, rows, forward, backward):
        """Note passes of some rows."""
        self._passes.append((rows, forward, backward))

    def passes(self):
        """Return the forward and backward passes of each sample, on the host."""
        forward = np.ones(len(self.x), dtype=np.int64)  # the clean pass
        backward = np.zeros(len(self.x), dtype=np.int64)
        for rows, n_forward, n_backward in self._passes:
            rows = self.view.host(rows)
            forward[rows] += n_forward
            backward[rows] += n_backward
        return forward, backward
