"""Proofs about linear classifiers behind affine steps."""

import numpy as np
from scipy.special import expit, logsumexp, softmax

from skrobust._differentiable import differentiable_view, sklearn_name
from skrobust._responses import unwrap
from skrobust.certificates.proof import DifferenceProof
from skrobust.certificates.shares import share_bounds, sigmoid_share_bounds
from skrobust.certificates.softmax_extremes import least_lse, most_lse

_NUMBERS = 4_000_000  # that the search for an extreme may hold at once
_MOST_CLASSES = 64  # whose simplex is cut
_CUTS = 400  # of the simplex of shares, for one class
_CUTS_OF_EACH = 40  # where all classes are bounded, as for members of an ensemble


class LinearProof(DifferenceProof):
    """Proof about a linear classifier of any number of classes.

    Labels are exact: the difference of two scores falls at most by the closed form of
    the dual norm within the box. So are probabilities of two classes, which are
    monotone in the score. Those of more classes with softmax are found by branch and
    bound, those of sigmoids and of the modified Huber loss are bounds.

    Parameters
    ----------
    region : Region
        Where rows may move.
    weights, offset : ndarray of shape (n_classes, n_features), (n_classes,)
        Of the scores whose largest is the label.
    link : {"softmax", "sigmoid", "huber", "two", None}
        From scores to probabilities.
    ask : callable
        From rows to the probabilities of the model, for two classes.
    """

    is_exact_on_labels = True

    def __init__(self, region, weights, offset, link, ask=None):
        super().__init__(len(region), len(offset))
        self._region, self._weights, self._offset = region, weights, offset
        self._link, self._ask = link, ask
        self.has_probabilities = link is not None
        self.is_exact_on_probabilities = link == "two"
        names = {
            "two": "exact for linear models of two classes",
            "softmax": "linear models with softmax, by branch and bound",
            None: "exact for linear models",
        }
        bound = "bound for linear models: each score at its worst"
        self.name = names.get(link, bound)
        self._scores = region.rows @ weights.T + offset
        # Sums of many products round; what is certified must survive that.
        size = np.abs(region.rows) @ np.abs(weights).T + np.abs(offset)
        self._slack = region.slack * (
            size.max(axis=1) + (region.eps * np.abs(weights)).max()
        )

    @classmethod
    def of_rest(cls, proofs):
        """Return the proof about labels of one against the rest, of binary proofs."""
        weights = [proof._weights[1] - proof._weights[0] for proof in proofs]
        offset = [proof._offset[1] - proof._offset[0] for proof in proofs]
        return cls(proofs[0]._region, np.array(weights), np.array(offset), None)

    def differences(self, own):
        """Return bounds of the score of a class less that of each other."""
        n, k = self.n_samples, self.n_classes
        low, high = np.zeros((n, k)), np.zeros((n, k))
        mine = self._scores[np.arange(n), own]
        for j in range(k):
            normal = self._weights[own] - self._weights[j]
            middle = mine - self._scores[:, j]
            low[:, j] = middle - self._region.rise(-normal) - self._slack
            high[:, j] = middle + self._region.rise(normal) + self._slack
            same = own == j
            low[same, j] = high[same, j] = 0.0
        return low, high

    def probabilities(self, columns=None):
        """Return least and greatest probabilities, of shape (n_samples, n_classes)."""
        if self._link == "two":
            return self._two_ends()
        if self._link is None:
            return super().probabilities(columns)
        if self._link == "huber":
            low, high = self.scores_within()
            shares = np.clip((low + 1) / 2, 0, 1), np.clip((high + 1) / 2, 0, 1)
            return share_bounds(*shares)
        low = np.zeros((self.n_samples, self.n_classes))
        high = np.ones_like(low)
        rows = np.arange(self.n_samples)
        n_cuts = _CUTS_OF_EACH if columns is None else _CUTS
        for column in range(self.n_classes) if columns is None else [columns]:
            own = np.broadcast_to(column, self.n_samples)
            if self._link == "softmax":
                ends = self._softmax(own, n_cuts)
            else:
                ends = self._sigmoid(own)
            low[rows, own], high[rows, own] = ends
        return low, high

    def _two_ends(self):
        normal = self._weights[1] - self._weights[0]
        moves = self._region.move(normal), self._region.move(-normal)
        up, down = (self._ask(self._region.rows + m) for m in moves)
        return np.minimum(up, down), np.maximum(up, down)

    def scores_within(self):
        """Return least and greatest scores, of shape (n_samples, n_classes)."""
        rise = [self._region.rise(w) for w in self._weights]
        fall = [self._region.rise(-w) for w in self._weights]
        slack = self._slack[:, None]
        return (
            self._scores - np.stack(fall, axis=1) - slack,
            self._scores + np.stack(rise, axis=1) + slack,
        )

    def _sigmoid(self, own):
        rows = np.arange(self.n_samples)
        low, high = self.scores_within()
        ends = low[rows, own][:, None], high[rows, own][:, None]
        return sigmoid_share_bounds(low, high, *ends, *self.differences(own))

    def _softmax(self, own, n_cuts):
        k, d = self._weights.shape
        # Each difference of scores at its worst: tight where one other class decides.
        ends = [np.exp(-logsumexp(-end, axis=1)) for end in self.differences(own)]
        if k > _MOST_CLASSES:
            return ends
        n_cuts = min(n_cuts, max(1, _NUMBERS // (2 * k * k)))
        step = max(1, _NUMBERS // ((n_cuts + 1) * k * k + k * d))
        low, high = np.empty(self.n_samples), np.empty(self.n_samples)
        for start in range(0, self.n_samples, step):
            part = slice(start, start + step)
            region, c = self._region.take(part), own[part]
            weights = self._weights[None] - self._weights[c][:, None]
            scores = self._scores[part]
            scores = scores - np.take_along_axis(scores, c[:, None], axis=1)
            slack = 2 * self._slack[part]
            least = least_lse(region, weights, scores)[0] - slack
            most = most_lse(region, weights, scores, n_cuts)[0] + slack
            low[part], high[part] = np.exp(-most), np.exp(-np.maximum(least, 0))
        return np.maximum(low, ends[0]), np.minimum(high, ends[1])


def linear_proof(estimator, region, ask, caller, shape=None):
    """Return the proof for a linear classifier behind affine steps, or None.

    Parameters
    ----------
    estimator : fitted classifier
        Any; the whole pipeline.
    region : Region
        Where rows may move.
    ask : callable or None
        From rows to the probabilities of the whole; None where there are none.
    caller : str
        Name of the public function or class, for error messages.
    shape : tuple of int, default=None
        Of a row of the raw input; linear models take flat rows alone.
    """
    if shape is not None and len(shape) > 1:
        return None
    if (counting := _counting_bayes(estimator, region)) is not None:
        return counting
    try:
        view = differentiable_view(estimator, caller)
        if not getattr(view, "is_affine", False):
            return None
        view.logits(region.rows[:1])  # says if the width is wrong
        d = region.rows.shape[1]
        offset = view.decision_scores(view.logits(np.zeros((1, d))))[0]
        k = len(offset)
        raw, pull = view.forward(np.zeros((k, d)))
        weights = pull(np.eye(k))
    except ValueError:  # not linear
        return None
    shown = view.decision_scores(view.logits(region.rows[:20]))
    if not np.allclose(shown, region.rows[:20] @ weights.T + offset, atol=1e-6):
        return None
    link = None if ask is None else _link(region, weights, offset, raw[0], ask)
    return LinearProof(region, weights, offset, link, ask)


def _counting_bayes(estimator, region):
    """Return the proof for naive Bayes of counts, whose log posteriors are linear."""
    steps, model = unwrap(estimator)
    name = sklearn_name(model)
    if steps or name not in ("MultinomialNB", "ComplementNB", "BernoulliNB"):
        return None
    weights = np.asarray(model.feature_log_prob_)
    offset = np.asarray(model.class_log_prior_)
    if name == "ComplementNB" and len(offset) > 1:
        offset = np.zeros(len(weights))
    if name == "BernoulliNB":
        if model.binarize is not None:
            return None
        absent = np.log1p(-np.exp(weights))
        weights, offset = weights - absent, offset + absent.sum(axis=1)
    return LinearProof(region, weights, offset, "softmax")


def _link(region, weights, offset, raw_offset, ask):
    """Return how the probabilities of the model come from its scores, or None."""
    p = ask(region.rows)
    if p.shape[1] != len(weights):
        return None
    if len(weights) == 2:
        # A classifier of another make may link scores and probabilities as it likes.
        normal = weights[1] - weights[0]
        ends = [region.rows + region.move(w) for w in (normal, -normal)]
        scores = np.concatenate([z @ normal for z in (region.rows, *ends)])
        order = np.argsort(scores, kind="stable")
        steps = np.diff(np.concatenate([p, *map(ask, ends)])[order, 1])
        is_monotone = (steps >= -1e-6).all() or (steps <= 1e-6).all()
        return "two" if is_monotone else None
    if not np.array_equal(offset, raw_offset):
        return None
    scores = region.rows @ weights.T + offset
    if np.allclose(softmax(scores, axis=1), p, atol=1e-6):
        return "softmax"
    sigmoid = expit(scores)
    if np.allclose(sigmoid / sigmoid.sum(axis=1, keepdims=True), p, atol=1e-6):
        return "sigmoid"
    clipped = np.clip((scores + 1) / 2, 0, 1)
    total = clipped.sum(axis=1, keepdims=True)
    some = total[:, 0] > 0
    if np.allclose((clipped / np.where(total > 0, total, 1))[some], p[some], atol=1e-6):
        return "huber"
    return None
