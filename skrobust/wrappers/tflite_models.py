"""TensorFlow Lite models in their interpreter."""

import threading

import numpy as np

from skrobust._optional import require
from skrobust._validation import invalid
from skrobust.wrappers.model_sources import FunctionSource


def open_interpreter(path, caller):
    """Return the interpreter of a file.

    Parameters
    ----------
    path : str
        A .tflite file.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ai_edge_litert.interpreter.Interpreter
        The interpreter.
    """
    runtime = require("ai_edge_litert.interpreter", caller, extra="tflite")
    return runtime.Interpreter(model_path=path)


class TFLiteSource(FunctionSource):
    """Interpreter of ai-edge-litert, tflite-runtime or TensorFlow.

    Quantised inputs and outputs are converted with the scale and the zero point of the
    model, so that rows and answers are real numbers.

    Parameters
    ----------
    model : interpreter
        With one input.
    output : int or None
        Place of the output that counts.
    """

    kind = "tflite model"
    is_net = True

    def __init__(self, model, output=None):
        super().__init__(model)
        inputs, outputs = model.get_input_details(), model.get_output_details()
        if len(inputs) != 1:
            raise ValueError(
                f"skrobust.wrap takes tflite models with one input; this one has "
                f"{len(inputs)}."
            )
        place = 0 if output is None else output
        if not isinstance(place, int) or not 0 <= place < len(outputs):
            rule = f"the place of an output, below {len(outputs)}"
            raise invalid("output", "skrobust.wrap", rule, output)
        self._input, self._place = inputs[0], place
        signature = [int(n) for n in self._input["shape_signature"]]
        self.input_shape = tuple(int(n) for n in self._input["shape"][1:])
        self.fixed_batch = None if signature[0] < 0 else signature[0]
        self._raw = np.dtype(self._input["dtype"])
        is_quantised = self._raw.kind in "iu" and self._input["quantization"][0] > 0
        self.dtype = "float32" if is_quantised else self._raw.name
        self._lock = threading.Lock()  # an interpreter serves one thread at a time

    def __call__(self, rows):
        """Return the answers to a batch."""
        scale, zero = self._input["quantization"]
        if self._raw.kind in "iu" and scale > 0:
            info = np.iinfo(self._raw)
            rows = np.rint(rows / scale + zero).clip(info.min, info.max)
        rows = np.ascontiguousarray(rows.astype(self._raw, copy=False))
        with self._lock:
            place = self._input["index"]
            self.model.resize_tensor_input(place, rows.shape)
            self.model.allocate_tensors()
            self.model.set_tensor(place, rows)
            self.model.invoke()
            output = self.model.get_output_details()[self._place]
            answers = self.model.get_tensor(output["index"])
        scale, zero = output["quantization"]
        if answers.dtype.kind in "iu" and scale > 0:
            answers = _probabilities(scale * (answers.astype(np.float64) - zero), scale)
        return answers


def _probabilities(answers, scale):
    """Return answers that sum to 1 up to the rounding of each, as probabilities."""
    if answers.ndim != 2 or answers.shape[1] < 2 or answers.min() < 0:
        return answers
    sums = answers.sum(axis=1, keepdims=True)
    slack = answers.shape[1] * scale / 2 + 1e-6
    return answers / sums if (np.abs(sums - 1) <= slack).all() else answers
