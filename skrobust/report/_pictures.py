"""Pictures as data inside the page."""

import base64
import io
import warnings

import numpy as np

from skrobust.report._log import FAILURES, one_line

SVG_LIMIT = 200_000  # bytes; a larger drawing is smaller as pixels
_ENDS = ("low", "high")


def draw_pictures(model):
    """Draw what a model's results allow.

    Parameters
    ----------
    model : dict
        One of the ``models`` of a collected report.

    Returns
    -------
    pictures : dict of str to dict
        ``surface``, ``grid``, ``ratio``, ``curve`` and ``times``: each with ``uri`` and
        ``alt``, or with ``missing``, the reason why it could not be drawn.
    """
    name, results = model["name"], model["stability"]
    pictures = {}
    if results is not None and "correct" in results:
        pictures["surface"] = _picture(
            lambda plots: plots.StabilitySurfaceDisplay.from_results(
                results, name=name
            ).plot(),
            f"Mean accuracy, coefficient of variation and stability index of {name} "
            "in three dimensions, with its conditions as points",
            form="png",
        )
    if results is not None and results.get("preset", "asi68") == "asi68":
        pictures["grid"] = _picture(
            lambda plots: plots.PerturbationGridDisplay.from_results(results).plot(),
            f"Heat map of the accuracy of {name} under both orders of each pair of "
            "factors",
        )
    if model.get("curve") is not None:
        pictures["curve"] = _picture(
            lambda plots: _line(
                model["curve"]["eps"],
                model["curve"]["robust_accuracy"],
                ("radius, eps", "robust accuracy"),
                band=[model["curve"][f"robust_accuracy_{end}"] for end in _ENDS],
            ),
            f"Robust accuracy of {name} under PGD against the radius",
        )
    if model.get("times") is not None:
        table = model["times"]
        pictures["times"] = _picture(
            lambda plots: _line(table["period"], table["score"],
                                ("period", table["metric"])),
            f"{table['metric']} of {name} over the periods",
        )  # fmt: skip
    attacked = [a for a, r in model["attacks"].items() if r and r.get("modes")]
    if attacked:
        attack = "PGD" if "PGD" in attacked else attacked[-1]
        pictures["ratio"] = _picture(
            lambda plots: plots.RobustRatioDisplay.from_results(
                model["attacks"][attack], name=name
            ).plot(),
            f"Robust ratio of {name} against the tolerance under {attack}, with its "
            "robust accuracy",
        )
    return pictures


def _picture(draw, alt, form="svg"):
    try:
        from matplotlib import pyplot, rc_context, style

        from skrobust import plots

        with (
            warnings.catch_warnings(action="ignore"),  # of drawing, not of the numbers
            style.context("default"),
            rc_context({"svg.fonttype": "path", "svg.hashsalt": "skrobust"}),
        ):
            before = set(pyplot.get_fignums())
            try:
                drawn = draw(plots)
                figure = getattr(drawn, "figure_", drawn)
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


def _line(x, y, labels, band=None):
    """Draw a line of one measure, with its intervals as a band."""
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(5.2, 3.2), layout="constrained")
    y = np.array(y, dtype=np.float64)
    if band is not None:
        ax.fill_between(x, *band, color="#1f5f8b", alpha=0.15, linewidth=0)
    ax.plot(x, y, color="#1f5f8b", marker="o", markersize=3.5)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    if isinstance(x[0], str):
        step = -(-len(x) // 8)
        ax.set_xticks(range(0, len(x), step), [t[:12] for t in x[::step]])
        ax.tick_params(axis="x", labelrotation=30 if max(map(len, x)) > 4 else 0)
    if np.nanmin(y) >= 0:
        ax.set_ylim(0, 1.02)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def _saved(figure, form):
    buffer = io.BytesIO()
    settings = {"metadata": {"Date": None}} if form == "svg" else {"dpi": 130}
    figure.savefig(
        buffer, format=form, bbox_inches="tight", facecolor="white", **settings
    )
    return buffer.getvalue()
