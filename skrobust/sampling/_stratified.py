"""Stratified simple random sampling (SSRS) with Neyman allocation."""

import numpy as np

from skrobust._parameters import Choice
from skrobust.sampling.designs.fixed_size import neyman_allocation
from skrobust.sampling.designs.stratified_rounds import StrataSampler, StratifiedRounds


class StratifiedSampler(StrataSampler, StratifiedRounds):
    r"""Stratified random sampling along the scores (SSRS).

    The pool is cut into strata along the scores; a stratum h of :math:`N_h` inputs gets
    :math:`n_h` labels in proportion to :math:`N_h S_h`, with :math:`S_h` the standard
    deviation of its scores (Neyman). The failure rate and its variance are

    .. math::

        \hat\theta = \sum_h \frac{N_h}{N} \bar y_h, \qquad
        V = \sum_h \frac{N_h^2}{N^2} \Bigl(1 - \frac{n_h}{N_h}\Bigr) \frac{s_h^2}{n_h}

    both exactly unbiased; the t interval has Satterthwaite's degrees of freedom.

    Each ``ask`` is one round: a stratified sample of what is still free. Ask for the
    whole budget at once for the published design; ``sample(n, oracle)`` does.

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

    _parameter_rules = {"allocation": Choice("neyman", "proportional")}

    def __init__(self, estimator=None, *, allocation="neyman", **shared):
        super().__init__(estimator, **shared)
        self.allocation = allocation

    def _start(self):
        super()._start()
        self.allocation_ = self.allocation  # fixed once drawing begins

    def _counts(self, sizes, parts, scores, labels, n):
        spread = np.ones(len(sizes))
        if self.allocation_ == "neyman":
            mean = np.bincount(labels, scores) / sizes
            square = np.bincount(labels, (scores - mean[labels]) ** 2)
            spread = np.sqrt(square / np.maximum(sizes - 1, 1))
        return neyman_allocation(sizes, spread, n)
