"""Odd forms and odd values of an array argument: labels, scores, rows and texts."""

import array
import decimal
import fractions
import itertools
import tempfile

import numpy as np
import pandas as pd
import scipy.sparse
from odd_inputs.odd_values import HUGE, NO_PLAIN, Either, Index, strange


def forms(a):
    """Yield other containers with the values of a numpy array."""
    yield "list", a.tolist(), a
    yield "tuple", _tuples(a), a
    yield "Fortran", np.asfortranarray(a), a
    yield "strided", np.repeat(a, 2, axis=0)[::2], a
    yield "reversed twice", a[::-1].copy()[::-1], a
    yield "read-only", _read_only(a), a
    yield "memmap", _mapped(a), a
    yield "objects", a.astype(object), a.astype(float) if a.dtype.kind == "i" else a
    yield "subclass", a.view(_Sub), a
    yield "unmasked", np.ma.array(a), a
    yield "all-false mask", np.ma.array(a, mask=np.zeros(a.shape, bool)), a
    if a.dtype.kind in "fiu":
        yield "big endian", a.astype(a.dtype.newbyteorder(">")), a
        numbers = a.astype(float)  # what objects become
        yield "decimals", _each(a, decimal.Decimal), numbers
        yield "fractions", _each(a, fractions.Fraction), numbers
        yield "index objects", _each(a, Index), numbers
        yield "complex", a.astype(complex), a
        yield "text of numbers", a.astype(str), a
        yield "bytes of numbers", a.astype("S"), a
        yield "long double", a.astype(np.longdouble), a.astype(float)
        yield "tensor", _tensor(a), a
        yield "tensor with gradient", _tensor(a, True), a
    if a.dtype.kind == "f":
        single = a.astype(np.float32)
        yield "float32", single, Either((single.astype(float), a))
        yield "float16", a.astype(np.float16), NO_PLAIN
    if a.dtype.kind in "iu":
        yield "floats", a.astype(float), a.astype(float)
        yield "int8", a.astype(np.int8), a.astype(np.int8).astype(a.dtype)
        yield "bools", a.astype(bool), a.astype(bool).astype(a.dtype)
    if a.dtype.kind in "US":
        yield "bytes", np.char.encode(a, "utf-8") if a.dtype.kind == "U" else a, a
    if a.ndim == 1:
        yield "series", pd.Series(a, index=range(7, 7 + len(a))), a
        yield "nullable", pd.Series(a).convert_dtypes(), a
        yield "category", pd.Categorical(a), a
        yield "index", pd.Index(a), a
        yield "column", a[:, None], a
        yield from _of_libraries(a)
        if a.dtype.kind in "fi":
            yield "array.array", array.array("d", a.tolist()), a
            yield "memoryview", memoryview(np.ascontiguousarray(a)), a
    if a.ndim == 2:
        yield "frame", pd.DataFrame(a).add_prefix("f"), a
        yield "nullable frame", pd.DataFrame(a).add_prefix("f").convert_dtypes(), a
        yield "twin columns", _twins(a), a
        yield "many levels", _levels(a), a
        yield "sparse", _sparse(a), a
        yield from _tables(a)
    yield "generator", (one for one in a.tolist()), a
    yield "iterator", iter(a.tolist()), a
    yield "islice", itertools.islice(a.tolist(), None), a
    yield "dict", dict(enumerate(a.tolist())), a
    yield "dict values", dict(enumerate(a.tolist())).values(), a
    if a.ndim == 1 and a.size < 500:
        yield "set", set(a.tolist()), NO_PLAIN


