"""Command ``skrobust label``: questions and answers in the terminal."""

import click

from skrobust.cli import options as shared
from skrobust.cli.command_text import command_text
from skrobust.cli.exit_codes import UserError
from skrobust.cli.finished_parts import say_on_interrupt
from skrobust.cli.labelling.label_loop import LabelLoop
from skrobust.cli.labelling.labelling_session import Session
from skrobust.cli.labelling.open_session import columns_to_show, open_session
from skrobust.cli.labelling.pool_options import SHARE, pool_options
from skrobust.cli.labelling.result_text import give_result
from skrobust.cli.option_types import check_different
from skrobust.cli.terminal_text import Progress

# Options that the command needs to go on with a session.
_RESUMED = ("state", "n", "until", "batch", "show", "level", "view", "blind", "quiet")


@shared.command(short_help="Label inputs one by one, see the estimate.")
@pool_options
@shared.option("-n n", "How many to go through in all.", shared.COUNT)
@shared.option(
    "--until",
    "Stop once the interval is as narrow as +- this; it stays valid although the "
    "answers decide.",
    SHARE,
)
@shared.option(
    "--batch",
    "Draws at a time.  [default: all of -n, or 10 with --until]",
    shared.COUNT,
)
@shared.flag("--view", "Open the file of each input.")
@shared.flag("--blind", "Hide predictions, which may sway you.")
@click.pass_context
def label(ctx, pool, state, **options):
    """Label inputs of POOL one by one, and watch the estimate.

    POOL is a CSV or parquet file without labels, a folder of images, or one of digits,
    breast_cancer, iris and wine. Every answer is on the disk before the next question:
    stop as you like, run the command again, and it continues where you were.

    \b
    Label 50:
      skrobust label pool.csv --model model.skops --state s.json -n 50
    Continue until the accuracy is known to +- 0.05:
      skrobust label pool.csv --state s.json --until 0.05
    Images, each shown in the viewer of the system, answered by r (right) and w (wrong):
      skrobust label photos/ --sampler simple-random --state s.json -n 50 --view

    The state is brought up to date at each draw and at the end; s.json.journal holds
    the answers in between, so keep both.
    """  # noqa: D301
    check_different({"POOL": pool, "--state": state, "--json": options["json_out"]})
    say = Progress(options["quiet"])
    resume = command_text(ctx, only=_RESUMED)
    say_on_interrupt("interrupted; your answers are saved. Go on with", resume)
    try:
        with Session(state) as session:
            _label(session, pool, options, say, resume)
    except KeyboardInterrupt:
        click.echo()  # ends the line of the prompt
        raise


def _label(session, source, options, say, resume):
    budget = options["n"] or options["until"]
    if not session.exists and not budget:
        raise UserError("Give a number of labels (-n) or a half-width (--until).")
    pool, reader = open_session(session, source, options, say)
    if options["n"] and options["n"] > len(pool):
        raise UserError(f"-n is {options['n']}, and the pool has {len(pool)} inputs.")
    if not budget and not len(session.sampler.pending_):
        raise UserError(
            "Nothing is left to label; say how many in all with -n, or --until."
        )
    show = columns_to_show(session, pool, options["show"])
    done = LabelLoop(session, pool, reader, show, options).run()
    session.save()
    give_result(session, pool, options, before="\n")
    if not (done or options["quiet"]):
        click.echo(f"go on with: {resume}")
