"""Pictures as data inside the page."""

import base64
import io
import warnings

import numpy as np

from skrobust.report._log import FAILURES, one_line

SVG_LIMIT = 200_000  # bytes; a larger drawing is smaller as pixels
_ENDS = ("low", "high")
_BANDS = 3  # curves whose intervals can be told apart
_STYLES = ("-", "--", "-.", ":")


def draw_pictures(model):
    """Draw what a model's results allow.

    Parameters
    ----------
    model : dict
        One of the ``models`` of a collected report.

    Returns
    -------
    pictures : dict of str to dict
        ``surface``, ``grid``, ``ratio`` and ``times``: each with ``uri`` and ``alt``,
        or with ``missing``, the reason why it could not be drawn.
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
    curves = {m["name"]: m["curve"] for m in models if m.get("curve") is not None}
    if not curves:
        return None
    names = ", ".join(curves)
    alt = f"Robust accuracy under PGD against the radius: {names}"
    return _picture(lambda plots: _curves(curves), alt)


def _curves(curves):
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
    for i, (name, curve) in enumerate(curves.items()):
        eps = [0.0, *curve["eps"]]
        style = {"color": f"C{i}", "linestyle": _STYLES[i % len(_STYLES)]}
        values = [curve["clean_accuracy"], *curve["robust_accuracy"]]
        # No mathematics in the names of the user.
        label = name.replace("$", r"\$")
        label = label if len(label) <= 30 else f"{label[:29]}\N{HORIZONTAL ELLIPSIS}"
        if label.startswith("_"):  # which a legend would leave out
            label = f"\N{ZERO WIDTH SPACE}{label}"
        ax.plot(eps, values, marker="o", markersize=3, label=label, **style)
        if len(curves) <= _BANDS:
            ends = [curve[f"robust_accuracy_{end}"] for end in _ENDS]
            ax.fill_between(curve["eps"], *ends, color=f"C{i}", alpha=0.12, lw=0)
    ax.set(xlabel="radius, eps", ylabel="robust accuracy", ylim=(0, 1.02))
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    outside = {"loc": "outside right upper", "fontsize": "small", "frameon": False}
    figure.legend(**outside)
    return figure


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


def _line(x, y, labels):
    """Draw the score of each period."""
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(5.2, 3.2), layout="constrained")
    y = np.array(y, dtype=np.float64)
    places = np.arange(len(x))
    ax.plot(places, y, color="#1f5f8b", marker="o", markersize=3.5)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    step = -(-len(x) // 8)
    texts = [str(t)[:12].replace("$", r"\$") for t in x[::step]]
    slanted = max(map(len, texts)) > 4
    ax.set_xticks(places[::step], texts, rotation=30 if slanted else 0)
    if np.isfinite(y).any() and np.nanmin(y) >= 0:
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
