"""Reading of modules of torch into graphs of layers."""

import copy
import sys

import numpy as np

from skrobust._differentiable.reduced_precision import is_tensor_float_allowed
from skrobust.certificates.net_layers import (
    Activation,
    Concat,
    MaxPool,
    Reshape,
    Sum,
    TorchAffine,
)

KNOWN = (
    "Linear, convolutions, BatchNorm, ReLU, LeakyReLU, ELU, Sigmoid, Tanh, Softplus, "
    "max and average pooling, Flatten, Dropout, sums, cat, means, reshaping, and a "
    "final Softmax"
)


class UnknownLayer(ValueError):
    """A layer that no rule covers."""


def read_module(module, example, first):
    """Return the graph of a module in evaluation mode.

    Parameters
    ----------
    module : torch.nn.Module
        Not changed; a copy in double precision is read, where the example lies.
    example : tensor of shape (2, ...), float64
        Two rows of its input.
    first : int
        Place of the input of the module in the whole graph.

    Returns
    -------
    layers : list of Layer
        From the place after ``first`` on.
    ending : {None, "softmax", "log_softmax", "sigmoid"}
        What the module does to the output of the last layer.

    Raises
    ------
    UnknownLayer
        With the name of the layer.
    """
    return _Reader(module, first, example.device).read(example)


class _Reader:
    def __init__(self, module, first, device):
        self.torch = sys.modules["torch"]
        module = copy.deepcopy(getattr(module, "_orig_mod", module))
        module = module.to(device).double()
        for part in module.modules():
            part.training = False
        module.requires_grad_(False)
        self.first, self.layers, self.ending = first, [], None
        self.product = _product_rounding(self.torch, device)
        try:
            self.traced = self.torch.fx.symbolic_trace(module)
        except Exception as error:  # whatever the forward of the user does
            text = " ".join(str(error).split())[:120]
            raise UnknownLayer(f"a forward that cannot be traced ({text})") from error
        self.parts = dict(self.traced.named_modules())

    def read(self, example):
        """Follow the computation on two rows."""
        values, places = {}, {}
        for node in self.traced.graph.nodes:
            if node.op == "output":
                out = node.args[0]
                if out not in places:
                    raise UnknownLayer("an output that is not a tensor")
                if places[out] != self.first + len(self.layers):
                    raise UnknownLayer("layers after the output")
                return self.layers, self.ending
            if self.ending is not None:
                raise UnknownLayer(f"{self.ending} before the last layer")
            if node.op == "placeholder":
                if values:
                    raise UnknownLayer("a second input")
                values[node], places[node] = example, self.first
                continue
            self._step(node, values, places)

    def _step(self, node, values, places):
        def value(part):
            return values.get(part, part) if hasattr(part, "op") else part

        fx = self.torch.fx.node
        args = fx.map_arg(node.args, value)
        kwargs = fx.map_arg(node.kwargs, value)
        if node.op == "get_attr":
            found = self.traced
            for name in node.target.split("."):
                found = getattr(found, name)
            values[node] = found
            return
        if node.op == "call_module":
            part = self.parts[node.target]
            function, kind = part, type(part).__name__
        elif node.op == "call_method":
            kind = node.target

            def function(x, *rest, **named):
                return getattr(x, kind)(*rest, **named)
        else:
            part, function = None, node.target
            kind = getattr(node.target, "__name__", str(node.target))
        values[node] = function(*args, **kwargs)
        inputs = [n for n in node.all_input_nodes if n in places]
        if not inputs or not isinstance(values[node], self.torch.Tensor):
            return  # a number, such as a size
        part = self.parts.get(node.target) if node.op == "call_module" else None
        call = _Call(kind, part, function, node, args, kwargs, values, inputs)
        before = len(self.layers)
        self._layer(call, tuple(places[n] for n in inputs))
        passed = len(self.layers) == before
        places[node] = places[inputs[0]] if passed else self.first + len(self.layers)

    def _layer(self, call, inputs):
        name = call.kind.rstrip("_").lower()
        out = call.values[call.node]
        if name in ("dropout", "dropout1d", "dropout2d", "alphadropout", "identity",
                    "contiguous", "clone"):  # fmt: skip
            given = call.values[call.inputs[0]]
            if not self.torch.equal(out, given):
                raise UnknownLayer(f"{call.kind} that is active in evaluation")
            return
        if name == "elu" and float(call.setting("alpha", 1, 1.0)) != 1:
            raise UnknownLayer("ELU with another alpha than 1")
        if len(inputs) == 1 and name in _BENT:
            self.layers.append(Activation(inputs, _BENT[name]))
        elif len(inputs) == 1 and name in ("leakyrelu", "leaky_relu"):
            gamma = float(call.setting("negative_slope", 1, 0.01))
            if not 0 <= gamma <= 1:
                raise UnknownLayer(f"{call.kind} with negative_slope={gamma:g}")
            self.layers.append(Activation(inputs, "relu", gamma))
        elif name in ("softmax", "log_softmax", "logsoftmax"):
            if out.ndim != 2:
                raise UnknownLayer(f"{call.kind} inside of the net")
            self.ending = "softmax" if name == "softmax" else "log_softmax"
        elif len(inputs) == 2 and name in ("add", "iadd"):
            shapes = {tuple(call.values[n].shape) for n in call.inputs}
            if len(shapes) > 1 or call.kwargs:
                raise UnknownLayer("a sum of tensors of different shapes")
            self.layers.append(Sum(inputs))
        elif name in ("cat", "concat", "concatenate"):
            given = [call.values[n] for n in call.inputs]
            axis = int(call.setting("dim", 1, 0)) % out.ndim
            same = axis and sum(z.shape[axis] for z in given) == out.shape[axis]
            if not same or len(inputs) != len(call.args[0]):
                raise UnknownLayer(f"{call.kind} of other things than features")
            self.layers.append(Concat(inputs, axis - 1))
        elif name in ("maxpool1d", "maxpool2d", "maxpool3d"):
            self.layers.append(self._max_pool(call.part, inputs))
        elif name == "max_pool2d":
            part = self.torch.nn.MaxPool2d(*call.args[1:], **call.kwargs)
            self.layers.append(self._max_pool(part, inputs))
        elif len(inputs) == 1:
            self._one_input(name, call, inputs, out)
        else:
            raise UnknownLayer(call.kind)

    def _one_input(self, name, call, inputs, out):
        given = call.values[call.inputs[0]]
        same = out.numel() == given.numel() and self.torch.equal(
            out.reshape(-1), given.reshape(-1)
        )
        if name in ("flatten", "view", "reshape", "squeeze", "unsqueeze", "unflatten"):
            if not same or len(out) != len(given):
                raise UnknownLayer(f"{call.kind} that mixes rows")
            self.layers.append(Reshape(inputs, tuple(out.shape[1:])))
            return
        function = call.alone()
        size_of, fan_in = self._size_of(name, call, function)
        if size_of is None:
            raise UnknownLayer(call.kind)
        transpose = _transpose(call.part)
        self.layers.append(
            TorchAffine(inputs, function, size_of, fan_in, transpose, self.product)
        )

    def _size_of(self, name, call, function):
        """Return the function with absolute weights, and the products of a sum."""
        if name.startswith(("linear", "conv1d", "conv2d", "conv3d")) and call.part:
            part = copy.deepcopy(call.part)
            part.weight.data = part.weight.data.abs()
            part.bias = None
            return part, int(np.prod(part.weight.shape[1:]))
        zero = call.values[call.inputs[0]][:1] * 0
        if name.startswith("batchnorm") and call.part.running_mean is not None:
            shift = function(zero)
            return (lambda x: (function(x) - shift).abs()), 6
        if name in ("avgpool1d", "avgpool2d", "adaptiveavgpool2d", "adaptiveavgpool1d",
                    "avg_pool2d", "adaptive_avg_pool2d", "mean"):  # fmt: skip
            if name == "mean" and call.values[call.node].ndim < 2:
                return None, 0
            n_in, n_out = zero.numel(), call.values[call.node][:1].numel()
            return function, 2 * int(np.ceil(n_in / n_out)) + 2
        divided = name in ("truediv", "div") and call.node.args[0] is call.inputs[0]
        if name in ("mul", "sub", "add", "neg") or divided:
            shift = function(zero)
            return (lambda x: (function(x) - shift).abs()), 4
        return None, 0

    def _max_pool(self, part, inputs):
        functional = self.torch.nn.functional
        d = type(part).__name__[-2]
        pool = getattr(functional, f"max_pool{d}d_with_indices")
        if part.ceil_mode:
            raise UnknownLayer("MaxPool with ceil_mode")
        setting = part.kernel_size, part.stride, part.padding, part.dilation
        kernel, stride, _, dilation = (np.broadcast_to(s, int(d)) for s in setting)
        overlaps = bool((stride < kernel).any() or (dilation > 1).any())
        return MaxPool(inputs, lambda x: pool(x, *setting), overlaps)


