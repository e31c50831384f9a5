"""Proofs about nets, given as graphs of layers."""

import numpy as np

from skrobust.certificates.net_bounds import NetBounds
from skrobust.certificates.net_layers import host
from skrobust.certificates.neuron_splits import split_neurons
from skrobust.certificates.proof import DifferenceProof
from skrobust.certificates.slope_search import best_least

_STEPS = 20  # of the search for slopes
_NUMBERS = 4_000_000  # in the layers of a batch of rows, times its bounds


class NetProof(DifferenceProof):
    """Proof about a net by linear bounds, backward through its layers.

    Parameters
    ----------
    region : Region
        Where rows may move.
    layers : list of Layer
        The place 0 is the raw input, with None; the last gives logits, of two classes
        one (the second less the first).
    n_classes : int
        Number of classes.
    lift : callable
        From arrays of numpy to what the layers take.
    unit : float
        Half the distance from 1 to the next number, in the precision of the net.
    threshold : float, default=0.0
        Of the logit of a net with one output, for labels.
    """

    def __init__(self, region, layers, n_classes, lift, unit, threshold=0.0):
        super().__init__(len(region), n_classes)
        self._region, self._layers, self._lift = region, layers, lift
        self._unit, self._threshold = unit, threshold
        self.name = "linear bounds of the layers (CROWN)"
        sizes = self._bounds(region.take(slice(0, 1)), refine=False).bounds
        self.n_outputs = sizes[-1][0].shape[1]
        widest = max(int(np.prod(b[0].shape[1:])) for b in sizes)
        self._batch = max(1, min(64, _NUMBERS // (widest * n_classes)))

    def _bounds(self, region, refine=True):
        return NetBounds(self._layers, region, self._lift, refine=refine)

    def scores(self, rows):
        """Return what the layers give for rows, to be compared with the model."""
        point = self._region.of(rows, 0.0, np.inf, None)
        low, high = self._bounds(point, refine=False).bounds[-1]
        return (host(low) + host(high)) / 2

    def _batches(self, chosen):
        for start in range(0, len(chosen), self._batch):
            yield chosen[start : start + self._batch]

    def wins(self, own, effort=3):
        """Return whether a class has the label at each point of each region.

        Intervals come first, then linear bounds with the slopes of the smaller area,
        then with chosen slopes, each for the rows that are left; small nets of ReLU are
        then split by the signs of their neurons, which decides every row in the end.
        ``effort`` is how many of the first three are tried; nets are split after all.
        """
        won = np.zeros(self.n_samples, dtype=bool)
        waiting = np.flatnonzero(own >= 0)
        for refine, n_steps in ((False, 0), (True, 0), (True, _STEPS))[:effort]:
            for rows in self._batches(waiting):
                low = self._falls(rows, own[rows], refine, n_steps)
                won[rows] = (low > 0).all(axis=1)
            waiting = waiting[~won[waiting]]
        if effort < 3:
            return won
        parts = self._layers, self._region, self._lift, own, self._threshold
        found = split_neurons(*parts, self._least_slack, waiting, self.n_classes)
        if found is not None:
            decided, robust = found
            won[waiting] = robust
            self.is_exact_on_labels = bool(decided.all())
            self.name = "linear bounds of the layers, neurons split (branch and bound)"
        return won

    def _least_slack(self, rows):
        """Return the rounding errors of the logits of rows, by their region."""
        out = []
        for part in self._batches(rows):
            bounds = self._bounds(self._region.take(part), refine=False)
            out.append(host(bounds.rounding(self._unit)))
        return np.concatenate(out)

    def _falls(self, rows, own, refine, n_steps):
        """Return lower bounds of the score of a class less each other; 1 for itself."""
        bounds = self._bounds(self._region.take(rows), refine)
        n, k = len(rows), self.n_classes
        error = host(bounds.rounding(self._unit))
        if self.n_outputs == 1:
            sign = np.where(own == 1, 1.0, -1.0)
            a = sign[:, None, None]
            extra = -sign * self._threshold - error[:, 0]
            low = host(best_least(bounds, self._lift(a), n_steps))[:, 0] + extra
            out = np.ones((n, k))
            out[np.arange(n), 1 - own] = low
            return out
        a = np.zeros((n, k, k))
        at = np.arange(n)
        a[at, :, own] = 1.0
        a[:, np.arange(k), np.arange(k)] -= 1.0
        low = host(best_least(bounds, self._lift(a), n_steps))
        low = low - error - error[at, own][:, None]
        low[at, own] = 1.0
        return low

    def differences(self, own):
        """Return bounds of the score of a class less that of each other."""
        low = np.zeros((self.n_samples, self.n_classes))
        high, threshold = low.copy(), self._threshold
        self._threshold = 0.0  # which moves labels, not probabilities
        for rows in self._batches(np.arange(self.n_samples)):
            low[rows], high[rows] = self._both(rows, own[rows])
        self._threshold = threshold
        return low, high

    def _both(self, rows, own):
        bounds = self._bounds(self._region.take(rows))
        n, k = len(rows), self.n_classes
        error, at = host(bounds.rounding(self._unit)), np.arange(n)
        low, high = np.zeros((n, k)), np.zeros((n, k))
        if self.n_outputs == 1:
            sign = np.where(own == 1, 1.0, -1.0)[:, None]
            ends = (
                host(best_least(bounds, self._lift(w * sign[:, :, None]), _STEPS))
                for w in (1.0, -1.0)
            )
            least, most = next(ends)[:, 0], -next(ends)[:, 0]
            low[at, 1 - own], high[at, 1 - own] = (
                least - error[:, 0],
                most + error[:, 0],
            )
            return low, high
        a = np.zeros((n, k, k))
        a[at, :, own] = 1.0
        a[:, np.arange(k), np.arange(k)] -= 1.0
        slack = error + error[at, own][:, None]
        low = host(best_least(bounds, self._lift(a), _STEPS)) - slack
        high = -host(best_least(bounds, self._lift(-a), _STEPS)) + slack
        low[at, own] = high[at, own] = 0.0
        return low, high
