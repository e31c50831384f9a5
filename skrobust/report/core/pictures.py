"""Pictures of a report, drawn by the displays and embedded as data."""

import base64
import io
import re
import warnings

import numpy as np

from skrobust._one_line import one_line
from skrobust.report.core.heat_map import is_additive
from skrobust.report.core.section_log import FAILURES

SVG_LIMIT = 200_000  # bytes; a larger drawing is smaller as pixels
# Colours of the page by day and by night, and what matplotlib draws in them.
_COLORS = {
    "ink": ("#1d2125", "#e6e8ea"),
    "soft": ("#5c6670", "#a0a9b2"),
    "line": ("#c9ced2", "#454c53"),
    "ground": ("#ffffff", "#1b1f23"),
}
_NAMED = {"#000000": "ink", "#ffffff": "ground", "#b0b0b0": "line", "#cccccc": "line"}
_NAMED |= {"#808080": "soft", "#7f7f7f": "soft", "#262626": "ink"}
_SIZE = (5.8, 3.9)  # inches
_LONG = 30  # characters of a name
_BREAK, _DOTS = "\N{ZERO WIDTH SPACE}", "\N{HORIZONTAL ELLIPSIS}"


def draw_pictures(model):
    """Draw what a model's results allow.

    Parameters
    ----------
    model : dict
        One of the ``models`` of a collected report.

    Returns
    -------
    pictures : dict of str to dict
        ``surface`` and ``grid``, of a grid of two factors: each with ``uri`` and
        ``alt``, or with ``missing``, the reason why it could not be drawn. The surface
        is left out where the two factors act independently of each other.
    """
    name, results, pictures = model["name"], model["stability"], {}
    named = {"name": label(name)}
    if results is None or results.get("preset", "asi68") != "asi68":
        return pictures
    if "correct" in results and not is_additive(results):
        alt = f"Mean accuracy, coefficient of variation and stability index of {name} "
        alt += "in three dimensions, with its conditions as points"
        parts = "StabilitySurfaceDisplay", results, alt
        pictures["surface"] = _display(*parts, form="png", **named)
    alt = f"Accuracy of {name} under both orders of each pair of factors"
    pictures["grid"] = _display("PerturbationGridDisplay", results, alt)
    return pictures


def _display(kind, results, alt, form="svg", **options):
    """Draw results by the display of a name, in the size that it chooses."""

    def draw(plots):
        return getattr(plots, kind).from_results(results, **options).plot()

    return picture(draw, alt, form, size=None)


def draw_curves(models):
    """Draw robust accuracy over the radius, all models in one picture.

    Parameters
    ----------
    models : list of dict
        The ``models`` of a collected report.

    Returns
    -------
    dict or None
        As one of :func:`draw_pictures`; None where no model has a curve.
    """
    curved = [model for model in models if model.get("curve") is not None]
    if not curved:
        return None
    names = ", ".join(model["name"] for model in curved)
    labels = told_apart(label(model["name"]) for model in curved)
    curves = dict(zip(labels, map(_curve, curved), strict=True))
    options = {"curves": curves, "norm_name": "units of the raw input"}
    return picture(
        lambda plots: plots.RobustAccuracyCurveDisplay(**options).plot(),
        f"Robust accuracy under PGD against the radius: {names}",
        size=_with_legend(len(curves)),
    )


def draw_comparison(comparison):
    """Draw the differences of all pairs of models in one measure.

    Parameters
    ----------
    comparison : dict
        One of the ``comparisons`` of a collected report.

    Returns
    -------
    dict
        As one of :func:`draw_pictures`.
    """
    pairs, words = comparison["pairs"], comparison["words"]
    numbers = ("difference", "low", "high", "p_adjusted")
    table = {k: np.array([p[k] for p in pairs], dtype=float) for k in numbers}
    for side, key in (("first", "better"), ("second", "worse")):
        table[side] = np.array([label(pair[key]) for pair in pairs])
    return picture(
        lambda plots: plots.ModelComparisonDisplay(table=table, metric=words).plot(),
        f"Differences of pairs of models in {words}, with their intervals",
        size=_forest(len(pairs)),
    )


