"""Tables on disk as data frames: CSV and parquet."""

import warnings

from skrobust._optional import require
from skrobust.cli.exit_codes import UserError, as_user_error

PARQUET = (".parquet", ".pq")
_CODE = r"\s*[+-]?(0\d+|\d+[eE]\d+)\s*"  # a number that need not be meant as one


def read_table(path, as_text, labels=(), n_rows=None):
    """Read a CSV file, or a parquet file with pyarrow; text such as NA stays text.

    Of a CSV file ``n_rows`` reads only the first rows.
    """
    pandas = require("pandas", "A table", extra="report")
    kinds = (ValueError, OSError)  # also errors of the parsers
    if {".npy", ".tar", ".tgz"} & set(path.suffixes):
        raise UserError(
            f"{path.name!r} is no table; skrobust attack reads npy and tar files with "
            "--batch-size, and here a CSV or parquet file is needed."
        )
    if path.suffix.lower() in PARQUET:
        require("pyarrow", "A parquet file", extra="parquet")
        with as_user_error(f"{path.name!r} could not be read as parquet", kinds):
            return pandas.read_parquet(path)
    with as_user_error(f"{path.name!r} could not be read as CSV", kinds):
        frame = _read_csv(pandas, path, as_text, n_rows)
        return frame if n_rows == 0 else _with_codes(pandas, path, frame, labels)


def _with_codes(pandas, path, frame, labels):
    """Return a table in which labels that are codes are text."""
    codes = [n for n in labels if n in frame.columns and frame[n].dtype.kind in "iuf"]
    if codes:
        plain = pandas.read_csv(path, usecols=codes, dtype=str, index_col=False)
        for name in codes:
            if plain[name].str.fullmatch(_CODE, na=False).any():
                frame[name] = plain[name]
    return frame


def _read_csv(pandas, path, as_text, n_rows):
    with warnings.catch_warnings():  # else a field too many shifts all columns
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        try:
            frame = pandas.read_csv(path, dtype=as_text, index_col=False, nrows=n_rows)
        except pandas.errors.ParserWarning as error:
            text = f"{path.name!r} has rows with more fields than its header."
            raise UserError(text) from error
        except UnicodeDecodeError as error:
            raise UserError(f"{path.name!r} is not UTF-8; save it so.") from error
    # Text columns get words such as NA back, which pandas reads as missing.
    holes = [
        name
        for name in frame.columns[frame.isna().any()]
        if name in as_text or not pandas.api.types.is_numeric_dtype(frame[name])
    ]
    if holes:
        plain = pandas.read_csv(
            path, dtype=str, keep_default_na=False, na_values=[""], index_col=False
        )
        frame[holes] = plain[holes]
    return frame
