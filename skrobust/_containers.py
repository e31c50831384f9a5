"""Containers of rows: arrays, data frames of pandas or polars, and tensors."""

import numbers
from collections.abc import Iterator, Mapping, Set, ValuesView

import numpy as np
from scipy.sparse import issparse

from skrobust._column_numbers import numbers_in


def _family(X):
    return type(X).__module__.partition(".")[0]


def is_frame(X):
    """Say whether X is a data frame of pandas or polars, importing neither."""
    return hasattr(X, "columns") and _family(X) in {"pandas", "polars"}


def named_once(X):
    """Return a frame with places for names where a name occurs twice; else X.

    scikit-learn checks the names of columns, and takes only those that occur once.
    """
    if is_frame(X) and hasattr(X, "iloc") and not X.columns.is_unique:
        return X.set_axis(range(X.shape[1]), axis=1)
    return X


# Kinds of devices whose memory is that of the host; tests take CPU tensors for others.
HOST = {"cpu"}


def on_device(X):
    """Return whether X is a tensor of torch that is not in the memory of the host."""
    kind = getattr(getattr(X, "device", None), "type", "cpu")
    return kind not in HOST and hasattr(X, "permute")


def shape_of(X, name="X", caller="skrobust"):
    """Return the shape of rows in any container, without making an array of a frame.

    Raises a ValueError for lists whose parts differ in shape.
    """
    if hasattr(X, "shape"):
        return X.shape
    try:
        return np.shape(X)
    except ValueError:
        return to_array(X, name, caller).shape


def shape_or_none(X):
    """Return the shape of rows, or None for lists of rows of several lengths."""
    try:
        return tuple(X.shape) if hasattr(X, "shape") else np.shape(X)
    except ValueError:
        return None


def n_rows(X):
    """Return the number of rows of any container, also of ragged lists.

    Of inputs of a net by name it is that of the first; a value without an axis is one.
    """
    shape = getattr(X, "shape", None)
    if shape is None and isinstance(X, Mapping):
        return n_rows(next(iter(X.values()), ()))
    if shape is None:
        return len(X) if hasattr(X, "__len__") else 1
    return int(shape[0]) if len(shape) else 1


_SERIES = (
    "; perturbations of series take several lengths in the cells of a data frame of "
    "pandas, a column for each channel"
)


def refuse_ragged(X, caller, *, name="X"):
    """Raise for a list, or an array of objects, whose rows differ in shape.

    Parameters
    ----------
    X : container of rows
        What numpy could make no array of numbers of.
    caller, name : str
        The public class or function, and the parameter, for the message.
    """
    objects = getattr(X, "ndim", 0) == 1 and getattr(X.dtype, "kind", "") == "O"
    if not (objects or isinstance(X, (list, tuple))):
        return
    rows = [row for row in X if hasattr(row, "__len__") and not isinstance(row, str)]
    shapes = {shape_or_none(row): None for row in rows}
    if len(rows) == len(X) and (len(shapes) > 1 or None in shapes):
        shown = " and ".join(str(shape or "none") for shape in list(shapes)[:2])
        raise ValueError(
            f"{caller} needs rows of one shape, and those of {name} have {shown}: "
            f"cut or pad them{_SERIES if name == 'X' else ''}."
        )


def to_array(X, name="X", caller="skrobust"):
    """Return the values of a container as a numpy array (a view where possible).

    Parameters
    ----------
    X : array-like, data frame of pandas or polars, or torch tensor
        Data whose first axis runs over samples.
    name, caller : str
        The parameter and the public class or function, for messages.

    Returns
    -------
    ndarray
        The same values on the host.

    Raises
    ------
    TypeError
        For sparse rows, and for what has no order or can be read only once.
    ValueError
        For masked values, rows of several lengths, and records.
    """
    if _family(X) == "torch":
        X = X.detach().cpu()
        # numpy has no bfloat16.
        return (X.float() if str(X.dtype) == "torch.bfloat16" else X).numpy()
    if is_frame(X):
        return _of_frame(X)
    if issparse(X):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. Use "
            "'.toarray()' to convert it."
        )
    refuse_mask(X, name)
    if isinstance(X, np.ma.MaskedArray):
        return X.data
    refuse_unordered(X, name, caller)
    try:
        found = np.asarray(X)
    except Exception:  # of numpy, or of an object that says it is an array
        if type(X).__module__.startswith("skrobust."):
            raise  # its own sentence
        refuse_ragged(X, caller, name=name)
        raise ValueError(
            f"{caller} needs {name} as an array, and numpy can make none of "
            f"{shown_value(X)}: its parts must be values, or rows of one length."
        ) from None
    if found.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {caller} needs real {name}.")
    if found.dtype.kind == "V":
        raise ValueError(
            f"{caller} needs {name} as values of one kind, and it is an array of "
            f"records: pass its fields as columns, as pandas.DataFrame({name}) does."
        )
    return found


