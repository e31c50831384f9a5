"""Branch and bound over the signs of neurons, for small nets of ReLU."""

import heapq

import numpy as np
from scipy.optimize import linprog

from skrobust.certificates.net_layers import (
    Activation,
    Dense,
    Reshape,
    TorchAffine,
    host,
)

_MOST_NEURONS = 128
_MOST_NODES = 400  # linear programs for a row and a class


def split_neurons(layers, region, lift, own, threshold, slack_of, rows, n_classes):
    """Decide rows that bounds leave open, where the net is small.

    Each node of the search is a linear program over the input and the neurons: open
    neurons lie in the triangle above their hinge, the others on one side of it. Where
    its least value is positive the node is proved; where the point that it finds has
    another label, the row is lost; else the neuron farthest from its hinge is split.

    Parameters
    ----------
    layers : list of Layer
        Of a net without branches; ReLU, LeakyReLU and affine layers alone.
    region : Region
        With the norm inf or 1.
    lift : callable
        From arrays of numpy to what the layers take.
    own : ndarray of shape (n_samples,), int
        Class of each row.
    threshold : float
        Of the logit of a net with one output.
    slack_of : callable
        From rows to the rounding errors of their logits.
    rows : ndarray of int
        Rows that are open.
    n_classes : int
        Number of classes.

    Returns
    -------
    decided, robust : ndarray of shape (len(rows),), dtype bool
        Or None where the net or the ball is not of this kind.
    """
    if region.norm == 2:
        return None
    stages = _stages(layers, region.rows.shape[1], lift)
    if stages is None or sum(len(b) for _, b, _ in stages[:-1]) > _MOST_NEURONS:
        return None
    decided, robust = np.zeros((2, len(rows)), dtype=bool)
    if not len(rows):
        return decided, robust
    errors = slack_of(rows)
    for i, row in enumerate(rows):
        x = region.take([row])
        results = []
        for weights, offset, slack in _goals(
            stages[-1], own[row], threshold, errors[i]
        ):
            results.append(_Search(stages[:-1], x, weights, offset, slack).run())
            if results[-1] is not True:
                break
        robust[i] = all(one is True for one in results)
        decided[i] = robust[i] or results[-1] is False
    return decided, robust


def _goals(last, own, threshold, error):
    """Yield linear functions of the last neurons that must stay positive."""
    weights, offset, _ = last
    if weights.shape[1] == 1:
        sign = 1.0 if own == 1 else -1.0
        yield sign * weights[:, 0], sign * (offset[0] - threshold), error[0]
        return
    for other in range(weights.shape[1]):
        if other != own:
            normal = weights[:, own] - weights[:, other]
            yield normal, offset[own] - offset[other], error[own] + error[other]


def _stages(layers, width, lift):
    """Return (weights, offset, gamma) of each affine stage, gamma of what follows."""
    stages, run, gamma = [], [], None
    for place, layer in enumerate(layers[1:], start=1):
        if layer.inputs != (place - 1,):
            return None
        if isinstance(layer, Activation):
            if layer.kind != "relu":
                return None
            stages.append((*_matrix(run, width, lift), layer.gamma))
            width, run = len(stages[-1][1]), []
        elif isinstance(layer, (Dense, Reshape, TorchAffine)):
            run.append(layer)
        else:
            return None
        if width > 4096:
            return None
    return [*stages, (*_matrix(run, width, lift), gamma)]


def _matrix(run, width, lift):
    """Return the weights and the offset of affine layers one after the other."""
    x = np.vstack([np.zeros((1, width)), np.eye(width)])
    for layer in run:
        if isinstance(layer, Dense):
            x = x.reshape(len(x), -1) @ layer.weights + layer.offset
        elif isinstance(layer, Reshape):
            x = x.reshape((len(x), *layer.shape))
        else:
            x = lift(np.asarray(x)).reshape((len(x), *layer._shape))
            x = host(layer.function(x))
    x = np.asarray(x).reshape(width + 1, -1)
    return x[1:] - x[0], x[0]


