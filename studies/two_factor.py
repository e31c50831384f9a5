"""Correctness of the networks under the 69 two-factor conditions."""

import numpy as np
from imagenet import SMALL, TFLITE, network, pictures
from torchvision_nets import given

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import two_factor_grid

FIVE = [*TFLITE, "SqueezeNet 1.1", "EfficientNet-lite0" + SMALL]
SIX_MORE = [
    f"SqueezeNet 1.1{SMALL}",
    "SqueezeNet 1.1, blurred",
    f"EfficientNet-lite1{SMALL}",
    f"EfficientNet-lite2{SMALL}",
    "EfficientNet-lite0, blurred",
    "EfficientNet-lite0",
]


def published_protocol(study):
    """Return the names of the networks, the number of pictures and the correctness.

    Networks of torchvision join where their weights are given.
    """
    names = study.size([*FIVE, *given(study.packages)], FIVE[:4])
    n = study.size(500, 6)
    return names, n, correctness(study, names, n)


def conditions():
    """Return the published grid for pictures of 224 pixels."""
    shape = (224, 224, 3)
    return two_factor_grid(
        "asi68", image_shape=shape, data_range=(0, 255), random_state=0
    )


def correctness(study, names, n):
    """Return a boolean array (n pictures, 69 conditions) for each network."""
    return {
        name: study.kept(_correct, study.data, study.packages, study.parts, name, n)
        for name in names
    }


def _correct(data, packages, parts, name, n):
    X, y = pictures(data, n)
    found = evaluate_perturbations(
        network(name, data, packages), X, y, conditions(), checkpoint=parts, verbose=1
    )
    return np.asarray(found.correct, dtype=bool)
