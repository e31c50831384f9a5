"""Images on a device of torch, perturbed where they are."""

import numpy as np

from skrobust._keyed_noise.generator import NoiseKey, seed_number
from skrobust._keyed_noise.splitmix import chunks
from skrobust._keyed_noise.tensor_noise import (
    TENSOR_DTYPES,
    TensorGenerator,
    tensor_row_keys,
)

_BATCH = 1 << 9  # times the numbers of a chunk of the host: 134 MB as float32


def perturb_on_device(perturbation, X, key=None):
    """Perturb a tensor of images on its device.

    Parameters
    ----------
    perturbation : ImagePerturbation
        One with ``_perturb_tensor(images, rng)``, which turns float images of shape
        (n, channels, height, width), with 0 and 1 for the ends of the data range, into
        new ones, or returns None. ``rng`` is a :class:`TensorGenerator`.
    X : torch tensor
        Images in any layout, floats or bytes; never changed.
    key : NoiseKey or None, default=None
        The keys of the rows, where a sequence has them; None hashes their content on
        the device, if anything is drawn.

    Returns
    -------
    torch tensor of the shape, dtype and device of X, or None
        None where the host must look at the values: to refuse them, or since the kind
        has no way on a device.
    """
    p, dtype = perturbation, str(X.dtype).removeprefix("torch.")
    if not (has_way(type(p)) and dtype in TENSOR_DTYPES and X.ndim > 1 and X.numel()):
        return None
    X = X.detach()
    rows = X.flatten(1)
    whole = dtype == "uint8" and p.data_range == "auto"  # without a look at the values
    if whole:
        ends = np.zeros((len(X), 2), dtype=np.uint8)
    else:  # the range of the data follows from the two ends of each image
        ends = [end.cpu().numpy() for end in (rows.amin(1), rows.amax(1))]
        ends = np.stack(ends, axis=1)
    if not np.isfinite(ends).all():
        return None
    p._check(np.zeros((1, *X.shape[1:]), dtype=ends.dtype))
    p._check_parameters()
    seed = seed_number(p.random_state, type(p).__name__)
    if p._is_identity():
        return X.clone()
    if X.ndim == 2 and p.image_shape is None:
        p._check_side()
    low, high, floor, ceiling = p._range_of(ends)
    shape, axis = p._layout(np.broadcast_to(ends[:1, :1].ravel()[0], X.shape))
    if key is None:
        key = NoiseKey.from_keys(lambda: tensor_row_keys(X), seed)
        key = key.derive(type(p).__name__, 0)
    rng, out = TensorGenerator(key, device=X.device), X.new_empty(X.shape)
    if dtype == "uint8":
        floor, ceiling = np.maximum(floor, 0), np.minimum(ceiling, 255)
    for part in chunks(len(X), rows.shape[1], times=_BATCH):
        images = X[part].double() if dtype == "float64" else X[part].float()
        images = images.reshape(-1, *shape[1:])
        if axis == 3:
            images = images.permute(0, 3, 1, 2)
        unit = images / 255 if whole else (images - low) / (high - low)
        made = p._perturb_tensor(unit, rng.take(part))
        if made is None:
            return None
        if whole:  # a share that came from a byte gives that byte
            new = (made * 255).round_().clamp_(0, 255)
        else:
            new = made * (high - low) + low
            new = new.round() if dtype == "uint8" else new
            bounds = [np.reshape(b[part] if np.ndim(b) else b, (-1, 1, 1, 1))
                      for b in (floor, ceiling)]  # fmt: skip
            bounds = [new.new_tensor(bound) for bound in bounds]
            new = new.maximum(bounds[0]).minimum(bounds[1]).where(made != unit, images)
        if axis == 3:
            new = new.permute(0, 2, 3, 1)
        out[part] = new.reshape(X[part].shape).to(X.dtype)
    return out


def has_way(kind):
    """Return whether a class has a way for tensors that belongs to its formula."""
    for cls in kind.__mro__:
        if "_perturb_tensor" in vars(cls):
            return vars(cls)["_perturb_tensor"] is not None
        if "_perturb_images" in vars(cls) or "_point" in vars(cls):
            return False
    return False
