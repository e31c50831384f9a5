"""Models from files, without running code that is not trusted."""

import importlib
import sys
import zipfile
from pathlib import Path

import click
import joblib

from skrobust._optional import require
from skrobust.cli.exit_codes import UserError, as_user_error

# Beyond the classes of scikit-learn, what its fitted models hold.
_EVERYDAY = {
    "numpy.dtype",
    "numpy.mean",
    "scipy.interpolate._bsplines.BSpline",
    "sklearn.cluster._kmeans._kmeans_single_lloyd",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.feature_selection._univariate_selection.f_regression",
}


def load_model(path, options, say):
    """Load a fitted model.

    Parameters
    ----------
    path : path-like
        A skops file; a pickle or joblib file with ``allow_pickle``.
    options : dict
        Options of the command: ``trust`` (types in a skops file to load beyond those
        that skops trusts and those of scikit-learn) and ``allow_pickle`` (whether files
        may be opened that run code).
    say : callable
        Called with a line before the file is opened.

    Returns
    -------
    object
        The content of the file.
    """
    say(f"loading {path}")
    path = Path(path)
    if not path.is_file():
        raise UserError(f"There is no model file {str(path)!r}.")
    if _is_skops(path):
        return _load_skops(path, options["trust"], say)
    if not options["allow_pickle"]:
        raise UserError(
            f"{path.name!r} is not a skops file. Pickle and joblib files run code when "
            "they are opened; if you trust where it comes from, add --allow-pickle."
        )
    click.echo(
        f"skrobust: warning: opening {path.name!r} runs the code inside it.", err=True
    )
    with as_user_error(f"{path.name!r} could not be opened"):
        return joblib.load(path)


def _is_skops(path):
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return "schema.json" in archive.namelist()


def _load_skops(path, trust, say):
    io = require("skops.io", "A skops file", extra="report")
    text = f"{path.name!r} could not be opened"
    with as_user_error(text):
        unknown = io.get_untrusted_types(file=path)
    everyday = [name for name in unknown if _is_everyday(name)]
    if everyday:
        say(f"trusted as parts of scikit-learn: {', '.join(everyday)}")
    refused = sorted(set(unknown) - set(trust) - set(everyday))
    if refused:
        options = " ".join(f"--trust {name}" for name in refused)
        raise UserError(
            f"{path.name!r} holds types that are not trusted: {', '.join(refused)}. If "
            f"you trust them, add {options}"
        )
    with as_user_error(text):
        return io.load(path, trusted=unknown)


def _is_everyday(name):
    """Say whether a type is a class that scikit-learn itself defines, or one it uses.

    Functions are not: a model may call them with whatever the file says.
    """
    if name in _EVERYDAY:
        return True
    module, _, attribute = name.rpartition(".")
    if module == "_loss":  # what older releases of scikit-learn call a module of theirs
        found = _class_of("sklearn._loss._loss", attribute)
        loaded = getattr(sys.modules.get(module), attribute, None)
        return found is not None and found is loaded
    if not module.startswith("sklearn."):
        return False
    found = _class_of(module, attribute)
    return found is not None and found.__module__.startswith("sklearn.")


def _class_of(module, name):
    """Return a class of a module, or None."""
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    return found if isinstance(found, type) else None
