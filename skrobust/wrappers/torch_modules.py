"""Trained torch modules as skorch nets that share their weights."""

import copy

import numpy as np
import torch
from skorch import NeuralNetRegressor
from torch import nn

from skrobust._one_line import one_line
from skrobust.nets import make_net_classifier
from skrobust.nets.devices import find_device
from skrobust.wrappers.model_sources import FunctionSource

_FLOATS = {torch.float64: "float64"}
_CRITERIA = {
    ("logits", True): nn.BCEWithLogitsLoss,
    ("logits", False): nn.CrossEntropyLoss,
    ("probabilities", True): nn.BCELoss,
    ("probabilities", False): nn.NLLLoss,
}


class ModuleSource(FunctionSource):
    """Trained torch module.

    Parameters
    ----------
    model : torch module
        In any mode; it is asked in evaluation mode and left as it was.
    device : str or None
        None is where its parameters are.
    """

    kind = "torch module"
    is_net = True
    batch_size = 256

    def __init__(self, model, device=None):
        super().__init__(model)
        first = next(model.parameters(), None)
        here = torch.device("cpu") if first is None else first.device
        self._device = here
        if device is not None:
            self._device = torch.device(find_device(device, "skrobust.wrap"))
        self._shared = sharing_copy(model, keep=self._device == here)
        if any(
            kind.__module__.startswith("transformers.") for kind in type(model).__mro__
        ):
            self._shared = LogitsOf(self._shared)
        # A first layer may work in place, on rows or on what gradients are asked for.
        self._shared.register_forward_pre_hook(_copied_inputs)
        self._shared.to(self._device).eval()
        self._float = torch.float32 if first is None else first.dtype
        self.dtype = _FLOATS.get(self._float, "float32")
        layer = next((m for m in model.modules() if not list(m.children())), None)
        if isinstance(layer, nn.Linear):
            self.input_shape = (layer.in_features,)

    def __call__(self, rows):
        """Return the outputs of a batch."""
        with torch.no_grad():
            return self._outputs(torch.as_tensor(rows).to(self._device))

    def _outputs(self, x):
        try:
            out = self._shared(x)
        except (RuntimeError, ValueError, IndexError) as error:
            raise ValueError(
                f"skrobust.wrap could not pass rows of shape {tuple(x.shape[1:])} and "
                f"{x.dtype} through the module: {one_line(error)}. Pass sample=X, and "
                "input_shape=, layout= or dtype= of its input."
            ) from error
        out = out[0] if isinstance(out, tuple) else out
        if not isinstance(out, torch.Tensor):
            raise ValueError(
                "skrobust.wrap needs a module that returns a tensor; this one returns "
                f"{type(out).__name__}."
            )
        return out

    def stays_in_unit_interval(self, rows):
        """Return whether outputs stay in [0, 1] far from the rows, too."""
        for scale in (-100.0, -10.0, 10.0, 100.0):
            out = self(np.asarray(rows * scale, dtype=rows.dtype))
            if not bool(((out >= 0) & (out <= 1)).all()):
                return False
        return True

    def has_gradients(self, rows):
        """Return whether the outputs of rows depend on them differentiably."""
        x = torch.as_tensor(np.array(rows)).to(self._device)
        if not x.is_floating_point():
            return False
        with torch.enable_grad():
            out = self._outputs(x.requires_grad_(True))
            return bool(out.requires_grad)

    def net(self, response, n_outputs, classes, batch_size):
        """Return a skorch net around the module, initialised and ready.

        Parameters
        ----------
        response : str
            What the module answers.
        n_outputs : int
            Numbers a row.
        classes : list or None
            In the order of the outputs; None for a regressor.
        batch_size : int
            Rows at once.

        Returns
        -------
        skorch net
            Whose ``module_`` shares the weights of the module.
        """
        device = str(self._device)
        if response == "values":
            net = NeuralNetRegressor(
                self._shared, batch_size=batch_size, device=device, train_split=None,
                verbose=0,
            )  # fmt: skip
            net.initialize()
        else:
            net = make_net_classifier(
                self._shared, classes=classes, fitted=True, batch_size=batch_size,
                criterion=_CRITERIA[response, n_outputs == 1], device=device,
            )  # fmt: skip
        net.module_ = self._shared
        net.module_.eval()
        return net


def _copied_inputs(module, inputs):
    """Return copies of the tensors that a module is given."""
    return tuple(x.clone() if isinstance(x, torch.Tensor) else x for x in inputs)


class LogitsOf(nn.Module):
    """Module of transformers that returns its logits alone.

    Parameters
    ----------
    module : torch module
        Returns an object with ``logits``.
    """

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        """Return the logits of a batch."""
        return self.module(x).logits


def sharing_copy(module, *, keep=True):
    """Return a copy of a module with modes of its own and the same tensors.

    Parameters
    ----------
    module : torch module
        The module.
    keep : bool, default=True
        Whether the tensors are shared; a copy for another device has its own.

    Returns
    -------
    torch module
        The copy.
    """
    memo = {}
    if keep:
        tensors = [*module.parameters(), *module.buffers()]
        memo = {id(tensor): tensor for tensor in tensors}
    return copy.deepcopy(module, memo)