def _product_rounding(torch, device):
    """Return what TF32, where it is allowed, may do to the product of two numbers."""
    allowed = device.type == "cuda" and is_tensor_float_allowed(torch)
    return 2.0**-9 if allowed else 0.0  # both factors keep 10 bits


def _transpose(part):
    """Return the transpose of a dense layer or a convolution; None for others."""
    kind = type(part).__name__
    if kind == "Linear":
        return lambda a, shape: a @ part.weight
    if kind not in ("Conv1d", "Conv2d", "Conv3d"):
        return None
    if part.padding_mode != "zeros" or isinstance(part.padding, str):
        return None
    back = getattr(sys.modules["torch"].nn.functional, f"conv_transpose{kind[-2]}d")

    def transpose(a, shape):
        sizes = zip(
            shape[1:], a.shape[2:], part.kernel_size, part.stride, part.padding,
            part.dilation, strict=True,
        )  # fmt: skip
        left = [
            n - ((m - 1) * stride - 2 * pad + dilation * (k - 1) + 1)
            for n, m, k, stride, pad, dilation in sizes
        ]
        setting = part.stride, part.padding, left, part.groups, part.dilation
        return back(a, part.weight, None, *setting)

    return transpose


_BENT = {
    "relu": "relu",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "softplus": "softplus",
    "elu": "elu",
    "square": "square",
}


class _Call:
    """One step of the computation, with the values it had on the example."""

    def __init__(self, kind, part, function, node, args, kwargs, values, inputs):
        self.kind, self.part, self._function, self.node = kind, part, function, node
        self.args, self.kwargs, self.values, self.inputs = args, kwargs, values, inputs

    def setting(self, name, place, default):
        """Return a setting of the part, or of the call."""
        if self.part is not None:
            return getattr(self.part, name)
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[place] if len(self.args) > place else default

    def alone(self):
        """Return the step as a function of its one tensor."""
        torch_input = self.inputs[0]

        def function(x):
            def value(part):
                if part is torch_input:
                    return x
                return self.values.get(part, part)

            fx = sys.modules["torch"].fx.node
            args = fx.map_arg(self.node.args, value)
            return self._function(*args, **fx.map_arg(self.node.kwargs, value))

        return function
