"""Pictures as data inside the page."""

import base64
import io
import warnings

from skrobust.report._log import FAILURES, one_line

SVG_LIMIT = 200_000  # bytes; a larger drawing is smaller as pixels


def draw_pictures(model):
    """Draw what a model's results allow.

    Parameters
    ----------
    model : dict
        One of the ``models`` of a collected report.

    Returns
    -------
    pictures : dict of str to dict
        ``surface``, ``grid`` and ``ratio``: each with ``uri`` and ``alt``, or with
        ``missing``, the reason why it could not be drawn.
    """
    name, results = model["name"], model["stability"]
    pictures = {}
    if results is not None:
        pictures["surface"] = _picture(
            lambda plots: plots.StabilitySurfaceDisplay.from_results(
                results, name=name
            ).plot(),
            f"Mean accuracy, coefficient of variation and stability index of {name} "
            "in three dimensions, with its conditions as points",
            form="png",
        )
        pictures["grid"] = _picture(
            lambda plots: plots.PerturbationGridDisplay.from_results(results).plot(),
            f"Heat map of the accuracy of {name} under both orders of each pair of "
            "factors",
        )
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
    buffer = io.BytesIO()
    settings = {"metadata": {"Date": None}} if form == "svg" else {"dpi": 130}
    figure.savefig(
        buffer, format=form, bbox_inches="tight", facecolor="white", **settings
    )
    return buffer.getvalue()
