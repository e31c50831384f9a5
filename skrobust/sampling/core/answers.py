"""Answers of a sampler: told, corrected and skipped."""

import numpy as np

from skrobust.sampling.core.answer_checks import (
    FAILED,
    OPEN,
    PASSED,
    UNASKED,
    answer_list,
    check_ids,
    one_kind,
    outcome_codes,
)


class Answers:
    """Status and true label of each input, with a log of questions and answers.

    Attributes
    ----------
    status : ndarray of shape (n_pool,), int8
        UNASKED, OPEN, PASSED, FAILED or SKIPPED.
    labels : dict of int to object
        True labels, by position, where they were told.
    events : list
        Each ``ask``, ``tell`` and ``correct`` as plain data, in order.
    """

    def __init__(self, n_pool):
        self.status = np.full(n_pool, UNASKED, dtype=np.int8)
        self.labels, self.events = {}, []

    @property
    def unasked(self):
        """Mask of the inputs that were never asked."""
        return self.status == UNASKED

    def open(self, ids):
        """Mark positions as asked."""
        self.status[ids] = OPEN
        self.events.append(["ask", len(ids)])

    def take_in(self, verb, ids, y_true, failed, y_pred, caller):
        """Store answers; ``verb`` "correct" may replace earlier ones."""
        kind, answers = one_kind(y_true, failed, caller)
        ids = check_ids(ids, self.status, caller, again=verb == "correct")
        answers = answer_list(answers, kind, ids, caller)
        self.status[ids] = outcome_codes(kind, answers, y_pred, ids, caller)
        for i, answer in zip(ids.tolist(), answers, strict=True):
            self.labels.pop(i, None)
            if kind == "y_true" and answer is not None:
                self.labels[i] = answer
        self.events.append([verb, ids.tolist(), kind, answers])

    def outcomes(self, ids):
        """Return those of the positions that were told, and whether each failed."""
        status = self.status[ids]
        told = (status == PASSED) | (status == FAILED)
        return ids[told], status[told] == FAILED
