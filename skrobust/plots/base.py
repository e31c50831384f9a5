"""What the displays share: checking results and finding axes to draw on."""

from collections.abc import Mapping

from skrobust._optional import require
from skrobust._results import columns_html, folded_html
from skrobust._validation import invalid

LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
MARKERS = "osD^vP*X"
# Okabe and Ito (2008): told apart by colour-blind readers, and by grey as well.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


class FoldedTableMixin:
    """Show a display in a notebook as its table, folded under one line."""

    def _repr_html_(self):
        name = type(self).__name__
        try:
            frame = self.frame()
        except ImportError:
            return f"<p>{name}</p>"
        columns = {str(c): frame[c].tolist() for c in frame.columns}
        return folded_html(f"{name}: {len(frame)} rows", columns_html("", columns))


def check_results(results, caller, keys, source):
    """Raise unless the results hold the keys that the source writes."""
    if not isinstance(results, Mapping) or any(key not in results for key in keys):
        raise invalid("results", caller, f"what {source} returns", results)
    return results


def named_results(results, name, caller, key):
    """Return the results of one model, or of several by name, as a dict."""
    if isinstance(results, Mapping) and results and key not in results:
        if name is not None:
            rule = "None for several models, which carry their own names"
            raise invalid("name", caller, rule, name)
        return dict(results)
    return {name: results}


def score_name(results):
    """Name what the scores are: per-sample correctness is kept for accuracy only."""
    return "accuracy" if "correct" in results else "score"


def get_pyplot(caller):
    """Import matplotlib, or say how to install it."""
    return require("matplotlib.pyplot", f"{caller}.plot", extra="plots")


def make_frame(caller, columns):
    """Return columns as a data frame of pandas, or say how to install it."""
    pandas = require("pandas", f"{caller}.frame", extra="report")
    return pandas.DataFrame(columns)


def get_axes(ax, caller):
    """Return checked 2-D axes, new ones for None."""
    plt = get_pyplot(caller)
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    return check_axes(ax, caller)


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


def colors(caller):
    """Return the colours of lines: the user's own, or a palette for all eyes."""
    plt = get_pyplot(caller)
    cycle = plt.rcParams["axes.prop_cycle"]
    if cycle == plt.matplotlib.rcParamsDefault["axes.prop_cycle"]:
        return OKABE_ITO
    return cycle.by_key().get("color", ["C0"])


def line_style(place, caller, *, marker=True):
    """Return colour, dashes and marker of one line among several."""
    palette = colors(caller)
    style = {
        "color": palette[place % len(palette)],
        "linestyle": LINES[place % len(LINES)],
    }
    if marker:
        style |= {"marker": MARKERS[place % len(MARKERS)], "markersize": 4}
    return style


def ink(caller):
    """Return the colour of text and of lines that stand for no model."""
    return get_pyplot(caller).rcParams["text.color"]


def size_in_inches(ax):
    """Return width and height of axes, also inside subfigures."""
    return ax.get_window_extent().size / ax.figure.dpi


def font_size(ax, width, height):
    """Return a font size for axes that need so many inches at the default size."""
    default = get_pyplot("skrobust.plots").rcParams["font.size"]
    scale = min(size_in_inches(ax) / (width, height))
    return default * min(1.0, max(0.4, scale))


def label_axes(ax, size, *, x, y, title=None):
    """Write what the axes are, in one size."""
    ax.set_xlabel(x, fontsize=size)
    ax.set_ylabel(y, fontsize=size)
    ax.tick_params(labelsize=size)
    if title is not None:
        ax.set_title(title, fontsize=1.1 * size)


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
    # A title stands over all child axes: one that nobody sees lifts it over the legend.
    room = ax.inset_axes([0, 1, 1, 0])
    room.set(visible=False, in_layout=False, axes_locator=_Room(legend))
    return legend


class _Room:
    """Give a legend's place, in parts of the figure, to the axes behind it."""

    def __init__(self, legend):
        self.legend = legend

    def __call__(self, ax, renderer):
        extent = self.legend.get_window_extent(renderer)
        return extent.transformed(ax.figure.transSubfigure.inverted())
