"""DeepFool attack."""

import numpy as np

from skrobust._norms import dual_length, namespace, per_sample, reach_plane
from skrobust._parameters import Count, Number
from skrobust.attacks.core.minimal_norm_attack import MinimalNormAttack

_ROUNDS = 3  # of straightening what was found


class DeepFool(MinimalNormAttack):
    r"""DeepFool attack: steps to the nearest boundary of the linearised model.

    .. math::
        k^* = \arg\min_k |m_k| / \lVert\nabla m_k\rVert_*, \qquad
        x' = x + (1 + \mathrm{overshoot}) \sum_i r_i

    where :math:`m_k` is the score of class k minus that of the true class and
    :math:`r_i` the shortest step to the plane :math:`m_{k^*} = 0`. Rows leave as soon
    as they are fooled. Fast, and on most nets longer than :class:`DDN` by 3 to 15 %.

    Parameters
    ----------
    eps : float, default=numpy.inf
        Longest perturbation that counts, in the units of the raw input of the whole
        pipeline; ``numpy.inf`` sets no limit.
    norm : {inf, 2, 1}, default=inf
        Norm that is minimised.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=50
        Most steps.
    overshoot : float, default=0.02
        Share by which the sum of steps is lengthened, to cross the boundary.
    n_candidates : int, default=9
        Number of other classes, those of the highest scores, are considered.
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
    The planes are those of the scores, never of probabilities, which saturate. Within
    ``data_range`` each step is the shortest one that the box allows, not a shortest
    step cut off at the box. A sum of steps is a path with corners, so what it found is
    straightened three times: from the row itself to the plane that the boundary is at
    the best example so far, and where that falls short, one step further. Both are our
    choice.

    References
    ----------
    .. [1] S.-M. Moosavi-Dezfooli, A. Fawzi and P. Frossard, "DeepFool: A Simple and
       Accurate Method to Fool Deep Neural Networks", CVPR 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import DeepFool
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> norms = DeepFool(data_range=(0, 1)).minimal_norms(model, X[:50], y[:50])
    >>> bool((norms < 2).all())
    True
    """

    _left_out = ("target",)
    _parameter_rules = {
        "n_steps": Count(),
        "overshoot": Number(low=0),
        "n_candidates": Count(),
    }
    _n_looks = 2

    def __init__(
        self, eps=np.inf, *, n_steps=50, overshoot=0.02, n_candidates=9, **shared
    ):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.overshoot = overshoot
        self.n_candidates = n_candidates

    def _minimize(self, search):
        xp = namespace(search.x)
        others = search.likeliest_others(self.n_candidates)
        # A net that draws may say otherwise of a row than a pass before.
        rows = xp.where(search.size > 0)[0]
        z, total = search.x[rows], 0 * search.x[rows]
        for _ in range(self.n_steps):
            if not len(rows):
                break
            step = self._nearest_plane(search, z, rows, others[rows])
            total = total + step
            z = search.clip(search.x[rows] + (1 + self.overshoot) * total)
            margin = search.check(z, rows)
            stay = ~search.fools(margin, rows)
            z, total, rows = z[stay], total[stay], rows[stay]
        for _ in range(_ROUNDS):
            self._straighten(search)

    def _straighten(self, search):
        """Go from each row itself to the boundary as it is at its best example."""
        xp = namespace(search.x)
        rows = xp.where(xp.isfinite(search.size))[0]
        if not len(rows):
            return
        x, z = search.x[rows], search.best[rows]
        margin, gradient = search.evaluate(z, rows, target="highest")
        at_x = margin + (gradient * (x - z)).reshape((len(x), -1)).sum(1)
        z, margin = self._cross(search, x, rows, at_x, gradient)
        short = ~search.fools(margin, rows)
        rows, z = rows[short], z[short]
        if len(rows):
            margin, gradient = search.evaluate(z, rows, target="highest")
            self._cross(search, z, rows, margin, gradient)

    def _cross(self, search, z, rows, margin, gradient):
        """Step from z over the plane of a margin; return where to, and its margin."""
        missing = namespace(z).clip(search.missing(margin, rows), 0, None)
        step = reach_plane(gradient, missing, self.norm, *search.room(z))
        z = search.clip(z + (1 + self.overshoot) * step)
        return z, search.check(z, rows)

    def _nearest_plane(self, search, z, rows, others):
        """Return the step to the nearest boundary of the linearised model."""
        xp = namespace(z)
        best, nearest = 0 * z, search.size[rows] + np.inf
        for place in range(others.shape[1]):
            margin, gradient = search.evaluate(z, rows, target=others[:, place])
            missing = xp.clip(search.missing(margin, rows), 0, None)
            slope = dual_length(gradient, self.norm)
            step = reach_plane(gradient, missing, self.norm, *search.room(z))
            distance = missing / xp.where(slope > 0, slope, 1e-30 + 0 * slope)
            gained = (gradient * step).reshape((len(z), -1)).sum(1)
            # Out of reach in the box: worth a step only where nothing is in reach.
            distance = xp.where(gained < 0.999 * missing, distance * 1e6, distance)
            better = distance < nearest
            best = xp.where(per_sample(better, z), step, best)
            nearest = xp.where(better, distance, nearest)
        return best
