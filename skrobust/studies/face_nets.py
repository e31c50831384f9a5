"""Detectors of the deepfake study as torch modules, and what images they expect."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from skrobust.nets import (
    Meso4,
    MesoInception4,
    efficientnet_b0,
    efficientnet_b4,
    load_mesonet_weights,
    resnet34,
    resnet50,
    xception,
)
from skrobust.nets.state_dicts import read_state_dict

_PLAIN = ((0.0,) * 3, (1.0,) * 3)
_IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
_HALF = ((0.5,) * 3, (0.5,) * 3)


@dataclass(frozen=True)
class NetKind:
    """Kind of net: how it is made, and the images that it takes.

    Parameters
    ----------
    make : callable
        Makes the net; all but the MesoNets take ``n_classes`` and ``weights``.
    side : int
        Of the images in pixels, as published.
    scale : (mean, std)
        Of the colours, taken from the images and divided by.
    """

    make: object
    side: int
    scale: tuple


KINDS = {
    "Meso4": NetKind(Meso4, 256, _PLAIN),
    "MesoInception4": NetKind(MesoInception4, 256, _PLAIN),
    "ResNet34": NetKind(resnet34, 224, _IMAGENET),
    "ResNet50": NetKind(resnet50, 224, _IMAGENET),
    "Xception": NetKind(xception, 299, _HALF),
    "EfficientNetB0": NetKind(efficientnet_b0, 224, _IMAGENET),
    "EfficientNetB4": NetKind(efficientnet_b4, 380, _IMAGENET),
}


class FaceInput(nn.Module):
    """A net behind the cut to its own size and the scaling of colours.

    Images that are larger than the net's own are cut to their middle, as they are where
    the published weights are tested; smaller ones are enlarged bilinearly.

    Parameters
    ----------
    net : torch.nn.Module
        Takes scaled images of ``side`` pixels.
    side : int
        Pixels.
    mean, std : tuple of float
        One per colour.
    """

    def __init__(self, net, side, mean, std):
        super().__init__()
        self.net, self.side = net, side
        self.register_buffer("mean", torch.tensor(mean)[:, None, None])
        self.register_buffer("std", torch.tensor(std)[:, None, None])

    def forward(self, x):
        """Return the logits of the net for images in [0, 1]."""
        height, width = x.shape[2:]
        if min(height, width) < self.side:
            size = (self.side, self.side)
            x = nn.functional.interpolate(x, size, mode="bilinear", align_corners=False)
        else:
            top, left = (height - self.side) // 2, (width - self.side) // 2
            x = x[:, :, top : top + self.side, left : left + self.side]
        x = (x - self.mean) / self.std
        # Up to four times faster on a CPU.
        return self.net(x.contiguous(memory_format=torch.channels_last))


def make_net(name, path=None):
    """Return a detector as a module, and whether its weights are ready for use.

    They are not ready without a file, and where the last layer of the file is for other
    classes than real and fake; the body then starts from the file.
    """
    kind = KINDS[name]
    if path is None:
        net, ready = kind.make(), False
    elif Path(path).suffix in (".h5", ".hdf5"):
        net, ready = load_mesonet_weights(path), True
        if type(net) is not kind.make:
            raise ValueError(
                f"deepfake_study got {str(path)!r} as weights of {name}; it holds "
                f"those of {type(net).__name__}."
            )
    elif name.startswith("Meso"):
        net, ready = kind.make(), True
        try:
            net.load_state_dict(read_state_dict(path, "deepfake_study"))
        except RuntimeError as error:
            raise ValueError(
                f"deepfake_study got {str(path)!r} as weights of {name}; it holds "
                "those of another net."
            ) from error
    else:
        state = read_state_dict(path, "deepfake_study")
        n_outputs = _n_outputs(state)
        ready = n_outputs in (1, 2)
        net = kind.make(n_outputs if ready else 2, weights=state)
    return FaceInput(net, kind.side, *kind.scale), ready


def _n_outputs(state):
    """Return the number of outputs of the last matrix of a state dict."""
    last = [value for value in state.values() if value.ndim == 2]
    return len(last[-1]) if last else 0
