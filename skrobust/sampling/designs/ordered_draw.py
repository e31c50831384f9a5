"""Fixed-size draws along an order, with exact inclusion probabilities."""

from functools import partial

import numpy as np

from skrobust.sampling.designs.fixed_size import SURE


def ordered_draw(pi, uniforms):
    r"""Draw units along their order, one from each stretch of probability 1.

    Deville's systematic sampling (1998): units are laid end to end as intervals of
    lengths pi, and one point falls into each cell [k, k + 1). A unit across the border
    of two cells, of length a before it and b after it, is drawn in the second cell
    with probability 0 if it was drawn in the first, and :math:`b / (1 - a)` if not;
    otherwise the point is uniform on the rest of the cell. So each unit is drawn with
    probability a + b = pi exactly, none twice, and neighbours seldom together: the
    order is an implicit stratification.

    Parameters
    ----------
    pi : ndarray of shape (n_units,)
        Inclusion probabilities with an integer sum n, in order. Units that are certain
        (pi = 1) come last in the answer.
    uniforms : ndarray of shape (n,)
        Independent and uniform on [0, 1): all the randomness there is.

    Returns
    -------
    ndarray of shape (n,)
        Positions, in the order of the cells and then certain ones.

    References
    ----------
    J.-C. Deville, "Une nouvelle méthode de tirage à probabilités inégales", INSEE
    working paper 9804, 1998. Y. Tillé, "Sampling Algorithms", Springer 2006.
    """
    certain = pi >= SURE
    if certain.any():
        open_ = np.flatnonzero(~certain)
        n = len(uniforms) - int(certain.sum())
        drawn = ordered_draw(pi[open_], uniforms[:n])
        return np.concatenate([open_[drawn], np.flatnonzero(certain)])
    n = len(uniforms)
    if n == 0:
        return np.empty(0, dtype=np.intp)
    edges = np.cumsum(pi)
    edges *= n / edges[-1]
    cell = np.arange(n, dtype=np.float64)
    at = partial(np.searchsorted, edges, side="right")
    across = at(cell)  # holds the start of its cell
    before = cell - np.where(across > 0, edges[across - 1], 0.0)
    after = np.minimum(edges[across] - cell, 1.0)
    after[before <= 0] = 0.0
    chance = np.minimum(after / np.maximum(1 - before, 1e-300), 1.0)
    again = at(cell + after + uniforms * (1 - after))
    rest = np.maximum(uniforms - chance, 0.0) / np.maximum(1 - chance, 1e-300)
    fresh = at(cell + after + rest * (1 - after))
    shared = after > 0
    # Behind the unit across: cell + after is its edge exactly, since edge - cell is.
    fresh = np.where(shared & (uniforms < chance), across, fresh)
    return _chain(across, again, fresh, shared, len(pi))


def _chain(across, again, fresh, shared, n_units):
    """Follow the cells, each knowing what the one before it drew."""
    drawn, last = [], -1
    listed = (across.tolist(), again.tolist(), fresh.tolist(), shared.tolist())
    for unit, if_drawn, if_not, both in zip(*listed, strict=True):
        last = if_drawn if both and unit == last else if_not
        last = min(last, n_units - 1)
        drawn.append(last)
    return np.array(drawn, dtype=np.intp)


def successive_variance(residuals, pi, n_pool):
    r"""Estimate the variance of an ordered draw from neighbours in it.

    .. math::

        V = \frac{1}{2 N^2} \sum_{k=1}^{n} (r_k - r_{k-1})^2, \qquad
        r_k = \frac{e_k}{\pi_k}, \quad r_0 = r_n

    Where cells are independent its expectation is the true variance plus half the
    squared differences of the means of neighbouring cells: it is conservative, and
    more so the worse the predictor follows the outcomes. Neighbouring cells share a
    unit, of which at most one draw is made; this makes them slightly dependent, and V
    a little larger still. No unbiased estimator exists, since many pairs of units can
    never be drawn together.

    Parameters
    ----------
    residuals, pi : ndarray of shape (n,)
        y - m in draw order, and inclusion probabilities; certain units count nothing.
    n_pool : int
        Size of the pool.

    Returns
    -------
    variance, df : float
        nan and 0 where only one unit was left to chance.
    """
    chance = pi < SURE
    r = residuals[chance] / pi[chance]
    if len(r) < 2:
        return (np.nan, 0.0) if len(r) else (0.0, np.inf)
    total = ((r - np.roll(r, 1)) ** 2).sum()
    return float(total / 2 / n_pool**2), len(r) - 1.0
