"""Columns of parquet files, read piece by piece."""

import bisect
import re

import numpy as np

from skrobust._folder_links import FolderLinks, is_linked_folder
from skrobust._optional import require

SUFFIXES = (".parquet", ".pq")
ROWS = 65_536  # at a time
EXACT = 2**53  # up to which float64 holds every integer
_INDEX = re.compile(r"__index_level_\d+__")  # written by pandas, no column of a table


def piece_files(path):
    """Return the parquet files of a path, in the order of their names.

    Parameters
    ----------
    path : Path
        A file, or a folder and all below it; names that begin with a dot or an
        underscore are left out, as such files hold no rows.

    Returns
    -------
    list of Path
        Empty where there are none.

    Raises
    ------
    ValueError
        For a link that leads out of the folder.
    """
    if not path.is_dir():
        return [path] if path.suffix.lower() in SUFFIXES and path.is_file() else []
    links = FolderLinks(path, "A folder of parquet files")
    found = [(file.relative_to(path).as_posix(), file) for file in path.rglob("*")]
    seen = [
        file
        for name, file in sorted(found)
        if not any(part[0] in "._" for part in name.split("/"))
    ]
    kept = [file for file in seen if file.suffix.lower() in SUFFIXES and file.is_file()]
    file, reason = links.first_refused([*kept, *filter(is_linked_folder, seen)])
    if reason is not None:
        raise ValueError(f"{str(file)!r} is not read: {reason}; copy the file.")
    return kept


class ParquetPieces:
    """Table in one or more parquet files, of which columns are read when needed.

    Parameters
    ----------
    files : list of Path
        One at least; each has the columns that are read.
    caller : str
        Name for messages.

    Attributes
    ----------
    columns : list of str
        Of the first file.
    stored : list of str
        The same, with what pandas stores of an index.
    starts : list of int
        First row of each file, and the number of all rows.
    """

    def __init__(self, files, caller):
        self._parquet = require("pyarrow.parquet", caller, extra="parquet")
        self.files, self.caller, self.starts = files, caller, [0]
        for at, file in enumerate(files):
            opened = self._open(file)
            names = [n for n in opened.schema_arrow.names if not _INDEX.fullmatch(n)]
            if not at:
                self.columns, self.stored = names, opened.schema_arrow.names
            self.starts.append(self.starts[-1] + opened.metadata.num_rows)

    def __len__(self):
        return self.starts[-1]

    def _open(self, file):
        try:
            return self._parquet.ParquetFile(file, memory_map=True)
        except (OSError, ValueError) as error:  # pyarrow's errors are either
            raise ValueError(
                f"{self.caller}: {str(file)!r} is damaged or no parquet file."
            ) from error

    def batches(self, columns, n_rows=ROWS):
        """Yield the first row, the file and a ``RecordBatch`` of the columns."""
        for start, file in zip(self.starts, self.files, strict=False):
            opened = self._open(file)
            self._check(columns, opened.schema_arrow.names, file)
            for batch in opened.iter_batches(n_rows, columns=list(columns)):
                yield start, file, batch.select(list(columns))
                start += batch.num_rows

    def cell(self, name, i):
        """Return the value of a column in a row; only its row group is read."""
        at = bisect.bisect_right(self.starts, i) - 1
        opened, i = self._open(self.files[at]), i - self.starts[at]
        self._check([name], opened.schema_arrow.names, self.files[at])
        for group in range(opened.metadata.num_row_groups):
            size = opened.metadata.row_group(group).num_rows
            if i < size:
                column = opened.read_row_group(group, columns=[name]).column(name)
                return column[i].as_py()
            i -= size
        raise IndexError(i)

    def _check(self, wanted, there, file):
        for name in wanted:
            if name not in there:
                raise ValueError(
                    f"{self.caller}: {file.name!r} has no column {name!r}; its columns "
                    f"are {', '.join(map(repr, there[:20]))}."
                )

    def numbers(self, name):
        """Return a column of numbers as float64."""
        values = np.empty(len(self))
        for start, file, batch in self.batches([name]):
            part = self._plain(self._full(batch.column(0), name, file), name, file)
            if part.dtype.kind not in "fiub":
                raise ValueError(
                    f"{self.caller}: the column {name!r} of {file.name!r} is no number."
                )
            if part.dtype.kind in "iu" and ((part > EXACT) | (part < -EXACT)).any():
                raise ValueError(
                    f"{self.caller}: the column {name!r} of {file.name!r} has integers "
                    "beyond 2**53, which float64 would round; store them scaled, or as "
                    "floats."
                )
            values[start : start + len(part)] = part
        return values

    def labels(self, name):
        """Return a column of labels: numbers of the kind stored, or text."""
        codes, known, values = None, {}, None
        for start, file, batch in self.batches([name]):
            part = self._full(batch.column(0), name, file)
            kind = str(part.type)
            if kind.startswith(("string", "large_string", "dictionary")):
                if codes is None:
                    codes = np.empty(len(self), dtype=np.int32)
                part = (
                    part if kind.startswith("dictionary") else part.dictionary_encode()
                )
                words = part.dictionary.to_pylist()
                number = [known.setdefault(word, len(known)) for word in words]
                part = np.array(number, dtype=np.int32)[part.indices.to_numpy()]
                target = codes
            else:
                part = self._plain(part, name, file)
                if values is None:
                    values = np.empty(len(self), dtype=part.dtype)
                target = values
            if (codes is not None and values is not None) or (
                target is values and part.dtype != values.dtype
            ):
                raise ValueError(
                    f"{self.caller}: the column {name!r} of {file.name!r} is of "
                    "another type than in the files before."
                )
            target[start : start + len(part)] = part
        if codes is None:
            return values
        return np.array(list(known))[codes]

    def _full(self, column, name, file):
        """Return a column, or raise where values are null."""
        if column.null_count:
            raise self._missing(name, file)
        return column

    def _plain(self, column, name, file):
        """Return a column as an array, or raise where values are NaN (no null)."""
        values = column.to_numpy(zero_copy_only=False)
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise self._missing(name, file)
        return values

    def _missing(self, name, file):
        return ValueError(
            f"{self.caller}: the column {name!r} of {file.name!r} has missing values "
            "(null or NaN); fill them, or leave their rows out of the file."
        )
