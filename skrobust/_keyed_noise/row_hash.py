"""Row hashes: the content of rows of any container as 64-bit keys.

A row is read cell by cell, and each cell counts by its value alone: neither the type of
its column nor the other rows of the call have a say. So an object array, a frame and a
frame of categories of the same values have the same keys, whole or in pieces.
"""

import datetime
import enum
import hashlib
import numbers
import os
import uuid

import numpy as np

from skrobust._containers import is_frame, is_missing, on_device, to_array
from skrobust._keyed_noise.generator import KeyedGenerator, NoiseKey
from skrobust._keyed_noise.splitmix import row_keys, stream_number
from skrobust._keyed_noise.tensor_noise import TENSOR_DTYPES, tensor_row_keys

_CELL_KINDS = "OUSc"
_TIME_KINDS = "Mm"


def content_keys(X):
    """Hash the content of each row to 64 bits, whatever the container.

    Numbers and booleans count as in :func:`row_keys` (as float32; an
    all-numeric frame equals its array), text as UTF-8, categories by their values,
    times by their value in microseconds, and all that is missing (None, NaN, NaT, NA)
    as NaN. Intervals, periods, times of day, identifiers (UUID), paths, members of an
    enumeration, complex numbers, and lists, sets, dicts, arrays and series of any of
    these count by what they hold, and a cell of any other type by the name of its type
    alone. The values of a text column are hashed once each.

    Parameters
    ----------
    X : ndarray, frame or series of pandas or polars, list of str, or tensor
        Rows run over the first axis; arrays of numbers may have any shape, others
        (n_samples,) or (n_samples, n_columns).

    Returns
    -------
    ndarray of shape (n_samples,), uint64
        One key a row; equal rows have equal keys.
    """
    if on_device(X) and str(X.dtype).removeprefix("torch.") in TENSOR_DTYPES:
        return tensor_row_keys(X)
    if not is_frame(X) and not is_series(X):
        X = to_array(X)
        if X.dtype.kind not in _CELL_KINDS + _TIME_KINDS:
            return row_keys(X)
        if X.ndim > 2:
            X = X.reshape(len(X), -1)
    columns = [_cells(column) for column in _columns(X)]
    n = int(X.shape[0])
    if not columns:
        return row_keys(np.empty((n, 0)))
    kinds = [column.dtype for column, _ in columns if column is not None]
    block = np.zeros((n, len(columns)), dtype=np.result_type(*kinds or [np.float64]))
    marks = np.zeros(n, dtype=np.uint64)
    for j, (column, words) in enumerate(columns):
        if column is not None:
            block[:, j] = column
        if words is not None:
            place = np.uint64(stream_number("column", j))
            marks += np.where(words > 0, _scramble(words ^ place), np.uint64(0))
    return row_keys(block) + marks


class ContentKey(NoiseKey):
    """Keys of rows, with a number for draws that all rows of all calls share.

    Parameters
    ----------
    seeds : ndarray of shape (n_samples,), uint64, or a function that returns it
        One seed a row.
    common : int
        What the rows share: it depends on seeds and names, never on content.
    change : uint64, rows or None, default=None
        As in :class:`~skrobust._keyed_noise.generator.NoiseKey`.
    """

    def __init__(self, seeds, common, change=None):
        super().__init__(seeds, change)
        self.common = common

    @classmethod
    def from_container(cls, X, seed, hashes=content_keys):
        """Key the rows of any container by content, rank among equals, and seed.

        ``hashes`` returns a hash of the content of each row.
        """
        key = NoiseKey.from_keys(lambda: hashes(X), seed)
        return cls(lambda: key.seeds, stream_number("seed", seed))

    @classmethod
    def from_positions(cls, n_rows, seed):
        """Key rows by their place in the call and a seed, whatever their content."""
        key = NoiseKey.from_positions(n_rows, seed)
        return cls(lambda: key.seeds, stream_number("seed", seed))

    def derive(self, *parts):
        """Return the keys of a sub-stream named by strings and numbers."""
        common = stream_number(self.common, *parts)
        return ContentKey(self, common, np.uint64(stream_number(*parts)))

    def take(self, rows):
        """Return the keys of some of the rows."""
        return ContentKey(self, self.common, rows)

    def generator(self):
        """Return a generator of draws for these rows, and of draws that they share."""
        return ContentGenerator(self)


