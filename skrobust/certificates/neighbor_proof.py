"""Proofs about nearest neighbours."""

import numpy as np
from scipy.optimize import linprog, nnls

from skrobust._differentiable import sklearn_name
from skrobust._responses import unwrap
from skrobust.certificates.proof import Proof
from skrobust.certificates.region import SLACK, diagonal_steps

_NUMBERS = 4_000_000  # distances that are held at once
_NORMS = {1: 1, 2: 2, np.inf: np.inf}


class NeighborProof(Proof):
    """Proof about KNeighborsClassifier with uniform weights, bare or behind scalers.

    No distance changes by more than the row can move. Where m neighbours of a class
    stay nearer than all but k - m of the other rows, m of the k votes are safe. With
    one neighbour in the Euclidean distance labels are exact: a row is lost where some
    point of the region is nearer to a row of another class than to all rows of its own,
    a system of linear inequalities (a cell of Voronoi's diagram), solved where bounds
    leave it open.

    Parameters
    ----------
    region : Region
        Where rows may move.
    model : KNeighborsClassifier
        Fitted.
    scale, shift : ndarray of shape (n_features,)
        Of the scalers before it.
    points, index : ndarray
        Training rows, and the class of each.
    norm : {1, 2, inf}
        Of the distances.
    """

    def __init__(self, region, model, scale, shift, points, index, norm):
        super().__init__(len(region), len(model.classes_))
        self._region, self._k = region, model.n_neighbors
        self._scale, self._shift = scale, shift
        self._points, self._index, self._norm = points, index, norm
        self.name = "bound for nearest neighbours: distances at their worst"
        self._is_voronoi = self._k == 1 and norm == 2
        if self._is_voronoi:
            self.is_exact_on_labels = True
            self.name = "exact for one nearest neighbour (cells of Voronoi)"

    def _safe_votes(self, rows):
        """Return the votes that each class keeps, and that others keep against it."""
        region, k = self._region.take(rows), self._k
        z = region.rows * self._scale + self._shift
        low, high = _distances(region, z, self._scale, self._points, self._norm)
        kept = np.zeros((len(z), self.n_classes), dtype=int)
        lost = kept.copy()
        for c in range(self.n_classes):
            own = self._index == c
            kept[:, c] = _safe(high[:, own], low[:, ~own], k)
            lost[:, c] = _safe(high[:, ~own], low[:, own], k)
        return kept, lost

    def _all_votes(self):
        step = max(1, _NUMBERS // (self._points.size + 1))
        parts = [
            self._safe_votes(np.arange(i, min(i + step, self.n_samples)))
            for i in range(0, self.n_samples, step)
        ]
        return [np.concatenate(part) for part in zip(*parts, strict=True)]

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        if self._is_voronoi:
            return self._alone(own)
        kept, lost = self._all_votes()
        rows = np.arange(self.n_samples)
        others = self._k - lost
        others[rows, own] = -1
        # Each other class gets at most what the class itself does not keep.
        most = np.minimum(others.max(axis=1), self._k - kept[rows, own])
        return (own >= 0) & (kept[rows, own] > most)

    def probabilities(self, columns=None):
        """Return least and greatest probabilities, of shape (n_samples, n_classes)."""
        if self._is_voronoi:
            every = range(self.n_classes)
            sure = np.column_stack(
                [self._alone(np.full(self.n_samples, c)) for c in every]
            )
            return sure.astype(float), 1.0 - (sure.any(axis=1)[:, None] & ~sure)
        kept, lost = self._all_votes()
        return kept / self._k, 1 - lost / self._k

    def _alone(self, own):
        z = self._region.rows * self._scale + self._shift
        won = own >= 0
        for i in np.flatnonzero(won):
            won[i] = self._stays(i, z[i], own[i])
        return won

    def _stays(self, i, z, own):
        """Say whether a row is nearest to its class in its whole region."""
        mine, rest = self._index == own, self._index != own
        if not mine.any() or not rest.any():
            return bool(mine.any())
        a, b = self._points[mine], self._points[rest]
        to_a, to_b = ((a - z) ** 2).sum(axis=1), ((b - z) ** 2).sum(axis=1)
        if to_b.min() <= to_a.min():
            return False
        one = self._region.take([i])
        # Rows farther than twice the reach beyond the nearest never come first.
        reach = one.reach(self._scale, 2)[0] * (1 + SLACK)
        root = np.sqrt(to_a.min())
        b = b[np.sqrt(to_b) <= root + 2 * reach]
        order = np.argsort(to_a)
        order = order[np.sqrt(to_a[order]) <= root + 2 * reach]
        a, to_a = a[order], to_a[order]
        for point in b[np.argsort(((b - z) ** 2).sum(axis=1))]:
            # |x - point|^2 - |x - a|^2 as a linear function of the move in raw units.
            normals = 2 * (a - point) * self._scale
            gaps = ((point - z) ** 2).sum() - to_a
            falls = [gaps[j] - one.rise(-normals[j])[0] for j in range(min(len(a), 8))]
            if max(falls) > SLACK * (1 + gaps.max()):
                continue
            if _can_pass(one, normals, gaps):
                return False
        return True


def _can_pass(region, normals, gaps):
    """Say whether a move of the region makes all of gaps + normals @ move <= 0."""
    low, high = region.box
    low, high = low[0] - region.rows[0], high[0] - region.rows[0]
    if region.norm == 2:
        return _shortest_move(normals, gaps, low, high) <= region.eps * (1 + SLACK)
    d, signs = len(low), region.norm == 1
    a, limits = normals, -gaps
    bounds = [*zip(low, high, strict=True)]
    if signs:
        wide = np.zeros((len(a) + 2 * d + 1, 2 * d))
        wide[: len(a), :d] = a
        wide[len(a) : len(a) + d] = np.hstack([np.eye(d), -np.eye(d)])
        wide[len(a) + d : -1] = np.hstack([-np.eye(d), -np.eye(d)])
        wide[-1, d:] = 1.0
        a, limits = wide, np.concatenate([limits, np.zeros(2 * d), [region.eps]])
        bounds += [(0, None)] * d
    found = linprog(np.zeros(a.shape[1]), A_ub=a, b_ub=limits, bounds=bounds)
    return found.status != 2


def _shortest_move(normals, gaps, low, high):
    """Return the length of the shortest move in a polyhedron, by its dual."""
    d = len(low)
    near = np.isfinite(low), np.isfinite(high)
    a = np.vstack([normals, -np.eye(d)[near[0]], np.eye(d)[near[1]]])
    b = np.concatenate([-gaps, -low[near[0]], high[near[1]]])
    # The shortest x with a x <= b: non-negative least squares (Lawson and Hanson).
    size = np.linalg.norm(a, axis=1)
    size = np.where(size > 0, size, 1.0)
    whole = np.vstack([-(a / size[:, None]).T, -(b / size)[None]])
    target = np.zeros(d + 1)
    target[-1] = 1.0
    found, _ = nnls(whole, target)
    residual = whole @ found - target
    if np.abs(residual).max() < 1e-10:
        return np.inf  # nothing satisfies them
    return float(np.linalg.norm(residual[:-1] / residual[-1]))


def _safe(high, low, k):
    """Return how many of one side's rows are sure to be among the k nearest.

    ``high`` are upper bounds of its distances, ``low`` lower bounds of those of the
    other side.
    """
    n_own, n_other = high.shape[1], low.shape[1]
    high = np.sort(np.partition(high, min(k, n_own) - 1)[:, :k]) if n_own else high
    low = np.sort(np.partition(low, min(k, n_other) - 1)[:, :k]) if n_other else low
    safe = np.zeros(len(high), dtype=int)
    for m in range(1, min(k, n_own) + 1):
        others = k - m + 1  # so many of the other side would push one of m out
        beaten = n_other < others or (high[:, m - 1] < low[:, others - 1] - SLACK)
        safe = np.where(beaten, m, safe)
    return safe


def _distances(region, z, scale, points, norm):
    """Return bounds of the distances from anywhere in the region to points."""
    apart = np.abs(z[:, None] - points)
    reach = region.reach(scale, norm)[:, None]
    low, high = region.box
    ends = low * scale, high * scale
    moved = np.maximum(*ends) - np.minimum(*ends)
    middle = (ends[0] + ends[1]) / 2 - region.rows * scale
    apart_box = np.abs(z[:, None] + middle[:, None] - points)
    near = np.maximum(apart_box - moved[:, None] / 2, 0)
    far = apart_box + moved[:, None] / 2
    length = {
        1: lambda part: part.sum(axis=2),
        2: lambda part: np.sqrt((part * part).sum(axis=2)),
        np.inf: lambda part: part.max(axis=2),
    }[norm]
    clean = length(apart)
    least = np.maximum(length(near), clean - reach)
    return least, np.minimum(length(far), clean + reach)


def neighbor_proof(estimator, region, ask, caller, shape=None):
    """Return the proof for KNeighborsClassifier, or None for another model.

    Parameters
    ----------
    estimator, region, ask, caller, shape : object
        As in :func:`skrobust.certificates.find_proof.find_proof`.
    """
    steps, model = unwrap(estimator)
    if sklearn_name(model) != "KNeighborsClassifier":
        return None
    norm = _norm_of(model)
    is_even = model.weights == "uniform" or model.n_neighbors == 1
    if norm is None or not is_even or isinstance(model.classes_, list):
        return None
    parts = diagonal_steps(steps, region.rows.shape[1])
    points, labels = _training_rows(model)
    if parts is None or points is None:
        return None
    index = np.searchsorted(model.classes_, labels)
    return NeighborProof(region, model, *parts, points, index, norm)


def _norm_of(model):
    metric, p = model.effective_metric_, model.effective_metric_params_.get("p", 2)
    named = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}
    found = named.get(metric, p if metric == "minkowski" else None)
    return _NORMS.get(found)


def _training_rows(model):
    """Return the training rows and labels, of which no public attribute tells."""
    points = getattr(model, "_fit_X", None)
    if points is None or hasattr(points, "toarray"):
        return None, None
    labels = model.classes_[np.asarray(model._y).ravel()]
    return np.asarray(points, dtype=np.float64), labels
