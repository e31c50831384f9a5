"""Rates of errors of several annotators from how often each two of them differ."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import minimize

MOST = 0.95  # of the rate of guesses, up to which rates are searched for
SURE = 3.0  # standard errors by which someone must differ more often than guesses
LEAST_SHARE = 1e-9  # of pairs that differ, so that its logarithm is finite


@dataclass(frozen=True)
class PairRates:
    """Rates by pairwise likelihood, with what their error needs.

    Attributes
    ----------
    rates : ndarray of shape (n_annotators,)
        Estimated probabilities of an error.
    centre : ndarray of shape (n_annotators,)
        Centre of their intervals.
    covariance : ndarray of shape (n_annotators, n_annotators)
        Of the rates.
    influence : ndarray of shape (n_inputs, n_annotators)
        What each input adds to the error of the rates.
    """

    rates: np.ndarray
    centre: np.ndarray
    covariance: np.ndarray
    influence: np.ndarray


class Pairs:
    """Pairs of answers to the same input.

    Parameters
    ----------
    table : ndarray of shape (n_inputs, n_annotators), object
        One column for each annotator, None where there is no answer.
    n_classes : int
        Labels that an answer chooses among.
    """

    def __init__(self, table, n_classes):
        self.n_inputs, self.n_annotators = table.shape
        self.turn = n_classes / (n_classes - 1)
        there = table != None  # noqa: E711 (of each element)
        found = []
        for one, two in combinations(range(self.n_annotators), 2):
            rows = np.flatnonzero(there[:, one] & there[:, two])
            differ = table[rows, one] != table[rows, two]
            found.append([rows, np.full(len(rows), one), np.full(len(rows), two),
                          differ.astype(np.float64)])  # fmt: skip
        empty = [np.zeros(0, dtype=np.intp)] * 3 + [np.zeros(0)]
        parts = zip(*(found or [empty]), strict=True)
        self.row, self.one, self.two, self.differ = map(np.concatenate, parts)
        self.turned = self._turned(n_classes)

    def known(self):
        """Return of which annotators the rate can be told.

        With :math:`u_a = 1 - e_a K / (K - 1)` each two annotators tell
        :math:`u_a u_b`, a sum of logarithms. These equations have one solution for a
        where its unit vector is among their combinations: where the annotators that
        are linked to a by shared inputs form a circle of an odd number.
        """
        links = {*zip(self.one.tolist(), self.two.tolist(), strict=True)}
        if not links:
            return np.zeros(self.n_annotators, dtype=bool)
        equations = np.zeros((len(links), self.n_annotators))
        for row, link in enumerate(sorted(links)):
            equations[row, list(link)] = 1
        reached = np.diag(np.linalg.pinv(equations) @ equations)
        return reached > 1 - 1e-8

    def _turned(self, n_classes):
        """Return who of two classes tells the other one, as a mask.

        Each two annotators agree more often than guesses where both are on one side,
        and less often where they are on two sides: sides are the signs of the first
        eigenvector of the matrix of n (1 - 2 d), and the smaller side is turned, if its
        members differ from the other one significantly more often than guesses do.
        """
        n, nobody = self.n_annotators, np.zeros(self.n_annotators, dtype=bool)
        if n_classes > 2 or not len(self.differ):
            return nobody
        agree = np.zeros((n, n))
        np.add.at(agree, (self.one, self.two), 1 - 2 * self.differ)
        vector = np.linalg.eigh(agree + agree.T)[1][:, -1]
        vector = np.where(np.abs(vector) < 1e-9, 0.0, vector)
        sides = vector > 0, vector < 0
        small, large = sorted(sides, key=np.sum)
        if small.sum() == large.sum():
            return nobody
        across = (small[self.one] & large[self.two]) | (
            large[self.one] & small[self.two]
        )
        for who in np.flatnonzero(small):
            differ = self.differ[across & ((self.one == who) | (self.two == who))]
            excess = differ.sum() - len(differ) / 2
            nobody[who] = len(differ) and excess > SURE * np.sqrt(len(differ)) / 2
        return nobody

    def fit(self):
        """Return the ``PairRates`` of the largest pairwise likelihood.

        The likelihood is that of all pairs as if they were independent; the covariance
        is that of the sandwich, with inputs as units (Varin, Reid and Firth 2011). In
        it each two annotators get one pair more that differs and one that agrees, so
        that it is not 0 while none differs; the rates with these pairs are the centre
        of the intervals.
        """
        rates = self._largest(self.differ)
        one, two, differ, row = self._extended()
        tilted = self._largest(differ, (one, two))
        share, slopes = self._moments(tilted, one, two)
        weight = 1 / (share * (1 - share))
        at = np.arange(len(share))
        step = np.zeros((len(share), self.n_annotators))
        step[at, one], step[at, two] = slopes
        information = (step * weight[:, None]).T @ step
        score = step * (weight * (differ - share))[:, None]
        n_units = int(row.max()) + 1
        by_input = np.zeros((n_units, self.n_annotators))
        np.add.at(by_input, row, score)
        inverse = np.linalg.pinv(information)
        influence = by_input @ inverse
        used = int(np.any(by_input != 0, axis=1).sum())
        small = used / max(used - self.n_annotators, 1)
        covariance = small * influence.T @ influence
        return PairRates(rates, tilted, covariance, influence[: self.n_inputs])

    def _extended(self):
        """Return the pairs with two made up for each two annotators."""
        links = np.unique(np.c_[self.one, self.two], axis=0)
        more = np.repeat(links, 2, axis=0)
        return (
            np.r_[self.one, more[:, 0]],
            np.r_[self.two, more[:, 1]],
            np.r_[self.differ, np.tile([0.0, 1.0], len(links))],
            np.r_[self.row, self.n_inputs + np.arange(len(more))],
        )

    def _moments(self, rates, one, two):
        """Return the share of each pair that differs, and its slopes in both rates."""
        first, second = rates[one], rates[two]
        share = first + second - self.turn * first * second
        slopes = 1 - self.turn * second, 1 - self.turn * first
        return np.clip(share, LEAST_SHARE, 1 - LEAST_SHARE), slopes

    def _largest(self, differ, pairs=None):
        one, two = pairs or (self.one, self.two)

        def loss(rates):
            share, slopes = self._moments(rates, one, two)
            value = differ @ np.log(share) + (1 - differ) @ np.log1p(-share)
            each = (differ - share) / (share * (1 - share))
            gradient = np.zeros(self.n_annotators)
            for who, slope in zip((one, two), slopes, strict=True):
                np.add.at(gradient, who, each * slope)
            return -value / len(share), -gradient / len(share)

        mean = float(differ.mean())
        first, end = min(max(mean / 2, 0.01), 0.3), MOST / self.turn
        start = np.where(self.turned, 1 - first, first)
        bounds = [(1 - end, 1.0) if turned else (0.0, end) for turned in self.turned]
        return minimize(loss, start, jac=True, bounds=bounds).x
