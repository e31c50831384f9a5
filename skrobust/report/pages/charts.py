"""Charts as SVG inside the page, in whose colours they are drawn, light or dark.

Sizes are in pixels; words are escaped here.
"""

from html import escape

import numpy as np

from skrobust.report.core.number_text import number

_N_COLORS = 8  # lines that are told apart by colour; the rest is grey
_CHARACTER = 6.4  # width of a letter
_ROW = 30


def heat_chart(table, label):
    """Return a heat map of models and perturbations, with its numbers.

    Parameters
    ----------
    table : dict
        From :func:`~skrobust.report.core.heat_map.heat_map`.
    label : str
        Text alternative.

    Returns
    -------
    str
        SVG.
    """
    names, rows = table["names"], table["rows"]
    left = 16 + _CHARACTER * max([len(_short(row["name"], 24)) for row in rows] + [8])
    width, top = max([112, *(int(7.2 * len(_short(n, 22))) for n in names)]), 34
    parts = [
        _text(left + width * (j + 0.5), 20, _short(name, 22), "name", "middle")
        for j, name in enumerate(names)
    ]
    for i, row in enumerate(rows):
        y = top + _ROW * i
        parts.append(_text(left - 8, y + 19, _short(row["name"], 24), "", "end"))
        for j, cell in enumerate(row["cells"]):
            x = left + width * j
            shade = f"h{cell['shade']}" if cell else "none"
            box = f'x="{x:.0f}" y="{y}" width="{width - 2}" height="{_ROW - 2}" rx="3"'
            parts.append(f'<rect class="cell {shade}" {box}/>')
            if cell is None:
                continue
            mark = "▼" if cell["below"] else ""
            parts.append(
                _text(x + width / 2 - 8, y + 19, _digits(cell["mean"]), "value", "end")
            )
            low = f"{_digits(cell['lowest'])}{mark}"
            parts.append(_text(x + width - 10, y + 19, low, "low", "end"))
    return _svg(left + width * len(names) + 4, top + _ROW * len(rows) + 4, parts, label)


def line_chart(panels, label, *, axis, reference=None, low=None):
    """Return small charts that stand side by side, in which each model has one line.

    Parameters
    ----------
    panels : list of dict
        ``title`` and ``lines``, each with ``name``, ``x`` and ``y``.
    label : str
        Text alternative.
    axis : str
        Words below each chart.
    reference : float, default=None
        Where a dashed line runs: the score of a constant model.
    low : float, default=None
        Lower end of the scale; None: 0, or below the lowest value.

    Returns
    -------
    str
        HTML: a legend, and one SVG for each chart.
    """
    names = list(dict.fromkeys(line["name"] for p in panels for line in p["lines"]))
    values = [v for p in panels for line in p["lines"] for v in line["y"]]
    values = np.array([v for v in values if np.isfinite(v)] or [0.0])
    floor = min(0.0, max(float(values.min()), -1.0)) if low is None else low
    ends = floor, max(1.0, float(values.max()))
    size = 262, 190
    drawn = "".join(
        _svg(
            *size,
            _panel(panel, names, size, ends, axis, reference),
            f"{label}; {panel['title']}",
        )
        for panel in panels
    )
    return f'{_legend(names, reference)}<div class="panels">{drawn}</div>'


def _legend(names, reference):
    entries = [(name, _color(i)) for i, name in enumerate(names)]
    if reference is not None:
        entries.append(("constant model", "constant"))
    keys = "".join(
        '<span><svg class="chart" aria-hidden="true" width="24" height="10">'
        f'<path class="line {color}" d="M1 5h22"/></svg>{escape(str(name))}</span>'
        for name, color in entries
    )
    return f'<div class="legend">{keys}</div>'


def _color(place):
    return f"c{place}" if place < _N_COLORS else "rest"


