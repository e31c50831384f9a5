"""Results as text: a sentence, the numbers with their intervals, and a table."""

import numbers
from collections.abc import Mapping

import numpy as np

_WIDTH = 88
_ROWS = 12  # of a table; a longer one shows its first and last
_LONGEST = 24  # characters of a cell


def results_text(name, results):
    """Return results as text of at most 88 characters a line.

    Parameters
    ----------
    name : str
        Name of the class.
    results : Mapping
        Numbers, arrays, and ``columns`` with the names of those arrays that make the
        table. ``verdict`` is a sentence that comes first, and ``NAME_interval`` is
        written beside NAME.

    Returns
    -------
    str
        Lines. Arrays outside the table are named at the end.
    """
    columns = [c for c in results.get("columns", ()) if c in results]
    inner, facts = [], {}
    for key, value, interval in facts_of(results):
        if isinstance(value, Mapping) or (isinstance(value, np.ndarray) and value.ndim):
            inner.append(key)
        else:
            facts[key] = fact_text(value, interval)
    verdict = results.get("verdict")  # of a table of pairs: a column
    lines = [verdict] if isinstance(verdict, str) and verdict else [name]
    width = max(map(len, facts), default=0)
    for key, value in facts.items():
        lines.append(f"  {key:{width}}  {value}"[: _WIDTH - 1])
    if columns:
        lines += ["", *_table({c: results[c] for c in columns})]
    if inner:
        lines += ["", f"also: {', '.join(inner)}"]
    return "\n".join(lines)


def facts_of(results):
    """Yield the name, the value and the interval or None of what is in no column.

    The interval of a number comes with the number, and not again.
    """
    hidden = {"columns", "verdict", *results.get("columns", ())}
    for name, value in results.items():
        whole = name.removesuffix("_interval")
        beside = whole != name and isinstance(results.get(whole), numbers.Number)
        if name not in hidden and not beside:
            yield name, value, results.get(f"{name}_interval")


def fact_text(value, interval):
    """Return a number or text, with the limits of its interval if it has one."""
    limits = ""
    if interval is not None:
        low, high = interval
        limits = f" [{_number(low)}, {_number(high)}]"
    return f"{_number(value)}{limits}"


def _number(value):
    if hasattr(value, "low") and hasattr(value, "high"):  # an Interval
        return f"{_number(value.value)} [{_number(value.low)}, {_number(value.high)}]"
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        return f"{float(value):.4g}"
    return " ".join(str(value).split())


def _table(columns):
    """Return a table, shortened in the middle and on the right."""
    n = len(next(iter(columns.values())))
    half = _ROWS // 2
    places = range(n) if n <= _ROWS else [*range(half), *range(n - half, n)]
    cells = [
        [name, *(_number(values[i])[:_LONGEST] for i in places)]
        for name, values in columns.items()
    ]
    widths = [max(map(len, column)) for column in cells]
    used = np.cumsum(np.array(widths) + 2)
    shown = max(1, int((used <= _WIDTH).sum()))
    rows = zip(*cells[:shown], strict=True)
    lines = [
        "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=False))
        for row in rows
    ]
    if n > _ROWS:
        lines.insert(1 + half, f"... {n - _ROWS} more rows ...".center(len(lines[0])))
    if shown < len(cells):
        hidden = ", ".join(list(columns)[shown:])
        lines.append(f"also columns: {hidden}")
    return lines
