"""Data frames with text, categories and dates as rows of numbers, and back."""

import copy
from functools import partial
from hashlib import blake2b

import numpy as np

from skrobust._containers import is_frame, to_array
from skrobust._validation import invalid
from skrobust.base.coded_constraints import coded_constraints, coded_range
from skrobust.base.constraint_reader import Reader
from skrobust.base.frame_columns import (
    cells,
    column_at,
    joined_frames,
    level_series,
    numbers_of,
    rows_at,
    with_columns,
)


class CodedFrame:
    """A data frame as rows of numbers.

    A coded row holds the numbers that may change, the indicators of each category that
    may change, and last the code of its other cells, which never change: those of text,
    categories and dates without ``valid_values``, and of frozen columns. The code is
    made of the cells, so that draws do not depend on the order of rows.

    Parameters
    ----------
    X : data frame of pandas or polars
        Rows under attack.
    numbers : list of (ndarray or None)
        Values of each column; None where it holds no numbers.
    constraints : Constraints
        By the places of columns.
    frozen : set of int
        Places of the columns that it freezes.
    attack : BaseAttack
        Whose constraints, ``data_range`` and ``starts`` are coded too.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_coded), float64
        The coded rows.
    attack : BaseAttack
        A copy of the attack, for coded rows.
    free, fixed, coded : list of int
        Places of the columns whose numbers may change, of those that are frozen, and of
        both; the places of these in coded rows are 0, 1, ...
    groups : dict of int to slice
        Where coded rows hold the indicators of a category, by the place of its column.
    levels : dict of int to list
        What the indicators stand for.
    """

    def __init__(self, X, numbers, constraints, frozen, attack):
        self._caller = type(attack).__name__
        self.names = list(X.columns)
        self.numbers = numbers
        self._reader = Reader(
            np.column_stack([np.zeros(len(X)) if v is None else v for v in numbers]),
            self._caller,
        )
        levels = constraints.valid_values
        if isinstance(levels, dict):
            place = partial(self._reader.place, parameter="valid_values")
            levels = {place(feature): known for feature, known in levels.items()}
            constraints.valid_values = levels
        chosen = [p for p in levels or () if p not in frozen and numbers[p] is None]
        self.levels = {p: list(levels[p]) for p in chosen}
        known = [p for p, v in enumerate(numbers) if v is not None]
        self.free = [p for p in known if p not in frozen]
        finite = [p for p in known if np.isfinite(numbers[p]).all()]
        self.fixed = [p for p in finite if p in frozen]
        self._refuse(constraints, X)
        self.coded = [*self.free, *self.fixed]
        self.groups, edge = {}, len(self.coded)
        for place, known in self.levels.items():
            self.groups[place] = slice(edge, edge + len(known))
            edge += len(known)
        self._series = {p: self._level_series(column_at(X, p), p) for p in self.levels}
        changing = {*self.free, *self.groups}
        self._kept = [p for p in range(len(numbers)) if p not in changing]
        self.frame, self._codes, self._rows = X, np.zeros(0), np.zeros(0, dtype=int)
        self._index = getattr(X, "index", None)
        self.values = self._encode(X, 0)
        self.attack = copy.copy(attack)
        self.attack.constraints = coded_constraints(
            self, constraints, attack.norm, self._reader
        )
        if attack.data_range is not None:
            bounds = coded_range(self, attack.data_range, self._caller)
            self.attack.data_range = bounds
        if is_frame(getattr(attack, "starts", None)):
            self.attack.starts = self.encode(attack.starts, "starts")

    def _refuse(self, constraints, X):
        """Say what cannot change, or which cell a number is asked of."""
        if not self.free and not self.levels:
            raise ValueError(
                f"{self._caller} finds nothing to change: no column of X that may "
                "change holds numbers. Give the values that a category may take, "
                "Constraints(valid_values={name: [...]})."
            )
        asked = [
            ("integer", constraints.integer if np.iterable(constraints.integer) else ())
        ]
        groups = self._reader.group_places(constraints.one_hot)
        asked += [("one_hot", group) for group in groups]
        for parameter, spec in asked:
            for place in self._reader.places(spec, parameter).tolist():
                if self.numbers[place] is None:
                    cell = cells(column_at(X, place))[0]
                    raise ValueError(
                        f"{self._caller} changes numbers, and column "
                        f"{self.names[place]!r} holds {cell!r}: it is frozen and "
                        f"cannot be {parameter}. To change it, give the values that it "
                        "may take, Constraints(valid_values={name: [...]})."
                    )

    def _level_series(self, column, place):
        """Return levels as cells of a column, or say which is none of its type."""
        levels = self.levels[place]
        try:
            series = level_series(column, levels)
            fine = series.to_numpy().tolist() == levels and len(levels) > 0
            fine = fine and len(set(levels)) == len(levels)
        except Exception:  # whatever the library says of a value of another type
            fine = False
        if not fine:
            rule = f"different values of the type of column {self.names[place]!r}"
            raise invalid("valid_values", "Constraints", rule, levels)
        return series

    def encode(self, rows, name):
        """Return other rows of the frame as coded rows, and learn their cells."""
        absent = [column for column in self.names if column not in rows.columns]
        if absent:
            raise ValueError(
                f"{self._caller} needs {name} with the columns of X; {absent[0]!r} is "
                "not there."
            )
        rows, before = rows[self.names], len(self.frame)
        self.frame = joined_frames(self.frame, rows)
        found = [numbers_of(column_at(rows, p)) for p in range(len(self.names))]
        self.numbers = [
            None if old is None or new is None else np.concatenate([old, new])
            for old, new in zip(self.numbers, found, strict=True)
        ]
        return self._encode(rows, before)

    def _encode(self, rows, first):
        """Return coded rows for the rows of the frame from a place on."""
        out = np.zeros((len(rows), len(self.coded) + 1), dtype=np.float64)
        for column, place in enumerate(self.coded):
            values = self.numbers[place][first:]
            if not np.isfinite(values).all():
                raise ValueError(
                    f"{self._caller} needs finite X; column {self.names[place]!r} "
                    "contains NaN or infinity, first in row "
                    f"{int(np.isfinite(values).argmin())}. Freeze the column, or fill "
                    "it before."
                )
            out[:, column] = values
        out[:, -1] = self._learn(rows, first)
        blocks = [self.indicators_of(rows, place) for place in self.levels]
        return np.hstack([out[:, :-1], *blocks, out[:, -1:]])

    def level_cells(self, place):
        """Return the levels of a category as cells of its column."""
        return self._series[place]

    def indicators_of(self, rows, place):
        """Return the indicators of a category in rows of the frame."""
        known = {level: i for i, level in enumerate(self.levels[place])}
        found = [known.get(cell, -1) for cell in cells(column_at(rows, place)).tolist()]
        found = np.array(found)
        if (found < 0).any():
            raise ValueError(
                f"{self._caller} needs clean rows that keep its constraints: column "
                f"{self.names[place]!r} must hold the valid_values given for it, and "
                f"row {int((found < 0).argmax())} does not."
            )
        return np.eye(len(known))[found]

    def _learn(self, rows, first):
        """Return codes of the cells that never change, and where rows hold them."""
        columns = [cells(column_at(rows, place)).tolist() for place in self._kept]
        codes = np.zeros(len(rows))
        for row in range(len(rows)):
            text = "\x1f".join(repr(column[row]) for column in columns)
            digest = blake2b(text.encode(), digest_size=8).digest()
            codes[row] = int.from_bytes(digest, "big") >> 11  # 53 bits: exact
        every = np.concatenate([self._codes, codes])
        places = np.concatenate([self._rows, first + np.arange(len(rows))])
        self._codes, where = np.unique(every, return_index=True)
        self._rows = places[where]
        return codes

    def rows(self, values):
        """Return where in the frame the cells stand that coded rows do not change."""
        values = np.asarray(values, dtype=np.float64)
        found = np.searchsorted(self._codes, values[:, -1])
        return self._rows[np.minimum(found, len(self._rows) - 1)]

    def decode(self, values):
        """Return the rows of the frame for coded rows; the index of X where it fits."""
        values = np.asarray(to_array(values), dtype=np.float64)
        places = self.rows(values)
        frame = rows_at(self.frame, places)
        if self._index is not None and len(values) == len(self._index):
            frame = frame.set_axis(self._index)
        changes = {p: values[:, column] for column, p in enumerate(self.free)}
        for place, part in self.groups.items():
            hot, series = values[:, part].argmax(axis=1), self._series[place]
            picked = series.iloc[hot] if hasattr(series, "iloc") else series[hot]
            changes[place] = picked
        return with_columns(frame, changes)
