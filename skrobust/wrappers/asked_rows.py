"""Input of a wrapped model, and the rows that it is asked once."""

import numpy as np

from skrobust._containers import is_frame, shape_of, to_array
from skrobust._validation import invalid
from skrobust.wrappers.rows_for_model import CALLER, RowsForModel

_N_ASKED = 10  # rows of the sample that the model is asked
_CHANNELS = (1, 3, 4)


def input_settings(source, input_shape, layout, dtype, sample):
    """Return the settings of the input, of the user or else of the model."""
    declared = None if hasattr(source, "net") else source.input_shape
    if input_shape is None and declared is not None:
        input_shape = declared
    shape = ()
    if sample is not None and not is_frame(sample):
        shape = shape_of(sample, "sample", CALLER)[1:]
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


def rows_to_ask(source, sample, settings):
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
    is_listed = isinstance(sample, (list, tuple))
    if is_listed and all(isinstance(row, str) for row in sample):
        sample = list(sample)
    elif not is_frame(sample) and not hasattr(sample, "shape"):
        sample = to_array(sample, "sample", CALLER)
    shape = shape_of(sample, "sample", CALLER)
    if not shape or not shape[0]:
        raise invalid("sample", CALLER, "an array, a list or a frame of rows", sample)
    n = shape[0]
    places = np.unique(np.linspace(0, n - 1, min(n, _N_ASKED)).astype(int))
    if hasattr(sample, "iloc"):
        return sample.iloc[places]
    return [sample[i] for i in places] if isinstance(sample, list) else sample[places]
