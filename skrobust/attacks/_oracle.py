"""One batch under attack: losses, gradients, the best iterate, and who may leave.

Two objectives, one function. With z the logits and c a class,

    L_c(z) = logsumexp of z_k over k != c, minus z_c = -logit P(c | x).

It rises in the direction of cross entropy exactly (the gradient of cross entropy is
that of L_c times 1 - P(c)), but it does not vanish for confident models, so that an
attack with normalised steps follows the published loss without its blind spot.
"""

import numpy as np

from skrobust._norms import (
    length,
    namespace,
    per_sample,
    project,
    project_in_box,
    spend,
    steepest,
)


def log_odds_against(logits, column):
    """Return L_c, its slope by the logits, and the margin, for one class c per sample.

    Parameters
    ----------
    logits : array or tensor of shape (n, n_classes)
        Scores of the classes.
    column : integer array or tensor of shape (n,)
        Class c of each sample.

    Returns
    -------
    value : array or tensor of shape (n,)
        Log odds against class c.
    slope : array or tensor of shape (n, n_classes)
        Derivative of the value by the logits.
    margin : array or tensor of shape (n,)
        The largest other logit minus that of class c: above 0 means fooled.
    """
    xp = namespace(logits)
    places = xp.arange(logits.shape[1])
    if xp is not np:
        places = places.to(logits.device)
    is_own = places[None, :] == column[:, None]
    others = xp.where(is_own, -np.inf, logits)
    peak = xp.amax(others, 1)
    share = xp.exp(others - peak[:, None])
    total = share.sum(1)
    slope = xp.where(is_own, -1.0, share / total[:, None])
    margin = peak - xp.where(is_own, logits, 0.0).sum(1)
    return margin + xp.log(total), slope, margin


def _probability(against):
    xp = namespace(against)
    return 1 / (1 + xp.exp(xp.clip(against, -80, 80)))


def _values(logits):
    return logits if isinstance(logits, np.ndarray) else logits.detach()


class Record:
    """The best iterate so far of every sample of a batch, over all runs.

    With the objective ``"misclassification"`` (``stops``) the score of an iterate is
    its margin, and a sample that is fooled is settled: it leaves, and keeps the iterate
    that fooled it first. Otherwise the score is the shift of the probability of the
    class that was predicted for the clean sample; no sample is ever settled, and the
    largest shift counts.
    """

    def __init__(self, view, x, column, stops):
        xp = namespace(x)
        self.view, self.x, self.stops = view, x, stops
        # The graph of the clean pass is kept for one use: a first step from x.
        self._clean = view.forward(x)
        logits = _values(self._clean[0])
        scores, _ = (logits, None) if stops else view.scores(x, logits)
        self.predicted = xp.argmax(scores, 1)
        known = column >= 0
        self.column = xp.where(known, column, self.predicted)
        against, _, _ = log_odds_against(scores, self.predicted)
        self.probability = _probability(against)
        self.best = x.copy() if isinstance(x, np.ndarray) else x.clone()
        self.score = xp.zeros_like(self.probability)
        self.settled = xp.zeros_like(known)
        if stops:
            _, _, self.score = log_odds_against(view.verdicts(logits), self.column)
            self.settled = (self.score > 0) | ~known
        self.n_flat = 0

    def judge(self, z, logits, column):
        """Return the log odds against a class, their slope and the margin.

        For misclassification these are of the scores that decide the label, otherwise
        of those behind the probabilities; the slope is by the logits.
        """
        if self.stops:
            return (*log_odds_against(self.view.verdicts(logits), column), None)
        scores, inner = self.view.scores(z, logits)
        value, slope, margin = log_odds_against(scores, column)
        return value, slope if inner is None else slope * inner, margin, scores

    def forward_clean(self, rows):
        """Return logits and pullback of some clean rows; the first pass serves once."""
        if self._clean is None:
            return self.view.forward(self.x[rows])
        (logits, pullback), self._clean = self._clean, None

        def pull_rows(slope):
            whole = namespace(slope).zeros_like(_values(logits))
            whole[rows] = slope
            return pullback(whole)[rows]

        return logits[rows], pull_rows

    def keep(self, rows, best, score):
        """Write down the best iterates of some rows."""
        self.best[rows], self.score[rows] = best, score
        if self.stops:
            self.settled[rows] = score > 0


