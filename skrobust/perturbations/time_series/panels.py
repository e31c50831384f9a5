"""Panels: series of several lengths or at irregular times, and where they come from.

They are the rows of an array with labels of time, the cells of a frame, or groups of
rows of a frame.
"""

import warnings
from typing import NamedTuple

import numpy as np

from skrobust._column_numbers import numbers_in
from skrobust._containers import is_frame
from skrobust._keyed_noise.row_hash import object_cells
from skrobust._keyed_noise.splitmix import row_keys
from skrobust._stacklevel import level_outside
from skrobust.base.row_kind import column_without_numbers

_LONG_NAMES = {"id", "t", "time", "timestamp", "date", "datetime", "timepoints"}
TO_LONG = (
    "where each row is one point of a series, put the series and the time into the "
    "index: X.set_index(['id', 'time']), with the names of your columns"
)


class Part(NamedTuple):
    """Series of one length: their rows, values and the positions of their points.

    ``series`` has the shape (n, time, channels) and ``positions`` (n, time), from 0 to
    time - 1, or None for equally spaced points.
    """

    rows: np.ndarray
    series: np.ndarray
    positions: np.ndarray | None


class Panel:
    """Series of several lengths or at irregular times.

    Parameters
    ----------
    parts : list of Part
        The series, those of one length together.
    n_rows, n_channels : int
        Number of series, and of their channels.
    """

    def __init__(self, parts, n_rows, n_channels):
        self.parts = parts
        self.n_rows = n_rows
        self.n_channels = n_channels

    def keys(self):
        """Return a hash of the content of each row: that of the array of its values."""
        keys = np.empty(self.n_rows, dtype=np.uint64)
        for part in self.parts:
            keys[part.rows] = row_keys(part.series)
        return keys

    def points(self):
        """Return the values of all points, of shape (n_points, n_channels)."""
        flat = [part.series.reshape(-1, self.n_channels) for part in self.parts]
        return np.concatenate(flat)

    def rebuilt(self, series, whole=False):
        """Return new series, one array for each part, in the container that came in.

        ``whole`` says that integers were moved or repeated at most.
        """
        return series[0][..., 0]


class NestedPanel(Panel):
    """Series in the cells of a frame.

    Parameters
    ----------
    parts : list of Part
        As in :class:`Panel`.
    frame : DataFrame of shape (n_rows, n_channels)
        The frame.
    """

    def __init__(self, parts, frame):
        super().__init__(parts, *frame.shape)
        self.frame = frame

    def rebuilt(self, series, whole=False):
        """Return a frame of the new series."""
        out = self.frame.copy()
        for channel in range(self.n_channels):
            old = self.frame.iloc[:, channel].to_numpy()
            new = [None] * self.n_rows
            for part, values in zip(self.parts, series, strict=True):
                for row, cell in zip(part.rows, values[..., channel], strict=True):
                    new[row] = _cell_like(old[row], cell)
            column = self.frame.iloc[:, channel]
            out.isetitem(
                channel,
                column._constructor(object_cells(new), index=out.index, dtype=object),
            )
        return out


def _cell_like(old, values):
    if hasattr(old, "iloc"):
        new = numbers_in(old, np.array(values))
        return old._constructor(new, index=old.index, name=old.name)
    if isinstance(old, np.ndarray):
        return values.astype(old.dtype if old.dtype.kind == "f" else values.dtype)
    return values.tolist()


def is_nested(X):
    """Return whether X is a frame of pandas whose cells are series."""
    if not is_frame(X) or not hasattr(X, "iloc") or 0 in X.shape:
        return False
    if any(str(dtype) != "object" for dtype in X.dtypes):
        return False
    return all(
        hasattr(v, "iloc") or isinstance(v, (np.ndarray, list)) for v in X.iloc[0]
    )


def read_nested(X, caller):
    """Return the panel of a frame with a column per channel and series for cells.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_channels)
        Cells are series, whose index is time, arrays or lists.
    caller : str
        Name of the public class, for error messages.
    """
    found = []
    for row, cells in enumerate(X.itertuples(index=False, name=None)):
        values = [_numbers(cell, row, caller) for cell in cells]
        times = [_times(cell) for cell in cells]
        known = [t for t in times if t is not None]
        if len({len(v) for v in values}) > 1 or any(
            not np.array_equal(t, known[0]) for t in known
        ):
            raise ValueError(
                f"{caller} needs one length and one index of time in the channels of a "
                f"series; those of row {row} differ: resample them to common times."
            )
        positions = positions_at(known[0], f"row {row}", caller) if known else None
        found.append((np.stack(values, -1), positions))
    return NestedPanel(parts_of(found), X)


