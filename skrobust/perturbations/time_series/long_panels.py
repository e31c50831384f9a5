"""Long panels: frames of pandas with a row for each point of each series.

The last level of their index is the time, those before it name the series, and columns
are channels: the format of sktime and of many tables of measurements.
"""

import numpy as np

from skrobust._column_numbers import numbers_in
from skrobust._containers import is_frame
from skrobust.base.row_kind import column_without_numbers
from skrobust.perturbations.time_series.panels import (
    Panel,
    index_numbers,
    parts_of,
    positions_at,
)

_TO_INDEX = (
    "where each row is a point of a series, put the columns that name the series and "
    "the time into the index, X.set_index(['id', 'time'])"
)


class LongPanel(Panel):
    """Series in the rows of a frame.

    Parameters
    ----------
    parts : list of Part
        As in :class:`Panel`.
    frame : DataFrame of shape (n_points, n_channels)
        The frame.
    places : list of ndarray
        The rows of the frame that each series has.
    """

    def __init__(self, parts, frame, places):
        super().__init__(parts, len(places), frame.shape[1])
        self.frame = frame
        self.places = places

    def rebuilt(self, series, whole=False):
        """Return a frame of the new series; ``whole`` keeps columns of integers."""
        points = np.empty(self.frame.shape, dtype=np.result_type(*series))
        for part, values in zip(self.parts, series, strict=True):
            for row, new in zip(part.rows, values, strict=True):
                points[self.places[row]] = new
        out = self.frame.copy()
        for channel, new in enumerate(points.T):
            old = self.frame.iloc[:, channel]
            cells = numbers_in(old, new, whole=whole)
            out.isetitem(channel, old._constructor(cells, index=out.index))
        return out


def refuse_columns_without_numbers(X, caller):
    """Raise for a frame with a column of text or of dates, such as a flat long panel.

    Parameters
    ----------
    X : DataFrame of shape (n_rows, n_columns)
        The frame.
    caller : str
        Name of the public class, for error messages.
    """
    other = column_without_numbers(X)
    if other is not None:
        raise ValueError(
            f"{caller} takes frames of numbers, and {other} holds none: {_TO_INDEX}."
        )


def is_long(X):
    """Return whether X is a frame of pandas whose index has levels: series and time.

    Columns labelled by times (dates, durations, floats) are points in time, and such a
    frame has a series in each row, whatever its index.
    """
    if not is_frame(X) or getattr(getattr(X, "index", None), "nlevels", 1) < 2:
        return False
    return getattr(getattr(X.columns, "dtype", None), "kind", "O") not in "fMm"


def read_long(X, values, caller):
    """Return the panel of a frame with a row for each point of each series.

    Parameters
    ----------
    X : DataFrame of shape (n_points, n_channels)
        Rows of one series need not be neighbours; its times increase.
    values : ndarray of shape (n_points, n_channels)
        The numbers in it.
    caller : str
        Name of the public class, for error messages.
    """
    *outer, inner = (X.index.get_level_values(k) for k in range(X.index.nlevels))
    times = index_numbers(inner)
    if times is None or (
        _is_of_times(inner) < max(_is_of_times(level) for level in outer)
    ):
        raise ValueError(
            f"{caller} takes the last level of an index for the time (numbers, dates "
            f"or durations) and those before it for the series, and level "
            f"{X.index.names[-1]!r} holds {str(inner[0])[:40]!r}: bring the time to "
            "the end (X.reorder_levels), or pass X.reset_index(drop=True) where each "
            "row is a series."
        )
    codes, names = X.index.droplevel(-1).factorize(use_na_sentinel=False)
    if len(names) == len(codes):
        raise ValueError(
            f"{caller} takes the rows of a frame whose index has levels for points in "
            f"time, and here each of the {len(codes)} series has one point: pass "
            "X.reset_index(drop=True) where each row is a series."
        )
    order = np.argsort(codes, kind="stable")
    places = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    found = [
        (values[rows], positions_at(times[rows], f"series {name!r}", caller))
        for name, rows in zip(names.tolist(), places, strict=True)
    ]
    return LongPanel(parts_of(found), X, places)


def _is_of_times(index):
    return hasattr(index, "freqstr") or getattr(index.dtype, "kind", "O") in "Mm"
