"""Two published networks, for pictures of 32 and of 224 pixels."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

_BATCH = 50


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


class _ResNet20(nn.Module):
    """K. He et al., 2016, for CIFAR-10."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        for k, (n_in, n_out) in enumerate(((16, 16), (16, 32), (32, 64)), start=1):
            first = _Block(n_in, n_out, 1 if k == 1 else 2)
            rest = (_Block(n_out, n_out, 1) for _ in range(2))
            setattr(self, f"layer{k}", nn.Sequential(first, *rest))
        self.linear = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        return self.linear(self.layer3(self.layer2(self.layer1(x))).mean((2, 3)))


def resnet20(path):
    """Return a function from uint8 pictures (n, 32, 32, 3) to classes."""
    weights = torch.load(path, map_location="cpu", weights_only=True)["state_dict"]
    net = _ResNet20()
    net.load_state_dict({k.removeprefix("module."): v for k, v in weights.items()})
    mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
    net.eval()
    return lambda pictures: _classes(lambda x: net((x / 255 - mean) / std), pictures)


def squeezenet(path):
    """Return a function from uint8 pictures (n, 224, 224, 3) to classes."""
    stored = np.load(path)
    tensors = {k: torch.from_numpy(stored[k].astype(np.float32)) for k in stored}
    mean = torch.tensor([103.939, 116.779, 123.68]).view(1, 3, 1, 1)

    def conv(x, name, **how):
        kernel = tensors[f"{name}.0"].permute(3, 2, 0, 1)
        return F.relu(F.conv2d(x, kernel, tensors[f"{name}.1"], **how))

    def forward(x):
        x = conv(x.flip(1) - mean, "conv1", stride=2)  # the weights take BGR
        for k in range(2, 10):
            if k in (2, 4, 6):
                x = F.max_pool2d(x, 3, 2)
            x = conv(x, f"fire{k}/squeeze1x1")
            wide = conv(x, f"fire{k}/expand3x3", padding=1)
            x = torch.cat([conv(x, f"fire{k}/expand1x1"), wide], 1)
        return conv(x, "conv10").mean((2, 3))

    return lambda pictures: _classes(forward, pictures)


def _classes(logits, pictures):
    found = []
    with torch.inference_mode():
        for start in range(0, len(pictures), _BATCH):
            part = np.ascontiguousarray(pictures[start : start + _BATCH])
            x = torch.from_numpy(part).permute(0, 3, 1, 2).float()
            found.append(logits(x).argmax(1).numpy())
    return np.concatenate(found)
