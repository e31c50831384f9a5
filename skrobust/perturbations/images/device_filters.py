"""Filters, zooms and samplings of images (n, channels, height, width) as tensors."""

import numpy as np

from skrobust.perturbations.images.warp import bilinear_operator


def look_up(images, table, rng):
    """Return what the 16-bit word of each pixel and channel looks up in a table.

    Words are drawn in the order of the host, where channels come last.

    Parameters
    ----------
    images : tensor of shape (n, channels, height, width)
        The images.
    table : ndarray of shape (65536,)
        What each word stands for.
    rng : TensorGenerator
        Draws the words.
    """
    size = images.movedim(1, -1).shape
    words = rng.tensor_words(size).reshape(-1)
    found = images.new_tensor(table).index_select(0, words)
    return found.reshape(size).movedim(-1, 1)


def filter_tensor(images, kernel):
    """Filter images with a symmetric kernel, both ways; border pixels are repeated."""
    reach = len(kernel) // 2
    for axis in (2, 3):
        side = images.shape[axis]
        places = np.clip(np.arange(-reach, side + reach), 0, side - 1)
        padded = images.index_select(axis, index_tensor(images, places))
        parts = (padded.narrow(axis, k, side) for k in range(len(kernel)))
        images = sum(float(w) * part for w, part in zip(kernel, parts, strict=True))
    return images


def correlate_tensor(images, kernel, border):
    """Correlate images with a square kernel in full precision.

    Parameters
    ----------
    images : tensor of shape (n, channels, height, width)
        The images.
    kernel : ndarray of shape (2 reach + 1, 2 reach + 1)
        Weights.
    border : {"edge", "reflect"}
        What lies outside, as in :func:`numpy.pad`.
    """
    import torch

    from skrobust._differentiable.reduced_precision import tensor_float

    reach = len(kernel) // 2
    for axis in (2, 3):
        places = np.pad(np.arange(images.shape[axis]), reach, mode=border)
        images = images.index_select(axis, index_tensor(images, places))
    planes = images.flatten(0, 1)[None]  # as channels, each on its own
    n_planes = planes.shape[1]
    weights = images.new_tensor(kernel).expand(n_planes, 1, -1, -1)
    # TF32, which torch allows in convolutions, keeps ten bits of a product.
    with tensor_float(torch, False if images.is_cuda else None):
        new = torch.nn.functional.conv2d(planes, weights, groups=n_planes)
    return new.reshape(*images.shape[:2], *new.shape[2:])


def zoom_tensor(images, pairs):
    """Mix two pixels for each new one along both axes, as pairs of places say."""
    for axis, (places, weights) in zip((2, 3), pairs, strict=True):
        sides = (-1, 1) if axis == 2 else (-1,)
        first, second = (
            images.index_select(axis, index_tensor(images, place))
            * images.new_tensor(weight).reshape(sides)
            for place, weight in zip(places, weights, strict=True)
        )
        images = first + second
    return images


def sample_tensor(images, operator, outside, fill):
    """Sample images by a sparse matrix.

    ``operator`` is a csr_array of shape (pixels, pixels) and ``outside`` the share of
    fill of each new pixel.
    """
    flat = images.flatten(2)
    taps = np.diff(operator.indptr)
    out = images.new_tensor(fill * outside).expand_as(flat)
    for k in range(taps.max()):
        at = np.minimum(operator.indptr[:-1] + k, len(operator.data) - 1)
        weight = np.where(taps > k, operator.data[at], 0)
        place = index_tensor(images, np.where(taps > k, operator.indices[at], 0))
        out = out + flat.index_select(2, place) * images.new_tensor(weight)
    return out.reshape(images.shape)


def warp_tensor(images, rows, columns, fill):
    """Sample all images bilinearly at the same places, of shape (height, width)."""
    places = rows.ravel(), columns.ravel()
    sampling = bilinear_operator(*places, *images.shape[2:])
    return sample_tensor(images, *sampling, fill)


def gather_tensor(images, rows, columns):
    """Return the pixels at rows and columns that differ from image to image.

    Parameters
    ----------
    images : tensor of shape (n, channels, height, width)
        The images.
    rows, columns : ndarray of int of shape (n, tall) and (n, wide)
        Places inside the image.

    Returns
    -------
    tensor of shape (n, channels, tall, wide)
        The pixels.
    """
    rows, columns = (index_tensor(images, places) for places in (rows, columns))
    place = rows[:, :, None] * images.shape[3] + columns[:, None]
    flat = place.flatten(1)[:, None].expand(-1, images.shape[1], -1)
    found = images.flatten(2).gather(2, flat)
    return found.reshape(*images.shape[:2], *place.shape[1:])


def shift_tensor(images, places, weights, fill):
    """Shift images bilinearly, each by lengths of its own.

    Parameters
    ----------
    images : tensor of shape (n, channels, height, width)
        The images.
    places : pair of ndarray of int of shape (n,)
        Row and column that the first new pixel comes from.
    weights : ndarray of shape (n, 4)
        Of the four pixels around each place.
    fill : float
        Value of what comes in.
    """
    height, width = images.shape[2:]
    seen = [
        first[:, None] + np.arange(side + 1)
        for first, side in zip(places, (height, width), strict=True)
    ]
    inside = [
        images.new_tensor((place >= 0) & (place < side)).bool()
        for place, side in zip(seen, (height, width), strict=True)
    ]
    rows, columns = (
        np.clip(place, 0, side - 1)
        for place, side in zip(seen, (height, width), strict=True)
    )
    window = gather_tensor(images, rows, columns)
    known = (inside[0][:, :, None] & inside[1][:, None])[:, None]
    window = window.masked_fill(~known, fill)
    weights = images.new_tensor(weights)[:, :, None, None, None]
    corners = [
        window[:, :, below : below + height, beside : beside + width]
        for below in (0, 1)
        for beside in (0, 1)
    ]
    return sum(weights[:, k] * corner for k, corner in enumerate(corners))


def index_tensor(images, places):
    """Return whole numbers as a tensor where the images are."""
    import torch

    return torch.as_tensor(np.asarray(places), dtype=torch.long, device=images.device)
