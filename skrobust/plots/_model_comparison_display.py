"""Display of paired differences between models."""

from collections.abc import Mapping

import numpy as np

from skrobust._validation import check_number
from skrobust.metrics import compare_models
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import (
    draw_forest,
    draw_reference,
    ink,
    label_axes,
    legend_above,
    pair_names,
)
from skrobust.plots.many_lines import draw_curves, label_grey_lines


class ModelComparisonDisplay(BaseDisplay):
    """Display of paired differences of models, as forest plot or curves.

    To the right of 0 the first model of a pair is better. An interval that leaves 0 out
    is of one pair by itself; filled points are pairs that differ also after correction
    for all pairs (adjusted p-value below .05), hollow ones do not. Of
    ``robust_ratio_regions`` it shows the curves, and above them the ranges of tolerance
    in which a model leads.

    Parameters
    ----------
    table : dict of str to array of shape (n_rows,)
        ``first``, ``second``, ``difference``, ``low``, ``high`` and ``p_adjusted``; for
        curves ``tolerance``, and ``band_low`` and ``band_high``, which hold for all
        rows at once.
    metric : str, default="score"
        Name of the compared score.
    regions : dict of str to array of shape (n_regions,), default=None
        ``model``, ``start`` and ``stop`` of the ranges in which a model leads.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    points_, bars_ : artist or None
        Differences and intervals, the first pair on top; None for curves.
    lines_, bands_ : dict of str to artist
        Curves by pair; empty without tolerances.
    zero_line_ : Line2D
        No difference.
    region_lines_, region_names_ : list of artist
        Ranges in which a model leads, and the names of these models.
    legend_ : Legend or None
        Which curve is which pair, or what hollow points are.

    See Also
    --------
    skrobust.metrics.compare_models : Makes the results.
    skrobust.metrics.robust_ratio_regions : Makes curves with regions.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import compare_models
    >>> from skrobust.plots import ModelComparisonDisplay
    >>> correct = {"svc": np.arange(90) % 10 > 0, "tree": np.arange(90) % 3 > 0}
    >>> display = ModelComparisonDisplay.from_results(
    ...     compare_models(correct, random_state=0))
    >>> display.frame().difference.round(3).tolist()
    [0.233]
    >>> display.plot()  # doctest: +SKIP
    """

    table: dict
    metric: str = "score"
    regions: dict | None = None

    @classmethod
    def from_results(cls, results):
        """Make the display from results of ``compare_models`` or of regions.

        Parameters
        ----------
        results : Results
            Of ``compare_models`` or ``robust_ratio_regions``, two or more models.

        Returns
        -------
        display : ModelComparisonDisplay
            Not drawn yet.
        """
        if isinstance(results, Mapping) and "regions" in results:
            tables = results["pairs"], results["regions"]
            pairs, regions = ({k: t[k] for k in t["columns"]} for t in tables)
            return cls(table=pairs, metric="robust ratio", regions=regions)
        keys = ("first", "second", "difference", "p_adjusted", "metric")
        cls._check_results(results, keys, "compare_models")
        table = {k: np.asarray(results[k]) for k in results["columns"]}
        return cls(table=table, metric=str(results["metric"]).replace("_", " "))

    @classmethod
    def from_predictions(cls, models, **kwargs):
        """Compare models with ``compare_models`` and make the display.

        Parameters
        ----------
        models : dict
            Name of each model to its correctness or predictions.
        **kwargs : dict
            Passed to ``compare_models``, for example ``y_true``.

        Returns
        -------
        display : ModelComparisonDisplay
            Not drawn yet.
        """
        return cls.from_results(compare_models(models, **kwargs))

    def frame(self):
        """Return the differences as a data frame of pandas.

        Returns
        -------
        DataFrame
            The columns of ``compare_models``.
        """
        return self._data_frame(self.table)

    def plot(self, ax=None, *, alpha=0.05):
        """Draw the differences.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.
        alpha : float in (0, 1], default=0.05
            Points of pairs with a smaller adjusted p-value are filled.

        Returns
        -------
        display : ModelComparisonDisplay
            The display itself.
        """
        caller = f"{type(self).__name__}.plot"
        alpha = check_number(alpha, "alpha", caller, low=0, high=1, low_open=True)
        self.points_, self.bars_, self.lines_, self.bands_ = None, None, {}, {}
        self.region_lines_, self.region_names_ = [], []
        if "tolerance" in self.table:
            self._draw_curves(*self._start(ax, 4, 2.8))
            self._draw_regions()
        else:
            self._draw_pairs(*self._start(ax, 3.5, 2), alpha)
        return self

    def _draw_pairs(self, ax, size, alpha):
        limits = [self.table[name] for name in ("difference", "low", "high")]
        self.points_, self.bars_, entries = draw_forest(
            ax,
            pair_names(self.table),
            limits,
            size,
            x=f"difference in {self.metric}",
            hollow=~(self.table["p_adjusted"] < alpha),
            meaning=f"may be equal (adjusted p ≥ {alpha:g})",
        )
        self.legend_ = legend_above(ax, size, entries)
        self.zero_line_ = draw_reference(ax, 0, vertical=True, ls="--")

    def _draw_curves(self, ax, size):
        labels, curves = np.array(pair_names(self.table)), {}
        names = ("tolerance", "difference", "band_low", "band_high")
        for label in dict.fromkeys(labels):
            rows = np.flatnonzero(labels == label)
            rows = rows[np.argsort(self.table["tolerance"][rows])]
            curves[label] = [self.table[name][rows] for name in names]
        self.lines_, self.bands_ = draw_curves(ax, curves)
        self.zero_line_ = draw_reference(ax, 0, ls="--")
        label_axes(ax, size, x="tolerance", y=f"difference in {self.metric}")
        self.legend_ = legend_above(ax, size)
        label_grey_lines(ax, self.lines_, size)

    def _draw_regions(self):
        """Draw a line for each region at the top of the axes, with its model."""
        if self.regions is None:
            return
        ax, names = self.ax_, ("model", "start", "stop")
        at, size = ax.get_xaxis_transform(), ax.xaxis.label.get_size()
        for model, start, stop in zip(*(self.regions[k] for k in names), strict=True):
            settings = {"transform": at, "clip_on": False}
            (line,) = ax.plot([start, stop], [1, 1], color=ink(), lw=3, **settings)
            place = (start + stop) / 2, 0.97
            look = {"ha": "center", "va": "top", "color": ink(), "size": size}
            self.region_lines_.append(line)
            self.region_names_.append(ax.text(*place, model, transform=at, **look))
