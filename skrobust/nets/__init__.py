"""Building blocks around nets; importing this loads no torch."""

from skrobust.nets._adversarial import AdversarialTraining
from skrobust.nets._input import ToNetInput
from skrobust.nets._small import small_cnn_classifier

__all__ = ["AdversarialTraining", "ToNetInput", "small_cnn_classifier"]
