"""Random windows of the Square attack: squares of images, blocks of features."""

import numpy as np

from skrobust._validation import invalid


def _signs(rng, size):
    return np.where(rng.random(size) < 0.5, -1.0, 1.0)


class Flat:
    """Rows of a table: a block is a random set of features.

    Parameters
    ----------
    width : int
        Number of features.
    """

    def __init__(self, width):
        self._width = width

    def cut(self, rows):
        """Return rows as (n, channels, height, width)."""
        return rows.reshape(len(rows), 1, 1, self._width)

    def join(self, planes):
        """Undo ``cut``."""
        return planes.reshape(len(planes), -1)

    def signs(self, rng, n):
        """Return a sign for each feature of each row."""
        return _signs(rng, (n, 1, 1, self._width))

    def stripes(self, rng, n):
        """Return the first step in the maximum norm."""
        return self.signs(rng, n)

    def tiles(self, rng, n, share):
        """Return the first step in the norm 2, of any length."""
        return self.signs(rng, n)

    def window(self, rng, n, share, least=1):
        """Return a mask of a random block of each row."""
        count = max(least, round(share * self._width))
        draws = rng.random((n, self._width))
        rank = np.argsort(np.argsort(draws, axis=1), axis=1)
        return (rank < count)[:, None, None, :]

    def exchange(self, rng, n, share):
        """Return a block, what to add there, and where that length comes from.

        Features have no shape to move: a block turns at a length that stays.
        """
        window = self.window(rng, n, share, least=2)
        bump = rng.normal(size=(n, self._width))[:, None, None, :]
        return window, window * bump, window


class Planes:
    """Images: squares of pixels.

    Parameters
    ----------
    shape : tuple of int
        (height, width), with channels before or behind.
    channel_axis : {None, 1, -1}
        Where the channels are: first or last.
    """

    def __init__(self, shape, channel_axis):
        self._shape = tuple(shape)
        self._axis = None
        if len(shape) > 3:
            raise ValueError(
                "Square needs flat rows or images of two or three dimensions. Got rows "
                f"of shape {self._shape}."
            )
        if len(shape) == 3:
            self._axis = self._channels(channel_axis)
        sides = list(shape)
        self._n_channels = 1 if self._axis is None else sides.pop(self._axis)
        self._height, self._width = sides

    def _channels(self, channel_axis):
        if channel_axis is not None:
            return 0 if channel_axis == 1 else -1
        ends = [axis for axis in (0, -1) if self._shape[axis] in (1, 3, 4)]
        if len(ends) != 1:
            rule = f"1 (first) or -1 (last) for images of shape {self._shape}"
            raise invalid("channel_axis", "Square", rule, channel_axis)
        return ends[0]

    def cut(self, rows):
        """Return rows as (n, channels, height, width)."""
        images = rows.reshape(len(rows), *self._shape)
        if self._axis is None:
            return images[:, None]
        return np.moveaxis(images, self._axis % 3 + 1, 1)

    def join(self, planes):
        """Undo ``cut``."""
        if self._axis is None:
            return planes[:, 0]
        return np.moveaxis(planes, 1, self._axis % 3 + 1)

    def signs(self, rng, n):
        """Return a sign for each channel of each row."""
        return _signs(rng, (n, self._n_channels, 1, 1))

    def stripes(self, rng, n):
        """Return the first step in the maximum norm: vertical stripes."""
        stripes = _signs(rng, (n, self._n_channels, 1, self._width))
        return np.repeat(stripes, self._height, axis=2)

    def tiles(self, rng, n, share):
        """Return the first step in the norm 2, of any length: tiles of bumps."""
        side = self._side(share) if share < 0.5 else max(1, self._width // 5)
        down, along = -(-self._height // side), -(-self._width // side)
        signs = _signs(rng, (n, self._n_channels, down, along))
        signs = np.repeat(np.repeat(signs, side, axis=2), side, axis=3)
        tiles = signs * np.tile(_two_hills(side), (down, along))
        return tiles[:, :, : self._height, : self._width]

    def _side(self, share):
        side = round(np.sqrt(share * self._height * self._width))
        return min(max(1, side), self._height, self._width)

    def _odd_side(self, share):
        side = max(3, self._side(share))
        return min(side + 1 - side % 2, self._height, self._width)

    def _corner(self, rng, n, side):
        room = np.array([self._height - side + 1, self._width - side + 1])
        return np.floor(rng.random((n, 2)) * room).astype(int)

    def _places(self, corner):
        """Return the place of each pixel relative to a corner, down and along."""
        down = np.arange(self._height) - corner[:, :1]
        along = np.arange(self._width) - corner[:, 1:]
        return down[:, None, :, None], along[:, None, None, :]

    def window(self, rng, n, share):
        """Return a mask of a random square of each row."""
        return self._square(rng, n, self._side(share))[0]

    def _square(self, rng, n, side):
        """Return the mask of a random square, and the places in it of all pixels."""
        down, along = self._places(self._corner(rng, n, side))
        inside = (down >= 0) & (down < side) & (along >= 0) & (along < side)
        return inside, np.clip(down, 0, side - 1), np.clip(along, 0, side - 1)

    def exchange(self, rng, n, share):
        """Return a square, what to add there, and another one that gives it up.

        What is added is a hill beside a dale. As in the published code, the side is odd
        and at least 3, where the image is.
        """
        side = self._odd_side(share)
        window, down, along = self._square(rng, n, side)
        hills = _two_hills(side)
        turned = rng.random((n,))[:, None, None, None] < 0.5
        shape = np.where(turned, hills[along, down], hills[down, along])
        return window, window * shape, self._square(rng, n, side)[0]


def _hill(height, width):
    """Return the published bump: it falls off in rings from the middle."""
    middle = height // 2
    down = np.abs(np.arange(1, height + 1) - middle - 1)[:, None]
    along = np.abs(np.arange(1, width + 1) - width // 2 - 1)[None, :]
    rings = middle - np.maximum(down, along)
    terms = np.cumsum(1.0 / (middle + 1 - np.arange(middle + 1)) ** 2)
    return np.where(rings >= 0, terms[np.clip(rings, 0, middle)], 0.0)


def _two_hills(side):
    left = side // 2
    return np.concatenate([_hill(side, left), -_hill(side, side - left)], axis=1)
