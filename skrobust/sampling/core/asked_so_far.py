"""What a sampler has asked so far, and which of it was answered."""

from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust.sampling.core.answer_checks import FAILED, OPEN, PASSED, SKIPPED
from skrobust.sampling.core.design import SamplingDesign


class AskedSoFar(SamplingDesign):
    """Base class of samplers that have ``_draws`` and ``_answers``: views of both."""

    @property
    def ids_(self):
        """Positions asked so far, in the order of their draws."""
        check_is_fitted(self)
        return np.array(self._draws.ids, dtype=np.intp)

    @property
    def draw_probabilities_(self):
        """Probability with which each of ``ids_`` was drawn, given the rounds before.

        Of one draw after the other: the probability of that draw. Of a round: that of
        being in it.
        """
        check_is_fitted(self)
        return np.array(self._draws.pi, dtype=np.float64)

    @property
    def pending_(self):
        """Positions asked and not told yet, in the order of their draws."""
        return self.ids_[self._answers.status[self.ids_] == OPEN]

    @property
    def skipped_(self):
        """Positions whose answer is missing, in the order of their draws."""
        return self.ids_[self._answers.status[self.ids_] == SKIPPED]

    @property
    def _n_asked(self):
        return len(self._draws)

    @property
    def _unasked(self):
        """Mask of the inputs that were never asked."""
        return self._answers.unasked

    def _outcomes(self):
        """Return the positions told, in draw order, and the outcome of each.

        1 is a misprediction or the largest loss, and 0 the opposite.
        """
        return self._answers.outcomes(self.ids_)

    def _answered(self, answers=None):
        """Return the answered rounds, and the places of unknown outcomes in them.

        An open answer ends the run of rounds. Where that would leave fewer than two
        draws, it is treated as a skipped one instead, up to the last round that was
        told in part, if more than half of the draws so far were told.
        """
        ids, answers = self.ids_, self._answers if answers is None else answers
        status, values = answers.status[ids], answers.values(ids)
        known = status != OPEN
        answered = self._draws.answered(known, values, self.n_pool_)
        is_told = (status == PASSED) | (status == FAILED)
        if answered.n < min(2, self.n_pool_) and is_told.any():
            last = np.flatnonzero(is_told)[-1]
            end = self._draws.ends[np.searchsorted(self._draws.ends, last, "right")]
            if 2 <= is_told.sum() > end / 2:
                known = np.arange(len(ids)) < end
                answered = self._draws.answered(known, values, self.n_pool_)
        answered = replace(answered, graded=answers.of_losses)
        return answered, np.flatnonzero(~is_told[: answered.n])
