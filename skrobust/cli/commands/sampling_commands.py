"""``skrobust sample`` and ``skrobust label``: accuracy from few labels."""

import shlex
from pathlib import Path

import click

from skrobust.cli.labelling.answers_file import has_answers, read_answers, write_questions
from skrobust.cli.labelling.open_session import columns_to_show, open_session
from skrobust.cli.exit_codes import Interrupted, UserError
from skrobust.cli.image_folder import LAYOUTS
from skrobust.cli.labelling.label_loop import LabelLoop
from skrobust.cli.options import (
    CODES,
    Numbers,
    SamplerName,
    Setting,
    checked_out,
    default_sampler,
    sampler_names,
)
from skrobust.cli.labelling.result_text import result_facts, result_text, write_json
from skrobust.cli.labelling.labelling_session import Session
from skrobust.cli.terminal_text import Progress

SHARE = click.FloatRange(min=0, max=1, min_open=True, max_open=True)
POOL_OPTIONS = (
    click.argument("pool"),
    click.option(
        "--state", "--out", "state", required=True, callback=checked_out,
        help="The session: begun where there is no such file, gone on with otherwise.",
    ),
    click.option("--model", help="Fitted classifier (skops), used as it is."),
    click.option("--trust", multiple=True, metavar="TYPE",
                 help="A type in the skops file to load although skops does not know "
                 "it."),
    click.option("--allow-pickle", is_flag=True,
                 help="Open pickle and joblib files, which run code when opened."),
    click.option("--drop", multiple=True, metavar="COLUMN",
                 help="A column that the model must not see; may be repeated."),
    click.option("--scores", metavar="COLUMN",
                 help="Instead of --model: suspicion of each input, at least 0, higher "
                 "= more likely mispredicted."),
    click.option("--as-confidence", is_flag=True,
                 help="--scores are the model's confidence, in [0, 1]."),
    click.option("--predicted", metavar="COLUMN",
                 help="Instead of --model: predicted labels. Answers are then labels; "
                 "without predictions they are right or wrong."),
    click.option("--item", metavar="COLUMN",
                 help="What an input is called, or its path; else its row, from 0 on."),
    click.option("--show", metavar="A,B,...",
                 help="Columns to show beside each input; else the first twelve, "
                 "without scores."),
    click.option("--grey", is_flag=True, help="Turn coloured images grey."),
    click.option("--data-range", type=Numbers(float, (2,)), metavar="LOW,HIGH",
                 help="What black and white are to the model; else as stored."),
    click.option("--layout", type=click.Choice(LAYOUTS),
                 help="How the model takes images; else told by its features."),
    click.option("--sampler", type=SamplerName(),
                 help=f"One of {', '.join(sampler_names())}; a beginning will do.  "
                 f"[default: {default_sampler()}]"),
    click.option("--set", "set", multiple=True, type=Setting(),
                 help="A setting of the sampler, as rule=released; may be repeated."),
    click.option("--seed", type=click.IntRange(min=0), help="[default: 0]"),
    click.option("--level", type=SHARE, default=0.95, show_default=True,
                 help="Nominal coverage of the intervals."),
    click.option("--json", "json_out", callback=checked_out,
                 help="A JSON file with the result and all failures."),
    click.option("--quiet", is_flag=True, help="Print no more than is asked for."),
)  # fmt: skip


def pool_options(command):
    """Add the options that both commands have."""
    for option in reversed(POOL_OPTIONS):
        command = option(command)
    return command


@click.command(epilog=CODES, short_help="Choose what to label; tell what labels mean.")
@pool_options
@click.option("-n", "n", type=click.IntRange(min=1), help="How many more to label.")
@click.option(
    "--to-label",
    callback=checked_out,
    help="CSV file to write: what is to be labelled.",
)
@click.option("--answers", help="CSV file to read: such a list with answers filled in.")
@click.option("--correct", is_flag=True, help="Let --answers replace earlier answers.")
@click.option("--half-width", type=SHARE, help="Say how many labels this would take.")
def sample(pool, state, **options):
    """Choose which inputs of POOL to label, and tell what the labels mean.

    POOL is a CSV or parquet file without labels, a folder of images, or one of digits,
    breast_cancer, iris and wine. A model, or a column of scores, says which inputs are
    suspicious; the estimate is of the whole pool, whatever is drawn more often.

    \b
    Choose 50:
      skrobust sample pool.csv --model model.skops --state s.json -n 50 --to-label a.csv
    Fill in the column `answer` of a.csv: the true label, or right, wrong or skip; what
    is left empty stays open. Then read the answers, and choose 50 more:
      skrobust sample pool.csv --state s.json --answers a.csv --half-width 0.02
      skrobust sample pool.csv --state s.json -n 50 --to-label b.csv
    Or answer in the terminal:
      skrobust label pool.csv --state s.json
    """  # noqa: D301
    files = {"POOL": pool, "--state": state, "--json": options["json_out"]}
    _all_different({**files, "--to-label": options["to_label"]})
    _all_different({**files, "--answers": options["answers"]})
    to_label, answers = options["to_label"], options["answers"]
    keep = to_label and Path(to_label).exists() and not _same(to_label, answers)
    if keep and has_answers(to_label):
        raise UserError(
            f"{to_label!r} holds answers; read it with --answers, or name another "
            "file for --to-label."
        )
    say = Progress(options["quiet"])
    try:
        with Session(state) as session:
            _sample(session, pool, options, say)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted; what {state!r} holds is whole, so run the command again."
        ) from None