class _Search:
    """Search for a point of one region where one function of the net is not positive.

    Variables of the programs: the input, then each stage's neurons after their hinge.
    The tolerances of the solver are absolute, so each is in units of its own range: the
    input from the row in units of the radius, neurons and the function of their most.
    """

    def __init__(self, stages, x, weights, offset, slack):
        middle, (low, high) = x.rows[0], (end[0] for end in x.box)
        size = np.full(len(middle), x.eps) if x.norm == 1 else (high - low) / 2
        size = np.where(size > 0, size, 1.0)
        low, high = (low - middle) / size, (high - middle) / size
        self.is_ball, self.low, self.high = x.norm == 1, low, high
        self.stages, self.sizes = [], [len(b) for _, b, _ in stages]
        for place, (w, b, gamma) in enumerate(stages):
            b = b if place else b + middle @ w
            w = w * size[:, None]
            least, most = _interval(low, high, w, b)
            size = np.maximum(np.abs(least), np.abs(most))
            size = np.where(size > 0, size, 1.0)
            self.stages.append((w / size, b / size, gamma))
            least, most = least / size, most / size
            low = np.where(least > 0, least, gamma * least)
            high = np.where(most > 0, most, gamma * most)
        if not stages:
            offset = offset + middle @ weights
        weights = weights * size
        most = np.abs(weights).sum()
        most = most if most > 0 else 1.0
        self.weights, self.offset = weights / most, offset / most
        self.slack = slack / most + 1e-6  # what the solver of the programs may be off

    def value(self, point):
        """Return the function at a point."""
        z = point
        for weights, offset, gamma in self.stages:
            z = z @ weights + offset
            z = np.where(z > 0, z, gamma * z)
        return z @ self.weights + self.offset

    def run(self):
        """Return True where it stays positive, False where not, None where open."""
        n = sum(self.sizes)
        queue, count = [], 0
        first = self._solve(np.zeros(n, dtype=int))
        if first is None:
            return True
        heapq.heappush(queue, (first[0], count, np.zeros(n, dtype=int), first[1]))
        while queue:
            bound, _, signs, branch = heapq.heappop(queue)
            if bound > self.slack:
                return True
            if branch is False:
                return False
            if branch is None or count >= _MOST_NODES:
                return None
            for sign in (-1, 1):
                child = signs.copy()
                child[branch] = sign
                count += 1
                found = self._solve(child)
                if found is not None:
                    heapq.heappush(queue, (found[0], count, child, found[1]))
        return True

    def _solve(self, signs):
        """Return the least value and the neuron to split; None where nothing is left.

        The neuron is False where the point found breaks the proof, None where none is
        left to split.
        """
        d = len(self.low)
        n_variables = d + sum(self.sizes) + (d if self.is_ball else 0)
        bounds = [*zip(self.low, self.high, strict=True)]
        rows, limits, equal, values, open_ = [], [], [], [], []
        low, high, start, at = self.low, self.high, 0, 0
        for weights, offset, gamma in self.stages:
            least, most = _interval(low, high, weights, offset)
            width = len(low)
            here = d + at
            for j in range(len(offset)):
                sign = signs[at + j]
                bottom = max(least[j], 0) if sign > 0 else least[j]
                top = min(most[j], 0) if sign < 0 else most[j]
                if bottom > top:
                    return None
                row = np.zeros(n_variables)
                row[start : start + width] = weights[:, j]
                own = np.zeros(n_variables)
                own[here + j] = 1.0
                if bottom >= 0 or top <= 0:
                    slope = 1.0 if bottom >= 0 else gamma
                    equal.append(own - slope * row)
                    values.append(slope * offset[j])
                    if sign > 0:
                        rows.append(-row)
                        limits.append(offset[j])
                    elif sign < 0:
                        rows.append(row)
                        limits.append(-offset[j])
                else:
                    chord = (top - gamma * bottom) / (top - bottom)
                    rows += [row - own, gamma * row - own, own - chord * row]
                    limits += [-offset[j], -gamma * offset[j]]
                    limits += [chord * (offset[j] - bottom) + gamma * bottom]
                    open_.append((at + j, here + j, row, offset[j], gamma))
                least[j], most[j] = bottom, top
            low = np.where(least > 0, least, gamma * least)
            high = np.where(most > 0, most, gamma * most)
            bounds += [*zip(low, high, strict=True)]
            start, at = here, at + len(offset)
        if self.is_ball:
            rows, limits = self._ball(rows, limits, d, n_variables)
            bounds += [(0, None)] * d
        goal = np.zeros(n_variables)
        goal[start : start + len(self.weights)] = self.weights
        found = linprog(
            goal,
            A_ub=np.array(rows) if rows else None,
            b_ub=limits or None,
            A_eq=np.array(equal) if equal else None,
            b_eq=values or None,
            bounds=bounds,
            method="highs",
        )
        if found.status == 2:
            return None
        if found.status != 0:
            return -np.inf, None
        value = found.fun + self.offset
        point = self._inside(found.x[:d])
        if self.value(point) <= 0:
            return value, False
        gaps = [
            (found.x[place] - max(z, g * z), neuron)
            for neuron, place, row, b, g in open_
            for z in [row @ found.x + b]
        ]
        return value, max(gaps)[1] if gaps else None

    def _ball(self, rows, limits, d, n_variables):
        """Add the ball of norm 1, by the absolute moves as variables."""
        first = n_variables - d
        for j in range(d):
            for sign in (1, -1):
                row = np.zeros(n_variables)
                row[j], row[first + j] = sign, -1.0
                rows.append(row)
                limits.append(0.0)
        row = np.zeros(n_variables)
        row[first:] = 1.0
        return [*rows, row], [*limits, 1.0]

    def _inside(self, point):
        """Return a point of the program, put back into the ball by its rounding."""
        point = np.clip(point, self.low, self.high)
        return point / max(1.0, np.abs(point).sum()) if self.is_ball else point


def _interval(low, high, weights, offset):
    """Return the least and greatest values of an affine stage in a box."""
    middle, radius = (low + high) / 2, (high - low) / 2
    centre, reach = middle @ weights + offset, radius @ np.abs(weights)
    return centre - reach, centre + reach
