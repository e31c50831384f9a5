"""Differentiable views: the choice for an estimator, and those of skorch nets."""

import sys
import threading
import warnings
from contextlib import contextmanager

import numpy as np
from sklearn.base import is_regressor
from sklearn.exceptions import NotFittedError

from skrobust._differentiable.frame_maps import with_frame
from skrobust._differentiable.linear import LinearView, is_linear
from skrobust._differentiable.maps import chain
from skrobust._differentiable.net_outputs import (
    KINDS,
    NUMBERS,
    as_logits,
    is_binary_net,
    one_label,
)
from skrobust._differentiable.pipeline import PipelineView
from skrobust._differentiable.reduced_precision import FastNet, tensor_float
from skrobust._differentiable.step_maps import step_maps
from skrobust._differentiable.steps_before_net import torch_step
from skrobust._differentiable.translate import steps_and_model
from skrobust._responses import is_net, torch_kind, unwrap

# Evaluation mode is a state of the module, so only one thread at a time may set it.
MODE_LOCK = threading.RLock()


def differentiable_view(estimator, caller, *, regressors=False):
    """Return the view of an estimator, or say which part of it is not understood.

    Parameters
    ----------
    estimator : fitted estimator
        A skorch net, a linear classifier, or any model that is translated; bare or
        inside Pipeline, a fitted search or FrozenEstimator.
    caller : str
        Name of the public function or class, for error messages.
    regressors : bool, default=False
        Whether a regressor of one target will do, too. The ``forward`` of its view
        gives predictions of shape (n, 1) with their pullback.

    Returns
    -------
    view : NetView, LinearView or PipelineView
        A context manager that leaves the estimator as it was.
    """
    if torch_kind(type(estimator)) == "net":
        view = NetView(estimator, [], caller)
    else:
        view = _view_of_parts(estimator, caller)
    if view.is_regressor and not regressors:
        name = type(unwrap(estimator)[1]).__name__
        raise ValueError(
            f"{caller} attacks labels here, and {name} is a regressor. Use PGD, "
            "AutoPGD, RandomSearch, Square or ZOO."
        )
    return view


def _view_of_parts(estimator, caller):
    """Return the view of what is no bare net."""
    steps, model, label = steps_and_model(estimator)
    steps = with_frame(steps, model, caller)
    if is_net(model):
        return NetView(model, steps, caller, label)
    if label is None and is_linear(model):
        maps = chain(step_maps(steps, caller))
        if maps.affine:
            first = steps[0][1] if steps else model
            width = getattr(first, "n_features_in_", None)
            return LinearView(model, maps, width, caller)
    return PipelineView(estimator, caller)


def _version(x):
    """Return how often a tensor was written to, None where torch does not count."""
    return None if x.is_inference() else x._version


