"""Margins of one-vs-one votes: how far decisions must move until another class wins."""

from itertools import combinations

import numpy as np

from skrobust._differentiable.maps import Map


def duel_margins(k):
    """Return the map from the decisions of pairs to a score for each of k classes.

    The class with the most votes, the first of several, has the score 0, and any other
    one minus the sum of as many of the smallest changes of decisions as it lacks votes
    to win; a duel of the two is worth two votes, for half of its change each. The
    scores are below 0 exactly where the class does not win and change without jumps, so
    that their slopes are true ones, where votes have none and the slope of sums of
    decisions leads away from the duels that decide. The measure is our choice.
    """
    pairs = list(combinations(range(k), 2))
    place, sign = np.zeros((k, k), dtype=int), np.zeros((k, k))
    for number, (i, j) in enumerate(pairs):
        place[i, j] = place[j, i] = number
        sign[i, j], sign[j, i] = 1, -1
    classes = np.arange(k)

    def apply(d):
        rows = np.arange(len(d))
        lead = d[:, place] * sign
        won = (sign > 0) & (lead > 0) | (sign < 0) & (lead >= 0)
        votes = won.sum(axis=2)
        winner = votes.argmax(axis=1)
        missing = votes[rows, winner][:, None] - votes + (classes > winner[:, None])
        # What it costs to win each lost duel, and to take a won one from the winner.
        cost = np.full((len(d), k, 2 * k), np.inf)
        cost[:, :, :k] = np.where(~won & (sign != 0), -lead, np.inf)
        taken = np.where(won[rows, winner], lead[rows, winner], np.inf)
        cost[:, :, k:] = taken[:, None]
        half = np.ones_like(cost)
        half[rows, :, winner] = half[:, classes, k + classes] = 0.5
        cost *= half
        rank = cost.argsort(axis=2, kind="stable").argsort(axis=2, kind="stable")
        chosen = (rank < missing[:, :, None]) & np.isfinite(cost)
        chosen[rows, winner] = False

        def pullback(slope):
            parts = slope[:, :, None] * chosen * half
            by_lead = parts[:, :, :k].copy()
            by_lead[rows, winner] -= parts[:, :, k:].sum(axis=1)
            by_lead *= sign
            both = by_lead + by_lead.transpose(0, 2, 1)
            return np.stack([both[:, i, j] for i, j in pairs], axis=1)

        scores = -np.where(chosen, cost, 0.0).sum(axis=2)
        even = (scores == 0) & (classes != winner[:, None])
        return np.where(even, -np.finfo(np.float64).tiny, scores), pullback

    return Map(apply)
