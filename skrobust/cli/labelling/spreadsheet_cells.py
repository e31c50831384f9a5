"""Cells of lists that people open in a spreadsheet: text that is no formula there.

Spreadsheets compute cells that begin with ``=``, ``+``, ``-``, ``@``, a tab or a
carriage return, so that text of a pool could run commands on the machine of the person
who labels it. Such text gets an apostrophe in front, and loses it when it is read.
Numbers stay as they are.
"""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_MARKED = re.compile(r"'+[=+\-@\t\r]")


def to_cell(value):
    """Return a value as it is written: text that looks like a formula is marked."""
    if isinstance(value, str) and _FORMULA.match(value) and not _is_number(value):
        return f"'{value}"
    return value


def from_cell(text):
    """Return the text of a cell without the mark of :func:`to_cell`."""
    return text[1:] if text is not None and _MARKED.match(text) else text


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True
