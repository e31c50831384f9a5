"""Options that are more than one word or number."""

import json
import math
import os
import re
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling.labelling_session import samplers_by_class

CODES = (
    "Exit codes: 0 when all went well, 1 when a bar of --fail-under was missed, 2 for "
    "an error that you can mend (one sentence on stderr says which), 130 after Ctrl-C."
)


class Numbers(click.ParamType):
    """Numbers with commas between them, such as ``8,8`` or ``0,16``.

    Parameters
    ----------
    kind : type
        int or float.
    counts : tuple of int
        How many there may be.
    """

    def __init__(self, kind, counts):
        self.kind, self.counts = kind, counts
        self.name = "a,b"

    def convert(self, value, param, ctx):
        """Turn the text into a tuple, or say what was expected."""
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple(self.kind(part) for part in value.split(","))
        except ValueError:
            numbers = ()
        if len(numbers) not in self.counts:
            wanted = " or ".join(str(count) for count in self.counts)
            what = "integers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is not {wanted} {what} with commas between.")
        return numbers


class Sizes(click.ParamType):
    """One or several positive numbers with commas between."""

    name = "a,b,..."

    def convert(self, value, param, ctx):
        """Return a tuple of floats."""
        if isinstance(value, tuple):
            return value
        try:
            sizes = tuple(float(part) for part in value.split(","))
        except ValueError:
            sizes = ()
        if not sizes or not all(0 < size < math.inf for size in sizes):
            self.fail(f"{value!r} is not positive numbers with commas between.")
        return sizes


def all_sizes(ctx, param, value):
    """Return the sizes of an option that was given once or several times, or None."""
    return sum(value, ()) or None


def checked_out(ctx, param, value):
    """Return the path of a file that may be written, or say why not."""
    if value is None:
        return None
    path = Path(value)
    if path.is_dir():
        raise UserError(f"{value!r} is a folder; name a file.")
    if not path.resolve().parent.is_dir():
        raise UserError(f"There is no folder {str(path.parent)!r} to write to.")
    if not os.access(path if path.exists() else path.resolve().parent, os.W_OK):
        raise UserError(f"{value!r} may not be written.")
    return value


def checked_json(ctx, param, value):
    """Return ``-`` for stdout, or the path of a file that may be written."""
    return value if value == "-" else checked_out(ctx, param, value)


PRESETS = ("asi68", "cifar_c", "imagenet_c", "mnist_c", "series", "tabular", "text")
SEED_OPTION = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of all that is drawn; random_state in Python.",
)
JOBS_OPTION = click.option(
    "--n-jobs",
    type=int,
    default=1,
    show_default=True,
    help="Conditions scored at a time; -1 takes all cores.",
)
TOLERANCE_OPTION = click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    help="Largest move that the robust ratio accepts: of a probability (default 0.05), "
    "or of a prediction in units of the target (default 5 % of their spread).",
)
TRAIN_OPTION = click.option(
    "--x-train",
    metavar="TABLE",
    help="The training rows, whose scales the perturbations of tables take; X_train "
    "or X_ref in Python.",
)
MODEL_OPTIONS = (
    click.option(
        "--target", help="Column of the labels; needed for a table of your own."
    ),
    click.option(
        "--data-range", type=Numbers(float, (2,)), help="Low,high of the raw input."
    ),
    click.option(
        "--image-shape",
        type=Numbers(int, (2, 3)),
        help="Height,width of flat images, with channels first or last.",
    ),
    SEED_OPTION,
    click.option(
        "--trust",
        multiple=True,
        metavar="TYPE",
        help="A type in the skops file to load although skops does not know it.",
    ),
    click.option(
        "--allow-pickle",
        is_flag=True,
        help="Open pickle and joblib files, which run code when opened.",
    ),
    click.option(
        "--json",
        "json_out",
        callback=checked_json,
        metavar="FILE",
        help="Results as JSON; - is stdout, and then the table is left out.",
    ),
    click.option(
        "--checkpoint",
        metavar="FOLDER",
        help="Where finished parts are kept; default: a hidden folder here, removed "
        "at the end.",
    ),
    click.option("--quiet", is_flag=True, help="Print nothing but errors."),
    click.option("--verbose", is_flag=True, help="Print warnings in full."),
)


def with_options(options):
    """Return the decorator that adds options in their order."""

    def add(command):
        for option in reversed(options):
            command = option(command)
        return command

    return add


class SamplerName(click.ParamType):
    """The name of a public sampler, or the beginning of one."""

    name = "name"

    def convert(self, value, param, ctx):
        """Return the whole name, or say which there are."""
        names = sampler_names()
        found = [name for name in names if name.startswith(value.lower())]
        if value.lower() in names:
            return value.lower()
        if len(found) != 1:
            self.fail(f"{value!r} is none of {', '.join(names)}.")
        return found[0]

    def shell_complete(self, ctx, param, incomplete):
        """Return the names that begin like this."""
        return [
            CompletionItem(name)
            for name in sampler_names()
            if name.startswith(incomplete)
        ]


class Setting(click.ParamType):
    """A setting such as ``rule=released``, or ``threshold=0.3``."""

    name = "name=value"

    def convert(self, value, param, ctx):
        """Return name and value; a value that is no JSON is text."""
        if isinstance(value, tuple):
            return value
        name, equals, text = value.partition("=")
        if not equals or not name:
            self.fail(f"{value!r} is not name=value.")
        try:
            return name.strip(), json.loads(text)
        except ValueError:
            return name.strip(), text


def sampler_names():
    """Return the public samplers by their names on the command line, sorted."""
    return {
        re.sub(
            r"(?<=[a-z])(?=[A-Z][a-z])", "-", name.removesuffix("Sampler")
        ).lower(): (kind)
        for name, kind in sorted(samplers_by_class().items())
    }


def default_sampler():
    """Return the name of the sampler to take where none is named."""
    return "operational" if "operational" in sampler_names() else "deepest"
