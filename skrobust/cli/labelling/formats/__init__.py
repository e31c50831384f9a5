"""Formats of lists of inputs to label: one file for each tool.

A new format is one file with a subclass of :class:`ListFormat`, and its name here.
"""

from skrobust.cli.labelling.formats.argilla_records import ArgillaRecords
from skrobust.cli.labelling.formats.doccano_examples import DoccanoExamples
from skrobust.cli.labelling.formats.label_studio_tasks import LabelStudioTasks
from skrobust.cli.labelling.formats.prodigy_tasks import ProdigyTasks
from skrobust.cli.labelling.formats.spreadsheet_list import SpreadsheetList

_ALL = (
    SpreadsheetList,
    LabelStudioTasks,
    ArgillaRecords,
    DoccanoExamples,
    ProdigyTasks,
)
FORMATS = {kind.name: kind() for kind in _ALL}
