"""Surface of the Accuracy-Stability Index as an interactive figure of plotly."""

import html

from skrobust._optional import require
from skrobust.plots.drawing import OKABE_ITO

_SYMBOLS = ("circle", "square", "diamond", "cross", "x")
_VALUES = (
    "%{text}<br>mean %{x:.3f}<br>variation %{y:.3f}<br>index %{z:.3f}<extra></extra>"
)


def surface_figure(models, x, y, z, score_name, caller):
    """Return the surface with the points of models.

    Parameters
    ----------
    models : list of ((conditions, model), names, name)
        Coordinates of the conditions of shape (n, 3) and of the model of shape (3,),
        the names of the conditions and of the model.
    x, y, z : ndarray of shape (n, n)
        The surface.
    score_name : str
        Name of the scores.
    caller : str
        Name of the public function or class, for error messages.
    """
    go = require("plotly.graph_objects", caller, extra="interactive")
    surface = go.Surface(
        x=x, y=y, z=z, colorscale="Viridis", opacity=0.7, hoverinfo="skip",
        colorbar={"title": "Accuracy-<br>Stability<br>Index", "len": 0.6},
    )  # fmt: skip
    figure = go.Figure(surface)
    for i, ((conditions, model), names, name) in enumerate(models):
        # plotly reads tags in text, so that names are escaped.
        label = html.escape("all conditions" if name is None else str(name))
        shared = {
            "color": OKABE_ITO[i % len(OKABE_ITO)],
            "symbol": _SYMBOLS[i % len(_SYMBOLS)],
            "line": {"color": "black", "width": 1},
        }
        for points, texts, size, shown in (
            (conditions, [f"{label}: {html.escape(str(n))}" for n in names], 3, False),
            (model[None], [label], 8, True),
        ):
            figure.add_trace(
                go.Scatter3d(
                    x=points[:, 0], y=points[:, 1], z=points[:, 2], mode="markers",
                    marker={**shared, "size": size}, text=texts, name=label,
                    legendgroup=str(i), showlegend=shown, hovertemplate=_VALUES,
                )
            )  # fmt: skip
    figure.update_layout(
        scene={
            "camera": {"eye": {"x": -1.6, "y": -1.9, "z": 1.3}},
            "xaxis": {"title": {"text": f"mean {score_name}"}},
            "yaxis": {"title": {"text": "coefficient of variation"}},
            "zaxis": {"title": {"text": "Accuracy-Stability Index"}},
        },
        legend={"x": 0, "y": 1},
        margin={"l": 0, "r": 0, "t": 30, "b": 0},
    )
    return figure
