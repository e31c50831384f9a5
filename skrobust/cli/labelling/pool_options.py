"""Options of the commands that label inputs of a pool."""

import click

from skrobust.cli.image_folder import LAYOUTS
from skrobust.cli.labelling.sampler_names import default_sampler, get_sampler_names
from skrobust.cli.option_types import Name, Numbers, output_file
from skrobust.cli.options import TRUST, choice, flag, repeated, set_option, with_options

SHARE = click.FloatRange(min=0, max=1, min_open=True, max_open=True)
COUNT = click.IntRange(min=1)
pool_options = with_options(
    click.argument("pool"),
    click.option(
        "--state",
        "--out",
        "state",
        required=True,
        callback=output_file,
        help="File of the session: begun where there is none, else continued.",
    ),
    click.option("--model", help="Fitted classifier (skops), used as it is."),
    *TRUST,
    repeated(
        "--drop",
        metavar="COLUMN",
        help="A column that the model must not see; may be repeated.",
    ),
    click.option(
        "--scores",
        metavar="COLUMN",
        help="Instead of --model: suspicion of each input, at least 0, higher = more "
        "likely mispredicted.",
    ),
    flag("--as-confidence", help="--scores are the model's confidence, in [0, 1]."),
    click.option(
        "--predicted",
        metavar="COLUMN",
        help="Instead of --model: predicted labels. Answers are then labels; without "
        "predictions they are right or wrong.",
    ),
    click.option(
        "--item",
        metavar="COLUMN",
        help="Name of each input, or its path; default: its row, from 0 on.",
    ),
    click.option(
        "--show",
        metavar="A,B,...",
        help="Columns to show beside each input; default: the first twelve, without "
        "scores.",
    ),
    flag("--grey", help="Turn coloured images grey."),
    click.option(
        "--data-range",
        type=Numbers(float, (2,)),
        metavar="LOW,HIGH",
        help="Values of black and white for the model; default: as stored.",
    ),
    click.option(
        "--layout",
        type=choice(LAYOUTS),
        help="How the model takes images; default: told by its features.",
    ),
    click.option(
        "--sampler",
        type=Name(get_sampler_names, may_be_short=True),
        help=f"One of {', '.join(get_sampler_names())}; a beginning will do.  "
        f"[default: {default_sampler()}]",
    ),
    set_option("A setting of the sampler, as rule=released; may be repeated.", "set"),
    click.option("--seed", type=click.IntRange(min=0), help="[default: 0]"),
    click.option(
        "--level",
        type=SHARE,
        default=0.95,
        show_default=True,
        help="Nominal coverage of the intervals.",
    ),
    click.option(
        "--json",
        "json_out",
        callback=output_file,
        help="A JSON file with the result and all failures.",
    ),
    flag("--quiet", help="Print no more than is asked for."),
)
