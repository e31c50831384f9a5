"""Robustness group by group, from what a run under attack has said of each sample."""

import warnings

import numpy as np

from skrobust._random import seed_number
from skrobust._results import Results
from skrobust._validation import check_count, check_same_length, invalid
from skrobust.metrics import group_robust_ratio_curve, group_robustness
from skrobust.metrics._group_tables import GroupComparison
from skrobust.metrics._labels import label_array
from skrobust.metrics._share_interval import share_interval
from skrobust.metrics._units import check_confidence, make_units

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
    owner : str
        Who asks; errors begin with this name.
    """

    def __init__(self, clusters, n, confidence, owner):
        self.confidence, self._owner = check_confidence(confidence, owner), owner
        if clusters is not None:
            clusters = label_array(clusters, owner, "clusters")
            check_same_length(owner, y=np.empty(n), clusters=clusters)
        self.units = make_units(clusters, n, owner)
        if self.units.clustered:
            for sentence in self.units.warnings():
                warnings.warn(f"{owner}: {sentence}", UserWarning, stacklevel=4)

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
    owner : str
        Who asks; errors begin with this name.
    """

    def __init__(
        self, groups, y, clusters, *, confidence, n_permutations, random_state, owner
    ):
        self.options = {
            "clusters": clusters,
            "confidence": confidence,
            "n_permutations": n_permutations,
            "random_state": seed_number(random_state, owner),
        }
        # The metrics check it all again; here the errors and doubts name the owner.
        self.comparison = GroupComparison(
            groups, n_samples=len(y), owner=owner, **self.options
        )
        self.groups = label_array(groups, owner, "groups")
        self.y = label_array(y, owner, "y")

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
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* finds groups of fewer")
            if self.classes() is not None:
                warnings.filterwarnings("ignore", ".* groups of different classes")
            table = group_robustness(
                self.y, np.where(robust, self.y, wrong), self.groups, **self.options
            )
        only = self.classes()
        if only is None:
            return "robust_accuracy", table
        table["class_"] = np.array(only)
        table["columns"] = (*table["columns"], "class_")
        if len(set(only)) > 1:
            for name in list(table):
                if name in ("gaps", "worst_group") or name.startswith("range"):
                    del table[name]
            table["measure"] = "robust rate of the one class of each group"
        return "true_rate", table

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
        return str(y.max()) + "?"
    return float(y.max()) + 1


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


def check_group_options(groups, n_permutations, random_state, owner):
    """Refuse options of groups that are wrong, with or without groups."""
    check_count(n_permutations, "n_permutations", owner)
    seed_number(random_state, owner)
    if isinstance(groups, str):
        raise invalid("groups", owner, "None or one entry per sample", groups)
