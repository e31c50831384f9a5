"""Normalized clustering score over batches."""

import numpy as np
from sklearn.metrics import mutual_info_score
from sklearn.utils import check_array

from skrobust._array_checks import check_same_length, number_array
from skrobust.metrics.labels import label_array
from skrobust.metrics.normalized import parts
from skrobust.metrics.normalized.signal_to_noise import ratio_of_powers
from skrobust.metrics.streaming.label_cells import LabelCells

_CALLER = "normalized_clustering_score"


class StreamedClustering(LabelCells):
    """Normalized clustering score of pairs of labels, and of moments of the clusters.

    Number, mean and sum of squares about it of the points of each cluster are joined as
    Chan, Golub and LeVeque (1983) have it.

    Parameters
    ----------
    params : dict
        Options, without ``X``.
    """

    per_row = ("X",)

    def __init__(self, params):
        super().__init__(_of_pairs, "normalized clustering", params)
        self.moments, self.has_points = {}, None

    def check(self, data, caller):
        """Return both arrays of labels, whose kinds may differ, or raise."""
        if len(data) != 2:
            raise ValueError(
                f"{caller} of the {self.title} takes true classes and predicted "
                f"clusters. Got {len(data)} arrays."
            )
        y_true = label_array(data[0], caller, "labels_true")
        y_pred = label_array(data[1], caller, "labels_pred")
        check_same_length(caller, labels_true=y_true, labels_pred=y_pred)
        return y_true, y_pred

    def update(self, data, rows, clusters, caller):
        """Add a batch."""
        rows = dict(rows)
        X = rows.pop("X", None)
        if rows:
            raise TypeError(
                f"{caller} of the {self.title} has no parameter {next(iter(rows))!r}; "
                "it takes X."
            )
        if self.has_points not in (None, X is not None):
            raise ValueError(f"{caller} needs X= with every batch or with none.")
        moments = ()
        if X is not None:
            moments = self._moments(X, self.check(data, caller)[1], caller)
        super().update(data, {}, clusters, caller)
        for name, one in moments:
            self._join(name, one)
        self.has_points = X is not None

    @staticmethod
    def _moments(X, y_pred, caller):
        """Return the moments of the points of each cluster."""
        named = {"input_name": "X", "estimator": caller}
        X = number_array(X, "X", named["estimator"])
        X = check_array(X, dtype=np.float64, allow_nd=True, **named)
        check_same_length(caller, X=X, y_pred=y_pred)
        X = X.reshape(len(X), -1)
        names, codes = np.unique(y_pred, return_inverse=True)
        order = np.argsort(codes, kind="stable")
        points = np.split(X[order], np.cumsum(np.bincount(codes))[:-1])
        return list(zip(names.tolist(), map(_moments, points), strict=True))

    def _join(self, name, moments):
        known = self.moments.get(name)
        self.moments[name] = moments if known is None else _joined(known, moments)

    def merge(self, other):
        """Add what another one gathered."""
        super().merge(other)
        for name, moments in other.moments.items():
            self._join(name, moments)
        self.has_points = other.has_points

    def of_whole(self):
        """Return the number of rows and, with points, the ratio."""
        return {"n_rows": self.n_rows, "ratio": self._ratio()}

    def of_resamples(self, caller):
        """Return the size of the whole, which stays."""
        more = {"n_rows": 0, "ratio": float("nan")}
        if self.params.get("n_samples") is None:
            more["n_samples"] = self.n_rows
        return more

    def interval(self, request):
        """Return the interval, unless it needs the points."""
        if self.has_points:
            raise ValueError(
                f"{request.caller} of the {self.title} has no interval with X, whose "
                "resamples need all points; use confidence_interval on rows that fit "
                "in memory."
            )
        return super().interval(request)

    def _ratio(self):
        """Return the sum of squares between the clusters over that within."""
        if not self.has_points:
            return float("nan")
        if len(self.moments) == 1:
            return 0.0
        total = None
        for moments in self.moments.values():
            total = moments if total is None else _joined(total, moments)
        within = sum(moments[2] for moments in self.moments.values())
        return ratio_of_powers(max(0.0, total[2] - within), within)


def _moments(points):
    """Return number, mean, and sum of squares about it of points."""
    apart = points - points[0]  # equal points have exactly no distance
    middle = apart.mean(axis=0)
    return len(points), points[0] + middle, float(((apart - middle) ** 2).sum())


def _joined(first, second):
    n, mean, squares = first
    m, other, more = second
    apart = other - mean
    squares += more + float(apart @ apart) * n * m / (n + m)
    return n + m, mean + apart * (m / (n + m)), squares


def _of_pairs(
    labels_true,
    labels_pred,
    *,
    sample_weight,
    n_rows,
    ratio,
    n_features,
    n_samples=None,
    signal=None,
    clip=True,
):
    """Return the score of pairs of labels, with how many rows each stands for."""
    size = parts.check_size(n_features, n_samples, _CALLER)
    names = [np.unique(y, return_inverse=True) for y in (labels_true, labels_pred)]
    table = np.zeros([len(one) for one, _ in names])
    np.add.at(table, tuple(codes for _, codes in names), sample_weight)
    raw = _normalized_information(table)
    measured = raw, ratio, 1.0, n_rows, None
    return parts.assemble(_CALLER, measured, *size, signal, clip).score


def _normalized_information(table):
    """Return the normalized mutual information of a table of two labellings."""
    if table.shape in ((1, 1), (0, 0)):
        return 1.0
    shared = float(mutual_info_score(None, None, contingency=table))
    if shared <= np.finfo("float64").eps:
        return 0.0
    sizes = (table.sum(axis=1), table.sum(axis=0))
    return shared / float(np.mean([_entropy(one) for one in sizes]))


def _entropy(sizes):
    shares = sizes[sizes > 0] / sizes.sum()
    return -float(np.sum(shares * np.log(shares)))
