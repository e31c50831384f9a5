"""Stratified simple random sampling (SSRS) with Neyman allocation."""

import numpy as np

from skrobust._parameters import Choice, Number
from skrobust.sampling.designs.costed_sampler import CostedSampler
from skrobust.sampling.designs.fixed_size import allocate
from skrobust.sampling.designs.stratified_rounds import StrataSampler, StratifiedRounds


class StratifiedSampler(CostedSampler, StrataSampler, StratifiedRounds):
    r"""Stratified random sampling along the scores (SSRS).

    The pool is cut into strata along the scores; of n labels a stratum h of
    :math:`N_h` inputs gets about

    .. math::

        n_h = n \Bigl[(1 - f) \frac{N_h S_h}{\sum_k N_k S_k} + f \frac{N_h}{N}\Bigr]

    with :math:`S_h` the standard deviation of its scores (Neyman) and f the ``floor``.
    The failure rate and its variance are

    .. math::

        \hat\theta = \sum_h \frac{N_h}{N} \bar y_h, \qquad
        V = \sum_h \frac{N_h^2}{N^2} \Bigl(1 - \frac{n_h}{N_h}\Bigr) \frac{s_h^2}{n_h}

    both exactly unbiased; the t interval has Satterthwaite's degrees of freedom.

    With ``costs`` given to ``fit``, what is in brackets is divided by the square root
    of the mean cost of the stratum's free inputs (Cochran 1977, section 5.5) and scaled
    to n labels in all.

    Each ``ask`` is one round: a stratified sample of what is still free. Ask for the
    whole budget at once for the published design; ``sample(n, oracle)`` does.

    As published f is 0: the spread of the scores is taken for that of the outcomes.
    Where a model is overconfident, strata of confident inputs then get two labels each,
    however many there are in all, and the error may be eight times that of
    proportional allocation. With the default of .5 it is at most 1.4 times.

    In the published code rounding may leave strata without a label, and these are
    dropped from the estimate, as if nothing failed there. Here the numbers sum to n
    exactly, and every stratum gets two labels or all it has. Where n is too small for
    that, neighbouring strata are joined before the draw (those whose joining adds the
    least squared deviation), which keeps estimate and variance unbiased. So no stratum
    is ever left out, and ``estimator="published"`` is the same stratified mean.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input, as in :class:`~skrobust.sampling.DeepESTSampler`.
    n_strata : int, default=10
        At most; fewer where there are fewer distinct scores.
    strata : {"kmeans", "quantile"}, default="kmeans"
        Intervals of little variance (as published, without the random start of theirs)
        or of equally many inputs.
    allocation : {"neyman", "proportional"}, default="neyman"
        By size and standard deviation of the scores, or by size alone.
    floor : float in [0, 1], default=0.5
        Part of the labels that Neyman's allocation shares by size alone; 0 as
        published.
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
    strata_ : ndarray of shape (n_pool,), int
        Stratum of each input, 0, 1, ... from the least suspicious on.
    y_pred_ : ndarray of shape (n_pool,) or None
        Predicted labels, where there are any.
    costs_ : ndarray of shape (n_pool,) or None
        Costs of the labels, where ``fit`` got any.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    A. Guerriero, R. Pietrantuono, S. Russo, "DeepSample: DNN sampling-based testing for
    operational accuracy assessment", ICSE 2024. W. G. Cochran, "Sampling Techniques",
    3rd edition, Wiley 1977, chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import StratifiedSampler
    >>> scores = np.linspace(0, 0.5, 1000)        # 1 - confidence
    >>> failed = np.random.default_rng(0).random(1000) < scores
    >>> sampler = StratifiedSampler(random_state=0).fit(scores)
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> len(np.unique(sampler.strata_[sampler.ids_]))
    10
    >>> low, high = result.interval
    >>> low < 1 - float(failed.mean()) < high
    True
    """

    _parameter_rules = {
        "allocation": Choice("neyman", "proportional"),
        "floor": Number(low=0, high=1),
    }

    def __init__(self, estimator=None, *, allocation="neyman", floor=0.5, **shared):
        super().__init__(estimator, **shared)
        self.allocation = allocation
        self.floor = floor

    def _start(self):
        super()._start()
        self.allocation_ = self.allocation  # fixed once drawing begins

    def _counts(self, sizes, parts, scores, labels, n, free):
        spread = np.ones(len(sizes))
        if self.allocation_ == "neyman":
            mean = np.bincount(labels, scores) / sizes
            square = np.bincount(labels, (scores - mean[labels]) ** 2)
            spread = np.sqrt(square / np.maximum(sizes - 1, 1))
        need = sizes * spread
        share = need / need.sum() if need.any() else 0.0
        part = self.floor if self.allocation_ == "neyman" else 1.0
        need = (1 - part) * share + part * sizes / sizes.sum()
        if self.costs_ is not None:
            need = need / np.sqrt(self._mean_costs(labels, sizes, free))
        return allocate(need, sizes, n)

    def _mean_costs(self, labels, sizes, free):
        return np.bincount(labels, self.costs_[free]) / sizes

    def _expected_cost(self, n):
        free = np.flatnonzero(self._unasked)
        labels, counts, sizes = self._allocation(free, n)
        return float(counts @ self._mean_costs(labels, sizes, free))
