"""Sources of answers: what stands inside a wrapped model, one class for each kind."""

import os

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils.validation import check_is_fitted

from skrobust._responses import is_net, torch_kind, unwrap
from skrobust._validation import invalid

TAKES = (
    "a torch module, a function of rows, an object with predict or predict_proba, an "
    "ONNX session or file, a tflite interpreter or file, a text pipeline, a URL or a "
    "fitted estimator"
)


class FunctionSource:
    """Function of rows, and the base class of sources.

    Parameters
    ----------
    model : callable
        Takes a batch and returns its answers.
    """

    kind = "function"
    is_net = False  # whether outputs may be logits
    names = None  # of the classes, in the order of the outputs
    input_shape = None  # of one row, where the model tells
    dtype = None
    batch_size = None  # rows at once; None is all
    fixed_batch = None  # rows at once that the model insists on
    response = None  # where it is known without asking
    estimator = None  # of scikit-learn or skorch, whose gradients attacks use

    def __init__(self, model):
        self.model = model

    def __call__(self, rows):
        """Return the answers to a batch, as the model gives them."""
        return self.model(rows)


class EndpointSource(FunctionSource):
    """Model behind HTTP."""

    kind = "HTTP endpoint"
    batch_size = 32


class ObjectSource(FunctionSource):
    """Object with ``predict`` or ``predict_proba`` that is no estimator."""

    kind = "object with predict"

    def __init__(self, model):
        super().__init__(model)
        self._method = "predict"
        if hasattr(model, "predict_proba"):
            self.kind, self._method = "object with predict_proba", "predict_proba"
            self.response = "probabilities"
        self.names = _names_of(model)

    def __call__(self, rows):
        """Return the answers to a batch, probabilities where it has them."""
        return getattr(self.model, self._method)(rows)


class LabelsOfObject(ObjectSource):
    """Object with ``predict_proba`` of which labels alone are asked."""

    kind = "object with predict"

    def __init__(self, model):
        super().__init__(model)
        self.kind, self._method, self.response = "object with predict", "predict", None


class EstimatorSource(FunctionSource):
    """Fitted estimator of scikit-learn, or of a library that follows it."""

    kind = "estimator"

    def __init__(self, model):
        super().__init__(model)
        check_is_fitted(model)
        self.estimator = model
        self.names = _names_of(model)
        self.response = "labels"
        if is_regressor(model):
            self.response = "values"
        elif hasattr(model, "predict_proba"):
            self.response = "probabilities"


def _names_of(model):
    names = getattr(model, "classes_", None)
    return None if names is None else np.asarray(names).tolist()


def source_of(model, caller, *, output=None, device=None, response=None):
    """Return the source of a model, or say what can be wrapped.

    Parameters
    ----------
    model : object
        As for ``wrap``.
    caller : str
        Name of the public function or class, for error messages.
    output : int, str or None
        The output that counts, of ONNX and tflite models with several.
    device : str or None
        Of a torch module.
    response : str or None
        What the model is asked for, where the user says it.

    Returns
    -------
    FunctionSource
        Of the kind of the model.
    """
    kinds = type(model).__mro__
    modules = {kind.__module__ for kind in kinds}
    if isinstance(model, (str, os.PathLike)):
        return _source_of_file(os.fspath(model), caller, output)
    if isinstance(model, type):
        rule = f"{TAKES}, not a class"
        raise invalid("model", caller, rule, model)
    if "skrobust.wrappers._http_endpoint" in modules:
        return EndpointSource(model)
    if torch_kind(type(model)) == "module":
        from skrobust.wrappers.torch_modules import ModuleSource

        return ModuleSource(model, device)
    if is_net(unwrap(model)[1]) or (
        isinstance(model, BaseEstimator) and hasattr(model, "predict")
    ):
        return EstimatorSource(model)
    if hasattr(model, "get_inputs") and hasattr(model, "get_outputs"):
        from skrobust.wrappers.onnx_models import ONNXSource

        return ONNXSource(model, output)
    if hasattr(model, "get_input_details") and hasattr(model, "invoke"):
        from skrobust.wrappers.tflite_models import TFLiteSource

        return TFLiteSource(model, output)
    if any(module.startswith("transformers.") for module in modules):
        from skrobust.wrappers.text_pipelines import PipelineSource

        return PipelineSource(model)
    if hasattr(model, "predict_proba") and response in (None, "probabilities"):
        return ObjectSource(model)
    if hasattr(model, "predict"):
        return LabelsOfObject(model)
    if callable(model):
        return FunctionSource(model)
    raise invalid("model", caller, TAKES, model)


def _source_of_file(path, caller, output):
    if not path.endswith((".onnx", ".tflite")):
        rule = "a URL with http:// or https://, or a file .onnx or .tflite"
        raise invalid("model", caller, rule, path)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{caller} found no file {path!r}.")
    if path.endswith(".onnx"):
        from skrobust.wrappers.onnx_models import ONNXSource, open_session

        return ONNXSource(open_session(path, caller), output)
    from skrobust.wrappers.tflite_models import TFLiteSource, open_interpreter

    return TFLiteSource(open_interpreter(path, caller), output)
