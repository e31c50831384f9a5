"""Devices of an evaluation: where a net answers, and where the rows lie."""

import warnings

import numpy as np

from skrobust._containers import is_frame, on_device
from skrobust._differentiable import PRECISIONS, differentiable_view
from skrobust._keyed_noise.splitmix import chunks
from skrobust._parameters import Flag
from skrobust._stacklevel import level_outside
from skrobust._validation import check_choice, invalid
from skrobust.evaluation.device_answers import DeviceAnswers

_MOVED = 1 << 8  # times a chunk of the host, in one copy to a device


def on_devices(estimator, X, device, precision, compile, caller):
    """Return the estimator, or its proxy on devices, and where rows should lie.

    Parameters
    ----------
    estimator : fitted estimator
        The model.
    X : container of rows
        The clean rows.
    device, precision, compile
        As :func:`evaluate_perturbations` has them.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    answering : estimator
        The model, or a proxy that answers as it does.
    place : str, torch device or None
        Where the rows should be moved once; None leaves them.
    """
    check_choice(precision, "precision", caller, PRECISIONS)
    Flag()(compile, "compile", caller)
    asked = device is not None or precision != "float32" or compile
    if not (asked or on_device(X)):
        return estimator, None
    try:
        view, devices = _view(estimator, X, caller), _devices(device, caller)
        proxy = DeviceAnswers(estimator, view, devices, precision, compile)
        if not proxy.answers_alike(X):
            raise ValueError(
                f"{caller} got other labels from the module of the net than from its "
                "predict; leave device, precision and compile out."
            )
    except ValueError:
        if asked:
            raise
        return estimator, None  # which takes tensors, or says why not
    if precision == "tf32" and not proxy.has_tf32:
        text = (
            f"{caller} has precision='tf32', which the device of this net does not "
            "know; it answered in float32."
        )
        warnings.warn(text, UserWarning, stacklevel=level_outside())
    return proxy, devices[0]


def _view(estimator, X, caller):
    if is_frame(X) or not hasattr(X, "ndim"):
        raise ValueError(
            f"{caller} takes device, precision and compile for arrays and tensors. "
            f"Got {type(X).__name__}; leave them out."
        )
    view = differentiable_view(estimator, caller, regressors=True)
    if view.is_regressor or not hasattr(view, "reduced_precision"):
        raise ValueError(
            f"{caller} takes device, precision and compile for classifiers that are "
            "nets; leave them out for this model."
        )
    return view


def _devices(device, caller):
    """Return the devices of a parameter as a list; one None is that of the net."""
    if device is None:
        return [None]
    from skrobust.nets.devices import find_device  # loads torch

    listed = isinstance(device, (list, tuple))
    if listed and not device:
        rule = "None, a device of torch such as 'cuda:0', or a list of them"
        raise invalid("device", caller, rule, device)
    return [find_device(one, caller) for one in (device if listed else [device])]


def moved_once(X, conditions, place):
    """Return rows on a device, if all conditions take them there; else as they are.

    Parameters
    ----------
    X : ndarray or tensor of shape (n_samples, ...)
        Rows; an array in a file is read in pieces.
    conditions : list of objects with ``perturb``
        What will change them.
    place : str, torch device or None
        The device.

    Returns
    -------
    ndarray or tensor
        The rows.
    """
    known = getattr(X, "dtype", None) in (np.uint8, np.float16, np.float32, np.float64)
    stay = all(getattr(c, "_takes_device", False) for c in conditions)
    if place is None or not stay:
        return X
    if hasattr(X, "permute"):
        return X.to(place)
    if not known or not len(X):
        return X
    import torch

    dtype = getattr(torch, X.dtype.name)
    if not on_device(torch.empty(0, device=place)):
        return X
    out = torch.empty(X.shape, dtype=dtype, device=place)
    for part in chunks(len(X), X[0].size, times=_MOVED):
        rows = np.require(X[part], dtype=X.dtype.newbyteorder("="), requirements="CW")
        out[part] = torch.from_numpy(rows)
    return out
