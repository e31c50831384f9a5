"""Devices of an evaluation: where a net answers, and where the rows lie."""

import warnings
from contextlib import nullcontext

import numpy as np
from joblib import parallel_config

from skrobust._containers import is_frame, on_device
from skrobust._differentiable import PRECISIONS, differentiable_view
from skrobust._keyed_noise.splitmix import chunks
from skrobust._keyed_noise.tensor_noise import TENSOR_DTYPES
from skrobust._parameters import Flag
from skrobust._stacklevel import level_outside
from skrobust._validation import check_choice, invalid
from skrobust.evaluation.conditions.device_answers import DeviceAnswers

_MOVED = 1 << 8  # times a chunk of the host, in one copy to a device


def on_devices(estimator, X, device, precision, compile, caller):
    """Return the estimator, or its proxy on devices.

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
    estimator
        The model, or a proxy that answers as it does.
    """
    check_choice(precision, "precision", caller, PRECISIONS)
    Flag()(compile, "compile", caller)
    asked = device is not None or precision != "float32" or compile
    if not (asked or on_device(X)):
        return estimator
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
        return estimator  # which takes tensors, or says why not
    if precision == "tf32" and not proxy.has_tf32:
        text = (
            f"{caller} has precision='tf32', which the device of this net does not "
            "know; it answered in float32."
        )
        warnings.warn(text, UserWarning, stacklevel=level_outside())
    return proxy


def one_process(estimator):
    """Return the context in which tasks run: threads, where a proxy has devices."""
    is_proxy = isinstance(estimator, DeviceAnswers)
    return parallel_config("threading") if is_proxy else nullcontext()


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


def moved_once(X, conditions, estimator):
    """Return rows on the device of a proxy, if all conditions take them there.

    Parameters
    ----------
    X : ndarray or tensor of shape (n_samples, ...)
        Rows; an array in a file is read in pieces.
    conditions : list of objects with ``perturb``
        What will change them.
    estimator : estimator
        A proxy, whose first device counts if one was asked for; with any other
        estimator, rows stay where they are.

    Returns
    -------
    ndarray or tensor
        The rows.
    """
    place = estimator.place if isinstance(estimator, DeviceAnswers) else None
    stay = all(getattr(c, "_takes_device", False) for c in conditions)
    if place is None or not stay:
        return X
    if hasattr(X, "permute"):
        return X.to(place)
    import torch

    is_host = not on_device(torch.empty(0, device=place))
    if is_host or X.dtype.name not in TENSOR_DTYPES or not len(X):
        return X
    dtype = getattr(torch, X.dtype.name)
    out = torch.empty(X.shape, dtype=dtype, device=place)
    for part in chunks(len(X), X[0].size, times=_MOVED):
        rows = np.require(X[part], dtype=X.dtype.newbyteorder("="), requirements="CW")
        out[part] = torch.from_numpy(rows)
    return out
