"""Gradient-based sampling (GBS)."""

import numpy as np

from skrobust._parameters import Number
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.designs.stratified_rounds import OneByStratum


class GradientSampler(OneByStratum):
    r"""Gradient-based sampling (GBS).

    Draws go where, by the answers so far, the variance of the estimate falls fastest.
    Strata are cut along the scores. One more label in stratum h lowers the variance of
    a stratified mean by about :math:`W_h^2 \theta_h (1 - \theta_h) / n_h^2`; these
    gradients are equal once :math:`n_h` is in proportion to
    :math:`W_h \sqrt{\theta_h (1 - \theta_h)}`. So the next stratum is h with
    probability

    .. math::

        P_h \propto m_h \sqrt{\tilde\theta_h (1 - \tilde\theta_h)}, \qquad
        \tilde\theta_h = \frac{f_h + a}{n_h + 2 a}

    with :math:`m_h` its free inputs and :math:`f_h` the mispredictions among
    :math:`n_h` answers told before; then any free input of it is drawn, without
    replacement, with probability :math:`q_i = P_h / m_h`. The estimate corrects the
    failure rates of the strata, as they were known at each draw, by the answers:

    .. math::

        z_k = \frac{1}{N} \Bigl(\sum_{\text{drawn before}} y_j
            + \sum_{\text{free}} \mu_{h(j)} + \frac{y_i - \mu_{h(i)}}{q_i}\Bigr),
        \qquad \mu_h = \frac{f_h + \bar\mu}{n_h + 1}

    with :math:`\bar\mu` the failures over one more than all answers. It is exactly
    unbiased, and so is its variance.

    What differs from the authors, and why. They take the stratum of the largest
    gradient for certain, as a choice made by the outcomes: the mean of a stratum that
    is left once it looks good is biased. They count one label too many in each stratum,
    also in the estimate, and put 1 / (n_h + 2) where nothing failed.
    ``estimator="published"`` computes their estimate from the labels drawn here. The
    smoothing above (Beta prior a) serves the choice of strata alone.

    Draws learn from what is told, so ask in small portions; ``sample(n, oracle)`` asks
    one by one.

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
    prior : float, default=0.5
        a, positive: how many answers of each kind are imagined in each stratum.
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
    operational accuracy assessment", ICSE 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import GradientSampler
    >>> scores = np.linspace(0, 0.5, 1000)        # 1 - confidence
    >>> failed = np.random.default_rng(0).random(1000) < scores
    >>> sampler = GradientSampler(random_state=0).fit(scores)
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> low, high = result.interval
    >>> low < 1 - float(failed.mean()) < high
    True
    """

    _parameter_rules = {"prior": Number(low=0, low_open=True)}

    def __init__(self, estimator=None, *, prior=0.5, **shared):
        super().__init__(estimator, **shared)
        self.prior = prior

    def _batches(self, n):
        return [1] * n  # each draw knows the answers before it

    def _start(self):
        super()._start()
        self._prior = float(self.prior)
        self._need = None

    def _snapshot(self):
        drawn, failed = self._counts_by_stratum(*self._outcomes())
        rate = (failed + self._prior) / (drawn + 2 * self._prior)
        self._need = np.sqrt(rate * (1 - rate))
        overall = failed.sum() / (drawn.sum() + 1)
        return {"rates": ((failed + overall) / (drawn + 1)).tolist()}

    def _predict(self, snapshot):
        return np.array(snapshot["rates"])[self.strata_]

    def _weights_now(self, left):
        need = np.full(len(left), 1.0) if self._need is None else self._need
        return left * need

    def _published(self, answered):
        drawn, failed = self._counts_by_stratum(answered.ids, answered.y)
        rate = np.where(failed > 0, failed / (drawn + 1), 1 / (drawn + 2))
        last = self.strata_[answered.ids[-1]]
        rate[last] = failed[last] / (drawn[last] + 1)
        rate = float(rate @ self._sizes / self.n_pool_)
        return Estimate(rate, np.nan, 0.0, float(answered.n))
