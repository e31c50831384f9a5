"""Relations between the features of a row, and rows that keep them."""

import numpy as np

from skrobust._validation import invalid
from skrobust.base.linear_relation import LinearRelation

SWEEPS = 20  # of projections onto relations, ball and box, one after the other
# Of the way from the clean row, one tried after the other; first to undo rounding.
_SHARES = (1 - 1e-9, 0.98, 0.9, 0.75, 0.5, 0.25, 0.125)


class Relations:
    """Relations between the features of a row.

    Parameters
    ----------
    relations : list
        LinearRelation, pairs (place, function) and functions of rows.
    values : ndarray of shape (n_samples, ...), float
        Clean rows, which must keep the relations themselves.
    unit : ndarray of the shape of a row, or None
        0 where a feature never moves.
    attack : str
        Name of the class, for error messages.
    """

    def __init__(self, relations, values, unit, attack):
        self._attack, self._shape = attack, values.shape[1:]
        n = int(np.prod(self._shape))
        self._unit = np.ones(n) if unit is None else unit.reshape(-1)
        linear = [one for one in relations if isinstance(one, LinearRelation)]
        self._weights = np.zeros((len(linear), n))
        for row, one in enumerate(linear):
            for place, weight in one.weights.items():
                self._weights[row, place] = weight
        self._bounds = np.array([one.bound for one in linear])
        self._is_equal = np.array([one.is_equal for one in linear], dtype=bool)
        self._given = [
            (one.given, row) for row, one in enumerate(linear)
            if one.given is not None and self._unit[one.given] > 0
        ]  # fmt: skip
        self._derived = [one for one in relations if isinstance(one, tuple)]
        for place, _ in self._derived:
            if not isinstance(place, (int, np.integer)) or not 0 <= place < n:
                rule = "of features of X"
                raise invalid("relations", "Constraints", rule, place)
        self._rules = [
            one for one in relations if not isinstance(one, (LinearRelation, tuple))
        ]
        # Rows in single precision do not keep equations to more digits.
        self._slack = 1e-5 if values.dtype.itemsize < 8 else 1e-9
        kept = self.kept(values.astype(np.float64))
        if not kept.all():
            raise ValueError(
                f"{attack} needs clean rows that keep its constraints: row "
                f"{int(kept.argmin())} breaks a relation."
            )

    def kept(self, rows):
        """Say which rows keep all relations."""
        flat = rows.reshape(len(rows), -1)
        out = np.ones(len(rows), dtype=bool)
        if len(self._bounds):
            over = flat @ self._weights.T - self._bounds
            size = np.abs(flat) @ np.abs(self._weights).T + np.abs(self._bounds)
            slack = self._slack * np.maximum(size, 1.0)
            over = np.where(self._is_equal, np.abs(over), over)
            out &= (over <= slack).all(axis=1)
        for place, function in self._derived:
            expected = self._numbers(function, rows)
            slack = self._slack * np.maximum(np.abs(expected), 1.0)
            out &= np.abs(flat[:, place] - expected) <= slack
        for rule in self._rules:
            out &= self._ask(rule, rows).astype(bool)
        return out

    def projected(self, rows):
        """Return rows put onto one linear relation after the other."""
        flat, square = rows.reshape(len(rows), -1).copy(), self._unit**2
        for weights, bound, is_equal in self._each():
            over = flat @ weights - bound
            over = over if is_equal else np.maximum(over, 0.0)
            size = (square * weights * weights).sum()
            if size > 0:
                flat -= np.outer(over / size, square * weights)
        return flat.reshape(rows.shape)

    def shortened(self, rows, clean):
        """Return rows moved back to clean ones as far as linear relations ask for."""
        flat, exact = (part.reshape(len(part), -1) for part in (rows, clean))
        step = flat - exact
        share = np.ones(len(rows))
        for weights, bound, is_equal in self._each():
            rise = step @ weights
            room = np.maximum(bound - exact @ weights, 0.0)
            if not is_equal:
                # Rows that were put onto the bound are beyond it by rounding alone.
                size = np.abs(flat) @ np.abs(weights) + abs(bound)
                over = rise > room + 1e-12 * size
                share[over] = np.minimum(share[over], room[over] / rise[over])
        return (exact + share[:, None] * step).reshape(rows.shape)

    def _each(self):
        return zip(self._weights, self._bounds, self._is_equal, strict=True)

    def follow(self, rows):
        """Return rows whose given and derived features follow the others."""
        flat = rows.reshape(len(rows), -1).copy()
        for place, row in self._given:
            weights = self._weights[row]
            rest = flat @ weights - flat[:, place] * weights[place]
            flat[:, place] = (self._bounds[row] - rest) / weights[place]
        for place, function in self._derived:
            flat[:, place] = self._numbers(function, flat.reshape(rows.shape))
        return flat.reshape(rows.shape)

    def settle(self, rows, clean, fits, rounded, fitted):
        """Return rows that keep all relations, nearer to the clean ones where needed.

        Parameters
        ----------
        rows, clean : ndarray of shape (n, ...)
            Candidates, and the clean row of each.
        fits : callable
            From rows and clean rows to a mask: in the ball and the box.
        rounded : callable
            From rows and clean rows to rows of allowed levels.
        fitted : callable
            From rows and clean rows to rows whose continuous features have moved back
            as far as ball and box ask for.
        """
        out, left = clean.copy(), np.arange(len(rows))
        for share in (1.0, *_SHARES):
            if not len(left):
                break
            some = clean[left]
            tried = rows[left]
            if share < 1:
                tried = rounded(some + share * (tried - some), some)
            tried = fitted(self.follow(tried), some)
            good = fits(tried, some) & self.kept(tried)
            out[left[good]] = tried[good]
            left = left[~good]
        return out

    def _numbers(self, function, rows):
        return self._ask(function, rows).astype(np.float64)

    def _ask(self, function, rows):
        answer = np.asarray(function(rows)).reshape(-1)
        if len(answer) != len(rows):
            raise ValueError(
                "The 'relations' parameter of Constraints must hold functions that "
                f"return one value a row; one returned {len(answer)} for {len(rows)} "
                "rows."
            )
        return answer
