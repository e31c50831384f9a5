"""The sample report of the guide: that of ``skrobust demo --quick``."""

from pathlib import Path

from skrobust.cli.demo_models import run_demo
from skrobust.cli.terminal_text import Progress
from skrobust.report import write_report

NAME = "sample_report.html"


def write_sample_report(app, error):
    """Write the report beside the pages, where it is not there yet."""
    out = Path(app.outdir) / NAME
    if error is None and app.builder.format == "html" and not out.exists():
        collected = run_demo(
            "table", 0, True, "skrobust demo --quick", Progress(True), None
        )
        write_report(collected, out)
