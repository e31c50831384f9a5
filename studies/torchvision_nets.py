"""AlexNet, VGG-19 and ResNet-50 from files of weights that torchvision publishes."""

import torch
from torch import nn

from skrobust.nets import resnet50

FILES = {"AlexNet": "alexnet", "VGG-19": "vgg19", "ResNet-50": "resnet50"}
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
VGG = [64, 64, 0, 128, 128, 0, *[256] * 4, 0, *[512] * 4, 0, *[512] * 4, 0]  # 0: pool


class Features(nn.Module):
    """Convolutions, pooling to a fixed size, and three full layers."""

    def __init__(self, features, side, width, dropout_first):
        super().__init__()
        self.features = nn.Sequential(*features)
        self.avgpool = nn.AdaptiveAvgPool2d(side)
        layers = [nn.Linear(width * side**2, 4096), nn.ReLU(), nn.Dropout()]
        layers += [nn.Linear(4096, 4096), nn.ReLU(), nn.Dropout()]
        if dropout_first:  # other places of the same layers, hence other names
            layers = [layers[i] for i in (2, 0, 1, 5, 3, 4)]
        self.classifier = nn.Sequential(*layers, nn.Linear(4096, 1000))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


class Standardised(nn.Module):
    """Net that takes pixels of 0 to 255 and sees them as torchvision's nets do."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.register_buffer("mean", torch.tensor(MEAN)[:, None, None])
        self.register_buffer("std", torch.tensor(STD)[:, None, None])

    def forward(self, x):
        return self.net((x / 255 - self.mean) / self.std)


def alexnet():
    """Return an AlexNet (Krizhevsky, 2014) with parameters named as in torchvision."""
    pool = nn.MaxPool2d(3, 2)
    layers = [nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), pool]
    layers += [nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), pool]
    for before, after in ((192, 384), (384, 256), (256, 256)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU()]
    return Features([*layers, pool], 6, 256, dropout_first=True)


def vgg19():
    """Return a VGG-19 (Simonyan and Zisserman, 2015) named as in torchvision."""
    layers, before = [], 3
    for width in VGG:
        if width:
            layers += [nn.Conv2d(before, width, 3, padding=1), nn.ReLU()]
            before = width
        else:
            layers.append(nn.MaxPool2d(2, 2))
    return Features(layers, 7, 512, dropout_first=False)


def given(folder):
    """Return the names of the nets whose weights lie in a folder."""
    if folder is None:
        return []
    return [name for name, stem in FILES.items() if any(folder.glob(f"{stem}*.pth"))]


def torchvision_net(name, folder):
    """Return a net with the weights of a folder, for pixels of 0 to 255."""
    path = sorted(folder.glob(f"{FILES[name]}*.pth"))[-1]
    makers = {"AlexNet": alexnet, "VGG-19": vgg19}
    net = makers[name]() if name in makers else resnet50(n_classes=1000)
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return Standardised(net)
