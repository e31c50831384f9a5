"""Proofs about trees and sums of trees of any library, by search among their leaves."""

import warnings

import numpy as np

from skrobust._norms import length
from skrobust.attacks import ExactTree
from skrobust.attacks.trees.row_questions import ask_each_row, range_of_probability
from skrobust.attacks.trees.tree_reader import read_trees
from skrobust.attacks.trees.tree_rows import TreeRows
from skrobust.base import Constraints
from skrobust.certificates.proof import Proof
from skrobust.certificates.region import SLACK

_PARTS = 50  # of a region that may be opened to bound a sum of trees
_SINGLE = float(np.finfo(np.float32).eps)


class TreeProof(Proof):
    """Proof about trees: the worst leaves that have a point of the region in common.

    They are found by the search of :class:`skrobust.attacks.ExactTree`. Whether it came
    to its end is known once it has run: ``name``, ``is_exact_on_labels`` and
    ``is_exact_on_probabilities`` speak of what was asked last. Only the columns that
    are asked for are searched, each once.

    Parameters
    ----------
    estimator : fitted classifier
        Trees, bare or behind scalers.
    model : TreeModel
        What was read of it.
    region : Region
        Where rows may move.
    ask : callable or None
        From rows to the probabilities of the model; None where there are none.
    caller : str
        Name of the public function or class, for error messages.
    """

    name = "bound for trees"

    def __init__(self, estimator, model, region, ask, caller):
        super().__init__(len(region), len(model.trees.start))
        self._estimator, self._model = estimator, model
        self._region, self._caller = region, caller
        self._values, self._ball = _searched(region)
        self._ask, self._known, self._rows_read = ask, None, None
        self._ends, self._rounding = {}, 0.0

    def enclose_rounding(self):
        """Widen probabilities by what single precision rounds, and return the proof.

        Models that add up in it round what they answer. Those who compare probabilities
        of the model itself allow for it; models made of others go on in double.
        """
        self._rounding = _SINGLE if self._model.trees.slack else 0.0
        return self

    @property
    def _rows(self):
        if self._rows_read is None:
            place = {key: value for key, value in self._ball.items() if key != "eps"}
            self._rows_read = TreeRows(
                self._model, self._values, **place, caller=self._caller
            )
        return self._rows_read

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        robust = np.zeros(self.n_samples, dtype=bool)
        known = np.flatnonzero(own >= 0)  # the others never have the label
        decided = own < 0
        if len(known):
            y = self._model.trees.classes[own[known]]
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "X does not have valid feature names")
                found = ExactTree(**self._ball).label_bounds(
                    self._estimator, self._values[known], y
                )
            robust[known] = found.certified
            decided[known] = found.certified | found.attacked
        self.is_exact_on_labels = bool(decided.all())
        self.name = "exact for trees" if decided.all() else "bound for trees"
        return robust

    def probabilities(self, columns=None):
        """Return least and greatest probabilities, of shape (n_samples, n_classes)."""
        low, high = super().probabilities()
        if not self._is_linked():
            return low, high
        every, is_exact = np.arange(self.n_samples), True
        # Of two probabilities that both matter, one tells the other.
        pair = columns is None and self.n_classes == 2
        asked = range(self.n_classes) if columns is None else np.unique(columns)
        for column in [1] if pair else asked:
            here = every if columns is None else np.flatnonzero(columns == column)
            low[here, column], high[here, column], met = self._range(int(column), here)
            is_exact &= met
        if pair:
            low[:, 0], high[:, 0] = 1 - high[:, 1], 1 - low[:, 1]
        self.is_exact_on_probabilities = is_exact
        open_ends = "bound for trees: what the search could not rule out"
        self.name = "exact for trees" if is_exact else open_ends
        return low, high

    def decisions(self):
        """Return bounds of what ``decision_function`` says, of boosted trees.

        Returns
        -------
        low, high : ndarray of shape (n_samples, n_columns), or None
            One column for two classes. None where it is no sum of trees.
        """
        if self._model.trees.link not in ("softmax", "softmax of double"):
            return None
        weights = np.eye(self.n_classes)
        if self.n_classes == 2:
            weights = weights[1:] - weights[:1]
        ends = [
            np.column_stack([self._highest(sign * one) for one in weights])
            for sign in (-1.0, 1.0)
        ]
        slack = SLACK * (1 + np.maximum(*map(np.abs, ends)))
        return -ends[0] - slack, ends[1] + slack

    def _highest(self, weights):
        """Return the most that a weighted sum of scores comes to, row by row."""
        question = _bound_of_sum, weights.tolist(), self._ball["eps"], _PARTS
        return np.array(ask_each_row(self._rows, *question)) + self._model.trees.slack

    def _range(self, column, places):
        """Return bounds of the probability of a class for some rows, and exactness."""
        n = self.n_samples
        low, high, met, done = self._ends.setdefault(
            column, (np.zeros(n), np.ones(n), np.zeros(n, bool), np.zeros(n, bool))
        )
        new = places[~done[places]]
        if len(new):
            question = range_of_probability, column, self._ball["eps"], _PARTS, True
            found = ask_each_row(self._rows.taken(new), *question)
            low[new] = [one.low for one in found]
            high[new] = [one.high for one in found]
            met[new], done[new] = [one.is_exact for one in found], True
        ends = low[places] - self._rounding, high[places] + self._rounding
        return *ends, bool(met[places].all())

    def _is_linked(self):
        """Say whether the scores that were read give the model's probabilities."""
        if self._known is None:
            ours = self._model.trees.probabilities(self._rows.scores)
            theirs = None if self._ask is None else self._ask(self._region.rows)
            self._known = theirs is not None and theirs.shape == ours.shape
            self._known = self._known and np.allclose(ours, theirs, atol=1e-5)
        return self._known


def tree_proof(estimator, region, ask, caller, shape=None):
    """Return the proof for trees, or None for another model.

    Parameters
    ----------
    estimator, region, ask, caller, shape : object
        As in :func:`skrobust.certificates.find_proof.find_proof`.
    """
    if shape is not None and len(shape) > 1:
        return None
    try:
        model = read_trees(estimator, caller)
    except ValueError:  # no trees that are understood
        return None
    trees = model.trees
    if trees.classes is None or trees.n_features != region.rows.shape[1]:
        return None
    return TreeProof(estimator, model, region, ask, caller)


def _searched(region):
    """Return the rows and the ball of the search, which hold a region and its rounding.

    Rows of trees behind other models were scaled: by how much that rounds, the ball is
    larger, and features may have radii of their own.
    """
    eps, box, rules = region.eps, region.data_range, None
    values = region.rows
    if region.is_rounded:
        more = np.broadcast_to(region.rounding, values.shape[1:])
        eps = eps + (more if region.norm == np.inf else length(more[None], region.norm))
        box = None if box is None else (box[0] - more, box[1] + more)
    elif region.dtype == np.float32:
        values = values.astype(np.float32)
    if np.size(eps) > 1:
        radius = float(np.max(eps))
        rules, eps = Constraints(scale=eps / radius), radius
    ball = {"eps": float(np.max(eps)), "norm": region.norm, "data_range": box}
    return values, {**ball, "constraints": rules}


def _bound_of_sum(row, weights, eps, n_parts):
    return row.highest(np.array([weights]), eps, n_parts, sound=True).bound
