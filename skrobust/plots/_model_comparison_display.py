"""Differences of models on the same samples, each with its interval."""

import numpy as np

from skrobust._validation import check_number
from skrobust.metrics import compare_models
from skrobust.plots._group_gap_display import forest, hollow_out
from skrobust.plots.base import (
    FoldedTableMixin,
    check_results,
    colors,
    font_size,
    get_axes,
    ink,
    label_axes,
    legend_above,
    line_style,
    make_frame,
)


class ModelComparisonDisplay(FoldedTableMixin):
    """Paired differences of models: a forest plot, or curves over tolerances.

    To the right of 0 the first model of a pair is better. An interval that leaves 0 out
    is of one pair by itself; filled points are pairs that differ also after correction
    for all pairs (adjusted p-value below .05), hollow ones do not.

    Parameters
    ----------
    table : dict of str to array of shape (n_rows,)
        ``first``, ``second``, ``difference``, ``low``, ``high`` and ``p_adjusted``; for
        curves ``tolerance``, and ``band_low`` and ``band_high``, which hold for all
        rows at once.
    metric : str, default="score"
        What is compared.

    Attributes
    ----------
    ax_ : Axes
        Where it is drawn.
    figure_ : Figure
        Its figure.
    points_, bars_ : artist or None
        Differences and intervals, the first pair on top; None for curves.
    lines_, bands_ : dict of str to artist
        Curves by pair; empty without tolerances.
    zero_line_ : Line2D
        No difference.
    legend_ : Legend or None
        Which curve is which pair, or what hollow points are.

    See Also
    --------
    skrobust.metrics.compare_models : Makes the results.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import compare_models
    >>> from skrobust.plots import ModelComparisonDisplay
    >>> right = {"svc": np.arange(90) % 10 > 0, "tree": np.arange(90) % 3 > 0}
    >>> display = ModelComparisonDisplay.from_results(
    ...     compare_models(right, random_state=0))
    >>> display.frame().difference.round(3).tolist()
    [0.233]
    >>> display.plot()  # doctest: +SKIP
    """

    def __init__(self, *, table, metric="score"):
        self.table = table
        self.metric = metric

    @classmethod
    def from_results(cls, results):
        """Make the display from the results of ``compare_models``.

        Parameters
        ----------
        results : Results
            Of two or more models.

        Returns
        -------
        display : ModelComparisonDisplay
            Not drawn yet.
        """
        keys = ("first", "second", "difference", "p_adjusted", "metric")
        check_results(results, cls.__name__, keys, "compare_models")
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
        return make_frame(type(self).__name__, self.table)

    def plot(self, ax=None, *, alpha=0.05):
        """Draw the differences.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; None makes a figure.
        alpha : float in (0, 1], default=0.05
            Points of pairs with a smaller adjusted p-value are filled.

        Returns
        -------
        display : ModelComparisonDisplay
            The display itself.
        """
        caller = type(self).__name__
        check_number(alpha, "alpha", f"{caller}.plot", low=0, high=1, low_open=True)
        self.ax_ = ax = get_axes(ax, caller)
        self.figure_ = ax.figure
        self.points_, self.bars_, self.lines_, self.bands_ = None, None, {}, {}
        self.legend_ = None
        if "tolerance" in self.table:
            self._draw_curves(ax, caller)
        else:
            self._draw_pairs(ax, caller, alpha)
        return self

    def _pairs(self):
        pairs = zip(self.table["first"], self.table["second"], strict=True)
        return [f"{first} - {second}" for first, second in pairs]

    def _draw_pairs(self, ax, caller, alpha):
        size = font_size(ax, 3.5, 2)
        shown = {k: self.table[k] for k in ("difference", "low", "high")}
        self.points_, self.bars_, small = forest(
            ax, self._pairs(), shown, colors(caller)[0], size
        )
        hollow = ~(self.table["p_adjusted"] < alpha)
        text = f"may be equal (adjusted p ≥ {alpha:g})"
        empty = hollow_out(ax, self.points_, hollow, text)
        self.legend_ = legend_above(ax, size, empty) if empty else None
        self.zero_line_ = ax.axvline(0, color=ink(caller), lw=0.8, ls="--", zorder=0)
        label_axes(ax, size, x=f"difference in {self.metric}", y="")
        ax.tick_params(axis="y", labelsize=small)

    def _draw_curves(self, ax, caller):
        size, labels = font_size(ax, 4, 2.8), np.array(self._pairs())
        for place, label in enumerate(dict.fromkeys(labels)):
            rows = np.flatnonzero(labels == label)
            rows = rows[np.argsort(self.table["tolerance"][rows])]
            x = self.table["tolerance"][rows]
            style = line_style(place, caller, marker=False)
            (line,) = ax.plot(x, self.table["difference"][rows], label=label, **style)
            low, high = (self.table[f"band_{side}"][rows] for side in ("low", "high"))
            self.lines_[label] = line
            self.bands_[label] = ax.fill_between(
                x, low, high, color=line.get_color(), alpha=0.2, lw=0
            )
        self.zero_line_ = ax.axhline(0, color=ink(caller), lw=0.8, ls="--", zorder=0)
        label_axes(ax, size, x="tolerance", y=f"difference in {self.metric}")
        self.legend_ = legend_above(ax, size)
