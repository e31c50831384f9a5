"""ResNet-34 with parameters named as in torchvision."""

import os

from skrobust._optional import require
from skrobust._validation import check_count, invalid


def resnet34(n_classes=2, in_channels=3, *, weights=None):
    """Return a ResNet-34 in torch whose parameters are named as in torchvision.

    Parameters
    ----------
    n_classes : int, default=2
        Number of logits; 1 gives the one logit of a binary net.
    in_channels : int, default=3
        Channels of an image; any side from 32 pixels on.
    weights : dict or path-like, default=None
        State dict of a ResNet-34, for example one of torchvision, or the file that
        holds it (read with ``weights_only=True``, so nothing in it is executed). Where
        the last layer ``fc`` has another number of classes it is left out and starts
        anew, which is transfer learning; anything else that does not fit is refused.
        None draws He's normal weights.

    Returns
    -------
    net : torch.nn.Module
        Takes float32 images of shape (n, in_channels, height, width) and returns logits
        of shape (n, n_classes). Weights of ImageNet expect images from which its mean
        is taken and that are divided by its standard deviation.

    Raises
    ------
    ValueError
        Where the weights are those of another net.

    References
    ----------
    He, Zhang, Ren and Sun (2016). Deep residual learning for image recognition. CVPR.

    Examples
    --------
    >>> import torch
    >>> from skrobust.nets import resnet34
    >>> net = resnet34(n_classes=2).eval()
    >>> net(torch.zeros(1, 3, 64, 64)).shape
    torch.Size([1, 2])
    """
    require("torch", "resnet34", extra="torch")
    from skrobust.nets.residual_net import ResNet

    n_classes = check_count(n_classes, "n_classes", "resnet34")
    in_channels = check_count(in_channels, "in_channels", "resnet34")
    net = ResNet((3, 4, 6, 3), n_classes, in_channels)
    if weights is not None:
        _fill(net, _state_dict(weights))
    return net


def _state_dict(weights):
    import torch

    if isinstance(weights, (str, os.PathLike)):
        path = os.fspath(weights)
        if not os.path.isfile(path):
            raise FileNotFoundError(f"resnet34 found no file at {path!r}.")
        try:
            weights = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:
            raise ValueError(
                f"resnet34 could not read {path!r} as the state dict of a net; it is "
                "another kind of file, cut off, or holds more than weights."
            ) from error
    is_state = isinstance(weights, dict) and all(
        isinstance(name, str) and isinstance(value, torch.Tensor)
        for name, value in weights.items()
    )
    if not is_state:
        rule = "None, a state dict or the path of one"
        raise invalid("weights", "resnet34", rule, type(weights).__name__)
    return weights


def _fill(net, weights):
    own = net.state_dict()
    head = weights.get("fc.weight")
    if head is not None and head.ndim == 2 and len(head) != len(own["fc.weight"]):
        weights = {k: v for k, v in weights.items() if not k.startswith("fc.")}
        weights |= {k: v for k, v in own.items() if k.startswith("fc.")}
    # Files of early versions do not count batches.
    missing = {k for k in own.keys() - weights.keys() if "num_batches" not in k}
    strange = sorted(missing | (weights.keys() - own.keys()))
    strange += [
        k for k in own.keys() & weights.keys() if own[k].shape != weights[k].shape
    ]
    if strange:
        raise ValueError(
            "The 'weights' parameter of resnet34 must hold the parameters of a "
            f"ResNet-34 with {own['conv1.weight'].shape[1]} input channels; "
            f"{len(strange)} differ, the first is {strange[0]!r}."
        )
    net.load_state_dict({**own, **weights})
