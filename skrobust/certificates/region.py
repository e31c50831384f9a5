"""Region of a certificate: the points that an attack may reach from each row."""

from dataclasses import dataclass, replace

import numpy as np

from skrobust._differentiable import scaler_parts
from skrobust.attacks.core.closed_forms import farthest, room_of

SLACK = 1e-9  # of scores, relative to their size: rounding in double precision


@dataclass(frozen=True)
class Region:
    """Region around each row: a ball, cut by a box.

    Attributes
    ----------
    rows : ndarray of shape (n_samples, n_features), float64
        The middles, flattened.
    eps : float, or for the norm inf ndarray of shape (n_features,)
        Radius of the ball, or of each feature.
    norm : {inf, 2, 1}
        Norm of the ball.
    data_range : None or (low, high)
        The box; scalars or arrays of shape (n_features,).
    slack : float
        What the model may round, as a part of its scores.
    dtype : dtype or type
        Of the floats in which a model sees the rows.
    rounding : float or ndarray of shape (n_features,)
        How far from here rounding in steps before may have taken each feature.
    """

    rows: np.ndarray
    eps: float
    norm: float
    data_range: tuple | None = None
    slack: float = SLACK
    dtype: type = np.float64
    rounding: float | np.ndarray = 0.0

    @classmethod
    def of(cls, values, eps, norm, data_range, dtype=np.float64):
        """Return the region of rows of any shape, which a model sees in a dtype."""
        if data_range is not None:
            shape = values.shape[1:]
            data_range = tuple(
                np.broadcast_to(np.asarray(b, dtype=np.float64), shape).ravel()
                for b in data_range
            )
        rows = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
        slack = max(SLACK, 16 * float(np.finfo(dtype).eps))
        return cls(rows, eps, norm, data_range, slack, dtype)

    def __len__(self):
        return len(self.rows)

    def take(self, places):
        """Return the region of some of the rows."""
        return replace(self, rows=self.rows[places])

    def of_features(self, features):
        """Return the region of some of the features."""
        box = self.data_range
        if box is not None:
            box = tuple(b[features] for b in box)
        own = {
            name: value[features] if np.ndim(value) else value
            for name in ("eps", "rounding")
            for value in [getattr(self, name)]
        }
        return replace(self, rows=self.rows[:, features], data_range=box, **own)

    def through(self, scale, shift):
        """Return a region that holds each point of this one, scaled and shifted.

        It is the image of a cube itself; of other balls, the ball of the largest scale.
        """
        size, box = np.abs(scale), self.data_range
        eps = self.eps * (size if self.norm == np.inf else size.max(initial=0.0))
        if box is not None:
            ends = [b * scale + shift for b in box]
            box = np.minimum(*ends), np.maximum(*ends)
        rows = self.rows * scale + shift
        far = np.nan_to_num(np.abs(self.rows)).max(axis=0, initial=0.0) + self.eps
        unit = 4 * float(np.finfo(self.dtype).eps)
        rounding = size * self.rounding + unit * (far * size + np.abs(shift))
        return replace(self, rows=rows, eps=eps, data_range=box, rounding=rounding)

    @property
    def is_rounded(self):
        """Whether steps before have moved and rounded the rows."""
        return bool(np.any(self.rounding))

    def move(self, weights):
        """Return the moves within the region that lift a linear function most.

        ``weights`` are of shape (n_features,) or (n_samples, n_features).
        """
        room = room_of(weights, self.rows, self.data_range)
        found = farthest(weights, self.eps, room, self.norm)
        return np.broadcast_to(found, self.rows.shape)

    def rise(self, weights):
        """Return how much a linear function can rise within the region."""
        return (self.move(weights) * weights).sum(axis=1)

    @property
    def box(self):
        """Least and greatest value of each feature, of the shape of the rows."""
        low, high = self.rows - self.eps, self.rows + self.eps
        if self.data_range is not None:
            # A row that rounding put outside of the box is still a point of its region.
            low = np.maximum(low, np.minimum(self.rows, self.data_range[0]))
            high = np.minimum(high, np.maximum(self.rows, self.data_range[1]))
        return low, high

    def reach(self, scale, norm):
        """Return the greatest length of a scaled move, in another norm.

        Parameters
        ----------
        scale : float or ndarray of shape (n_features,)
            What each feature is multiplied with.
        norm : {inf, 2, 1}
            Norm of the length.

        Returns
        -------
        ndarray of shape (n_samples,)
            An upper bound; exact for a single scale without a box.
        """
        size = np.abs(np.broadcast_to(scale, self.rows.shape[1:]))
        low, high = self.box
        span = np.maximum(high - self.rows, self.rows - low) * size
        by_box = {np.inf: span.max(axis=1), 1: span.sum(axis=1)}
        by_box[2] = np.sqrt((span * span).sum(axis=1))
        if self.norm == np.inf:
            return by_box[norm]
        # A ball of norm 1 or 2: the longest way goes along one feature, or all alike.
        most = self.eps * size.max(initial=0.0)
        if norm == 1 and self.norm == 2:
            most = self.eps * float(np.linalg.norm(size))
        return np.minimum(by_box[norm], most)


def diagonal_steps(steps, width):
    """Return (scale, shift) of scalers one after the other; None for other steps."""
    scale, shift = np.ones(width), np.zeros(width)
    for _, step in steps:
        parts = scaler_parts(step)
        if parts is None or len(np.broadcast_to(parts[0], np.shape(parts[1]))) != width:
            return None
        scale, shift = scale * parts[0], shift * parts[0] + parts[1]
    return scale, shift
