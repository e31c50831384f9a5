"""Proofs about nets: modules of torch in skorch, and MLPClassifier."""

import sys

import numpy as np

from skrobust._differentiable import differentiable_view, scaler_parts, sklearn_name
from skrobust._differentiable.step_maps import step_maps
from skrobust._responses import is_net, unwrap
from skrobust.certificates.net_bounds import NetBounds
from skrobust.certificates.net_layers import Activation, Dense, Reshape, TorchAffine
from skrobust.certificates.neuron_splits import split_neurons
from skrobust.certificates.proof import DifferenceProof, Proof
from skrobust.certificates.read_module import KNOWN, UnknownLayer, read_module
from skrobust.certificates.slope_search import best_least
from skrobust.nets import ToNetInput

_STEPS = 20  # of the search for slopes
_NUMBERS = 4_000_000  # in the layers of a batch of rows, times its bounds


class NetProof(DifferenceProof):
    """Proof about a net by linear bounds, backward through its layers.

    Parameters
    ----------
    region : Region
        Where rows may move.
    layers : list of Layer
        The place 0 is the raw input, with None; the last gives logits, of two classes
        one (the second less the first).
    n_classes : int
        Number of classes.
    lift : callable
        From arrays of numpy to what the layers take.
    unit : float
        Half the distance from 1 to the next number, in the precision of the net.
    threshold : float, default=0.0
        Of the logit of a net with one output, for labels.
    """

    def __init__(self, region, layers, n_classes, lift, unit, threshold=0.0):
        super().__init__(len(region), n_classes)
        self._region, self._layers, self._lift = region, layers, lift
        self._unit, self._threshold = unit, threshold
        self.name = "linear bounds of the layers (CROWN)"
        sizes = self._bounds(region.take(slice(0, 1)), refine=False).bounds
        self.n_outputs = sizes[-1][0].shape[1]
        widest = max(int(np.prod(b[0].shape[1:])) for b in sizes)
        self._batch = max(1, min(64, _NUMBERS // (widest * n_classes)))

    def _bounds(self, region, refine=True):
        return NetBounds(self._layers, region, self._lift, refine=refine)

    def scores(self, rows):
        """Return what the layers give for rows, to be compared with the model."""
        point = self._region.of(rows, 0.0, np.inf, None)
        low, high = self._bounds(point, refine=False).bounds[-1]
        return (_host(low) + _host(high)) / 2

    def _batches(self, chosen):
        for start in range(0, len(chosen), self._batch):
            yield chosen[start : start + self._batch]

    def wins(self, own, effort=3):
        """Return whether a class has the label at each point of each region.

        Intervals come first, then linear bounds with the slopes of the smaller area,
        then with chosen slopes, each for the rows that are left; small nets of ReLU are
        then split by the signs of their neurons, which decides every row in the end.
        ``effort`` is how many of the first three are tried; nets are split after all.
        """
        won = np.zeros(self.n_samples, dtype=bool)
        waiting = np.flatnonzero(own >= 0)
        for refine, n_steps in ((False, 0), (True, 0), (True, _STEPS))[:effort]:
            for rows in self._batches(waiting):
                low = self._falls(rows, own[rows], refine, n_steps)
                won[rows] = (low > 0).all(axis=1)
            waiting = waiting[~won[waiting]]
        if effort < 3:
            return won
        parts = self._layers, self._region, own, self._threshold, self._least_slack
        found = split_neurons(*parts, waiting, self.n_classes)
        if found is not None:
            decided, robust = found
            won[waiting] = robust
            self.is_exact_on_labels = bool(decided.all())
            self.name = "linear bounds of the layers, neurons split (branch and bound)"
        return won

    def _least_slack(self, rows):
        """Return the rounding errors of the logits of rows, by their region."""
        out = []
        for part in self._batches(rows):
            bounds = self._bounds(self._region.take(part), refine=False)
            out.append(_host(bounds.rounding(self._unit)))
        return np.concatenate(out)

    def _falls(self, rows, own, refine, n_steps):
        """Return lower bounds of the score of a class less each other; 1 for itself."""
        bounds = self._bounds(self._region.take(rows), refine)
        n, k = len(rows), self.n_classes
        error = _host(bounds.rounding(self._unit))
        if self.n_outputs == 1:
            sign = np.where(own == 1, 1.0, -1.0)
            a = sign[:, None, None]
            extra = -sign * self._threshold - error[:, 0]
            low = _host(best_least(bounds, self._lift(a), n_steps))[:, 0] + extra
            out = np.ones((n, k))
            out[np.arange(n), 1 - own] = low
            return out
        a = np.zeros((n, k, k))
        at = np.arange(n)
        a[at, :, own] = 1.0
        a[:, np.arange(k), np.arange(k)] -= 1.0
        low = _host(best_least(bounds, self._lift(a), n_steps))
        low = low - error - error[at, own][:, None]
        low[at, own] = 1.0
        return low

    def differences(self, own):
        """Return bounds of the score of a class less that of each other."""
        low = np.zeros((self.n_samples, self.n_classes))
        high, threshold = low.copy(), self._threshold
        self._threshold = 0.0  # which moves labels, not probabilities
        for rows in self._batches(np.arange(self.n_samples)):
            low[rows], high[rows] = self._both(rows, own[rows])
        self._threshold = threshold
        return low, high

    def _both(self, rows, own):
        bounds = self._bounds(self._region.take(rows))
        n, k = len(rows), self.n_classes
        error, at = _host(bounds.rounding(self._unit)), np.arange(n)
        low, high = np.zeros((n, k)), np.zeros((n, k))
        if self.n_outputs == 1:
            sign = np.where(own == 1, 1.0, -1.0)[:, None]
            ends = (
                _host(best_least(bounds, self._lift(w * sign[:, :, None]), _STEPS))
                for w in (1.0, -1.0)
            )
            least, most = next(ends)[:, 0], -next(ends)[:, 0]
            low[at, 1 - own], high[at, 1 - own] = (
                least - error[:, 0],
                most + error[:, 0],
            )
            return low, high
        a = np.zeros((n, k, k))
        a[at, :, own] = 1.0
        a[:, np.arange(k), np.arange(k)] -= 1.0
        slack = error + error[at, own][:, None]
        low = _host(best_least(bounds, self._lift(a), _STEPS)) - slack
        high = -_host(best_least(bounds, self._lift(-a), _STEPS)) + slack
        low[at, own] = high[at, own] = 0.0
        return low, high


def _host(x):
    return x if isinstance(x, np.ndarray) else x.detach().cpu().numpy()


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
        try:
            (one,) = step_maps([(name, step)], caller)
        except ValueError as error:
            raise UnknownLayer(f"the step {name!r} before it") from error
        if not one.affine:
            raise UnknownLayer(f"the step {name!r} before it")
        offset, pull = one.apply(np.zeros((1, width)))
        weights = one.apply(np.eye(width))[0] - offset
        layers.append(Dense((len(layers),), weights, offset[0]))
        width = weights.shape[1]
        del pull
    return layers


def _skorch(estimator, steps, region, shape, caller):
    """Return the proof for a skorch net."""
    view = differentiable_view(estimator, caller)
    module, kind, is_binary, threshold = view.answer
    torch = sys.modules["torch"]

    def lift(values):
        values = np.array(values, dtype=np.float64)
        return torch.from_numpy(values)

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
        width = view_width(layers, region, lift)
    if is_binary:
        layers.append(Reshape((len(layers) - 1,), (1,)))
        width = 1
    first = next(module.parameters(), None)
    single = first is None or first.dtype == torch.float32
    unit = np.finfo(np.float32 if single else np.float64).eps / 2
    moved = 0.0
    if is_binary and threshold != 0.5:
        moved = float(np.log(threshold) - np.log1p(-threshold))
    k = 2 if is_binary else width
    proof = NetProof(region, layers, k, lift, unit, moved)
    with view, torch.no_grad():
        rows = region.rows[:4]
        raw = rows if shape is None else rows.reshape((len(rows), *shape))
        logits = view.host(view.logits(view.tensor(raw))).astype(np.float64)
    ours = proof.scores(rows)
    ours = np.column_stack([0 * ours, ours]) if is_binary else ours
    centre = [z - z.mean(axis=1, keepdims=True) for z in (ours, logits)]
    if not np.allclose(*centre, rtol=1e-3, atol=1e-3):
        raise UnknownLayer("layers that were read otherwise than they compute")
    return proof


def view_width(layers, region, lift):
    """Return the number of outputs of the last layer."""
    bounds = NetBounds(layers, region.take(slice(0, 1)), lift, refine=False)
    return int(np.prod(bounds.bounds[-1][0].shape[1:]))


def _torch_step(name, step, lift, caller):
    """Return a step as an affine function of tensors, with absolute weights."""
    parts = scaler_parts(step)
    if parts is not None:
        scale, shift = map(lift, parts)
        return (lambda x: x * scale + shift), (lambda x: x * scale.abs()), 2
    if isinstance(step, ToNetInput):
        function = step.differentiable_transform
        zero = None

        def size_of(x):
            nonlocal zero
            zero = function(x * 0)
            return (function(x) - zero).abs()

        return function, size_of, 2
    try:
        (one,) = step_maps([(name, step)], caller)
    except ValueError as error:
        raise UnknownLayer(f"the step {name!r} before it") from error
    width = getattr(step, "n_features_in_", None)
    if not one.affine or width is None:
        raise UnknownLayer(f"the step {name!r} before it")
    offset = one.apply(np.zeros((1, width)))[0]
    weights = lift(one.apply(np.eye(width))[0] - offset)
    offset = lift(offset)
    return (lambda x: x @ weights + offset), (lambda x: x @ weights.abs()), width
