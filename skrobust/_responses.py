"""Predictions of any estimator, with a clear message where there are none.

Scikit-learn's scorers share a cache of predictions that ignores which rows were
asked for; these functions never use it.
"""

import contextlib
import functools
import sys
import warnings

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from skrobust._array_checks import check_probabilities
from skrobust._containers import is_frame, n_rows, refuse_mask
from skrobust._guarded_rows import ask_guarded
from skrobust._loader_workers import loading_here
from skrobust._stacklevel import level_outside

_NOT_NUMBERS = "SUMm"  # kinds of arrays that hold no numbers


def unwrap(estimator):
    """Split an estimator into its preprocessing steps and its final model.

    Looks through Pipeline, a fitted search (``best_estimator_``), FrozenEstimator and
    wrapped models with an estimator inside.

    Parameters
    ----------
    estimator : estimator
        Fitted or not.

    Returns
    -------
    steps : list of (str, transformer)
        In the order of application; passthrough steps are left out.
    model : estimator
        The last one.
    """
    steps = []
    while True:
        if isinstance(estimator, Pipeline):
            for name, step in estimator.steps[:-1]:
                steps.extend(_parts(name, step))
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif type(estimator).__name__ == "FrozenEstimator":
            estimator = estimator.estimator
        elif hasattr(estimator, "wrapped_estimator_"):  # of skrobust.wrap
            estimator = estimator.wrapped_estimator_
        else:
            return steps, estimator


def model_name(estimator):
    """Return the class of the model in an estimator, which names it in pictures."""
    return type(unwrap(estimator)[1]).__name__


def _parts(name, step):
    """Return the steps that a step applies at predict: its own, itself, or none."""
    if isinstance(step, Pipeline):
        parts = [_parts(f"{name}.{inner}", s) for inner, s in step.steps]
        return [part for inner in parts for part in inner]
    # Samplers of imbalanced-learn act at fit alone.
    idle = step is None or isinstance(step, str) or hasattr(step, "fit_resample")
    return [] if idle else [(name, step)]


def innermost(estimator):
    """Split as :func:`unwrap` does, seeing one label of a model as the model."""
    steps, model = unwrap(estimator)
    while type(model).__name__ == "OneLabel":
        more, model = unwrap(model.estimator)
        steps = [*steps, *more]
    return steps, model


@functools.lru_cache(maxsize=256)
def torch_kind(cls):
    """Return "net" for a class of skorch nets, "module" for one of torch, else None.

    Neither library is imported.
    """
    for c in cls.__mro__:
        if c.__name__ == "NeuralNet" and c.__module__.startswith("skorch."):
            return "net"
        if c.__module__ == "torch.nn.modules.module":
            return "module"
    return None


def is_net(estimator):
    """Say whether an estimator is a skorch net."""
    return torch_kind(type(estimator)) == "net"


@contextlib.contextmanager
def undisturbed(estimator):
    """Context that keeps the training modes of a net and the generator of torch.

    skorch leaves a net in evaluation mode after a prediction, and its loader draws a
    seed from torch.
    """
    _, model = innermost(estimator)
    if not is_net(model) or not hasattr(model, "module_"):
        yield
        return
    torch = sys.modules["torch"]
    modes = [(module, module.training) for module in model.module_.modules()]
    generator = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(generator)
        for module, mode in modes:
            module.training = mode


def refuse_unwrapped(estimator, caller):
    """Raise where a module, a function, a session or an address stands in."""
    name, what = type(estimator).__name__, None
    if torch_kind(type(estimator)) == "module":
        what = "a torch module"
    elif hasattr(estimator, "predict") or isinstance(estimator, type):
        return
    elif isinstance(estimator, str):
        name, what = repr(estimator)[:80], "a string"
    elif hasattr(estimator, "get_inputs") or hasattr(estimator, "get_input_details"):
        what = "a session of another library"
    elif callable(estimator):
        name = getattr(estimator, "__name__", name)
        what = "a function"
    if what is not None:
        raise ValueError(
            f"{caller} takes estimators of scikit-learn, and {name} is {what}. Wrap "
            "it: skrobust.wrap(model, classes=[...]), or response='values' for a "
            "regressor."
        )


