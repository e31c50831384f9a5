"""Samplers that know what each label costs."""

import numpy as np

from skrobust._containers import one_per_row
from skrobust._validation import check_number, invalid
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.draws import first_where
from skrobust.sampling.core.pool import n_rows


class CostedSampler(BaseSampler):
    r"""Base class of samplers whose draws look at the cost of each label.

    For a given cost, the error is smallest if probabilities are in proportion to

    .. math:: \frac{S_i}{\sqrt{c_i}}

    with the spread :math:`S_i` of the outcome and the cost :math:`c_i` (Cochran 1977,
    section 5.5). A subclass draws so where there are ``costs_``, and writes
    ``_expected_cost(n)``. Estimates divide by the probabilities as always, so that they
    stay exactly unbiased.
    """

    def fit(self, X, y=None, *, y_pred=None, costs=None):
        """Read the pool.

        Parameters
        ----------
        X : array-like of shape (n_pool,) or (n_pool, ...)
            With an estimator, or with a callable ``auxiliary``: the inputs, handed on
            as they are. Otherwise 1-D scores, finite and at least 0; higher means
            more likely mispredicted, for example 1 - confidence.
        y : None
            Ignored.
        y_pred : array-like of shape (n_pool,) or (n_pool, n_outputs), default=None
            Predicted labels, where no estimator gives them; 2-D, or numbers of a
            regressor, where the sampler has a ``loss``.
        costs : array-like of shape (n_pool,), default=None
            What the label of each input costs (minutes, money): finite, above 0. Dear
            inputs are then drawn less often. None: all cost the same.

        Returns
        -------
        self : object
            The sampler, with no input asked yet.

        Raises
        ------
        ValueError
            For an empty pool, bad scores or costs, or unequal lengths.
        """
        return self._read_pool(X, y_pred, costs_=self._checked(costs, n_rows(X)))

    def _checked(self, costs, n_pool):
        """Return a copy of the costs, or raise; None where there are none."""
        if costs is None:
            return None
        rule = f"{n_pool} finite numbers above 0, one for each input"
        costs = one_per_row(costs)
        if costs.ndim != 1 or costs.dtype.kind not in "fiu" or len(costs) != n_pool:
            raise invalid("costs", type(self).__name__, rule, costs.shape)
        costs = costs.astype(np.float64)
        bad = ~(np.isfinite(costs) & (costs > 0))
        if bad.any():
            value = f"{costs[bad][0]} for input {int(bad.argmax())}"
            raise invalid("costs", type(self).__name__, rule, value)
        return costs

    def ask(self, n=None, *, budget=None):
        """Draw inputs to label.

        Parameters
        ----------
        n : int, default=None
            How many; None is 1, without a budget. Each ``ask`` is one round.
        budget : float, default=None
            Instead: as many as have an expected cost of at most this, in the units of
            ``costs``. What they cost together, ``costs[ids].sum()``, varies around it.

        Returns
        -------
        ids : ndarray of shape (n,)
            Distinct row positions in the pool, never asked before.

        Raises
        ------
        ValueError
            If fewer than n are left, for n beside a budget, for a budget without costs,
            and for one that is too small for a single label.
        """
        if budget is None:
            return super().ask(1 if n is None else n)
        caller = self._caller("ask")
        if n is not None or self.costs_ is None:
            rule = "not beside n" if n is not None else "with costs= given to fit"
            raise ValueError(f"{caller} takes budget= {rule}; got budget={budget!r}.")
        budget = check_number(budget, "budget", caller, low=0, low_open=True)
        left = self.n_pool_ - self._n_asked
        self._check_left(1, "ask")
        self._update_predictions()
        n = first_where(lambda n: self._expected_cost(n) > budget, 1, left + 1) - 1
        if n == 0:
            least = self._expected_cost(1)
            rule = f"at least {least:g}, the expected cost of one label"
            raise invalid("budget", caller, rule, budget)
        return super().ask(n)

    def _expected_cost(self, n):
        """Return the expected cost of a round of n labels."""
        raise NotImplementedError("Write _expected_cost(n).")
