"""Command ``skrobust demo``: a report on two models trained on the spot."""

import click

from skrobust.cli import options as shared
from skrobust.cli.command_text import command_text
from skrobust.cli.finished_parts import parts_folder
from skrobust.cli.option_types import LateChoice
from skrobust.cli.terminal_text import Progress


@shared.command(short_help="Train two models, report on them.")
@shared.option(
    "--data",
    "A table of mixed columns, or pictures of digits.",
    LateChoice(lambda: _demos()),
    default="table",
)
@shared.output("--out", "The HTML file.", default="skrobust-demo.html")
@shared.output("--json json_out", "A JSON twin; - is stdout.")
@shared.MARKDOWN
@shared.SEED
@shared.flag("--quick", "Train less and score fewer rows.")
@shared.QUIET
@click.pass_context
def demo(ctx, **options):
    """Train two models and write a report about them.

    The table has boosted trees and a logistic regression, the digits a support vector
    machine and a small neural network.

    After Ctrl-C the same command trains again and continues with the measurements.
    """
    from skrobust.cli.demo_models import run_demo
    from skrobust.cli.report_files import check_names, write_files

    check_names(options)
    given = [options["data"], options["seed"], options["quick"]]
    say = Progress(options["quiet"])
    with parts_folder(None, "demo", given, say) as parts:
        collected = run_demo(*given, command_text(ctx), say, parts)
        write_files(collected, options, say)


def _demos():
    from skrobust.cli.demo_models import DEMOS

    return DEMOS
