"""Rows and labels from a CSV file or a built-in data set."""

import warnings
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.utils import get_tags

from skrobust._optional import require
from skrobust.cli.exit_codes import UserError
from skrobust.report.section_log import one_line

BUILT_IN = {
    "digits": {"image_shape": (8, 8), "data_range": (0.0, 16.0)},
    "breast_cancer": {},
    "iris": {},
    "wine": {},
}


def load_data(source, target, model, *, beside=()):
    """Load the rows that a model takes, and their labels.

    Parameters
    ----------
    source : str
        Path of a CSV or parquet file, or the name of a built-in data set.
    target : str or None
        Column of the labels; needed for a file.
    model : fitted estimator
        Its feature names choose and order the columns; without names it gets an array.
    beside : sequence of str, default=()
        Columns that are wanted besides, such as groups. The model sees them where it
        was trained on them.

    Returns
    -------
    X : data frame or ndarray
        Rows.
    y : ndarray of shape (n_samples,)
        Labels.
    known : dict
        What is known of a built-in set: image shape and data range; and ``beside``, the
        values of those columns by name.
    """
    path = Path(source)
    if source in BUILT_IN and not path.is_file():
        frame, y = _built_in(source, target, model)
        known = dict(BUILT_IN[source])
    else:
        frame, y = _csv(path, target, _text_classes(model))
        known = {}
    _check_labels(y, model, target)
    known["beside"] = {name: _beside(frame, name, source) for name in beside}
    frame = without(frame, beside, model)
    return columns_for(model, frame, source), y, known


def load_rows(source, model, *, leave_out=()):
    """Load rows without labels, such as those of training, as a model takes them.

    Parameters
    ----------
    source : str
        Path of a CSV or parquet file.
    model : fitted estimator
        As in :func:`load_data`.
    leave_out : sequence of str
        Columns that are no features, such as the target; they may be absent.

    Returns
    -------
    data frame or ndarray
        The rows.
    """
    path = Path(source)
    if not path.is_file():
        raise UserError(f"There is no table {str(path)!r}.")
    frame = read_table(path)
    frame.columns = [str(name) for name in frame.columns]
    if not len(frame):
        raise UserError(f"{path.name!r} has no rows.")
    there = [name for name in leave_out if name in frame.columns]
    return columns_for(model, without(frame, there, model), source)


def without(frame, names, model):
    """Drop columns from a table, unless the model was trained on as many as it has."""
    if not names or hasattr(model, "feature_names_in_"):
        return frame  # names choose
    if getattr(model, "n_features_in_", None) == frame.shape[1]:
        return frame
    return frame.drop(columns=list(names))


def _beside(frame, name, source):
    if name not in frame.columns:
        raise UserError(
            f"{Path(source).name!r} has no column {name!r}; its columns are "
            f"{listed(map(str, frame.columns))}."
        )
    n_missing = int(frame[name].isna().sum())
    if n_missing:
        raise UserError(
            f"The column {name!r} of {Path(source).name!r} has {n_missing} missing "
            "values; fill or drop them first."
        )
    values = frame[name].to_numpy()
    return values if values.dtype.kind in "fiub" else values.astype(str)


def _built_in(name, target, model):
    if target not in (None, "target"):
        raise UserError(f"The built-in data set {name!r} has its own target.")
    bunch = getattr(datasets, f"load_{name}")(as_frame=True)
    y = bunch.target.to_numpy()
    if _text_classes(model):
        y = np.asarray(bunch.target_names).astype(str)[y]
    return bunch.data, y


def _text_classes(model):
    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    return bool(classes) and all(isinstance(label, str) for label in classes)


def _check_labels(y, model, target):
    classes = getattr(model, "classes_", ())
    if isinstance(classes, list):
        raise UserError("The model predicts several outputs; a report needs one.")
    classes = np.asarray(classes).tolist()
    if classes and not set(classes) & set(y.tolist()):
        raise UserError(
            f"No label in {target or 'target'!r}, such as {y.tolist()[0]!r}, is a "
            f"class of the model; its classes are {listed(classes)}."
        )


