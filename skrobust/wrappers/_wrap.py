"""Trained models of any library as fitted estimators."""

import numpy as np
from sklearn.base import is_classifier

from skrobust._validation import check_choice, check_count, invalid
from skrobust.wrappers._http_endpoint import HTTPEndpoint
from skrobust.wrappers._wrapped_classifier import WrappedClassifier
from skrobust.wrappers._wrapped_regressor import WrappedRegressor, as_values
from skrobust.wrappers.asked_rows import input_settings, rows_to_ask
from skrobust.wrappers.class_names import (
    check_positions,
    checked_classes,
    find_classes,
    names_in_order,
)
from skrobust.wrappers.model_sources import source_of
from skrobust.wrappers.response_kinds import (
    RESPONSES,
    as_probabilities,
    detect_response,
)
from skrobust.wrappers.rows_for_model import check_input, checked_range
from skrobust.wrappers.wrapped_model import CALLER, ask


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
    check_input(input_shape, layout, dtype, CALLER)
    data_range = checked_range(data_range, CALLER)
    classes = checked_classes(classes)
    if response == "values" and classes is not None:
        rule = "None with response='values', which has no classes"
        raise invalid("classes", CALLER, rule, classes)
    if batch_size is not None:
        batch_size = check_count(batch_size, "batch_size", CALLER)
    if isinstance(model, str) and "://" in model:
        model = HTTPEndpoint(model, **endpoint)
    elif endpoint:
        raise TypeError(
            f"{CALLER} got {sorted(endpoint)[0]!r}, which is a parameter of HTTP "
            "endpoints alone."
        )
    source = source_of(model, CALLER, output=output, device=device, response=response)
    if source.estimator is not None:
        _check_estimator(source, classes, response)
    settings = {
        **input_settings(source, input_shape, layout, dtype, sample),
        "data_range": data_range,
        "batch_size": batch_size,
        "device": device,
        "output": output,
    }
    names = names_in_order(classes, source.names)
    answers, rows, told = None, None, response
    response = response or source.response
    if sample is not None or response is None or hasattr(source, "net"):
        rows = rows_to_ask(source, sample, settings)
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
            check_positions(source, answers, rows)
        classes = find_classes(classes, names, response, answers, source)
        made = WrappedClassifier(model, classes=classes, response=response, **settings)
    made.n_outputs = _n_outputs(source, answers, made)
    _check_answers(made, answers, told)
    if hasattr(source, "has_gradients") and rows is not None:
        known = source.has_gradients(rows)
        made._inner("gradients", lambda: known)
    return made


def _check_estimator(source, classes, response):
    """Raise where an estimator is to answer with other things than its own."""
    if response not in (None, source.response):
        rule = f"None or {source.response!r} for this fitted estimator"
        raise invalid("response", CALLER, rule, response)
    own = source.names
    if classes is not None and (isinstance(classes, dict) or classes != own):
        rule = "None for a fitted estimator, which has its own"
        raise invalid("classes", CALLER, rule, classes)


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
