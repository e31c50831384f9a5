"""Pictures of a report, drawn by the displays and embedded as data."""

import base64
import io
import warnings

import numpy as np

from skrobust._one_line import one_line
from skrobust.report.section_log import FAILURES
from skrobust.report.severity_table import severity_table
from skrobust.report.summary_cells import headline

SVG_LIMIT = 200_000  # bytes; a larger drawing is smaller as pixels
_SIZE = (5.8, 3.9)  # inches
_MANY = 6  # curves that can be told apart
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
        ``surface``, ``grid``, ``severity``, ``ratio`` and ``times``: each with ``uri``
        and ``alt``, or with ``missing``, the reason why it could not be drawn; and
        ``groups``, by grouping and measure.
    """
    name, results, pictures = model["name"], model["stability"], {}
    named = {"name": label(name)}
    if results is not None and "correct" in results:
        alt = f"Mean accuracy, coefficient of variation and stability index of {name} "
        alt += "in three dimensions, with its conditions as points"
        parts = "StabilitySurfaceDisplay", results, alt
        pictures["surface"] = _display(*parts, form="png", **named)
    if results is not None and results.get("preset", "asi68") == "asi68":
        alt = f"Accuracy of {name} under both orders of each pair of factors"
        pictures["grid"] = _display("PerturbationGridDisplay", results, alt)
    table = severity_table(results)
    if table is not None and len(table["severities"]) > 1:
        alt = f"Score of {name} against severity, one curve per perturbation"
        pictures["severity"] = picture(lambda plots: _severity(plots, results), alt)
    if model.get("times") is not None:
        pictures["times"] = picture(
            lambda plots: _times(plots, model["times"]),
            f"{model['times']['metric']} of {name} over the periods, with its trend",
        )
    chosen = headline({"models": [model]})
    if (model["attacks"].get(chosen) or {}).get("modes"):
        alt = f"Robust ratio of {name} against the tolerance under {chosen}, with its "
        alt += "robust accuracy"
        attacked = model["attacks"][chosen]
        pictures["ratio"] = _display("RobustRatioDisplay", attacked, alt, **named)
    pictures["groups"] = {
        grouping: {
            measure: _groups(results, f"{name} by {grouping}, {measure}")
            for measure, results in measures.items()
            if results is not None
        }
        for grouping, measures in (model.get("groups") or {}).items()
    }
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


def _severity(plots, results):
    display = plots.SeverityCurveDisplay.from_results(results)
    worst = severity_table(results)["rows"][:_MANY]  # the table has all
    curves = {label(row["name"]): display.curves[row["kind"]] for row in worst}
    display.curves = curves
    return display.plot()


def _times(plots, table):
    periods = [label(period)[:12] for period in table["period"]]
    shown, kind = {**table, "period": periods}, plots.StabilityPatternDisplay
    return kind.from_results(shown, score_name=table["metric"]).plot()


def _groups(results, text):
    n = len(results["group"])
    shown = {**results, "group": np.array([label(g) for g in results["group"]])}
    return picture(
        lambda plots: plots.GroupGapDisplay.from_results(shown).plot(),
        f"Share of right labels of {text}, with intervals",
        size=_forest(n),
    )


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
    kind = {"svg": "image/svg+xml", "png": "image/png"}[form]
    text = base64.b64encode(data).decode("ascii")
    return {"uri": f"data:{kind};base64,{text}", "alt": alt}


def _saved(figure, form):
    # The ground is that of the page: white, or a light card by night.
    buffer = io.BytesIO()
    settings = {"metadata": {"Date": None}} if form == "svg" else {"dpi": 130}
    settings |= {"format": form, "bbox_inches": "tight", "facecolor": "none"}
    figure.savefig(buffer, **settings)
    return buffer.getvalue()