def _panel(panel, names, size, ends, axis, reference):
    wide, high = size
    x0, x1, y0, y1 = 34, wide - 14, high - 30, 24
    xs = [x for line in panel["lines"] for x in line["x"]]
    first, last = min(xs), max(xs)

    def place(x, y):
        across = (x - first) / ((last - first) or 1.0)
        up = (np.clip(y, *ends) - ends[0]) / (ends[1] - ends[0])
        return x0 + across * (x1 - x0), y0 + up * (y1 - y0)

    parts = [_text(x0, 15, _short(panel["title"], 32), "name")]
    for tick in np.linspace(*ends, 3):
        _, y = place(first, tick)
        parts.append(f'<path class="grid" d="M{x0} {y:.1f}H{x1}"/>')
        parts.append(_text(x0 - 5, y + 4, f"{tick:.1f}", "tick", "end"))
    for tick in (first, last):
        x, _ = place(tick, 0)
        parts.append(_text(x, y0 + 16, f"{tick:g}", "tick", "middle"))
    middle = (x0 + x1) / 2
    parts.append(_text(middle, y0 + 16, axis, "tick", "middle"))
    if reference is not None and ends[0] <= reference <= ends[1]:
        _, y = place(first, reference)
        parts.append(f'<path class="line constant" d="M{x0} {y:.1f}H{x1}"/>')
    for line in panel["lines"]:
        points = [
            place(x, y)
            for x, y in zip(line["x"], line["y"], strict=True)
            if np.isfinite(y)
        ]
        color = _color(names.index(line["name"]))
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path class="line {color}" d="M{path}"/>')
        if len(points) <= 8:
            parts += [
                f'<circle class="dot {color}" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>'
                for x, y in points
            ]
    return parts


def interval_chart(rows, label, *, axis, low=0.0, high=1.0):
    """Return one line for each row: a bar between two ends, or a point with limits.

    Parameters
    ----------
    rows : list of dict
        ``name``, ``low`` and ``high`` (the ends of a bar, or limits), ``color`` (place
        of a colour), and ``value`` (a point) or None.
    label : str
        Text alternative.
    axis : str
        Words below.
    low, high : float
        Ends of the scale.

    Returns
    -------
    str
        SVG.
    """
    left, wide, top, step = 14, 300, 2, 38
    bottom = top + step * len(rows)

    def place(value):
        share = (np.clip(value, low, high) - low) / (high - low)
        return left + share * wide

    parts = []
    for tick in np.linspace(low, high, 5):
        x = place(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {top}V{bottom}"/>')
        text = f"{tick:.2f}".rstrip("0").rstrip(".")
        parts.append(_text(x, bottom + 16, text, "tick", "middle"))
    parts.append(_text(left + wide / 2, bottom + 32, axis, "tick", "middle"))
    for i, row in enumerate(rows):
        y, color = top + step * i + 25, _color(row["color"])
        parts.append(_text(left + 4, y - 11, _short(row["name"], 44)))
        a, b = place(row["low"]), place(row["high"])
        if row.get("value") is None:
            box = f'x="{a - 1:.1f}" y="{y - 5}" width="{b - a + 2:.1f}" height="10"'
            parts.append(f'<rect class="bar {color}" {box}/>')
        else:
            parts.append(f'<path class="line {color}" d="M{a:.1f} {y}H{b:.1f}"/>')
            x = place(row["value"])
            parts.append(f'<circle class="dot {color}" cx="{x:.1f}" cy="{y}" r="4"/>')
    return _svg(left + wide + 14, bottom + 40, parts, label)


def _digits(value):
    if value < -9.99:
        return "< \N{MINUS SIGN}10"
    return number(value, 2).replace("-", "\N{MINUS SIGN}")


def _short(text, most):
    text = str(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(x, y, words, kind="", anchor="start"):
    kind = f' class="{kind}"' if kind else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}{place}>{escape(str(words))}</text>'


def _svg(width, height, parts, label):
    size = f'width="{width:.0f}" height="{height:.0f}"'
    box = f'viewBox="0 0 {width:.0f} {height:.0f}"'
    inside = "".join(parts)
    return (
        f'<svg class="chart" role="img" aria-label="{escape(label)}" {size} {box}>'
        f"{inside}</svg>"
    )