def _sample(session, source, options, say):
    if not session.exists and options["n"] is None:
        raise UserError(f"{session.path.name!r} is not there yet; begin it with -n.")
    pool, reader = open_session(session, source, options, say)
    show = columns_to_show(session, pool, options["show"])
    if options["answers"]:
        _take_answers(session, pool, reader, options)
    if options["n"]:
        session.ask(options["n"])
    else:
        session.save()  # also takes in what the journal holds
    pending = session.sampler.pending_.tolist()
    if options["to_label"]:
        write_questions(options["to_label"], pending, pool, reader, show=show)
    facts = result_facts(
        session, pool, level=options["level"], half_width=options["half_width"]
    )
    if options["json_out"]:
        write_json(options["json_out"], facts)
    if options["quiet"]:
        return
    click.echo(result_text(facts))
    if options["to_label"]:
        click.echo(f"to label: {len(pending)} in {options['to_label']}")
    elif pending:
        click.echo(f"to label: {len(pending)}; --to-label FILE lists them")


def _take_answers(session, pool, reader, options):
    answers, unknown = read_answers(options["answers"], pool, reader)
    name = Path(options["answers"]).name
    for i, kind, answer in answers:
        before = session.answer_of(i)
        if before == [kind, answer]:
            continue
        if before is not None and not options["correct"]:
            raise UserError(
                f"{name!r} has another answer for id {i} than before; add --correct to "
                "replace it."
            )
        session.take(i, kind, answer)
    session.save()
    for label, line in unknown.items():
        click.echo(
            f"skrobust: warning: {name}, line {line}: the model has no label "
            f"{label!r}; if it is a slip, mend it and add --correct.",
            err=True,
        )


@click.command(epilog=CODES, short_help="Label inputs one by one, see the estimate.")
@pool_options
@click.option(
    "-n", "n", type=click.IntRange(min=1), help="How many to go through in all."
)
@click.option(
    "--until",
    type=SHARE,
    help="Stop once the interval is as narrow as +- this; it stays valid although the "
    "answers decide.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    help="Draws at a time.  [default: all of -n, or 10 with --until]",
)
@click.option("--view", is_flag=True, help="Open the file of each input.")
@click.option("--blind", is_flag=True, help="Hide predictions, which may sway you.")
def label(pool, state, **options):
    """Label inputs of POOL one by one, and watch the estimate.

    POOL is a CSV or parquet file without labels, a folder of images, or one of digits,
    breast_cancer, iris and wine. Every answer is on the disk before the next question:
    stop as you like, run the command again, and it goes on where you were.

    \b
    Label 50:
      skrobust label pool.csv --model model.skops --state s.json -n 50
    Go on until the accuracy is known to +- 0.05:
      skrobust label pool.csv --state s.json --until 0.05
    Images, each shown in the viewer of the system, answered by right and wrong:
      skrobust label photos/ --sampler simple-random --state s.json -n 50 --view

    The state is brought up to date at each draw and at the end; s.json.journal holds
    the answers in between, so keep both.
    """  # noqa: D301
    _all_different({"POOL": pool, "--state": state, "--json": options["json_out"]})
    say = Progress(options["quiet"])
    more = {name: options[name] for name in ("n", "until", "batch", "show", "level")}
    resume = _resume(pool, state, more, options)
    try:
        with Session(state) as session:
            _label(session, pool, options, say, resume)
    except KeyboardInterrupt:
        click.echo()  # the prompt has no end
        raise Interrupted(
            f"interrupted; your answers are saved. Go on with: {resume}"
        ) from None


def _label(session, source, options, say, resume):
    budget = options["n"] or options["until"]
    if not session.exists and not budget:
        raise UserError("Say how many to label with -n, or how exactly with --until.")
    pool, reader = open_session(session, source, options, say)
    if options["n"] and options["n"] > len(pool):
        raise UserError(f"-n is {options['n']}, and the pool has {len(pool)} inputs.")
    if not budget and not len(session.sampler.pending_):
        raise UserError(
            "Nothing is left to label; say how many in all with -n, or --until."
        )
    loop = LabelLoop(
        session,
        pool,
        reader,
        show=columns_to_show(session, pool, options["show"]),
        **{
            name: options[name]
            for name in ("n", "until", "batch", "level", "view", "blind", "quiet")
        },
    )
    done = loop.run()
    session.save()
    facts = result_facts(session, pool, level=options["level"], until=options["until"])
    if options["json_out"]:
        write_json(options["json_out"], facts)
    if not options["quiet"]:
        click.echo(f"\n{result_text(facts)}")
        if not done:
            click.echo(f"go on with: {resume}")


def _resume(pool, state, more, options):
    words = ["skrobust", "label", pool, "--state", state]
    for name, value in more.items():
        if value is not None and (name, value) != ("level", 0.95):
            words += ["-n" if name == "n" else f"--{name}", str(value)]
    words += [f"--{name}" for name in ("view", "blind", "quiet") if options[name]]
    return shlex.join(words)


def _all_different(files):
    seen = {}
    for option, path in files.items():
        if path is None:
            continue
        other = seen.setdefault(Path(path).resolve(), option)
        if other != option:
            raise UserError(f"{other} and {option} must be two files.")


def _same(path, other):
    return other is not None and Path(path).resolve() == Path(other).resolve()
