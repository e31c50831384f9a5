"""Pipeline steps that the views of nets and of other models share."""

import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust._containers import to_array
from skrobust._differentiable.maps import sklearn_name
from skrobust._guarded_rows import ask_guarded

BLACK_BOX = "HopSkipJump (it needs predict alone) or Square (it needs scores)"


def ask(method, rows):
    """Return the answers of a fitted step or model to plain rows, as an array.

    Views work on plain rows, whatever names the model saw in fit.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return to_array(ask_guarded(method, rows, getattr(method, "__self__", None)))


def affine_parts(step):
    """Return (scale, shift) of a scaler computing ``x * scale + shift``, or None."""
    name = sklearn_name(step)
    if name not in ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"):
        return None
    check_is_fitted(step)
    scale, shift = np.ones(step.n_features_in_), np.zeros(step.n_features_in_)
    if name == "MinMaxScaler":
        return step.scale_, step.min_
    if name == "MaxAbsScaler":
        return scale / step.scale_, shift
    centers, scales = ("with_mean", "with_std"), ("mean_", "scale_")
    if name == "RobustScaler":
        centers, scales = ("with_centering", "with_scaling"), ("center_", "scale_")
    if getattr(step, centers[0]):
        shift -= getattr(step, scales[0])
    if getattr(step, centers[1]):
        scale /= step.scale_
        shift /= step.scale_
    return scale, shift


def clip_range(step):
    """Return the range to which a scaler clips its result, or None."""
    name = sklearn_name(step)
    if name == "MinMaxScaler" and step.clip:
        return step.feature_range
    if name == "MaxAbsScaler" and getattr(step, "clip", False):
        return -1.0, 1.0
    return None


def scaler_parts(step):
    """Return (scale, shift) of a scaler that does not clip, or None."""
    return None if clip_range(step) else affine_parts(step)


def refuse(name, step, caller, known):
    """Say that a preprocessing step is not understood, and what to use instead."""
    raise ValueError(
        f"{caller} cannot differentiate through the step {name!r} "
        f"({type(step).__name__}); it understands {known}. Use a black-box attack, "
        f"{BLACK_BOX}, or give a step of your own differentiable_transform(x)."
    )
