"""Self-contained HTML reports on the quality and the robustness of fitted models."""

from skrobust.report._collect import collect_report
from skrobust.report._create import Report, create_report, write_report
from skrobust.report._html import build_report
from skrobust.report._markdown import build_markdown
from skrobust.report._model_card import model_card
from skrobust.report._schema import report_schema
from skrobust.report.core._report_json import report_from_json
from skrobust.report.core._summary import summary_rows

__all__ = [
    "Report",
    "build_markdown",
    "build_report",
    "collect_report",
    "create_report",
    "model_card",
    "report_from_json",
    "report_schema",
    "summary_rows",
    "write_report",
]
