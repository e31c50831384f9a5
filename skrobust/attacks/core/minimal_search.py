"""One batch in search of its smallest adversarial examples.

Every iterate is judged when it is looked at: the smallest one that fools is kept, and
so is the one that came nearest to it, for rows that nothing fools. No row sees another.
"""

import numpy as np

from skrobust._norms import dual_length, length, namespace, per_sample, project_in_box
from skrobust.attacks.core.losses import is_own_column, log_odds_against, margin_against

_ULPS = 8  # how many rounding errors of the scores a verdict must stand above
_FAR = 1e12  # no search goes further out: squares still fit single precision


def _plain(logits):
    return logits if isinstance(logits, np.ndarray) else logits.detach()


def _machine_epsilon(x):
    return float(namespace(x).finfo(x.dtype).eps)


class Pursuit:
    """The rows of a batch that are still right, and the best example of each.

    Parameters
    ----------
    ground : Ground
        The model, and the rows that it may see. All points, steps and lengths of the
        pursuit are in the units of the features.
    x : array or tensor of shape (n, ...)
        Raw rows that are classified as ``column``.
    column : array or tensor of shape (n,)
        The class that each row must leave, or with ``targeted`` must come to.
    box : (low, high) or (None, None)
        Bounds of the raw input.
    norm : {inf, 2, 1, 0}
        What is to be small.
    eps : float, default=None
        With a number, the iterate within that ball that moves the probability of
        ``column`` most is kept as well.
    targeted : bool, default=False
        Whether rows are driven to ``column``; margins are then its score minus the
        largest other.

    Attributes
    ----------
    best, size : the smallest example found, and its length (inf: none yet)
    reach : first-order distance of each row from the boundary, the natural unit of
        steps: it knows the scale of the features, their number and the model's
    span : the same in the norm 2
    """

    def __init__(self, ground, x, column, box, norm, eps=None, *, targeted=False):
        xp, x = namespace(x), ground.in_units(x)
        self.ground, self.view, self.x = ground, ground.view, x
        self.column, self.norm, self.eps = column, norm, eps
        self.targeted, self._sign = targeted, -1 if targeted else 1
        self.low, self.high = (b if b is None else ground.in_units(b) for b in box)
        infinite = xp.zeros_like(x.reshape((len(x), -1))[:, 0]) + np.inf
        self.best, self.size = x + 0, infinite
        self.near, self.nearest = x + 0, -infinite
        self.far, self.shift = x + 0, -xp.ones_like(infinite)
        self._clean_probability = None
        self.tolerance, self.scores, self.flat = xp.zeros_like(infinite), None, None
        self._far = max(_FAR, 2 * float(xp.amax(length(x, np.inf), 0)))
        self.margin, self.gradient = self.look(x)
        self._measure()

    def _measure(self):
        xp, x, gradient = namespace(self.x), self.x, self.gradient
        still = length(gradient, np.inf) == 0  # nothing that moves has a slope
        # Rounding of the input, and of the scores, which may be coarser.
        of_input = _machine_epsilon(x) * length(gradient * x, 1)
        of_scores = _machine_epsilon(self.scores) * length(self.scores, np.inf)
        self.tolerance = _ULPS * (of_input + of_scores)
        self.reach, self.span = (
            -self.margin / xp.where(still, 1.0, dual_length(gradient, norm))
            for norm in (1 if self.norm == 0 else self.norm, 2)
        )
        self.reach = xp.clip(self.reach, None, _FAR)
        self.span = xp.clip(self.span, None, _FAR)
        if self.low is not None:
            width = self.high - self.low + xp.zeros_like(x[:1])
            self.reach = xp.clip(self.reach, None, float(length(width, self.norm)[0]))
            self.span = xp.clip(self.span, None, float(length(width, 2)[0]))

    def __len__(self):
        return len(self.x)

    def clip(self, z):
        """Return points put back into the box, or to where numbers end."""
        low, high = (
            (-self._far, self._far) if self.low is None else (self.low, self.high)
        )
        return namespace(z).clip(z, low, high)

    def room(self, z):
        """Return the steps from z that the box leaves, or (None, None)."""
        if self.low is None:
            return None, None
        xp = namespace(z)
        return xp.clip(self.low - z, None, 0), xp.clip(self.high - z, 0, None)

    def rivals(self, n):
        """Return, for each row, the n other classes of the highest clean scores."""
        others = _others(self.scores, self.column)
        n = min(n, others.shape[1] - 1)
        return namespace(others).argsort(-others, 1)[:, :n]

    def look(self, z, rows=None, *, target=None):
        """Judge iterates; return their margin and the gradient of what drives them.

        Parameters
        ----------
        z : array or tensor
            Iterates of ``rows``.
        rows : array or tensor of int, default=None
            Which rows; None are all.
        target : array or tensor of int, or "highest", default=None
            Class whose score must pass that of ``column`` ("highest": the other one of
            the highest score at z), for the margin and gradient of this class. None:
            the margin of the highest other, and the gradient of the log odds against
            ``column``, which is that margin smoothed over the other classes; its path
            does not zigzag between them.

        Returns
        -------
        margin : array or tensor
            Score of the other class minus that of ``column``.
        gradient : array or tensor
            By z.
        """
        xp = namespace(z)
        raw, z = self._seen(z, rows)
        logits, pullback = self.view.forward(raw)
        column = self.column if rows is None else self.column[rows]
        verdicts = self.view.verdicts(_plain(logits))
        if self.scores is None:
            self.scores = verdicts
        _, slope, margin = log_odds_against(verdicts, column)
        slope, margin = self._sign * slope, self._sign * margin
        self._note(z, raw, rows, _plain(logits), margin)
        if target is not None:
            if isinstance(target, str):
                target = _others(verdicts, column).argmax(1)
            slope = _one_hot(target, verdicts) - _one_hot(column, verdicts)
            margin = (verdicts * slope).sum(1)
        gradient = pullback(slope)
        gradient = xp.nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)
        # So faint (between narrow kernels) that the boundary seems to lie beyond where
        # numbers end: as steep as if it lay there. The direction still tells.
        total, least = length(gradient, 1), xp.abs(margin) / _FAR
        pull = least / xp.where(total > 0, total, 1.0 + 0 * total)
        gradient = gradient * per_sample(xp.clip(pull, 1, None), gradient)
        if self.flat is None:
            self.flat = length(gradient, np.inf) == 0
        return margin, self.ground.slope(gradient)

    def check(self, z, rows=None):
        """Judge iterates without a gradient; return their margin."""
        raw, z = self._seen(z, rows)
        logits = self.view.logits(raw)
        margin = self._margin(logits, rows)
        self._note(z, raw, rows, logits, margin)
        return margin

    def _margin(self, logits, rows):
        column = self.column if rows is None else self.column[rows]
        return self._sign * margin_against(self.view.verdicts(logits), column)

    def verdict(self, raw, rows):
        """Say which raw rows fool, and write nothing down."""
        return self.fools(self._margin(self.view.logits(raw), rows), rows)

    def _seen(self, z, rows):
        """Return the raw rows that the model is shown, and these as points."""
        raw = self.ground.raw(z)
        allowed = self.ground.allowed(raw, rows)
        return allowed, z if allowed is raw else self.ground.in_units(allowed)

    def fools(self, margin, rows=None):
        """Say which margins are verdicts, and not rounding."""
        return margin > (self.tolerance if rows is None else self.tolerance[rows])

    def missing(self, margin, rows=None):
        """Return by how much margins must rise to be verdicts; below 0: they are.

        Steps aim there, at twice the rounding, and not at a margin of 0: on a deep net
        rounding is wide enough for iterates to end between the two and stand still.
        """
        tolerance = self.tolerance if rows is None else self.tolerance[rows]
        return 2 * tolerance - margin

    def _note(self, z, raw, rows, logits, margin):
        """Keep what is better than before."""
        rows = slice(None) if rows is None else rows
        size = length(z - self.x[rows], self.norm)
        fooled = self.fools(margin, rows)
        better = fooled & (size < self.size[rows])
        self.best = self._put(self.best, rows, better, z)
        self.size = self._put(self.size, rows, better, size)
        nearer = margin > self.nearest[rows]
        self.near = self._put(self.near, rows, nearer, z)
        self.nearest = self._put(self.nearest, rows, nearer, margin)
        if self.eps is not None:
            self._note_shift(z, raw, rows, logits, size)

    def _put(self, whole, rows, better, new):
        xp = namespace(new)
        mask = per_sample(better, new)
        if isinstance(rows, slice):
            return xp.where(mask, new, whole)
        whole[rows] = xp.where(mask, new, whole[rows])
        return whole

    def _note_shift(self, z, raw, rows, logits, size):
        xp = namespace(z)
        scores, _ = self.view.scores(raw, logits)
        against, _, _ = log_odds_against(scores, self.column[rows])
        probability = 1 / (1 + xp.exp(xp.clip(against, -80, 80)))
        if self._clean_probability is None:
            self._clean_probability = probability
        shift = xp.abs(probability - self._clean_probability[rows])
        better = (size <= self.eps * (1 + 1e-6)) & (shift > self.shift[rows])
        self.far = self._put(self.far, rows, better, z)
        self.shift = self._put(self.shift, rows, better, shift)

    def shorten(self, n_looks):
        """Search between each row and its example for where the verdict changes.

        The root of the margin along that line, by the Illinois variant of false
        position: it needs no gradient, and the margin need not be monotone.
        """
        xp = namespace(self.x)
        self._retract()
        rows = xp.where(xp.isfinite(self.size))[0]
        if not len(rows) or not n_looks:
            return
        x, step = self.x[rows], self.best[rows] - self.x[rows]
        aim = 2 * self.tolerance[rows]
        low, f_low = xp.zeros_like(aim), self.margin[rows] - aim
        high, f_high = xp.ones_like(aim), self.check(self.best[rows], rows) - aim
        last = xp.zeros_like(aim)
        for _ in range(n_looks):
            drop = f_high - f_low
            drop = xp.where(drop > 0, drop, xp.ones_like(drop))
            at = xp.clip(low - (high - low) * f_low / drop, low, high)
            margin = self.check(self.clip(x + per_sample(at, x) * step), rows)
            fooled = self.fools(margin, rows)
            side = xp.where(fooled, xp.ones_like(at), -xp.ones_like(at))
            again = side == last
            f_low = xp.where(again & fooled, f_low / 2, f_low)
            f_high = xp.where(again & ~fooled, f_high / 2, f_high)
            low, high = xp.where(fooled, low, at), xp.where(fooled, at, high)
            f_low = xp.where(fooled, f_low, margin - aim)
            f_high = xp.where(fooled, margin - aim, f_high)
            last = side

    def _retract(self):
        """Bring back what ran off: tenths of the way, as long as they fool.

        Where scores level out, false position between near and far learns nothing.
        """
        xp = namespace(self.x)
        extent = xp.clip(length(self.x, np.inf), 1.0, None)
        step = self.best - self.x  # 0 where nothing was found
        rows = xp.where(length(step, np.inf) > 10 * extent)[0]
        while len(rows):
            step = step / 10
            margin = self.check(self.x[rows] + step[rows], rows)
            rows = rows[self.fools(margin, rows)]

    def strongest(self):
        """Return the best example of each row, or what came nearest to one."""
        xp = namespace(self.x)
        found = per_sample(xp.isfinite(self.size), self.x)
        return xp.where(found, self.best, self.near)

    def shift_most(self):
        """Return the points of the ball that move the probability most.

        Beside the iterates within the ball, the best example is projected into it, and
        stretched to its surface in both directions; all are evaluated again.
        """
        if self.eps < np.inf:
            step = self.strongest() - self.x
            size = length(step, self.norm)
            pull = self.eps / namespace(size).where(size > 0, size, 1.0)
            pull = namespace(size).clip(pull, None, 1e30)
            stretched = per_sample(pull, step) * step
            for part in (step, stretched, -stretched):
                self.check(self._into_ball(part))
        return self.far

    def _into_ball(self, step):
        low, high = self.room(self.x)
        if low is None:
            low, high = -np.inf, np.inf
            if self.norm == 1:
                low, high = -namespace(step).abs(step), namespace(step).abs(step)
        return self.clip(self.x + project_in_box(step, self.eps, self.norm, low, high))


def _one_hot(column, scores):
    return namespace(scores).where(is_own_column(scores, column), 1.0, 0 * scores)


def _others(scores, column):
    """Return scores with that of the class itself out of the way."""
    xp = namespace(scores)
    return xp.where(is_own_column(scores, column), -np.inf, scores)
