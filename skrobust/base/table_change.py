"""Change of a table: how far numbers move, and how many of the other cells change."""

import datetime
import numbers

import numpy as np

from skrobust._containers import is_frame, is_missing, missing_mask, to_array
from skrobust._keyed_noise.row_hash import column_values, is_categorical
from skrobust._results import Results
from skrobust.base.changed_rows import same_cells
from skrobust.base.frame_columns import column_at

# The figures of a change, each beside the number of columns that it is about.
FIGURES = ("numbers", "categories", "dates", "missing")
KINDS = ("numbers", "dates", "categories")  # a column of several kinds is of the last
DAY = np.timedelta64(1, "D")
_SENTENCES = {
    "numbers": "numbers of {n} move by {v:.2g} standard deviations on average",
    "categories": "{v:.3g} % of the cells of {n} change",
    "dates": "dates of {n} move by {v:.2g} days on average",
    "missing": "{v:.3g} % of the cells of {n} go missing",
}


def table_columns(X):
    """Return the columns of a frame or a 2-D array, or None for other rows."""
    if is_frame(X):
        return [column_at(X, place) for place in range(X.shape[1])]
    if not hasattr(X, "shape") or len(X.shape) != 2 or not hasattr(X, "dtype"):
        return None
    return list(to_array(X).T)


def column_labels(X):
    """Return the names of the columns of a frame, or the places in an array."""
    return list(X.columns) if is_frame(X) else list(range(X.shape[1]))


def read_column(column):
    """Return what a column holds, and its values.

    Parameters
    ----------
    column : ndarray of shape (n,), series of pandas or polars
        One column.

    Returns
    -------
    kind : {"numbers", "dates", "categories"}
        Booleans, text and durations count as categories.
    values : ndarray of shape (n,)
        Floats with NaN, microseconds with NaT, or objects.
    """
    values = column_values(column)
    kind = values.dtype.kind
    if is_categorical(column) or kind in "bUSm":
        return "categories", values.astype(object)
    if kind in "iuf":
        return "numbers", values.astype(np.float64)
    if are_dates(values):
        known = values
        if kind == "O":
            known = [None if is_missing(v) else v for v in values]
        return "dates", np.array(known, "M8[us]")
    seen = [v for v in values if not is_missing(v)]
    if seen and all(_is_number(v) for v in seen):
        known = [np.nan if is_missing(v) else float(v) for v in values]
        return "numbers", np.array(known)
    return "categories", values


def are_dates(values):
    """Return whether the cells of a column are dates, with or without a time of day.

    Cells that are missing have no say; where all are, it is no column of dates.
    """
    if values.dtype.kind != "O":
        return values.dtype.kind == "M"
    seen = [v for v in values if not is_missing(v)]
    are = all(isinstance(v, (datetime.date, np.datetime64)) for v in seen)
    return bool(seen) and are


def _is_number(value):
    is_flag = isinstance(value, (bool, np.bool_))
    return isinstance(value, numbers.Real) and not is_flag


class ColumnUnits:
    """Standard deviations of the columns of numbers of a table.

    Parameters
    ----------
    X : data frame or ndarray of shape (n_samples, n_features)
        The rows that give the units, such as those of training.
    """

    def __init__(self, X):
        read = [read_column(column) for column in table_columns(X)]
        self.kinds = [kind for kind, _ in read]
        self.sd = np.array(
            [standard_deviation(v) if k == "numbers" else np.nan for k, v in read]
        )

    @classmethod
    def of(cls, X):
        """Return the units of a table, or None for other rows."""
        return None if table_columns(X) is None else cls(X)


def standard_deviation(values):
    """Return that of the finite values, exactly 0 where all are equal."""
    known = values[np.isfinite(values)]
    if not known.size or known.min() == known.max():
        return 0.0
    return float(known.std())


def table_change(X, moved, units):
    """Return what happened to the columns of a table.

    Parameters
    ----------
    X, moved : data frame or ndarray of shape (n_samples, n_features)
        Clean and perturbed rows.
    units : ColumnUnits
        Units of the columns.

    Returns
    -------
    figures : ndarray of shape (8,)
        For each of ``FIGURES`` its value and the number of columns: the mean absolute
        change of the cells of numbers in standard deviations (columns without a spread
        left out), the percentage of changed cells, the mean absolute shift in days, and
        the percentage of cells that went missing; each over the columns that it
        concerns, nan for none.
    touched : ndarray of bool of shape (n_features,)
        Which columns changed at all.
    """
    changes = column_changes(X, moved)
    return change_figures(changes, units.sd), touched_columns(changes)


def column_changes(X, moved):
    """Return what happened to each column, as sums that may be added over batches.

    Parameters
    ----------
    X, moved : data frame or ndarray of shape (n_samples, n_features)
        Clean and perturbed rows.

    Returns
    -------
    ndarray of shape (n_features, 6)
        The number of rows, of cells that went missing, and of those that changed else;
        the sum and the number of the steps of these; and the place of the kind of the
        column in ``KINDS``, -1 where no cell changed.
    """
    found = []
    for old, new in zip(table_columns(X), table_columns(moved), strict=True):
        kind, x = read_column(old)
        other, z = read_column(new)
        if kind != other:  # such as numbers that became text, or all went missing
            kind, x, z = "categories", _objects(old), _objects(new)
        gone, changed, steps = _cells(kind, x, z)
        place = KINDS.index(kind) if changed.any() else -1
        counts = len(x), gone.sum(), changed.sum(), steps.sum(), steps.size, place
        found.append(counts)
    return np.array(found, dtype=np.float64).reshape(len(found), 6)


