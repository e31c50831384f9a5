"""DDN: decoupled direction and norm."""

import numpy as np

from skrobust._norms import length, namespace, per_sample, steepest
from skrobust._parameters import Count, Norm, Number
from skrobust.attacks.core.minimal_norm_attack import MinimalNormAttack


class DDN(MinimalNormAttack):
    r"""Decoupled direction and norm (DDN): steps on a sphere of adaptive radius.

    .. math::
        \delta \leftarrow \delta + \alpha_k \epsilon_k
        \frac{\nabla L}{\lVert\nabla L\rVert_2}, \qquad
        \epsilon_{k+1} = (1 \mp \gamma)\,\epsilon_k, \qquad
        \delta \leftarrow \epsilon_{k+1} \delta / \lVert\delta\rVert_2

    The radius falls after an iterate that fools and rises after one that does not. The
    default choice for small L2 examples.

    Parameters
    ----------
    eps : float, default=numpy.inf
        Longest perturbation that counts, in the units of the raw input of the whole
        pipeline; ``numpy.inf`` sets no limit.
    norm : {2}, default=2
        Norm that is minimised; of others this attack knows nothing, so that ``eps`` is
        a far smaller ball than that of attacks whose default is ``numpy.inf``.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=100
        Gradient steps.
    gamma : float, default=0.05
        Share by which the radius changes at each step.
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
    Published with a first radius and step of 1, for images in [0, 1]. Here the first
    radius is the first-order distance of each row from the boundary and the step a
    share of the present radius, falling from 1 to 0.01 by a cosine; L is the soft
    margin (see Notes of :class:`PGD`). Eight evaluations at the end search the line
    from the row to its example.

    References
    ----------
    .. [1] J. Rony, L. G. Hafemann, L. S. Oliveira, I. Ben Ayed, R. Sabourin and
       E. Granger, "Decoupling Direction and Norm for Efficient Gradient-Based L2
       Adversarial Attacks and Defenses", CVPR 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import DDN
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> norms = DDN(data_range=(0, 1)).minimal_norms(model, X[:50], y[:50])
    >>> bool((norms < 2).all())
    True
    """

    _parameter_rules = {
        "norm": Norm(2),
        "n_steps": Count(),
        "gamma": Number(low=0, high=1),
    }

    def __init__(self, eps=np.inf, *, norm=2, n_steps=100, gamma=0.05, **shared):
        super().__init__(eps, norm=norm, **shared)
        self.n_steps = n_steps
        self.gamma = gamma

    def _minimize(self, search):
        xp = namespace(search.x)
        x, z, delta = search.x, search.x, 0 * search.x
        margin, gradient = search.margin, search.gradient
        radius = search.reach
        for k in range(self.n_steps):
            share = 0.01 + 0.99 * (1 + np.cos(np.pi * k / self.n_steps)) / 2
            grown = xp.where(margin > search.tolerance, 1 - self.gamma, 1 + self.gamma)
            radius = radius * grown if k else radius
            delta = delta + per_sample(share * radius, x) * steepest(gradient, 2)
            size = length(delta, 2)
            size = xp.where(size > 0, size, xp.ones_like(size))
            z = search.clip(x + per_sample(radius / size, x) * delta)
            delta = z - x
            if k < self.n_steps - 1:
                margin, gradient = search.evaluate(z)
        search.check(z)
