"""Results as plain arrays that turn into a table."""

import html
import numbers
from collections.abc import Mapping

import numpy as np
from sklearn.utils import Bunch

from skrobust._optional import require
from skrobust._results_text import fact_text, facts_of, results_text
from skrobust._tabs_html import tabs_html, topic_of

_ROWS = 20  # of a table in a notebook; a longer one shows its first and last
# Colours of the page itself, so that tables read on light and on dark ones.
_CELL = (
    "text-align:{};padding:.15em .7em;border:0;"
    "border-bottom:1px solid rgba(128,128,128,.4);color:inherit;background:none"
)


def _text(value):
    if isinstance(value, Results):
        return "table below"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"array of shape {value.shape}"
    if isinstance(value, (tuple, list)) and all(
        isinstance(v, numbers.Number) for v in value
    ):
        return ", ".join(_text(v) for v in value)
    is_real = isinstance(value, numbers.Real)
    if is_real and not isinstance(value, numbers.Integral):
        return f"{float(value):.4g}"
    return str(value)


def _cell(value, tag="td"):
    side = "right" if isinstance(value, numbers.Number) and tag == "td" else "left"
    return f'<{tag} style="{_CELL.format(side)}">{html.escape(_text(value))}</{tag}>'


def _table(title, rows):
    caption = f"<caption>{html.escape(str(title))}</caption>" if title else ""
    style = "border-collapse:collapse;color:inherit;font-size:.9em"
    table = f'<table style="{style}">{caption}{"".join(rows)}</table>'
    return f'<div style="overflow-x:auto">{table}</div>'


def facts_html(title, facts):
    """Return names and values as a small table of HTML, with all text escaped.

    Parameters
    ----------
    title : str
        The caption.
    facts : dict of str to object
        Long text, such as a warning, wraps; None and ``()`` are left out.

    Returns
    -------
    str
        A table that loads nothing and takes the colours of its page.
    """
    rows = [
        f"<tr>{_cell(name, 'th')}{_cell(value)}</tr>"
        for name, value in facts.items()
        if value is not None and not (isinstance(value, tuple) and not value)
    ]
    return _table(title, rows)


def columns_html(title, columns):
    """Return columns of equal length as a table of HTML, shortened in the middle.

    Parameters
    ----------
    title : str
        The caption.
    columns : dict of str to array-like
        The columns by name.

    Returns
    -------
    str
        A table that loads nothing and takes the colours of its page.
    """
    n = min((len(values) for values in columns.values()), default=0)
    rows = [[_cell(name, "th") for name in columns]]
    shown = range(n) if n <= _ROWS else [*range(_ROWS // 2), *range(n - _ROWS // 2, n)]
    rows += [[_cell(values[i]) for values in columns.values()] for i in shown]
    if n > _ROWS:
        style = f'colspan="{len(columns)}" style="{_CELL.format("center")}"'
        rows.insert(1 + _ROWS // 2, [f"<td {style}>… {n - _ROWS} more rows …</td>"])
    return _table(title, [f"<tr>{''.join(cells)}</tr>" for cells in rows])


def folded_html(summary, body):
    """Return HTML behind a line that opens it."""
    line = html.escape(str(summary))
    return f"<details><summary>{line}</summary>{body}</details>"


class Results(Bunch):
    """A dictionary of arrays and numbers, also readable as attributes.

    Arrays named in ``columns`` have one entry per row of the table that ``to_frame``
    makes; everything else is about the whole. ``print`` writes both, after the sentence
    ``verdict`` where there is one; a notebook shows them as tables.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.evaluation import Results
    >>> results = Results(columns=("score",), score=np.array([0.9, 0.8]), mean=0.85)
    >>> results["mean"] == results.mean
    True
    """

    def to_frame(self):
        """Return the columns as a data frame of pandas.

        Returns
        -------
        DataFrame
            One row per condition or tolerance.
        """
        pandas = require("pandas", "to_frame", extra="report")
        return pandas.DataFrame({name: self[name] for name in self["columns"]})

    def frame(self):
        """Return the columns as a data frame of pandas, as displays do.

        Returns
        -------
        DataFrame
            That of :meth:`to_frame`.
        """
        return self.to_frame()

    def __repr__(self):
        return results_text(type(self).__name__, self)

    def _repr_html_(self):
        columns = {c: self[c] for c in self.get("columns", ()) if c in self}
        parts = {"Results": "", "Table": _rows_html(columns)}
        for topic in ("Results", "Checks", "Data", "Model"):
            facts = {k: v for k, v in self._facts().items() if topic_of(k) == topic}
            parts[topic] = facts_html("", facts) if facts else ""
        inner = {k: v for k, v in self.items() if isinstance(v, Results)}
        folded = [folded_html(name, v._repr_html_()) for name, v in inner.items()]
        parts["Details"] = "".join(folded)
        verdict = html.escape(self.get("verdict") or "")
        line = f"<p><strong>{verdict}</strong></p>" if verdict else ""
        return f"<div>{line}{tabs_html(parts)}</div>"

    def _facts(self):
        """Return what is about the whole; numbers with the limits of their interval."""
        facts = {}
        for name, value, interval in facts_of(self):
            if not isinstance(value, Mapping):
                number = isinstance(value, numbers.Number) or hasattr(value, "low")
                facts[name] = fact_text(value, interval) if number else value
                if isinstance(value, list) and not value:  # of warnings, for example
                    facts[name] = "none"
        return facts


def _rows_html(columns):
    """Return a table, behind a line where it is long."""
    if not columns:
        return ""
    n, body = len(next(iter(columns.values()))), columns_html("", columns)
    return body if n <= _ROWS else folded_html(f"{n} rows: {', '.join(columns)}", body)
