"""Trained models of any library as fitted estimators."""

import numpy as np
from sklearn.base import is_classifier

from skrobust._containers import is_frame, shape_of, to_array
from skrobust._validation import check_choice, check_count, invalid
from skrobust.wrappers._http_endpoint import HTTPEndpoint
from skrobust.wrappers._wrapped_classifier import WrappedClassifier
from skrobust.wrappers._wrapped_regressor import WrappedRegressor, as_values
from skrobust.wrappers.model_sources import source_of
from skrobust.wrappers.response_kinds import (
    RESPONSES,
    as_probabilities,
    detect_response,
)
from skrobust.wrappers.rows_for_model import RowsForModel, check_input
from skrobust.wrappers.wrapped_model import CALLER, ask

_N_ASKED = 10  # rows of the sample that the model is asked
_CHANNELS = (1, 3, 4)


def wrap(
    model,
    *,
    classes=None,
    response=None,
    sample=None,
    input_shape=None,
    layout=None,
    dtype=None,
    data_range=None,
    batch_size=None,
    device=None,
    output=None,
    **endpoint,
):
    """Return a trained model of any library as a fitted classifier or regressor.

    The result works in all attacks, scorers, evaluations, samplers and the report. The
    model is never trained and never changed. It is asked once here, with ``sample`` or
    with rows of its own declared shape, and what it can do is shown in the ``repr`` and
    kept in ``capabilities_``. Attacks follow the gradients of torch modules and of
    estimators that they understand; all other models are queried.

    Parameters
    ----------
    model : object
        One of

        * a trained ``torch.nn.Module`` that ends in logits, a softmax or a sigmoid, or
          in one number for a regressor;
        * a function of a batch of rows, or an object with ``predict`` or
          ``predict_proba``, that answers with labels, probabilities or values;
        * an ``onnxruntime.InferenceSession``, or the path of an ``.onnx`` file;
        * an interpreter of ai-edge-litert or tflite-runtime, or the path of a
          ``.tflite`` file;
        * a text classification pipeline of transformers, or a function that answers as
          one does, with dictionaries of ``label`` and ``score``;
        * the address of an HTTP endpoint, or an
          :class:`~skrobust.wrappers.HTTPEndpoint`;
        * a fitted estimator, for which the parameters of the input are of use.

    classes : list or dict, default=None
        Labels in the order of the model's outputs; of one number, first the label of a
        small, then that of a large one. A dictionary maps the names that the model uses
        to labels. None takes the model's own names, or 0, 1, ... for its columns.
    response : {"labels", "probabilities", "logits", "values"}, default=None
        What the model answers; ``"values"`` makes a regressor. None asks the model, and
        where several kinds are possible one sentence says so.
    sample : array-like, data frame or list of str, default=None
        Rows of the kind that the model will get, such as ``X``; ten of them, from all
        over the sample, are asked.
    input_shape : tuple of int or "flat", default=None
        Shape of one row at the model: rows of another shape and as many values are
        reshaped. ``"flat"`` makes one axis of all others, so that images meet a model
        of flat rows.
    layout : str, default=None
        Order of the axes of images at the model, ``"NCHW"`` or ``"NHWC"``; rows with
        the other order are turned. It is seen from the length of the axes, or said:
        ``"NHWC->NCHW"`` or ``"NCHW->NHWC"``.
    dtype : dtype, default=None
        Of the model's input. None is what the model declares, and for functions the
        rows as they are. To integers rows are rounded.
    data_range : (low, high), default=None
        Values in this range become values in [0, 1] before the model. Attacks count in
        the units of the rows.
    batch_size : int, default=None
        Most rows at once. None is 256 for torch modules, 32 for endpoints and
        pipelines, the number that an ONNX or tflite model fixes, and all rows else.
    device : str, default=None
        Device of a torch module; None is where it is. Elsewhere its weights are copied.
    output : int or str, default=None
        The output that counts, of ONNX and tflite models with several.
    **endpoint : dict
        Parameters of :class:`~skrobust.wrappers.HTTPEndpoint`, where the model is an
        address: ``timeout``, ``retries``, ``rate_limit``, ``budget``, ``cache`` and
        others.

    Returns
    -------
    estimator : WrappedClassifier or WrappedRegressor
        A clone shares the model; ``fit`` raises. Put it into
        ``sklearn.frozen.FrozenEstimator`` where something fits, as ``cross_val_score``
        does. It pickles where the model does, and always as the path of a file.

    Raises
    ------
    ValueError
        Where a parameter breaks its rule, or what the model answers is not clear.
    ImportError
        Where a file needs a library that is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import skrobust
    >>> from skrobust.attacks import Square
    >>> from skrobust.evaluation import evaluate_attack
    >>> def predict(rows):
    ...     p = 1 / (1 + np.exp(-8 * (rows[:, 0] - 0.5)))
    ...     return np.column_stack([1 - p, p])
    >>> X = np.random.default_rng(0).uniform(size=(50, 2))
    >>> y = np.where(X[:, 0] > 0.5, "yes", "no")
    >>> model = skrobust.wrap(predict, classes=["no", "yes"], sample=X)
    >>> model.capabilities_.answers
    'probabilities'
    >>> attack = Square(0.1, data_range=(0, 1), max_queries=50, random_state=0)
    >>> bool(evaluate_attack(model, X, y, attack).robust_accuracy < 1)
    True
    """
    check_choice(response, "response", CALLER, (None, *RESPONSES))
    check_input(input_shape, layout, dtype, data_range, CALLER)
    classes = _checked_classes(classes)
    if response == "values" and classes is not None:
        rule = "None with response='values', which has no classes"
        raise invalid("classes", CALLER, rule, classes)
    if batch_size is not None:
        check_count(batch_size, "batch_size", CALLER)
    if isinstance(model, str) and "://" in model:
        model = HTTPEndpoint(model, **endpoint)
    elif endpoint:
        raise TypeError(
            f"{CALLER} got {sorted(endpoint)[0]!r}, which is a parameter of HTTP "
            "endpoints alone."
        )
    source = source_of(model, CALLER, output=output, device=device, response=response)
    settings = {
        **_input_of(source, input_shape, layout, dtype, sample),
        "data_range": data_range,
        "batch_size": batch_size,
        "device": device,
        "output": output,
    }
    names = _names_in_order(classes, source.names)
    answers, rows, told = None, None, response
    response = response or source.response
    if sample is not None or response is None or hasattr(source, "net"):
        rows = _rows_to_ask(source, sample, settings)
        # A model that says all there is to say need not be asked.
        if rows is not None and source.estimator is None:
            size = source.fixed_batch or batch_size or source.batch_size
            known = names if names or classes is None else list(classes)
            answers, names = ask(source, rows, known, size)
    if response is None:
        response = _detected(source, answers, rows, classes, names)
    if response == "values":
        if answers is not None:
            as_values(answers)
        made = WrappedRegressor(model, response=response, **settings)
    else:
        if classes is None and names is None and answers is not None:
            _check_positions(source, answers, rows)
        classes = _classes_of(classes, names, response, answers, source)
        made = WrappedClassifier(model, classes=classes, response=response, **settings)
    made.n_outputs = _n_outputs(source, answers, made)
    _check_answers(made, answers, told)
    if hasattr(source, "has_gradients") and rows is not None:
        known = source.has_gradients(rows)
        made._inner("gradients", lambda: known)
    return made


