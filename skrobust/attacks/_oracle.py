"""One batch under attack: losses, gradients, the best iterate, and who may leave.

Two objectives, one function. With z the logits and c a class,

    L_c(z) = logsumexp of z_k over k != c, minus z_c = -logit P(c | x).

It rises in the direction of cross entropy exactly (the gradient of cross entropy is
that of L_c times 1 - P(c)), but it does not vanish for confident models, so that an
attack with normalised steps follows the published loss without its blind spot.
"""

import numpy as np

from skrobust._norms import length, namespace, per_sample, project, steepest


def log_odds_against(logits, column):
    """Return L_c and its slope by the logits, for one class c per sample.

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
    """
    xp = namespace(logits)
    others = xp.where(_one_hot(logits, column), -np.inf, logits)
    peak = xp.amax(others, 1)
    share = xp.exp(others - peak[:, None])
    total = share.sum(1)
    own = logits[xp.arange(len(logits)), column]
    slope = share / total[:, None]
    slope = xp.where(_one_hot(logits, column), -1.0, slope)
    return peak + xp.log(total) - own, slope


def margin(logits, column):
    """Return the largest other logit minus that of class c: above 0 means fooled."""
    xp = namespace(logits)
    others = xp.where(_one_hot(logits, column), -np.inf, logits)
    return xp.amax(others, 1) - logits[xp.arange(len(logits)), column]


def _one_hot(logits, column):
    xp = namespace(logits)
    places = xp.arange(logits.shape[1])
    if xp is not np:
        places = places.to(logits.device)
    return places[None, :] == column[:, None]


class Record:
    """The best iterate so far of every sample of a batch, and how it is judged.

    With the objective ``"misclassification"`` the score is the margin, and a sample
    that is fooled is settled: it leaves, and keeps the iterate that fooled it first.
    Otherwise the score is the shift of the probability of the class that was predicted
    for the clean sample, no sample is ever settled, and the largest shift counts.
    """

    def __init__(self, view, x, column, stops):
        self.view, self.x, self.stops = view, x, stops
        # The graph of the clean pass is kept for one use: a first step from x.
        self._clean = view.forward(x)
        logits = _values(self._clean[0])
        self.predicted = namespace(x).argmax(logits, 1)
        known = column >= 0
        self.column = namespace(x).where(known, column, self.predicted)
        self.probability = self._probability(logits, self.predicted)
        self.best = x.copy() if isinstance(x, np.ndarray) else x.clone()
        self.score = namespace(x).zeros_like(self.probability)
        self.settled = namespace(x).zeros_like(known)
        if stops:
            self.score = margin(logits, self.column)
            self.settled = (self.score > 0) | ~known
        self.n_flat = 0

    def forward(self, z, is_clean):
        """Return logits and pullback of ``z``; the clean pass is used again, once."""
        if is_clean and self._clean is not None:
            pass_, self._clean = self._clean, None
            return pass_
        return self.view.forward(z)

    def _probability(self, logits, column):
        against, _ = log_odds_against(logits, column)
        return 1 / (1 + namespace(logits).exp(namespace(logits).clip(against, -80, 80)))

    def consider(self, rows, z, logits):
        """Keep the iterates ``z`` of some rows where they beat what is kept."""
        xp = namespace(z)
        if self.stops:
            score = margin(logits, self.column[rows])
        else:
            now = self._probability(logits, self.predicted[rows])
            score = xp.abs(now - self.probability[rows])
        better = (score > self.score[rows]) & ~self.settled[rows]
        self.best[rows] = xp.where(per_sample(better, z), z, self.best[rows])
        self.score[rows] = xp.where(better, score, self.score[rows])
        if self.stops:
            self.settled[rows] = self.settled[rows] | (score > 0)


def _values(logits):
    return logits if isinstance(logits, np.ndarray) else logits.detach()


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
    eps, norm, box : float, {inf, 2}, (low, high)
        The budget in raw units; ``box`` holds None or bounds that broadcast.
    """

    def __init__(self, record, column, sign, *, eps, norm, box):
        self.record, self.sign = record, sign
        self.eps, self.norm, self.box = eps, norm, box
        self._column = column
        self._n_calls = 0
        xp = namespace(record.x)
        self.rows = xp.where(~record.settled)[0]
        self._refresh()

    def _refresh(self):
        self.x = self.record.x[self.rows]

    def __len__(self):
        return len(self.rows)

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
        record = self.record
        is_clean = z is self.x and len(z) == len(record.x)
        logits, pullback = record.forward(z, is_clean)
        plain = _values(logits)
        _, slope = log_odds_against(plain, self._column[self.rows])
        gradient = self.sign * pullback(slope)
        xp = namespace(z)
        gradient = xp.where(xp.isfinite(gradient), gradient, xp.zeros_like(gradient))
        if self._n_calls == 0:
            record.n_flat += int((length(gradient, np.inf) == 0).sum())
        record.consider(self.rows, z, plain)
        self._n_calls += 1
        if record.stops and record.view.settles_cheaply(self._n_calls):
            keep = ~record.settled[self.rows]
            if not bool(keep.all()):
                z, gradient = z[keep], gradient[keep]
                state = tuple(part[keep] for part in state)
                self.rows = self.rows[keep]
                self._refresh()
        return z, gradient, *state

    def steepest(self, gradient):
        """Return the unit step along which the loss rises most in the norm."""
        return steepest(gradient, self.norm)

    def project(self, z):
        """Return the iterates put back into the ball and the box."""
        z = self.x + project(z - self.x, self.eps, self.norm)
        low, high = self.box
        if low is None:
            return z
        return namespace(z).clip(z, low, high)

    def random_start(self, rng):
        """Return random points of the ball: uniform in the cube, or in the sphere.

        ``rng`` draws for all rows of the batch, so that what one row gets does not
        depend on which others are still live.
        """
        shape = self.record.x.shape
        if self.norm == np.inf:
            step = rng.uniform(-1, 1, size=tuple(shape))
        else:
            step = steepest(np.asarray(rng.normal(size=tuple(shape)), float), 2)
            radius = rng.random((len(step),)) ** (1 / np.prod(shape[1:]))
            step = step * per_sample(radius, step)
        step = self.record.view.tensor(step)[self.rows]
        return self.project(self.x + self.eps * step)

    def finish(self, z):
        """Judge the last iterates."""
        if len(z) and z is not self.x:
            logits, _ = self.record.view.forward(z)
            self.record.consider(self.rows, z, _values(logits))
