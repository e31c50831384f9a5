"""What the displays share: checking results and finding axes to draw on."""

from collections.abc import Mapping

from skrobust._optional import require
from skrobust._validation import invalid


def check_results(results, owner, keys, source):
    """Raise unless the results hold the keys that the source writes."""
    if not isinstance(results, Mapping) or any(key not in results for key in keys):
        raise invalid("results", owner, f"what {source} returns", results)
    return results


def score_name(results):
    """Name what the scores are: per-sample correctness is kept for accuracy only."""
    return "accuracy" if "correct" in results else "score"


def get_pyplot(owner):
    """Import matplotlib, or say how to install it."""
    return require("matplotlib.pyplot", f"{owner}.plot", extra="plots")


def check_axes(ax, owner, *, three_d=False):
    """Return axes of the right kind, or raise."""
    axes_class = require("matplotlib.axes", f"{owner}.plot", extra="plots").Axes
    if not isinstance(ax, axes_class):
        raise invalid("ax", f"{owner}.plot", "an Axes of matplotlib or None", ax)
    if three_d and ax.name != "3d":
        cure = "Make them with `plt.subplots(subplot_kw={'projection': '3d'})`."
        raise invalid("ax", f"{owner}.plot", "3-D axes for a surface", ax.name, cure)
    if not three_d and ax.name == "3d":
        raise invalid("ax", f"{owner}.plot", "2-D axes", ax.name)
    return ax


def size_in_inches(ax):
    """Return width and height of axes, also inside subfigures."""
    return ax.get_window_extent().size / ax.figure.dpi


def font_size(ax, width, height):
    """Return a font size for axes that need so many inches at the default size."""
    default = get_pyplot("skrobust.plots").rcParams["font.size"]
    scale = min(size_in_inches(ax) / (width, height))
    return default * min(1.0, max(0.4, scale))
