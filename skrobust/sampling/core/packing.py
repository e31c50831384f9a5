"""Arrays and generators as plain data for JSON, bit for bit."""

import base64

import numpy as np

PLAIN = (str, int, float, bool, type(None))


def pack(values, name, caller):
    """Return an array as plain data, bit for bit."""
    if values is None:
        return None
    values = np.ascontiguousarray(values)
    if values.dtype.kind in "biuf":
        values = values.astype(values.dtype.newbyteorder("<"), copy=False)
        data = base64.b64encode(values.tobytes()).decode()
    else:
        data = values.tolist()
        if not all(isinstance(v, PLAIN) for v in values.ravel().tolist()):
            raise ValueError(
                f"{caller}.to_json cannot write {name} as JSON; use labels of str, "
                "int, float or bool, or include_pool=False."
            )
    return {"dtype": values.dtype.str, "shape": list(values.shape), "data": data}


def content(values):
    """Return the bytes of an array's values, whatever the width of its numbers."""
    wide = {"b": "<i8", "i": "<i8", "u": "<u8", "f": "<f8"}.get(values.dtype.kind)
    if wide is None:
        return repr(values.tolist()).encode()
    return np.ascontiguousarray(values, dtype=wide).tobytes()


def unpack(packed):
    """Return the array that ``pack`` wrote."""
    if packed is None:
        return None
    data, dtype = packed["data"], np.dtype(packed["dtype"])
    if isinstance(data, str):
        flat = np.frombuffer(base64.b64decode(data), dtype=dtype)
        return flat.reshape(packed["shape"]).astype(dtype.newbyteorder("="))
    return np.array(data, dtype=dtype)


def plain(value):
    """Return a number or an array of numpy as plain data, for JSON."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
