"""Options of the commands that label inputs of a pool."""

import click

from skrobust.cli import options as shared
from skrobust.cli.exit_codes import UserError
from skrobust.cli.option_types import Grades, LateChoice, LateHelp, Name, Numbers

WIDTH = click.FloatRange(min=0, min_open=True)
AMOUNT = click.FloatRange(min=0, min_open=True)
SHARE = click.FloatRange(min=0, max=1, min_open=True, max_open=True)
pool_options = shared.with_options(
    click.argument("pool"),
    shared.output(
        "--state --out state",
        "File of the session: begun where there is none, else continued.",
    ),
    shared.option("--model", "Fitted classifier (skops), used as it is."),
    *shared.TRUST,
    shared.columns("--drop", "A column that the model must not see; may be repeated."),
    shared.column(
        "--scores",
        "Instead of --model: suspicion of each input, at least 0, higher = more likely "
        "mispredicted.",
    ),
    shared.flag("--as-confidence", "--scores are the model's confidence, in [0, 1]."),
    shared.column(
        "--predicted",
        "Instead of --model: predicted labels. Answers are then labels; without "
        "predictions they are right or wrong.",
    ),
    shared.columns(
        "--feature",
        "A column that may tell which inputs fail, such as a judge's grade or a group; "
        "numbers as they are, text by its values. May be repeated.",
    ),
    shared.column(
        "--cost",
        "What the label of each input costs (minutes, money), above 0. Dear inputs are "
        "drawn less often, and the estimate stays unbiased.",
    ),
    shared.option(
        "--loss-range",
        "Answers are losses between these (lower is better), not right or wrong.",
        Numbers(float, (2,)),
        metavar="LOW,HIGH",
    ),
    shared.option(
        "--grades",
        "Answers are one of these losses, each with a key.",
        Grades(),
        metavar="A,B,...",
    ),
    shared.flag(
        "--higher-is-better",
        "The numbers of --loss-range or --grades are scores, such as overlap, BLEU or "
        "points: higher is better.",
    ),
    shared.column("--item", "Name or path of each input; default: its row, from 0 on."),
    shared.option(
        "--show",
        "Columns to show beside each input; default: the first twelve, without scores.",
        metavar="A,B,...",
    ),
    shared.flag("--grey", "Turn coloured images grey."),
    shared.option(
        "--data-range",
        "Values of black and white for the model; default: as stored.",
        Numbers(float, (2,)),
        metavar="LOW,HIGH",
    ),
    shared.option(
        "--layout",
        "How the model takes images; default: told by its features.",
        LateChoice(lambda: _layouts()),
    ),
    shared.option(
        "--sampler",
        None,
        Name(lambda: _samplers(), may_be_short=True),
        cls=LateHelp,
        find_help=lambda: (
            f"One of {', '.join(_samplers())}; a beginning will do.  "
            "[default: one that fits, with the reason]"
        ),
    ),
    shared.option(
        "--goal",
        "What the sampler is chosen for: a small error of the estimate, many failures, "
        "or both.  [default: accuracy]",
        LateChoice(lambda: _goals()),
    ),
    shared.flag("--advise", "Say which sampler fits and why, and do nothing else."),
    shared.set_option(
        "A setting of the sampler, as rule=released; may be repeated.", "set"
    ),
    shared.option("--seed", "[default: 0]", shared.SEEDS),
    shared.option("--level", "Nominal coverage of the intervals.", SHARE, default=0.95),
    shared.output("--json json_out", "A JSON file with the result and all failures."),
    shared.flag("--details", "Print the numbers behind the sentences, too."),
    shared.flag("--blind", "Hide predictions, which may sway people."),
    shared.flag("--quiet", "Print no more than is asked for."),
)


def need_state(state):
    """Raise where no file of the session is named."""
    if state is None:
        raise UserError("Missing option '--state': name the file of the session.")


def _samplers():
    from skrobust.cli.labelling.sampler_names import get_sampler_names

    return get_sampler_names()


def _layouts():
    from skrobust.cli.image_input import LAYOUTS

    return LAYOUTS


def _goals():
    from skrobust.cli.labelling.sampler_choice import GOALS

    return GOALS
