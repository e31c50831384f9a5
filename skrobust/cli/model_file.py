"""Models from files, without running code that is not trusted."""

import zipfile
from pathlib import Path

import click
import joblib

from skrobust._optional import require
from skrobust.cli.exit_codes import UserError, as_user_error


def load_model(path, options, say):
    """Load a fitted model.

    Parameters
    ----------
    path : path-like
        A skops file; a pickle or joblib file with ``allow_pickle``.
    options : dict
        Options of the command: ``trust`` (types in a skops file to load beyond those
        that skops trusts) and ``allow_pickle`` (whether files may be opened that run
        code).
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
        return _load_skops(path, options["trust"])
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


def _load_skops(path, trust):
    io = require("skops.io", "A skops file", extra="report")
    text = f"{path.name!r} could not be opened"
    with as_user_error(text):
        unknown = io.get_untrusted_types(file=path)
    refused = sorted(set(unknown) - set(trust))
    if refused:
        options = " ".join(f"--trust {name}" for name in refused)
        raise UserError(
            f"{path.name!r} holds types that are not trusted: {', '.join(refused)}. If "
            f"you trust them, add {options}"
        )
    with as_user_error(text):
        return io.load(path, trusted=unknown)
