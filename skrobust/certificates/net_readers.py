"""Reading of models into graphs of layers: skorch nets, MLPClassifier and others."""

import sys

import numpy as np

from skrobust._differentiable import differentiable_view, scaler_parts, sklearn_name
from skrobust._differentiable.step_maps import step_maps
from skrobust._responses import is_net, unwrap
from skrobust.certificates.net_bounds import NetBounds
from skrobust.certificates.net_layers import Activation, Dense, Reshape, TorchAffine
from skrobust.certificates.net_proof import NetProof
from skrobust.certificates.proof import Proof
from skrobust.certificates.read_module import KNOWN, UnknownLayer, read_module


def net_proof(estimator, region, ask, caller, shape=None):
    """Return the proof for a net, or None for another model.

    Parameters
    ----------
    estimator : fitted classifier
        The whole pipeline.
    region : Region
        Where rows may move.
    ask : callable or None
        From rows to the probabilities of the whole; None where there are none.
    caller : str
        Name of the public function or class, for error messages.
    shape : tuple of int, default=None
        Of a row of the raw input; None: flat.
    """
    steps, model = unwrap(estimator)
    reader = _READERS.get(sklearn_name(model))
    if reader is None and not is_net(model):
        return None
    try:
        if reader is not None:
            return reader(model, steps, region, caller)
        return _skorch(estimator, steps, region, shape, caller)
    except UnknownLayer as error:
        found = Proof(len(region), None)
        found.name = f"trivial: the net has {error}, and what is understood is {KNOWN}"
        return found


def _multilayer(model, steps, region, caller):
    """Return the proof for an MLPClassifier, in numpy."""
    n = len(model.classes_)
    if model.out_activation_ == "logistic" and n != 2:
        raise UnknownLayer("several labels a row")
    layers = [None, *_affine_steps(steps, region, caller)]
    kind = {"logistic": "sigmoid"}.get(model.activation, model.activation)
    last = len(model.coefs_) - 1
    pairs = zip(model.coefs_, model.intercepts_, strict=True)
    for i, (weights, offset) in enumerate(pairs):
        parts = (np.asarray(part, dtype=np.float64) for part in (weights, offset))
        layers.append(Dense((len(layers) - 1,), *parts))
        if i < last and kind != "identity":
            layers.append(Activation((len(layers) - 1,), kind))
    unit = np.finfo(model.coefs_[0].dtype).eps / 2
    return NetProof(region, layers, n, np.asarray, unit)


def _quadratic(model, steps, region, caller):
    """Return the proof for quadratic discriminant analysis: squares of linear maps."""
    layers = [None, *_affine_steps(steps, region, caller)]
    n, weights, offset, sums = len(model.classes_), [], [], []
    for k, (turn, spread) in enumerate(
        zip(model.rotations_, model.scalings_, strict=True)
    ):
        weights.append(np.asarray(turn) * np.asarray(spread) ** -0.5)
        offset.append(-(np.asarray(model.means_[k]) @ weights[-1]))
        sums.append(np.outer(np.ones(weights[-1].shape[1]), -0.5 * np.eye(n)[k]))
    sizes = np.array([np.log(spread).sum() for spread in model.scalings_])
    fixed = np.log(model.priors_) - 0.5 * sizes
    layers.append(Dense((len(layers) - 1,), np.hstack(weights), np.concatenate(offset)))
    layers.append(Activation((len(layers) - 1,), "square"))
    layers.append(Dense((len(layers) - 1,), np.vstack(sums), fixed))
    proof = NetProof(region, layers, n, np.asarray, np.finfo(np.float64).eps / 2)
    proof.name = "lines around the squares of quadratic discriminants"
    return proof


_READERS = {
    "MLPClassifier": _multilayer,
    "QuadraticDiscriminantAnalysis": _quadratic,
}


def _affine_steps(steps, region, caller):
    """Return the layers of affine steps of scikit-learn, in numpy."""
    layers, width = [], region.rows.shape[1]
    for name, step in steps:
        one = _step_map(name, step, caller)
        if not one.affine:
            raise UnknownLayer(f"the step {name!r} before it")
        offset, _ = one.apply(np.zeros((1, width)))
        weights = one.apply(np.eye(width))[0] - offset
        layers.append(Dense((len(layers),), weights, offset[0]))
        width = weights.shape[1]
    return layers


