"""Command ``skrobust label``: questions and answers in the terminal."""

import shlex

import click

from skrobust.cli import options as shared
from skrobust.cli.exit_codes import Interrupted, UserError
from skrobust.cli.labelling.label_loop import LabelLoop
from skrobust.cli.labelling.labelling_session import Session
from skrobust.cli.labelling.open_session import columns_to_show, open_session
from skrobust.cli.labelling.pool_options import SHARE, pool_options
from skrobust.cli.labelling.result_text import result_facts, result_text
from skrobust.cli.option_types import check_different
from skrobust.cli.terminal_text import Progress
from skrobust.cli.thresholds import write_json


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
def label(pool, state, **options):
    """Label inputs of POOL one by one, and watch the estimate.

    POOL is a CSV or parquet file without labels, a folder of images, or one of digits,
    breast_cancer, iris and wine. Every answer is on the disk before the next question:
    stop as you like, run the command again, and it continues where you were.

    \b
    Label 50:
      skrobust label pool.csv --model model.skops --state s.json -n 50
    Continue until the accuracy is known to +- 0.05:
      skrobust label pool.csv --state s.json --until 0.05
    Images, each shown in the viewer of the system, answered by right and wrong:
      skrobust label photos/ --sampler simple-random --state s.json -n 50 --view

    The state is brought up to date at each draw and at the end; s.json.journal holds
    the answers in between, so keep both.
    """  # noqa: D301
    check_different({"POOL": pool, "--state": state, "--json": options["json_out"]})
    say = Progress(options["quiet"])
    resume = _resume_text(pool, state, options)
    try:
        with Session(state) as session:
            _label(session, pool, options, say, resume)
    except KeyboardInterrupt:
        click.echo()  # ends the line of the prompt
        raise Interrupted(
            f"interrupted; your answers are saved. Go on with: {resume}"
        ) from None


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
    facts = result_facts(session, pool, options)
    if options["json_out"]:
        write_json(options["json_out"], facts)
    if not options["quiet"]:
        click.echo(f"\n{result_text(facts)}")
        if not done:
            click.echo(f"go on with: {resume}")


def _resume_text(pool, state, options):
    words = ["skrobust", "label", pool, "--state", state]
    for name in ("n", "until", "batch", "show", "level"):
        value = options[name]
        if value is not None and (name, value) != ("level", 0.95):
            words += ["-n" if name == "n" else f"--{name}", str(value)]
    words += [f"--{name}" for name in ("view", "blind", "quiet") if options[name]]
    return shlex.join(words)