def label(text):
    """Return a name of the user as a legend may show it: short, and no mathematics."""
    text = str(text)
    text = text if len(text) <= _LONG else f"{text[: _LONG - 1]}{_DOTS}"
    text = text.replace("$", r"\$")
    return f"{_BREAK}{text}" if text.startswith("_") else text  # which legends hide


def told_apart(names, mark=_BREAK):
    """Return the names, with marks behind those that were there before."""
    found = []
    for name in names:
        while name in found:
            name += mark
        found.append(name)
    return found


def _curve(model):
    curve, clean = model["curve"], model["clean"]
    ends = clean["interval"] or (np.nan, np.nan)
    first = {"eps": 0.0, "robust_accuracy": curve["clean_accuracy"]}
    first |= {"low": ends[0], "high": ends[1]}
    keys = {"low": "robust_accuracy_low", "high": "robust_accuracy_high"}
    return {
        key: np.r_[value, np.asarray(curve[keys.get(key, key)], dtype=float)]
        for key, value in first.items()
    }


def _forest(n_rows):
    return _SIZE[0], min(1.5 + 0.27 * n_rows, 14.0)


def _with_legend(n_lines):
    return _SIZE[0], _SIZE[1] + 0.2 * (n_lines // 2)


def picture(draw, alt, form="svg", size=_SIZE):
    """Draw and return a picture as data, or the reason why there is none.

    Parameters
    ----------
    draw : callable
        From ``skrobust.plots`` to a display that has been plotted.
    alt : str
        Text alternative of the picture.
    form : {"svg", "png"}, default="svg"
        A drawing that is too large becomes "png".
    size : (width, height) or None
        Size of the figure in inches; None leaves it to the display.

    Returns
    -------
    dict
        ``alt`` with ``uri``, or with ``missing``.
    """
    try:
        from matplotlib import pyplot, rc_context, style

        from skrobust import plots

        settings = {"svg.fonttype": "path", "svg.hashsalt": "skrobust"}
        settings |= {} if size is None else {"figure.figsize": size}
        settings |= {"axes.facecolor": "none"} if form == "png" else {}
        with (
            warnings.catch_warnings(action="ignore"),  # of drawing, not of the numbers
            style.context("default"),
            rc_context(settings),
        ):
            before = set(pyplot.get_fignums())
            try:
                figure = draw(plots).figure_
                data = _saved(figure, form)
                if form == "svg" and len(data) > SVG_LIMIT:
                    form, data = "png", _saved(figure, "png")
            finally:
                for number in set(pyplot.get_fignums()) - before:
                    pyplot.close(number)
    except FAILURES as error:
        return {"missing": one_line(error), "alt": alt}
    if form == "svg":
        data = by_night(data.decode("utf-8")).encode("utf-8")
    kind = {"svg": "image/svg+xml", "png": "image/png"}[form]
    text = base64.b64encode(data).decode("ascii")
    found = {"uri": f"data:{kind};base64,{text}", "alt": alt}
    return found | ({"follows": True} if form == "svg" else {})


def by_night(text):
    """Return an SVG of matplotlib whose ink and greys follow the page.

    Black is the ink of the page and white its ground, by day and by night; colours of
    lines stay.
    """
    for color, name in _NAMED.items():
        text = re.sub(f"{color}(?![0-9a-f])", f"var(--{name})", text, flags=re.I)
    night = "".join(f"--{name}:{ends[1]};" for name, ends in _COLORS.items())
    day = "".join(f"--{name}:{ends[0]};" for name, ends in _COLORS.items())
    style = (
        f"<style>svg{{{day}fill:var(--ink)}}"
        f"@media (prefers-color-scheme: dark){{svg{{{night}}}}}</style>"
    )
    head, mark, rest = text.partition("<defs>")
    return f"{head}{style}{mark}{rest}" if mark else text


def _saved(figure, form):
    # The ground is that of the page: white, or a light card by night.
    buffer = io.BytesIO()
    settings = {"metadata": {"Date": None}} if form == "svg" else {"dpi": 130}
    settings |= {"format": form, "bbox_inches": "tight", "facecolor": "none"}
    figure.savefig(buffer, **settings)
    return buffer.getvalue()