def _step_map(name, step, caller):
    """Return the map of a step, or name the step that has none."""
    try:
        (one,) = step_maps([(name, step)], caller)
    except ValueError as error:
        raise UnknownLayer(f"the step {name!r} before it") from error
    return one


def _skorch(estimator, steps, region, shape, caller):
    """Return the proof for a skorch net."""
    try:
        view = differentiable_view(estimator, caller)
    except ValueError:
        for name, step in steps:
            _step_map(name, step, caller)
        raise
    module, kind, is_binary, threshold = view.answer
    torch = sys.modules["torch"]

    first = next(module.parameters(), None)
    # Where the net lies, if double precision is known there.
    there = first is not None and first.device.type == "cuda"
    device = first.device if there else torch.device("cpu")

    def lift(values):
        values = np.array(values, dtype=np.float64)
        return torch.from_numpy(values).to(device)

    example = lift(region.rows[np.arange(2) % len(region)])
    layers = [None]
    if shape is not None and len(shape) > 1:
        layers.append(Reshape((0,), tuple(shape)))
        example = example.reshape((2, *shape))
    for name, step in steps:
        function, size_of, fan_in = _torch_step(name, step, lift, caller)
        layers.append(TorchAffine((len(layers) - 1,), function, size_of, fan_in))
        example = function(example)
    found, ending = read_module(module, example, len(layers) - 1)
    layers += found
    if kind == "probabilities" and ending != "softmax":
        raise UnknownLayer("NLLLoss without a final Softmax")
    if kind == "binary probabilities":
        while len(layers) > 1 and isinstance(layers[-1], Reshape):
            layers.pop()
        last = layers.pop()
        if not (isinstance(last, Activation) and last.kind == "sigmoid"):
            raise UnknownLayer("BCELoss without a final Sigmoid")
    if kind == "logits" and ending == "softmax":
        raise UnknownLayer("a final Softmax before CrossEntropyLoss")
    with torch.no_grad():
        width = _width_of(layers, region, lift)
    if is_binary:
        layers.append(Reshape((len(layers) - 1,), (1,)))
        width = 1
    single = first is None or first.dtype == torch.float32
    unit = np.finfo(np.float32 if single else np.float64).eps / 2
    moved = 0.0
    if is_binary and threshold != 0.5:
        moved = float(np.log(threshold) - np.log1p(-threshold))
    k = 2 if is_binary else width
    proof = NetProof(region, layers, k, lift, unit, moved)
    with view, view.full_precision(), torch.no_grad():
        rows = region.rows[:4]
        raw = rows if shape is None else rows.reshape((len(rows), *shape))
        logits = view.host(view.logits(view.tensor(raw))).astype(np.float64)
    ours = proof.scores(rows)
    ours = np.column_stack([0 * ours, ours]) if is_binary else ours
    centre = [z - z.mean(axis=1, keepdims=True) for z in (ours, logits)]
    if not np.allclose(*centre, rtol=1e-3, atol=1e-3):
        raise UnknownLayer("layers that were read otherwise than they compute")
    return proof


def _width_of(layers, region, lift):
    """Return the number of outputs of the last layer."""
    bounds = NetBounds(layers, region.take(slice(0, 1)), lift, refine=False)
    return int(np.prod(bounds.bounds[-1][0].shape[1:]))


def _torch_step(name, step, lift, caller):
    """Return a step as an affine function of tensors, with absolute weights."""
    parts = scaler_parts(step)
    if parts is not None:
        scale, shift = map(lift, parts)
        return (lambda x: x * scale + shift), (lambda x: x * scale.abs()), 2
    if getattr(step, "is_affine", False):  # ToNetInput, and rows of a wrapped net
        function = step.differentiable_transform
        zero = None

        def size_of(x):
            nonlocal zero
            zero = function(x * 0)
            return (function(x) - zero).abs()

        return function, size_of, 2
    (one,) = step_maps([(name, step)], caller)
    width = getattr(step, "n_features_in_", None)
    if not one.affine or width is None:
        raise UnknownLayer(f"the step {name!r} before it")
    offset = one.apply(np.zeros((1, width)))[0]
    weights = lift(one.apply(np.eye(width))[0] - offset)
    offset = lift(offset)
    return (lambda x: x @ weights + offset), (lambda x: x @ weights.abs()), width
