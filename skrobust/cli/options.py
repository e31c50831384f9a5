"""Options that several commands share."""

from functools import partial

import click

from skrobust.cli.exit_codes import CODES
from skrobust.cli.option_types import LateChoice, Numbers, Setting, output_file

command = partial(click.command, epilog=CODES)
COUNT, SEEDS = click.IntRange(min=1), click.IntRange(min=0)


def option(names, help, type=None, **more):
    """Return an option; its names are separated by spaces, and a default is shown."""
    more = {"show_default": "default" in more, **more}
    return click.option(*names.split(), type=type, help=help, **more)


flag = partial(option, is_flag=True)
repeated = partial(option, multiple=True)
column = partial(option, metavar="COLUMN")
columns = partial(column, multiple=True)
output = partial(option, callback=output_file, metavar="FILE")


def with_options(*options):
    """Return the decorator that adds options in their order."""

    def add(command):
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _presets():
    from skrobust.perturbations.presets import get_preset_names

    return get_preset_names()


def preset_option(help):
    """Return the option ``--preset``."""
    return option("--preset", help, LateChoice(_presets))


def set_option(help, name="settings"):
    """Return the option ``--set NAME=VALUE``."""
    return repeated(f"--set {name}", help, Setting(), metavar="NAME=VALUE")


SEED = option(
    "--seed",
    "Seed of everything that is drawn; random_state in Python.",
    SEEDS,
    default=0,
)
JOBS = option(
    "--n-jobs", "Conditions scored at a time; -1 takes all cores.", int, default=1
)
TOLERANCE = option(
    "--tolerance",
    "Largest move that the robust ratio accepts: of a probability (default 0.05), or "
    "of a prediction in units of the target (default 5 % of their spread).",
    click.FloatRange(min=0),
)
TRAIN = option(
    "--x-train",
    "The training rows, from which the perturbations of tables learn their scales; "
    "X_train or X_ref in Python.",
    metavar="TABLE",
)
CHECKS = option(
    "--checks/--no-checks",
    "Look for signs that the attacks overstate robustness.",
    default=True,
)
JSON = output(
    "--json json_out", "Results as JSON; - is stdout, and then the table is left out."
)
MARKDOWN = output(
    "--markdown markdown_out", "A Markdown twin, for a comment on a change."
)
TRUST = (
    repeated(
        "--trust",
        "A type in the skops file to load that is neither known to skops nor a part of "
        "scikit-learn.",
        metavar="TYPE",
    ),
    flag("--allow-pickle", "Open pickle and joblib files, which run code when opened."),
)
QUIET = flag("--quiet", "Print nothing but errors.")
MODEL_OPTIONS = (
    option("--target", "Column of the labels; needed for a table of your own."),
    option("--data-range", "Low,high of the raw input.", Numbers(float, (2,))),
    option(
        "--image-shape",
        "Height,width of flat images, with channels first or last.",
        Numbers(int, (2, 3)),
    ),
    SEED,
    *TRUST,
    JSON,
    option(
        "--checkpoint",
        "Folder of finished parts; default: a hidden folder here, removed at the end.",
        metavar="FOLDER",
    ),
    QUIET,
    flag("--verbose", "Print warnings in full."),
)
TAR_OPTIONS = (
    option(
        "--row",
        "In tar files, the ending of the member that is the row, such as png beside "
        "mask.png; needed where a sample has several images or npy.",
        metavar="ENDING",
    ),
    option(
        "--label-as",
        "What labels in tar files become; default: what the model was fitted on.",
        click.Choice(["number", "text"]),
    ),
    option(
        "--resize",
        "Height,width of images in tar files, by Pillow's bicubic filter.",
        Numbers(int, (2,)),
    ),
    flag("--convert", "Turn gray and other images in tar files into RGB."),
)
