"""Display of models and conditions on the surface of the Accuracy-Stability Index."""

import numpy as np

from skrobust._array_checks import check_fractions, check_scores
from skrobust._validation import check_choice, check_count
from skrobust.plots.base import BaseDisplay, score_name
from skrobust.plots.cv_scores import condition_scores
from skrobust.plots.drawing import MARKERS, color_of, draw_colorbar, ink, label_axes
from skrobust.plots.interactive_surface import surface_figure
from skrobust.plots.surface_geometry import grid_around, height, points_of

_SETTINGS = {
    "plot_surface": {"alpha": 0.6, "linewidth": 0, "rcount": 30, "ccount": 30},
    "contourf": {"cmap": "Greys_r", "levels": 12},
    "pcolormesh": {"cmap": "Greys_r", "shading": "gouraud"},
}


class StabilitySurfaceDisplay(BaseDisplay):
    """Display of models and conditions on the surface of the Accuracy-Stability Index.

    Over the mean accuracy x and the coefficient of variation y (CV) stands the index
    z = (x - y) / (x + y). A model is one large point: its mean over the conditions,
    its CV and its index. A condition c of that model is a small point at x =
    accuracy(c), y = abs(accuracy(c) - mean) / mean, and z by the formula: how far this
    one condition is from the mean, relative to it. The root mean square of these y
    over the conditions is exactly the CV of the model, so the points show which
    conditions make it. They stand on two straight lines that meet at (mean, 0).

    Parameters
    ----------
    scores : list of arrays of shape (n_conditions,)
        Accuracies in [0, 1] under each condition, one array per model.
    conditions : list of arrays of str
        The names of the conditions, one array per model.
    names : list of str or None
        The names of the models; None stands for a model that needs no name.
    score_name : str, default="accuracy"
        Name of the scores.

    Attributes
    ----------
    ax_ : Axes
        Where it is drawn; 3-D for ``plot_surface``.
    figure_ : Figure
        The figure of these axes.
    surface_ : artist
        The surface, the filled contours or the mesh.
    condition_points_, model_points_ : list of artists
        The points, one collection per model.
    colorbar_ : Colorbar or None
        The scale of the index where it is no axis.
    legend_ : Legend
        Legend of the points.

    See Also
    --------
    skrobust.metrics.accuracy_stability_index : The index.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from skrobust.evaluation import evaluate_perturbations
    >>> from skrobust.perturbations import two_factor_grid
    >>> from skrobust.plots import StabilitySurfaceDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SVC().fit(X[:1000], y[:1000])
    >>> grid = two_factor_grid(
    ...     "asi68", image_shape=(8, 8), data_range=(0, 16), random_state=0)
    >>> results = evaluate_perturbations(model, X[1000:1100], y[1000:1100], grid)
    >>> display = StabilitySurfaceDisplay.from_results(results, name="SVC")
    >>> display.frame().shape
    (70, 6)
    >>> display.plot()  # doctest: +SKIP
    """

    scores: list
    conditions: list
    names: list
    score_name: str = "accuracy"

    @classmethod
    def from_results(cls, results, *, name=None):
        """Make the display from the results of ``evaluate_perturbations``.

        Parameters
        ----------
        results : Results or dict of str to Results
            The results of one model, or of several by name.
        name : str, default=None
            The name of one model.

        Returns
        -------
        display : StabilitySurfaceDisplay
            Not drawn yet.
        """
        caller, source = cls.__name__, "evaluate_perturbations"
        models = cls._by_model(results, name, "score")
        for one in models.values():
            cls._check_results(one, ("score", "name"), source)
            scores = check_fractions(check_scores(one["score"], caller), caller)
            if not scores.any():
                raise ValueError(
                    f"{caller} needs a positive mean score; every score is 0, and then "
                    "the coefficient of variation is undefined."
                )
        return cls(
            scores=[np.asarray(one["score"], dtype=float) for one in models.values()],
            conditions=[np.asarray(one["name"]) for one in models.values()],
            names=list(models),
            score_name=score_name(*models.values()),
        )

    @classmethod
    def from_cv_results(cls, cv_results, conditions, *, candidates=5):
        """Make the display from scores of one scorer per condition.

        Parameters
        ----------
        cv_results : dict
            Of ``cross_validate`` with several metrics (one model), or ``cv_results_``
            of a search (one model per candidate, named by its parameters).
        conditions : list of str
            The scorers, one per condition.
        candidates : int, default=5
            Of a search: the candidates of the greatest mean over the conditions.

        Returns
        -------
        display : StabilitySurfaceDisplay
            Of the means over folds. Not drawn yet.
        """
        caller = f"{cls.__name__}.from_cv_results"
        candidates = check_count(candidates, "candidates", caller)
        models = condition_scores(cv_results, conditions, caller, candidates)
        names = np.array([str(c) for c in conditions])
        models = {k: {"score": v, "name": names} for k, v in models.items()}
        return cls.from_results(models)

    def to_plotly(self):
        """Return the surface and the points as an interactive figure of plotly.

        Returns
        -------
        plotly.graph_objects.Figure
            To turn, zoom and hover: each point tells its name and its values.
        """
        points = self._points()
        models = list(zip(points, self.conditions, self.names, strict=True))
        x, y = grid_around(points)
        caller = f"{type(self).__name__}.to_plotly"
        return surface_figure(models, x, y, height(x, y), self.score_name, caller)

    def plot_interactive(self):
        """Show the interactive figure, in a notebook or a browser.

        Returns
        -------
        display : StabilitySurfaceDisplay
            The display itself; ``plotly_figure_`` is the figure.
        """
        self.plotly_figure_ = self.to_plotly()
        self.plotly_figure_.show()
        return self

    def _points(self):
        return [points_of(scores) for scores in self.scores]

    def frame(self):
        """Return the points as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``model``, ``kind`` ("condition" or "model"), ``name``, and the
            coordinates: ``accuracy`` (or ``score``; of a model the mean),
            ``coefficient_of_variation`` (of a condition its relative deviation) and
            ``accuracy_stability_index``.
        """
        axes = (self.score_name, "coefficient_of_variation", "accuracy_stability_index")
        rows = []
        for (points, point), conditions, name in zip(
            self._points(), self.conditions, self.names, strict=True
        ):
            label = "model" if name is None else name
            rows.append([label, "model", label, *point])
            rows += [
                [label, "condition", str(condition), *row]
                for condition, row in zip(conditions, points, strict=True)
            ]
        return self._data_frame(rows, columns=["model", "kind", "name", *axes])

    def plot(
        self,
        ax=None,
        *,
        plot_method="plot_surface",
        surface_kwargs=None,
        point_kwargs=None,
    ):
        """Draw the surface and the points.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw: 3-D axes for ``plot_surface``, else 2-D. None makes a figure.
            The default view of 3-D axes, which is along the surface, is turned.
        plot_method : {"plot_surface", "contourf", "pcolormesh"}, default="plot_surface"
            A surface in 3-D, or its map with a colour scale for the index.
        surface_kwargs : dict, default=None
            Passed to the method of matplotlib.
        point_kwargs : dict, default=None
            Passed to ``scatter`` for the conditions and the models.

        Returns
        -------
        display : StabilitySurfaceDisplay
            The display itself.
        """
        caller = type(self).__name__
        check_choice(plot_method, "plot_method", f"{caller}.plot", tuple(_SETTINGS))
        three_d = plot_method == "plot_surface"
        ax, size = self._start(ax, 4.4, 3.4, three_d=three_d)
        points = self._points()
        x, y = grid_around(points)
        settings = {"cmap": "viridis"} | _SETTINGS[plot_method] | (surface_kwargs or {})
        self.surface_ = getattr(ax, plot_method)(x, y, height(x, y), **settings)
        ax.set(xlim=(x[0, 0], x[0, -1]), ylim=(y[0, 0], y[-1, 0]))
        x = f"mean {self.score_name}"
        label_axes(ax, size, x=x, y="coefficient of variation")
        self.colorbar_ = None
        if three_d:
            self._arrange_3d(size)
        else:
            text = "Accuracy-Stability Index"
            self.colorbar_ = draw_colorbar(self.surface_, ax, text, size)
        self._scatter(points, size, point_kwargs or {})
        return self

    def _arrange_3d(self, size):
        from matplotlib.colors import to_rgb

        ax = self.ax_
        ax.computed_zorder = False  # the points are on the surface, not behind it
        ax.set_zlabel("Accuracy-Stability Index", fontsize=size)
        ax.set_box_aspect(None, zoom=0.85)  # room for the labels
        ax.locator_params(nbins=6)
        for axis, pad in ((ax.xaxis, 0.4), (ax.yaxis, 0.4), (ax.zaxis, 1.0)):
            axis.labelpad = pad * size
            # Walls in the colours of the style, not the light grey of all styles.
            axis.set_pane_color((*to_rgb(ink()), 0.06))
        if (ax.elev, ax.azim) == (30, -60):
            # The default looks along the surface; from here all of it is seen.
            ax.view_init(40, -130)

    def _scatter(self, points, size, point_kwargs):
        three_d = self.ax_.name == "3d"
        self.condition_points_, self.model_points_ = [], []
        kind = {"depthshade": False} if three_d else {"clip_on": False}
        kind["edgecolors"] = "black"
        small = {"s": 1.5 * size, "linewidths": 0.5, "zorder": 3}
        large = {"s": 10 * size, "linewidths": 1.2, "zorder": 4}
        for i, ((conditions, model), name) in enumerate(
            zip(points, self.names, strict=True)
        ):
            shared = {"color": color_of(i), "marker": MARKERS[i % len(MARKERS)], **kind}
            small["label"] = "one condition"
            large["label"] = "all conditions" if name is None else name
            for target, data, settings in (
                (self.condition_points_, conditions, small),
                (self.model_points_, model[np.newaxis], large),
            ):
                place = data.T if three_d else data.T[:2]
                settings = shared | settings | point_kwargs
                target.append(self.ax_.scatter(*place, **settings))
        handles = [*self.model_points_, self.condition_points_[0]]
        place = {"loc": "upper left"}  # an empty corner of 3-D axes
        if not three_d:
            place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 3}
        self.legend_ = self.ax_.legend(handles=handles, fontsize=0.83 * size, **place)
