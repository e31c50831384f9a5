"""Command ``skrobust doctor``: installed packages, devices and what is missing."""

import click

from skrobust.cli.installed_packages import doctor_facts, doctor_text
from skrobust.cli.options import command, flag
from skrobust.cli.thresholds import write_json


@command(short_help="List installed and missing packages.")
@flag("--json as_json", "Print JSON.")
@click.pass_context
def doctor(ctx, as_json):
    """List installed packages, devices, and what is missing.

    Exits with 1 where something that the commands need is missing; optional packages
    do not count.
    """
    facts = doctor_facts()
    if as_json:
        write_json("-", facts)
    else:
        click.echo(doctor_text(facts))
    ctx.exit(0 if facts["ok"] else 1)
