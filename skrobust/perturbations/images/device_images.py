"""Images on a device of torch, perturbed where they are."""

import numpy as np


def on_other_device(X):
    """Return whether X is a tensor of torch that is not in the memory of the host."""
    device = getattr(X, "device", None)
    return getattr(device, "type", "cpu") != "cpu" and hasattr(X, "permute")


def perturb_on_device(perturbation, X):
    """Perturb a tensor of images on its device.

    Parameters
    ----------
    perturbation : ImagePerturbation
        One with ``_perturb_tensor(images)``, which turns float images of shape
        (n, channels, height, width), with 0 and 1 for the ends of the data range, into
        new ones.
    X : torch tensor
        Images in any layout, floats or bytes; never changed.

    Returns
    -------
    torch tensor of the shape, dtype and device of X, or None
        None where the host must look at the values: to refuse them, or since the kind
        has no way on a device.
    """
    p, dtype = perturbation, str(X.dtype).removeprefix("torch.")
    known = dtype in ("uint8", "float16", "float32", "float64")
    if not (_has_way(type(p)) and known and X.ndim > 1 and X.numel()):
        return None
    if getattr(p, "both_ways", False):  # drawn by the host
        return None
    X = X.detach()
    rows = X.flatten(1)
    # The range of the data follows from the two ends of each image.
    ends = [end.cpu().numpy() for end in (rows.amin(1), rows.amax(1))]
    ends = np.stack(ends, axis=1)
    if not np.isfinite(ends).all():
        return None
    p._check(np.zeros((1, *X.shape[1:]), dtype=ends.dtype))
    p._check_parameters()
    if p._is_identity():
        return X.clone()
    low, high, floor, ceiling = p._range_of(ends)
    shape, axis = p._layout(np.broadcast_to(ends[:1, :1].ravel()[0], X.shape))
    wide = X.double() if dtype == "float64" else X.float()
    images = wide.reshape(shape)
    if axis == 3:
        images = images.permute(0, 3, 1, 2)
    unit = (images - low) / (high - low)
    out = p._perturb_tensor(unit)
    new = out * (high - low) + low
    if dtype == "uint8":
        new = new.round()
        floor, ceiling = np.maximum(floor, 0), np.minimum(ceiling, 255)
    bounds = [
        new.new_tensor(np.asarray(bound).reshape(-1, 1, 1, 1))
        for bound in (floor, ceiling)
    ]
    new = new.maximum(bounds[0]).minimum(bounds[1]).where(out != unit, images)
    if axis == 3:
        new = new.permute(0, 2, 3, 1)
    return new.reshape(X.shape).to(X.dtype)


def _has_way(kind):
    """Return whether a class has a way for tensors that belongs to its formula."""
    for cls in kind.__mro__:
        if "_perturb_tensor" in vars(cls):
            return vars(cls)["_perturb_tensor"] is not None
        if "_perturb_images" in vars(cls) or "_point" in vars(cls):
            return False
    return False


def filter_tensor(images, kernel):
    """Filter images (n, channels, height, width) with a symmetric kernel, both ways."""
    reach = len(kernel) // 2
    for axis in (2, 3):
        side = images.shape[axis]
        places = np.clip(np.arange(-reach, side + reach), 0, side - 1)
        padded = images.index_select(axis, _index(images, places))
        parts = (padded.narrow(axis, k, side) for k in range(len(kernel)))
        images = sum(float(w) * part for w, part in zip(kernel, parts, strict=True))
    return images


def zoom_tensor(images, pairs):
    """Mix two pixels for each new one along both axes, as pairs of places say."""
    for axis, (places, weights) in zip((2, 3), pairs, strict=True):
        sides = (-1, 1) if axis == 2 else (-1,)
        first, second = (
            images.index_select(axis, _index(images, place))
            * images.new_tensor(weight).reshape(sides)
            for place, weight in zip(places, weights, strict=True)
        )
        images = first + second
    return images


def sample_tensor(images, operator, outside, fill):
    """Sample images (n, channels, height, width) by a sparse matrix.

    ``operator`` is a csr_array of shape (pixels, pixels) and ``outside`` the share of
    fill of each new pixel.
    """
    flat = images.flatten(2)
    taps = np.diff(operator.indptr)
    out = images.new_tensor(fill * outside).expand_as(flat)
    for k in range(taps.max()):
        at = np.minimum(operator.indptr[:-1] + k, len(operator.data) - 1)
        weight = np.where(taps > k, operator.data[at], 0)
        place = _index(images, np.where(taps > k, operator.indices[at], 0))
        out = out + flat.index_select(2, place) * images.new_tensor(weight)
    return out.reshape(images.shape)


def _index(images, places):
    import torch

    return torch.as_tensor(places, dtype=torch.long, device=images.device)
