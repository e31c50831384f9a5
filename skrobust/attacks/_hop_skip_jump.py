"""HopSkipJump: a decision-based attack."""

import copy

import numpy as np

from skrobust._array_checks import check_rows
from skrobust._containers import to_array
from skrobust._parameters import Count, Radius
from skrobust._validation import invalid
from skrobust.attacks.core.black_box_attack import BlackBoxAttack
from skrobust.attacks.core.boundary_walk import BoundaryWalk
from skrobust.attacks.core.corner_walk import CornerWalk
from skrobust.base.attack_input import in_order_of

_N_STEPS = 10  # without a budget


class HopSkipJump(BlackBoxAttack):
    r"""HopSkipJump attack: steps along the boundary towards the clean row.

    Needs labels alone. Each step finds the boundary on the way to the clean row, reads
    the direction of the boundary off the labels of random points around it,

    .. math:: v = \frac1B \sum_b (\phi(x_t + \delta u_b) - \bar\phi)\, u_b,

    where :math:`\phi` is 1 where the model is fooled and -1 elsewhere, and jumps along
    v. For L-infinity the walk is over corners of cubes instead, see Notes. All rows go
    in step, so that a step is a few calls of the model, however many rows there are.

    Parameters
    ----------
    eps : float, default=inf
        Radius of the ball, in the units of the raw input of the whole pipeline. A row
        leaves once it is fooled inside; one for which the attack finds nothing inside
        comes back unchanged. ``numpy.inf``: no ball, the nearest fooling point found.
    norm : {inf, 2, 1}, default=inf
        Norm that is made small.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=None
        Steps along the boundary. None: 10, or with ``max_queries`` as many as these
        allow.
    n_directions : int, default=100
        Random points (L-infinity: flips) of the first step; step t takes ``sqrt(t)``
        times as many.
    starts : None, "rows" or array-like of shape (n, ...), default=None
        Where a fooling point is taken from: the nearest rows of another predicted
        class (with ``target``: of that one), in an array (training rows are best) or
        among the rows of the call. The latter makes a result depend on which other rows
        are attacked. None, and where the rows do not help: random points further and
        further away; a target is seldom met there.
    objective : {None, "misclassification"}, default=None
        Labels know no other.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict; success is
        then the prediction of it, and y is not used. The start is the nearest row of
        ``starts`` that the model predicts to be it. None: any wrong label will do.
    response : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
        The method whose labels count; "auto" is ``predict``.
    max_queries : int, default=None
        Most rows shown to the model for each row under attack. None: what the steps
        need. The labels of ``starts`` are asked once for all and not counted.
    batch_size : int, default=None
        Most rows in a call of the model; None: as many as fit 64 MiB.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same int gives the same result whatever the batch size or the order
        of the rows.

    Notes
    -----
    Ours: the way to the boundary is searched at seven points a call instead of one, the
    jump is the longest of six tried in one call that still fools, a step goes on from
    the better of its two ends, and for flat rows features that are not needed go back
    to their clean values at the end.

    Ours, too: with a finite ``eps``, random points of the surface of the ball come
    first (L-infinity: half of ``max_queries`` and at least 60, else a tenth and at
    least 30; without ``max_queries`` as many as ``n_directions``), so that the attack
    is not weaker than these. And for L-infinity, where signs that are read off few
    labels turn most features the wrong way, blocks of features are turned to the other
    side of the cube, all at once, then halves, quarters and so on, as in [2]_; where
    the model stays fooled in a smaller cube, that is where the walk goes on. Half of
    these questions are about corners of the ball itself, with the signs of that place.

    References
    ----------
    .. [1] J. Chen, M. Jordan and M. Wainwright, "HopSkipJumpAttack: A Query-Efficient
       Decision-Based Attack", IEEE S&P 2020.
    .. [2] J. Chen and Q. Gu, "RayS: A Ray Searching Method for Hard-label Adversarial
       Attack", KDD 2020 (the halving of blocks).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from skrobust.attacks import HopSkipJump
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> attack = HopSkipJump(n_steps=3, starts=X, random_state=0)
    >>> X_adv = attack.perturb(model, X[:3], y[:3])
    >>> [int(label) for label in model.predict(X_adv) == y[:3]]
    [0, 0, 0]
    """

    _moves_probabilities = False
    _moves_numbers = False
    _parameter_rules = {
        "eps": Radius(low=0, infinite=True),
        "n_steps": Count(optional=True),
        "n_directions": Count(low=2),
    }

    def __init__(
        self, eps=np.inf, *, n_steps=None, n_directions=100, starts=None, **shared
    ):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.n_directions = n_directions
        self.starts = starts

    def _by_position(self, X):
        starts = in_order_of(X, self.starts, "starts", "HopSkipJump")
        attack = super()._by_position(X)
        if starts is not self.starts:
            attack = copy.copy(attack)
            attack.starts = starts
        return attack

    def _n_on_surface(self):
        """Return how many points of the surface are asked about before the walk."""
        if self.max_queries is None:
            return self.n_directions
        share, least = (2, 60) if self.norm == np.inf else (10, 30)
        return max(min(least, self.max_queries), self.max_queries // share)

    @classmethod
    def _get_test_params(cls):
        return [{"eps": 1.0, "n_steps": 2, "n_directions": 10}]

    def _check_parameters(self):
        caller = "HopSkipJump"
        if self.objective not in (None, "misclassification"):
            rule = "None or 'misclassification', as it sees labels alone"
            cure = (
                "For shifts of a probability or of a regressor's prediction use "
                "RandomSearch, Square or ZOO."
            )
            raise invalid("objective", caller, rule, self.objective, cure)
        if isinstance(self.starts, str) and self.starts != "rows":
            rule = "None, 'rows' or an array of rows"
            raise invalid("starts", caller, rule, self.starts)

    @property
    def _n_candidates(self):
        return int(self.n_directions * np.sqrt(self.n_steps or _N_STEPS)) + 1

    def _order(self, shift):
        return ("predict", "predict_proba", "decision_function")

    def _prepare(self, X, queries):
        if self.starts is None:
            return None
        pool = X
        if not isinstance(self.starts, str):
            pool = check_rows(to_array(self.starts), "HopSkipJump")
            if pool.shape[1:] != X.shape[1:]:
                rule = f"of rows of shape {X.shape[1:]}"
                raise invalid("starts", "HopSkipJump", rule, pool.shape)
        pool = pool.astype(X.dtype)
        return pool, queries.labels(pool)

    def _search_rows(self, search):
        rows = search.live()
        if not len(rows):
            return
        kind = CornerWalk if self.norm == np.inf else BoundaryWalk
        walk = kind(self, search, rows)
        if self.eps < np.inf:
            walk.look_on_surface(self._n_on_surface())
        walk.find_starts()
        walk.to_boundary(walk.rows())
        n_steps = self.n_steps or (_N_STEPS if self.max_queries is None else 10**6)
        for step in range(1, n_steps + 1):
            rows = walk.rows()
            if not len(rows):
                break
            search.iterations[rows] += 1
            walk.jump(rows, step)
        if self.norm == np.inf:  # flips stop a little short of the boundary
            walk.to_boundary(walk.rows())
        elif search.x.ndim == 2:
            walk.undo_features(walk.rows())
        walk.write_down()
