"""Mixture martingales of paired shares, and the confidence sequences they give."""

import numpy as np
from scipy.special import betaln, gammaln, xlogy

_STEPS = 50  # of the bisection: limits to 2 ** -50


def log_e_of_discordant(up, down):
    """Return the log of the e-value against equal chances of the discordant pairs.

    It is the likelihood ratio of a chance drawn from Beta(1/2, 1/2) to 1/2.
    """
    mixture = betaln(up + 0.5, down + 0.5) - betaln(0.5, 0.5)
    return mixture + (up + down) * np.log(2)


def log_e_of_difference(up, down, n, difference):
    """Return the log of the e-value against a difference of two paired shares.

    It is the likelihood of the three counts, with chances from the Dirichlet
    distribution of parameters 1/2, less the largest one that has this difference.
    """
    rest = n - up - down
    mixture = gammaln(up + 0.5) + gammaln(down + 0.5) + gammaln(rest + 0.5)
    mixture = mixture - gammaln(n + 1.5) - 3 * gammaln(0.5) + gammaln(1.5)
    # The second share that makes the counts most likely solves a quadratic equation.
    b = up + down - difference * (2 * n - up + down)
    root = np.sqrt(np.maximum(b**2 + 8 * n * down * difference * (1 - difference), 0))
    q = (b + root) / np.maximum(4 * n, 1)
    q = np.clip(q, np.maximum(0.0, -difference), (1 - difference) / 2)
    p, r = np.maximum(q + difference, 0.0), np.maximum(1 - 2 * q - difference, 0.0)
    return mixture - xlogy(up, p) - xlogy(down, q) - xlogy(rest, r)


def limits_of_difference(up, down, n, error):
    """Return the limits of the differences whose e-value is below 1 / error."""
    return (
        _lower_limit(up, down, n, error),
        -_lower_limit(down, up, n, error),
    )


def _lower_limit(up, down, n, error):
    outside, inside = np.full(len(n), -1.0), (up - down) / n
    for _ in range(_STEPS):
        middle = (outside + inside) / 2
        is_out = log_e_of_difference(up, down, n, middle) >= -np.log(error)
        outside = np.where(is_out, middle, outside)
        inside = np.where(is_out, inside, middle)
    return outside
