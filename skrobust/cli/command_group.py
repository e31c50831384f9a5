"""The command ``skrobust`` with its subcommands."""

import importlib
import os
import sys
from pathlib import Path

import click

import skrobust as package
from skrobust.cli.exit_codes import CODES, CommandGroup

_FOLDER = Path(__file__).parent / "commands"


class Commands(CommandGroup):
    """A group that imports a command where it is asked for.

    Each file ``NAME_command.py`` of the folder ``commands`` holds the command NAME.
    """

    def list_commands(self, ctx):
        """Return the names of all commands."""
        return sorted(
            path.stem.removesuffix("_command")
            for path in _FOLDER.glob("[a-z]*_command.py")
        )

    def get_command(self, ctx, cmd_name):
        """Return a command by its name, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = f"skrobust.cli.commands.{cmd_name}_command"
        return getattr(importlib.import_module(module), cmd_name)


@click.group(cls=Commands, epilog=CODES)
@click.version_option(package.__version__, prog_name="skrobust")
def skrobust():
    """Measure how robust models are, and estimate their accuracy from few labels."""
    # Files only, no windows; said here, so that wrong arguments need no matplotlib.
    os.environ["MPLBACKEND"] = "Agg"
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].use("Agg")
