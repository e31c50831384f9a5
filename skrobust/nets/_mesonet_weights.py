"""Published weights of MesoNet, from Keras HDF5 into torch."""

import os
import re

import numpy as np

from skrobust._optional import require
from skrobust._validation import invalid

_CALLER = "load_mesonet_weights"


def load_mesonet_weights(path):
    """Return a Meso4 or MesoInception4 with weights from a Keras HDF5 file.

    The layers in the file tell which of the two it is. They are taken in the order of
    the numbers in their names, in which Keras made them; every shape is compared with
    that of the net before anything is read. Nothing in such a file is executed.

    The published files of Meso-4 list no LeakyReLU among their layers, the published
    code has one; as there, it is used here.

    Parameters
    ----------
    path : str or path-like
        An HDF5 file as Keras writes it (``save_weights`` or ``save`` in HDF5).

    Returns
    -------
    net : Meso4 or MesoInception4
        In evaluation mode, float32, on the CPU; takes RGB images of shape
        (n, 3, 256, 256) in [0, 1] and returns logits of shape (n, 1), larger for real.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    ValueError
        Where the file is no HDF5, is cut off, or holds other layers.
    ImportError
        Where torch or h5py is missing.

    Examples
    --------
    >>> from skrobust.nets import load_mesonet_weights
    >>> net = load_mesonet_weights("Meso4_DF.h5")  # doctest: +SKIP
    >>> net(images).sigmoid()  # the probability of a real face # doctest: +SKIP
    """
    require("torch", _CALLER, extra="torch")
    h5py = require("h5py", _CALLER, extra="deepfake")
    try:
        path = os.fspath(path)
    except TypeError:
        raise invalid("path", _CALLER, "the path of an HDF5 file", path) from None
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{_CALLER} found no file at {path!r}.")
    try:
        with h5py.File(path, "r") as file:
            return _net_of(file, path)
    except _Foreign as error:
        raise ValueError(
            f"{_CALLER} takes the weights of Meso4 or MesoInception4 as Keras writes "
            f"them; {path!r} {error}."
        ) from None
    except (OSError, RuntimeError, KeyError) as error:
        raise ValueError(
            f"{_CALLER} could not read {path!r} as HDF5: it is another kind of file, "
            f"cut off or damaged ({error})."
        ) from error


class _Foreign(Exception):
    """Defect of a file, as the end of a message."""


def _net_of(file, path):
    from skrobust.nets._mesonet import Meso4, MesoInception4

    layers = _layers(file.get("model_weights", file))
    counts = tuple(len(groups) for groups in layers.values())
    # Of convolutions, batch normalisations and dense layers.
    kinds = {(4, 4, 2): Meso4, (16, 4, 2): MesoInception4}
    if counts not in kinds:
        listed = ", ".join(f"{len(groups)} {kind}" for kind, groups in layers.items())
        raise _Foreign(f"holds other layers ({listed})")
    net = kinds[counts]()
    net.load_state_dict(_state(net, layers), strict=False)
    return net.eval()


def _layers(root):
    """Return for each kind of layer its groups, in the order of their numbers."""
    found = {kind: [] for kind in _PLACES}
    for name, group in root.items():
        match = re.fullmatch(r"([a-z0-9_]+?)(?:_(\d+))?", name)
        names = [_text(n) for n in getattr(group, "attrs", {}).get("weight_names", [])]
        if not names and (match is None or match[1] not in found):
            continue  # input, pooling, dropout: layers without weights
        if match is None or match[1] not in found:
            raise _Foreign(f"holds a layer {name!r}, which neither net has")
        parts = {n.rpartition("/")[2].partition(":")[0]: n for n in names}
        if set(parts) != {part for part, _ in _PLACES[match[1]].values()}:
            raise _Foreign(f"lacks the weights of its layer {name!r}, or names others")
        arrays = {part: group[n] for part, n in parts.items()}
        found[match[1]].append((int(match[2] or 0), name, arrays))
    return {kind: sorted(groups, key=lambda g: g[0]) for kind, groups in found.items()}


def _text(name):
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _state(net, layers):
    """Return the state of a net: the k-th layer of a kind is its k-th module."""
    import torch
    from torch import nn

    kinds = {nn.Conv2d: "conv2d", nn.BatchNorm2d: "batch_normalization"}
    kinds[nn.Linear] = "dense"
    waiting = {kind: iter(groups) for kind, groups in layers.items()}
    state = {}
    for name, module in net.named_modules():
        if type(module) not in kinds:
            continue
        _, label, arrays = next(waiting[kinds[type(module)]])
        for own, (part, turn) in _PLACES[kinds[type(module)]].items():
            shape = tuple(getattr(module, own).shape)
            values = _read(arrays[part], label, part, turn, shape)
            state[f"{name}.{own}"] = torch.from_numpy(values)
    return state


def _as_is(shape):
    return shape, lambda a: a


def _conv_kernel(shape):
    n_out, n_in, height, width = shape
    return (height, width, n_in, n_out), lambda a: a.transpose(3, 2, 0, 1)


def _dense_kernel(shape):
    n_out, n_in = shape
    if n_in != 16 * 8 * 8:
        return (n_in, n_out), lambda a: a.T

    def turn(a):  # Keras flattens (height, width, channels), torch channels first
        return a.reshape(8, 8, 16, n_out).transpose(3, 2, 0, 1).reshape(n_out, n_in)

    return (n_in, n_out), turn


_PLACES = {
    "conv2d": {"weight": ("kernel", _conv_kernel), "bias": ("bias", _as_is)},
    "batch_normalization": {
        "weight": ("gamma", _as_is),
        "bias": ("beta", _as_is),
        "running_mean": ("moving_mean", _as_is),
        "running_var": ("moving_variance", _as_is),
    },
    "dense": {"weight": ("kernel", _dense_kernel), "bias": ("bias", _as_is)},
}


def _read(dataset, label, part, turn, shape):
    expected, turned = turn(shape)
    found = getattr(dataset, "shape", None)
    if found != expected or dataset.dtype.kind != "f":
        raise _Foreign(
            f"has {part} of shape {found} in its layer {label!r}, not {expected}"
        )
    values = dataset[()].astype(np.float32)
    if not np.isfinite(values).all() or (
        part == "moving_variance" and values.min() < 0
    ):
        raise _Foreign(f"has impossible values in {part} of its layer {label!r}")
    return np.ascontiguousarray(turned(values))