def _checked_classes(classes):
    if classes is None:
        return None
    is_map = isinstance(classes, dict)
    labels = list(classes.values() if is_map else np.ravel(to_array(classes)).tolist())
    few = len(labels) < 2 or len(set(labels)) < len(labels)
    if few or isinstance(classes, (str, bytes)):
        rule = "None, or a list or dictionary of at least two different labels"
        raise invalid("classes", CALLER, rule, classes)
    return classes if is_map else labels


def _input_of(source, input_shape, layout, dtype, sample):
    """Return the settings of the input, of the user or else of the model."""
    declared = None if hasattr(source, "net") else source.input_shape
    if input_shape is None and declared is not None:
        input_shape = declared
    shape = () if sample is None or is_frame(sample) else shape_of(sample)[1:]
    width = getattr(source.estimator, "n_features_in_", None)
    if input_shape is None and len(shape) > 1 and width == np.prod(shape):
        # A pipeline of flat rows meets images.
        input_shape = "flat"
    if layout is None and declared is not None and len(declared) == 3:
        first, last = declared[0] in _CHANNELS, declared[-1] in _CHANNELS
        if first != last:
            layout = "NCHW" if first else "NHWC"
    dtype = source.dtype if dtype is None else np.dtype(dtype).name
    if input_shape is not None and input_shape != "flat":
        input_shape = tuple(int(n) for n in input_shape)
    return {"input_shape": input_shape, "layout": layout, "dtype": dtype}