def _float_of(net):
    """Return the name of the floating dtype of a net."""
    first = next(net.module_.parameters(), None) if hasattr(net, "module_") else None
    name = "float32" if first is None else str(first.dtype).removeprefix("torch.")
    return name if "float" in name else "float32"


def refuse_regressor(estimator, caller, cure):
    """Raise where a metric of classes meets a regressor, whose score would be 0."""
    refuse_unwrapped(estimator, caller)
    if predicts_numbers(estimator):
        name = type(unwrap(estimator)[1]).__name__
        raise ValueError(
            f"{caller} compares classes, and {name} is a regressor. {cure}"
        )


def check_net_input(estimator, X):
    """Raise where a bare net gets a container or a dtype that torch refuses."""
    steps, model = innermost(estimator)
    if steps or not is_net(model):
        return
    what, wanted = None, _float_of(model)
    given = str(getattr(X, "dtype", "")).removeprefix("torch.")
    if is_frame(X):
        what = "a data frame"
    elif getattr(getattr(X, "dtype", None), "kind", "f") in "OSUVcmM":
        what = f"an array of {X.dtype}"
    elif isinstance(X, (str, bytes, bytearray)) or not hasattr(X, "__len__"):
        what = f"a {type(X).__name__}"
    elif "float" in given and given != wanted:
        what = f"a {given} array"
    if what:
        raise ValueError(
            f"{type(model).__name__} takes {wanted} arrays, not {what}. Put "
            "skrobust.nets.ToNetInput() before it: "
            "make_pipeline(ToNetInput(), net)."
        )


def respond(estimator, method, X):
    """Return what a method of a model answers, which cannot change X.

    Parameters
    ----------
    estimator : fitted estimator
        The model.
    method : str
        Such as "predict".
    X : container of shape (n_samples, ...)
        Rows.

    Returns
    -------
    object
        Its answers, as they are.
    """
    if not hasattr(estimator, method):
        name = type(unwrap(estimator)[1]).__name__
        raise ValueError(f"{name} has no {method}. Use a model that has it.")
    refuse_mask(X, "X")
    # The loader of a net, and the batches on a device, copy rows first.
    shares = is_net(estimator) or getattr(type(estimator), "_copies_rows", False)
    with loading_here(unwrap(estimator)[1]):
        return ask_guarded(getattr(estimator, method), X, estimator, shares=shares)


def score_guarded(scorer, estimator, X, y):
    """Return the number of a scorer, whose model cannot change X."""
    with loading_here(unwrap(estimator)[1]):
        value = ask_guarded(lambda rows: scorer(estimator, rows, y), X, estimator)
    return float(value)


def one_a_row(estimator, method, X):
    """Return the answers of a model, one a row, as an array, or say what they are."""
    answers = respond(estimator, method, X)
    is_bare = isinstance(answers, np.ndarray)
    if answers is None:
        raise _not_one_a_row(estimator, method, "it returned None")
    if isinstance(answers, list) and any(np.ndim(one) == 2 for one in answers):
        return np.asarray(answers)  # of several targets, which the caller names
    try:
        answers = answers if is_bare else np.asarray(answers)
    except (TypeError, ValueError):  # lists of lists that differ in length
        answers = np.empty((), dtype=object)
    wants_numbers = method != "predict"
    n = n_rows(X) if hasattr(X, "shape") or hasattr(X, "__len__") else None  # a loader
    if answers.ndim == 0:
        kind = type(answers[()]).__name__
        raise _not_one_a_row(estimator, method, f"it returned a single {kind}")
    if n is not None and len(answers) != n:
        found = f"for {n} rows it returned {len(answers)}"
        raise _not_one_a_row(estimator, method, found)
    if answers.dtype.kind in "cV" or (
        wants_numbers and answers.dtype.kind in _NOT_NUMBERS
    ):
        wanted = "numbers" if wants_numbers else "labels or numbers"
        found = f"as {wanted}; it returned {answers.dtype}"
        raise _not_one_a_row(estimator, method, found)
    return answers


def _not_one_a_row(estimator, method, found):
    """Return the error about answers that are not one a row."""
    what = "label" if method == "predict" else "row of numbers"
    name = type(unwrap(estimator)[1]).__name__
    return ValueError(
        f"The {method} of {name} must return one {what} for each row; {found}."
    )


