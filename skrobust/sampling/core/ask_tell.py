"""Questions and answers: the verbs of a fitted sampler."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust._validation import check_count
from skrobust.sampling.core.answers import (
    NOT_GIVEN,
    OPEN,
    SKIPPED,
    answer_list,
    check_ids,
    check_oracle,
    judge,
    one_kind,
)


class AskTellMixin:
    """The part of a sampler that hands out questions and takes in answers."""

    def ask(self, n=1):
        """Draw inputs to label.

        Parameters
        ----------
        n : int, default=1
            How many. With one draw after the other ``ask(20)`` draws what twenty
            ``ask(1)`` draw; where a sampler draws in rounds, each ``ask`` is one.

        Returns
        -------
        ids : ndarray of shape (n,)
            Distinct row positions in the pool, never asked before.

        Raises
        ------
        ValueError
            If fewer than n are left.
        """
        check_is_fitted(self)
        self._check_parameters()
        caller = type(self).__name__
        n = check_count(n, "n", f"{caller}.ask")
        if self._frozen:
            raise ValueError(
                f"{caller} was restored for its results alone (frozen=True): it takes "
                "answers and cannot draw."
            )
        left = self.n_pool_ - self._n_asked
        if n > left:
            raise ValueError(f"{caller}: {left} left, {n} asked.")
        before = self._rng.bit_generator.state
        try:
            snapshot = self._look()
            ids, pi, *design = self._draw(n)
        except Exception:
            self._rng.bit_generator.state = before
            raise
        self._rounds.add(
            ids, pi, sequential=self._sequential, design=(*design, None)[0]
        )
        self._rounds.add_predictor(snapshot, self._foreseen)
        self._mark_asked(ids)
        self._events.append(["ask", n])
        return np.array(ids, dtype=np.intp)

    def tell(self, ids, y_true=NOT_GIVEN, *, failed=NOT_GIVEN):
        """Take in answers, any subset of the open ones, in any order.

        Parameters
        ----------
        ids : int or array-like of shape (n,)
            Positions that ``ask`` returned.
        y_true : array-like of shape (n,)
            True labels of any type; needs predictions. None or NaN means that an input
            cannot be labelled: it is skipped, counts as either right or wrong from
            then on, and may still be told later. A single None skips all.
        failed : array-like of shape (n,)
            Instead of ``y_true``: whether each was mispredicted (booleans, or 0 and 1,
            or None or NaN).

        Returns
        -------
        self : object
            The sampler.

        Raises
        ------
        ValueError
            With the index, for an id that is unknown, never asked or told already,
            and for an impossible answer. Nothing is changed then.
        """
        return self._take_in("tell", ids, y_true, failed)

    def correct(self, ids, y_true=NOT_GIVEN, *, failed=NOT_GIVEN):
        """Replace answers that were told before.

        Estimates are then as if the new answer had been told at first. Draws made in
        the meantime stay as they were, with their probabilities and predictions, so
        the estimate stays unbiased.

        Parameters
        ----------
        ids, y_true, failed
            As for ``tell``; None takes an answer back (the input is skipped).

        Returns
        -------
        self : object
            The sampler.

        Raises
        ------
        ValueError
            With the index, for an id that is unknown or never asked, and for an
            impossible answer. Nothing is changed then.
        """
        return self._take_in("correct", ids, y_true, failed)

    def _mark_asked(self, ids):
        self._status[ids] = OPEN

    def _take_in(self, verb, ids, y_true, failed):
        check_is_fitted(self)
        caller = f"{type(self).__name__}.{verb}"
        kind, answers = one_kind(y_true, failed, caller)
        ids = check_ids(ids, self._status, caller, again=verb == "correct")
        answers = answer_list(answers, kind, ids, caller)
        known = judge(kind, answers, self.y_pred_, ids, caller)
        self._status[ids] = known
        for i, answer in zip(ids.tolist(), answers, strict=True):
            self._labels.pop(i, None)
            if kind == "y_true" and answer is not None:
                self._labels[i] = answer
        self._events.append([verb, ids.tolist(), kind, answers])
        return self

    def sample(self, n, oracle):
        """Ask and tell in one call.

        Parameters
        ----------
        n : int
            How many inputs to label.
        oracle : callable
            ``oracle(ids)`` returns true labels where the sampler has predictions
            (``y_pred_``), and otherwise whether each input was mispredicted.

        Returns
        -------
        SamplingResult
            As ``result()`` gives it. If the oracle raises, its inputs stay open
            (``pending_``).
        """
        check_oracle(oracle, type(self).__name__)
        ids = self.ask(n)
        answers = oracle(ids)
        if self.y_pred_ is None:
            return self.tell(ids, failed=answers).result()
        return self.tell(ids, answers).result()

    @property
    def ids_(self):
        """Positions asked so far, in the order of their draws."""
        check_is_fitted(self)
        return np.array(self._rounds.ids, dtype=np.intp)

    @property
    def draw_probabilities_(self):
        """Probability with which each of ``ids_`` was drawn, given the rounds before.

        Of one draw after the other: the probability of that draw. Of a round: that of
        being in it.
        """
        check_is_fitted(self)
        return np.array(self._rounds.pi, dtype=np.float64)

    @property
    def pending_(self):
        """Positions asked and not told yet, in the order of their draws."""
        return self.ids_[self._status[self.ids_] == OPEN]

    @property
    def skipped_(self):
        """Positions whose answer is missing, in the order of their draws."""
        return self.ids_[self._status[self.ids_] == SKIPPED]

    @property
    def _n_asked(self):
        return len(self._rounds)
