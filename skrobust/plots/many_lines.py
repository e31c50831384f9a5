"""Styles of many lines: a few in colours of their own, the others grey."""

import numpy as np

from skrobust.plots.drawing import draw_band, ink, line_style, palette, size_in_inches

MOST_COLORS = 8
_GREY = "_grey"  # a label that begins so has no entry in a legend


def line_styles(curves, *, marker=True):
    """Return the style of each line; no colour stands for two of them.

    Where there are more lines than colours, those that are lowest on average have
    colours and the others are grey, without an entry in the legend:
    :func:`label_grey_lines` names them beside the axes.

    Parameters
    ----------
    curves : dict of str to array-like
        Heights of the points of each line.
    marker : bool, default=True
        Whether points are marked.

    Returns
    -------
    dict of str to dict
        By name.
    """
    names, most = list(curves), min(MOST_COLORS, len(palette()))
    if len(names) > most:
        heights = [_mean_height(curves[name]) for name in names]
        names = [names[i] for i in np.sort(np.argsort(heights, kind="stable")[:most])]
    styles = {}
    for name in curves:
        if name in names:
            styles[name] = line_style(names.index(name), marker=marker)
            styles[name]["label"] = name
        else:
            styles[name] = {"color": "0.55", "lw": 0.8, "zorder": 1.5, "label": _GREY}
    return styles


def is_grey(line):
    """Return whether a line has no colour of its own."""
    return line.get_label() == _GREY


def _mean_height(y):
    """Return the mean of the finite heights; a line without any is the highest."""
    y = np.asarray(y, dtype=float)
    y = y[np.isfinite(y)]
    return y.mean() if y.size else np.inf


def draw_curves(ax, curves, line_kwargs=None, *, marker=False, **band):
    """Draw lines, each with the band of its limits, if any; return both by name.

    Parameters
    ----------
    ax : Axes
        Axes to draw on.
    curves : dict of str to (x, y, low, high)
        Arrays of shape (n_points,); limits of NaN stand for no band.
    line_kwargs : dict, default=None
        Passed to ``plot`` for all lines.
    marker : bool, default=False
        Whether the points are marked.
    **band : dict
        Passed to :func:`draw_band`.

    Returns
    -------
    lines, bands : dict of str to artist
        By name.
    """
    lines, bands = {}, {}
    styles = line_styles(
        {name: y for name, (_, y, *_) in curves.items()}, marker=marker
    )
    for name, (x, y, *limits) in curves.items():
        (lines[name],) = ax.plot(x, y, **styles[name] | (line_kwargs or {}))
        if np.isfinite(limits[0]).any() and not is_grey(lines[name]):
            bands[name] = draw_band(ax, x, limits, lines[name], **band)
    return lines, bands


def label_grey_lines(ax, lines, size):
    """Write the names of grey lines beside their right ends, none over another.

    Parameters
    ----------
    ax : Axes
        Axes whose limits are final.
    lines : dict of str to Line2D
        All lines by name.
    size : float
        Font size of the axes.
    """
    grey = {n: line for n, line in lines.items() if is_grey(line)}
    if not grey:
        return
    ax.figure.draw_without_rendering()  # the legend takes height from the axes
    low, high = ax.get_ylim()
    room = 72 * size_in_inches(ax)[1]  # points
    size = min(0.75 * size, room / len(grey) / 1.2)
    ends = np.array([line.get_ydata()[-1] for line in grey.values()])
    order = np.argsort(ends)
    places = _apart((ends[order] - low) / (high - low), 1.2 * size / room)
    for i, place in zip(order, places, strict=True):
        ax.annotate(
            list(grey)[i],
            (1, ends[i]),
            (1.02, place),
            xycoords=ax.get_yaxis_transform(),
            textcoords="axes fraction",
            va="center",
            fontsize=size,
            color=ink(),
            arrowprops={"arrowstyle": "-", "color": "0.55", "lw": 0.4},
        )


def _apart(places, gap):
    """Return rising places in 0 to 1 that are at least so far from one another.

    They are the nearest in the sum of squares: an isotonic regression of what is left
    when the gaps are taken out.
    """
    from sklearn.isotonic import isotonic_regression

    steps = gap * np.arange(len(places))
    moved = isotonic_regression(places - steps) + steps
    shift = max(0.0, moved[-1] - 1) if len(moved) else 0.0
    return moved - min(shift, max(0.0, moved[0]))
