"""Cells of lists that people open in a spreadsheet: text that is no formula there.

Spreadsheets compute cells that begin with ``=``, ``+``, ``-``, ``@``, a tab or the end
of a line, some also those with the wide forms of these signs, so that text of a pool
could run commands on the machine of the person who labels it. Such text gets an
apostrophe in front, and loses it when it is read. Numbers stay as they are.
"""

import re

_SIGNS = "[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
_FORMULA = re.compile(f"'*{_SIGNS}")
_MARKED = re.compile(f"'+{_SIGNS}")
# As spreadsheets know them: float() takes more, such as "-1_0" and "+nan".
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def to_cell(value):
    """Return a value as it is written: text that looks like a formula is marked."""
    if isinstance(value, str) and _FORMULA.match(value):
        return value if _NUMBER.fullmatch(value) else f"'{value}"
    return value


def from_cell(text):
    """Return the text of a cell without the mark of :func:`to_cell`."""
    return text[1:] if text is not None and _MARKED.match(text) else text