def _of_frame(X):
    """Return the values of a frame; those of nullable columns of numbers as numbers."""
    try:
        found = X.to_numpy()
    except TypeError:  # polars, of dates beside numbers
        return np.column_stack([c.to_numpy().astype(object) for c in X])
    if found.dtype.kind == "O" and hasattr(X, "iloc"):
        kinds = {getattr(dtype, "kind", "O") for dtype in X.dtypes}
        if kinds and kinds <= set("iuf"):  # objects for the mark of what is missing
            columns = [X.iloc[:, i] for i in range(X.shape[1])]
            return np.column_stack([_numbers_of_column(c) for c in columns])
    return found


def _numbers_of_column(column):
    if not column.isna().any():
        return column.to_numpy(dtype=getattr(column.dtype, "numpy_dtype", None))
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def shown_value(value):
    """Return the text of a value for a message, cut; its kind where it has none."""
    try:
        text = repr(value)
    except Exception:
        text = f"an object of {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def refuse_mask(X, name):
    """Raise for masked values, whose mask most models and functions ignore."""
    if isinstance(X, np.ma.MaskedArray) and np.any(X.mask):
        raise ValueError(
            f"{name} is a masked array, whose mask would be lost: pass "
            f"{name}.filled(np.nan), of floats, in which NaN is what is missing."
        )


def is_value(X):
    """Return whether X is one value: a number, a date, an array without axes."""
    return isinstance(X, numbers.Number) or getattr(X, "shape", None) == ()


def refuse_unordered(X, name, caller):
    """Raise for a dict, a set, a generator and the like, which are no sequences.

    Parameters
    ----------
    X : object
        What should be an array, a list or a frame.
    name, caller : str
        The parameter and the public class or function, for the message.
    """
    once = isinstance(X, Iterator)
    if once or isinstance(X, (Mapping, Set, ValuesView)):
        why = "can be read only once" if once else "has no order of rows"
        raise TypeError(
            f"{caller} needs {name} as an array, a list or a frame; a "
            f"{type(X).__name__} {why}. Pass list({name}), if that is what is meant."
        )


def is_mapped(X):
    """Return whether X is an array in a file that is mapped for reading alone.

    Nobody can write to it, so that it need not be copied.
    """
    if not isinstance(X, np.ndarray) or X.flags.writeable:
        return False
    while isinstance(X, np.ndarray) and not isinstance(X, np.memmap):
        X = X.base
    return isinstance(X, np.memmap)


def is_missing(value):
    """Return whether one value is None, NaN, NaT or NA."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, numbers.Real) and value != value


def missing_mask(values):
    """Return which values of an array are missing, in its shape."""
    if values.dtype.kind == "O":
        flags = [is_missing(value) for value in values.ravel()]
        return np.array(flags, dtype=bool).reshape(values.shape)
    if values.dtype.kind in "fmM":
        return values != values  # NaN and NaT alone
    return np.zeros(values.shape, dtype=bool)


def one_per_row(values, name="X", caller="skrobust"):
    """Return one value per row as an array that keeps what is missing.

    NumPy makes the text "nan" of a NaN in a list of text, and drops masks; here what is
    missing (NaN, None, NA, NaT, masked) stays so.

    Parameters
    ----------
    values : sequence, array, series of pandas or polars, Categorical, or tensor
        Groups, clips, labels, times, weights.
    name, caller : str
        The parameter and the public class or function, for messages.

    Returns
    -------
    ndarray
        Of dtype object where a list mixes text with other values.
    """
    if isinstance(values, np.ma.MaskedArray):
        if not values.mask.any():
            return values.data
        kept = values.data.astype(object)
        kept[values.mask] = None
        return kept
    found = to_array(values, name, caller)
    if found.dtype.kind in "US" and not hasattr(values, "dtype"):
        kept = np.array(values, dtype=object)
        if not all(isinstance(value, (str, bytes)) for value in kept.ravel()):
            return kept
    return found


def like(values, X):
    """Put values back into the kind of container that X is.

    Parameters
    ----------
    values : ndarray
        New values, of the shape of ``X``.
    X : array-like, data frame or tensor
        The container to imitate: a frame keeps its columns, their order, its index and
        the types of its columns as :func:`~skrobust._column_numbers.numbers_in` says.

    Returns
    -------
    container
        Of the type of ``X``; a numpy array for plain sequences.
    """
    if _family(X) == "torch":
        import torch

        dtype = X.dtype if X.is_floating_point() else None
        return torch.from_numpy(np.ascontiguousarray(values)).to(X.device, dtype)
    if not is_frame(X):
        return values
    if _family(X) == "polars":
        columns = zip(X.get_columns(), np.asarray(values).T, strict=True)
        return type(X)([numbers_in(old, new) for old, new in columns])
    frame = type(X)(values, index=X.index, columns=range(X.shape[1]))
    for place, (old, new) in enumerate(zip(X.dtypes, frame.dtypes, strict=True)):
        if old != new and not (isinstance(old, np.dtype) and old.kind != "f"):
            cells = frame.iloc[:, place].to_numpy()
            frame.isetitem(place, numbers_in(X.iloc[:, place], cells))
    frame.columns = X.columns  # by place: names may occur twice
    return frame


def is_text(X):
    """Return whether rows are strings, one each."""
    if is_frame(X) or len(shape_of(X)) != 1:
        return False
    values = np.asarray(X)
    return values.dtype.kind in "UT" or (
        values.dtype.kind == "O" and all(isinstance(v, str) for v in values)
    )
