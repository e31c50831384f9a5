"""Neural nets and adversarial training; importing this loads no torch."""

from skrobust._optional import require
from skrobust.nets._adversarial_training import AdversarialTraining
from skrobust.nets._efficientnet import efficientnet_b0, efficientnet_b4
from skrobust.nets._make_net_classifier import make_net_classifier
from skrobust.nets._mesonet_weights import load_mesonet_weights
from skrobust.nets._resnet34 import resnet34
from skrobust.nets._resnet50 import resnet50
from skrobust.nets._small_cnn_classifier import small_cnn_classifier
from skrobust.nets._to_net_input import ToNetInput
from skrobust.nets._xception import xception

__all__ = [
    "AdversarialTraining",
    "ClipNet",
    "Meso4",
    "MesoInception4",
    "ToNetInput",
    "efficientnet_b0",
    "efficientnet_b4",
    "load_mesonet_weights",
    "make_net_classifier",
    "resnet34",
    "resnet50",
    "small_cnn_classifier",
    "xception",
]

# Modules of torch load on first use.
_MODULES = {"ClipNet": "_clip_net", "Meso4": "_mesonet", "MesoInception4": "_mesonet"}


def __getattr__(name):
    if name in _MODULES:
        require("torch", f"skrobust.nets.{name}", extra="torch")
        module = require(f"skrobust.nets.{_MODULES[name]}", name, extra="torch")
        return getattr(module, name)
    raise AttributeError(f"module 'skrobust.nets' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
