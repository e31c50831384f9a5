"""Command ``skrobust label``: questions and answers in the terminal or the browser."""

import os
import sys
import threading
import webbrowser

import click

from skrobust.cli import options as shared
from skrobust.cli.command_text import command_text
from skrobust.cli.exit_codes import UserError
from skrobust.cli.finished_parts import say_on_interrupt
from skrobust.cli.labelling.pool_options import AMOUNT, WIDTH, need_state, pool_options
from skrobust.cli.option_types import check_different
from skrobust.cli.terminal_text import Progress, wrapped

PORTS = click.IntRange(1, 65535)
# Options that the command needs to go on with a session.
_RESUMED = ("state", "n", "budget", "until", "batch", "person", "show", "level", "view")
_RESUMED += ("blind", "quiet", "details", "json_out", "web", "port", "no_open")


@shared.command(short_help="Label inputs one by one, see the estimate.")
@pool_options
@shared.option("-n n", "How many to go through in all.", shared.COUNT)
@shared.option(
    "--budget",
    "Instead of -n: as many in all as have this expected cost, in the units of --cost.",
    AMOUNT,
)
@shared.option(
    "--until",
    "Stop once the interval is as narrow as +- this; it stays valid although the "
    "answers decide.",
    WIDTH,
)
@shared.option(
    "--batch",
    "Draws at a time.  [default: all of -n, a part of it for samplers that learn from "
    "answers, or 10 with --until]",
    shared.COUNT,
)
@shared.option(
    "--for person",
    "Who answers. Inputs that others got by `skrobust sample --for` are left out.",
    metavar="NAME",
)
@shared.flag("--view", "Open the file of each input.")
@shared.flag("--web", "Label on a page in the browser, one key per answer.")
@shared.option("--port", "Port of the page.  [default: any that is free]", PORTS)
@shared.flag("--no-open", "Print the address of the page, and open no browser.")
@click.pass_context
def label(ctx, pool, state, **options):
    """Label inputs of POOL one by one, and watch the estimate.

    POOL is a CSV or parquet file without labels, a folder of parquet files or of
    images, or one of digits, breast_cancer, iris and wine. Every answer is on the
    disk before the next question: stop as you like, run the command again, and it
    continues where you were.

    \b
    Label 50:
      skrobust label pool.csv --model model.skops --state s.json -n 50
    Continue until the accuracy is known to +- 0.05:
      skrobust label pool.csv --state s.json --until 0.05
    Images, shown on a page in the browser, which only this computer can open:
      skrobust label photos/ --state s.json -n 50 --web
    Replies of a language model, graded from 0 (good) to 4 (bad):
      skrobust label replies.csv --grades 0,1,2,3,4 --state s.json -n 50

    The state is brought up to date at each draw and at the end; s.json.journal holds
    the answers in between, so keep both.
    """  # noqa: D301
    from skrobust.cli.labelling.labelling_session import Session
    from skrobust.cli.labelling.open_session import advise

    say = Progress(options["quiet"])
    if options["advise"]:
        click.echo(wrapped(advise(pool, options, say).text))
        return
    need_state(state)
    check_different({"POOL": pool, "--state": state, "--json": options["json_out"]})
    if not options["web"] and (options["port"] or options["no_open"]):
        raise UserError("--port and --no-open are for the page; give --web, too.")
    resume = command_text(ctx, only=_RESUMED)
    say_on_interrupt("interrupted; your answers are saved. Go on with", resume)
    try:
        with Session(state) as session:
            _label(session, pool, options, say, resume)
    except KeyboardInterrupt:
        click.echo()  # ends the line of the prompt
        raise


def _label(session, source, options, say, resume):
    from skrobust.cli.labelling.handed_out import HandedOut
    from skrobust.cli.labelling.label_loop import LabelLoop
    from skrobust.cli.labelling.open_session import columns_to_show, open_session
    from skrobust.cli.labelling.question_queue import QuestionQueue
    from skrobust.cli.labelling.result_text import give_result

    limit = options["n"] or options["until"] or options["budget"]
    if options["budget"] and (options["n"] or options["until"]):
        raise UserError("--budget is instead of -n and --until; give one of them.")
    if not session.exists and not limit:
        raise UserError("Give a number of labels (-n) or a half-width (--until).")
    pool, reader = open_session(session, source, options, say)
    if options["n"] and options["n"] > len(pool):
        raise UserError(f"-n is {options['n']}, and the pool has {len(pool)} inputs.")
    if not limit and not len(session.sampler.pending_):
        raise UserError(
            "Nothing is left to label; say how many in all with -n, or --until."
        )
    HandedOut(session).check_known(options["person"])
    if not limit and not HandedOut(session).of(None, options["person"]):
        raise UserError(
            "All that is open was handed out; say who answers with --for, or take it "
            "back by `skrobust sample --take-back`."
        )
    show = columns_to_show(session, pool, options["show"])
    queue = QuestionQueue(session, reader, options)
    if options["web"]:
        done = _serve(queue, pool, show, options)
    else:
        done = LabelLoop(queue, pool, show, options).run()
    session.save()
    give_result(session, pool, options, before="\n")
    if done is None:  # after the result, since Ctrl-C is the usual end
        raise KeyboardInterrupt
    if not (done or options["quiet"]):
        click.echo(f"go on with: {resume}")


def _serve(queue, pool, show, options):
    """Serve the page; return whether all is labelled, None after Ctrl-C."""
    from skrobust.cli.labelling.label_page import LabelPage
    from skrobust.cli.labelling.label_server import LabelServer

    page, stopped = LabelPage(queue, pool, show, options), False
    with LabelServer(page, options["port"] or 0) as server:
        click.echo(f"label at {server.address}")
        if not options["quiet"]:
            click.echo("Every answer is saved at once. Ctrl-C ends.")
        if not options["no_open"] and _has_screen():
            # Some browsers return only when they are closed.
            threading.Thread(
                target=webbrowser.open, args=[server.address], daemon=True
            ).start()
        try:
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            stopped = True
        page.close()
    if server.failure is not None:
        raise server.failure
    done = queue.current() is None
    return None if stopped and not done else done


def _has_screen():
    """Return whether a browser would open in a window and not in this terminal."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("win32", "darwin") or any(map(os.environ.get, screens))
