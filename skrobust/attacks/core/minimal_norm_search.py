"""Search for the smallest adversarial examples of one batch.

Every iterate is judged when it is evaluated: the smallest one that fools is kept, and
so is the one that came nearest to it, for rows that nothing fools. No row sees another.
"""

import numpy as np

from skrobust._norms import length, mask_at, namespace, per_sample, project_in_box
from skrobust.attacks.core.class_margins import (
    log_odds_against,
    margin_against,
    probability,
    soft_margin_against,
)
from skrobust.attacks.core.goal import BestSoFar
from skrobust.attacks.core.losses import one_hot

_ULPS = 8  # how many rounding errors of the scores a margin must stand above
_FAR = 1e12  # no search goes further out: squares still fit single precision


class MinimalNormSearch:
    """Search for the smallest adversarial example of each row of a batch.

    Parameters
    ----------
    view : view
        The model.
    ball : Ball
        Norm, box, feature units and rounding. All points, steps and lengths of the
        search are in the units of the features.
    goal : Goal
        Whether rows leave their label or come to it; margins are above 0 where they do.
        Where a probability is moved, the iterate within the ball that moves that of the
        label most is kept as well.
    x : array or tensor of shape (n, ...)
        Raw rows whose prediction is not a success.
    label : array or tensor of shape (n,)
        Index of the class that each row must leave, or with a target must come to.

    Attributes
    ----------
    smallest : BestSoFar
        The smallest example found of each row, and its length; also ``best`` and
        ``size``.
    margin, gradient : of the clean rows
    reach : first-order distance of each row from the boundary, the natural unit of
        steps: it knows the scale of the features, their number and the model's
    span : the same in the norm 2
    zero_gradient : rows whose clean gradient is zero
    """

    def __init__(self, view, ball, goal, x, label):
        xp, units = namespace(x), ball.units
        self.view, self.ball, self.goal = view, ball, goal
        self.x = x = x if units.unit is None else units.points(x)
        self.label, self.norm = label, ball.norm
        self.low = self.high = None
        if ball.low is not None:
            self.low, self.high = units.points(ball.low), units.points(ball.high)
        infinite = xp.zeros_like(x.reshape((len(x), -1))[:, 0]) + np.inf
        self.smallest = BestSoFar(x, infinite)
        self._nearest = BestSoFar(x, -infinite)
        self._farthest, self._clean_probability = None, None
        if goal.objective == "probability_shift":
            self._farthest = BestSoFar(x, -xp.ones_like(infinite))
        self.tolerance, self.scores = xp.zeros_like(infinite), None
        self.zero_gradient = None
        self._far = max(_FAR, 2 * float(xp.amax(length(x, np.inf), 0)))
        self.margin, self.gradient = self.evaluate(x)
        gradient = self.gradient
        still = length(gradient, np.inf) == 0  # nothing that moves has a slope
        # Rounding of the input, and of the scores, which may be coarser.
        of_input = float(xp.finfo(x.dtype).eps) * length(gradient * x, 1)
        of_scores = float(xp.finfo(self.scores.dtype).eps) * length(self.scores, np.inf)
        self.tolerance = _ULPS * (of_input + of_scores)
        self.reach, self.span = (  # the slope is measured in the dual norm
            -self.margin / xp.where(still, 1.0, length(gradient, dual))
            for dual in ({np.inf: 1, 2: 2}.get(self.norm, np.inf), 2)
        )
        self.reach = xp.clip(self.reach, None, _FAR)
        self.span = xp.clip(self.span, None, _FAR)
        if self.low is not None:
            width = self.high - self.low + xp.zeros_like(x[:1])
            self.reach = xp.clip(self.reach, None, float(length(width, self.norm)[0]))
            self.span = xp.clip(self.span, None, float(length(width, 2)[0]))

    def __len__(self):
        return len(self.x)

    @property
    def best(self):
        """The smallest example found for each row; the row itself where none was."""
        return self.smallest.iterate

    @property
    def size(self):
        """Its length; inf where none was found."""
        return self.smallest.score

    def clip(self, z):
        """Return points put back into the box, or to where numbers end."""
        if self.low is None:
            return namespace(z).clip(z, -self._far, self._far)
        return namespace(z).clip(z, self.low, self.high)

    def room(self, z):
        """Return the steps from z that the box leaves, or (None, None)."""
        if self.low is None:
            return None, None
        xp = namespace(z)
        return xp.clip(self.low - z, None, 0), xp.clip(self.high - z, 0, None)

    def likeliest_others(self, n):
        """Return, for each row, the n other classes of the highest clean scores."""
        others = _others(self.scores, self.label)
        n = min(n, others.shape[1] - 1)
        return namespace(others).argsort(-others, 1)[:, :n]

    def evaluate(self, z, rows=None, *, target=None):
        """Judge iterates; return their margin and the gradient of what drives them.

        Parameters
        ----------
        z : array or tensor
            Iterates of ``rows``.
        rows : array or tensor of int, default=None
            Which rows; None are all.
        target : array or tensor of int, or "highest", default=None
            Class whose score must pass that of ``label`` ("highest": the other one of
            the highest score at z), for the margin and gradient of this class. None:
            the margin of the highest other, and the gradient of the soft margin
            against ``label``, whose path does not zigzag between the other classes.

        Returns
        -------
        margin : array or tensor
            Score of the other class minus that of ``label``.
        gradient : array or tensor
            By z.
        """
        xp = namespace(z)
        scores, slope, margin, pullback = self._judge(z, rows, with_gradient=True)
        label = self.label if rows is None else self.label[rows]
        if target is not None:
            if isinstance(target, str):
                target = _others(scores, label).argmax(1)
            slope = one_hot(scores, target) - one_hot(scores, label)
            margin = (scores * slope).sum(1)
        gradient = pullback(slope)
        gradient = xp.nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)
        # Where the slope is so small (between narrow kernels) that the boundary seems
        # to lie beyond where numbers end, it counts as if the boundary lay there. The
        # direction is still of use.
        total, least = length(gradient, 1), xp.abs(margin) / _FAR
        pull = least / xp.where(total > 0, total, 1.0 + 0 * total)
        gradient = gradient * per_sample(xp.clip(pull, 1, None), gradient)
        if self.zero_gradient is None:
            self.zero_gradient = length(gradient, np.inf) == 0
        unit = self.ball.units.unit
        return margin, gradient if unit is None else gradient * unit

    def check(self, z, rows=None):
        """Judge iterates without a gradient; return their margin."""
        return self._judge(z, rows)[2]

    def fools(self, margin, rows=None):
        """Say which margins are above rounding."""
        return margin > (self.tolerance if rows is None else self.tolerance[rows])

    def missing(self, margin, rows=None):
        """Return by how much margins must rise to fool; below 0: they do.

        Steps aim there, at twice the rounding, and not at a margin of 0: on a deep net
        rounding is wide enough for iterates to end between the two and stand still.
        """
        tolerance = self.tolerance if rows is None else self.tolerance[rows]
        return 2 * tolerance - margin

    def _judge(self, z, rows, *, with_gradient=False):
        """Judge iterates: keep what is better than before, and count the pass.

        Returns the scores, the slope of the soft margin by them (with a gradient), the
        margin, and the pullback.
        """
        units, view, pullback = self.ball.units, self.view, None
        places = slice(None) if rows is None else rows
        label = self.label[places]
        raw = z if units.unit is None else units.rows(z)
        if self.ball.allowed is not None:
            raw = self.ball.allowed(raw, rows)
            z = units.points(raw)
        if with_gradient:
            logits, pullback = view.forward(raw)
            logits = logits if namespace(z) is np else logits.detach()
        else:
            logits = view.logits(raw)
        scores = view.decision_scores(logits)
        if self.scores is None:
            self.scores = scores
        if with_gradient:
            _, slope, margin = soft_margin_against(scores, label)
        else:
            slope, margin = 0, margin_against(scores, label)
        if self.goal.targeted:
            slope, margin = -slope, -margin
        size = length(z - self.x[places], self.norm)
        smaller = (margin > self.tolerance[places]) & (
            size < self.smallest.score[places]
        )
        self.smallest.update(z, size, rows, better=smaller)
        self._nearest.update(z, margin, rows)
        self.smallest.passes.append((places, 1, int(with_gradient)))
        if self._farthest is not None:
            self._keep_farthest(z, size, view.scores(raw, logits)[0], rows)
        return scores, slope, margin, pullback

    def _keep_farthest(self, z, size, scores, rows):
        """Keep iterates of the ball that move the probability more than before."""
        places = slice(None) if rows is None else rows
        now = probability(log_odds_against(scores, self.label[places])[0])
        if self._clean_probability is None:
            self._clean_probability = now
        shift = abs(now - self._clean_probability[places])
        inside = size <= self.ball.eps * (1 + 1e-6)
        farther = inside & (shift > self._farthest.score[places])
        self._farthest.update(z, shift, rows, better=farther)

    def shorten(self, n_looks):
        """Search between each row and its example for where the label changes.

        The root of the margin along that line, by the Illinois variant of false
        position: it needs no gradient, and the margin need not be monotone.
        """
        xp = namespace(self.x)
        # What ran off comes back: tenths of the way, as long as they fool. Where scores
        # level out, false position between near and far learns nothing.
        extent = xp.clip(length(self.x, np.inf), 1.0, None)
        step = self.smallest.iterate - self.x  # 0 where nothing was found
        rows = xp.where(length(step, np.inf) > 10 * extent)[0]
        while len(rows):
            step = step / 10
            margin = self.check(self.x[rows] + step[rows], rows)
            rows = rows[margin > self.tolerance[rows]]
        rows = xp.where(xp.isfinite(self.smallest.score))[0]
        if not len(rows) or not n_looks:
            return
        best = self.smallest.iterate[rows]
        x, step = self.x[rows], best - self.x[rows]
        needed, tolerance = 2 * self.tolerance[rows], self.tolerance[rows]
        low, f_low = xp.zeros_like(needed), self.margin[rows] - needed
        high, f_high = xp.ones_like(needed), self._judge(best, rows)[2] - needed
        last = xp.zeros_like(needed)
        for _ in range(n_looks):
            drop = f_high - f_low
            drop = xp.where(drop > 0, drop, xp.ones_like(drop))
            at = xp.clip(low - (high - low) * f_low / drop, low, high)
            margin = self._judge(self.clip(x + per_sample(at, x) * step), rows)[2]
            fooled = margin > tolerance
            side = xp.where(fooled, xp.ones_like(at), -xp.ones_like(at))
            again = side == last
            f_low = xp.where(again & fooled, f_low / 2, f_low)
            f_high = xp.where(again & ~fooled, f_high / 2, f_high)
            low, high = xp.where(fooled, low, at), xp.where(fooled, at, high)
            f_low = xp.where(fooled, f_low, margin - needed)
            f_high = xp.where(fooled, margin - needed, f_high)
            last = side

    def strongest(self):
        """Return the best example of each row, or what came nearest to one."""
        xp = namespace(self.x)
        found = per_sample(xp.isfinite(self.size), self.x)
        return xp.where(found, self.best, self._nearest.iterate)

    def shift_most(self):
        """Return the points of the ball that move the probability most.

        Beside the iterates within the ball, the best example is projected into it, and
        stretched to its surface in both directions; all are evaluated again.
        """
        eps, xp = self.ball.eps, namespace(self.x)
        if eps < np.inf:
            step = self.strongest() - self.x
            size = length(step, self.norm)
            pull = xp.clip(eps / xp.where(size > 0, size, 1.0), None, 1e30)
            stretched = per_sample(pull, step) * step
            for part in (step, stretched, -stretched):
                low, high = self.room(self.x)
                if low is None:
                    wide = xp.abs(part) if self.norm == 1 else np.inf
                    low, high = -wide, wide
                inside = project_in_box(part, eps, self.norm, low, high)
                self.check(self.clip(self.x + inside))
        return self._farthest.iterate


def _others(scores, label):
    """Return scores with that of the class itself out of the way."""
    xp = namespace(scores)
    return xp.where(mask_at(label, scores.shape[1]), -np.inf, scores)
