"""What an adversarial row may be: in the ball, in the box, and possible at all."""

import os
from concurrent.futures import ThreadPoolExecutor
from copy import copy

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._bits import chunks
from skrobust._containers import is_frame, to_array
from skrobust._norms import length, per_sample, project
from skrobust._validation import invalid
from skrobust.base._constraint_reader import Reader

_LARGE = 1 << 22  # values from which on several threads pay


class Constraints(BaseEstimator):
    r"""Which features may move, by which values, and in which units.

    Given to an attack as ``constraints=``, it is enforced on whatever the attack
    returns, and attacks search inside it: the model is shown rows that keep the
    constraints alone, the best of these is returned, and where the objective is
    misclassification and none of them fools, the row comes back as it was. Gradients
    are taken at the rounded row and move the point behind it (straight through).

    Parameters
    ----------
    frozen : None, bool array, or sequence of int or str, default=None
        Features that never move: a mask of the shape of one row, or positions (in C
        order), or column names of a data frame.
    integer : None, bool, bool array, or sequence of int or str, default=None
        Features that stay whole numbers; True is all of them, as in 8-bit images. They
        are rounded to the nearest one, or, where the row would then leave the ball or
        the box, towards their clean value.
    valid_values : dict {int or str: sequence of float}, default=None
        The levels that a feature may take, such as the codes of a category. Rounded in
        the same way.
    one_hot : sequence of sequences of int or str, default=None
        Groups of features of which exactly one is 1 and the others 0. The largest one
        wins; a group that would leave the ball or the box stays as it was. A switch
        moves two features by 1.
    scale : array-like of the shape of one row, dict, Series or frame, default=None
        Non-negative units, one a feature: the ball becomes
        :math:`\|(x' - x) / \mathrm{scale}\| \le \mathrm{eps}`. With
        ``scale=X_train.std(axis=0)``, ``eps`` is in standard deviations; with norm
        infinity, ``eps * scale`` is the radius of each feature. Zero freezes. Under a
        data frame, a dict or Series is read by column name, whatever its order, and so
        is a frame of one row (what ``std()`` of polars gives).

    Notes
    -----
    A clean row that breaks the constraints itself (a half in an integer feature, a
    level that is not listed) is refused.

    There is no ``scale="std"``: the deviations of the rows under attack would make the
    result of a row depend on its batch. Those of the training rows are a fixed unit.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import FGSM, Constraints
    >>> X = np.array([[20.0, 1, 0], [50.0, 2, 1], [30.0, 3, 0], [60.0, 4, 1]])
    >>> model = LogisticRegression().fit(X, [0, 1, 0, 1])
    >>> rules = Constraints(integer=[1], frozen=[2], scale=X.std(axis=0))
    >>> X_adv = FGSM(1.0, constraints=rules, objective="loss").perturb(model, X)
    >>> np.abs((X_adv - X) / X.std(axis=0)).max(axis=0).round(2)
    array([1.  , 0.89, 0.  ])

    With a data frame, half a standard deviation of each column of the training rows:

    >>> import pandas as pd
    >>> train = pd.DataFrame(X, columns=["age", "rooms", "owner"])
    >>> rules = Constraints(frozen=["owner"], scale=train.std())
    >>> model = LogisticRegression().fit(train, [0, 1, 0, 1])
    >>> attack = FGSM(0.5, constraints=rules, objective="loss")
    >>> moved = (attack.perturb(model, train) - train) / train.std()
    >>> print(moved.abs().max().round(2).to_dict())
    {'age': 0.5, 'rooms': 0.5, 'owner': 0.0}
    """

    def __init__(
        self, *, frozen=None, integer=None, valid_values=None, one_hot=None, scale=None
    ):
        self.frozen = frozen
        self.integer = integer
        self.valid_values = valid_values
        self.one_hot = one_hot
        self.scale = scale

    def by_position(self, columns):
        """Return the same constraints with positions in place of column names.

        Parameters
        ----------
        columns : sequence of str
            Column names, in order; other names stay as they are.

        Returns
        -------
        constraints : Constraints
            A copy.

        Examples
        --------
        >>> from skrobust.attacks import Constraints
        >>> Constraints(frozen=["b", 0]).by_position(["a", "b"])
        Constraints(frozen=[1, 0])
        """
        places = {str(name): place for place, name in enumerate(columns)}

        def found(spec):
            if isinstance(spec, str) or not np.iterable(spec):
                return spec
            if np.asarray(spec).dtype == bool:
                return spec
            return [places.get(f, f) if isinstance(f, str) else f for f in spec]

        levels, groups = self.valid_values, self.one_hot
        if isinstance(levels, dict):
            levels = dict(zip(found(levels), levels.values(), strict=True))
        if groups is not None and np.iterable(groups):
            groups = [found(group) for group in groups]
        return Constraints(
            frozen=found(self.frozen),
            integer=found(self.integer),
            valid_values=levels,
            one_hot=groups,
            scale=_by_name(self.scale, list(columns)),
        )