def _rows_to_ask(source, sample, settings):
    """Return rows as the model takes them, or None where their shape is not known."""
    step = RowsForModel(
        *(settings[k] for k in ("input_shape", "layout", "dtype", "data_range"))
    )
    if sample is not None:
        return step.transform(_some_rows(sample))
    shape = settings["input_shape"] or source.input_shape
    floats = settings["dtype"] in ("float16", "float32", "float64")
    if isinstance(shape, str) or shape is None or not floats:
        return None
    draws = np.random.default_rng(0).normal(size=(_N_ASKED, *shape))
    return draws.astype(settings["dtype"])


def _some_rows(sample):
    """Return a few rows from all over the sample, which may be sorted by class."""
    if is_frame(sample) or hasattr(sample, "shape"):
        n = shape_of(sample)[0]
    else:
        texts = all(isinstance(row, str) for row in sample)
        sample = list(sample) if texts else np.asarray(sample)
        n = len(sample)
    places = np.unique(np.linspace(0, n - 1, min(n, _N_ASKED)).astype(int))
    if hasattr(sample, "iloc"):
        return sample.iloc[places]
    return [sample[i] for i in places] if isinstance(sample, list) else sample[places]


def _names_in_order(classes, names):
    """Return the names that the model uses, in the order of its outputs."""
    if not isinstance(classes, dict):
        return names
    if names is None:
        return list(classes)
    missing = [name for name in names if name not in classes]
    if missing:
        rule = f"a dictionary with all names of the model, {names[:5]}"
        raise invalid("classes", CALLER, rule, classes)
    return names


def _detected(source, answers, rows, classes, names):
    if answers is None:
        raise ValueError(
            f"{CALLER} does not know what the {source.kind} answers. Pass a few rows "
            "to ask it, sample=X, or say it: response='labels', 'probabilities', "
            "'logits' or 'values'."
        )
    given = classes if classes is not None else names
    k = None if given is None else len(given)
    found = detect_response(answers, k, source.is_net, CALLER)
    unsure = found == "probabilities" and answers.ndim == 1
    # Logits may lie in [0, 1] by chance; those far from the sample do not.
    ask_afar = getattr(source, "stays_in_unit_interval", None)
    if unsure and ask_afar is not None and not ask_afar(rows):
        return "logits"
    return found


def _classes_of(classes, names, response, answers, source):
    """Return the classes of the wrapped model, in the order of its outputs."""
    if isinstance(classes, dict):
        return {name: classes[name] for name in names}
    if names is not None and classes is not None and list(names) != list(classes):
        if len(names) != len(classes):
            rule = f"as many labels as the model has classes, {len(names)}"
            raise invalid("classes", CALLER, rule, classes)
        return dict(zip(names, classes, strict=True))
    if classes is None:
        classes = names
    if classes is not None:
        return list(classes)
    if response == "labels":
        raise ValueError(
            f"{CALLER} needs the labels that the {source.kind} may answer with. Pass "
            "classes=[...]."
        )
    if answers is not None:
        return list(range(2 if answers.ndim == 1 else answers.shape[1]))
    raise ValueError(
        f"{CALLER} does not know the classes of the {source.kind}. Pass classes=[...], "
        "or a few rows to ask it, sample=X."
    )


def _check_positions(source, answers, rows):
    """Raise where the labels of a converted classifier are not 0, 1, ... ."""
    own = source.own_labels(rows) if hasattr(source, "own_labels") else None
    if own is None or answers.ndim != 2:
        return
    if not np.array_equal(own, answers.argmax(axis=1)):
        raise ValueError(
            f"{CALLER} needs the labels of this {source.kind}, which are not 0, 1, ... "
            f"(it answers {own[0].item() if hasattr(own[0], 'item') else own[0]!r}). "
            "Pass classes=[...], in the order of the columns."
        )


def _n_outputs(source, answers, made):
    if not hasattr(source, "net"):
        return None
    if answers is not None:
        return 1 if answers.ndim == 1 else answers.shape[1]
    if not is_classifier(made):
        return 1
    from skrobust.nets.frozen_layers import n_outputs

    return 1 if n_outputs(source.model) == 1 else len(made.classes)


def _check_answers(made, answers, told):
    """Raise where the answers are not of the kind that the user says."""
    if answers is None or made.response == "values":
        return
    if made.response == "labels":
        made._own_labels(answers)
        return
    as_probabilities(answers, made.response, len(made.classes), CALLER)
    if told == "logits" and made._source().is_net and answers.ndim == 2:
        sums = answers.sum(axis=1)
        if (answers >= 0).all() and np.allclose(sums, 1, atol=1e-3):
            rule = "'probabilities' for a model that ends in a softmax"
            raise invalid("response", CALLER, rule, told)
