"""ONNX models in onnxruntime."""

import numpy as np

from skrobust._optional import require
from skrobust._validation import invalid
from skrobust.wrappers.model_sources import FunctionSource

_TYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(int64)": "int64",
    "tensor(int32)": "int32",
    "tensor(uint8)": "uint8",
    "tensor(int8)": "int8",
}


def open_session(path, caller):
    """Return the session of a file, on the processor.

    Parameters
    ----------
    path : str
        An .onnx file.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    onnxruntime.InferenceSession
        The session.
    """
    runtime = require("onnxruntime", caller, extra="onnx")
    return runtime.InferenceSession(path, providers=["CPUExecutionProvider"])


class ONNXSource(FunctionSource):
    """Session of onnxruntime.

    A model with several inputs takes a data frame with columns of their names. Of
    several outputs that counts whose name speaks of probabilities, else the first.

    Parameters
    ----------
    model : onnxruntime.InferenceSession
        The session.
    output : int, str or None
        Place or name of the output that counts.
    """

    kind = "ONNX model"
    is_net = True

    def __init__(self, model, output=None):
        super().__init__(model)
        self._inputs = model.get_inputs()
        outputs = [one.name for one in model.get_outputs()]
        self._asked = _pick(outputs, output)
        labels = [name for name in outputs if "label" in name.lower()]
        self._labels = labels[0] if labels else None
        if len(self._inputs) > 1:
            return
        (one,) = self._inputs
        self.dtype = _TYPES.get(one.type)
        batch, *sides = one.shape or [None]
        if isinstance(batch, int) and batch > 0:
            self.fixed_batch = batch
        if sides and all(isinstance(side, int) and side > 0 for side in sides):
            self.input_shape = tuple(sides)

    def __call__(self, rows):
        """Return the answers to a batch."""
        return self._output(self._asked, rows)

    def _output(self, name, rows):
        """Return one of the outputs for a batch."""
        if len(self._inputs) == 1:
            one = self._inputs[0]
            rows = np.asarray(rows)
            if one.type == "tensor(string)":
                rows = rows.astype(object)
                if len(one.shape) == 2 and rows.ndim == 1:
                    rows = rows[:, None]
            feed = {one.name: rows}
        else:
            feed = self._columns(rows)
        return self.model.run([name], feed)[0]

    def own_labels(self, rows):
        """Return the labels of a converted classifier, None where it has no output."""
        if self._labels is None:
            return None
        return np.asarray(self._output(self._labels, rows))

    def _columns(self, rows):
        names = [one.name for one in self._inputs]
        missing = [n for n in names if n not in getattr(rows, "columns", ())]
        if missing:
            raise ValueError(
                f"skrobust.wrap needs a data frame for an ONNX model with the inputs "
                f"{names[:5]}; there is no column {missing[0]!r}."
            )
        feed = {}
        for one in self._inputs:
            values = np.asarray(rows[one.name])[:, None]
            dtype = _TYPES.get(one.type, object)
            feed[one.name] = values.astype(dtype)
        return feed


def _pick(outputs, output):
    if isinstance(output, str) and output in outputs:
        return output
    if isinstance(output, int) and 0 <= output < len(outputs):
        return outputs[output]
    if output is not None:
        rule = f"the name or the place of one of the outputs {outputs[:5]}"
        raise invalid("output", "skrobust.wrap", rule, output)
    for name in outputs:
        if "prob" in name.lower():
            return name
    return outputs[0]
