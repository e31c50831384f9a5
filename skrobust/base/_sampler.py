"""What every sampler of inputs to label promises."""

import copy
from abc import ABC

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skrobust._validation import check_choice, check_count, check_same_length, invalid
from skrobust.base._answers import (
    FAILED,
    OPEN,
    PASSED,
    UNASKED,
    answer_list,
    check_ids,
    compare,
    outcomes,
)
from skrobust.base._interval import IntervalMixin
from skrobust.base._pool import PoolMixin, n_rows, own_generator
from skrobust.base._sampling_result import SamplingResult, ordered_estimate


class BaseSampler(PoolMixin, IntervalMixin, BaseEstimator, ABC):
    """Base class of samplers: ``fit``, ``ask``, ``tell``, ``result``, ``sample``.

    A subclass stores ``estimator``, ``auxiliary`` and ``random_state`` in ``__init__``
    and writes ``_probabilities(taken)``, the probabilities of the next draw; or, where
    it knows a faster way, ``_draw(n)``. It may give its own ``_estimate``. The base
    sees to the rest:

    * ids are row positions in the pool, drawn without replacement and never twice;
    * draw probabilities are stored at draw time, so answers may come in any order;
    * estimates use the longest answered run of draws, from the first one on: answers
      out of order give the estimate of answers in order, and an open question is
      never divided by;
    * an error changes nothing; a pickled sampler goes on bit for bit;
    * the model is used as it is, never refitted, and ``clone`` keeps it fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.base import BaseSampler
    >>> class BySquare(BaseSampler):
    ...     def __init__(self, estimator=None, *, auxiliary="confidence",
    ...                  random_state=None):
    ...         self.estimator, self.auxiliary = estimator, auxiliary
    ...         self.random_state = random_state
    ...     def _probabilities(self, taken):
    ...         weight = np.where(taken, 0, self.scores_**2 + 0.01)
    ...         return weight / weight.sum()
    >>> sampler = BySquare(random_state=0).fit(np.linspace(0, 1, 50))
    >>> result = sampler.sample(20, lambda ids: ids > 40)
    >>> result.n_labels
    20
    """

    def fit(self, X, y=None, *, y_pred=None):
        """Take in the pool.

        Parameters
        ----------
        X : array-like of shape (n_pool,) or (n_pool, ...)
            With an estimator, or with a callable ``auxiliary``: the inputs, handed on
            as they are. Otherwise 1-D scores, finite and at least 0; higher means
            more likely mispredicted, for example 1 - confidence.
        y : None
            Ignored.
        y_pred : array-like of shape (n_pool,), default=None
            Predicted labels, where no estimator gives them.

        Returns
        -------
        self : object
            The sampler, with no input asked yet.

        Raises
        ------
        ValueError
            For an empty pool, bad scores, or unequal lengths.
        """
        owner = type(self).__name__
        self._check_parameters()
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        n_pool = n_rows(X)
        if n_pool == 0:
            raise ValueError(f"{owner} needs a pool of at least one input; got none.")
        X = self._check_pool(X)
        scores = self._suspicion(X)
        y_pred = self._predictions(X, y_pred)
        check_same_length(owner, X=range(n_pool), scores=scores, y_pred=y_pred)
        self.n_pool_, self.scores_, self.y_pred_ = n_pool, scores, y_pred
        self._rng = own_generator(self.random_state, owner)
        self._restart()
        return self

    def ask(self, n=1):
        """Draw inputs to label.

        Parameters
        ----------
        n : int, default=1
            How many; ``ask(20)`` draws what twenty ``ask(1)`` draw.

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
        n = check_count(n, "n", f"{type(self).__name__}.ask")
        left = self.n_pool_ - len(self._order)
        if n > left:
            raise ValueError(f"{type(self).__name__}: {left} left, {n} asked.")
        ids, probabilities = self._draw(n)
        self._order.extend(int(i) for i in ids)
        self._drawn_with.extend(float(q) for q in probabilities)
        self._status[ids] = OPEN
        return np.array(ids, dtype=np.intp)

    def tell(self, ids, y_true=None, *, failed=None):
        """Take in answers, any subset of the open ones, in any order.

        Parameters
        ----------
        ids : int or array-like of shape (n,)
            Positions that ``ask`` returned.
        y_true : array-like of shape (n,), default=None
            True labels of any type; needs predictions.
        failed : array-like of shape (n,), default=None
            Instead of ``y_true``: whether each was mispredicted (booleans, or 0 and 1).

        Returns
        -------
        self : object
            The sampler.

        Raises
        ------
        ValueError
            With the index, for an id that is unknown, never asked or told already,
            and for a missing or impossible answer. Nothing is changed then.
        """
        check_is_fitted(self)
        owner = f"{type(self).__name__}.tell"
        if (y_true is None) == (failed is None):
            raise ValueError(f"{owner} takes either y_true or failed: one of the two.")
        ids = check_ids(ids, self._status, owner)
        name, given = ("y_true", y_true) if failed is None else ("failed", failed)
        answers = answer_list(given, name, ids, owner)
        if failed is None:
            outcome = compare(answers, self.y_pred_, ids, owner)
        else:
            outcome = outcomes(answers, ids, owner)
        self._status[ids] = np.where(outcome, FAILED, PASSED)
        return self

    def result(self, *, confidence=0.95):
        """Estimate the accuracy on the whole pool from the answers so far.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.

        Returns
        -------
        SamplingResult
            Nan and (0, 1) before two labels; exact once the whole pool is told.
        """
        check_is_fitted(self)
        self._check_parameters()
        valid = np.isscalar(confidence) and not isinstance(confidence, (str, bool))
        if not valid or not 0 < confidence < 1:
            owner = f"{type(self).__name__}.result"
            raise invalid("confidence", owner, "a number in (0, 1)", confidence)
        order, n_pool = self.ids_, self.n_pool_
        status = self._status[order]
        told = status != OPEN
        n = len(order) if told.all() else int(told.argmin())
        failed = status[:n] == FAILED
        failures = order[status == FAILED]
        n_labels, n_failures = int(told.sum()), len(failures)
        rate, std_error, effective_n = np.nan, np.nan, float(n)
        low, high, method, notes = 0.0, 1.0, "none", []
        bounds = n_failures / n_pool, (n_failures + n_pool - n_labels) / n_pool
        if n_labels > n:
            notes.append(
                f"{n_labels - n} told answers wait behind id {order[n]}, which is "
                "still open; the estimate uses the draws before it."
            )
        if n == n_pool:
            rate, std_error, method = bounds[0], 0.0, "census"
            low = high = rate
        elif n < 2:
            notes.append("Fewer than two usable answers: nothing is estimated yet.")
        else:
            drawn_with = np.array(self._drawn_with[:n])
            rate, std_error, effective_n = self._estimate(failed, drawn_with)
            low, high, method, more = self._interval(
                failed, rate, std_error, effective_n, confidence
            )
            notes.extend(more)
            low, high = np.clip([low, high], *bounds)
            if not bounds[0] <= rate <= bounds[1]:
                notes.append(
                    "The estimate lies outside what the counts allow, as unbiased "
                    "estimates may; the interval does not."
                )
        return SamplingResult(
            accuracy=float(1 - rate),
            interval=(float(1 - high), float(1 - low)),
            std_error=float(std_error),
            n_labels=n_labels,
            n_failures=n_failures,
            failures=failures,
            n_pool=n_pool,
            confidence=float(confidence),
            method=method,
            effective_n=float(effective_n),
            warnings=tuple(notes),
        )

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
        ids = self.ask(n)
        answers = oracle(ids)
        if self.y_pred_ is None:
            return self.tell(ids, failed=answers).result()
        return self.tell(ids, answers).result()

    @property
    def ids_(self):
        """Positions asked so far, in the order of their draws."""
        check_is_fitted(self)
        return np.array(self._order, dtype=np.intp)

    @property
    def draw_probabilities_(self):
        """Probability with which each of ``ids_`` was drawn, given those before it."""
        check_is_fitted(self)
        return np.array(self._drawn_with, dtype=np.float64)

    @property
    def pending_(self):
        """Positions asked and not told yet, in the order of their draws."""
        return self.ids_[self._status[self.ids_] == OPEN]

    # What a new sampler may write.

    def _probabilities(self, taken):
        """Return the probabilities of the next draw.

        Parameters
        ----------
        taken : ndarray of shape (n_pool,), bool
            The inputs drawn before.

        Returns
        -------
        ndarray of shape (n_pool,)
            Sums to 1; 0 where taken, and positive elsewhere, or the estimate is biased.
        """
        raise NotImplementedError("Write _probabilities(taken) or _draw(n).")

    def _draw(self, n):
        """Return n positions and their probabilities, one draw after the other."""
        taken = self._status != UNASKED
        ids, drawn_with = np.empty(n, dtype=np.intp), np.empty(n)
        for step, coin in enumerate(self._rng.random(n)):
            q = np.asarray(self._probabilities(taken), dtype=np.float64)
            fair = q.shape == taken.shape and (q >= 0).all() and not q[taken].any()
            if not fair or abs(q.sum() - 1) > 1e-9:
                raise ValueError(
                    f"{type(self).__name__}._probabilities must return {len(taken)} "
                    "probabilities that sum to 1 and are 0 where taken."
                )
            reachable = np.flatnonzero(q)
            edges = np.cumsum(q[reachable])
            place = np.searchsorted(edges, coin * edges[-1], side="right")
            i = reachable[min(place, len(reachable) - 1)]
            ids[step], drawn_with[step], taken[i] = i, q[i], True
        return ids, drawn_with

    def _start(self):
        """Prepare the draws; ``scores_``, ``n_pool_`` and ``_rng`` are there."""

    def _estimate(self, failed, probabilities):
        """Return failure rate, standard error and effective n, in draw order."""
        return ordered_estimate(failed, probabilities, self.n_pool_)

    def _check_parameters(self):
        """Raise for bad parameters; called by ``fit``."""
        if isinstance(self.auxiliary, str):
            owner = type(self).__name__
            check_choice(self.auxiliary, "auxiliary", owner, ("confidence",))

    # What the base does with the pool and the answers.

    def _restart(self):
        self._order, self._drawn_with = [], []
        self._status = np.full(self.n_pool_, UNASKED, dtype=np.int8)
        self._start()

    def __copy__(self):
        # A shallow copy would share some of the running state, and not all of it.
        return copy.deepcopy(self, {id(self.estimator): self.estimator})

    def __sklearn_clone__(self):
        params = {
            name: value if name == "estimator" else copy.deepcopy(value)
            for name, value in self.get_params(deep=False).items()
        }
        new = type(self)(**params)
        if hasattr(self, "_metadata_request"):
            new._metadata_request = copy.deepcopy(self._metadata_request)
        return new

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_pool_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = not self._takes_rows()
        tags.input_tags.two_d_array = self._takes_rows() or not self._needs_scores
        return tags
