"""Modules of Xception."""

from torch import nn


class SeparableConv(nn.Module):
    """Depthwise 3x3 convolution, then a pointwise one.

    Parameters
    ----------
    n_in, n_out : int
        Channels.
    """

    def __init__(self, n_in, n_out):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_in, 3, padding=1, groups=n_in, bias=False)
        self.pointwise = nn.Conv2d(n_in, n_out, 1, bias=False)

    def forward(self, x):
        """Return images of shape (n, n_out, height, width)."""
        return self.pointwise(self.conv1(x))


class XceptionBlock(nn.Module):
    """Separable convolutions with the shortcut around them.

    Parameters
    ----------
    n_in, n_out : int
        Channels.
    n_convs : int
        Separable convolutions.
    stride : int
        Of the pooling at the end.
    starts_with_relu : bool
        Whether an activation comes first.
    grows_first : bool
        Whether the first convolution has ``n_out`` channels already, or the last one.
    """

    def __init__(
        self, n_in, n_out, n_convs, stride=1, *, starts_with_relu=True, grows_first=True
    ):
        super().__init__()
        self.skip = None
        if n_out != n_in or stride != 1:
            self.skip = nn.Conv2d(n_in, n_out, 1, stride, bias=False)
            self.skipbn = nn.BatchNorm2d(n_out)
        layers, width = [], n_in
        for k in range(n_convs):
            after = n_out if grows_first or k == n_convs - 1 else n_in
            layers += [nn.ReLU(), SeparableConv(width, after), nn.BatchNorm2d(after)]
            width = after
        if not starts_with_relu:
            layers = layers[1:]
        if stride != 1:
            layers.append(nn.MaxPool2d(3, stride, padding=1))
        self.rep = nn.Sequential(*layers)

    def forward(self, x):
        """Return the sum with the shortcut, of shape (n, n_out, height, width)."""
        around = x if self.skip is None else self.skipbn(self.skip(x))
        return self.rep(x) + around


class XceptionNet(nn.Module):
    """Xception, with parameters named as in pretrainedmodels.

    Parameters
    ----------
    n_classes : int
        Number of logits.
    in_channels : int
        Channels of an image.
    """

    def __init__(self, n_classes, in_channels):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 32, 3, 2, bias=False)
        self.bn1 = nn.BatchNorm2d(32)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(32, 64, 3, bias=False)
        self.bn2 = nn.BatchNorm2d(64)
        self.block1 = XceptionBlock(64, 128, 2, 2, starts_with_relu=False)
        self.block2 = XceptionBlock(128, 256, 2, 2)
        self.block3 = XceptionBlock(256, 728, 2, 2)
        for k in range(4, 12):
            setattr(self, f"block{k}", XceptionBlock(728, 728, 3))
        self.block12 = XceptionBlock(728, 1024, 2, 2, grows_first=False)
        self.conv3 = SeparableConv(1024, 1536)
        self.bn3 = nn.BatchNorm2d(1536)
        self.conv4 = SeparableConv(1536, 2048)
        self.bn4 = nn.BatchNorm2d(2048)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.last_linear = nn.Linear(2048, n_classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(
                    module.weight, mode="fan_out", nonlinearity="relu"
                )

    def forward(self, x):
        """Return logits of shape (n, n_classes)."""
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        for k in range(1, 13):
            x = getattr(self, f"block{k}")(x)
        x = self.relu(self.bn3(self.conv3(x)))
        x = self.relu(self.bn4(self.conv4(x)))
        return self.last_linear(self.pool(x).flatten(1))