def values(a):
    """Yield arrays like a numpy array with other values, or of another shape."""
    number = a.dtype.kind in "fiu"
    first = (0,) * a.ndim
    if number:
        floats = a.astype(float)
        for name, value in [
            ("nan", np.nan), ("inf", np.inf), ("minus inf", -np.inf), ("1e308", 1e308),
            ("minus 1e308", -1e308), ("subnormal", 5e-324),
        ]:  # fmt: skip
            yield name, _put(floats, first, value), NO_PLAIN
        yield "minus zero", _put(floats, first, -0.0), _put(floats, first, 0.0)
        yield "all nan", np.full(a.shape, np.nan), NO_PLAIN
        yield "all 1e308", np.full(a.shape, 1e308), NO_PLAIN
        yield "masked", _masked(a), _put(floats, first, np.nan)
        yield "hidden mask", _hidden(a), _put(floats, first, np.nan)
        yield "all masked", np.ma.masked_all_like(floats), np.full(a.shape, np.nan)
        yield "huge ints", _put(a.astype(object), first, HUGE), NO_PLAIN
        yield "2**64", _put(a.astype(object), first, 2**64), NO_PLAIN
        yield "text inside", _put(a.astype(object), first, "odd"), NO_PLAIN
        yield "bytes inside", _put(a.astype(object), first, b"odd"), NO_PLAIN
        yield "complex inside", a + 1j, NO_PLAIN
        yield "date inside", _put(a.astype(object), first, pd.Timestamp(0)), NO_PLAIN
        yield "list inside", _put_object(a, first, [1, 2]), NO_PLAIN
    else:
        gone = _put(a.astype(object), first, None)
        yield "masked", _masked(a), gone
        yield "all masked", np.ma.masked_all_like(a), np.full(a.shape, None)
        yield "number inside", _put(a.astype(object), first, 3), NO_PLAIN
        yield "bytes inside", _put(a.astype(object), first, b"odd"), NO_PLAIN
        yield "nan inside", _put(a.astype(object), first, np.nan), gone
        yield "long text", _put(a.astype(object), first, "x" * 100_000), NO_PLAIN
        yield "surrogate", _put(a.astype(object), first, "\ud800"), NO_PLAIN
        yield "nul", _put(a.astype(object), first, "a\0b"), NO_PLAIN
        yield "list inside", _put_object(a, first, ["a"]), NO_PLAIN
    yield "none inside", _put(a.astype(object), first, None), NO_PLAIN
    yield "NA inside", _put(a.astype(object), first, pd.NA), NO_PLAIN
    yield "dates", np.full(a.shape, np.datetime64("2024-01-01")), NO_PLAIN
    yield "NaT", np.full(a.shape, np.datetime64("NaT")), NO_PLAIN
    yield "durations", np.full(a.shape, np.timedelta64(3, "D")), NO_PLAIN
    yield "structured", np.zeros(len(a), dtype=[("a", "f8"), ("b", "i4")]), NO_PLAIN
    yield "voids", np.zeros(a.shape, dtype="V4"), NO_PLAIN
    yield "ragged", _ragged(a), NO_PLAIN
    yield "ragged objects", _objects(_ragged(a)), NO_PLAIN
    yield "list of dicts", [{"a": 1}] * len(a), NO_PLAIN
    yield "list of sets", [{1}] * len(a), NO_PLAIN
    yield "no rows", a[:0], NO_PLAIN
    yield "one row", a[:1], NO_PLAIN
    yield "one row less", a[:-1], NO_PLAIN
    yield "0-d", a[first] if a.size else a, NO_PLAIN
    yield "0-d array", np.asarray(a[first]) if a.size else a, NO_PLAIN
    yield "more axes", a[..., None, None], NO_PLAIN
    yield "an axis before", a[None], NO_PLAIN
    yield "no columns", a.reshape(len(a), -1)[:, :0], NO_PLAIN
    yield "one column", a.reshape(len(a), -1)[:, :1], NO_PLAIN
    yield "one value", np.full(a.shape, a[first]) if a.size else a, NO_PLAIN
    for name, value, plain in strange():
        if name not in {"memoryview", "set", "generator", "iterator"}:
            yield f"a {name}", value, plain


class _Sub(np.ndarray):
    pass


def _tuples(a):
    return tuple(map(_tuples, a)) if a.ndim > 1 else tuple(a.tolist())


def _read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def _mapped(a):
    if a.dtype.hasobject or not a.size:
        return a
    with tempfile.TemporaryFile() as file:
        found = np.memmap(file, dtype=a.dtype, mode="w+", shape=a.shape)
    found[...] = a
    return found


def _each(a, kind):
    found = np.empty(a.shape, dtype=object)
    found.flat = [kind(one) if np.isfinite(one) else one for one in a.ravel().tolist()]
    return found


def _objects(rows):
    found = np.empty(len(rows), dtype=object)
    for i, row in enumerate(rows):
        found[i] = row
    return found


def _put(a, place, value):
    a = a.copy()
    if a.size:
        a[place] = value
    return a


def _put_object(a, place, value):
    a = a.astype(object)
    if a.size:
        a.flat[0] = value
    return a


def _masked(a):
    mask = np.zeros(a.shape, bool)
    mask.flat[:1] = True
    return np.ma.array(a.copy(), mask=mask)


def _hidden(a):
    """Return a masked array whose masked value is far from the others."""
    found = _masked(a.astype(float))
    found.data.flat[0] = 9.97e36
    return found


def _ragged(a):
    if a.ndim == 1:
        return [[one] * (1 + i % 2) for i, one in enumerate(a.tolist())]
    return [row[: len(row) - i % 2] for i, row in enumerate(a.tolist())]


def _twins(a):
    return pd.DataFrame(a, columns=["f"] * a.shape[1])


def _levels(a):
    names = pd.MultiIndex.from_tuples([("f", i) for i in range(a.shape[1])])
    return pd.DataFrame(a, columns=names)


def _sparse(a):
    return scipy.sparse.csr_matrix(a) if a.dtype.kind in "fiub" else a


def _tensor(a, gradient=False):
    try:
        import torch
    except ImportError:
        return a
    found = torch.from_numpy(np.ascontiguousarray(a).copy())
    return found.requires_grad_() if gradient and a.dtype.kind == "f" else found


def _of_libraries(a):
    if a.dtype.kind == "S":
        return
    for name, make in [("polars", "Series"), ("pyarrow", "array")]:
        try:
            library = __import__(name)
        except ImportError:
            continue
        yield name, getattr(library, make)(a.tolist()), a
    try:
        import pyarrow
    except ImportError:
        return
    yield (
        "arrow series",
        pd.Series(a.tolist()).convert_dtypes(dtype_backend="pyarrow"),
        a,
    )
    yield "chunked", pyarrow.chunked_array([a[:1].tolist(), a[1:].tolist()]), a


def _tables(a):
    columns = {f"f{i}": column.tolist() for i, column in enumerate(a.T)}
    for name, make in [("polars", "DataFrame"), ("pyarrow", "table")]:
        try:
            library = __import__(name)
        except ImportError:
            continue
        yield f"{name} frame", getattr(library, make)(columns), a
