"""Code that makes an unfitted copy of an estimator."""

import importlib
import inspect
import numbers

import numpy as np

_WIDTH = 80


def estimator_code(estimator, name="repaired"):
    """Return code that constructs an unfitted copy of an estimator.

    Parameters
    ----------
    estimator : estimator
        Fitted or not. Only parameters that differ from their defaults are written. What
        is inside of :class:`~sklearn.frozen.FrozenEstimator` is fitted, which no code
        can make: it is written as ``FrozenEstimator(model)``.
    name : str, default="repaired"
        The variable that is assigned.

    Returns
    -------
    str
        Imports and one assignment; a comment that says why where a parameter has no
        code, such as a generator of random numbers.
    """
    imports = {}
    try:
        body = _expression(estimator, imports, 0)
    except NoCodeError as error:
        return f"# There is no code for this estimator: {error}\n"
    lines = ["import numpy as np"] if "np" in imports else []
    for module in sorted({place for place, _ in imports.values() if place}):
        here = [
            item if item == known else f"{item} as {known}"
            for known, (place, item) in imports.items()
            if place == module
        ]
        lines.append(f"from {module} import {', '.join(sorted(here))}")
    return "\n".join([*lines, "", f"{name} = {body}", ""])


class NoCodeError(ValueError):
    """A value that no code can make."""


def _expression(value, imports, depth):
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bytes, bool)) or value is Ellipsis:
        return repr(value)
    if isinstance(value, numbers.Number):
        finite = not isinstance(value, float) or np.isfinite(value)
        return repr(value) if finite else f'float("{value}")'
    if isinstance(value, np.ndarray):
        imports["np"] = "", "numpy"
        items = _expression(value.tolist(), imports, depth)
        return f"np.array({items}, dtype={str(value.dtype)!r})"
    if isinstance(value, slice):
        ends = (
            _expression(e, imports, 0) for e in (value.start, value.stop, value.step)
        )
        return f"slice({', '.join(ends)})"
    if isinstance(value, dict):
        pairs = (
            (_expression(k, imports, depth + 1), _expression(v, imports, depth + 1))
            for k, v in value.items()
        )
        return _wrapped("{", [f"{k}: {v}" for k, v in pairs], "}", depth)
    if type(value) in (list, tuple, set, frozenset):
        return _sequence(value, imports, depth)
    if inspect.isclass(value) or inspect.isroutine(value) or _is_ufunc(value):
        return _imported(value, imports)
    if hasattr(value, "get_params"):
        return _constructor(value, imports, depth)
    raise NoCodeError(f"{type(value).__name__} is a parameter.")


def _sequence(value, imports, depth):
    items = [_expression(item, imports, depth + 1) for item in value]
    if isinstance(value, list):
        return _wrapped("[", items, "]", depth)
    if isinstance(value, tuple):
        tail = "," if len(items) == 1 else ""
        return _wrapped("(", items, f"{tail})", depth)
    kind = type(value).__name__
    return f"{kind}([{', '.join(sorted(items))}])"


def _wrapped(start, items, end, depth):
    """Return items on one line, or on a line each where they are long."""
    line = start + ", ".join(items) + end
    if len(line) + 4 * depth <= _WIDTH and "\n" not in line:
        return line
    tab = "    " * (depth + 1)
    inner = "".join(f"{tab}{item},\n" for item in items)
    return f"{start}\n{inner}{'    ' * depth}{end.lstrip(',')}"


def _constructor(estimator, imports, depth):
    kind = type(estimator)
    if kind.__name__ == "FrozenEstimator":
        return f"{_imported(kind, imports)}(model)"
    params = estimator.get_params(deep=False)
    defaults = _defaults(kind)
    order = [key for key in inspect.signature(kind).parameters if key in params]
    given = {
        key: params[key]
        for key in dict.fromkeys([*order, *params])
        if key not in defaults or not _same(params[key], defaults[key])
    }
    items = [
        f"{key}={_expression(value, imports, depth + 1)}"
        for key, value in given.items()
    ]
    text = _wrapped(f"{_imported(kind, imports)}(", items, ")", depth)
    output = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    return text if output is None else f"{text}.set_output(transform={output!r})"


def _defaults(kind):
    try:
        return kind().get_params(deep=False)
    except TypeError:  # it needs arguments
        empty = inspect.Parameter.empty
        found = inspect.signature(kind).parameters.items()
        return {name: p.default for name, p in found if p.default is not empty}


def _same(value, default):
    if value is default:
        return True
    if type(value) is not type(default):
        return False
    if hasattr(value, "get_params") or isinstance(value, np.ndarray):
        return repr(value) == repr(default)
    try:
        return bool(value == default or (value != value and default != default))
    except (TypeError, ValueError):
        return False


def _is_ufunc(value):
    return isinstance(value, np.ufunc) and getattr(np, value.__name__, None) is value


def _imported(item, imports):
    """Return the name of a class or function, and note its shortest public import."""
    module = "numpy" if _is_ufunc(item) else item.__module__
    name = item.__name__ if _is_ufunc(item) else item.__qualname__
    if module == "builtins":
        return name
    if "<" in name or "." in name:
        raise NoCodeError(f"{name} is not defined at the top of a module.")
    parts = module.split(".")
    for n in range(1, len(parts) + 1):
        if any(part.startswith("_") and part != "__main__" for part in parts[:n]):
            break
        place = ".".join(parts[:n])
        if getattr(importlib.import_module(place), name, None) is item:
            module = place
            break
    known = name
    while imports.setdefault(known, (module, name)) != (module, name):
        known = f"{parts[0].title()}{known}"  # two classes of one name
    return known