def _csv(path, target, as_text):
    if not path.is_file():
        names = ", ".join(BUILT_IN)
        raise UserError(
            f"There is no data file {str(path)!r}, and it is none of the built-in data "
            f"sets {names}."
        )
    frame = read_table(path, {target: str} if as_text else {})
    columns = [str(name) for name in frame.columns]
    if target is None:
        raise UserError(
            f"Say which column of {path.name!r} holds the labels with --target; its "
            f"columns are {listed(columns)}."
        )
    if target not in columns:
        raise UserError(
            f"{path.name!r} has no column {target!r}; its columns are "
            f"{listed(columns)}.{_separator_hint(columns)}"
        )
    if not len(frame):
        raise UserError(f"{path.name!r} has no rows.")
    labels = frame.pop(target)
    n_missing = int(labels.isna().sum())
    if n_missing:
        raise UserError(
            f"The target column {target!r} of {path.name!r} has {n_missing} missing "
            "values."
        )
    y = labels.to_numpy()
    if y.dtype.kind not in "fiub":
        y = np.array([str(label) for label in y])
    return frame, y


def read_table(path, as_text=()):
    """Read a CSV file, or a parquet file where pyarrow is there.

    Parameters
    ----------
    path : path
        Of the file.
    as_text : dict, default=()
        Columns of a CSV file to read as text, as ``{name: str}``.

    Returns
    -------
    DataFrame
        As in the file; text such as NA stays text.
    """
    pandas = require("pandas", "A table", extra="report")
    if path.suffix.lower() in (".parquet", ".pq"):
        require("pyarrow", "A parquet file", extra="parquet")
        return _read(pandas.read_parquet, path, "parquet")
    as_text = dict(as_text)

    def read(path):
        with warnings.catch_warnings():  # else a field too many shifts all columns
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            try:
                frame = pandas.read_csv(path, dtype=as_text, index_col=False)
            except pandas.errors.ParserWarning as error:
                raise UserError(
                    f"{path.name!r} has rows with more fields than its header."
                ) from error
        return _keep_words(pandas, frame, path, as_text)

    return _read(read, path, "CSV")


def _read(read, path, kind):
    try:
        return read(path)
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name!r} is not UTF-8; save it so.") from error
    except (ValueError, OSError) as error:  # the errors of the parsers are such, too
        raise UserError(
            f"{path.name!r} could not be read as {kind}: {one_line(error)}"
        ) from error


def _keep_words(pandas, frame, path, as_text):
    """Give text columns back words such as NA, which pandas reads as missing."""
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


def _separator_hint(columns):
    if len(columns) == 1 and any(mark in columns[0] for mark in ";\t|"):
        return " Fields must be separated by commas."
    return ""


def columns_for(model, frame, source, *, beside=" beside the target"):
    """Return the rows as the model wants them, or say what does not fit."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        absent = [str(name) for name in names if name not in frame.columns]
        if absent:
            raise UserError(
                f"{source!r} lacks columns that the model was trained on: "
                f"{listed(absent)}."
            )
        frame = frame[list(names)]
    else:
        wanted = getattr(model, "n_features_in_", None)
        if wanted is not None and wanted != frame.shape[1]:
            raise UserError(
                f"The model takes {wanted} features, and {source!r} has "
                f"{frame.shape[1]}{beside}."
            )
    holes = frame.isna()
    missing = frame.columns[holes.any()]
    if len(missing) and not _takes_nan(model, frame[holes.any(axis=1)], names is None):
        raise UserError(
            f"{source!r} has missing values in {listed(map(str, missing))}, which the "
            "model does not take; fill or drop them first."
        )
    if (
        names is None
        and frame.shape[1] == 1
        and frame.dtypes.iloc[0].kind not in "fiub"
    ):
        return frame.iloc[:, 0].to_numpy(dtype=object)  # texts, as a vectorizer wants
    return frame if names is not None else frame.to_numpy()


def _takes_nan(model, rows, plain):
    try:
        if get_tags(model).input_tags.allow_nan:
            return True
    except (AttributeError, TypeError):
        pass
    try:  # a pipeline that imputes some columns says no and takes them
        model.predict(rows.to_numpy() if plain else rows)
    except Exception:
        return False
    return True


def listed(names):
    """Return up to twenty names as text."""
    names = list(names)
    text = ", ".join(repr(name) for name in names[:20])
    return text if len(names) <= 20 else f"{text} and {len(names) - 20} more"
