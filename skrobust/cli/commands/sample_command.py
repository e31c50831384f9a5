"""Command ``skrobust sample``: lists of inputs to label, and estimates from labels."""

from pathlib import Path

import click

from skrobust.cli import options as shared
from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling.pool_options import AMOUNT, WIDTH, need_state, pool_options
from skrobust.cli.option_types import LateChoice, check_different
from skrobust.cli.terminal_text import Progress, wrapped


@shared.command(short_help="Choose what to label; tell what labels mean.")
@pool_options
@shared.option("-n n", "How many more to label.", shared.COUNT)
@shared.option(
    "--budget",
    "Instead of -n: as many more as have this expected cost, in the units of --cost.",
    AMOUNT,
)
@shared.output("--to-label", "File to write: the list of inputs to label.")
@shared.repeated(
    "--for people",
    "Who gets the list, of inputs that nobody else has; given several times, a list "
    "for each, who get equally many.",
    metavar="NAME",
)
@shared.option(
    "--take-back", "Whose open inputs others may get from now on.", metavar="NAME"
)
@shared.repeated(
    "--answers",
    "File to read: such a list with answers, what the tool exported, or the journal "
    "of another session; may be repeated.",
    metavar="FILE",
)
@shared.option(
    "--format",
    "Format of the lists.  [default: csv; what is read shows its own]",
    LateChoice(lambda: _formats()),
)
@shared.flag("--correct", "Let --answers replace earlier answers.")
@shared.option("--half-width", "Tell how many labels this would take.", WIDTH)
@shared.output(
    "--record", "A sealed record of the test so far, for skrobust verify and replay."
)
def sample(pool, state, **options):
    """Choose inputs of POOL to label, and estimate the accuracy from the labels.

    POOL is a CSV or parquet file without labels, a folder of parquet files or of
    images, or one of digits, breast_cancer, iris and wine. A model, or a column of
    scores, says which inputs are suspicious; the estimate holds for the whole pool,
    whatever is drawn more often.

    \b
    Choose 50:
      skrobust sample pool.csv --model model.skops --state s.json -n 50 --to-label a.csv
    Fill in the true label in the column `answer` of a.csv, or right, wrong or skip in
    the column `verdict`; what is left empty stays open. Then read the answers, and
    choose 50 more:
      skrobust sample pool.csv --state s.json --answers a.csv --half-width 0.02
      skrobust sample pool.csv --state s.json -n 50 --to-label b.csv
    The same by way of a tool for labelling, with predictions in place:
      skrobust sample pool.csv --state s.json --to-label b.json --format label-studio
    A list for each of two people, who get different inputs:
      skrobust sample pool.csv --state s.json -n 50 --to-label a.csv --for ann --for bob
    As many as cost about 120 minutes, where a column says what each label costs:
      skrobust sample pool.csv --scores doubt --cost minutes --budget 120 --state s.json
    Or answer in the terminal, or on a page in the browser:
      skrobust label pool.csv --state s.json --web
    """  # noqa: D301
    from skrobust.cli.labelling import answers_file
    from skrobust.cli.labelling.handed_out import check_names, paths_for
    from skrobust.cli.labelling.labelling_session import Session
    from skrobust.cli.labelling.open_session import advise

    say = Progress(options["quiet"])
    if options["advise"]:
        click.echo(wrapped(advise(pool, options, say).text))
        return
    need_state(state)
    if options["n"] and options["budget"]:
        raise UserError("Give a number of inputs (-n) or a --budget, not both.")
    to_label = options["to_label"]
    if options["people"] and not to_label:
        raise UserError("--for says who gets the list; give --to-label, too.")
    check_names(options["people"])
    lists = paths_for(to_label, options["people"])
    files = {"POOL": pool, "--state": state, "--json": options["json_out"]}
    files["--record"] = options["record"]
    check_different(files)
    read = {Path(path).resolve() for path in options["answers"]}
    for path in options["answers"]:
        check_different({**files, "--answers": path})
    for path in lists.values():
        check_different({**files, "--to-label": path})
        is_kept = Path(path).exists() and Path(path).resolve() not in read
        if is_kept and answers_file.has_answers(path):
            raise UserError(
                f"{path!r} holds answers; read it with --answers, or name another "
                "file for --to-label."
            )
    text = f"interrupted; what {state!r} holds is whole, so run the command again."
    click.get_current_context().meta["skrobust.resume"] = text
    with Session(state) as session:
        _sample(session, pool, lists, options, say)


