"""ResNet-50 with parameters named as in torchvision."""

from skrobust.nets.state_dicts import RESNET, published_net


def resnet50(n_classes=2, in_channels=3, *, weights=None):
    """Return a ResNet-50 in torch whose parameters are named as in torchvision.

    Parameters
    ----------
    n_classes : int, default=2
        Number of logits; 1 gives the one logit of a binary net.
    in_channels : int, default=3
        Channels of an image; any side from 32 pixels on.
    weights : dict or path-like, default=None
        State dict of a ResNet-50, for example one of torchvision, or the file that
        holds it (read with ``weights_only=True``, so nothing in it is executed). A
        prefix of all names, such as ``module.``, is taken off. Where the last layer
        ``fc`` has another number of classes it is left out and starts anew, which is
        transfer learning; anything else that does not fit is refused.
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
    >>> from skrobust.nets import resnet50
    >>> net = resnet50(n_classes=2).eval()
    >>> net(torch.zeros(1, 3, 64, 64)).shape
    torch.Size([1, 2])
    """

    def make(n_classes, in_channels):
        from skrobust.nets.residual_net import Bottleneck, ResNet

        return ResNet((3, 4, 6, 3), n_classes, in_channels, Bottleneck)

    how = {"what": "a ResNet-50", "caller": "resnet50", **RESNET}
    return published_net(make, n_classes, in_channels, weights, **how)