class ContentGenerator(KeyedGenerator):
    """Draws that belong to rows, and a generator of what all rows share.

    Its key is a :class:`ContentKey`.
    """

    def shared(self):
        """Return a numpy generator whose draws hold for all rows of all calls."""
        return np.random.default_rng(self.key.common)


def is_series(X):
    """Return whether X is a series of pandas or polars, importing neither."""
    family = type(X).__module__.partition(".")[0]
    is_column = hasattr(X, "dtype") and hasattr(X, "__len__")
    return family in {"pandas", "polars"} and is_column and not is_frame(X)


def _columns(X):
    if is_frame(X):
        if hasattr(X, "iloc"):
            return [X.iloc[:, j] for j in range(X.shape[1])]
        return X.get_columns()
    if is_series(X) or X.ndim == 1:
        return [X]
    return list(X.T)


def is_categorical(column):
    """Return whether a column is a pandas series of categories."""
    dtype = getattr(column, "dtype", None)
    codes = getattr(getattr(column, "cat", None), "codes", None)
    return hasattr(dtype, "categories") and codes is not None


def _cells(column):
    """Return the numbers of a column (None: it has none) and its words (0: none)."""
    if is_categorical(column):
        number, words = _cells(column.cat.categories.to_numpy())
        codes = column.cat.codes.to_numpy()  # -1, the last entry, is what is missing
        if number is None:
            number = np.zeros(len(words))
        number = np.append(np.asarray(number, dtype=np.float64), np.nan)[codes]
        return number, None if words is None else np.append(words, np.uint64(0))[codes]
    values = column_values(column)
    if values.dtype.kind in "biuf":
        return values, None
    if values.dtype.kind in _TIME_KINDS:
        return _times(values)
    cells = values.tolist()
    try:
        place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
        codes = np.fromiter(map(place.__getitem__, cells), np.intp, len(cells))
    except TypeError:  # lists and the like cannot be looked up
        place, codes = cells, slice(None)
    pairs = [_cell(cell) for cell in place]
    number = np.array([number for number, _ in pairs], dtype=np.float64)
    words = np.array([word for _, word in pairs], dtype=np.uint64)
    return number[codes], words[codes]


def column_values(column):
    """Return a column as an array; nullable numbers become floats with NaN.

    Parameters
    ----------
    column : ndarray of shape (n,), series of pandas or polars
        One column of a table.

    Returns
    -------
    ndarray of shape (n,)
        Of numbers, booleans, times or, for all else, objects.
    """
    if isinstance(column, np.ndarray):
        return column
    if hasattr(column, "to_physical"):  # polars
        if column.dtype.is_decimal():
            return column.to_frame().to_series().cast(float).to_numpy()
        boolean = str(column.dtype) == "Boolean"
        if boolean and column.null_count():
            column = column.cast(int)
        # Numpy would see two dimensions in lists of one length, and numbers in nulls.
        if column.dtype.is_nested() or str(column.dtype) == "Null":
            return object_cells(column.to_list())
        return column.to_numpy()
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        return column.to_numpy()
    if getattr(dtype, "kind", "O") in "biuf":  # nullable numbers
        if dtype.kind == "b" and not column.hasnans:
            return column.to_numpy(dtype=bool)
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    # A time zone: the same instant in UTC. Days of pyarrow stay objects.
    if getattr(dtype, "kind", "O") == "M" and not str(dtype).startswith("date32"):
        blank = np.datetime64("NaT", "ns")
        return column.to_numpy(dtype="datetime64[ns]", na_value=blank)
    return column.to_numpy(dtype=object)