class Oracle:
    """What an attack asks while it runs over the live rows of one batch.

    Parameters
    ----------
    record : Record
        Shared by the restarts and directions of one batch.
    column : array or tensor of shape (n,)
        Class whose log odds are driven.
    sign : {1, -1}
        1 drives the probability of that class down, -1 up.
    eps, norm, box : float, {inf, 2, 1}, (low, high)
        The budget in raw units; ``box`` holds None or bounds that broadcast.
    """

    def __init__(self, record, column, sign, *, eps, norm, box):
        self.record, self.sign = record, sign
        self.eps, self.norm, self.box = eps, norm, box
        self._n_calls = 0
        rows = namespace(record.x).where(~record.settled)[0]
        self._watches_column = record.stops or column is record.predicted
        self._live = {
            "rows": rows,
            "x": record.x[rows],
            "column": column[rows],
            "predicted": record.predicted[rows],
            "probability": record.probability[rows],
            "best": record.best[rows],
            "score": record.score[rows],
        }
        self._bounds = self._make_bounds()

    @property
    def x(self):
        """The clean rows that are still live."""
        return self._live["x"]

    def __len__(self):
        return len(self._live["rows"])

    def gradient(self, z, *state):
        """Judge the iterates z and return what goes on.

        Parameters
        ----------
        z : array or tensor
            Iterates of the live rows.
        *state : arrays or tensors
            Whatever else the attack keeps per live row.

        Returns
        -------
        z, gradient, *state
            Of the rows that are still live: settled ones have left.
        """
        record, live = self.record, self._live
        if z is live["x"]:
            logits, pullback = record.forward_clean(live["rows"])
        else:
            logits, pullback = record.view.forward(z)
        plain = _values(logits)
        value, slope, margin, scores = record.judge(z, plain, live["column"])
        self._keep_better(z, scores, value, margin)
        gradient = pullback(slope if self.sign == 1 else -slope)
        gradient = namespace(z).nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)
        if self._n_calls == 0:
            record.n_flat += int((length(gradient, np.inf) == 0).sum())
        self._n_calls += 1
        if record.stops and record.view.settles_cheaply(self._n_calls):
            stay = live["score"] <= 0
            if not bool(stay.all()):
                z, gradient = z[stay], gradient[stay]
                state = tuple(part[stay] for part in state)
                self._leave(stay)
        return z, gradient, *state

    def steepest(self, gradient):
        """Return the unit step along which the loss rises most in the norm."""
        return steepest(gradient, self.norm)

    def climb(self, z, gradient, size):
        """Return the iterates after a step of a length along the steepest direction.

        In the norm 1 that is one coordinate; at a bound of the box the rest of the step
        goes to the next steepest one.
        """
        low, high = self._bounds
        if self.norm != 1 or low is None:
            return z + size * steepest(gradient, self.norm)
        return z + spend(gradient, size, low - z, high - z)

    def project(self, z):
        """Return the iterates put back into the ball and the box."""
        low, high = self._bounds
        if self.norm == 1 and low is not None:
            x = self.x
            return x + project_in_box(z - x, self.eps, 1, low - x, high - x)
        if self.norm != np.inf:
            z = self.x + project(z - self.x, self.eps, self.norm)
            if low is None:
                return z
        return namespace(z).clip(z, low, high)

    def random_start(self, rng):
        """Return random points of the ball: uniform in the cube, or in the sphere.

        ``rng`` draws for all rows of the batch, so that what one row gets does not
        depend on which others are still live.
        """
        shape = tuple(self.record.x.shape)
        if self.norm == np.inf:
            step = rng.uniform(-1, 1, size=shape)
        else:
            step = steepest(np.asarray(rng.normal(size=shape), float), 2)
            radius = rng.random((len(step),)) ** (1 / np.prod(shape[1:]))
            step = step * per_sample(radius, step)
        step = self.record.view.tensor(step)[self._live["rows"]]
        return self.project(self.x + self.eps * step)

    def finish(self, z):
        """Judge the last iterates and write the best ones down."""
        live = self._live
        if len(z) and z is not live["x"]:
            plain = self.record.view.logits(z)
            value, _, margin, scores = self.record.judge(z, plain, live["column"])
            self._keep_better(z, scores, value, margin)
        self.record.keep(live["rows"], live["best"], live["score"])

    def _keep_better(self, z, scores, value, margin):
        live, xp = self._live, namespace(z)
        if self.record.stops:
            # Fooled rows that have not left yet keep what fooled them first.
            better = (margin > live["score"]) & (live["score"] <= 0)
            score = margin
        else:
            if not self._watches_column:
                value, _, _ = log_odds_against(scores, live["predicted"])
            score = xp.abs(_probability(value) - live["probability"])
            better = score > live["score"]
        live["best"] = xp.where(per_sample(better, z), z, live["best"])
        live["score"] = xp.where(better, score, live["score"])

    def _leave(self, stay):
        live = self._live
        gone = ~stay
        self.record.keep(live["rows"][gone], live["best"][gone], live["score"][gone])
        self._live = {name: part[stay] for name, part in live.items()}
        self._bounds = self._make_bounds()

    def _make_bounds(self):
        """Return the bounds of the box, cut with the cube where that is the ball."""
        low, high = self.box
        if self.norm != np.inf:
            return low, high
        floor, ceiling = self.x - self.eps, self.x + self.eps
        if low is None:
            return floor, ceiling
        xp = namespace(self.x)
        return xp.maximum(floor, low), xp.minimum(ceiling, high)
