"""Odd values of one argument: numbers, counts, names, flags and objects.

Each case is a name, a value, and the plain value that means the same (``NO_PLAIN``:
none does). An odd value may be refused in one sentence; if it is accepted, the result
is that of the plain value.
"""

import datetime
import decimal
import fractions
import pathlib

import numpy as np
import pandas as pd

NO_PLAIN = object()
HUGE = 10**400


class Either(tuple):
    """Plain values, one of which gives the result: values at a limit are rounded."""


class Index:
    """An object with ``__index__`` and ``__float__`` alone."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)


class Unfriendly:
    """An object that compares, prints and counts with errors."""

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    __hash__ = object.__hash__

    def __bool__(self):
        raise RuntimeError("no truth")


def strange():
    """Yield objects that are of no kind that an argument has."""
    yield "none", None, NO_PLAIN
    yield "text", "odd", NO_PLAIN
    yield "empty text", "", NO_PLAIN
    yield "long text", "x" * 100_000, NO_PLAIN
    yield "control text", "a\0\n\x1b[31m\ud800", NO_PLAIN
    yield "bytes", b"odd", NO_PLAIN
    yield "bytearray", bytearray(b"odd"), NO_PLAIN
    yield "memoryview", memoryview(b"odd"), NO_PLAIN
    yield "empty list", [], NO_PLAIN
    yield "list of text", ["a", "b"], NO_PLAIN
    yield "list of lists", [[1], [2, 3]], NO_PLAIN
    yield "tuple", (1, 2, 3), NO_PLAIN
    yield "dict", {"a": 1}, NO_PLAIN
    yield "empty dict", {}, NO_PLAIN
    yield "set", {1, 2}, NO_PLAIN
    yield "frozenset", frozenset({1.0}), NO_PLAIN
    yield "generator", (i for i in range(3)), NO_PLAIN
    yield "iterator", iter([1, 2]), NO_PLAIN
    yield "range", range(3), NO_PLAIN
    yield "slice", slice(0, 2), NO_PLAIN
    yield "ellipsis", Ellipsis, NO_PLAIN
    yield "not implemented", NotImplemented, NO_PLAIN
    yield "object", object(), NO_PLAIN
    yield "class", dict, NO_PLAIN
    yield "function", len, NO_PLAIN
    yield "lambda", lambda *a, **k: None, NO_PLAIN
    yield "module", decimal, NO_PLAIN
    yield "exception", ValueError("odd"), NO_PLAIN
    yield "complex", 0.5 + 2j, NO_PLAIN
    yield "datetime", datetime.datetime(2024, 1, 1), NO_PLAIN
    yield "timedelta", datetime.timedelta(days=1), NO_PLAIN
    yield "datetime64", np.datetime64("2024-01-01"), NO_PLAIN
    yield "timedelta64", np.timedelta64(3, "D"), NO_PLAIN
    yield "NaT", np.datetime64("NaT"), NO_PLAIN
    yield "NA", pd.NA, NO_PLAIN
    yield "masked", np.ma.masked, NO_PLAIN
    yield "path", pathlib.Path("no/such/path"), NO_PLAIN
    yield "empty array", np.array([]), NO_PLAIN
    yield "array of text", np.array(["a", "b"]), NO_PLAIN
    yield "array of objects", np.array([None, "a", 1.0], dtype=object), NO_PLAIN
    yield "array of nan", np.array([np.nan, 1.0]), NO_PLAIN
    yield "structured", np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]), NO_PLAIN
    yield "void", np.void(b"abc"), NO_PLAIN
    yield "frame", pd.DataFrame({"a": [1.0, 2.0]}), NO_PLAIN
    yield "frame of twins", pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), NO_PLAIN
    yield "unfriendly", Unfriendly(), NO_PLAIN
    yield "recursive list", _recursive(), NO_PLAIN


def _recursive():
    values = []
    values.append(values)
    return values


def numbers(value):
    """Yield forms of one number, other numbers, and what is none."""
    plain = float(value)
    yield "numpy float", np.float64(value), plain
    yield "long double", np.longdouble(value), plain
    with np.errstate(over="ignore"):
        half = np.float16(value)
    yield "float16", half, float(half)
    yield "float32", np.float32(value), float(np.float32(value))
    yield "big endian", np.array(value, dtype=">f8")[()], plain
    if np.isfinite(plain):
        yield "fraction", fractions.Fraction(plain), plain
    yield "decimal", decimal.Decimal(plain), plain
    yield "0-d", np.array(plain), plain
    yield "1 element", np.array([plain]), plain
    yield "list of one", [plain], plain
    yield "masked 0-d", np.ma.array(plain, mask=True), np.nan
    yield "text of number", str(plain), plain
    yield "bytes of number", str(plain).encode(), plain
    yield "index", Index(value), plain
    yield "bool", True, 1.0
    yield "numpy bool", np.True_, 1.0
    yield "real complex", complex(plain), plain
    yield "tensor", _tensor(plain), plain
    yield "series", pd.Series([plain]), plain
    yield "nan", np.nan, NO_PLAIN
    yield "inf", np.inf, NO_PLAIN
    yield "minus inf", -np.inf, NO_PLAIN
    yield "minus zero", -0.0, 0.0
    yield "zero", 0, 0.0
    yield "subnormal", 5e-324, NO_PLAIN
    yield "minus subnormal", -5e-324, NO_PLAIN
    yield "tiny", 1e-308, NO_PLAIN
    yield "large", 1e308, NO_PLAIN
    yield "minus large", -1e308, NO_PLAIN
    yield "2**63", 2**63, float(2**63)
    yield "huge int", HUGE, NO_PLAIN
    yield "minus huge int", -HUGE, NO_PLAIN
    yield "huge fraction", fractions.Fraction(HUGE, 3), NO_PLAIN
    yield "small fraction", fractions.Fraction(1, HUGE), 0.0
    yield from strange()


def counts(value):
    """Yield forms of one integer, other integers, and what is none."""
    for name in ("int8", "uint8", "int32", "uint64"):
        if np.iinfo(name).min <= value <= np.iinfo(name).max:
            yield name, np.dtype(name).type(value), value
    yield "big endian", np.array(value, dtype=">i8")[()], value
    yield "float", float(value), value
    yield "half more", value + 0.5, NO_PLAIN
    yield "fraction", fractions.Fraction(value), value
    yield "decimal", decimal.Decimal(value), value
    yield "0-d", np.array(value), value
    yield "1 element", np.array([value]), value
    yield "masked 0-d", np.ma.array(value, mask=True), np.nan
    yield "text of number", str(value), value
    yield "bytes of number", str(value).encode(), value
    yield "index", Index(value), value
    yield "bool", True, 1
    yield "numpy bool", np.True_, 1
    yield "tensor", _tensor(value), value
    yield "nan", np.nan, NO_PLAIN
    yield "inf", np.inf, NO_PLAIN
    yield "zero", 0, NO_PLAIN
    yield "minus one", -1, NO_PLAIN
    yield "2**63", 2**63, NO_PLAIN
    yield "minus 2**63", -(2**63), NO_PLAIN
    yield "2**64", np.uint64(2**64 - 1), NO_PLAIN
    yield "huge int", HUGE, NO_PLAIN
    yield "minus huge int", -HUGE, NO_PLAIN
    yield "1e308", 1e308, NO_PLAIN
    yield from strange()


def names(value):
    """Yield forms of one word, and what is none."""
    yield "numpy text", np.str_(value), value
    yield "bytes of it", value.encode("utf-8", "surrogatepass"), value
    yield "list of it", [value], value
    yield "array of it", np.array([value]), value
    yield "0-d", np.array(value), value
    yield "upper case", value.upper(), NO_PLAIN
    yield "spaces", f" {value} ", NO_PLAIN
    yield "number", 3, NO_PLAIN
    yield "float", 0.5, NO_PLAIN
    yield "nan", np.nan, NO_PLAIN
    yield "huge int", HUGE, NO_PLAIN
    yield "true", True, NO_PLAIN
    yield from strange()


def flags(value):
    """Yield forms of true or false, and what is neither."""
    yield "numpy bool", np.bool_(value), value
    yield "number", int(value), value
    yield "float", float(value), value
    yield "0-d", np.array(value), value
    yield "1 element", np.array([value]), value
    yield "text of it", str(value), NO_PLAIN
    yield "nan", np.nan, NO_PLAIN
    yield "huge int", HUGE, NO_PLAIN
    yield from strange()


def anything(value):
    """Yield values for an argument whose valid one is an object or None."""
    yield "zero", 0, NO_PLAIN
    yield "number", 0.5, NO_PLAIN
    yield "true", True, NO_PLAIN
    yield "nan", np.nan, NO_PLAIN
    yield "inf", np.inf, NO_PLAIN
    yield "2**63", 2**63, NO_PLAIN
    yield "huge int", HUGE, NO_PLAIN
    yield "fraction", fractions.Fraction(1, 2), NO_PLAIN
    yield "decimal", decimal.Decimal("0.5"), NO_PLAIN
    yield from strange()


def _tensor(value):
    try:
        import torch
    except ImportError:
        return np.asarray(value)
    # torch makes single precision of a float, which is another number.
    return torch.as_tensor(np.asarray(value))
