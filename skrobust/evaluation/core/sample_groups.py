"""Groups and clusters of the samples of an evaluation."""

import copy
import warnings

import numpy as np

from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._stacklevel import level_outside
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.metrics.groups.group_tables import GroupComparison
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.share_interval import share_interval
from skrobust.metrics.intervals.simultaneous import simultaneous_band
from skrobust.metrics.labels import label_array

_COLUMNS = (
    "group",
    "n_samples",
    "value",
    "low",
    "high",
    "band_low",
    "band_high",
    "is_small",
    "n_clusters",
)


class SampleGroups:
    """Groups and clusters of samples, with intervals of proportions and tables.

    Everything is checked here, before an attack or a perturbation runs.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        True labels.
    groups : array-like of shape (n_samples,) or None
        The group of each sample.
    clusters : array-like of shape (n_samples,) or None
        Samples that belong together; intervals are then over clusters.
    draws : tuple
        Confidence of each interval, number of permutations and seed, as in
        :func:`skrobust.metrics.group_robustness`.
    caller : str
        Name of the public function, for error messages.
    """

    def __init__(self, y, groups, clusters, draws, caller):
        confidence, n_permutations, random_state = draws
        n_permutations = check_count(n_permutations, "n_permutations", caller)
        seed = seed_number(random_state, caller)
        if isinstance(groups, str):
            raise invalid("groups", caller, "None or one entry per sample", groups)
        self.confidence = check_confidence(confidence, caller)
        self.y, self.caller, self.comparison = y, caller, None
        self.units = make_units(clusters, len(y), caller, name="y")
        if self.units.clustered:
            for message in self.units.warnings():
                warnings.warn(
                    f"{caller}: {message}", UserWarning, stacklevel=level_outside()
                )
        if groups is not None:
            self.y = label_array(y, caller, "y")
            clusters = clusters if self.units.clustered else None
            draws = confidence, n_permutations, seed
            self.comparison = GroupComparison(groups, clusters, len(y), draws, caller)

    def interval(self, correct):
        """Return the interval of the share of correct samples."""
        return share_interval(correct, self.units, self.confidence, self.caller)

    def limits(self, correct):
        """Return the limits for each column of shape (n_samples, n_columns)."""
        found = [tuple(self.interval(column)) for column in correct.T]
        return np.array(found, dtype=np.float64).T

    def bands(self, correct, limits):
        """Return the limits that hold for all columns at once, around ``limits``."""
        if not self.units.enough:
            return limits
        means = ColumnMeans(correct, self.units)
        return simultaneous_band(means, self.confidence, *limits)

    def facts(self):
        """Return the units of the intervals, for the results."""
        if not self.units.clustered:
            return {}
        return {"interval_unit": self.units.name, "n_clusters": self.units.n}

    def accuracy(self, correct, numbers):
        """Return accuracy under each condition, group by group, with gaps.

        ``correct`` is of shape (n_samples, n_conditions).
        """
        data = correct, "number", numbers
        table = self._fresh().compare_columns(*data, measure="accuracy")
        only = self._only_classes()
        return table if only is None else _of_one_class(table, only, "rate")

    def robust_accuracy(self, correct):
        """Return the name and the table of the accuracy under attack.

        Where each group holds one class alone, the share is the true rate of that
        class and no robust accuracy; where these classes differ, gaps between groups
        would be gaps between classes, so there are none.
        """
        table = self._fresh().compare(correct, measure="robust accuracy")
        only = self._only_classes()
        if only is not None:
            return "true_rate", _of_one_class(table, only, "robust rate")
        self.comparison.warn_of_missing_classes(self.y)
        return "robust_accuracy", table

    def robust_ratio(self, correct, tolerances):
        """Return the curves of the robust ratio of each group, with gaps.

        ``correct`` tells which samples are within each tolerance, of shape (n_samples,
        n_tolerances).
        """
        data = correct, "tolerance", tolerances
        return self._fresh().compare_columns(*data, measure="robust ratio")

    def _fresh(self):
        # Each table draws its permutations from the start of the same stream.
        return copy.deepcopy(self.comparison)

    def _only_classes(self):
        """Return the one class of each group, or None where a group has several."""
        found = self.comparison.classes_of_groups(self.y)
        if any(len(classes) > 1 for classes in found):
            return None
        return [classes[0].item() for classes in found]


def _of_one_class(table, only, rate):
    """Name the class of each group, and leave out gaps between classes."""
    rows = len(table["group"]) // len(only)
    table["true_class"] = np.tile(np.array(only), rows)
    table["columns"] = (*table["columns"], "true_class")
    if len(set(only)) == 1:
        table["measure"] = f"{rate} of class {only[0]!r}"
        return table
    table["measure"] = f"{rate} of the one class of each group"
    for name in list(table):
        if name in ("gaps", "worst_group") or name.startswith("range"):
            del table[name]
    return table


def group_results(tables, confidence):
    """Return the tables of groups by name, and all of them as one long table.

    Parameters
    ----------
    tables : dict of str to Results
        Tables of the metrics of groups, the curves with a column ``tolerance``.
    confidence : float
        Of their intervals.

    Returns
    -------
    Results
        Columns ``measure`` (the name of the table), ``tolerance`` (nan where there is
        none) and those of the tables; and each table under its name.
    """
    columns = {"measure": [], "tolerance": []}
    for name, table in tables.items():
        n = len(table["group"])
        columns["measure"].append(np.full(n, name))
        columns["tolerance"].append(table.get("tolerance", np.full(n, np.nan)))
        for column in _COLUMNS:
            if column in table:
                columns.setdefault(column, []).append(table[column])
    columns = {name: np.concatenate(parts) for name, parts in columns.items()}
    named = {**columns, **tables, "confidence": float(confidence)}
    return Results(columns=tuple(columns), **named)
