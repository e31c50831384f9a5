"""Proofs that combine what is known of the members of a model."""

from itertools import combinations

import numpy as np

from skrobust.certificates.proof import Proof
from skrobust.certificates.region import SLACK


class BoundsProof(Proof):
    """Proof by bounds of probabilities that are known.

    Parameters
    ----------
    low, high : ndarray of shape (n_samples, n_classes)
        Least and greatest probabilities.
    name : str
        Where they come from.
    threshold : (int, float) or None
        Column and probability from which on the label is that of the column; None: the
        largest probability.
    """

    def __init__(self, low, high, name, threshold=None):
        super().__init__(*low.shape)
        self._low, self._high, self.name = low, high, name
        self._threshold = threshold

    def probabilities(self, columns=None):
        """Return least and greatest probabilities, of shape (n_samples, n_classes)."""
        return np.clip(self._low, 0, 1), np.clip(self._high, 0, 1)

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        if self._threshold is None:
            return super().wins(own)
        column, value = self._threshold
        above = self._low[:, column] > value + SLACK
        below = self._high[:, column] < value - SLACK
        return (own >= 0) & np.where(own == column, above, below)


class VotesProof(Proof):
    """Proof about a vote of members on labels: what those that are sure decide."""

    name = "bound for votes: those of members that are sure"

    def __init__(self, proofs, weights):
        super().__init__(proofs[0].n_samples, proofs[0].n_classes)
        self._proofs, self._weights = proofs, weights

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        sure = sum(
            w * proof.wins(own)
            for w, proof in zip(self._weights, self._proofs, strict=True)
        )
        return sure > self._weights.sum() / 2


class RestProof(BoundsProof):
    """Proof about one against the rest: the greatest decision has the label."""

    def __init__(self, least, most, low, high, linear=None):
        super().__init__(low, high, "bound for one against the rest: each at its worst")
        self._least, self._most, self._linear = least, most, linear
        self.is_exact_on_labels = linear is not None

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        if self._linear is not None:
            return self._linear.wins(own)
        rows = np.arange(len(own))
        others = self._most.copy()
        others[rows, own] = -np.inf
        return (own >= 0) & (self._least[rows, own] > others.max(axis=1) + SLACK)


class DuelsProof(Proof):
    """Proof about one against one: a class that wins all its duels has the label.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    duels : list of (ndarray, ndarray) of shape (n_samples,)
        Bounds of the decision of each pair (i, j), positive for j.
    """

    name = "bound for one against one: all duels won"

    def __init__(self, n_classes, duels):
        super().__init__(len(duels[0][0]), n_classes)
        self._duels = duels

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        won = own >= 0
        pairs = combinations(range(self.n_classes), 2)
        for (i, j), (low, high) in zip(pairs, self._duels, strict=True):
            won &= np.where(own == i, high < -SLACK, True)
            won &= np.where(own == j, low > SLACK, True)
        return won


class ConstantProof(BoundsProof):
    """Proof about a model that ignores its rows."""

    is_exact_on_labels = is_exact_on_probabilities = True

    def __init__(self, p, label):
        super().__init__(p, p, "exact: the model ignores its rows")
        self._label = label

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        return own == self._label
