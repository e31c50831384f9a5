"""Samplers that know what each label costs."""

import numpy as np

from skrobust._containers import n_rows, one_per_row
from skrobust._validation import MOST, check_number, invalid
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.batched_pool import in_memory
from skrobust.sampling.core.draws import first_where
from skrobust.sampling.core.pool import refuse_arguments


class CostedSampler(BaseSampler):
    r"""Base class of samplers whose draws look at the cost of each label.

    For a given cost, the error is smallest if probabilities are in proportion to

    .. math:: \frac{S_i}{\sqrt{c_i}}

    with the spread :math:`S_i` of the outcome and the cost :math:`c_i` (Cochran 1977,
    section 5.5). A subclass draws so where there are ``costs_``, and writes
    ``_expected_cost(n)``. Estimates divide by the probabilities as always, so that they
    stay exactly unbiased.
    """

    def fit(self, X, y=None, *, y_pred=None, costs=None, **unknown):
        """Read the pool.

        Parameters
        ----------
        X : array-like of shape (n_pool,) or (n_pool, ...)
            With an estimator, or with a callable ``auxiliary``: the inputs, handed on
            as they are. Otherwise 1-D scores, finite and at least 0; higher means
            more likely mispredicted, for example 1 - confidence. Inputs may come in
            :class:`~skrobust.datasets.BatchedRows`: the model, or the callable, is then
            asked about one batch after the other.
        y : None
            Ignored.
        y_pred : array-like of shape (n_pool,) or (n_pool, n_outputs), default=None
            Predicted labels, where no estimator gives them; 2-D, or numbers of a
            regressor, where the sampler has a ``loss``.
        costs : array-like of shape (n_pool,), default=None
            What the label of each input costs (minutes, money): finite, above 0. Dear
            inputs are then drawn less often. None: all cost the same.
        **unknown
            Refused, such as the ``features`` of another sampler.

        Returns
        -------
        self : object
            The sampler, with no input asked yet.

        Raises
        ------
        TypeError
            For arguments that this sampler does not take.
        ValueError
            For an empty pool, bad scores or costs, or unequal lengths.
        """
        refuse_arguments(unknown, type(self).__name__)
        X = in_memory(self, X, y_pred)
        return self._read_pool(X, y_pred, costs_=self._checked(costs, n_rows(X)))

    def _checked(self, costs, n_pool):
        """Return a copy of the costs, or raise; None where there are none."""
        if costs is None:
            return None
        rule = f"{n_pool} finite numbers above 0, one for each input"
        costs = one_per_row(costs)
        if costs.ndim == 1 and costs.dtype.kind not in "fiu" and costs.size:
            what = f"{costs[0]} for input 0, of type {type(costs[0]).__name__}"
            raise invalid("costs", type(self).__name__, rule, what)
        if costs.ndim != 1 or costs.dtype.kind not in "fiu" or len(costs) != n_pool:
            raise invalid("costs", type(self).__name__, rule, costs.shape)
        costs = costs.astype(np.float64)
        bad = ~(np.isfinite(costs) & (costs > 0))
        if bad.any():
            value = f"{costs[bad][0]} for input {int(bad.argmax())}"
            raise invalid("costs", type(self).__name__, rule, value)
        with np.errstate(over="ignore"):
            total = costs.sum()
        if not np.isfinite(total):
            rule = f"{rule}, with a finite sum"
            raise invalid("costs", type(self).__name__, rule, float(costs.max()))
        return costs

    def ask(self, n=None, *, budget=None):
        r"""Draw inputs to label.

        Parameters
        ----------
        n : int, default=None
            How many; None is 1, without a budget. Each ``ask`` is one round.
        budget : float, default=None
            Instead: as many as have an expected cost of at most this, in the units of
            ``costs``; see the notes.

        Returns
        -------
        ids : ndarray of shape (n,)
            Distinct row positions in the pool, never asked before.

        Raises
        ------
        ValueError
            If fewer than n are left, for n beside a budget, for a budget without costs,
            and for one that is too small for a single label.

        Notes
        -----
        The expected cost of the round stays below the budget by less than that of one
        more label. What it really costs, ``costs[ids].sum()``, varies around it: by
        about :math:`s \sqrt{n}`, with s the standard deviation of the costs among
        inputs that are equally likely. With 60 labels, and costs whose standard
        deviation is as large as their mean, these are 13 % of the budget, on either
        side.

        The estimate is exactly unbiased, also over several budgets that were chosen
        beforehand: each round is weighted by its budget in units of the mean cost,
        which depends on no draw, and not by its size, which depends on the costs of
        what was drawn before. For the same reason what is left of a budget is not spent
        on more inputs: that round, and its weight, would be there only where the draws
        before it were cheap. (For uniform draws that go on until the budget is used,
        Pathak (1976) has an unbiased estimate, at the price of the last label; it is
        not implemented.)

        References
        ----------
        P. K. Pathak, "Unbiased estimation in fixed cost sequential sampling schemes",
        Annals of Statistics 4 (1976).
        """
        if budget is None:
            return super().ask(1 if n is None else n)
        budget = self._check_budget(budget, n, "ask")
        left = self.n_pool_ - self._n_asked
        self._check_left(1, "ask")
        self._update_predictions()
        n = first_where(lambda n: self._expected_cost(n) > budget, 1, left + 1) - 1
        if n == 0:
            least = self._expected_cost(1)
            rule = f"at least {least:g}, the expected cost of one label"
            raise invalid("budget", self._caller("ask"), rule, budget)
        ids = super().ask(n)
        self._plan_round(budget / float(self.costs_.mean()))
        return ids

    def sample(self, n=None, oracle=None, kind=None, *, budget=None):
        """Ask and tell in one call.

        Parameters
        ----------
        n : int, default=None
            Number of inputs to label; needed without a budget.
        oracle : callable
            ``oracle(ids)`` returns one answer for each input. It is called once per
            batch: samplers that learn from answers ask in several.
        kind : {"y_true", "failed", "loss"}, default=None
            What the answers are, as in ``tell``. None: true labels where the sampler
            has predictions (``y_pred_``), and otherwise whether each input was
            mispredicted.
        budget : float, default=None
            Instead of n: as many as have an expected cost of at most this, in the units
            of ``costs``. Several batches divide it in shares that depend on no draw.

        Returns
        -------
        SamplingResult
            As ``result()`` gives it. If the oracle raises, its inputs stay open
            (``pending_``), and what was told before is kept.

        Raises
        ------
        ValueError
            If fewer than n are left, for n beside a budget, and for budgets that
            ``ask`` refuses: nothing is asked then.

        Examples
        --------
        >>> import numpy as np
        >>> from skrobust.sampling import OperationalSampler
        >>> minutes = np.tile([1.0, 5.0], 500)
        >>> sampler = OperationalSampler(random_state=0)
        >>> sampler.fit(np.linspace(0, 1, 1000), costs=minutes)
        OperationalSampler(random_state=0)
        >>> result = sampler.sample(budget=200, oracle=lambda ids: ids > 900)
        >>> bool(150 < minutes[sampler.ids_].sum() < 250)
        True
        """
        if budget is None and n is None:
            raise ValueError(
                f"{type(self).__name__}.sample needs n=, the number of inputs, or "
                "budget=, what their labels may cost."
            )
        if budget is None:
            return super().sample(n, oracle, kind)
        kind = self._kind_of(oracle, kind)
        budget = self._check_budget(budget, n, "sample")
        self._check_left(1, "sample")
        # In labels of the mean cost: so the shares depend on no draw.
        sizes = self._batches(max(1, round(budget / float(self.costs_.mean()))))
        shares = [{"budget": budget * size / sum(sizes)} for size in sizes]
        return self._sample(shares, oracle, kind)

    def _check_budget(self, budget, n, verb):
        caller = self._caller(verb)
        if n is not None or self.costs_ is None:
            rule = "not beside n" if n is not None else "with costs= given to fit"
            raise ValueError(f"{caller} takes budget= {rule}; got budget={budget!r}.")
        budget = check_number(budget, "budget", caller, low=0, low_open=True)
        return min(budget, MOST * float(self.costs_.mean()))  # no pool has as many

    def _plan_round(self, size):
        """Note the planned size of the last round, in draws and in the log."""
        self._draws.plan(size)
        self._answers.events[-1].append(size)

    def _expected_cost(self, n):
        """Return the expected cost of a round of n labels."""
        raise NotImplementedError("Write _expected_cost(n).")
