"""Sampling with probability proportional to size (SUPS)."""

import numpy as np

from skrobust._parameters import Flag
from skrobust.sampling.core.estimates import between_estimate
from skrobust.sampling.designs.fixed_size import (
    SURE,
    inclusion_probabilities,
    systematic_sample,
)
from skrobust.sampling.designs.variances import hartley_rao_variance
from skrobust.sampling.designs.weighted_sampler import WeightedSampler


class ProportionalSampler(WeightedSampler):
    r"""Sampling with probability proportional to suspicion (SUPS).

    With the scores x and a uniform part f (``floor``),

    .. math:: p_i = (1 - f) \frac{x_i}{\sum_j x_j} + \frac{f}{N}

    * ``replacement=False`` (the default): each ``ask`` is one round of fixed size n
      among the free inputs, in which input i is with probability
      :math:`\pi_i = \min(1, c\, p_i)`, :math:`\sum \pi_i = n`, drawn systematically
      along a random order. The failure rate is the Horvitz-Thompson estimate
      :math:`\frac1N \sum y_i / \pi_i`, exactly unbiased; its variance is the
      approximation of Hartley and Rao (1962), exact where all scores are equal.
    * ``replacement=True``, as published: inputs go back into the urn. An input that is
      drawn again costs no label, so ``ask(n)`` goes on until there are n new ones;
      these are draws without replacement, each with probability
      :math:`q_i = p_i / (1 - \sum_{\text{drawn}} p_j)`, and the default estimate is Des
      Raj's (1956), exactly unbiased, and so is its variance.

    ``estimator="published"`` is the Hansen-Hurwitz estimate
    :math:`\frac{1}{nN} \sum_{k=1}^n y_k / p_k`, with ``replacement=True`` of the first
    n draws, repeats among them: with ``floor=0`` exactly theirs. Inputs of score 0 are
    then never drawn, and it is biased where these fail. Without replacement the same
    formula is only an approximation, and wrong where some inputs are sure to be drawn.

    Whatever the scores, the standard error is at most about :math:`1 / \sqrt{f}` that
    of uniform draws, where mispredictions are few.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input, as in :class:`~skrobust.sampling.DeepESTSampler`.
    replacement : bool, default=False
        See above.
    floor : float in [0, 1], default=0.1
        Uniform part of the probabilities; 0 as published. With 0, inputs of score 0 are
        drawn last, and the estimate before is biased (and says so).
    loss : callable, default=None
        ``loss(y_true, y_pred)`` returns one loss per input; None: right or wrong.
    loss_range : (float, float), default=(0.0, 1.0)
        The least and the largest possible loss.
    random_state : int, RandomState, Generator or None, default=None
        Same int, same ids. ``fit`` advances a generator once and draws with its own.

    Attributes
    ----------
    n_pool_ : int
        Size of the pool.
    scores_ : ndarray of shape (n_pool,)
        Suspicion of each input.
    y_pred_ : ndarray of shape (n_pool,) or None
        Predicted labels, where there are any.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    A. Guerriero, R. Pietrantuono, S. Russo, "DeepSample: DNN sampling-based testing for
    operational accuracy assessment", ICSE 2024. M. H. Hansen, W. N. Hurwitz, "On the
    theory of sampling from finite populations", Annals of Mathematical Statistics 1943.
    D. G. Horvitz, D. J. Thompson, "A generalization of sampling without replacement
    from a finite universe", JASA 1952. H. O. Hartley, J. N. K. Rao, "Sampling with
    unequal probabilities and without replacement", Annals of Mathematical Statistics
    1962.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import ProportionalSampler
    >>> scores = np.linspace(0, 0.5, 1000)        # 1 - confidence
    >>> failed = np.random.default_rng(0).random(1000) < scores
    >>> sampler = ProportionalSampler(random_state=0).fit(scores)
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> low, high = result.interval
    >>> low < 1 - float(failed.mean()) < high
    True
    """

    _parameter_rules = {"replacement": Flag()}

    @classmethod
    def _get_test_params(cls):
        return [{}, {"replacement": True}]

    def __init__(self, estimator=None, *, replacement=False, floor=0.1, **shared):
        super().__init__(estimator, **shared)
        self.replacement = replacement
        self.floor = floor

    def _start(self):
        super()._start()
        self._sequential = bool(self.replacement)
        if self._sequential:
            self._line_up()

    def _line_up(self):
        # The order of first appearances is that of an exponential race; what is left
        # of the probability before each is summed from the end, where it is small.
        n_pool, p = self.n_pool_, self._p
        with np.errstate(divide="ignore", over="ignore"):
            keys = self._rng.standard_exponential(n_pool) / p
        self._order = np.lexsort((self._rng.random(n_pool), keys))
        lined = p[self._order]
        self._left = np.cumsum(lined[::-1])[::-1]
        some = self._left > 0
        last = 1 / (n_pool - np.arange(n_pool))  # no weight left: uniform
        self._q = np.where(some, lined / np.where(some, self._left, 1), last)
        self._lowest = np.where(some, p.min() / np.where(some, self._left, 1), last)
        self._seen = np.cumsum(lined)
        self._n_draws = 0

    def _draw(self, n):
        if not self._sequential:
            return self._draw_round(n)
        start = self._n_asked
        now = slice(start, start + n)
        self._draws.floors.extend(self._lowest[now].tolist())
        return self._order[now], self._q[now], {"draws": self._repeats(start, n)}

    def _draw_round(self, n):
        free = np.flatnonzero(self._unasked)
        pi = inclusion_probabilities(self._p[free], n)
        order, start = self._rng.permutation(len(free)), self._rng.random()
        picked = systematic_sample(pi, order, start)
        self._draws.floors.extend([pi.min() / n] * n)
        return free[picked], pi[picked], {"squares": float((pi[pi < SURE] ** 2).sum())}

    def _round_variance(self, residuals, pi, design):
        variance, df = hartley_rao_variance(residuals, pi, design["squares"])
        return variance / self.n_pool_**2, df

    def _repeats(self, start, n):
        """Return the draws up to the n-th new input, by number of the input in order.

        Before a new input come draws of known ones; the published estimate uses as many
        draws as there are labels, so draws beyond the size of the pool are left out.
        """
        room = self.n_pool_ - self._n_draws
        new = np.arange(start, start + n)
        fresh = np.clip(self._left[new] / self._left[0], 0, 1)
        often = self._rng.geometric(np.maximum(fresh, 1e-12)) - 1
        often = np.diff(np.minimum(np.cumsum(np.minimum(often, room)), room), prepend=0)
        before = np.repeat(new, often) - 1
        point = self._rng.random(len(before)) * self._seen[before]
        known = np.searchsorted(self._seen, point, side="right")
        draws = np.empty(len(before) + n, dtype=np.intp)
        at = np.cumsum(often + 1) - 1
        is_new = np.zeros(len(draws), dtype=bool)
        is_new[at] = True
        draws[is_new], draws[~is_new] = new, np.minimum(known, before)
        draws = draws[:room]
        self._n_draws += len(draws)
        return draws.tolist()

    def _published(self, answered):
        draws = np.arange(answered.n)
        if self._sequential:
            designs = (answered.designs[t] for t in sorted(answered.designs))
            draws = np.concatenate([design["draws"] for design in designs])
            draws = draws[: answered.n]
        p = self._p[answered.ids[draws]]
        z = answered.y[draws] / np.where(p > 0, p, np.inf) / self.n_pool_
        return between_estimate(z, np.full(len(z), 1 / len(z)))
