"""Square attack: random squares of an image, or random blocks of a table row."""

import numpy as np

from skrobust._norms import length, per_sample
from skrobust._parameters import Choice, Count, Number
from skrobust._validation import invalid
from skrobust.attacks.core.black_box_attack import BlackBoxAttack
from skrobust.attacks.core.square_windows import Flat, Planes

_WAIT = 0.25  # share of the steps with large blocks, for rows of tables
# Steps of 10,000 after which the share of changed pixels is halved.
_HALVED_AT = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)


class Square(BlackBoxAttack):
    r"""Square attack: random localised changes, kept where the score improves.

    Each step changes a square of every image (flat rows: a random block of features),
    and keeps the change where the margin rises. In the L-infinity ball a square gets
    ``+eps`` or ``-eps`` in each channel; in the L2 ball it gets a bump of the length
    that another square gives up, and in the L1 ball likewise, with most of the length
    in few pixels (our choice; the paper has no L1). The side shrinks on the published
    schedule, which is stretched or squeezed to ``n_steps``.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=None
        Changes tried on each row, one a step. None: ``max_queries``, or else 500.
    p_init : float in (0, 1], default=0.8
        Share of the pixels that a square covers at first.
    image_shape : tuple of int, default=None
        (height, width), with channels before or behind, of flat rows that are images.
        Rows of two or three dimensions are images of themselves.
    channel_axis : {None, 1, -1}, default=None
        Axis of the channels in a batch of images: 1 first, -1 last. None takes the end
        that is 1, 3 or 4 long.
    objective : {None, "misclassification", "loss", "probability_shift"}, default=None
        See :class:`RandomSearch`.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict; success is
        then the prediction of it, and y is not used. None: any wrong label will do.
    response : {"auto", "predict_proba", "decision_function"}, default="auto"
        The method that is asked; labels alone do not guide. "auto" asks a skorch net
        for its logits where the module returns them, as the published code does.
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
    Features of a table have no neighbours: a block is a random set of features, each
    with a sign of its own; in the L2 ball a block turns at constant length. Blocks keep
    their first size for a quarter of the steps (our choice): on trees, whose scores are
    flat, small ones find less than random corners do. A square that would change
    nothing gets the other sign.
    ``p_init`` is that of AutoAttack; the paper takes 0.05 (L-infinity) and 0.1 (L2).

    References
    ----------
    .. [1] M. Andriushchenko, F. Croce, N. Flammarion and M. Hein, "Square Attack: a
       query-efficient black-box adversarial attack via random search", ECCV 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from skrobust.attacks import Square
    >>> X, y = load_digits(return_X_y=True)
    >>> model = RandomForestClassifier(20, random_state=0).fit(X[200:], y[200:])
    >>> attack = Square(
    ...     eps=2, n_steps=50, data_range=(0, 16), image_shape=(8, 8), random_state=0)
    >>> X_adv = attack.perturb(model, X[:20], y[:20])
    >>> bool(model.score(X_adv, y[:20]) < model.score(X[:20], y[:20]))
    True
    """

    _needs_scores = True
    _n_candidates = 4  # working copies of a row
    _parameter_rules = {
        "n_steps": Count(optional=True),
        "p_init": Number(low=0, high=1, low_open=True),
        "channel_axis": Choice(None, 1, -1),
    }

    def __init__(
        self,
        eps=0.1,
        *,
        n_steps=None,
        p_init=0.8,
        image_shape=None,
        channel_axis=None,
        **shared,
    ):
        super().__init__(eps, **shared)
        self.n_steps = n_steps
        self.p_init = p_init
        self.image_shape = image_shape
        self.channel_axis = channel_axis

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 10}, {"norm": 2, "n_steps": 10}, {"norm": 1, "n_steps": 10}]

    _attack_from = BlackBoxAttack._attack

    def _prepare(self, X, queries):
        return self._parts(X.shape[1:])

    def _parts(self, shape):
        """Return what cuts rows of this shape into squares or blocks."""
        if self.image_shape is not None:
            try:
                image = tuple(int(side) for side in self.image_shape)
            except (TypeError, ValueError):
                image = ()
            if len(image) not in (2, 3) or np.prod(image) != np.prod(shape):
                rule = f"(height, width), with channels or not, of {np.prod(shape)}"
                raise invalid("image_shape", "Square", rule, self.image_shape)
            return Planes(image, self.channel_axis)
        return Flat(shape[0]) if len(shape) == 1 else Planes(shape, self.channel_axis)

    def _length(self):
        return self.n_steps or self.max_queries or 500

    def _share(self, step, wait=0.0):
        """Return the share of pixels that a square covers at a step.

        It falls on the published schedule, after a share of the steps to wait.
        """
        place = (step / self._length() - wait) / (1 - wait) * 10_000
        return self.p_init / 2 ** np.searchsorted(_HALVED_AT, place, side="left")

    def _search_rows(self, search):
        parts = search.prepared
        wait = _WAIT if isinstance(parts, Flat) else 0.0
        for step in range(self._length() + 1):
            live = search.live()
            if not len(live):
                return
            rng, share = search.rng(step, live), self._share(step, wait)
            delta = search.domain.units.relative(search.current[live] - search.x[live])
            delta = parts.cut(delta)
            if not step:
                delta = self._first(parts, rng, len(live))
            elif self.norm == np.inf:
                delta = self._recolour(parts, rng, delta, share)
            else:
                free = None
                if search.domain.units.unit is not None:
                    free = parts.cut(search.domain.units.unit[None] > 0)
                delta = self._reshape(parts, rng, delta, share, free)
            delta = parts.join(delta).reshape(len(live), *search.x.shape[1:])
            search.ask(
                live, (search.x[live] + search.domain.units.spread(delta))[:, None]
            )

    def _first(self, parts, rng, n):
        if self.norm == np.inf:
            return self.eps * parts.stripes(rng, n)
        start = parts.tiles(rng, n, self._share(0))
        if self.norm == 1:
            start = self._uneven(start * rng.random(start.shape))
        return self.eps * start / per_sample(length(start, self.norm), start)

    def _uneven(self, bump):
        """Return a bump with most of its length in few features, for the norm 1."""
        return bump**3 if self.norm == 1 else bump

    def _recolour(self, parts, rng, delta, share):
        """Give one square of every row a new sign in each channel."""
        window = parts.window(rng, len(delta), share)
        new = self.eps * parts.signs(rng, len(delta))
        same = ((delta == new) | ~window).reshape(len(delta), -1).all(axis=1)
        new = np.where(per_sample(same, delta), -new, new)
        return np.where(window, new, delta)

    def _reshape(self, parts, rng, delta, share, free):
        """Move length from one square of every row to a bump in another one."""
        window, bump, other = parts.exchange(rng, len(delta), share)
        sign, p = parts.signs(rng, len(delta)), self.norm
        bump = self._uneven(bump)
        if free is not None:
            bump = bump * free
        spare = np.maximum(self.eps**p - (np.abs(delta) ** p).sum(axis=(1, 2, 3)), 0)

        def size(part):
            return (np.abs(part) ** p).sum(axis=(2, 3), keepdims=True) ** (1 / p)

        def unit(part):
            whole = size(part)
            return part / np.where(whole > 0, whole, 1.0)

        present = size(np.where(window | other, delta, 0.0)) ** p
        reach = (present + per_sample(spare, delta) / delta.shape[1]) ** (1 / p)
        mixed = unit(sign * unit(bump) + unit(np.where(window, delta, 0.0)))
        return np.where(window, reach * mixed, np.where(other, 0.0, delta))
