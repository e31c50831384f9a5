"""EfficientNet-B0 and -B4 with parameters named as in torchvision."""

import re

from skrobust.nets.state_dicts import published_net

# Factors of channels and of blocks, and the dropout (as in the authors' code).
_SCALES = {"efficientnet_b0": (1.0, 1.0, 0.2), "efficientnet_b4": (1.4, 1.8, 0.4)}
_FIRST = ("features.0.0.weight", "conv_stem.weight")


def efficientnet_b0(n_classes=2, in_channels=3, *, weights=None):
    """Return an EfficientNet-B0 in torch whose parameters are named as in torchvision.

    Parameters
    ----------
    n_classes : int, default=2
        Number of logits; 1 gives the one logit of a binary net.
    in_channels : int, default=3
        Channels of an image; published at 224 pixels.
    weights : dict or path-like, default=None
        State dict in the names of torchvision (``features.1.0.block...``) or of timm
        (``blocks.0.0.conv_dw...``), or the file that holds it (read with
        ``weights_only=True``, so nothing in it is executed). A prefix of all names,
        such as ``module.``, is taken off. Where the last layer has another number of
        classes it is left out and starts anew, which is transfer learning; anything
        else that does not fit is refused. None draws He's normal weights, but for the
        last layer, which is uniform within 1 / sqrt(n_classes).

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

    Notes
    -----
    Batch normalisation has the constants of torch, as torchvision's B0 and timm's
    files trained in torch; weights converted from TensorFlow (``tf_``) expect other
    padding and another epsilon, and are not meant.

    References
    ----------
    Tan and Le (2019). EfficientNet: rethinking model scaling for convolutional neural
    networks. ICML.

    Examples
    --------
    >>> import torch
    >>> from skrobust.nets import efficientnet_b0
    >>> net = efficientnet_b0(n_classes=2).eval()
    >>> net(torch.zeros(1, 3, 64, 64)).shape
    torch.Size([1, 2])
    """
    return _efficientnet("efficientnet_b0", n_classes, in_channels, weights)


def efficientnet_b4(n_classes=2, in_channels=3, *, weights=None):
    """Return an EfficientNet-B4 in torch whose parameters are named as in torchvision.

    Parameters
    ----------
    n_classes : int, default=2
        Number of logits; 1 gives the one logit of a binary net.
    in_channels : int, default=3
        Channels of an image; published at 380 pixels.
    weights : dict or path-like, default=None
        As in :func:`efficientnet_b0`.

    Returns
    -------
    net : torch.nn.Module
        Takes float32 images of shape (n, in_channels, height, width) and returns logits
        of shape (n, n_classes).

    Raises
    ------
    ValueError
        Where the weights are those of another net.

    References
    ----------
    Tan and Le (2019). EfficientNet: rethinking model scaling for convolutional neural
    networks. ICML.

    Examples
    --------
    >>> import torch
    >>> from skrobust.nets import efficientnet_b4
    >>> net = efficientnet_b4(n_classes=2).eval()
    >>> net(torch.zeros(1, 3, 64, 64)).shape
    torch.Size([1, 2])
    """
    return _efficientnet("efficientnet_b4", n_classes, in_channels, weights)


def _efficientnet(caller, n_classes, in_channels, weights):
    def make(n_classes, in_channels):
        from skrobust.nets.efficientnet_modules import EfficientNet

        return EfficientNet(*_SCALES[caller], n_classes, in_channels)

    scale = caller.rpartition("_")[2].upper()
    how = {"what": f"an EfficientNet-{scale}", "caller": caller, "first": _FIRST}
    how |= {"head": "classifier.1", "names": _own_names}
    return published_net(make, n_classes, in_channels, weights, **how)


# Layers of a block in timm and their places in torchvision's list of the block, without
# and with the convolution that widens.
_NARROW = {"conv_dw": "0.0", "bn1": "0.1", "se.conv_reduce": "1.fc1"}
_NARROW |= {"se.conv_expand": "1.fc2", "conv_pw": "2.0", "bn2": "2.1"}
_WIDE = {"conv_pw": "0.0", "bn1": "0.1", "conv_dw": "1.0", "bn2": "1.1"}
_WIDE |= {"se.conv_reduce": "2.fc1", "se.conv_expand": "2.fc2"}
_WIDE |= {"conv_pwl": "3.0", "bn3": "3.1"}
_ENDS = {"conv_stem": "features.0.0", "bn1": "features.0.1"}
_ENDS |= {"conv_head": "features.8.0", "bn2": "features.8.1"}
_ENDS |= {"classifier": "classifier.1"}


def _own_names(weights):
    """Return a state dict in the names of torchvision, also one of timm."""
    if "conv_stem.weight" not in weights:
        return weights
    out = {}
    for name, value in weights.items():
        layer, _, part = name.rpartition(".")
        found = re.fullmatch(r"blocks\.(\d+)\.(\d+)\.(.+)", layer)
        if found:
            stage, number, inner = int(found[1]), found[2], found[3]
            places = _NARROW if stage == 0 else _WIDE
            place = places.get(inner, inner)
            layer = f"features.{stage + 1}.{number}.block.{place}"
        else:
            layer = _ENDS.get(layer, layer)
        out[f"{layer}.{part}"] = value
    return out
