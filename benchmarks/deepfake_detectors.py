"""Faces and detectors of the deepfake study."""

import os
from pathlib import Path

import numpy as np
import torch
from torch import nn

from skrobust.datasets import load_image_folder
from skrobust.nets import (
    Meso4,
    MesoInception4,
    load_mesonet_weights,
    make_net_classifier,
    resnet34,
)

SIDE = 256
MESO = {
    "Meso4": (Meso4, "Meso4_DF"),
    "MesoInception4": (MesoInception4, "MesoInception_DF"),
}


class Part:
    """Images as arrays with all that belongs to them; 1 is real, as in the weights."""

    def __init__(self, images, rows=slice(None)):
        images = images.take(np.arange(len(images.target))[rows])
        pixels = np.asarray(images.images).transpose(0, 3, 1, 2)
        self.X = np.ascontiguousarray(pixels, dtype=np.float32) / 255
        names = [name.lower() for name in images.target_names]
        is_real = np.array([name.startswith("real") for name in names])
        self.y = is_real[images.target].astype(np.int64)
        self.clip, self.group, self.frame = images.clip, images.group, images.frame

    def __len__(self):
        return len(self.y)


def faces_folder(given=None):
    """Return the folder with the faces and weights, or None where there is none."""
    beside = Path(__file__).parents[1] / ".." / "shared" / "data" / "deepfake"
    folder = Path(given or os.environ.get("SKROBUST_DATA") or beside)
    return folder if (folder / "faces").is_dir() else None


def split_clips(images, frames, seed=0):
    """Return rows to train on and rows to test on: half of the clips of each label.

    Of the clips tested on, ``frames`` frames in the order of time; of those trained on,
    all.
    """
    rng = np.random.default_rng(seed)
    train, test = [], []
    for label in np.unique(images.target):
        clips = np.unique(images.clip[images.target == label])
        held_out = set(rng.permutation(clips)[: -(-len(clips) // 2)])
        for clip in clips:
            rows = np.flatnonzero(images.clip == clip)
            rows = rows[np.argsort(images.frame[rows], kind="stable")]
            if clip in held_out:
                places = np.linspace(0, len(rows) - 1, min(frames, len(rows)))
                test.extend(rows[np.unique(places.round().astype(int))])
            else:
                train.extend(rows)
    return np.array(train), np.array(test)


def load_faces(folder, frames):
    """Return the part to train on and the part that all detectors are tested on."""
    images = load_image_folder(folder / "faces", resize=(SIDE, SIDE))
    train, test = split_clips(images, frames)
    return Part(images, train), Part(images, test)


def load_groups(folder, per_group):
    """Return some faces of each group, all real, or None where there are none."""
    if not (folder / "utk_groups").is_dir():
        return None
    images = load_image_folder(
        folder / "utk_groups",
        levels=("group",),
        label="Real",
        pattern="(?P<clip>.+)",  # each image is of a person of its own
        resize=(SIDE, SIDE),
    )
    rows = [
        np.flatnonzero(images.group == g)[:per_group] for g in np.unique(images.group)
    ]
    return Part(images, np.concatenate(rows))


class ChannelsLast(nn.Module):
    """A net that gets its images channels last, which is up to four times faster."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        """Return the logits of the net."""
        return self.net(x.contiguous(memory_format=torch.channels_last))


class Shrunk(nn.Module):
    """A net that gets smaller images around 0: means of squares of pixels."""

    def __init__(self, net, factor):
        super().__init__()
        self.net, self.factor = net, factor

    def forward(self, x):
        """Return the logits of the net."""
        small = nn.functional.avg_pool2d(x, self.factor)
        return self.net((small - 0.5) / 0.25)


def _meso(folder, name):
    kind, file = MESO[name]
    weights = folder / "mesonet_weights"
    if (weights / f"{file}.pt").is_file():  # where there is no h5py
        net = kind()
        net.load_state_dict(torch.load(weights / f"{file}.pt", weights_only=True))
        return net.eval()
    if (weights / f"{file}.h5").is_file():
        return load_mesonet_weights(weights / f"{file}.h5")
    return None


def export_weights(folder):
    """Write the given weights as state dicts of torch beside the files of Keras."""
    for _, file in MESO.values():
        net = load_mesonet_weights(folder / "mesonet_weights" / f"{file}.h5")
        torch.save(net.state_dict(), folder / "mesonet_weights" / f"{file}.pt")


def train(net, part, *, epochs, device, batch_size, seed=0):
    """Return a classifier fitted on a part; each image also mirrored."""
    X = np.concatenate([part.X, part.X[..., ::-1]])
    classifier = make_net_classifier(
        net,
        classes=[0, 1],
        device=device,
        max_epochs=epochs,
        lr=1e-3,
        batch_size=batch_size,
        random_state=seed,
    )
    torch.manual_seed(seed)
    return classifier.fit(X, np.tile(part.y, 2))


def make_detectors(folder, part, *, device, epochs, side, batch_size, keep):
    """Return fitted classifiers by name, and a sentence on the weights of each.

    Without the given weights a Meso4 is trained in their place, which is said.
    """
    settings = {"classes": [0, 1], "device": device, "batch_size": batch_size}
    models, origin = {}, {}
    fit = {"epochs": epochs, "device": device, "batch_size": 16}
    for name in MESO:
        net = _meso(folder, name)
        if net is not None:
            models[name] = make_net_classifier(
                ChannelsLast(net), fitted=True, **settings
            )
            origin[name] = (
                "given weights (DF); what they were trained on may be like these clips"
            )
        else:
            torch.manual_seed(0)
            models[name] = train(ChannelsLast(MESO[name][0]()), part, **fit)
            models[name].set_params(batch_size=batch_size)
            origin[name] = f"trained here from random weights, {epochs} epochs"
    torch.manual_seed(0)
    net = ChannelsLast(Shrunk(resnet34(2), SIDE // side))
    file = keep / f"resnet34_{side}_{epochs}_{len(part)}.pt"
    if file.is_file():
        net.load_state_dict(torch.load(file, weights_only=True, map_location="cpu"))
        models["ResNet34"] = make_net_classifier(net.eval(), fitted=True, **settings)
    else:
        models["ResNet34"] = train(net, part, **fit)
        models["ResNet34"].set_params(batch_size=batch_size)
        torch.save(models["ResNet34"].module_.state_dict(), file)
    origin["ResNet34"] = (
        f"trained here from random weights on the other clips ({len(part)} images at "
        f"{side} pixels, mirrored too, {epochs} epochs)"
    )
    return models, origin
