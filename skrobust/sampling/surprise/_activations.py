"""Activations of a layer of a fitted model."""

import contextlib

import numpy as np
from scipy.special import expit
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from skrobust._array_checks import number_array
from skrobust._containers import refuse_unordered, shape_of
from skrobust._differentiable.net import MODE_LOCK
from skrobust._optional import require
from skrobust._parallel import StepBar, count, counting
from skrobust._responses import check_net_input, is_net, respond, undisturbed, unwrap
from skrobust._validation import check_choice, check_count, invalid

POOLS = ("flatten", "mean")
_BATCH = 4096  # rows of an MLP at a time
_MLP_FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0),
}


def extract_activations(
    estimator, X, *, layer=None, pool="flatten", batch_size=None, verbose=0
):
    """Return the activations of one layer, one row for each input.

    The model is used as it is. A net runs in evaluation mode and without gradients;
    its modes and the random state of torch are as before afterwards.

    Parameters
    ----------
    estimator : fitted skorch net, MLPClassifier or MLPRegressor
        Bare, or last in a Pipeline, in a fitted search or in FrozenEstimator. The steps
        before it are applied.
    X : array-like, data frame or tensor of shape (n_samples, ...)
        Inputs of the whole estimator.
    layer : str, int or None, default=None
        For a net the path of a module, as ``named_modules()`` gives it, whose output is
        taken. For an MLP the number of the hidden layer, from 0, or from the end if
        negative. None is the penultimate layer: the input of the ``Linear`` that a net
        calls last, or the last hidden layer of an MLP.
    pool : {"flatten", "mean"}, default="flatten"
        Maps of shape (n_samples, channels, ...) become flat rows, or the mean of each
        channel.
    batch_size : int or None, default=None
        Rows in one pass; None is the net's own. It does not change the result beyond
        rounding.
    verbose : int, default=0
        From 1 on, a progress bar over the rows, with the time left.

    Returns
    -------
    activations : ndarray of shape (n_samples, n_units)
        In the float type of the model (half precision becomes float32).

    Raises
    ------
    ValueError
        For a model without layers, an unknown layer (the sentence lists the known
        ones), or a layer that is called several times or gives no tensor.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neural_network import MLPClassifier
    >>> from skrobust.sampling import extract_activations
    >>> X, y = load_iris(return_X_y=True)
    >>> mlp = MLPClassifier((8, 4), max_iter=2000, random_state=0).fit(X, y)
    >>> extract_activations(mlp, X).shape
    (150, 4)
    >>> extract_activations(mlp, X, layer=0).shape
    (150, 8)
    """
    caller = "extract_activations"
    check_choice(pool, "pool", caller, POOLS)
    if batch_size is not None:
        batch_size = check_count(batch_size, "batch_size", caller)
    steps, model = unwrap(estimator)
    if is_net(model):
        activations = _net_activations
    elif isinstance(model, (MLPClassifier, MLPRegressor)):
        activations = _mlp_activations
    else:
        raise ValueError(
            f"{caller} finds no layers in {type(model).__name__}; it understands "
            "skorch nets, MLPClassifier and MLPRegressor. Pass activations of your own "
            "instead: fit(activations, y_pred)."
        )
    check_is_fitted(model)
    check_net_input(estimator, X)
    for _, step in steps:
        X = respond(step, "transform", X)
    refuse_unordered(X, "X", caller)
    shape = shape_of(X, "X", caller)
    if not shape:
        raise invalid("X", caller, "an array, a list or a frame of rows", X)
    with StepBar(shape[0], caller, verbose) as bar, counting(bar):
        return as_rows(activations(model, X, layer, batch_size, caller), pool)


def as_rows(activations, pool):
    """Flatten maps of shape (n, channels, ...) to rows, or average each channel."""
    if activations.ndim > 2 and pool == "mean":
        axes = tuple(range(2, activations.ndim))
        return activations.mean(axis=axes, dtype=np.float64).astype(activations.dtype)
    return activations.reshape(len(activations), -1)