def _sample(session, source, lists, options, say):
    from skrobust.cli.labelling import answers_file
    from skrobust.cli.labelling.handed_out import HandedOut
    from skrobust.cli.labelling.open_session import columns_to_show, open_session
    from skrobust.cli.labelling.result_text import give_result
    from skrobust.cli.labelling.shown_input import show_input
    from skrobust.evaluation import write_record

    if not session.exists and not (options["n"] or options["budget"]):
        raise UserError(f"{session.path.name!r} is not there yet; begin it with -n.")
    pool, reader = open_session(session, source, options, say)
    show = columns_to_show(session, pool, options["show"])
    for path in options["answers"]:
        _take_answers(session, pool, reader, path, options)
    if options["answers"]:
        session.save()  # also where the next draws are refused
    handed_out = HandedOut(session)
    if options["take_back"]:
        handed_out.take_back(options["take_back"])
    if options["n"]:
        session.sampler.ask(options["n"])
    if options["budget"]:
        session.ask_for(options["budget"])
    handed_out.hand_out(options["people"])
    session.save()  # also includes the journal
    found = {}
    for person, path in lists.items():
        ids = handed_out.of(person)
        blind = options["blind"]
        shown = [show_input(i, pool, reader, show, blind=blind) for i in ids]
        kind = options["format"]
        beside = answers_file.write_questions(path, shown, reader, kind)
        found[path] = len(ids), beside
    give_result(session, pool, options)
    digest = options["record"] and write_record(options["record"], session.sampler)
    if options["quiet"]:
        return
    if digest:
        click.echo(f"record: {options['record']} (SHA-256 {digest})")
    if session.sampler.costs_ is not None:
        _give_costs(session)
    for path, (n, beside) in found.items():
        click.echo(f"to label: {n} in {path}")
        if beside:
            click.echo(f"settings for {options['format']}: {beside}")
    n_left = len(handed_out.of(None))
    if n_left and not found:
        click.echo(f"to label: {n_left}; --to-label FILE lists them")


def _give_costs(session):
    total, budget = session.spent()
    click.echo(f"cost of all {len(session.sampler.ids_)} inputs drawn: {total:g}")
    if budget:
        click.echo(
            f"budgets so far: {budget:.12g}; each draw has an expected cost of at most "
            "its budget"
        )


def _take_answers(session, pool, reader, path, options):
    from skrobust.cli.labelling import answers_file
    from skrobust.cli.labelling.answer_journal import is_journal, journal_answers

    name, n_not_drawn, bad = Path(path).name, 0, []
    if not options["format"] and Path(path).is_file() and is_journal(path):
        answers, bad = journal_answers(path, pool.fingerprint)
        drawn = set(session.sampler.ids_.tolist())
        n_not_drawn = sum(i not in drawn for i, *_ in answers)
        answers, unknown = [one for one in answers if one[0] in drawn], {}
    else:
        found = answers_file.read_answers(path, pool, reader, options["format"])
        answers, unknown = found
    n_new = n_other = 0
    for i, kind, answer in answers:
        before = session.answer_of(i)
        if before == [kind, answer]:
            continue
        if before is not None and not options["correct"]:
            now, then = (reader.as_read(*pair) for pair in ((kind, answer), before))
            item = "" if pool.items[i] == str(i) else f" ({pool.items[i]})"
            raise UserError(
                f"{name!r} has another answer for id {i}{item} than before: {now}, "
                f"not {then}; add --correct to replace it."
            )
        n_new, n_other = n_new + (before is None), n_other + (before is not None)
        session.take(i, kind, answer)
    if not options["quiet"]:
        click.echo(_counted(name, len(answers), n_new, n_other))
    if bad:
        lines = ", ".join(map(str, bad))
        _warn(f"{name}: left out as damaged: line {lines}.")
    if n_not_drawn:
        _warn(
            f"{name}: {n_not_drawn} answers are to inputs that this session has not "
            "drawn; draw more, and read it again."
        )
    for label, where in unknown.items():
        hint = reader.hint(label)
        meant = "if it is a slip"
        if hint:
            meant = f"if the verdict {hint[1:]} was meant"
        _warn(
            f"{name}, {where}: the model has no label {label!r}; {meant}, correct it "
            "and add --correct."
        )


def _warn(text):
    click.echo(f"skrobust: warning: {text}", err=True)


def _counted(name, n_answers, n_new, n_other):
    """Return how many answers a list had, and how many of them are new."""
    if not n_answers:
        return f"no answers in {name}"
    known = n_answers - n_new - n_other
    parts = [(n_new, "new"), (n_other, "corrected"), (known, "known before")]
    return f"answers in {name}: " + ", ".join(f"{n} {word}" for n, word in parts if n)


def _formats():
    from skrobust.cli.labelling.formats import FORMATS

    return FORMATS
