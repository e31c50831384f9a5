"""Command ``skrobust verify``: whether a sealed record holds."""

import json
from pathlib import Path

import click

from skrobust._whole_file import write_text_whole
from skrobust.cli import options as shared
from skrobust.cli.exit_codes import NotHeld, UserError
from skrobust.cli.record_inputs import RECORD_OPTIONS, columns_of, load_inputs
from skrobust.cli.terminal_text import Progress, aligned, wrapped


@shared.command(short_help="Verify a sealed record, and what it was measured on.")
@click.argument("record")
@shared.option(
    "--report",
    "The JSON file of the report that names this record: its numbers are compared.",
    metavar="FILE",
)
@shared.option(
    "--sha256", "The digest that was published of the record: it is compared."
)
@shared.with_options(*RECORD_OPTIONS)
def verify(record, **options):
    """Verify a sealed RECORD: whether it is as it was written, and follows from itself.

    With --model and --data, whether these are the ones that were measured. Nothing in
    the record is executed. A seal finds damage and mistakes, not a forger who seals
    anew: compare the digest with one that was published (--sha256), or replay.

    \b
    Example:
      skrobust verify record.skr --model model.skops --data test.csv --target y
    """  # noqa: D301
    from skrobust.evaluation import verify_record

    say = Progress(options["quiet"])
    if not Path(record).is_file():
        raise UserError(f"There is no record {record!r}.")
    inputs = load_inputs(options, say)
    found = verify_record(record, **inputs)
    rows = columns_of(found)
    if options["sha256"]:
        is_it = options["sha256"].strip().lower() == found["sha256"]
        rows.append(["published digest", "holds" if is_it else "differs", ""])
    if options["report"]:
        from skrobust.report.core.sealed_report import rows_of_twin

        rows += map(list, rows_of_twin(record, options["report"], found["sha256"]))
    bad = [row for row in rows if row[1] in ("damaged", "differs")]
    facts = {"format": "skrobust verify 1", "ok": not bad, "kind": found["kind"]}
    facts |= {
        "sha256": found["sha256"],
        "columns": list(found["columns"]),
        "rows": rows,
    }
    _give(facts, rows, options)
    if bad:
        listed = ", ".join(f"{part} ({state})" for part, state, _ in bad)
        raise NotHeld(f"{Path(record).name!r} does not hold: {listed}.")


def _give(facts, rows, options):
    if options["json_out"] == "-":
        click.echo(json.dumps(facts, indent=1))
        return
    if options["json_out"]:
        write_text_whole(options["json_out"], json.dumps(facts, indent=1) + "\n")
    if options["quiet"]:
        return
    table = [["part", "state"], *(row[:2] for row in rows)]
    click.echo("\n".join(aligned(table)))
    for part, state, note in rows:
        if note:
            click.echo(wrapped(f"{part}, {state}: {note}"))
    click.echo(f"SHA-256 {facts['sha256']}")
