"""Answers of a sampler: told, corrected and skipped."""

import numpy as np

from skrobust.sampling.core.answer_checks import (
    FAILED,
    OPEN,
    PASSED,
    SKIPPED,
    UNASKED,
    answer_list,
    check_ids,
    one_kind,
    outcomes_of,
)


class Answers:
    """Status and true label of each input, with a log of questions and answers.

    Parameters
    ----------
    n_pool : int
        Size of the pool.
    loss : Loss
        Range of the losses, and the function that gives them, if any.

    Attributes
    ----------
    status : ndarray of shape (n_pool,), int8
        UNASKED, OPEN, PASSED, FAILED or SKIPPED; a loss above the least one is FAILED.
    labels : dict of int to object
        True labels, by position, where they were told.
    losses : dict of int to float
        Losses above the least one, by position, scaled to [0, 1]; empty unless losses
        are told.
    of_losses : bool
        Whether the answers are losses.
    events : list
        Each ``ask``, ``tell`` and ``correct`` as plain data, in order.
    """

    def __init__(self, n_pool, loss):
        self.status = np.full(n_pool, UNASKED, dtype=np.int8)
        self.labels, self.losses, self.events = {}, {}, []
        self.loss, self.of_losses = loss, loss.is_declared
        self._is_settled = False  # whether any answer has said of what kind all are

    @property
    def tells_losses(self):
        """Whether losses were told, or will be computed of the labels."""
        return self.of_losses and (self._is_settled or self.loss.function is not None)

    @property
    def unasked(self):
        """Mask of the inputs that were never asked."""
        return self.status == UNASKED

    def open(self, ids):
        """Mark positions as asked."""
        self.status[ids] = OPEN
        self.events.append(["ask", len(ids)])

    def take_in(self, verb, ids, given, y_pred, caller):
        """Store answers; ``verb`` "correct" may replace earlier ones.

        ``given`` holds y_true, failed and loss, all but one of them not given.
        """
        kind, answers = one_kind(given, caller)
        ids = check_ids(ids, self.status, caller, again=verb == "correct")
        rows = kind == "y_true" and np.ndim(y_pred) == 2
        answers = answer_list(answers, kind, ids, caller, rows=rows)
        outcomes = outcomes_of(kind, answers, y_pred, ids, self.loss, caller)
        is_told = ~np.isnan(outcomes)
        if is_told.any():
            self._settle(kind, caller)
        codes = np.where(outcomes > 0, FAILED, PASSED)
        self.status[ids] = np.where(is_told, codes, SKIPPED)
        for i, answer, outcome in zip(ids.tolist(), answers, outcomes, strict=True):
            self.labels.pop(i, None)
            self.losses.pop(i, None)
            if kind == "y_true" and answer is not None:
                self.labels[i] = answer
            if self.of_losses and outcome > 0:
                self.losses[i] = float(outcome)
        self.events.append([verb, ids.tolist(), kind, answers])

    def _settle(self, kind, caller):
        """Note of what kind the answers are, or raise where it was another."""
        of_losses = kind == "loss" or (kind == "y_true" and bool(self.loss.function))
        if self._is_settled and of_losses != self.of_losses:
            raise mixture(self.of_losses, kind, caller)
        self.of_losses, self._is_settled = of_losses, True

    def outcomes(self, ids):
        """Return those of the positions that were told, and the outcome of each.

        1 is a misprediction or the largest loss, and 0 the opposite.
        """
        status = self.status[ids]
        told = (status == PASSED) | (status == FAILED)
        return ids[told], self.values(ids[told])

    def values(self, ids):
        """Return the outcomes of positions in [0, 1]; 0 where none was told."""
        values = (self.status[ids] == FAILED).astype(np.float64)
        if self.losses:
            for at in np.flatnonzero(values):
                values[at] = self.losses[int(ids[at])]
        return values


def mixture(before, kind, caller):
    """Return the error of answers of two kinds; ``before`` says whether of losses."""
    before = "losses" if before else "labels or failures"
    return ValueError(
        f"{caller}: the answers so far are {before}, which cannot be mixed "
        f"with {kind}; give all answers as one kind."
    )


def refuse_mixture(several, last, kind, caller):
    """Raise where some of several ``Answers`` are losses and the last told are not."""
    kinds = {one.of_losses for one in several if one._is_settled}
    if len(kinds) > 1:
        raise mixture(not last.of_losses, kind, caller)
