"""State dicts of published weights, checked against a net before they are used."""

import os
import zipfile

from skrobust._one_line import one_line
from skrobust._optional import require
from skrobust._validation import check_count, check_path, invalid

# Of ResNets, for ``published_net``: they have the names of torchvision.
RESNET = {"first": ("conv1.weight",), "head": "fc", "names": None}


def published_net(
    make, n_classes, in_channels, weights, *, names, first, head, what, caller
):
    """Return a net, with published weights where they are given.

    Parameters
    ----------
    make : callable
        ``make(n_classes, in_channels)`` returns the net; called once torch is there.
    n_classes, in_channels : int
        Checked here.
    weights : dict, path-like or None
        As in ``read_state_dict``; None leaves the net as it was made.
    names : callable or None
        Turns the names of published files into the net's own.
    first : tuple of str
        As in ``without_prefix``.
    head, what, caller : str
        As in ``fill_net``.
    """
    require("torch", caller, extra="torch")
    n_classes = check_count(n_classes, "n_classes", caller)
    in_channels = check_count(in_channels, "in_channels", caller)
    net = make(n_classes, in_channels)
    if weights is not None:
        weights = without_prefix(read_state_dict(weights, caller), first)
        weights = weights if names is None else names(weights)
        what = f"{what} with {in_channels} input channels"
        fill_net(net, weights, head, what, caller)
    return net


def read_state_dict(weights, caller):
    """Return a state dict, read from its file where a path is given.

    Parameters
    ----------
    weights : dict or path-like
        Names and tensors, or the file that holds them. A file is read with
        ``weights_only=True``, so nothing in it is executed, after its checksums were
        compared with its content; files in the format of before torch 1.6 have none.
        Where training wrote the names and tensors under "state_dict" or "model", these
        are taken.
    caller : str
        Name of the public function, for error messages.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    ValueError
        For a file of another kind or that is damaged, and for weights with NaN or
        infinity in single precision, or negative variances.
    """
    import torch

    if isinstance(weights, (str, os.PathLike)):
        path = str(check_path(weights, "weights", caller))
        if not os.path.isfile(path):
            raise FileNotFoundError(f"{caller} found no file at {path!r}.")
        _check_sums(path, caller)
        try:
            weights = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:
            raise ValueError(
                f"{caller} could not read {path!r} as the state dict of a net; it is "
                "another kind of file, cut off, or holds more than weights."
            ) from error
    for key in ("state_dict", "model"):
        if isinstance(weights, dict) and isinstance(weights.get(key), dict):
            weights = weights[key]
    is_state = isinstance(weights, dict) and all(
        isinstance(name, str) and isinstance(value, torch.Tensor)
        for name, value in weights.items()
    )
    if not is_state:
        rule = "None, a state dict or the path of one"
        raise invalid("weights", caller, rule, type(weights).__name__)
    for name, value in weights.items():
        defect = _defect(name, value)
        if defect:
            raise ValueError(
                f"The 'weights' parameter of {caller} must hold finite numbers, and "
                f"variances that are not negative; {name!r} has {defect}. The file is "
                "damaged, or the training diverged: take another checkpoint."
            )
    return weights


def _check_sums(path, caller):
    """Raise where the content of an archive of torch differs from its checksums.

    :func:`torch.load` does not compare them.
    """
    try:
        if not zipfile.is_zipfile(path):
            return
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()
    except Exception as error:  # whatever a damaged header leads to
        broken = one_line(error)
    if broken is not None:
        raise ValueError(
            f"{caller} could not read {path!r}: the file is damaged, its content and "
            f"its checksums differ ({broken}); get it anew."
        )


def _defect(name, value):
    """Return what is impossible in a parameter of a net, in words, or None."""
    if not value.is_floating_point() or value.is_meta:
        return None
    values = value.detach().float()  # as the net will hold it
    n = int((~values.isfinite()).sum())
    if n:
        return f"{n} of {values.numel()} values that are NaN or infinite"
    if name.endswith("running_var") and bool((values < 0).any()):
        return "negative values"
    return None


def without_prefix(weights, first):
    """Return the state dict without what stands before the name of its first layer.

    Training in parallel, or as a part of a larger module, writes
    ``module.conv1.weight`` for ``conv1.weight``.

    Parameters
    ----------
    weights : dict
        State dict.
    first : tuple of str
        Names of the first parameter in the naming schemes that are known.
    """
    for name in weights:
        ending = next((f for f in first if name.endswith("." + f)), None)
        if ending is None:
            continue
        prefix = name.removesuffix(ending)
        if all(other.startswith(prefix) for other in weights):
            return {k.removeprefix(prefix): v for k, v in weights.items()}
    return weights


def fill_net(net, weights, head, what, caller):
    """Load a state dict into a net, all but a last layer for other classes.

    Parameters
    ----------
    net : torch.nn.Module
        The net.
    weights : dict
        State dict in the net's own names.
    head : str
        Name of the last layer; where it has another number of classes it starts anew.
    what : str
        The net in words, for error messages.
    caller : str
        Name of the public function, for error messages.
    """
    own = net.state_dict()
    last = weights.get(f"{head}.weight")
    if last is not None and last.ndim == 2 and len(last) != len(own[f"{head}.weight"]):
        weights = {k: v for k, v in weights.items() if not k.startswith(f"{head}.")}
        weights |= {k: v for k, v in own.items() if k.startswith(f"{head}.")}
    # Files of early versions do not count batches.
    missing = {k for k in own.keys() - weights.keys() if "num_batches" not in k}
    strange = sorted(missing | (weights.keys() - own.keys()))
    strange += [
        k for k in own.keys() & weights.keys() if own[k].shape != weights[k].shape
    ]
    if strange:
        raise ValueError(
            f"The 'weights' parameter of {caller} must hold the parameters of {what}; "
            f"{len(strange)} differ, the first is {strange[0]!r}."
        )
    net.load_state_dict({**own, **weights})