def _tell_unknown_labels(estimator, labels):
    """Warn of labels that are not among the classes of a model.

    A net of skorch may know classes that were in no training row.
    """
    if is_net(unwrap(estimator)[1]):
        return
    classes = getattr(estimator, "classes_", None)
    plain = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes)
    if not plain or not len(labels):
        return
    if labels.dtype.kind in "biuf" and classes.dtype.kind in "biuf":
        strange = labels[~np.isin(labels, classes)]
    else:
        known = set(classes.tolist())
        strange = [label for label in labels.tolist() if label not in known]
    if not len(strange) or predicts_numbers(estimator):
        return
    name, shown = type(unwrap(estimator)[1]).__name__, strange[:1]
    shown = (shown.tolist() if hasattr(shown, "tolist") else shown)[0]
    text = (
        f"The predict of {name} answers {len(strange)} of {len(labels)} rows with "
        f"labels that are not in its classes_, such as {shown!r}; its classes_ begin "
        f"with {classes[:3].tolist()}. They count as wrong."
    )
    warnings.warn(text, UserWarning, stacklevel=level_outside())


def predict_labels(estimator, X):
    """Return ``estimator.predict(X)`` as a 1-D array."""
    check_net_input(estimator, X)
    refuse_unwrapped(estimator, "This evaluation")
    if not hasattr(estimator, "predict"):
        name = type(unwrap(estimator)[1]).__name__
        raise ValueError(
            f"{name} has no predict, so that its answers to other rows than those of "
            "its fit are not defined. Use a model with predict."
        )
    labels = one_a_row(estimator, "predict", X)
    if labels.ndim > 1 and labels.shape[1:] != (1,):
        raise ValueError(
            several_answers(estimator, "Evaluation needs one label", labels.shape)
        )
    labels = labels.reshape(-1)
    _tell_unknown_labels(estimator, labels)
    return labels


def several_answers(estimator, need, shape):
    """Return the sentence about a model that answers several times for a row.

    ``need`` says who needs what, such as "PGD needs one label".
    """
    model = unwrap(estimator)[1]
    name, shape = type(model).__name__, tuple(int(n) for n in shape)
    what = "several labels or targets"
    cure = (
        "Attack skrobust.attacks.OneLabel(model, 0) with that column of y, or "
        "one = OneLabel(model, 'any') with one.codes(y)."
    )
    if len(shape) > 3 and is_net(model):
        what = "an image of labels (segmentation)"
        cure = (
            "End its module in the scores of one pixel or region, and attack that in "
            "make_net_classifier(module, fitted=True)."
        )
    return f"{need} a row, and {name} answers with {what}, {shape}. {cure}"


def predict_probabilities(estimator, X, caller, cure="use a metric on labels"):
    """Return ``estimator.predict_proba(X)``, or say that there is none."""
    check_net_input(estimator, X)
    refuse_unwrapped(estimator, caller)
    if not hasattr(estimator, "predict_proba"):
        name = type(unwrap(estimator)[1]).__name__
        calibrate = "wrap it in CalibratedClassifierCV, or "
        if predicts_numbers(estimator):  # which no calibration makes a classifier
            calibrate = ""
        advice = f"{calibrate}{cure}"
        raise ValueError(
            f"{caller} needs predict_proba; {name} has none. "
            f"{advice[0].upper()}{advice[1:]}."
        )
    p = one_a_row(estimator, "predict_proba", X)
    if p.ndim == 2 and p.shape[1] == 1:
        raise ValueError(
            f"{caller} needs the probabilities of at least two classes; "
            f"{type(unwrap(estimator)[1]).__name__} gives one column."
        )
    return check_probabilities(p, caller, name="predict_proba")


def predicts_numbers(estimator):
    """Say whether an estimator is a regressor, whatever library it is of."""
    try:
        return is_regressor(estimator)
    except (AttributeError, TypeError):  # not an estimator of scikit-learn
        return False


def predicts_classes(estimator):
    """Say whether an estimator is a classifier, whatever library it is of."""
    try:
        return is_classifier(estimator)
    except (AttributeError, TypeError):  # not an estimator of scikit-learn
        return hasattr(estimator, "predict_proba")
