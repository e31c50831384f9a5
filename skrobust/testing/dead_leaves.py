"""Pictures like photographs, generated from a seed."""

import numpy as np


def dead_leaves(n, side, *, grey=False, seed=0):
    """Return pictures of overlapping disks, a usual model of photographs.

    Disks of random colours hide one another. Their radii follow a power law, so that
    there are edges at all scales, and the spectrum falls as that of photographs does
    (A. B. Lee, D. Mumford and J. Huang, "Occlusion Models for Natural Images", 2001).
    Each disk is shaded. The pictures are the same with every version of numpy, as they
    come from its frozen generator.

    Parameters
    ----------
    n : int
        Number of pictures.
    side : int
        Their height and width in pixels.
    grey : bool, default=False
        Whether to draw bright disks on black in one channel, as handwriting is.
    seed : int, default=0
        Seed. The first pictures are the same for any ``n``.

    Returns
    -------
    ndarray of uint8 of shape (n, side, side, 3) or (n, side, side)
        The pictures.
    """
    return np.stack([_picture(side, grey, 1_000 * seed + i) for i in range(n)])


def _picture(side, grey, seed):
    rng = np.random.RandomState(seed)
    n_disks = 25 if grey else 300
    place = rng.uniform(-0.1, 1.1, (n_disks, 2))
    radius = 0.03 * (1 - rng.uniform(size=n_disks)) ** -0.6
    colour = _colours(rng, n_disks)
    shade = rng.uniform(-0.6, 0.6, (n_disks, 2))
    rows, columns = ((np.indices((side, side)) + 0.5) / side)[..., None]
    picture = np.zeros((side, side, 3)) if grey else np.full((side, side, 3), 0.45)
    if grey:  # a stroke through the middle
        place = 0.5 + (place - 0.5) * [0.5, 0.35]
        radius = np.minimum(radius, 0.08)
    for (top, left), r, c, (down, right) in zip(
        place, np.minimum(radius, 0.5), colour, shade, strict=True
    ):
        # Only the square around the disk; half a pixel more for rounding.
        box = tuple(
            slice(
                max(int((middle - r) * side - 0.5), 0),
                max(int((middle + r) * side + 1.5), 0),
            )
            for middle in (top, left)
        )
        y, x = rows[box] - top, columns[box] - left
        inside = (y * y + x * x < r * r)[..., 0]
        shaded = c * (1 + (down * y + right * x) / (2 * r))
        picture[box][inside] = np.clip(shaded, 0, 1)[inside]
    if grey:
        picture = np.where(picture > 0, np.minimum(0.6 + picture, 1), 0)[..., 0]
    return np.rint(255 * picture).astype(np.uint8)


def _colours(rng, n):
    """Return colours of which brightness varies much and hue varies little."""
    brightness = rng.beta(1.2, 1.4, (n, 1))
    return np.clip(brightness * (1 + 0.25 * rng.normal(size=(n, 3))), 0, 1)
