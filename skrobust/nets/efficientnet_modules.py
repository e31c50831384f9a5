"""Modules of EfficientNet."""

import math
from functools import partial

from torch import nn

# Expansion, side of the kernel, stride, channels and number of blocks of the stages of
# B0 (table 1 of the paper).
_STAGES = (
    (1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3),
    (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1),
)  # fmt: skip


def round_channels(channels, width):
    """Return a scaled number of channels, a multiple of 8 and at least 90 % of it."""
    scaled = channels * width
    rounded = max(8, int(scaled + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * scaled else rounded


class SqueezeExcitation(nn.Module):
    """Weights of channels, from their means.

    Parameters
    ----------
    channels, squeezed : int
        Channels, and those between the two convolutions.
    """

    def __init__(self, channels, squeezed):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, squeezed, 1)
        self.activation = nn.SiLU()
        self.fc2 = nn.Conv2d(squeezed, channels, 1)
        self.scale_activation = nn.Sigmoid()

    def forward(self, x):
        """Return the images, each channel times its weight."""
        scale = self.fc2(self.activation(self.fc1(self.avgpool(x))))
        return x * self.scale_activation(scale)


def _conv(n_in, n_out, side, stride=1, groups=1, activation=True):
    padding, norm = (side - 1) // 2, nn.BatchNorm2d(n_out)
    conv = nn.Conv2d(n_in, n_out, side, stride, padding, groups=groups, bias=False)
    return nn.Sequential(conv, norm, *([nn.SiLU()] if activation else []))


class MBConv(nn.Module):
    """Inverted bottleneck with squeeze and excitation.

    Parameters
    ----------
    n_in, n_out : int
        Channels.
    expansion : int
        How many times as many channels there are inside.
    side, stride : int
        Of the depthwise convolution.
    drop : float
        Probability with which the block is left out of an image while training
        (stochastic depth).
    """

    def __init__(self, n_in, n_out, expansion, side, stride, drop):
        super().__init__()
        width, layers = round_channels(n_in, expansion), []
        if width != n_in:
            layers.append(_conv(n_in, width, 1))
        layers.append(_conv(width, width, side, stride, groups=width))
        layers.append(SqueezeExcitation(width, max(1, n_in // 4)))
        layers.append(_conv(width, n_out, 1, activation=False))
        self.block = nn.Sequential(*layers)
        self.is_residual = stride == 1 and n_in == n_out
        self.drop = drop

    def forward(self, x):
        """Return images of shape (n, n_out, height, width)."""
        out = self.block(x)
        if not self.is_residual:
            return out
        if self.training and self.drop:
            stays = x.new_empty((len(x), 1, 1, 1)).bernoulli_(1 - self.drop)
            out = out * stays / (1 - self.drop)
        return x + out


class EfficientNet(nn.Module):
    """EfficientNet, with parameters named as in torchvision.

    Parameters
    ----------
    width, depth : float
        Factors of the channels and of the blocks of B0.
    dropout : float
        Before the last layer.
    n_classes : int
        Number of logits.
    in_channels : int
        Channels of an image.
    """

    def __init__(self, width, depth, dropout, n_classes, in_channels):
        super().__init__()
        scaled = partial(round_channels, width=width)
        stages, n_in = [_conv(in_channels, scaled(32), 3, 2)], scaled(32)
        total = sum(math.ceil(stage[-1] * depth) for stage in _STAGES)
        done = 0
        for expansion, side, stride, channels, n_blocks in _STAGES:
            blocks, n_out = [], scaled(channels)
            for k in range(math.ceil(n_blocks * depth)):
                drop = 0.2 * done / total
                step = stride if k == 0 else 1
                blocks.append(MBConv(n_in, n_out, expansion, side, step, drop))
                n_in, done = n_out, done + 1
            stages.append(nn.Sequential(*blocks))
        stages.append(_conv(n_in, 4 * n_in, 1))
        self.features = nn.Sequential(*stages)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        last = nn.Linear(4 * n_in, n_classes)
        self.classifier = nn.Sequential(nn.Dropout(dropout), last)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out")
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        bound = 1 / math.sqrt(n_classes)
        nn.init.uniform_(last.weight, -bound, bound)
        nn.init.zeros_(last.bias)

    def forward(self, x):
        """Return logits of shape (n, n_classes)."""
        return self.classifier(self.avgpool(self.features(x)).flatten(1))
