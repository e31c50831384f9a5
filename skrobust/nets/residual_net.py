"""Residual nets of basic blocks and of bottlenecks."""

from torch import nn


class BasicBlock(nn.Module):
    """Basic block: two convolutions and the shortcut around them.

    Parameters
    ----------
    n_in, n_out : int
        Channels.
    stride : int
        Of the first convolution.
    """

    expansion = 1

    def __init__(self, n_in, n_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.relu = nn.ReLU()
        self.downsample = _shortcut(n_in, n_out, stride)

    def forward(self, x):
        """Return the sum with the shortcut, of shape (n, n_out, height, width)."""
        around = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + around)


class Bottleneck(nn.Module):
    """Bottleneck: 1x1, 3x3 and 1x1 convolutions and the shortcut around them.

    The stride is that of the 3x3 convolution, as in torchvision, where the paper has
    it in the first one.

    Parameters
    ----------
    n_in, n_out : int
        Channels.
    stride : int
        Of the 3x3 convolution.
    """

    expansion = 4

    def __init__(self, n_in, n_out, stride=1):
        super().__init__()
        width = n_out // self.expansion
        self.conv1 = nn.Conv2d(n_in, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, n_out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(n_out)
        self.relu = nn.ReLU()
        self.downsample = _shortcut(n_in, n_out, stride)

    def forward(self, x):
        """Return the sum with the shortcut, of shape (n, n_out, height, width)."""
        around = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.relu(self.bn3(self.conv3(x)) + around)


def _shortcut(n_in, n_out, stride):
    """Return the projection of the shortcut, or None where the shapes agree."""
    if stride == 1 and n_in == n_out:
        return None
    way = nn.Conv2d(n_in, n_out, 1, stride, bias=False)
    return nn.Sequential(way, nn.BatchNorm2d(n_out))


class ResNet(nn.Module):
    """Residual net of four stages, with parameters named as in torchvision.

    Parameters
    ----------
    depths : tuple of int
        Blocks of each stage.
    n_classes : int
        Number of logits.
    in_channels : int
        Channels of an image.
    block : class
        BasicBlock or Bottleneck.
    """

    def __init__(self, depths, n_classes, in_channels, block=BasicBlock):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 64, 7, 2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, 2, padding=1)
        n_in = 64
        for stage, depth in enumerate(depths):
            n_out = 64 * 2**stage * block.expansion
            first = block(n_in, n_out, stride=1 if stage == 0 else 2)
            rest = [block(n_out, n_out) for _ in range(depth - 1)]
            setattr(self, f"layer{stage + 1}", nn.Sequential(first, *rest))
            n_in = n_out
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(n_in, n_classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(
                    module.weight, mode="fan_out", nonlinearity="relu"
                )

    def forward(self, x):
        """Return logits of shape (n, n_classes)."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))