def _by_name(scale, columns):
    """Return units in the order of columns; what has no names is left as it is."""
    if is_frame(scale) and len(scale) == 1:
        row = to_array(scale)[0]
        scale = dict(zip(scale.columns, row, strict=True))
    if not hasattr(scale, "items"):
        return scale
    units = dict(scale.items())
    if list(units) == list(range(len(columns))):
        return list(units.values())  # numbered, not named
    missing = [name for name in columns if name not in units]
    extra = [name for name in units if name not in columns]
    if missing or extra:
        rule = "named like the columns of X"
        raise invalid("scale", "Constraints", rule, (missing or extra)[0])
    return [units[name] for name in columns]


def _row_chunks(rows, n=None):
    """Slice n rows so that what is worked on at a time stays in the cache."""
    width = int(np.prod(rows.shape[1:]))
    return chunks(len(rows) if n is None else n, width)


def _between(rows, low, high):
    """Return which rows lie within bounds, a number or one a feature."""
    flat = rows.reshape(len(rows), -1)
    if low.ndim == 0 and high.ndim == 0:
        return (flat.min(axis=1) >= low) & (flat.max(axis=1) <= high)
    inside = (rows >= low) & (rows <= high)
    return inside.reshape(flat.shape).all(axis=1)


class Domain:
    """The set that the adversarial rows of one call must lie in.

    Parameters
    ----------
    values : ndarray of shape (n_samples, ...), float
        Clean rows.
    constraints : Constraints or None
        Beyond ball and box; features by position.
    eps, norm, data_range : float, {inf, 2, 1}, None or (low, high)
        Ball and box.
    owner : str
        The attack that an error names.
    """

    def __init__(self, values, constraints, *, eps, norm, data_range, owner):
        self.eps, self.norm = eps, norm
        self.low = self.high = self.unit = None
        if data_range is not None:
            self.low, self.high = (np.asarray(b, dtype=np.float64) for b in data_range)
        self._levels, self._integer, self._groups = {}, np.array([], dtype=int), []
        if constraints is not None:
            self._read(Reader(values, owner), constraints)

    def _read(self, reader, constraints):
        frozen = reader.places(constraints.frozen, "frozen")
        self.unit = reader.unit(constraints.scale, frozen)
        self._integer = reader.integers(constraints.integer)
        self._levels = reader.levels(constraints.valid_values)
        self._groups = reader.groups(constraints.one_hot)

    @property
    def is_discrete(self):
        """Whether some features take separate values alone."""
        return bool(len(self._integer) or self._levels or self._groups)

    def without_ball(self):
        """Return the same domain with no bound on the length."""
        free = copy(self)
        free.eps = np.inf
        return free

    def spread(self, step):
        """Return steps of the plain ball as steps of this one (frozen features: 0)."""
        return step if self.unit is None else step * self.unit

    def relative(self, delta):
        """Return differences in units of the features; frozen features count 0."""
        if self.unit is None:
            return delta
        safe = np.where(self.unit > 0, self.unit, 1.0)
        return np.where(self.unit > 0, delta / safe, 0.0)

    def length(self, delta):
        """Return the length of each difference, in units of the features."""
        if not len(delta):
            return np.zeros(0)
        return length(self.relative(np.asarray(delta, dtype=np.float64)), self.norm)

    def distance(self, rows, clean):
        """Return how far rows are from their clean rows, in units of the features."""
        out = np.zeros(len(rows))
        for part in _row_chunks(rows):
            delta = np.subtract(rows[part], clean[part], dtype=np.float64)
            out[part] = self.length(delta)
        return out

    def put_back(self, candidates, values):
        """Return rows of the domain near the candidates, in the dtype of ``values``.

        What lies in the domain already comes back bit for bit.

        Parameters
        ----------
        candidates : ndarray of shape (n, ...)
            Any rows; a value that is not finite counts as the clean one.
        values : ndarray of shape (n, ...), float
            The clean row of each candidate.

        Returns
        -------
        ndarray of shape (n, ...)
            Never further from its clean row than eps.
        """
        away = np.flatnonzero(~self._holds(candidates, values))
        if len(away) == 0:
            shares = np.may_share_memory(candidates, values)
            return candidates.copy() if shares else candidates
        out = candidates.astype(values.dtype)
        for part in _row_chunks(out, len(away)):
            rows = away[part]
            out[rows] = self._put_back(candidates[rows], values[rows])
        return out

    def _holds(self, candidates, values):
        """Return which rows can stay as they are; a row of doubt is put back."""
        held = np.zeros(len(values), dtype=bool)
        if self.is_discrete or candidates.dtype != values.dtype:
            return held
        low, high = self.low, self.high
        if low is not None:  # as the clean rows round them
            low, high = low.astype(values.dtype), high.astype(values.dtype)

        def judge(part):
            held[part] = self._judge(candidates[part], values[part], low, high)

        parts = list(_row_chunks(values))
        if values.size < _LARGE:
            list(map(judge, parts))
        else:  # beside a fast net the host's pass over large images is felt
            with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
                list(pool.map(judge, parts))
        return held

    def _judge(self, rows, clean, low, high):
        with np.errstate(over="ignore", invalid="ignore"):
            delta = np.subtract(rows, clean, dtype=np.float64)
            size = self.length(delta)
        fits = (size <= self.eps) & np.isfinite(size)
        if self.norm == 0:  # which counts what is not finite as one
            fits &= np.isfinite(delta).reshape(len(delta), -1).all(axis=1)
        if low is not None:
            fits &= _between(rows, low, high)
        if self.unit is not None:
            still = (rows == clean) | (self.unit > 0)
            fits &= still.reshape(len(rows), -1).all(axis=1)
        return fits

    def _put_back(self, candidates, values):
        exact = values.astype(np.float64)
        candidates = np.where(np.isfinite(candidates), candidates, exact)
        out = self._into_box(self._into_ball(candidates, exact))
        if self.is_discrete:
            out = self._onto_levels(out, exact)
        return self._round_inwards(out, exact, values)

    def _into_ball(self, candidates, exact):
        delta = candidates - exact
        if self.unit is not None:
            candidates = np.where(self.unit > 0, candidates, exact)
        beyond = np.flatnonzero(~(self.length(delta) <= self.eps))
        if len(beyond):
            inside = project(self.relative(delta[beyond]), self.eps, self.norm)
            candidates = np.array(candidates, dtype=np.float64)
            candidates[beyond] = exact[beyond] + self.spread(inside)
        return candidates

    def _into_box(self, rows):
        return rows if self.low is None else np.clip(rows, self.low, self.high)

    def _onto_levels(self, rows, exact):
        """Move to the nearest levels, or, where that leaves the domain, towards x."""
        nearest = self._rounded(rows, exact, towards=False)
        held = self.length(nearest - exact) <= self.eps
        if self.low is not None:
            in_box = (nearest >= self.low) & (nearest <= self.high)
            held &= (in_box | (nearest == exact)).reshape(len(rows), -1).all(axis=1)
        if held.all():
            return nearest
        inwards = self._rounded(rows, exact, towards=True)
        return np.where(per_sample(held, rows), nearest, inwards)

    def _rounded(self, rows, exact, *, towards):
        flat, clean = rows.reshape(len(rows), -1).copy(), exact.reshape(len(rows), -1)
        places = self._integer
        if towards:
            step = flat[:, places] - clean[:, places]
            flat[:, places] = clean[:, places] + np.trunc(step)
        else:
            flat[:, places] = np.round(flat[:, places])
        for place, levels in self._levels.items():
            gap = np.abs(levels - flat[:, [place]])
            if towards:
                low = np.minimum(flat[:, [place]], clean[:, [place]])
                high = np.maximum(flat[:, [place]], clean[:, [place]])
                gap = np.where((levels >= low) & (levels <= high), gap, np.inf)
            flat[:, place] = levels[gap.argmin(axis=1)]
        for group in self._groups:
            hot = flat[:, group].argmax(axis=1)
            switched = np.arange(len(group)) == hot[:, None]
            flat[:, group] = clean[:, group] if towards else switched
        return flat.reshape(rows.shape)

    def _round_inwards(self, out, exact, values):
        """Return rows in the dtype of ``values``; rounding must not leave the ball."""
        out = out.astype(values.dtype)
        for n_steps in (1, 2, 4, 8):
            beyond = np.flatnonzero(~(self.length(out - exact) <= self.eps))
            if not len(beyond):
                return out
            # A step must be seen in the difference, so it is one of the larger number.
            large = np.maximum(np.abs(out[beyond]), np.abs(values[beyond]))
            step = n_steps * np.spacing(large)
            moved = out[beyond] - np.clip(out[beyond] - values[beyond], -step, step)
            out[beyond] = np.where(self._separate(values), out[beyond], moved)
        # Values so coarse that a step inwards is a large one.
        shrunk = values[beyond] + (out[beyond] - values[beyond]) / 2
        keep = self.length(shrunk - exact[beyond]) <= self.eps
        keep &= not self.is_discrete
        out[beyond] = np.where(per_sample(keep, values), shrunk, values[beyond])
        return out

    def _separate(self, values):
        """Return the mask of features that must not be nudged."""
        mask = np.zeros(int(np.prod(values.shape[1:])), dtype=bool)
        mask[self._integer] = True
        mask[list(self._levels)] = True
        for group in self._groups:
            mask[group] = True
        return mask.reshape(values.shape[1:])
