"""Confidence-stratified sampling (CSS)."""

import numpy as np

from skrobust._array_checks import number_array
from skrobust._validation import invalid
from skrobust.sampling.designs.fixed_size import allocate
from skrobust.sampling.designs.partitions import share_strata
from skrobust.sampling.designs.stratified_rounds import StratifiedRounds


class ConfidenceStratifiedSampler(StratifiedRounds):
    r"""Confidence-stratified sampling (CSS).

    Draws are uniform inside a confident, a middle and an unsure part of the pool. The
    inputs are put in the order of their scores (1 - confidence) and cut into parts of
    given shares; each part gets a given share of the labels. The failure rate is the
    stratified mean, with its unbiased variance, as in
    :class:`~skrobust.sampling.StratifiedSampler`.

    The paper could not be read in full for this class: that the 80, 10 and 10 % of the
    pool, from the most confident on, get 20, 40 and 40 % of the labels is **recalled,
    not verified**. Estimates are unbiased whatever the shares.

    Each ``ask`` is one round; ask for the whole budget at once for the published
    design, as ``sample(n, oracle)`` does. A part gets two labels at least, or all it
    has; where n is too small for that, neighbouring parts are joined before the draw.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input, as in :class:`~skrobust.sampling.DeepESTSampler`.
    pool_shares : tuple of float, default=(0.8, 0.1, 0.1)
        Parts of the pool, from the lowest scores on; positive, summing to 1.
    label_shares : tuple of float, default=(0.2, 0.4, 0.4)
        Their parts of the labels; positive, summing to 1.
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
        Part of each input, 0 the most confident.
    y_pred_ : ndarray of shape (n_pool,) or None
        Predicted labels, where there are any.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    Z. Li, X. Ma, C. Xu, C. Cao, J. Xu, J. Lü, "Boosting operational DNN testing
    efficiency through conditioning", ESEC/FSE 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import ConfidenceStratifiedSampler
    >>> scores = np.linspace(0, 0.5, 1000)        # 1 - confidence
    >>> failed = np.random.default_rng(0).random(1000) < scores
    >>> sampler = ConfidenceStratifiedSampler(random_state=0).fit(scores)
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> np.bincount(sampler.strata_[sampler.ids_]).tolist()
    [20, 40, 40]
    """

    def __init__(
        self,
        estimator=None,
        *,
        pool_shares=(0.8, 0.1, 0.1),
        label_shares=(0.2, 0.4, 0.4),
        **shared,
    ):
        super().__init__(estimator, **shared)
        self.pool_shares = pool_shares
        self.label_shares = label_shares

    def _start(self):
        self.strata_ = share_strata(self.scores_, self._shares("pool_shares"))
        self._label_shares = self._shares("label_shares")

    def _counts(self, sizes, parts, scores, labels, n, free):
        need = np.array([self._label_shares[part].sum() for part in parts])
        return allocate(need, sizes, n)

    def _check_parameters(self):
        super()._check_parameters()
        n_parts = len(self._shares("pool_shares"))
        if len(self._shares("label_shares")) != n_parts:
            raise self._no_shares("label_shares")

    def _shares(self, name):
        """Return shares as an array of floats, or raise."""
        try:
            shares = number_array(getattr(self, name), name, type(self).__name__)
        except (TypeError, ValueError):
            raise self._no_shares(name) from None
        shares = shares.astype(np.float64)
        is_list = shares.ndim == 1 and len(shares) > 0
        if not is_list or not (shares > 0).all() or abs(shares.sum() - 1) > 1e-9:
            raise self._no_shares(name)
        return shares

    def _no_shares(self, name):
        rule = "positive shares that sum to 1, as many as pool_shares"
        return invalid(name, type(self).__name__, rule, getattr(self, name))