def _times(values):
    unit = "datetime64[us]" if values.dtype.kind == "M" else "timedelta64[us]"
    missing = np.isnat(values)
    stamps = values.astype(unit).astype(np.int64).astype(np.uint64)
    words = _scramble(stamps + np.uint64(stream_number(unit))) | np.uint64(1)
    words[missing] = 0
    return np.where(missing, np.nan, 0.0), words


def object_cells(cells):
    """Return a list of any objects as an array, one cell each."""
    out = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):  # numpy would look into lists of one length
        out[i] = cell
    return out


def _cell(value):
    """Return the number that a cell is (0 beside words) and its word (0: none)."""
    if isinstance(value, str):
        return 0.0, _word(b"text", value.encode("utf-8", "surrogatepass"))
    if is_missing(value):
        return np.nan, 0
    if isinstance(value, (numbers.Real, np.bool_)) or hasattr(value, "as_tuple"):
        return float(value), 0
    if isinstance(value, (bytes, bytearray)):
        return 0.0, _word(b"bytes", bytes(value))
    if isinstance(value, (datetime.date, datetime.timedelta)):
        if getattr(value, "tzinfo", None) is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        kind = "M8[us]" if isinstance(value, datetime.date) else "m8[us]"
        number, words = _times(np.array([value], dtype=kind))
        return float(number[0]), int(words[0])
    if isinstance(value, (np.datetime64, np.timedelta64)):
        number, words = _times(np.array([value]))
        return float(number[0]), int(words[0])
    if isinstance(value, (tuple, list, frozenset)):
        items = sorted(value, key=repr) if isinstance(value, frozenset) else value
        return 0.0, _word(b"list", repr([_cell(item) for item in items]).encode())
    if isinstance(value, numbers.Complex):
        number, rest = complex(value).real, complex(value).imag
        return number, _word(b"imaginary", repr(rest).encode()) if rest else 0
    return 0.0, _word(*_content(value))


def _content(value):
    """Return the kind and the content of a cell of a rarer type, as bytes."""
    if hasattr(value, "to_numpy"):  # a series
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biuf":
            return b"array", repr((value.shape, _number_key(value))).encode()
        return b"array", repr([_cell(item) for item in value.ravel().tolist()]).encode()
    if isinstance(value, (dict, set)):
        parts = value.items() if isinstance(value, dict) else value
        kind = type(value).__name__.encode()
        return kind, repr(sorted(_cell(part) for part in parts)).encode()
    if isinstance(value, datetime.time):
        return b"time", value.isoformat().encode()
    if isinstance(value, uuid.UUID):
        return b"uuid", value.bytes
    if isinstance(value, os.PathLike):
        return b"path", os.fsencode(value)
    if isinstance(value, enum.Enum):
        return b"enum", f"{type(value).__qualname__}.{value.name}".encode()
    if hasattr(value, "ordinal") and hasattr(value, "freqstr"):  # a period of pandas
        return b"period", f"{value.ordinal} {value.freqstr}".encode()
    if all(hasattr(value, name) for name in ("left", "right", "closed")):
        ends = [_cell(value.left), _cell(value.right)]
        return b"interval", repr((ends, value.closed)).encode()
    return b"type", type(value).__qualname__.encode()


def _number_key(values):
    return int(row_keys(values.reshape(1, -1))[0])


def _word(kind, content):
    digest = hashlib.blake2b(content, digest_size=8, person=kind).digest()
    return int.from_bytes(digest, "little") | 1  # 0 is what a cell without words has


def _scramble(words):
    """Scramble unsigned 64-bit integers (MurmurHash3's finaliser, Appleby 2011)."""
    words = words.astype(np.uint64, copy=True)
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        words ^= words >> np.uint64(33)
        words *= np.uint64(factor)
    return words ^ (words >> np.uint64(33))
