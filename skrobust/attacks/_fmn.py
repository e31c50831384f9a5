"""FMN: fast minimum-norm attack."""

import numpy as np

from skrobust._norms import (
    dual_length,
    length,
    namespace,
    per_sample,
    project,
    steepest,
)
from skrobust._parameters import Count, Norm, Number
from skrobust.attacks.core.minimal_norm_attack import MinimalNormAttack


class FMN(MinimalNormAttack):
    r"""Fast minimum-norm attack (FMN), in any norm.

    .. math::
        \delta \leftarrow \Pi_{\epsilon_k}(\delta + \alpha_k u(\nabla m)), \qquad
        \epsilon_{k+1} = (1 \mp \gamma_k)\,\epsilon_k

    m is the margin (highest other score minus that of the true class), softened over
    the other classes (see Notes of :class:`PGD`), and
    :math:`\Pi` the projection onto the ball of the norm. Until a row was fooled once,
    its radius is the first-order distance of the boundary from the present iterate.

    Parameters
    ----------
    eps : float, default=numpy.inf
        Longest perturbation that counts, in the units of the raw input of the whole
        pipeline; ``numpy.inf`` sets no limit.
    norm : {inf, 2, 1, 0}, default=inf
        Norm that is minimised.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=100
        Gradient steps.
    step_size : float, default=1.0
        Factor on all steps; 1 suits inputs of any scale.
    gamma : float, default=0.05
        Share by which the radius changes at first; it falls to 0 by a cosine.
    objective : {None, "misclassification", "minimal", "loss", "probability_shift"}
        Default None. What comes back: the smallest example, or the row itself where
        that is longer than ``eps`` (None, ``"misclassification"``); the smallest
        example against the predicted class, projected into the ball (``"minimal"``,
        ``"loss"``); the iterate in the ball that moves the probability of the predicted
        class most (``"probability_shift"``).
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict; "fooled"
        then means the prediction of it, and y is not used. None: any wrong label will
        do.
    batch_size : int, default=256
        Samples attacked at a time.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own, in which
        lengths are then meant. Judged, kept and returned are allowed rows alone.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws of a net where ``n_draws`` is above 1; nothing else is drawn.

    Notes
    -----
    With the published first step of 1 this attack fails silently on small inputs. Here
    a step is a multiple of the radius (norms inf, along the sign, and 2) or of the
    first-order L2 distance of the row from the boundary (1 and 0); without a fooling
    iterate the radius grows by at most a factor of 2 a step, for a small gradient says
    nothing about where the boundary is. The norm 0 counts changed features, and its
    radius grows by one feature a step until the row is fooled.

    References
    ----------
    .. [1] M. Pintor, F. Roli, W. Brendel and B. Biggio, "Fast Minimum-norm Adversarial
       Attacks through Adaptive Norm Constraints", NeurIPS 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import FMN
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> norms = FMN(data_range=(0, 1)).minimal_norms(model, X[:50], y[:50])
    >>> bool((norms < 2).all())
    True
    """

    _parameter_rules = {
        "norm": Norm(np.inf, 2, 1, 0),
        "n_steps": Count(),
        "step_size": Number(low=0, low_open=True),
        "gamma": Number(low=0, high=1),
    }

    def __init__(self, eps=np.inf, *, n_steps=100, step_size=1.0, gamma=0.05, **shared):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.step_size = step_size
        self.gamma = gamma

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 5}, {"norm": 0, "n_steps": 5}]

    def _minimize(self, search):
        xp, x = namespace(search.x), search.x
        z, radius = x, xp.zeros_like(search.reach)
        margin, gradient = search.margin, search.gradient
        direction = np.inf if self.norm == np.inf else 2
        narrow = search.goal.targeted and search.scores.shape[1] > 2
        for k in range(self.n_steps):
            cosine = (1 + np.cos(np.pi * k / self.n_steps)) / 2
            radius = self._radius(search, z, radius, margin, gradient, cosine)
            share = self.step_size * (0.01 + 0.99 * cosine)
            far = share * self._pace(search, radius)
            if narrow and k % 2:
                far = xp.minimum(far, self._nearness(search, margin, gradient))
            step = z - x + per_sample(far, x) * steepest(gradient, direction)
            z = search.clip(x + project(step, radius, self.norm))
            if k < self.n_steps - 1:
                margin, gradient = search.evaluate(z)
        search.check(z)

    def _pace(self, search, radius):
        """Return the length of the first steps, along the sign or in the norm 2."""
        if self.norm == 1:
            return search.span
        return 10 * search.span if self.norm == 0 else 2 * radius

    def _nearness(self, search, margin, gradient):
        """Return how far the boundary seems to be of rows that nothing fooled yet.

        One of many classes may lie in a strip narrower than the steps, which jump over
        it for ever. Every other step is therefore that of Newton where it is shorter:
        not each, since on a bent boundary those may come to rest before it.
        """
        xp = namespace(margin)
        slope = dual_length(gradient, np.inf if self.norm == np.inf else 2)
        missing = search.missing(margin)
        usable = (slope > 0) & (missing > 0) & ~xp.isfinite(search.size)
        return xp.where(usable, missing / xp.where(usable, slope, 1.0), np.inf)

    def _radius(self, search, z, radius, margin, gradient, cosine):
        xp, gamma = namespace(z), self.gamma * cosine
        slope = dual_length(gradient, self.norm)
        missing = search.missing(margin)
        missing = missing / xp.where(slope > 0, slope, xp.ones_like(slope))
        smaller, larger = radius * (1 - gamma), radius * (1 + gamma)
        if self.norm == 0:
            smaller = xp.clip(xp.minimum(radius - 1, xp.floor(smaller)), 1, None)
            larger = xp.maximum(radius + 1, xp.floor(larger))
            unseen = radius + 1
        else:
            unseen = length(z - search.x, self.norm) + missing
            unseen = xp.minimum(unseen, xp.maximum(2 * radius, search.reach))
            unseen = xp.maximum(unseen, (1 + self.gamma) * radius)
        smaller = xp.minimum(smaller, search.size)
        missed = xp.where(xp.isfinite(search.size), larger, unseen)
        return xp.where(search.fools(margin), smaller, missed)
