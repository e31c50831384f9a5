"""Pipeline steps before a net: computed in numpy, differentiated in torch."""

import numpy as np

from skrobust._differentiable.step_maps import step_maps


def host_step(name, step, caller, torch):
    """Return a step as a differentiable function of tensors, or say why not.

    The rows go to the host and back, in double precision.

    Parameters
    ----------
    name, step : str, fitted transformer
        A step that is understood before models of scikit-learn.
    caller : str
        Name of the public function or class, for error messages.
    torch : module
        Where the net computes.

    Returns
    -------
    callable
        From rows of shape (n, n_features_in) to rows of shape (n, n_features_out).
    """
    (one,) = step_maps([(name, step)], caller)
    width = getattr(step, "n_features_in_", None)

    class HostStep(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            z, context.pullback = one.apply(_numbers(x))
            return torch.from_numpy(np.ascontiguousarray(z)).to(x)

        @staticmethod
        def backward(context, slope):
            out = context.pullback(_numbers(slope))
            return torch.from_numpy(np.ascontiguousarray(out)).to(slope)

    def apply(x):
        if x.ndim != 2 or (width is not None and x.shape[1] != width):
            raise ValueError(
                f"{caller} got rows of shape {tuple(x.shape[1:])}; the step {name!r} "
                f"takes {width} features."
            )
        return HostStep.apply(x)

    return apply


def _numbers(x):
    return x.detach().cpu().numpy().astype(np.float64, copy=False)
