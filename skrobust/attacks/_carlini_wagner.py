"""Carlini-Wagner attack."""

import numpy as np

from skrobust._norms import length, namespace, per_sample
from skrobust._parameters import Count, Norm, Number
from skrobust.attacks.core.minimal_norm_attack import MinimalNormAttack


class CarliniWagner(MinimalNormAttack):
    r"""Carlini-Wagner attack: distance plus a constant times the missing margin.

    .. math::
        \min_\delta \lVert\delta\rVert_2^2 / \rho^2 + c \cdot
        \max(-m(x + \delta), 0) / |m(x)|

    by Adam, with m the margin and c searched for each row by itself. For the norm inf
    the distance is :math:`\sum_i \max(|\delta_i| - \tau, 0)`, and :math:`\tau` falls
    below the size of every smaller example. Here because people ask for it:
    :class:`DDN` and :class:`FMN` reach the same norms several times faster.

    Parameters
    ----------
    eps : float, default=numpy.inf
        Longest perturbation that counts, in the units of the raw input of the whole
        pipeline; ``numpy.inf`` sets no limit.
    norm : {inf, 2}, default=2
        Norm that is minimised. That of the paper is the default, where other attacks
        take ``numpy.inf``: the same ``eps`` is a far smaller ball here.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=100
        Most steps for each constant; with the norm 2, rows whose objective no longer
        falls leave early.
    n_searches : int, default=6
        Constants tried: ten times larger until the row is fooled, then bisected (norm
        inf: kept, as the limit does the rest).
    initial_const : float, default=1.0
        First constant c, free of units.
    learning_rate : float, default=0.3
        Rate of Adam, in units of the first-order distance of the row from the boundary
        spread over all features; twice that for the norm inf.
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
    Published with :math:`\tanh` as change of variable, which cannot move pixels that
    are exactly at a bound: its slope is zero there. Here the perturbation itself is the
    variable, and each step is cut to ``data_range``; a pixel at its bound moves as
    freely inwards as any other. Distance and margin are divided by :math:`\rho`, the
    first-order distance from the boundary, and by the clean margin, so that neither the
    scale of the features nor that of the scores matters. The slope of the margin is
    that of the soft margin (see Notes of :class:`PGD`). Everything, also the early
    stop, is decided for each row by itself, and a row that was never fooled is reported
    as such. As long as nothing fools a row, each search takes steps twice as long: the
    slope at the row may have misjudged how far the boundary is.

    For the norm inf the published factor of :math:`\tau`, 0.9, and the steps of Adam
    become ever finer over all searches, and a limit below which nothing was found is
    taken back half way: examples came out 6 to 8 per cent shorter on digits.

    References
    ----------
    .. [1] N. Carlini and D. Wagner, "Towards Evaluating the Robustness of Neural
       Networks", IEEE Symposium on Security and Privacy 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import CarliniWagner
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> norms = CarliniWagner(data_range=(0, 1)).minimal_norms(model, X[:50], y[:50])
    >>> bool((norms < 2).all())
    True
    """

    _parameter_rules = {
        "norm": Norm(np.inf, 2),
        "n_steps": Count(),
        "n_searches": Count(),
        "initial_const": Number(low=0, low_open=True),
        "learning_rate": Number(low=0, low_open=True),
    }

    def __init__(
        self,
        eps=np.inf,
        *,
        norm=2,
        n_steps=100,
        n_searches=6,
        initial_const=1.0,
        learning_rate=0.3,
        **shared,
    ):
        super().__init__(eps, norm=norm, **shared)
        self.n_steps = n_steps
        self.n_searches = n_searches
        self.initial_const = initial_const
        self.learning_rate = learning_rate

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 5, "n_searches": 2}]

    def _minimize(self, search):
        xp = namespace(search.x)
        unit = xp.ones_like(search.size)
        const, low, high = self.initial_const * unit, 0 * unit, unit + np.inf
        limit = search.reach
        for number in range(self.n_searches):
            before = search.size + 0
            fooled, limit = self._run_adam(search, const, limit, number)
            if self.norm == np.inf:
                const, limit = self._renew(search, const, limit, fooled, before)
                continue
            low = xp.where(fooled, low, xp.maximum(low, const))
            high = xp.where(fooled, xp.minimum(high, const), high)
            middle = (low + xp.where(xp.isfinite(high), high, low)) / 2
            const = xp.where(xp.isfinite(high), middle, 10 * const)

    def _renew(self, search, const, limit, fooled, before):
        """Return constants and limits of the next search for the norm inf."""
        xp = namespace(const)
        found = xp.isfinite(search.size)
        const = xp.where(fooled, const, xp.where(found, 2 * const, 10 * const))
        # No smaller example below this limit: the next one lies between.
        back = found & (search.size >= before)
        return const, xp.where(back, (limit + search.size) / 2, limit)

    def _run_adam(self, search, const, limit, number):
        """Run Adam on distance plus const times hinge; say which rows it fooled."""
        xp, x = namespace(search.x), search.x
        fooled, limit = const < 0, limit + 0
        pace = self.learning_rate * search.span / int(np.prod(x.shape[1:])) ** 0.5
        pace = pace if self.norm == 2 else 2 * pace
        # Where nothing fooled yet the slope at the row may mislead.
        pace = xp.where(xp.isfinite(search.size), pace, 2**number * pace)
        live = {
            "rows": xp.where(const > 0)[0],
            "x": x,
            "z": search.best + 0 if self.norm == np.inf else x,
            "mean": 0 * x,
            "square": 0 * x,
            "pace": per_sample(pace, x),
            "const": const,
            "limit": limit + 0,
            "loss": const + np.inf,
            "height": xp.where(search.margin < 0, -search.margin, 1.0),
            "reach": xp.where(search.reach > 0, search.reach, 1.0),
        }
        wait = max(self.n_steps // 10, 5)
        # For the norm inf the objective changes on the way. Rounded rows stand still
        # while the points behind them move on.
        leaves = self.norm == 2 and search.ball.allowed is None
        for k in range(1, self.n_steps + 1):
            rows = live["rows"]
            margin, gradient = search.evaluate(live["z"], rows)
            success = search.fools(margin, rows)
            fooled[rows] = fooled[rows] | success
            share = 1.0
            if self.norm == np.inf:  # ever finer, over all searches
                progress = (number + k / self.n_steps) / self.n_searches
                share = (1 + np.cos(np.pi * progress)) / 2
            loss = self._step(search, live, margin, gradient, success, k, share)
            limit[rows] = live["limit"]
            if k % wait == 0 and leaves:
                stay = loss < 0.9999 * live["loss"]
                live["loss"] = loss
                live = {name: value[stay] for name, value in live.items()}
                if not len(live["rows"]):
                    return fooled, limit
        margin = search.check(live["z"], live["rows"])
        success = search.fools(margin, live["rows"])
        fooled[live["rows"]] = fooled[live["rows"]] | success
        return fooled, limit

    def _step(self, search, live, margin, gradient, success, k, share):
        """Take the k-th step of Adam; return the objective before it."""
        xp = namespace(gradient)
        distance, slope = self._distance(live, success, share)
        missing = xp.clip(-margin, 0, None) / live["height"]
        pull = xp.where(success, 0.0, live["const"] / live["height"])
        slope = slope - per_sample(pull, gradient) * gradient
        live["mean"] = 0.9 * live["mean"] + 0.1 * slope
        live["square"] = 0.999 * live["square"] + 0.001 * slope * slope
        scale = xp.sqrt(live["square"] / (1 - 0.999**k))
        move = live["mean"] / (1 - 0.9**k) / xp.where(scale > 0, scale, 1.0)
        live["z"] = search.clip(
            live["z"] - (0.005 + 0.995 * share) * live["pace"] * move
        )
        return distance + live["const"] * missing

    def _distance(self, live, success, share):
        """Return the distance term and its slope, free of any unit."""
        step, reach = live["z"] - live["x"], live["reach"]
        xp = namespace(step)
        if self.norm == 2:
            size = length(step, 2) / reach
            return size**2, 2 * step / per_sample(reach, step) ** 2
        shorter = (1 - 0.1 * max(share, 0.01)) * length(step, np.inf)
        smaller = xp.minimum(live["limit"], shorter)
        live["limit"] = xp.where(success, smaller, live["limit"])
        over = xp.clip(xp.abs(step) - per_sample(live["limit"], step), 0, None)
        unit = reach * int(np.prod(step.shape[1:]))
        slope = xp.where(over > 0, xp.sign(step), 0.0) / per_sample(unit, step)
        return length(over, 1) / unit, slope
