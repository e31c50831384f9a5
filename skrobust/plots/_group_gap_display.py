"""Display of groups and of the gaps between them."""

import numpy as np

from skrobust._validation import check_choice, invalid
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import draw_forest, draw_reference, legend_above, pair_names


class GroupGapDisplay(BaseDisplay):
    """Forest plot of the values of groups, or of the gaps of pairs, with intervals.

    Hollow points are groups of fewer than 30 samples, or pairs whose gap chance may
    explain (adjusted p-value of .05 or more). The line is the mean over all samples, or
    for gaps 0. Intervals of groups hold for each one alone; those of gaps are the band,
    which holds for all pairs at once, as the adjusted p-values do.

    Parameters
    ----------
    groups : dict of str to array of shape (n_groups,)
        ``group``, ``n_samples``, ``value``, ``low``, ``high`` and ``is_small``.
    gaps : dict of str to array of shape (n_pairs,)
        ``first``, ``second``, ``gap``, ``low``, ``high``, ``p_adjusted`` and, if there
        is one, the band ``band_low``, ``band_high``.
    measure : str, default="value"
        Name of the value.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    points_, bars_ : artist
        The values and their intervals, the first group on top.
    line_ : Line2D
        The mean over all samples, or 0.
    legend_ : Legend
        What the line and hollow points are.

    See Also
    --------
    skrobust.metrics.group_robustness : Makes the results.

    Examples
    --------
    >>> from skrobust.metrics import group_robustness
    >>> from skrobust.plots import GroupGapDisplay
    >>> y_true = [0, 1] * 40
    >>> y_pred = [0, 1] * 20 + [0, 0] * 20
    >>> results = group_robustness(
    ...     y_true, y_pred, ["a"] * 40 + ["b"] * 40, random_state=0)
    >>> GroupGapDisplay.from_results(results).frame().value.tolist()
    [1.0, 0.5]
    >>> GroupGapDisplay.from_results(results).plot(kind="gaps")  # doctest: +SKIP
    """

    groups: dict
    gaps: dict
    measure: str = "value"

    @classmethod
    def from_results(cls, results, *, tolerance=None):
        """Make the display from a comparison of groups.

        Parameters
        ----------
        results : Results
            Of ``group_robustness``, ``group_robust_ratio`` or
            ``group_robust_ratio_curve``.
        tolerance : float, default=None
            The tolerance to show of a curve; None stands for results of one.

        Returns
        -------
        display : GroupGapDisplay
            Not drawn yet.

        Raises
        ------
        ValueError
            For other results, and a tolerance that the curve does not hold.
        """
        caller = cls.__name__
        cls._check_results(results, ("group", "value", "gaps"), "group_robustness")
        tables = []
        for table in (results, results["gaps"]):
            chosen = np.ones(len(table["low"]), dtype=bool)
            if "tolerance" in table["columns"]:
                levels = np.asarray(table["tolerance"], dtype=float)
                if tolerance is None or not (levels == tolerance).any():
                    rule = f"one of {np.unique(levels).tolist()}"
                    raise invalid("tolerance", caller, rule, tolerance)
                chosen = levels == tolerance
            tables.append({k: np.asarray(table[k])[chosen] for k in table["columns"]})
        measure = str(results.get("measure", "robust ratio"))
        return cls(groups=tables[0], gaps=tables[1], measure=measure)

    def frame(self, *, kind="groups"):
        """Return the groups or the gaps as a data frame of pandas.

        Parameters
        ----------
        kind : {"groups", "gaps"}, default="groups"
            The table to return.

        Returns
        -------
        DataFrame
            The columns of the results.
        """
        return self._data_frame(self._table(kind, "frame"))

    def _table(self, kind, method):
        caller = f"{type(self).__name__}.{method}"
        check_choice(kind, "kind", caller, ("groups", "gaps"))
        return getattr(self, kind)

    def plot(self, ax=None, *, kind="groups"):
        """Draw the groups or the gaps.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.
        kind : {"groups", "gaps"}, default="groups"
            The value of each group, or the gap of each pair.

        Returns
        -------
        display : GroupGapDisplay
            The display itself.
        """
        table = self._table(kind, "plot")
        ax, size = self._start(ax, 3.5, 2)
        if kind == "groups":
            sizes = zip(table["group"], table["n_samples"], strict=True)
            labels = [f"{group} (n = {n})" for group, n in sizes]
            line = np.average(table["value"], weights=table["n_samples"])
            hollow, x, value = table["is_small"], self.measure, "value"
            ends = "low", "high"
            texts = f"all samples {line:.3f}", "fewer than 30 samples"
        else:
            labels = pair_names(table)
            hollow, line = ~(table["p_adjusted"] < 0.05), 0.0
            x, value = f"gap in {self.measure}", "gap"
            ends = ("band_low", "band_high") if "band_low" in table else ("low", "high")
            texts = "no gap", "chance may explain it (p ≥ 0.05)"
        limits = [table[name] for name in (value, *ends)]
        self.points_, self.bars_, entries = draw_forest(
            ax, labels, limits, size, x=x, hollow=hollow, meaning=texts[1]
        )
        self.line_ = draw_reference(ax, line, vertical=True, ls="--", label=texts[0])
        self.legend_ = legend_above(ax, size, [self.line_, *entries], ncols=1)
        return self
