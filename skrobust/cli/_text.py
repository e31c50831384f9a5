"""What is written to the terminal."""

import sys
import time
from itertools import zip_longest
from textwrap import fill

import click

from skrobust.report import summary_rows
from skrobust.report._html import number
from skrobust.report._summary import COLUMNS


class Progress:
    """Lines on stderr with the seconds since the start.

    Parameters
    ----------
    quiet : bool, default=False
        Whether to say nothing.
    """

    def __init__(self, quiet=False):
        self._start, self._quiet = time.perf_counter(), quiet

    def __call__(self, line):
        """Write one line."""
        if not self._quiet:
            click.echo(f"[{self.seconds:6.1f} s] {line}", err=True)

    @property
    def seconds(self):
        """Seconds since the start."""
        return time.perf_counter() - self._start


def bars():
    """Return 1 where progress bars can be seen: stderr is a terminal."""
    return int(sys.stderr.isatty())


def summary_text(collected):
    """Return the summary as an aligned table: one row a score, one column a model.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`.

    Returns
    -------
    str
        Lines.
    """
    rows = [_honest(row, collected) for row in summary_rows(collected)]
    table = [["", *(row["name"] for row in rows)]]
    for key, heading in COLUMNS:
        cells = [[heading], *(_cell(row[key]) for row in rows)]
        table.extend(zip_longest(*cells, fillvalue=""))
    lines = aligned(table)
    for skip in collected["skipped"]:
        text = f"skipped {skip['model']}, {skip['section']}: {skip['reason']}"
        lines.append(fill(text, 88, subsequent_indent="  ", break_on_hyphens=False))
    n_warnings = len(collected["warnings"])
    if n_warnings:
        lines.append(f"{n_warnings} warnings; the report lists them")
    return "\n".join(lines)


def _honest(row, collected):
    """Return a row whose index has no upper end where the rows give none.

    Where the spread of the conditions is near the noise of sampling it may as well be
    zero, and the interval then ends at 1 whatever was measured.
    """
    unresolved = any(
        w["model"] == row["name"] and "index is unresolved" in w["text"]
        for w in collected["warnings"]
    )
    cell = row["asi"]
    if not (unresolved and cell and cell["interval"]):
        return row
    low = number(cell["interval"][0])
    notes = [f"at least {low}; too few rows for an upper end", cell["note"]]
    note = "; ".join(text for text in notes if text)
    return {**row, "asi": {**cell, "interval": None, "note": note}}


def _cell(cell):
    """Return the lines of a cell."""
    if cell is None:
        return ["skipped"]
    first = number(cell["value"])
    if cell["interval"]:
        low, high = (number(end) for end in cell["interval"])
        first += f" ({low} to {high})"
    more = []
    if cell["beside"]:
        more.append(f"{number(cell['beside']['value'])} {cell['beside']['label']}")
    if cell["note"]:
        more.append(cell["note"])
    return [first, *(f"  {line}" for line in more)]


def aligned(table):
    """Return the rows of a table of text as lines, a rule under the first."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
    return lines


def interval_text(value, interval=None):
    """Return a number with its interval, or a dash."""
    if value is None:
        return "-"
    if interval is None:
        return number(value)
    low, high = (number(end) for end in interval)
    return f"{number(value)} ({low} to {high})"
