"""Arrays and generators as plain data for JSON, bit for bit."""

import base64
import json

import numpy as np

from skrobust._sealed import Damaged, open_seal

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


def refuse_unwritable(label, i, caller):
    """Raise for the true label of an id that JSON cannot hold."""
    parts = label if isinstance(label, list) else [label]
    if not all(isinstance(part, PLAIN) for part in parts):
        raise ValueError(
            f"{caller}: the true label {label!r} of id {i} cannot be written as JSON; "
            "tell str, int, float or bool."
        )


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


def restored_generator(state):
    """Return the generator of a state that was stored as plain data."""
    rng = np.random.Generator(getattr(np.random, state["bit_generator"])())
    rng.bit_generator.state = state
    return rng


def parsed(text, version, caller):
    """Return the facts of a text of ``to_json``, or raise where they were changed.

    Parameters
    ----------
    text : str or bytes
        What ``to_json`` returned.
    version : int
        Format that is read.
    caller : str
        Name of the public function, for the messages.

    Raises
    ------
    Damaged
        Where the text is not what was written, by the seal; it names the parts.
    """
    try:
        facts = json.loads(text)
        found = facts["format"]
    except (ValueError, TypeError, KeyError, RecursionError):
        found = None
    if found is None:
        raise Damaged(f"{caller} needs the text that to_json returned, unchanged.")
    if found != version:
        by = f", written by skrobust {facts['version']}" if "version" in facts else ""
        raise ValueError(
            f"{caller} reads format {version}; this state is of format {found!r}{by}."
        )
    return open_seal(facts, f"{caller}: the state")


def facts_from_json(text, names, version, caller):
    """Return the named facts of a text of ``to_json``, or raise for another text."""
    facts = parsed(text, version, caller)
    if not all(name in facts for name in names):
        raise ValueError(f"{caller} needs the text that to_json returned.")
    return [facts[name] for name in names]


def plain(value):
    """Return a number or an array of numpy as plain data, for JSON."""
    if isinstance(value, np.longdouble):
        return float(value)
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
