"""FAB: fast adaptive boundary attack."""

import numpy as np

from skrobust._norms import length, namespace, per_sample, reach_plane
from skrobust._parameters import Count, Number
from skrobust.attacks.core.minimal_norm_attack import MinimalNormAttack


class FAB(MinimalNormAttack):
    r"""Fast adaptive boundary attack (FAB) towards the likeliest other classes.

    With the linearised boundary at the iterate z, and steps :math:`d_z` and
    :math:`d_x` from z and from the row x to it, the shortest within ``data_range``,

    .. math::
        z \leftarrow (1-\alpha)(z + \eta d_z) + \alpha(x + \eta d_x), \qquad
        \alpha = \min\left(\frac{\lVert d_z\rVert}{\lVert d_z\rVert +
        \lVert d_x\rVert}, \alpha_{max}\right),

    and after an iterate that fools :math:`z \leftarrow x + \beta (z - x)`. The smallest
    examples of all attacks here, and the slowest: two evaluations and one gradient a
    step and class.

    Parameters
    ----------
    eps : float, default=numpy.inf
        Longest perturbation that counts, in the units of the raw input of the whole
        pipeline; ``numpy.inf`` sets no limit.
    norm : {inf, 2, 1}, default=inf
        Norm that is minimised.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=100
        Steps towards each class.
    n_targets : int, default=9
        Number of other classes, those of the highest scores, are tried one by one.
    alpha_max : float, default=0.1
        Largest pull towards the row.
    eta : float, default=1.05
        Factor on the steps, to cross the boundary.
    beta : float, default=0.9
        Share of the perturbation that is left after an iterate that fools.
    objective : {None, "misclassification", "minimal", "loss", "probability_shift"}
        Default None. What comes back: the smallest example, or the row itself where
        that is longer than ``eps`` (None, ``"misclassification"``); the smallest
        example against the predicted class, projected into the ball (``"minimal"``,
        ``"loss"``); the iterate in the ball that moves the probability of the predicted
        class most (``"probability_shift"``).
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
    This is the targeted version (FAB-T); the untargeted one takes a gradient of every
    class at every step, which costs the same. There are no random restarts.

    References
    ----------
    .. [1] F. Croce and M. Hein, "Minimally Distorted Adversarial Examples with a Fast
       Adaptive Boundary Attack", ICML 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import FAB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> norms = FAB(data_range=(0, 1)).minimal_norms(model, X[:50], y[:50])
    >>> bool((norms < 2).all())
    True
    """

    _left_out = ("target",)
    _parameter_rules = {
        "n_steps": Count(),
        "n_targets": Count(),
        "alpha_max": Number(low=0, high=1),
        "eta": Number(low=1),
        "beta": Number(low=0, high=1),
    }

    def __init__(
        self,
        eps=np.inf,
        *,
        n_steps=100,
        n_targets=9,
        alpha_max=0.1,
        eta=1.05,
        beta=0.9,
        **shared,
    ):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.n_targets = n_targets
        self.alpha_max = alpha_max
        self.eta = eta
        self.beta = beta

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 3, "n_targets": 2}]

    def _minimize(self, search):
        others = search.likeliest_others(self.n_targets)
        for place in range(others.shape[1]):
            self._towards(search, others[:, place])

    def _towards(self, search, target):
        xp, x = namespace(search.x), search.x
        z = x
        for _ in range(self.n_steps):
            margin, gradient = search.evaluate(z, target=target)
            margin = -search.missing(margin)
            at_x = margin + (gradient * (x - z)).reshape((len(x), -1)).sum(1)
            here = self._to_plane(search, z, margin, gradient)
            there = self._to_plane(search, x, at_x, gradient)
            near, far = length(here, self.norm), length(there, self.norm)
            whole = xp.where(near + far > 0, near + far, xp.ones_like(far))
            bias = per_sample(xp.clip(near / whole, None, self.alpha_max), x)
            forward = (1 - bias) * (z + self.eta * here)
            z = search.clip(forward + bias * (x + self.eta * there))
            fooled = search.fools(search.check(z))
            z = xp.where(per_sample(fooled, z), x + self.beta * (z - x), z)

    def _to_plane(self, search, z, margin, gradient):
        """Return the step from z to the linearised boundary, from either side."""
        side = namespace(z).where(margin > 0, -1.0 + 0 * margin, 1.0 + 0 * margin)
        towards = per_sample(side, gradient) * gradient
        return reach_plane(towards, abs(margin), self.norm, *search.room(z))
