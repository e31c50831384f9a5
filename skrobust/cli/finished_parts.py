"""Finished parts of long work, and how to continue after Ctrl-C."""

import contextlib
import shlex
import shutil
import sys
from pathlib import Path

import click

from skrobust.cli.exit_codes import UserError


def say_on_interrupt(text, command=None):
    """Set the message of Ctrl-C from here on: a text, and the command to go on with.

    The command is the one that was typed where none is given.
    """
    command = command or shlex.join(["skrobust", *sys.argv[1:]])
    click.get_current_context().meta["skrobust.resume"] = f"{text}: {command}"


@contextlib.contextmanager
def parts_folder(given, command, settings, say):
    """Yield the folder of finished parts.

    Parameters
    ----------
    given : str or None
        The folder that the user named, which is kept; None: a hidden folder in the
        working folder, named by the settings and removed when all is done.
    command : str
        Name of the command.
    settings : object
        Settings of this run.
    say : callable
        Called with a line where no folder can be made.

    Yields
    ------
    str or None
        The folder; None where it may not be written to.
    """
    from skrobust.base.content_digest import content_digest

    folder = Path(given or f".skrobust-{command}-{content_digest(settings)[:8]}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if given:
            raise UserError(f"--checkpoint {given!r}: {error.strerror}.") from None
        say("the working folder may not be written to; Ctrl-C will lose the work")
        yield None
        return
    say_on_interrupt(f"interrupted; finished parts are in {str(folder)!r}. Go on with")
    try:
        yield str(folder)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.rmdir()  # holds nothing
        raise
    if given is None:
        shutil.rmtree(folder, ignore_errors=True)
