"""Display of repairs: clean accuracy against robust accuracy."""

from textwrap import shorten

import numpy as np

from skrobust._validation import check_choice, invalid
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import (
    MARKERS,
    color_of,
    ink,
    label_axes,
    legend_above,
    palette,
)

_KEYS = ("name", "clean", "robust", "is_on_front", "best", "criterion")
_COLUMNS = ("name", "clean", "clean_low", "clean_high", "robust", "robust_low")
_COLUMNS += ("robust_high", "is_on_front")
_AXES = ("clean", "robust")
_NAMED = 6  # beside the original, the other names that a legend holds
_WIDTH = 30  # letters of a name in the legend
_ROBUST = {
    "mean": "mean accuracy under perturbation",
    "attack": "accuracy under attack",
}


class RepairParetoDisplay(BaseDisplay):
    """Display of repairs by their clean and their robust accuracy, with intervals.

    Further right is better on clean rows, further up under the conditions or attacks. A
    step line joins the front: what nothing beats in both. The original is a cross. At
    most six repairs have a colour and a name, first the winner, then those on the
    front, then those with the highest robust accuracy; others are grey.

    Parameters
    ----------
    table : dict of str to array of shape (n_models,)
        ``name``, ``clean``, ``clean_low``, ``clean_high``, ``robust``, ``robust_low``,
        ``robust_high`` and ``is_on_front``; the original first.
    best : str, default="original"
        Name of the winner.
    criterion : {"mean", "attack"}, default="mean"
        What the robust accuracy is.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    points_ : dict of str to artist
        The point of each model with its intervals, by name.
    front_ : Line2D
        The step line.
    legend_ : Legend or None
        Names of the coloured points.

    See Also
    --------
    skrobust.evaluation.suggest_repairs : Makes the results.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.plots import RepairParetoDisplay
    >>> table = {"name": np.array(["original", "clip"]), "clean": np.array([0.9, 0.9]),
    ...          "robust": np.array([0.6, 0.8])}
    >>> table |= {f"{k}_{end}": table[k] + step for k in ("clean", "robust")
    ...           for end, step in (("low", -0.05), ("high", 0.05))}
    >>> table["is_on_front"] = np.array([False, True])
    >>> display = RepairParetoDisplay(table=table, best="clip")
    >>> display.frame().shape
    (2, 8)
    >>> display.plot()  # doctest: +SKIP
    """

    table: dict
    best: str = "original"
    criterion: str = "mean"

    def __post_init__(self):
        super().__post_init__()
        caller = type(self).__name__
        check_choice(self.criterion, "criterion", caller, tuple(_ROBUST))
        if any(name not in self.table for name in _COLUMNS):
            rule = f"a dict of arrays, {', '.join(_COLUMNS)}"
            raise invalid("table", caller, rule, self.table)

    @classmethod
    def from_results(cls, results):
        """Make the display from results of ``suggest_repairs``.

        Parameters
        ----------
        results : Results
            Of ``suggest_repairs``.

        Returns
        -------
        display : RepairParetoDisplay
            Not drawn yet.
        """
        cls._check_results(results, _KEYS, "suggest_repairs")
        table = {name: np.asarray(results[name]) for name in _COLUMNS}
        about = {"best": str(results["best"]), "criterion": str(results["criterion"])}
        return cls(table=table, **about)

    def frame(self):
        """Return the points as a data frame of pandas.

        Returns
        -------
        DataFrame
            One row a model, with the columns of ``table``.
        """
        return self._data_frame({name: self.table[name] for name in _COLUMNS})

    def plot(self, ax=None):
        """Draw the points with their intervals, and the front.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.

        Returns
        -------
        display : RepairParetoDisplay
            The display itself.
        """
        ax, size = self._start(ax, 4.5, 3.5)
        table, named = self.table, self._named()
        names = table["name"].tolist()
        self.points_ = {}
        for place, name in enumerate(names):
            if not np.isfinite(table["robust"][place]):
                continue  # it could not be measured
            style, label = self._style(place, name, named)
            x, y = ((table[k][place], self._reach(k, place)) for k in _AXES)
            reach = {"xerr": x[1], "yerr": y[1], "elinewidth": 0.7}
            self.points_[name] = ax.errorbar(x[0], y[0], label=label, **reach, **style)
            for bar in self.points_[name][2]:  # pale, as those of near points overlap
                bar.set_alpha(0.5)
        self._draw_front(ax)
        shown = [name for name in (names[0], *named) if name in self.points_]
        handles = [self.points_[name] for name in shown]
        label_axes(ax, size, x="clean accuracy", y=_ROBUST[self.criterion])
        self.legend_ = legend_above(ax, size, handles)
        return self

    def _named(self):
        """Return the names with a colour."""
        table = self.table
        best, front = table["name"] == self.best, table["is_on_front"]
        order = np.lexsort((-np.nan_to_num(table["robust"], nan=-1), ~front, ~best))
        shown = [int(i) for i in order if i > 0 and np.isfinite(table["robust"][i])]
        return [str(table["name"][i]) for i in shown[: min(_NAMED, len(palette()))]]

    def _style(self, place, name, named):
        """Return how a point looks, and its label."""
        label = shorten(name, _WIDTH, placeholder="...")
        if place == 0:
            style = {"color": ink(), "fmt": "x", "markersize": 8, "zorder": 4}
            return style | {"markeredgewidth": 2}, label
        if name not in named:
            return {"color": "0.6", "fmt": ".", "zorder": 1, "alpha": 0.7}, None
        number = named.index(name)
        style = {"color": color_of(number), "fmt": MARKERS[number], "zorder": 3}
        if name == self.best:
            style |= {"markersize": 9, "markeredgecolor": ink()}
            label += " (best)"
        return style, label

    def _reach(self, key, place):
        """Return how far the interval reaches below and above, none for nan."""
        value, low, high = (
            self.table[name][place] for name in (key, f"{key}_low", f"{key}_high")
        )
        reach = np.nan_to_num([[value - low], [high - value]])
        return np.maximum(reach, 0)

    def _draw_front(self, ax):
        """Draw the front from the upper left to the lower right."""
        on = self.table["is_on_front"].astype(bool)
        points = np.column_stack([self.table["clean"][on], self.table["robust"][on]])
        points = np.unique(points, axis=0)
        (self.front_,) = ax.plot(
            *points.T, color=ink(), lw=0.8, ls="--", drawstyle="steps-pre", zorder=0
        )
