"""Random data for tests of properties, from seeds that hypothesis chooses."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from skrobust.metrics.robust.unmoved import full_attack

few = settings(max_examples=50, deadline=None, derandomize=True)
fewer = settings(max_examples=8, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def fractions_of_20(rng, n, k):
    """Return probabilities that are multiples of 1/20, so that many are equal."""
    return rng.multinomial(20, rng.dirichlet(np.ones(k), n)) / 20


def probabilities(rng, n, k):
    """Return probabilities of which no two are equal."""
    return rng.dirichlet(np.ones(k), n)


def moved(rng, n, k, *, kind=probabilities):
    """Return labels, clean probabilities and those under a perturbation."""
    return rng.integers(0, k, n), kind(rng, n, k), kind(rng, n, k)


# Rows that stay where they are pass without a warning.
any_rows = full_attack
