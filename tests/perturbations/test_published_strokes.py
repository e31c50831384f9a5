"""White lines of MNIST-C are among all that its publication can draw."""

from itertools import pairwise, product

import numpy as np
import pytest

import skrobust.perturbations as sp

ROWS, COLUMNS = np.mgrid[:28, :28]


def piece(c0, r0, c1, r1):
    """A piece of a line from a column and row to others, whose white fades upwards.

    It reaches from the column of its start to the one before its end.
    """
    middle = r0 + (COLUMNS - c0) * (r1 - r0) / (c1 - c0)
    near = np.maximum(1 - np.abs(ROWS - middle) / 2.3, 1e-9)
    inside = (np.floor(c0) <= COLUMNS) & (np.ceil(c1) > COLUMNS)
    return np.clip(1 + np.log(near), 0, 1) * inside


def zigzag(row, climb):
    """Teeth of 2 x 4 pixels along a line from column 2 to 25, turned with it."""
    length = np.hypot(23, climb)
    places = np.array([0, 2, 6, 10, 14, 18, 22, length])
    heights = np.array([0, 2, -2, 2, -2, 2, -2, -1 / (length - 20)])
    turned = (places + 1j * heights) * (23 + 1j * climb) / length + (2 + 1j * row)
    corners = list(zip(turned.real, turned.imag, strict=True))
    pieces = [piece(*a, *b) for a, b in pairwise(corners)]
    return np.minimum(sum(pieces), 1)


def dotted_line(left, right):
    """A line from edge to edge, two columns of four left out."""
    return piece(0, left, 27, right) * (COLUMNS % 4 >= 2)


EVERY = {
    "zigzag": [zigzag(*one) for one in product(range(27), range(-5, 5))],
    "dotted_line": [dotted_line(*one) for one in product(range(27), repeat=2)],
}


@pytest.mark.parametrize("kind", EVERY)
def test_each_line_is_one_that_the_publication_draws(kind):
    every = np.array(EVERY[kind])
    (condition,) = (c for c in sp.mnist_c(random_state=0) if c.name == kind)
    black = np.zeros((24, 28, 28))
    out = condition.perturb(None, black)
    apart = np.array([np.abs(every - one).max(axis=(1, 2)) for one in out])
    assert apart.min(axis=1).max() < 1e-9
    assert len(set(apart.argmin(axis=1))) > 15  # each image draws its own
    pixels = condition.perturb(None, black.astype(np.uint8))
    assert np.abs(pixels - 255 * every[apart.argmin(axis=1)]).max() <= 0.5 + 1e-3
