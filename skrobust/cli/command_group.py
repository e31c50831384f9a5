"""The command ``skrobust`` with its subcommands."""

import click
import matplotlib

import skrobust as package
from skrobust.cli.commands.attack_command import attack
from skrobust.cli.commands.compare_command import compare
from skrobust.cli.commands.completion_command import completion
from skrobust.cli.commands.demo_command import demo
from skrobust.cli.commands.doctor_command import doctor
from skrobust.cli.commands.label_command import label
from skrobust.cli.commands.perturb_command import perturb
from skrobust.cli.commands.repair_command import repair
from skrobust.cli.commands.report_command import report
from skrobust.cli.commands.sample_command import sample
from skrobust.cli.exit_codes import CODES, CommandGroup


@click.group(cls=CommandGroup, epilog=CODES)
@click.version_option(package.__version__, prog_name="skrobust")
def skrobust():
    """Measure how robust models are, and estimate their accuracy from few labels."""
    matplotlib.use("Agg")  # files only, no windows


COMMANDS = (attack, compare, completion, demo, doctor, label, perturb)
COMMANDS += (repair, report, sample)
for _command in COMMANDS:
    skrobust.add_command(_command)
