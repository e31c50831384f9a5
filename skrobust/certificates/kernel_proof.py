"""Proofs about support vector machines with linear and Gaussian kernels."""

from itertools import combinations

import numpy as np

from skrobust._differentiable import sklearn_name
from skrobust._differentiable.kernel_models import pair_machine
from skrobust._responses import unwrap
from skrobust.certificates.proof import Proof
from skrobust.certificates.quadratic import least_quadratic
from skrobust.certificates.region import diagonal_steps

_NUMBERS = 4_000_000  # distances that are held at once


class KernelProof(Proof):
    """Proof about SVC or NuSVC, bare or behind scalers.

    A decision is a sum of Gaussians of squared distances. Each Gaussian is convex in
    its squared distance, so that a tangent lies below it and the chord over the
    distances within reach above; the sum of these lines is a quadratic function of the
    row, the least value of which is known. Beside it stands the bound by the norm of
    the decision in the space of the kernel. A class that wins all its duels has the
    label. Probabilities (``probability=True``) come from another fit, and have no bound
    but 0 and 1.

    Parameters
    ----------
    region : Region
        Where rows may move.
    model : SVC or NuSVC
        Fitted.
    machine : tuple
        Support vectors, weights and offset of each duel, and gamma (None: linear).
    scale, shift : ndarray of shape (n_features,)
        Of the scalers before it.
    """

    def __init__(self, region, model, machine, scale, shift):
        super().__init__(len(region), len(model.classes_))
        self._region, self._machine = region, machine
        self._scale, self._shift, self._far = scale, shift, None
        self.name = "bound for Gaussian kernels: lines around each"
        self.is_exact_on_labels = machine[3] is None and self.n_classes == 2
        if self.is_exact_on_labels:
            self.name = "exact for linear models of two classes"
        elif machine[3] is None:
            self.name = "bound for linear duels: all of them won"

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        won = own >= 0
        for pair, (i, j) in enumerate(combinations(range(self.n_classes), 2)):
            low, high = self.duel(pair)
            if self.n_classes == 2:  # positive for the second class
                low, high = -high, -low
            won &= np.where(own == i, low > 0, True) & np.where(
                own == j, high < 0, True
            )
        return won

    def duel(self, pair):
        """Return the least and the greatest decision of a pair of classes."""
        points, weights, offset, gamma = self._machine
        w, b = weights[:, pair], offset[pair]
        if gamma is None:
            normal = (w @ points) * self._scale
            middle = self._region.rows @ normal + (w @ points) @ self._shift + b
            ends = (
                middle - self._region.rise(-normal),
                middle + self._region.rise(normal),
            )
        else:
            below, above = self._gaussians(w, gamma)
            ends = below + b, above + b
        slack = self._region.slack * (1 + np.abs(w).sum())
        return ends[0] - slack, ends[1] + slack

    def _gaussians(self, w, gamma):
        """Return bounds of a weighted sum of the Gaussians of the support vectors."""
        used = w != 0
        points, w = self._machine[0][used], w[used]
        if self._far is None:
            self._far = self._distances()
        rows = self._region.rows * self._scale + self._shift
        clean, near, far = (part[:, used] for part in self._far)
        value = np.exp(-gamma * clean) @ w
        # The change of phi(x), of unit length, in the space of the kernel.
        length = self._region.reach(self._scale, 2)
        turn = np.sqrt(np.maximum(2 - 2 * np.exp(-gamma * length**2), 0))
        squares = (points * points).sum(axis=1)
        apart = squares[:, None] + squares - 2 * points @ points.T
        kernel = np.exp(-gamma * np.maximum(apart, 0))
        wide = np.sqrt(max(w @ kernel @ w, 0) + 1e-9) * turn
        data = rows, points, gamma, clean, near, far
        below, above = self._lines(w, *data), self._lines(-w, *data)
        return np.maximum(below, value - wide), np.minimum(-above, value + wide)

    def _distances(self):
        """Return squared distances to the support vectors, and their bounds."""
        points = self._machine[0]
        step = max(1, _NUMBERS // (points.size + 1))
        parts = [
            self._some_distances(self._region.take(slice(i, i + step)), points)
            for i in range(0, self.n_samples, step)
        ]
        return [np.concatenate(part) for part in zip(*parts, strict=True)]

    def _some_distances(self, region, points):
        rows = region.rows * self._scale + self._shift
        clean = ((rows[:, None] - points) ** 2).sum(axis=2)
        low, high = region.box
        ends = low * self._scale + self._shift, high * self._scale + self._shift
        low, high = np.minimum(*ends)[:, None], np.maximum(*ends)[:, None]
        near = ((np.clip(points, low, high) - points) ** 2).sum(axis=2)
        far = np.maximum(np.abs(low - points), np.abs(high - points))
        far = (far**2).sum(axis=2)
        reach, root = region.reach(self._scale, 2)[:, None], np.sqrt(clean)
        near = np.maximum(near, np.maximum(root - reach, 0) ** 2)
        return clean, near, np.maximum(np.minimum(far, (root + reach) ** 2), near)

    def _lines(self, w, rows, points, gamma, clean, near, far):
        """Return lower bounds of the sum of Gaussians by lines in squared distances."""
        at = np.clip(clean, near, far)
        tangent = np.exp(-gamma * at)
        ends = np.exp(-gamma * near), np.exp(-gamma * far)
        width = far - near
        wide = width > 1e-12
        chord = np.where(wide, (ends[1] - ends[0]) / np.where(wide, width, 1), 0.0)
        up = w > 0
        slope = np.where(up, -gamma * tangent, chord) * w
        start = np.where(up, tangent * (1 + gamma * at), ends[0] - chord * near) * w
        # Of |z - p|^2 with z = rows + scale * move.
        total = slope.sum(axis=1)
        linear = 2 * (total[:, None] * rows - slope @ points) * self._scale
        curve = total[:, None] * self._scale**2
        fixed = (start + slope * clean).sum(axis=1)
        return fixed + least_quadratic(self._region, curve, linear)


def kernel_proof(estimator, region, ask, caller, shape=None):
    """Return the proof for SVC or NuSVC, or None for another model or kernel.

    Parameters
    ----------
    estimator, region, ask, caller, shape : object
        As in :func:`skrobust.certificates.find_proof.find_proof`.
    """
    steps, model = unwrap(estimator)
    if sklearn_name(model) not in ("SVC", "NuSVC"):
        return None
    if getattr(model, "break_ties", False) or model.kernel not in ("linear", "rbf"):
        return None
    parts = diagonal_steps(steps, region.rows.shape[1])
    machine = pair_machine(model)
    if parts is None or machine is None:
        return None
    if model.kernel == "linear":
        machine = (*machine[:3], None)
    return KernelProof(region, model, machine, *parts)
