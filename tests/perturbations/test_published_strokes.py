"""White lines: those of MNIST-C are among all that it can draw, ours have a formula."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.signal import sawtooth

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


class Given:
    """A generator whose draws are given."""

    def __init__(self, draws):
        self.draws = np.array(draws)

    def random(self, size):
        assert size == self.draws.shape
        return self.draws


@pytest.mark.parametrize("side", [7, 14, 28, 56, 100])
@pytest.mark.parametrize("start", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("climb", [0.0, 0.5, 0.8])
def test_a_zigzag_is_a_triangle_wave_on_a_slanted_line(side, start, climb):
    drawn = Given([[start, climb], [climb, start]])
    curve, hidden = sp.Zigzag()._curve(2, side, side, side, drawn)
    unit = max(side / 28, 0.5)  # a tooth is no smaller than a pixel
    first, last = 2 / 27 * (side - 1), 25 / 27 * (side - 1)
    column = np.arange(side)
    assert np.array_equal(hidden, (column < first) | (column > last))
    along = (column - first) / (8 * unit)  # up, down and up again in 8 pixels of 28
    teeth = 2 * unit * sawtooth(2 * np.pi * (along + 0.25), width=0.5)
    for one, (begin, rise) in zip(curve, drawn.draws, strict=True):
        slope = (rise - 0.5) * 10 * side / 28 / (last - first)
        line = begin * (side - 1) + slope * (column - first)
        seen = ~hidden
        np.testing.assert_allclose((one - line)[seen], teeth[seen], atol=1e-9)


@pytest.mark.parametrize("width", [3, 4, 7, 10, 14, 28, 42, 56, 84])
@pytest.mark.parametrize("published", [False, True])
def test_dots_and_gaps_are_a_fourteenth_of_the_side_and_no_less_than_a_pixel(
    width, published
):
    dotted = sp.DottedLine(opacity=1.0, published=published, random_state=0)
    drawn = dotted.perturb(None, np.zeros((9, width, width))).max(axis=1) > 0
    dot = max(width / 14, 1.0)
    wanted = np.floor(np.arange(width) / dot).astype(int) % 2 == 1
    wanted[-1] &= not published
    assert np.array_equal(drawn, np.tile(wanted, (9, 1)))


@pytest.mark.parametrize("ends", [(0.0, 1.0), (1.0, 0.25), (0.5, 0.5)])
def test_a_dotted_line_is_straight_from_edge_to_edge(ends):
    for published in (False, True):
        line = sp.DottedLine(published=published)
        (curve,), _ = line._curve(1, 28, 28, 28.0, Given([ends]))
        rows = np.floor(27 * np.array(ends)) if published else 27 * np.array(ends)
        np.testing.assert_allclose(curve, np.linspace(*rows, 28), atol=1e-12)


@pytest.mark.parametrize("climb", range(-5, 5))
@pytest.mark.parametrize("row", [0, 11, 26])
def test_a_turned_zigzag_has_the_corners_of_the_publication(row, climb):
    drawn = Given([[(row + 0.5) / 27, (climb + 5.5) / 10]])
    (stroke,) = sp.Zigzag(published=True)._turned(1, 28, 28, drawn)
    np.testing.assert_allclose(stroke, zigzag(row, climb), atol=1e-9)
