"""Plain data as YAML text, which any YAML parser reads back as the same data."""

import json
import math
import re

# JSON leaves these as they are; YAML forbids them or reads them as a line break.
_SPECIAL = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def yaml_text(data):
    r"""Return dicts, lists, text, numbers, booleans and None as YAML.

    Text is quoted where it could be read as anything else.

    Parameters
    ----------
    data : dict or list
        Not empty; numbers are finite.

    Returns
    -------
    str
        Block style, with a line break at the end.

    Raises
    ------
    ValueError
        For NaN and infinity.

    Examples
    --------
    >>> print(yaml_text({"name": "a: b #1", "values": [1, 0.5, None]}), end="")
    name: "a: b #1"
    values:
    - 1
    - 0.5
    - null
    """
    return "\n".join(_lines(data)) + "\n"


def _lines(data):
    items = (
        ((f"{_scalar(key)}:", value) for key, value in data.items())
        if isinstance(data, dict)
        else (("-", value) for value in data)
    )
    for mark, value in items:
        if not isinstance(value, (dict, list, tuple)) or not value:
            yield f"{mark} {_scalar(value)}"
        elif mark == "-":  # the first line of the item stands beside its mark
            first, *rest = _lines(value)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
        else:
            yield mark
            indent = "  " if isinstance(value, dict) else ""
            yield from (f"{indent}{line}" for line in _lines(value))


def _scalar(value):
    if isinstance(value, (dict, list, tuple)):
        return "{}" if isinstance(value, dict) else "[]"
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return str(int(value))
    if not math.isfinite(value):
        raise ValueError(f"YAML text holds finite numbers only. Got {value!r} instead.")
    text = repr(float(value))
    head, sign, exponent = text.partition("e")
    # Without a point, YAML 1.1 takes a number with an exponent for text.
    return f"{head if '.' in head else head + '.0'}{sign}{exponent}"


def _text(value):
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", value) and value.lower() not in _WORDS:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


# Words that YAML 1.1 reads as a boolean or as null.
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