class NetView:
    """A skorch net and the steps before it as logits and gradients in torch.

    Inside ``with``, every module is in evaluation mode; on leaving, each gets back the
    mode that it had. Parameters, their ``.grad`` and the statistics of batch
    normalisation are never touched.

    Parameters
    ----------
    net : initialized skorch net
        With a criterion that is understood.
    steps : list of (str, transformer)
        What stands before it.
    caller : str
        Name of the public function or class, for error messages.
    label : int, default=None
        The one output that is attacked, of a net of several labels per row.
    """

    leaves_at_once = True  # looking for samples that are done is cheap
    stand_in = ""  # what has no slopes, so that others are followed; see Map

    def __init__(self, net, steps, caller, label=None):
        self._torch = sys.modules["torch"]  # a net has loaded it
        if not getattr(net, "initialized_", False):
            raise NotFittedError(
                f"{caller} needs a fitted net; this {type(net).__name__} is not fitted "
                "yet. Call fit first."
            )
        self._net, self._caller, self._label = net, caller, label
        self.parts = net, steps, caller, label
        self._infer, self._n_draws = net.infer, 1
        self._may_write = True  # whether the module may write into its input
        module = getattr(net.module_, "_orig_mod", net.module_)
        self._is_compiled = module is not net.module_
        first = next(module.parameters(), None)
        self._device = net.device if first is None else first.device
        self._device_type = str(self._device).partition(":")[0]
        if self._device_type != "cpu":  # looking waits for the device
            self.leaves_at_once = False
        self._dtype = self._torch.float32
        if first is not None and first.dtype == self._torch.float64:
            self._dtype = first.dtype
        # Scalers work in double precision, as in the pipeline: a large offset that they
        # take away must not swallow the perturbation before.
        self._raw_dtype = self._dtype
        if steps and self._device_type != "mps":
            self._raw_dtype = self._torch.float64
        criterion = getattr(net.criterion_, "_orig_mod", net.criterion_)
        self._kind = KINDS.get(type(criterion).__name__)
        self.is_regressor = is_regressor(net)
        if self.is_regressor:
            self._kind = NUMBERS
        if self._kind is None:
            raise ValueError(
                f"{caller} does not know what outputs {type(criterion).__name__} "
                f"takes; it understands {', '.join(KINDS)}."
            )
        self._is_binary = self._kind.startswith("binary") and is_binary_net(net)
        self._steps = [torch_step(*step, caller, self.tensor) for step in steps]
        names = (getattr(step, "stand_in", "") for step in self._steps)
        self.stand_in = next((name for name in names if name), "")
        self._threshold = getattr(net, "threshold", 0.5) if self._is_binary else 0.5

    @property
    def device(self):
        """The device on which the net is."""
        return self._device

    def __enter__(self):
        MODE_LOCK.acquire()
        self._modes = [(m, m.training) for m in self._net.module_.modules()]
        for module, mode in self._modes:
            if mode:  # to set what is set already takes long, of many small batches
                module.training = False
        return self

    def __exit__(self, *error):
        for module, mode in self._modes:
            if module.training != mode:
                module.training = mode
        MODE_LOCK.release()

    @contextmanager
    def reduced_precision(self, precision, compiled, batch_size):
        """Pass rows through a fast replica of the net; see FastNet."""
        kind = self._device_type
        allowed = True if precision == "tf32" and kind == "cuda" else None
        self._infer = FastNet(
            self._torch, self._net, kind, precision, compiled, batch_size
        )
        try:
            with tensor_float(self._torch, allowed):
                yield self
        finally:
            self._infer = self._net.infer

    @contextmanager
    def several_draws(self, n_draws, seed):
        """Answer with the mean over passes of a net that draws, from a seed.

        The generator of torch is afterwards as it was.
        """
        kind, torch = self._device_type, self._torch
        devices = [self._device] if kind == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(seed % 2**63)
            self._n_draws = n_draws
            try:
                yield self
            finally:
                self._n_draws = 1

    def _answer(self, z):
        """Ask the net; torch warns where one that is compiled gets a copy."""
        if not self._is_compiled:
            return self._infer(z)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The .grad attribute of a Tensor")
            return self._infer(z)

    def _mean_output(self, z):
        """Return the mean of the (first) output of the net over draws."""
        total = 0.0
        for _ in range(self._n_draws):
            output = self._answer(z.clone() if self._may_write else z)
            total = total + (output[0] if isinstance(output, tuple) else output)
        return total / self._n_draws

    def full_precision(self):
        """Forbid TF32 for a while, as a context."""
        allowed = False if self._device_type == "cuda" else None
        return tensor_float(self._torch, allowed)

    def label_index(self, y):
        """Return the index of each label; skorch takes labels as indices."""
        if hasattr(self._net, "label_columns"):  # nets that keep labels of their own
            return self._torch.as_tensor(self._net.label_columns(y)).to(self._device)
        if y.dtype.kind == "O":
            y = np.asarray(y.tolist())
        if y.dtype.kind not in "iufb":
            raise ValueError(
                f"{self._caller} needs the labels of a skorch net as integers from 0; "
                f"y holds {y.dtype} values such as {y[0]!r}. Encode them with "
                "sklearn.preprocessing.LabelEncoder before fitting."
            )
        index = y.astype(np.int64)
        index = np.where((index == y) & (index >= 0), index, -1)
        return self._torch.as_tensor(index).to(self._device)

    def tensor(self, values):
        """Bring values, or a tensor of any device, to where the view computes."""
        if isinstance(values, self._torch.Tensor):
            return values.to(self._device, self._raw_dtype)
        # A copy, as the module may work in place.
        values = np.array(values, order="C")
        return self._torch.as_tensor(values).to(self._device, self._raw_dtype)

    def host(self, x):
        """Bring values back to the host."""
        return x.cpu().numpy()

    def decision_scores(self, logits):
        """Return scores whose largest is the label that the net predicts.

        A binary net may say 1 above another threshold than a half; that moves its
        labels, not its probabilities.
        """
        if self._threshold == 0.5:
            return logits
        offset = float(np.log(self._threshold) - np.log1p(-self._threshold))
        return logits - logits.new_tensor([0.0, offset])

    def scores(self, x, logits):
        """Return what the probabilities are the softmax of, and its slope (None: 1)."""
        return logits, None

    def logits(self, x):
        """Return logits of shape (n, n_classes), with a graph where x asks for one."""
        with self._torch.set_grad_enabled(x.requires_grad):
            z = x
            for step in self._steps:
                z = step(z)
            z = z.to(self._dtype)
            if self._may_write:
                z = z.clone()
            version = _version(z)
            try:
                output = self._answer(z) if self._n_draws == 1 else self._mean_output(z)
            except RuntimeError as error:
                raise ValueError(
                    f"{self._caller} could not pass rows of shape {tuple(x.shape[1:])} "
                    f"through the net: {error}"
                ) from error
            if self._may_write:  # it is seen once whether the copies are needed
                self._may_write = _version(z) != version
            if isinstance(output, tuple):
                output = output[0]
            if not isinstance(output, self._torch.Tensor):
                raise ValueError(
                    f"{self._caller} needs a net that returns a tensor; this one "
                    f"returns {type(output).__name__}."
                )
            if self._label is not None:
                return one_label(output, self._label, self._kind)
            if self._kind == "logits" and output.ndim == 2 and output.shape[1] > 1:
                return output
            return as_logits(output, self._net, self._kind, self._caller)

    def forward(self, x):
        """Return logits of shape (n, n_classes) and the pullback of their gradient."""
        leaf = x.detach().requires_grad_(True)
        logits, grad = self.logits(leaf), self._torch.autograd.grad

        def pullback(slope):
            gradient = None
            if logits.requires_grad:
                gradient = grad(logits, leaf, slope, allow_unused=True)[0]
            if gradient is None:
                raise ValueError(
                    f"{self._caller} found that no gradient reaches the input; the net "
                    "detaches it (detach, argmax or numpy inside forward?)."
                )
            return gradient

        return logits, pullback

    @property
    def has_tf32(self):
        """Whether the device can compute in TF32."""
        return self._device_type == "cuda"

    @property
    def answer(self):
        """The module, what it returns, whether it has one output, and the threshold."""
        return self._net.module_, self._kind, self._is_binary, self._threshold
