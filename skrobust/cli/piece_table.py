"""Parquet files as one table, of which only what is needed is read."""

from collections.abc import Sequence

from skrobust._optional import require
from skrobust._parquet import ParquetPieces
from skrobust.cli.exit_codes import as_user_error

UNREADABLE = (ValueError, OSError)  # also errors of the parser


class PieceTable:
    """Table in parquet files, with the few methods of a data frame that pools need.

    Parameters
    ----------
    files : list of Path
        One at least.
    source : str
        As the user named it.
    """

    def __init__(self, files, source):
        self._pandas = require("pandas", "A table", extra="report")
        require("pyarrow", "A parquet file", extra="parquet")
        self._trouble = f"{source!r} could not be read as parquet"
        with as_user_error(self._trouble, UNREADABLE):
            self._pieces = ParquetPieces(files, "A parquet file")
        self.columns = self._pieces.columns

    def __len__(self):
        return len(self._pieces)

    def __getitem__(self, name):
        """Return a whole column as a series."""
        return self._pandas.concat([part[name] for part in self.parts([name])])

    def parts(self, names):
        """Yield data frames of some columns, one after the other."""
        with as_user_error(self._trouble, UNREADABLE):
            for _, _, batch in self._pieces.batches(names):
                yield batch.replace_schema_metadata(None).to_pandas()

    def cell(self, name, i):
        """Return the value of a column in a row."""
        with as_user_error(self._trouble, UNREADABLE):
            return self._pieces.cell(name, i)


class RowNumbers(Sequence):
    """Names of the rows of a table that has none: "0", "1", ..."""

    def __init__(self, n):
        self._rows = range(n)

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [str(row) for row in self._rows[i]]
        return str(self._rows[i])
