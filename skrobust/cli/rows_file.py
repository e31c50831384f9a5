"""Rows and labels from a table file or a built-in data set."""

import contextlib
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.utils import get_tags

from skrobust._responses import respond
from skrobust.cli.exit_codes import UserError
from skrobust.cli.table_file import read_table

BUILT_IN = {
    "digits": {"image_shape": (8, 8), "data_range": (0.0, 16.0)},
    "breast_cancer": {},
    "iris": {},
    "wine": {},
}


def load_data(source, target, model, *, beside=()):
    """Load the rows that a model takes, and their labels.

    :func:`check_columns` has seen that the columns are there.

    Parameters
    ----------
    source : str
        Path of a CSV or parquet file, or the name of a built-in data set.
    target : str or None
        Column of the labels; needed for a file.
    model : fitted estimator
        Its feature names choose and order the columns; without names it gets an array.
    beside : sequence of str, default=()
        Further columns to return, such as groups. The model sees them where it was
        trained on them.

    Returns
    -------
    X : data frame or ndarray
        Rows.
    y : ndarray of shape (n_samples,)
        Labels.
    known : dict
        Facts about a built-in set: image shape and data range; and ``beside``, the
        values of those columns by name.
    """
    if source in BUILT_IN and not Path(source).is_file():
        bunch = load_built_in(source)
        frame, y, known = bunch.data, bunch.target.to_numpy(), dict(BUILT_IN[source])
        if _has_text_classes(model):
            y = np.asarray(bunch.target_names).astype(str)[y]
    else:
        texts = _has_text_classes(model)
        frame, y = _load_labelled(Path(source), target, texts, beside)
        known = {}
    _check_labels(y, model, target)
    name = Path(source).name
    cure = "; fill or drop them first."
    columns = {column: full_column(frame, column, name, cure=cure) for column in beside}
    known["beside"] = columns
    return columns_for(model, without(frame, beside, model), source), y, known


def load_train(options, model, *, beside=()):
    """Load the training rows of ``--x-train`` as a model takes them, or return None.

    Parameters
    ----------
    options : dict
        Options of the command: ``x_train`` and ``target``, which may be absent there.
    model : fitted estimator
        As in :func:`load_data`.
    beside : sequence of str
        Further columns that are no features; they may be absent.

    Returns
    -------
    data frame or ndarray or None
        The rows.
    """
    source = options["x_train"]
    if not source:
        return None
    frame = open_table(source)
    there = [n for n in (options["target"], *beside) if n in frame.columns]
    return columns_for(model, without(frame, there, model), source)


def open_table(source, as_text=(), *, labels=()):
    """Return a table file with text names of its columns and at least one row.

    Columns that are named in ``labels`` stay text where they hold codes that differ as
    text and may be equal as numbers: leading zeros (02139), or an exponent (1e5).
    """
    path = Path(source)
    if not path.is_file():
        raise UserError(f"There is no table {str(path)!r}.")
    frame = read_table(path, dict.fromkeys(as_text, str), labels)
    frame.columns = [str(name) for name in frame.columns]
    return check_rows(frame, path.name)


def load_built_in(name):
    """Return a built-in data set of scikit-learn with its rows as a data frame."""
    return getattr(datasets, f"load_{name}")(as_frame=True)


def no_such_data(kind, source):
    """Return the error for data that is neither a file nor built in."""
    return UserError(
        f"There is no {kind} {source!r}, and no built-in data set of this name; there "
        f"are {', '.join(BUILT_IN)}."
    )


def check_rows(frame, name):
    """Return a table, or raise where it has no rows."""
    if not len(frame):
        raise UserError(f"{name!r} has no rows.")
    return frame


def without(frame, names, model):
    """Drop columns from a table, unless the model was trained on as many as it has."""
    if not names or hasattr(model, "feature_names_in_"):
        return frame  # names choose
    if getattr(model, "n_features_in_", None) == frame.shape[1]:
        return frame
    return frame.drop(columns=list(names))


