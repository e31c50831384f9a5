"""Options that several commands share."""

from functools import partial

import click

from skrobust.cli.exit_codes import CODES
from skrobust.cli.option_types import (
    Numbers,
    Setting,
    output_file,
    output_file_or_stdout,
)
from skrobust.perturbations.presets import get_preset_names

command = partial(click.command, epilog=CODES)
flag = partial(click.option, is_flag=True)
repeated = partial(click.option, multiple=True)
choice = click.Choice


def with_options(*options):
    """Return the decorator that adds options in their order."""

    def add(command):
        for option in reversed(options):
            command = option(command)
        return command

    return add


def preset_option(help):
    """Return the option ``--preset``."""
    return click.option("--preset", type=choice(get_preset_names()), help=help)


def set_option(help, name="settings"):
    """Return the option ``--set NAME=VALUE``."""
    return repeated("--set", name, type=Setting(), metavar="NAME=VALUE", help=help)


SEED = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of everything that is drawn; random_state in Python.",
)
JOBS = click.option(
    "--n-jobs",
    type=int,
    default=1,
    show_default=True,
    help="Conditions scored at a time; -1 takes all cores.",
)
TOLERANCE = click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    help="Largest move that the robust ratio accepts: of a probability (default 0.05), "
    "or of a prediction in units of the target (default 5 % of their spread).",
)
TRAIN = click.option(
    "--x-train",
    metavar="TABLE",
    help="The training rows, from which the perturbations of tables learn their "
    "scales; X_train or X_ref in Python.",
)
CHECKS = click.option(
    "--checks/--no-checks",
    default=True,
    show_default=True,
    help="Look for signs that the attacks overstate robustness.",
)
JSON = click.option(
    "--json",
    "json_out",
    callback=output_file_or_stdout,
    metavar="FILE",
    help="Results as JSON; - is stdout, and then the table is left out.",
)
MARKDOWN = click.option(
    "--markdown",
    "markdown_out",
    callback=output_file,
    metavar="FILE",
    help="A Markdown twin, for a comment on a change.",
)
TRUST = (
    repeated(
        "--trust",
        metavar="TYPE",
        help="A type in the skops file to load although skops does not know it.",
    ),
    flag("--allow-pickle", help="Open pickle and joblib files: these run code."),
)
QUIET = flag("--quiet", help="Print nothing but errors.")
DATA_RANGE = click.option(
    "--data-range", type=Numbers(float, (2,)), help="Low,high of the raw input."
)
MODEL_OPTIONS = (
    click.option("--target", help="Column of the labels; needed for a table file."),
    DATA_RANGE,
    click.option(
        "--image-shape",
        type=Numbers(int, (2, 3)),
        help="Height,width of flat images, with channels first or last.",
    ),
    SEED,
    *TRUST,
    JSON,
    click.option(
        "--checkpoint",
        metavar="FOLDER",
        help="Folder of finished parts; default: a hidden folder here, removed at the "
        "end.",
    ),
    QUIET,
    flag("--verbose", help="Print warnings in full."),
)
