"""Xception with parameters named as in the published files."""

from skrobust.nets.state_dicts import published_net


def xception(n_classes=2, in_channels=3, *, weights=None):
    """Return an Xception in torch whose parameters are named as in the published files.

    The net that FaceForensics++ and Celeb-DF report as their strongest detector.

    Parameters
    ----------
    n_classes : int, default=2
        Number of logits; 1 gives the one logit of a binary net.
    in_channels : int, default=3
        Channels of an image; published at 299 pixels.
    weights : dict or path-like, default=None
        State dict in the names of pretrainedmodels and timm (``block1.rep.0...``, the
        last layer ``last_linear`` or ``fc``), or the file that holds it (read with
        ``weights_only=True``, so nothing in it is executed). The files in which the 1x1
        convolutions have two axes, or whose names have a prefix such as ``model.``, are
        read too. Where the last layer has another number of classes it is left out and
        starts anew, which is transfer learning; anything else that does not fit is
        refused. None draws He's normal weights.

    Returns
    -------
    net : torch.nn.Module
        Takes float32 images of shape (n, in_channels, height, width) and returns logits
        of shape (n, n_classes). The published weights expect values in [-1, 1].

    Raises
    ------
    ValueError
        Where the weights are those of another net.

    References
    ----------
    Chollet (2017). Xception: deep learning with depthwise separable convolutions. CVPR;
    Roessler et al. (2019). FaceForensics++. ICCV.

    Examples
    --------
    >>> import torch
    >>> from skrobust.nets import xception
    >>> net = xception(n_classes=2).eval()
    >>> net(torch.zeros(1, 3, 96, 96)).shape
    torch.Size([1, 2])
    """

    def make(n_classes, in_channels):
        from skrobust.nets.xception_net import XceptionNet

        return XceptionNet(n_classes, in_channels)

    how = {"what": "an Xception", "caller": "xception", "first": ("conv1.weight",)}
    how |= {"head": "last_linear", "names": _own_names}
    return published_net(make, n_classes, in_channels, weights, **how)


def _own_names(weights):
    out = {}
    for name, value in weights.items():
        layer, _, rest = name.rpartition(".")
        # ``last_linear.1`` is the layer after a dropout, as FaceForensics++ writes it.
        if layer in ("fc", "last_linear", "fc.1", "last_linear.1"):
            name = f"last_linear.{rest}"
        if layer.endswith("pointwise") and value.ndim == 2:
            value = value[:, :, None, None]
        out[name] = value
    return out