def _mlp_activations(mlp, X, layer, batch_size, caller):
    n_hidden = len(mlp.coefs_) - 1
    layer = -1 if layer is None else layer
    whole = isinstance(layer, (int, np.integer)) and not isinstance(layer, bool)
    if not whole or not -n_hidden <= layer < n_hidden:
        rule = f"a hidden layer of {type(mlp).__name__}, 0 to {n_hidden - 1}"
        raise invalid("layer", caller, f"{rule}, or None", layer)
    last = layer % n_hidden
    X = check_array(
        number_array(X, "X", caller), dtype=mlp.coefs_[0].dtype, input_name="X"
    )
    if X.shape[1] != mlp.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(mlp).__name__} is expecting "
            f"{mlp.n_features_in_} features as input."
        )
    act = _MLP_FUNCTIONS[mlp.activation]
    out = np.empty((len(X), mlp.coefs_[last].shape[1]), dtype=X.dtype)
    step = batch_size or _BATCH
    for start in range(0, len(X), step):
        z = X[start : start + step]
        for i in range(last + 1):
            z = act(z @ mlp.coefs_[i] + mlp.intercepts_[i])
        out[start : start + step] = z
        count(len(z))
    return out


def _net_activations(net, X, layer, batch_size, caller):
    torch = require("torch", caller, extra="torch")
    from skorch.dataset import unpack_data

    dataset = net.get_dataset(X)
    settings = {"batch_size": net.batch_size, **net.get_params_for("iterator_valid")}
    if batch_size is not None:
        settings["batch_size"] = int(batch_size)
    if settings["batch_size"] == -1:
        settings["batch_size"] = len(dataset)
    module = getattr(net.module_, "_orig_mod", net.module_)
    pieces = []
    with _evaluating(torch, net), _recorded(torch, module, layer, caller) as recorded:
        for batch in net.iterator_valid(dataset, **settings):
            rows = unpack_data(batch)[0]
            recorded.clear()
            with torch.no_grad():
                output = net.infer(rows)
            n_rows = len(output[0] if isinstance(output, tuple) else output)
            pieces.append(_host(torch, _only(recorded, layer, caller), n_rows, caller))
            count(n_rows)
    if not pieces:
        raise ValueError(f"{caller} needs at least one sample; got none.")
    return np.concatenate(pieces)


@contextlib.contextmanager
def _evaluating(torch, net):
    """Evaluate inside; restore modes and random states afterwards."""
    first = next(net.module_.parameters(), None)
    on_cuda = first is not None and first.device.type == "cuda"
    devices = [first.device] if on_cuda else []
    # A data loader draws a seed from torch's own generator.
    with MODE_LOCK, undisturbed(net), torch.random.fork_rng(devices=devices):
        for m in net.module_.modules():
            m.training = False
        yield


@contextlib.contextmanager
def _recorded(torch, module, layer, caller):
    """Record the output of the layer, or the inputs of every Linear."""
    recorded = []

    def record(_, *passed):
        value = passed[-1]  # inputs, or inputs and output
        value = value[0] if isinstance(value, tuple) and value else value
        # A copy: a later layer that works in place would change it.
        is_tensor = isinstance(value, torch.Tensor)
        recorded.append(value.detach().clone() if is_tensor else value)

    known = {name: m for name, m in module.named_modules() if name}
    if layer is None:
        linear = [m for m in module.modules() if isinstance(m, torch.nn.Linear)]
        hooks = [m.register_forward_pre_hook(record) for m in linear]
        if not linear:
            raise ValueError(
                f"{caller} finds no Linear in the net, so that no layer is the "
                f"penultimate one; name one with layer: {', '.join(known)}."
            )
    else:
        if not isinstance(layer, str) or layer not in known:
            rule = f"a layer of the net ({', '.join(known)}), or None"
            raise invalid("layer", caller, rule, layer)
        hooks = [known[layer].register_forward_hook(record)]
    try:
        yield recorded
    finally:
        for hook in hooks:
            hook.remove()


def _only(recorded, layer, caller):
    if layer is None and recorded:
        return recorded[-1]
    if len(recorded) != 1:
        raise ValueError(
            f"{caller} needs a layer that runs once in a pass; {layer or 'Linear'!r} "
            f"runs {len(recorded)} times. Name another layer."
        )
    return recorded[0]


def _host(torch, value, n_rows, caller):
    if not isinstance(value, torch.Tensor) or value.ndim == 0 or len(value) != n_rows:
        what = tuple(value.shape) if hasattr(value, "shape") else type(value).__name__
        raise ValueError(
            f"{caller} needs a layer that gives a tensor with one row for each input; "
            f"this one gives {what} for {n_rows} inputs."
        )
    if value.dtype not in (torch.float32, torch.float64):
        value = value.float()
    return value.cpu().numpy()
