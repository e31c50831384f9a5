"""ZOO: zeroth-order optimization."""

import numpy as np

from skrobust._norms import per_sample, steepest
from skrobust._parameters import Count, Number
from skrobust.attacks.core.black_box_attack import BlackBoxAttack


class ZOO(BlackBoxAttack):
    r"""Zeroth-order optimization (ZOO): gradients from differences of the scores.

    Each step asks both sides of a few random features of every row in one call,

    .. math:: \hat g_i = \frac{f(x + h e_i) - f(x - h e_i)}{2h},

    remembers the slope of every feature, and goes up the remembered gradient inside the
    ball. Where both sides score the same, as on the flats of trees, the next difference
    of that feature is taken twice as wide, up to ``eps``.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=40
        Calls of the model, for a block of rows.
    n_features : int, default=16
        Features measured in a step; each takes two questions.
    difference : float, default=0.01
        Width h of the first difference, as a share of ``eps``.
    objective : {None, "misclassification", "loss", "probability_shift"}, default=None
        See :class:`RandomSearch`.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict; success is
        then the prediction of it, and y is not used. None: any wrong label will do.
    response : {"auto", "predict_proba", "decision_function"}, default="auto"
        The method that is asked; labels alone have no slope.
    max_queries : int, default=None
        Most rows shown to the model for each row under attack, the clean one and the
        confirmation included. None: what the steps need.
    batch_size : int, default=None
        Most rows in a call of the model; None: as many as fit 64 MiB.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same int gives the same result whatever the batch size or the order
        of the rows.

    Notes
    -----
    The published attack minimises the length plus a loss by Adam on single features.
    Ours goes up the margin inside a given ball; steps of equal length in all features,
    as Adam takes them, would miss the best point of a sphere even on a linear model.

    References
    ----------
    .. [1] P.-Y. Chen, H. Zhang, Y. Sharma, J. Yi and C.-J. Hsieh, "ZOO: Zeroth Order
       Optimization based Black-box Attacks to Deep Neural Networks without Training
       Substitute Models", AISec 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from skrobust.attacks import ZOO
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC().fit(X, y)
    >>> X_adv = ZOO(eps=0.5, random_state=0).perturb(model, X, y)
    >>> bool(model.score(X_adv, y) < model.score(X, y))
    True
    """

    _needs_scores = True
    _parameter_rules = {
        "n_steps": Count(),
        "n_features": Count(),
        "difference": Number(low=0, high=1, low_open=True),
    }

    def __init__(
        self, eps=0.1, *, n_steps=40, n_features=16, difference=0.01, **shared
    ):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.n_features = n_features
        self.difference = difference

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 3, "n_features": 4}]

    @property
    def _n_candidates(self):
        return 2 * self.n_features + 2

    def _search_rows(self, search):
        shape = search.x.shape
        n, d = len(search.x), int(np.prod(shape[1:]))
        point = search.x.astype(np.float64)
        slope, width = np.zeros((n, d)), np.full((n, d), self.difference * self.eps)
        free = np.ones(d, dtype=bool)
        if search.domain.units.unit is not None:
            free = search.domain.units.unit.ravel() > 0
        k = min(self.n_features, int(free.sum()))
        for step in range(self.n_steps):
            live = search.live()
            if not len(live) or not k:
                return
            order = np.where(free, search.rng(step, live).random((len(live), d)), 2.0)
            chosen = np.argsort(order, axis=1)[:, :k]
            asked = self._questions(search, live, point, slope, width, chosen)
            judged, guide = search.ask(live, asked)
            self._learn(search, live, judged, guide, slope, width, chosen)
            self._move(search, live, point, slope, judged)

    def _questions(self, search, live, point, slope, width, chosen):
        """Return the far point along the slope, and both sides of each feature."""
        spread, shape = search.domain.units.spread, search.x.shape[1:]
        k, place = chosen.shape[1], np.arange(len(live))[:, None]
        h = width[live][place, chosen]
        step = np.zeros((len(live), 2, k, slope.shape[1]))
        step[place, 0, np.arange(k), chosen] = h
        step[place, 1, np.arange(k), chosen] = -h
        step = spread(step.reshape(len(live), 2 * k, *shape))
        sides = point[live][:, None] + step
        up = self._uphill(search, live, slope)
        far = search.x[live] + self.eps * spread(up)
        return np.concatenate([far[:, None], point[live][:, None], sides], axis=1)

    def _uphill(self, search, rows, slope):
        return steepest(slope[rows].reshape(-1, *search.x.shape[1:]), self.norm)

    def _learn(self, search, live, judged, guide, slope, width, chosen):
        """Write down the slopes, by the differences that were really made."""
        k, place = chosen.shape[1], np.arange(len(live))[:, None]
        gap = search.domain.units.relative(judged[:, 2 : 2 + k] - judged[:, 2 + k :])
        gap = gap.reshape(len(live), k, -1)[place, np.arange(k), chosen]
        up, down = guide[:, 2 : 2 + k], guide[:, 2 + k :]
        known = np.isfinite(up) & np.isfinite(down)
        rise = np.where(known, up, 0.0) - np.where(known, down, 0.0)
        is_flat = known & ((rise == 0) | (gap == 0))
        rows = live[:, None]
        found = rise / np.where(gap == 0, 1.0, gap)
        slope[rows, chosen] = np.where(known, found, slope[rows, chosen])
        wider = np.minimum(2 * width[rows, chosen], self.eps)
        width[rows, chosen] = np.where(is_flat, wider, width[rows, chosen])

    def _move(self, search, live, point, slope, judged):
        """Go up the slope; where there is none, to the best point that was asked."""
        up = self._uphill(search, live, slope)
        step = 2.5 * self.eps / self.n_steps
        there = point[live] + step * search.domain.units.spread(up)
        there = search.domain.put_back(there, search.x[live]).astype(np.float64)
        stuck = ~slope[live].any(axis=1)
        there = np.where(per_sample(stuck, there), search.current[live], there)
        point[live] = there
