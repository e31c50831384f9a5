"""Two published networks, for pictures of 32 and of 224 pixels."""

from functools import partial

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

_BATCH = 50
_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class _Block(nn.Module):
    def __init__(self, n_in, n_out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.stride = stride

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        if y.shape != x.shape:
            added = (y.shape[1] - x.shape[1]) // 2
            x = F.pad(
                x[:, :, :: self.stride, :: self.stride], (0, 0) * 2 + (added,) * 2
            )
        return F.relu(x + y)


class _ResNet(nn.Module):
    """K. He et al., 2016, for CIFAR-10: 6 n + 2 layers."""

    def __init__(self, n):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        for k, (n_in, n_out) in enumerate(((16, 16), (16, 32), (32, 64)), start=1):
            first = _Block(n_in, n_out, 1 if k == 1 else 2)
            rest = (_Block(n_out, n_out, 1) for _ in range(n - 1))
            setattr(self, f"layer{k}", nn.Sequential(first, *rest))
        self.linear = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        return self.linear(self.layer3(self.layer2(self.layer1(x))).mean((2, 3)))


class _Standardised(nn.Module):
    """Takes pixels of 0 to 255 to the scale of the weights, then a net."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        for name, values in (("mean", _MEAN), ("std", _STD)):
            self.register_buffer(name, torch.tensor(values).view(1, 3, 1, 1))

    def forward(self, x):
        return self.net((x / 255 - self.mean) / self.std)


class _SqueezeNet(nn.Module):
    """F. Iandola et al., 2016, version 1.1, with weights that take BGR."""

    def __init__(self, stored):
        super().__init__()
        mean = torch.tensor([103.939, 116.779, 123.68]).view(1, 3, 1, 1)
        self.register_buffer("mean", mean)
        for name in stored:
            tensor = torch.from_numpy(stored[name].astype(np.float32))
            if tensor.ndim == 4:
                tensor = tensor.permute(3, 2, 0, 1)
            self.register_buffer(name.replace(".", "_"), tensor)

    def _conv(self, x, name, **how):
        kernel, bias = getattr(self, f"{name}_0"), getattr(self, f"{name}_1")
        return F.relu(F.conv2d(x, kernel, bias, **how))

    def forward(self, x):
        x = self._conv(x.flip(1) - self.mean, "conv1", stride=2)
        for k in range(2, 10):
            if k in (2, 4, 6):
                x = F.max_pool2d(x, 3, 2)
            x = self._conv(x, f"fire{k}/squeeze1x1")
            wide = self._conv(x, f"fire{k}/expand3x3", padding=1)
            x = torch.cat([self._conv(x, f"fire{k}/expand1x1"), wide], 1)
        return self._conv(x, "conv10").mean((2, 3))


def resnet_module(path, n):
    """Return a trained ResNet of 6 n + 2 layers: pixels (n, 3, 32, 32) to logits."""
    weights = torch.load(path, map_location="cpu", weights_only=True)["state_dict"]
    net = _ResNet(n)
    net.load_state_dict({k.removeprefix("module."): v for k, v in weights.items()})
    return _Standardised(net).eval()


def squeezenet_module(path):
    """Return SqueezeNet with its weights: pixels (n, 3, 224, 224) to logits."""
    return _SqueezeNet(np.load(path)).eval()


def resnet20(path):
    """Return a function from uint8 pictures (n, 32, 32, 3) to classes."""
    return partial(_classes, resnet_module(path, 3))


def squeezenet(path):
    """Return a function from uint8 pictures (n, 224, 224, 3) to classes."""
    return partial(_classes, squeezenet_module(path))


def _classes(logits, pictures):
    found = []
    with torch.inference_mode():
        for start in range(0, len(pictures), _BATCH):
            part = np.ascontiguousarray(pictures[start : start + _BATCH])
            x = torch.from_numpy(part).permute(0, 3, 1, 2).float()
            found.append(logits(x).argmax(1).numpy())
    return np.concatenate(found)