def column_of(frame, name, source, option="", hint=""):
    """Return a column of a table, or say which there are."""
    if name not in frame.columns:
        where = f"{option}: " if option else ""
        raise UserError(
            f"{where}{source!r} has no column {name!r}; its columns are "
            f"{listed(map(str, frame.columns))}.{hint}"
        )
    return frame[name]


def full_column(frame, name, source, option="", cure=".", kind="column"):
    """Return a column without holes as an array of numbers or text."""
    column = column_of(frame, name, source, option)
    n_missing = int(column.isna().sum())
    if n_missing:
        raise UserError(
            f"The {kind} {name!r} of {source!r} has {n_missing} missing values{cure}"
        )
    values = column.to_numpy()
    if values.dtype.kind in "fiub":
        return values
    return np.array([str(value) for value in values])


def _has_text_classes(model):
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


def _load_labelled(path, target, as_text, beside):
    frame = open_table(path, [target] if as_text else [], labels=beside)
    y = full_column(frame, target, path.name, kind="target column")
    return frame.drop(columns=target), y


def check_columns(source, target, beside=()):
    """Raise where a table lacks a column, before a model is loaded.

    Parameters
    ----------
    source : str
        Path of a CSV or parquet file, or the name of a built-in data set.
    target : str or None
        Column of the labels; needed for a file.
    beside : sequence of str, default=()
        Further columns that are needed.
    """
    path = Path(source)
    if source in BUILT_IN and not path.is_file():
        if target not in (None, "target"):
            raise UserError(f"The built-in data set {source!r} has its own target.")
        return
    if not path.is_file():
        raise no_such_data("data file", str(path))
    frame = read_table(path, {}, n_rows=0)
    columns = [str(name) for name in frame.columns]
    if target is None:
        raise UserError(
            f"Name the column of the labels in {path.name!r} with --target; its "
            f"columns are {listed(columns)}."
        )
    is_unsplit = len(columns) == 1 and any(mark in columns[0] for mark in ";\t|")
    hint = " Fields must be separated by commas." if is_unsplit else ""
    for name in (target, *beside):
        column_of(frame, name, path.name, hint=hint)


def columns_for(model, frame, source, *, beside=" beside the target"):
    """Return the rows as the model wants them, or say what does not fit."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        absent = [str(name) for name in names if name not in frame.columns]
        if absent:
            text = f"{source!r} lacks columns that the model was trained on: "
            raise UserError(f"{text}{listed(absent)}.")
        frame = frame[list(names)]
    elif getattr(model, "n_features_in_", frame.shape[1]) != frame.shape[1]:
        wanted, has = model.n_features_in_, f"{source!r} has {frame.shape[1]}{beside}"
        raise UserError(f"The model takes {wanted} features, and {has}.")
    holes = frame.isna()
    missing = frame.columns[holes.any()]
    if len(missing) and not _takes_nan(model, frame[holes.any(axis=1)], names is None):
        raise UserError(
            f"{source!r} has missing values in {listed(map(str, missing))}, which the "
            "model does not take; fill or drop them first."
        )
    if names is not None:
        return frame
    if frame.shape[1] == 1 and frame.dtypes.iloc[0].kind not in "fiub":
        return frame.iloc[:, 0].to_numpy(dtype=object)  # texts, as a vectorizer wants
    return frame.to_numpy()


def _takes_nan(model, rows, plain):
    with contextlib.suppress(AttributeError, TypeError):
        if get_tags(model).input_tags.allow_nan:
            return True
    try:  # a pipeline that imputes some columns says no and takes them
        respond(model, "predict", rows.to_numpy() if plain else rows)
    except Exception:
        return False
    return True


def listed(names):
    """Return up to twenty names as text."""
    names = list(names)
    text = ", ".join(repr(name) for name in names[:20])
    return text if len(names) <= 20 else f"{text} and {len(names) - 20} more"
