"""Command ``skrobust replay``: a recorded measurement, made again."""

import json
import math
from pathlib import Path

import click

from skrobust._whole_file import write_text_whole
from skrobust.cli import options as shared
from skrobust.cli.exit_codes import NotHeld, UserError
from skrobust.cli.record_inputs import RECORD_OPTIONS, columns_of, load_inputs
from skrobust.cli.terminal_text import Progress, aligned, wrapped


@shared.command(short_help="Measure again what a sealed record holds, and compare.")
@click.argument("record")
@shared.option(
    "--tolerance",
    "Relative difference within which floats count as equal.",
    click.FloatRange(min=0),
    default=1e-6,
)
@shared.JOBS
@shared.with_options(*RECORD_OPTIONS)
def replay(record, tolerance, n_jobs, **options):
    """Measure again what a sealed RECORD holds, and compare number by number.

    It needs the model and the data of the record, and computes nothing where one of
    them differs. Exit code 0 means that all is equal; whether samples are correct must
    be equal for each of them.

    \b
    Example:
      skrobust replay record.skr --model model.skops --data test.csv --target y \\
          --x-train train.csv
    """  # noqa: D301
    from skrobust.evaluation import replay_record

    say = Progress(options["quiet"])
    if not Path(record).is_file():
        raise UserError(f"There is no record {record!r}.")
    inputs = load_inputs(options, say)
    say(f"replaying {Path(record).name}")
    found = replay_record(record, **inputs, tolerance=tolerance, n_jobs=n_jobs)
    _give(found, columns_of(found), options)
    if not found["ok"]:
        raise NotHeld(found["verdict"].rstrip(".") + ".")


def _give(found, rows, options):
    plain = [[_or_null(value) for value in row] for row in rows]
    facts = {"format": "skrobust replay 1", "columns": list(found["columns"])}
    facts |= {name: found[name] for name in ("ok", "largest_difference", "reasons")}
    text = json.dumps({**facts, "rows": plain}, indent=1)
    if options["json_out"] == "-":
        click.echo(text)
        return
    if options["json_out"]:
        write_text_whole(options["json_out"], f"{text}\n")
    if options["quiet"]:
        return
    head = ["step", "quantity", "recorded", "replayed", "differing", "state"]
    table = [head, *([_cell(value) for value in row] for row in rows)]
    click.echo("\n".join(aligned(table)))
    for reason in found["reasons"]:
        click.echo(wrapped(reason))
    click.echo(wrapped(found["verdict"]))


def _cell(value):
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def _or_null(value):
    return None if isinstance(value, float) and not math.isfinite(value) else value
