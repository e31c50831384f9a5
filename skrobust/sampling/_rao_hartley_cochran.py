"""Rao-Hartley-Cochran sampling (RHC-S)."""

import numpy as np

from skrobust.sampling.designs.fixed_size import rao_hartley_cochran
from skrobust.sampling.designs.variances import rao_hartley_cochran_variance
from skrobust.sampling.designs.weighted_sampler import WeightedSampler


class RaoHartleyCochranSampler(WeightedSampler):
    r"""Rao-Hartley-Cochran sampling: one draw from each random group (RHC-S).

    The free inputs are split at random into n groups whose sizes :math:`N_g` differ by
    at most one; of each group one input is drawn in proportion to
    :math:`p_i = (1 - f) x_i / \sum_j x_j + f / N`. With :math:`Q_g` the sum of p over a
    group, the failure rate and its variance are

    .. math::

        \hat\theta = \frac{1}{N} \sum_g \frac{y_g}{p_g / Q_g}, \qquad
        V = \frac{\sum_g N_g^2 - N}{N^2 - \sum_g N_g^2}
            \sum_g Q_g \Bigl(\frac{y_g}{N p_g} - \hat\theta\Bigr)^2

    both exactly unbiased. Each ``ask`` is one round with groups of its own; ask for the
    whole budget at once for the published design, as ``sample(n, oracle)`` does. With
    ``floor=0`` the draws are the published ones too; ``estimator="published"`` is the
    same estimate, whose formulas are sound.

    ``draw_probabilities_`` are :math:`p_g / Q_g`: the probability of being drawn from
    one's group.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input, as in :class:`~skrobust.sampling.DeepESTSampler`.
    floor : float in [0, 1], default=0.1
        f, the uniform part of the probabilities; 0 as published. With 0, inputs of
        score 0 are hardly ever drawn, and the estimate is biased (and says so).
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
    J. N. K. Rao, H. O. Hartley, W. G. Cochran, "On a simple procedure of unequal
    probability sampling without replacement", JRSS B 1962. A. Guerriero,
    R. Pietrantuono, S. Russo, "DeepSample: DNN sampling-based testing for operational
    accuracy assessment", ICSE 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import RaoHartleyCochranSampler
    >>> scores = np.linspace(0, 0.5, 1000)        # 1 - confidence
    >>> failed = np.random.default_rng(0).random(1000) < scores
    >>> sampler = RaoHartleyCochranSampler(random_state=0).fit(scores)
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> low, high = result.interval
    >>> low < 1 - float(failed.mean()) < high
    True
    """

    _sequential = False
    _in_groups = True

    def __init__(self, estimator=None, *, floor=0.1, **shared):
        super().__init__(estimator, **shared)
        self.floor = floor

    def _draw(self, n):
        free = np.flatnonzero(self._unasked)
        p = self._p[free]
        p = p / p.sum() if p.any() else np.full(len(free), 1 / len(free))
        permutation = self._rng.permutation(len(free))
        picked, pi, shares, least, sizes = rao_hartley_cochran(
            p, n, permutation, self._rng.random(n)
        )
        self._draws.floors.extend([least / n] * n)
        design = {
            "shares": shares.tolist(),
            "squares": int((sizes.astype(np.int64) ** 2).sum()),
            "n_free": len(free),
        }
        return free[picked], pi, design

    def _round_variance(self, residuals, pi, design):
        shares = np.array(design["shares"])
        variance = rao_hartley_cochran_variance(
            residuals, pi, shares, design["squares"], design["n_free"]
        )
        return variance / self.n_pool_**2, len(pi) - 1.0
