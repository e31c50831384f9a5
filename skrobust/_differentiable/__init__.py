"""Differentiable views of estimators, as functions of the raw input.

A view offers what a gradient attack needs and no more: logits of a batch with the
pullback of their gradient, and the way from labels to columns. Views of nets compute in
torch on the device of the net, those of other models in numpy.
"""

from skrobust._differentiable.maps import sklearn_name
from skrobust._differentiable.net import differentiable_view
from skrobust._differentiable.reduced_precision import PRECISIONS
from skrobust._differentiable.steps import scaler_parts

__all__ = ["PRECISIONS", "differentiable_view", "scaler_parts", "sklearn_name"]
