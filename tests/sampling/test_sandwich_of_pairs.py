"""Variances of annotators' rates, by sums over inputs and by finite differences."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from skrobust.metrics.intervals.proportion import proportion_interval
from skrobust.sampling.annotators._noise_rate import noise_of_table
from skrobust.sampling.annotators.pair_rates import Pairs


def answers(rng, n, rates, n_classes=3):
    truth = rng.integers(n_classes, size=n)
    table = np.empty((n, len(rates)), dtype=object)
    for column, rate in enumerate(rates):
        wrong = (truth + rng.integers(1, n_classes, size=n)) % n_classes
        table[:, column] = np.where(rng.random(n) < rate, wrong, truth)
    return table


@pytest.mark.parametrize("n_classes", [2, 3])
def test_covariance_of_rates_is_the_sandwich_of_the_pairwise_likelihood(n_classes):
    rng = np.random.default_rng(n_classes)
    table = answers(rng, 80, [0.1, 0.2, 0.3, 0.15], n_classes)
    table[:20, 0], table[20:30, 1] = None, None
    found = Pairs(table, n_classes).fit()  # of six pairs and four rates: weights count
    turn = n_classes / (n_classes - 1)
    # Pairs of each input, and for each two annotators one more of either kind.
    inputs = []
    for row in table:
        there = [a for a in range(4) if row[a] is not None]
        inputs.append([(a, b, row[a] != row[b]) for a in there for b in there if a < b])
    for a, b in combinations(range(4), 2):
        inputs += [[(a, b, True)], [(a, b, False)]]

    def likelihood(rates, pairs):
        total = 0.0
        for a, b, differ in pairs:
            share = rates[a] + rates[b] - turn * rates[a] * rates[b]
            total += np.log(share if differ else 1 - share)
        return total

    at = found.centre
    scores = np.array([approx_fprime(at, likelihood, 1e-7, pairs) for pairs in inputs])
    # The expected information of a pair is the square of the slope by its variance.
    information = np.zeros((4, 4))
    for pairs in inputs:
        for a, b, _ in pairs:
            share = at[a] + at[b] - turn * at[a] * at[b]
            slope = np.zeros(4)
            slope[a], slope[b] = 1 - turn * at[b], 1 - turn * at[a]
            information += np.outer(slope, slope) / (share * (1 - share))
    used = sum(bool(pairs) for pairs in inputs)
    inverse = np.linalg.inv(information)
    expected = used / (used - 4) * inverse @ (scores.T @ scores) @ inverse
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-3)


def test_pairs_of_three_answers_count_what_their_spread_amounts_to():
    table = answers(np.random.default_rng(0), 60, [0.2, 0.1, 0.3])
    table[:25, 2] = None
    pairs, differ = [], []
    for row in table:
        given = [one for one in row if one is not None]
        both = [(a, b) for k, a in enumerate(given) for b in given[:k]]
        pairs.append(len(both))
        differ.append(sum(a != b for a, b in both))
    share = sum(differ) / sum(pairs)
    spread = sum((d - share * k) ** 2 for d, k in zip(differ, pairs, strict=True))
    n_pairs = share * (1 - share) * sum(pairs) ** 2 / spread
    found = noise_of_table(table, 3, 0.9, "here")
    ends = proportion_interval(share * n_pairs, n_pairs, confidence=0.9)
    # Two answers with errors e differ with probability 2 e - 3 / 2 e^2.
    for rate, share_of_pairs in zip(
        (found.rate, *found.interval), (share, *ends), strict=True
    ):
        assert 2 * rate - 1.5 * rate**2 == pytest.approx(share_of_pairs, abs=1e-9)


@pytest.mark.parametrize("n_others", [9, 10, 11, 20])
def test_who_always_differs_is_turned_once_that_is_no_chance(n_others):
    """From ten pairs on: n / 2 is then above three times the root of n / 4."""
    n = 1 + n_others
    pairs = list(combinations(range(n), 2))
    table = np.full((len(pairs), n), None, dtype=object)  # each pair its own input
    for row, (one, two) in enumerate(pairs):
        table[row, [one, two]] = int(one == 0), 0
    turned = Pairs(table, 2).turned
    assert turned.tolist() == [n_others >= 10] + [False] * n_others
    assert not Pairs(table, 3).turned.any()
    assert not Pairs(np.where(table == 1, 0, table), 2).turned.any()