def joined_changes(changes):
    """Return the changes of all batches, shape (n_features, 6)."""
    joined = np.sum(changes, axis=0)
    joined[:, 5] = np.max([part[:, 5] for part in changes], axis=0)
    return joined


def touched_columns(changes):
    """Return which columns changed at all."""
    return (changes[:, 1] > 0) | (changes[:, 2] > 0)


def change_figures(changes, sd):
    """Return the figures of :func:`table_change` from the changes of the columns.

    Parameters
    ----------
    changes : ndarray of shape (n_features, 6)
        As :func:`column_changes` returns them.
    sd : ndarray of shape (n_features,)
        Standard deviations of the columns of numbers.
    """
    found = {name: [] for name in FIGURES}
    for (n, gone, changed, total, known, place), unit in zip(changes, sd, strict=True):
        if gone:
            found["missing"].append(100 * (gone / n))
        if not changed:
            continue
        kind = KINDS[int(place)]
        if kind == "categories":
            found[kind].append(100 * (changed / n))
        elif kind == "dates" or unit > 0:
            size = total / known if known else 0.0
            found[kind].append(size / unit if kind == "numbers" else size)
    figures = []
    for name in FIGURES:
        values = found[name]
        figures += [float(np.mean(values)) if values else np.nan, len(values)]
    return np.array(figures)


def _objects(column):
    return column_values(column).astype(object)


def _cells(kind, x, z):
    """Return which cells went missing, which changed else, and the steps of these."""
    lost = missing_mask(x), missing_mask(z)
    if kind == "categories":
        pairs = _pairs(x, z, lost)
        same = np.array([same_cells(a, b) for a, b in pairs], dtype=bool)
        changed = ~lost[1]
        changed[~lost[0] & ~lost[1]] = ~same
        changed[lost[0] & lost[1]] = False
        return lost[1] & ~lost[0], changed, np.zeros(0)
    changed = (x != z) & ~lost[1]
    both = ~lost[0] & ~lost[1]
    step = np.abs(z[both] - x[both])
    if kind == "dates":
        step = step / DAY
    return lost[1] & ~lost[0], changed, step[np.isfinite(step)]


def _pairs(x, z, lost):
    known = ~lost[0] & ~lost[1]
    return zip(x[known].tolist(), z[known].tolist(), strict=True)


def change_words(figures):
    """Return the figures of a change as one line.

    Parameters
    ----------
    figures : ndarray of shape (8,)
        As :func:`table_change` returns them.

    Returns
    -------
    str
        Such as "numbers of 3 columns move by 0.2 standard deviations on average".
    """
    parts = []
    for i, name in enumerate(FIGURES):
        value, n = figures[2 * i : 2 * i + 2]
        if n > 0:
            columns = "1 column" if round(n) == 1 else f"{round(n)} columns"
            parts.append(_SENTENCES[name].format(v=value, n=columns))
    return "; ".join(parts) or "nothing changes"


class TableDescription:
    """Mixin of perturbations that say what they do to a table."""

    def describe(self, X, X_ref=None):
        """Return what this strength does to rows, in words and numbers.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to perturb; never changed.
        X_ref : array-like or data frame of shape (n_ref, n_features), default=None
            Rows whose standard deviations are the units, such as those of training;
            None takes those of ``X``.

        Returns
        -------
        results : Results
            ``words``; ``std_change``, the mean absolute change of numbers in standard
            deviations; ``percent_changed``, of the cells of categories;
            ``percent_missing``, of the cells that went missing; ``days``, the mean
            absolute shift of dates; each over the columns that it concerns, nan for
            none; and ``touched``, the columns that changed.

        Examples
        --------
        >>> import numpy as np
        >>> from skrobust.perturbations import MeanDrift
        >>> X = np.random.default_rng(0).normal(size=(50, 3))
        >>> MeanDrift(severity=4).fit(X).describe(X).words
        'numbers of 3 columns move by 1 standard deviations on average'
        """
        caller = f"{type(self).__name__}.describe"
        X, X_ref = (
            np.asarray(v) if isinstance(v, (list, tuple)) else v for v in (X, X_ref)
        )
        units = ColumnUnits.of(X if X_ref is None else X_ref)
        if units is None or table_columns(X) is None:
            raise ValueError(f"{caller} takes tables of shape (n_samples, n_features).")
        moved = self.perturb(None, X, None)
        figures, touched = table_change(X, moved, units)
        labels = column_labels(X)
        return Results(
            words=change_words(figures),
            std_change=figures[0],
            percent_changed=figures[2],
            days=figures[4],
            percent_missing=figures[6],
            touched=tuple(labels[j] for j in np.flatnonzero(touched)),
        )
