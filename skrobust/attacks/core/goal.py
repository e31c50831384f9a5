"""Goals of attacks, and the best iterate so far of each row."""

from dataclasses import dataclass

import numpy as np

from skrobust._norms import namespace, per_sample
from skrobust._validation import invalid

_OF_REGRESSORS = ("prediction_shift", "prediction_error")


@dataclass(frozen=True)
class Goal:
    """Goal of an attack, and the margin by which an iterate reaches it.

    ``"misclassification"`` scores an iterate by its margin and ``stops`` at the first
    success of a row. The others move a number as far as they can, and no row ever
    stops: the probability of the predicted class (``"probability_shift"``, ``"loss"``)
    or the prediction of a regressor (``"prediction_shift"``, ``"prediction_error"``).

    Parameters
    ----------
    objective : str
        One of the names above.
    targeted : bool, default=False
        Whether a label is to be reached instead of left; a probability then counts
        where it rises.
    """

    objective: str
    targeted: bool = False

    def __post_init__(self):
        # Whether a row is done at its first success.
        object.__setattr__(self, "stops", self.objective == "misclassification")
        # Whether the prediction of a regressor is moved.
        moves = self.objective in _OF_REGRESSORS
        object.__setattr__(self, "moves_prediction", moves)

    @classmethod
    def of_classifier(cls, attack):
        """Return the goal of an attack on a classifier, or raise."""
        if attack.objective in _OF_REGRESSORS:
            rule = "one of the objectives of classifiers; this one is of regressors"
            raise invalid("objective", type(attack).__name__, rule, attack.objective)
        objective = attack.objective or "misclassification"
        return cls(objective, attack.target is not None)

    @classmethod
    def of_regressor(cls, attack, y):
        """Return the goal of an attack on a regressor, or raise."""
        caller = type(attack).__name__
        if attack.objective not in (None, *_OF_REGRESSORS):
            rule = "None, 'prediction_shift' or 'prediction_error' for a regressor"
            raise invalid("objective", caller, rule, attack.objective)
        if attack.target is not None:
            raise invalid("target", caller, "None for a regressor", attack.target)
        if attack.objective == "prediction_error":
            if y is None:
                raise ValueError(f"{caller} needs y for objective='prediction_error'.")
            if np.asarray(y).dtype.kind not in "iufb":
                raise ValueError(
                    f"{caller} needs numbers as the targets y of a regressor."
                )
        return cls(attack.objective or "prediction_shift")

    def is_reached(self, labels, label):
        """Say where predicted labels are a success against, or for, a label."""
        return (labels == label) if self.targeted else (labels != label)

    def margin(self, against):
        """Return margins of success from those against the label."""
        return -against if self.targeted else against

    def move(self, rise):
        """Return by how much a number was moved, from its rise."""
        return rise if self.targeted else abs(rise)


class BestSoFar:
    """The best iterate so far of each row, over all runs, and the passes it took.

    Parameters
    ----------
    x : array or tensor of shape (n, ...)
        Where every row begins.
    score : array or tensor of shape (n,)
        Scores of these; larger is better.
    """

    def __init__(self, x, score):
        self.iterate, self.score = x, score
        self._owns_iterate = False  # until something is kept
        self.passes = []  # of (rows, forward, backward)

    def update(self, z, score, better, rows=None):
        """Keep iterates of some rows (None: all) where they are better."""
        xp, mask = namespace(z), per_sample(better, z)
        if rows is None or len(rows) == len(self.score):
            self.iterate = xp.where(mask, z, self.iterate)
            self.score = xp.where(better, score, self.score)
            self._owns_iterate = True
            return
        z = xp.where(mask, z, self.iterate[rows])
        self.keep(rows, z, xp.where(better, score, self.score[rows]))

    def keep(self, rows, z, score):
        """Replace the iterates of some rows unconditionally."""
        if len(rows) == len(self.score):
            self.iterate, self.score, self._owns_iterate = z, score + 0, False
            return
        if not self._owns_iterate:
            self.iterate, self._owns_iterate = self.iterate + 0, True
        self.iterate[rows], self.score[rows] = z, score


class Counter:
    """Counts of passes, queries and iterations of each row of a call.

    Parameters
    ----------
    n : int
        Number of rows.
    """

    def __init__(self, n):
        self._n, self.counts = n, {}

    def add(self, rows, **numbers):
        """Add forward or backward passes, queries or iterations of some rows."""
        for name, number in numbers.items():
            if name not in self.counts:
                self.counts[name] = np.zeros(self._n, dtype=np.int64)
            self.counts[name][rows] += number


def class_mask(scores, label):
    """Return a mask of shape (n, n_classes) that is True at the class of each row."""
    xp = namespace(scores)
    places = xp.arange(scores.shape[1])
    if xp is not np:
        places = places.to(scores.device)
    return places[None, :] == label[:, None]


def log_odds_against(logits, label):
    """Return log odds against a class, their slope by the logits, and the margin.

    With z the logits and c the class of a sample,

        L_c(z) = logsumexp of z_k over k != c, minus z_c = -logit P(c | x).

    It rises in the direction of cross entropy exactly (the gradient of cross entropy is
    that of L_c times 1 - P(c)), but it does not vanish for confident models, so that an
    attack with normalised steps follows the published loss without its blind spot.

    Parameters
    ----------
    logits : array or tensor of shape (n, n_classes)
        Scores of the classes.
    label : integer array or tensor of shape (n,)
        Index of the class c of each sample.

    Returns
    -------
    value : array or tensor of shape (n,)
        Log odds against class c.
    slope : array or tensor of shape (n, n_classes)
        Derivative of the value by the logits.
    margin : array or tensor of shape (n,)
        The largest other logit minus that of class c: above 0 means fooled.
    """
    xp = namespace(logits)
    is_label = class_mask(logits, label)
    others = xp.where(is_label, -np.inf, logits)
    peak = xp.amax(others, 1)
    share = xp.exp(others - peak[:, None])
    total = share.sum(1)
    slope = xp.where(is_label, -1.0, share / total[:, None])
    margin = peak - xp.where(is_label, logits, 0.0).sum(1)
    return margin + xp.log(total), slope, margin


def margin_against(scores, label):
    """Return the largest other score minus that of the class, for one class a row."""
    xp = namespace(scores)
    is_label = class_mask(scores, label)
    peak = xp.amax(xp.where(is_label, -np.inf, scores), 1)
    return peak - xp.where(is_label, scores, 0.0).sum(1)


def probability(against):
    """Return the probability of a class from the log odds against it."""
    xp = namespace(against)
    return 1 / (1 + xp.exp(xp.clip(against, -80, 80)))
