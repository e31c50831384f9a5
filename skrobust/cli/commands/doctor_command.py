"""Command ``skrobust doctor``: installed packages, devices and what is missing."""

import click

from skrobust.cli.installed_packages import doctor_facts, doctor_text
from skrobust.cli.options import command, flag, option
from skrobust.cli.thresholds import write_json


@command(short_help="List installed and missing packages.")
@flag("--json as_json", "Print JSON.")
@flag(
    "--conformance",
    "Compare the image corruptions with those of ImageNet-C, CIFAR-10-C and MNIST-C, "
    "instead. It took 80 s on two busy cores; the time left is shown on stderr.",
)
@option("--frost", "Folder with photographs of frost, for --conformance.")
@click.pass_context
def doctor(ctx, as_json, conformance, frost):
    """List installed packages, devices, and what is missing.

    Exits with 1 where something that the commands need is missing; optional packages
    do not count. With --conformance, exits with 1 where a corruption deviates.
    """
    if frost is not None and not conformance:
        raise click.UsageError("--frost needs --conformance")
    if conformance:
        from skrobust.cli.conformance_text import conformance_facts, conformance_text
        from skrobust.cli.terminal_text import Progress

        facts, text = conformance_facts(frost, Progress()), conformance_text
    else:
        facts, text = doctor_facts(), doctor_text
    if as_json:
        write_json("-", facts)
    else:
        click.echo(text(facts))
    ctx.exit(0 if facts["ok"] else 1)
