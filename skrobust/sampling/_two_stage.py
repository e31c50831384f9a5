"""Two-stage sampling with unequal probabilities (2-UPS)."""

import numpy as np

from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.designs.fixed_size import mixed_weights
from skrobust.sampling.designs.stratified_rounds import OneByStratum
from skrobust.sampling.designs.weighted_sampler import FloorMixin


class TwoStageSampler(FloorMixin, OneByStratum):
    r"""Two-stage sampling with unequal probabilities (2-UPS).

    A stratum is drawn in proportion to its suspicion, then one of its inputs. Strata
    are cut along the scores. The next stratum is h with probability :math:`P_h`, its
    share of the sum of all scores (mixed with its share of the inputs, see ``floor``)
    among the strata that have inputs left; the next input is any free one of the
    stratum. So a free input is drawn with probability :math:`q_i = P_h / m_h`, with
    :math:`m_h` the free inputs of its stratum, and the estimate is the mean over the
    draws of

    .. math::

        z_k = \frac{1}{N} \Bigl(\sum_{\text{drawn before}} y_j
            + \frac{y_i}{q_i}\Bigr)

    exactly unbiased, with an unbiased variance (Des Raj 1956).

    The published estimate is another one: the mean over the *distinct strata visited*
    of :math:`N_h \bar y_h / (N P_h)`. It is badly biased, since strata count equally
    however often they are drawn; ``estimator="published"`` gives it. The published
    draws never end once a stratum without free inputs dominates; here it is passed
    over.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input, as in :class:`~skrobust.sampling.DeepESTSampler`.
    n_strata : int, default=10
        At most; fewer where there are fewer distinct scores.
    strata : {"kmeans", "quantile"}, default="kmeans"
        Intervals of little variance, or of equally many inputs.
    floor : float in [0, 1], default=0.1
        Uniform part of the probabilities. With 0, as published, strata whose scores are
        all 0 are drawn last, and the estimate before is biased (and says so).
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
    operational accuracy assessment", ICSE 2024. Des Raj, "Some estimators in sampling
    with varying probabilities without replacement", JASA 1956.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import TwoStageSampler
    >>> scores = np.linspace(0, 0.5, 1000)        # 1 - confidence
    >>> failed = np.random.default_rng(0).random(1000) < scores
    >>> sampler = TwoStageSampler(random_state=0).fit(scores)
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> low, high = result.interval
    >>> low < 1 - float(failed.mean()) < high
    True
    >>> abs(sampler.result(estimator="published").accuracy - result.accuracy) > 0.02
    True
    """

    def __init__(self, estimator=None, *, floor=0.1, **shared):
        super().__init__(estimator, **shared)
        self.floor = floor

    def _start(self):
        super()._start()
        weights = mixed_weights(self.scores_, self.floor)
        self._stratum_share = np.bincount(self.strata_, weights)
        self._n_unreachable = int(self._sizes[self._stratum_share == 0].sum())

    def _weights_now(self, left):
        return self._stratum_share

    def _published(self, answered):
        drawn, failed = self._counts_by_stratum(answered.ids, answered.y)
        seen = (drawn > 0) & (self._stratum_share > 0)
        each = failed[seen] / drawn[seen] * self._sizes[seen]
        rate = float((each / self._stratum_share[seen]).mean() / self.n_pool_)
        return Estimate(rate, np.nan, 0.0, float(answered.n))
