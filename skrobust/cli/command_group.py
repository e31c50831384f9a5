"""The commands and their options."""

import click
import matplotlib
from click.shell_completion import get_completion_class

import skrobust as package
from skrobust.cli.commands.attack_command import attack
from skrobust.cli.commands.compare_command import compare
from skrobust.cli.installed_packages import doctor_facts, doctor_text
from skrobust.cli.exit_codes import Commands
from skrobust.cli.thresholds import write_result
from skrobust.cli.options import CODES
from skrobust.cli.commands.perturb_command import perturb
from skrobust.cli.commands.report_command import demo, report
from skrobust.cli.commands.sampling_commands import label, sample


@click.group(cls=Commands, epilog=CODES)
@click.version_option(package.__version__, prog_name="skrobust")
def skrobust():
    """How good a model stays when its inputs change, and how few labels tell."""
    matplotlib.use("Agg")  # files only, no windows


@skrobust.command(epilog=CODES, short_help="Say what is installed and what is missing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx, as_json):
    """Say what is installed, which devices there are, and what is missing.

    Exits with 1 where something that the commands need is missing; optional packages
    do not count.
    """
    facts = doctor_facts()
    if as_json:
        write_result("-", facts)
    else:
        click.echo(doctor_text(facts))
    ctx.exit(0 if facts["ok"] else 1)


@skrobust.command(epilog=CODES, short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell):
    """Print what makes a SHELL complete commands and options with the tab key.

    \b
    Examples:
      eval "$(skrobust completion bash)"   # in ~/.bashrc; zsh alike in ~/.zshrc
      skrobust completion fish > ~/.config/fish/completions/skrobust.fish
    """  # noqa: D301
    kind = get_completion_class(shell)
    maker = kind(skrobust, {}, "skrobust", "_SKROBUST_COMPLETE")
    # The template alone: source() of bash asks the bash that is installed here.
    click.echo(maker.source_template % maker.source_vars())


for _command in (report, demo, sample, label, attack, compare, perturb):
    skrobust.add_command(_command)
