"""Text on the terminal: progress, tables and warnings."""

import sys
import time
from itertools import zip_longest
from textwrap import fill

import click

from skrobust._safe_terminal import printable, stream_of_bars


class Progress:
    """Lines and bars on stderr, with the time since the start.

    Parameters
    ----------
    quiet : bool, default=False
        Whether to say nothing.
    """

    def __init__(self, quiet=False):
        self._start, self.is_quiet = time.perf_counter(), quiet
        self.has_bars = not quiet and sys.stderr.isatty()

    def __call__(self, line):
        """Write one line."""
        if not self.is_quiet:
            click.echo(f"[{self.seconds:6.1f} s] {printable(line)}", err=True)

    @property
    def seconds(self):
        """Seconds since the start."""
        return time.perf_counter() - self._start

    def bar(self, items, label):
        """Return the items under a progress bar with the time left, on a terminal."""
        from tqdm import tqdm

        return tqdm(
            items,
            desc=printable(label),
            disable=not self.has_bars,
            file=stream_of_bars(),
        )


def summary_text(collected, *, verbose=False):
    """Return the summary as an aligned table: one row a score, one column a model.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`.
    verbose : bool, default=False
        Whether to print warnings in full.

    Returns
    -------
    str
        Lines.
    """
    from skrobust.report import summary_rows
    from skrobust.report.core.doubt_meanings import explained
    from skrobust.report.core.model_verdict import verdicts_of
    from skrobust.report.core.summary_cells import summary_columns
    from skrobust.report.pages.page_parts import STATUS_WORDS

    rows = summary_rows(collected)
    table = [["", *(row["name"] for row in rows)]]
    for key, heading in summary_columns(collected, rows):
        cells = [[heading], *(_cell(row.get(key)) for row in rows)]
        table.extend(zip_longest(*cells, fillvalue=""))
    doubts, skipped = explained(collected["models"]), collected["skipped"]
    texts = [f"doubt: {doubt['code']}: {doubt['meaning']}" for doubt in doubts]
    texts += [f"skipped {s['model']}, {s['section']}: {s['reason']}" for s in skipped]
    shown = [
        f"({w['model']}, {w['section']}) {w['text']}" for w in collected["warnings"]
    ]
    last = warning_lines(shown, verbose, "the report lists them")
    verdicts = [
        f"{v['name']}: {STATUS_WORDS[v['status']]}. {v['sentence']}"
        for v in verdicts_of(collected)
    ]
    lines = [*verdicts, *texts]
    return "\n".join([*aligned(table), *map(wrapped, lines), *last])


def _cell(cell):
    """Return the lines of a cell."""
    from skrobust.report.core.number_text import number
    from skrobust.report.core.summary_cells import interval_text

    if cell is None:
        return ["skipped"]
    lines, beside = [interval_text(cell["value"], cell["interval"])], cell["beside"]
    if beside:
        lines.append(f"  {number(beside['value'])} {beside['label']}")
    if cell["note"]:
        lines.append(f"  {cell['note']}")
    return lines


def wrapped(text):
    """Return text in lines of at most 88 characters, all but the first indented."""
    return fill(text, 88, subsequent_indent="  ", break_on_hyphens=False)


def warning_lines(texts, verbose, hint="--verbose prints them"):
    """Return warnings as lines, or their number in one line."""
    if verbose:
        return [f"warning: {text}" for text in texts]
    return [f"{len(texts)} warnings; {hint}"] if texts else []


def aligned(table):
    """Return the rows of a table of text as lines, a rule under the first."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
    return lines
