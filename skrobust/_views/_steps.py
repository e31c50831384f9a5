"""Preprocessing steps that a view can differentiate."""

import numpy as np
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted


def affine_parts(step):
    """Return (scale, shift) of a scaler computing ``x * scale + shift``, or None."""
    if type(step) is StandardScaler:
        check_is_fitted(step)
        scale = np.ones(step.n_features_in_)
        shift = np.zeros(step.n_features_in_)
        if step.with_mean:
            shift -= step.mean_
        if step.with_std:
            scale /= step.scale_
            shift /= step.scale_
        return scale, shift
    if type(step) is MinMaxScaler:
        check_is_fitted(step)
        return step.scale_, step.min_
    return None


def clip_range(step):
    """Return the range to which a scaler clips its result, or None."""
    if type(step) is MinMaxScaler and step.clip:
        return step.feature_range
    return None


def refuse(name, step, owner, extra=""):
    """Say that a preprocessing step is not understood."""
    raise ValueError(
        f"{owner} cannot differentiate through the step {name!r} "
        f"({type(step).__name__}); it understands passthrough, StandardScaler, "
        f"MinMaxScaler{extra} and ToNetInput. A step of your own can offer "
        "differentiable_transform(x)."
    )
