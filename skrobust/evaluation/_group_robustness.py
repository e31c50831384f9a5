"""Robustness group by group, from what a run under attack has said of each sample."""

import warnings

import numpy as np

from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._validation import (
    check_confidence,
    check_count,
    check_same_length,
    invalid,
)
from skrobust.metrics import group_robust_ratio_curve, group_robustness
from skrobust.metrics.groups.group_tables import GroupComparison
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.proportion_clustered import share_interval
from skrobust.metrics.labels import label_array

_COLUMNS = ("group", "n_samples", "value", "low", "high", "is_small", "n_clusters")


class Shares:
    """Intervals of shares of all samples, over the samples or the clusters.

    Parameters
    ----------
    clusters : array-like of shape (n_samples,) or None
        What samples belong together.
    n : int
        Number of samples.
    confidence : float
        Of each interval.
    caller : str
        Name of the public function or class, for error messages.
    """

    def __init__(self, clusters, n, confidence, caller):
        self.confidence, self._owner = check_confidence(confidence, caller), caller
        if clusters is not None:
            clusters = label_array(clusters, caller, "clusters")
            check_same_length(caller, y=np.empty(n), clusters=clusters)
        self.units = make_units(clusters, n, caller)
        if self.units.clustered:
            for sentence in self.units.warnings():
                warnings.warn(f"{caller}: {sentence}", UserWarning, stacklevel=4)

    def bounds(self, hits):
        """Return the limits of the share of hits of shape (n_samples,)."""
        low, high = share_interval(
            hits, None, self.units, self.confidence, "auto", self._owner
        )
        return float(low), float(high)

    def facts(self):
        """Return what intervals were taken over, for the results."""
        if not self.units.clustered:
            return {}
        return {"interval_unit": self.units.name, "n_clusters": self.units.n}


class Groups:
    """The groups of the samples and what is asked of them.

    Everything is checked here, before an attack runs.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
        The group of each sample.
    y : ndarray of shape (n_samples,)
        True labels.
    clusters, confidence, n_permutations, random_state
        As in :func:`~skrobust.metrics.group_robustness`.
    caller : str
        Name of the public function or class, for error messages.
    """

    def __init__(
        self, groups, y, clusters, *, confidence, n_permutations, random_state, caller
    ):
        self._owner = caller
        self.options = {
            "clusters": clusters,
            "confidence": confidence,
            "n_permutations": n_permutations,
            "random_state": seed_number(random_state, caller),
        }
        # The metrics check it all again; here the errors and doubts name the caller.
        self.comparison = GroupComparison(
            groups, n_samples=len(y), caller=caller, **self.options
        )
        self.groups = label_array(groups, caller, "groups")
        self.y = label_array(y, caller, "y")

    def classes(self):
        """Return the one class of each group, or None where a group has several."""
        only = []
        for g in range(len(self.comparison.names)):
            seen = np.unique(self.y[self.comparison.group_of_sample == g])
            if len(seen) > 1:
                return None
            only.append(seen[0].item())
        return only

    def right(self, robust):
        """Return the name and the table of what was right under attack.

        Where each group holds one class alone, the share is the true rate of that
        class and no robust accuracy; where these classes differ, gaps between groups
        would be gaps between classes, so there are none.
        """
        wrong = _no_label_of(self.y)
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always")
            table = group_robustness(
                self.y, np.where(robust, self.y, wrong), self.groups, **self.options
            )
        if self.classes() is None:
            for doubt in doubts:
                sentence = str(doubt.message)
                if " groups of different classes" in sentence:
                    sentence = sentence.replace("group_robustness", self._owner, 1)
                    warnings.warn(sentence, UserWarning, stacklevel=3)
            return "robust_accuracy", table
        return "true_rate", self._of_one_class(table, "robust rate")

    def accuracy(self, right, numbers):
        """Return accuracy under each condition, group by group, with gaps.

        ``right`` is of shape (n_samples, n_conditions).
        """
        table = self.comparison.compare_columns(
            right, "number", numbers, measure="accuracy"
        )
        if self.classes() is None:
            return table
        return self._of_one_class(table, "rate")

    def _of_one_class(self, table, rate):
        """Name the class of each group, and leave out gaps between classes."""
        only = self.classes()
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

    def ratio(self, p, q, settings):
        """Return the curves of the robust ratio of each group, with gaps."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* finds groups of fewer")
            return group_robust_ratio_curve(
                p, q, self.groups, **settings, **self.options
            )


def _no_label_of(y):
    """Return a label of the kind of y that is none of them."""
    if y.dtype.kind == "U":
        return max(y.tolist()) + "?"
    return np.setdiff1d(np.arange(len(y) + 1), y)[0]


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
    return Results(
        columns=tuple(columns), **columns, **tables, confidence=float(confidence)
    )


def check_group_options(groups, n_permutations, random_state, caller):
    """Refuse options of groups that are wrong, with or without groups."""
    check_count(n_permutations, "n_permutations", caller)
    seed_number(random_state, caller)
    if isinstance(groups, str):
        raise invalid("groups", caller, "None or one entry per sample", groups)
