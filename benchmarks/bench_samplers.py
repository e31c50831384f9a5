"""Samplers beside what one writes by hand: numpy's choice, and loops over the pool."""

import numpy as np
from paired import Case

from skrobust.sampling import (
    DeepESTSampler,
    OperationalSampler,
    ProportionalSampler,
    SimpleRandomSampler,
)


def adaptive_walk(scores, n_labels, share, rng):
    """Draw labels one at a time, as the procedure of DeepEST is written down.

    Each draw follows a link to an input of a high score, or picks any input.
    """
    n, high = len(scores), scores >= np.quantile(scores, 0.7)
    drawn = np.zeros(n, dtype=bool)
    for _ in range(n_labels):
        weight = np.where(drawn, 0.0, scores * high)
        if weight.sum() > 0 and rng.random() < share:
            chance = weight / weight.sum()
        else:
            chance = np.where(drawn, 0.0, 1.0) / (~drawn).sum()
        drawn[rng.choice(n, p=chance)] = True
    return np.flatnonzero(drawn)


def cases(short):
    """Yield samplers of 200 labels on a pool of scores."""
    n = 2_000 if short else 100_000
    scores = np.random.default_rng(0).beta(0.5, 3, n)
    rng = np.random.default_rng(1)
    chances = scores / scores.sum()

    def ours(kind):
        return lambda: kind(random_state=0).fit(scores).ask(200)

    hand = {
        SimpleRandomSampler: ("rng.choice", lambda: rng.choice(n, 200, replace=False)),
        ProportionalSampler: ("rng.choice(p=)", lambda: rng.choice(n, 200, p=chances)),
        DeepESTSampler: ("plain loop", lambda: adaptive_walk(scores, 200, 0.8, rng)),
        OperationalSampler: (
            "rng.choice(p=)",
            lambda: rng.choice(n, 200, replace=False, p=chances),
        ),
    }
    for kind, (other, side) in hand.items():
        what = f"{kind.__name__}, 200 of {n:,}"
        yield Case("sampling", what, "labels", 200, {"ours": ours(kind), other: side})
