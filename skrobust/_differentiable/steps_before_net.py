"""Pipeline steps before a net, as differentiable functions of tensors."""

import sys

import numpy as np

from skrobust._differentiable.step_maps import step_maps
from skrobust._differentiable.steps import affine_parts, clip_range


def torch_step(name, step, caller, tensor):
    """Return a step as a differentiable function of tensors, or say why not.

    Scalers compute where the net does. Rows go to the host and back, in double
    precision, for other steps that are understood before models of scikit-learn.

    Parameters
    ----------
    name, step : str, fitted transformer
        The step.
    caller : str
        Name of the public function or class, for error messages.
    tensor : callable
        Brings host values to where the net computes.

    Returns
    -------
    callable
        From rows of shape (n, n_features_in) to rows of shape (n, n_features_out).
    """
    if hasattr(step, "differentiable_transform"):
        return step.differentiable_transform
    parts, bounds, stand_in = affine_parts(step), clip_range(step), ""
    if parts is None:
        (one,) = step_maps([(name, step)], caller)
        transform, stand_in = _on_host(one), one.stand_in
    else:
        scale, shift = map(tensor, parts)

        def transform(x):
            x = x * scale + shift
            return x if bounds is None else x.clip(*bounds)

    width = getattr(step, "n_features_in_", None)

    def apply(x):
        if x.ndim != 2 or (width is not None and x.shape[1] != width):
            raise ValueError(
                f"{caller} got rows of shape {tuple(x.shape[1:])}; the step {name!r} "
                f"takes {width} features."
            )
        return transform(x)

    apply.stand_in = stand_in
    return apply


def _on_host(one):
    """Return a map in numpy as a function of tensors."""
    torch = sys.modules["torch"]  # a net has loaded it

    class HostStep(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            z, context.pullback = one.apply(_numbers(x))
            return torch.from_numpy(np.ascontiguousarray(z)).to(x)

        @staticmethod
        def backward(context, slope):
            out = context.pullback(_numbers(slope))
            return torch.from_numpy(np.ascontiguousarray(out)).to(slope)

    return HostStep.apply


def _numbers(x):
    return x.detach().cpu().numpy().astype(np.float64, copy=False)
