"""Meso-4 and MesoInception-4."""

import torch
from torch import nn

SIDE = 256  # pixels; four poolings leave 8 x 8


class _MesoNet(nn.Module):
    """Base class of both: images in, one logit out."""

    def __init__(self, *layers):
        super().__init__()
        self.features = nn.Sequential(*layers)
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.5),
            nn.Linear(16 * 8 * 8, 16),
            nn.LeakyReLU(0.1),
            nn.Dropout(0.5),
            nn.Linear(16, 1),
        )

    def forward(self, x):
        """Return the logit of being real.

        Parameters
        ----------
        x : tensor of float32 of shape (n, 3, 256, 256)
            RGB images in [0, 1].

        Returns
        -------
        logit : tensor of shape (n, 1)
            Larger means real; its sigmoid is the probability of a real face.

        Raises
        ------
        ValueError
            Where the shape is another.
        """
        if x.ndim != 4 or tuple(x.shape[1:]) != (3, SIDE, SIDE):
            raise ValueError(
                f"{type(self).__name__} takes images of shape (n, 3, {SIDE}, {SIDE}). "
                f"Got {tuple(x.shape)} instead."
            )
        return self.head(self.features(x))


def _same_conv(n_in, n_out, side, dilation=1):
    padding = dilation * (side // 2)
    return nn.Conv2d(n_in, n_out, side, padding=padding, dilation=dilation)


def _after_conv(channels, pool):
    # The published code normalises after the activation, with the eps of Keras.
    return [nn.BatchNorm2d(channels, eps=1e-3), nn.MaxPool2d(pool)]


class _Inception(nn.Module):
    """Inception block of four branches, three of them with growing dilation."""

    def __init__(self, n_in, a, b, c, d):
        super().__init__()
        self.branches = nn.ModuleList(
            [nn.Sequential(_same_conv(n_in, a, 1), nn.ReLU())]
        )
        for dilation, width in enumerate((b, c, d), start=1):
            branch = nn.Sequential(
                _same_conv(n_in, width, 1),
                nn.ReLU(),
                _same_conv(width, width, 3, dilation),
                nn.ReLU(),
            )
            self.branches.append(branch)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], dim=1)


class Meso4(_MesoNet):
    """Meso-4 detector of forged faces: four convolutions, two dense layers.

    A torch module. Each block is convolution, ReLU, batch normalisation (eps 0.001) and
    max pooling; the dense part is dropout 0.5, 16 units, LeakyReLU 0.1, dropout 0.5 and
    one logit. Weights are drawn by torch; :func:`load_mesonet_weights` gives those that
    were published. Batch normalisation forgets at torch's rate (0.1), where the
    published code has 0.01: with small data sets its statistics arrive in time.

    References
    ----------
    Afchar, Nozick, Yamagishi and Echizen (2018). MesoNet: a compact facial video
    forgery detection network. WIFS.

    Examples
    --------
    >>> import torch
    >>> from skrobust.nets import Meso4
    >>> net = Meso4().eval()
    >>> net(torch.zeros(2, 3, 256, 256)).shape
    torch.Size([2, 1])
    >>> sum(p.numel() for p in net.parameters())
    27977
    """

    def __init__(self):
        layers, n_in = [], 3
        for n_out, side, pool in ((8, 3, 2), (8, 5, 2), (16, 5, 2), (16, 5, 4)):
            layers += [_same_conv(n_in, n_out, side), nn.ReLU()]
            layers += _after_conv(n_out, pool)
            n_in = n_out
        super().__init__(*layers)


class MesoInception4(_MesoNet):
    """MesoInception-4: Meso-4 with two inception blocks for its first convolutions.

    A torch module. An inception block puts side by side a 1x1 convolution and three
    pairs of 1x1 and 3x3 convolutions of dilation 1, 2 and 3, each with its ReLU. What
    follows, the shapes and the choices are those of :class:`Meso4`.

    References
    ----------
    Afchar, Nozick, Yamagishi and Echizen (2018). MesoNet: a compact facial video
    forgery detection network. WIFS.

    Examples
    --------
    >>> import torch
    >>> from skrobust.nets import MesoInception4
    >>> net = MesoInception4().eval()
    >>> net(torch.zeros(2, 3, 256, 256)).shape
    torch.Size([2, 1])
    >>> sum(p.numel() for p in net.parameters())
    28615
    """

    def __init__(self):
        super().__init__(
            _Inception(3, 1, 4, 4, 2),
            *_after_conv(11, 2),
            _Inception(11, 2, 4, 4, 2),
            *_after_conv(12, 2),
            _same_conv(12, 16, 5),
            nn.ReLU(),
            *_after_conv(16, 2),
            _same_conv(16, 16, 5),
            nn.ReLU(),
            *_after_conv(16, 4),
        )