def parts_of(series):
    """Return the parts of a panel.

    Parameters
    ----------
    series : list of (ndarray of shape (time, channels), ndarray or None)
        Values and positions of each series.
    """
    groups = {}
    for row, (values, positions) in enumerate(series):
        key = len(values), positions is not None
        groups.setdefault(key, []).append((row, values, positions))
    parts = []
    for (_, irregular), found in groups.items():
        rows, values, positions = zip(*found, strict=True)
        positions = np.stack(positions) if irregular else None
        parts.append(Part(np.array(rows), np.stack(values), positions))
    return parts


def read_wide(X, values, caller):
    """Return the values of a frame with a column per point, or their panel.

    A panel where the columns are labelled by times (dates, durations, floats) that are
    not equally spaced. Warns of names that are those of series and points.
    """
    labels = getattr(X, "columns", None)
    if labels is not None and _may_be_long(labels, values):
        warnings.warn(
            f"{caller} takes the columns of a data frame for points in time, and these "
            f"({', '.join(map(str, labels[:4]))}) seem to name series and points: "
            f"{TO_LONG}; otherwise pass X.to_numpy().",
            UserWarning,
            stacklevel=level_outside(),
        )
    if getattr(getattr(labels, "dtype", None), "kind", "O") not in "fMm":
        return values
    positions = positions_at(index_numbers(labels), "the columns", caller)
    if positions is None:
        return values
    rows = np.arange(len(values))
    part = Part(rows, values[..., None], np.tile(positions, (len(values), 1)))
    return Panel([part], len(values), 1)


def refuse_text_columns(X, caller):
    """Raise if a frame has a column of no numbers, which is no point in time."""
    other = column_without_numbers(X) if is_frame(X) else None
    if other is not None:
        raise ValueError(
            f"{caller} takes series, a number in each column, and {other} holds no "
            f"numbers: {TO_LONG}."
        )


def _may_be_long(labels, values):
    """Return whether a frame looks like a long panel whose index became columns.

    No column is numbered, as points in time are, and one has a name such as "time", or
    the first has blocks of equal values in their order, as the names of series do.
    """
    names = [str(label).lower() for label in labels]
    if not names or any(name[-1:].isdecimal() for name in names):
        return False
    steps = np.diff(values[:, 0])
    return not _LONG_NAMES.isdisjoint(names) or bool(
        (steps >= 0).all() and (steps == 0).any() and (steps > 0).any()
    )


def _numbers(cell, row, caller):
    values = np.asarray(cell)
    nullable = getattr(getattr(cell, "dtype", None), "kind", "O") in "biuf"
    if values.dtype.kind == "O" and nullable:
        values = cell.to_numpy(dtype=np.float64, na_value=np.nan)
    if values.ndim != 1 or values.dtype.kind not in "biuf" or not len(values):
        raise ValueError(
            f"{caller} takes frames whose cells are series of numbers; row {row} "
            f"holds {str(cell)[:60]!r} of type {type(cell).__name__}: drop the row, or "
            "give it a series (NaN marks missing points)."
        )
    return values


def _times(cell):
    return index_numbers(cell.index) if hasattr(cell, "iloc") else None


def index_numbers(index):
    """Return an index of numbers, dates, durations or periods as floats, or None."""
    if hasattr(index, "freqstr") and hasattr(index, "to_timestamp"):
        index = index.to_timestamp()
    kind = getattr(index.dtype, "kind", "O")
    if kind in "iuf":
        return np.asarray(index, dtype=np.float64)
    if kind not in "Mm":
        return None
    arrow = getattr(index.dtype, "pyarrow_dtype", None)
    if getattr(index.dtype, "tz", None) or getattr(arrow, "tz", None):
        index = index.to_series().dt.tz_convert("UTC").dt.tz_localize(None)
    times = np.asarray(index.to_numpy())
    if times.dtype.kind != kind:  # dates of pyarrow are objects
        times = times.astype(f"{kind}8[us]")
    # Nanoseconds wrap after 292 years: whole seconds and the rest are taken apart.
    seconds = times.astype(f"{kind}8[s]")
    rest = (times - seconds).astype("m8[ns]").astype(np.float64)
    return (seconds - seconds[0]).astype(np.float64) * 1e9 + (rest - rest[0])


def positions_at(times, place, caller):
    """Return times from 0 to their number less 1, or None where equally spaced."""
    steps = np.diff(times)
    if not ((steps > 0).all() or (steps < 0).all()):
        raise ValueError(
            f"{caller} needs times that increase; those of {place} do not: sort the "
            "points by time, and keep one for each time."
        )
    if len(times) < 3 or np.allclose(steps, steps[0], rtol=1e-6, atol=0):
        return None
    return (times - times[0]) / (times[-1] - times[0]) * (len(times) - 1)
