"""Command ``skrobust sample``: lists of inputs to label, and estimates from labels."""

from pathlib import Path

import click

from skrobust.cli import options as shared
from skrobust.cli.exit_codes import UserError
from skrobust.cli.labelling import answers_file
from skrobust.cli.labelling.labelling_session import Session
from skrobust.cli.labelling.open_session import columns_to_show, open_session
from skrobust.cli.labelling.pool_options import SHARE, pool_options
from skrobust.cli.labelling.result_text import give_result
from skrobust.cli.option_types import check_different
from skrobust.cli.terminal_text import Progress


@shared.command(short_help="Choose what to label; tell what labels mean.")
@pool_options
@shared.option("-n n", "How many more to label.", shared.COUNT)
@shared.output("--to-label", "CSV file to write: inputs to label.")
@shared.option("--answers", "CSV file to read: such a list with answers filled in.")
@shared.flag("--correct", "Let --answers replace earlier answers.")
@shared.option("--half-width", "Tell how many labels this would take.", SHARE)
def sample(pool, state, **options):
    """Choose inputs of POOL to label, and estimate the accuracy from the labels.

    POOL is a CSV or parquet file without labels, a folder of images, or one of digits,
    breast_cancer, iris and wine. A model, or a column of scores, says which inputs are
    suspicious; the estimate holds for the whole pool, whatever is drawn more often.

    \b
    Choose 50:
      skrobust sample pool.csv --model model.skops --state s.json -n 50 --to-label a.csv
    Fill in the column `answer` of a.csv: the true label, or :right, :wrong or :skip
    (without predictions right, wrong or skip); what is left empty stays open. Then read
    the answers, and choose 50 more:
      skrobust sample pool.csv --state s.json --answers a.csv --half-width 0.02
      skrobust sample pool.csv --state s.json -n 50 --to-label b.csv
    Or answer in the terminal:
      skrobust label pool.csv --state s.json
    """  # noqa: D301
    files = {"POOL": pool, "--state": state, "--json": options["json_out"]}
    check_different({**files, "--to-label": options["to_label"]})
    check_different({**files, "--answers": options["answers"]})
    to_label, answers = options["to_label"], options["answers"]
    paths = {Path(path).resolve() for path in (to_label, answers) if path}
    is_kept = to_label and Path(to_label).exists() and (len(paths) == 2 or not answers)
    if is_kept and answers_file.has_answers(to_label):
        raise UserError(
            f"{to_label!r} holds answers; read it with --answers, or name another "
            "file for --to-label."
        )
    say = Progress(options["quiet"])
    text = f"interrupted; what {state!r} holds is whole, so run the command again."
    click.get_current_context().meta["skrobust.resume"] = text
    with Session(state) as session:
        _sample(session, pool, options, say)


def _sample(session, source, options, say):
    if not session.exists and options["n"] is None:
        raise UserError(f"{session.path.name!r} is not there yet; begin it with -n.")
    pool, reader = open_session(session, source, options, say)
    show = columns_to_show(session, pool, options["show"])
    if options["answers"]:
        _take_answers(session, pool, reader, options)
    if options["n"]:
        session.sampler.ask(options["n"])
    session.save()  # also includes the journal
    pending = session.sampler.pending_.tolist()
    if options["to_label"]:
        path = options["to_label"]
        answers_file.write_questions(path, pending, pool, reader, show=show)
    give_result(session, pool, options)
    if options["quiet"]:
        return
    if options["to_label"]:
        click.echo(f"to label: {len(pending)} in {options['to_label']}")
    elif pending:
        click.echo(f"to label: {len(pending)}; --to-label FILE lists them")


def _take_answers(session, pool, reader, options):
    answers, unknown = answers_file.read_answers(options["answers"], pool, reader)
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
        hint = reader.hint(label)
        meant = f"if {hint} was meant" if hint else "if it is a slip"
        click.echo(
            f"skrobust: warning: {name}, line {line}: the model has no label "
            f"{label!r}; {meant}, correct it and add --correct.",
            err=True,
        )
