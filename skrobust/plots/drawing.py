"""Colours, lines, labels and legends of the displays."""

import numpy as np

from skrobust._optional import require
from skrobust._validation import invalid

LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
MARKERS = "osD^vP*X"
# Okabe and Ito (2008): told apart by colour-blind readers, and by grey as well.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Two more of Tol (2021), for the seventh and the eighth line.
_MORE = ("#882255", "#999933")


def get_pyplot(caller="skrobust.plots"):
    """Import matplotlib, or say how to install it."""
    return require("matplotlib.pyplot", f"{caller}.plot", extra="plots")


def check_axes(ax, caller, *, three_d=False):
    """Return axes of the right kind, or raise."""
    axes_class = require("matplotlib.axes", f"{caller}.plot", extra="plots").Axes
    if not isinstance(ax, axes_class):
        raise invalid("ax", f"{caller}.plot", "an Axes of matplotlib or None", ax)
    if three_d and ax.name != "3d":
        cure = "Make them with `plt.subplots(subplot_kw={'projection': '3d'})`."
        raise invalid("ax", f"{caller}.plot", "3-D axes for a surface", ax.name, cure)
    if not three_d and ax.name == "3d":
        raise invalid("ax", f"{caller}.plot", "2-D axes", ax.name)
    return ax


def palette():
    """Return the colours of lines: of the user's style, or safe ones."""
    plt = get_pyplot()
    cycle = plt.rcParams["axes.prop_cycle"]
    if cycle != plt.matplotlib.rcParamsDefault["axes.prop_cycle"]:
        return list(dict.fromkeys(cycle.by_key().get("color", ["C0"])))
    return [*OKABE_ITO, *_MORE]


def color_of(place):
    """Return the colour of one line."""
    colors = palette()
    return colors[place % len(colors)]


def ink():
    """Return the colour of text and of lines that stand for no model."""
    return get_pyplot().rcParams["text.color"]


def line_style(place, *, marker=True):
    """Return colour, dashes and marker of one line among several."""
    style = {"color": color_of(place), "linestyle": LINES[place % len(LINES)]}
    if marker:
        style |= {"marker": MARKERS[place % len(MARKERS)], "markersize": 4}
    return style


def draw_band(ax, x, limits, line, *, alpha=0.2, **settings):
    """Fill the space between the limits of a line, in its colour."""
    low, high = limits
    color = line.get_color()
    return ax.fill_between(x, low, high, color=color, alpha=alpha, lw=0, **settings)


def draw_reference(ax, value, *, vertical=False, **settings):
    """Draw a thin line across the axes at one value, behind all others."""
    draw = ax.axvline if vertical else ax.axhline
    return draw(value, **{"color": ink(), "lw": 0.8, "zorder": 0} | settings)


def size_in_inches(ax):
    """Return width and height of axes, also inside subfigures."""
    return ax.get_window_extent().size / ax.figure.dpi


def font_size(ax, width, height):
    """Return a font size for axes that need so many inches at the default size."""
    default = get_pyplot().rcParams["font.size"]
    scale = min(size_in_inches(ax) / (width, height))
    return default * min(1.0, max(0.4, scale))


def label_axes(ax, size, *, x, y, title=None):
    """Label both axes and their ticks in one font size."""
    ax.set_xlabel(x, fontsize=size)
    ax.set_ylabel(y, fontsize=size)
    ax.tick_params(labelsize=size)
    if title is not None:
        ax.set_title(title, fontsize=1.1 * size)


def draw_colorbar(image, ax, label, size):
    """Draw the colour bar of an image beside its axes and return it."""
    bar = np.ravel(ax)[0].figure.colorbar(image, ax=ax)
    bar.set_label(label, fontsize=size)
    bar.ax.tick_params(labelsize=size)
    return bar


def label_some_ticks(ax, names, most=6):
    """Label the places 0, 1, ... on the horizontal axis, at most so many of them."""
    step = -(-len(names) // most)
    ax.set_xticks(np.arange(0, len(names), step), names[::step])
    if max(map(len, names[::step])) > 6:
        ax.tick_params(axis="x", rotation=30)


def pair_names(table):
    """Return "first - second" for each row of a table of differences."""
    pairs = zip(table["first"], table["second"], strict=True)
    return [f"{first} - {second}" for first, second in pairs]


def draw_forest(ax, labels, limits, size, *, x, hollow, meaning):
    """Draw points with intervals, one row for each label, the first on top.

    Parameters
    ----------
    ax : Axes
        Axes to draw on.
    labels : list of str
        Names of the rows.
    limits : (value, low, high), arrays of shape (n_rows,)
        The points and the ends of their intervals.
    size : float
        Font size.
    x : str
        Label of the axis of values.
    hollow : array of bool of shape (n_rows,)
        Points to empty.
    meaning : str
        What hollow points are, for the legend.

    Returns
    -------
    points, bars : artist
        The values and their intervals.
    entries : list of artist
        The entry of the legend for hollow points, if there are any.
    """
    places = np.arange(len(labels))[::-1]
    value, low, high = (np.asarray(part, dtype=float) for part in limits)
    bars = ax.hlines(places, low, high, color=color_of(0), lw=1.5)
    points = ax.scatter(value, places, color=color_of(0), marker="o", s=25, zorder=3)
    ax.set_yticks(places, labels)
    ax.set_ylim(-0.7, len(labels) - 0.3)
    label_axes(ax, size, x=x, y="")
    # Names no higher than their rows.
    fitting = 0.7 * 72 * size_in_inches(ax)[1] / max(len(labels), 1)
    ax.tick_params(axis="y", labelsize=min(size, max(fitting, 3)))
    face, full = ax.get_facecolor(), points.get_facecolor()[0]
    points.set_facecolor([face if h else full for h in hollow])
    points.set_edgecolor(full)
    if not np.any(hollow):
        return points, bars, []
    entry = ax.scatter([], [], s=25, facecolor=face, edgecolor=[full], label=meaning)
    return points, bars, [entry]


def legend_above(ax, size, handles=None, *, ncols=2, title=None):
    """Put the legend over the axes, where it hides no data, and below a title."""
    if handles is None:
        handles = ax.get_legend_handles_labels()[0]
    if not handles:
        return None
    legend = ax.legend(
        handles=handles,
        fontsize=0.83 * size,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=min(ncols, len(handles)),
        frameon=False,
        title=title,
        title_fontsize=0.9 * size,
    )
    # A title stands over all child axes: an invisible one lifts it over the legend.
    room = ax.inset_axes([0, 1, 1, 0])
    room.set(visible=False, in_layout=False, axes_locator=_Room(legend))
    return legend


class _Room:
    """Locator that gives invisible axes the place of a legend."""

    def __init__(self, legend):
        self.legend = legend

    def __call__(self, ax, renderer):
        extent = self.legend.get_window_extent(renderer)
        return extent.transformed(ax.figure.transSubfigure.inverted())
