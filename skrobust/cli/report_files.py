"""Files of a report, and its summary on the terminal."""

from pathlib import Path

import click

from skrobust._whole_file import write_text_whole
from skrobust.cli.exit_codes import UserError
from skrobust.cli.option_types import check_different
from skrobust.cli.terminal_text import summary_text
from skrobust.report import model_card, write_report


def check_names(options):
    """Raise, before the work, where two files have one name."""
    names = {"--out": "out", "--json": "json_out", "--markdown": "markdown_out"}
    names |= {"--model-card": "model_card"} if "model_card" in options else {}
    names |= {"--record": "record"} if "record" in options else {}
    check_different({option: options[name] for option, name in names.items()})
    record, out = options.get("record"), options["out"]
    if record and Path(record).resolve().parent != Path(out).resolve().parent:
        raise UserError(
            "--record and --out must be in one folder, since the page links to the "
            "record by its name."
        )


def write_files(collected, options, say):
    """Write the page and its twins, and print the summary."""
    say("writing the report")
    to_stdout = options["json_out"] == "-"
    twins = {"markdown_out": options["markdown_out"]}
    twins["json_out"] = None if to_stdout else options["json_out"]
    written = write_report(collected, options["out"], **twins)
    card = options.get("model_card")
    if card is not None:
        write_text_whole(card, model_card(collected))
    if to_stdout:
        click.echo(written.to_json(), nl=False)
    if to_stdout or options["quiet"]:
        return
    click.echo(summary_text(collected, verbose=options.get("verbose", False)))
    paths = (written.path, written.json_path, written.markdown_path, card)
    kinds = ("report", "json", "markdown", "card")
    for kind, path in zip(kinds, paths, strict=True):
        if path is not None:
            click.echo(f"{kind}: {path}")
    if collected.get("record"):
        sealed = collected["record"]
        click.echo(f"record: {options['record']} (SHA-256 {sealed['sha256']})")
    click.echo(f"total: {say.seconds:.1f} s")
