"""Rows of a repair: what fits, what chooses, what reports; and scores of one model."""

import time
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from skrobust._containers import is_frame, to_array
from skrobust._guarded_rows import perturb_guarded
from skrobust._keyed_noise.rows import take_rows
from skrobust._loader_workers import loading_here
from skrobust._one_line import one_line
from skrobust._responses import predict_labels, respond, unwrap
from skrobust.evaluation.core.condition_table import perturb_rows
from skrobust.metrics.labels import label_array, label_pair

_SHARES = {3: (0.5, 0.2, 0.3), 2: (0.4, 0.6)}  # of the rows, in each part
_CORRECT, _ANSWERED, _MARGIN, _BRIER = range(4)
_LARGEST = 2.0  # Brier score, of a row without an answer


class Part(NamedTuple):
    """Rows of one part, with their labels and clusters."""

    X: object
    y: np.ndarray
    clusters: np.ndarray | None = None


def split_parts(X, y, clusters, n_parts, rng):
    """Deal rows into parts, each class (or whole clusters) in the shares of the parts.

    Parameters
    ----------
    X, y : array-like
        Rows and labels.
    clusters : ndarray of shape (n_samples,) or None
        Samples that stay together.
    n_parts : {2, 3}
        Whether a part is needed that fits.
    rng : numpy.random.Generator
        Draws the order.

    Returns
    -------
    list of Part
        What fits (for three), what chooses, and what reports.
    """
    kinds = y if clusters is None else clusters
    names, codes = np.unique(kinds, return_inverse=True)
    cuts = np.cumsum(_SHARES[n_parts])[:-1]
    place = np.zeros(len(y), dtype=int)
    if clusters is None:
        for code in range(len(names)):
            rows = rng.permutation(np.flatnonzero(codes == code))
            ends = np.floor(cuts * len(rows) + rng.random()).astype(int)
            place[rows] = np.searchsorted(ends, np.arange(len(rows)), side="right")
    else:
        order = rng.permutation(len(names))
        ends = np.floor(cuts * len(names) + 0.5).astype(int)
        of_cluster = np.empty(len(names), dtype=int)
        of_cluster[order] = np.searchsorted(ends, np.arange(len(names)), side="right")
        place = of_cluster[codes]
    return [_part(X, y, clusters, np.flatnonzero(place == i)) for i in range(n_parts)]


def _part(X, y, clusters, rows):
    kept = None if clusters is None else clusters[rows]
    return Part(take_rows(X, rows), y[rows], kept)


class Fitted(NamedTuple):
    """A fitted copy of a candidate, or why there is none."""

    model: object
    seconds: float
    error: str | None
    warnings: tuple


def fit_candidate(estimator, X, y):
    """Fit a copy of a candidate; an error becomes text."""
    start = time.perf_counter()
    (model, error), texts = caught(_fitted_or_reason, estimator, X, y)
    return Fitted(model, time.perf_counter() - start, error, texts)


def _fitted_or_reason(estimator, X, y):
    try:
        model = clone(estimator)
        with loading_here(unwrap(model)[1]):
            model.fit(X, y)
    except Exception as error:  # a candidate need not suit these rows
        return None, one_sentence(error)
    return model, None


def caught(function, *arguments):
    """Return the result of a call, and its warnings as text, each once."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*arguments)
    texts = (one_sentence(warning.message) for warning in found)
    return result, tuple(dict.fromkeys(texts))


def one_sentence(error):
    """Return an error or a warning as one line of at most 200 characters."""
    text = one_line(error)
    return text if len(text) <= 200 else text[:197] + "..."


def answers_under(model, condition, X, y, with_chances, caller):
    """Return which rows a model gets right under a condition.

    Parameters
    ----------
    model : fitted classifier
        The model.
    condition : object with ``perturb`` or None
        None leaves the rows as they are.
    X, y : array-like
        Rows and labels.
    with_chances : bool
        Whether its probabilities are asked for, too.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    ndarray of shape (4, n_samples)
        Whether the label is right; whether the model answered at all (rows that it
        refuses count as wrong); and of its probabilities, where they are wanted and
        there are such, the margin between the two largest (nan without an answer) and
        the Brier score (2 without an answer).
    """
    rows = X
    if condition is not None:
        rows = perturb_rows(condition, model, X, y, caller)
    found = np.full((4, len(y)), np.nan)
    found[_CORRECT] = found[_ANSWERED] = 0
    has_chances = hasattr(model, "predict_proba") and hasattr(model, "classes_")
    with_chances = with_chances and has_chances
    if with_chances:
        found[_BRIER] = _LARGEST
    kept = np.arange(len(y))
    try:
        labels = predict_labels(model, rows)
    except (ValueError, TypeError):  # such as missing values, which it does not take
        kept = np.flatnonzero(~missing_rows(rows))
        if not 0 < len(kept) < len(y):
            return found
        try:
            labels = predict_labels(model, take_rows(rows, kept))
        except (ValueError, TypeError):
            return found
    truth, labels = label_pair(y[kept], labels, caller)
    found[_CORRECT, kept], found[_ANSWERED, kept] = truth == labels, 1
    if with_chances:
        chances = np.asarray(respond(model, "predict_proba", take_rows(rows, kept)))
        ranked = np.sort(chances, axis=1)
        found[_MARGIN, kept] = ranked[:, -1] - ranked[:, -2]
        is_true = truth[:, None] == label_array(model.classes_, caller, "classes_")
        found[_BRIER, kept] = ((chances - is_true) ** 2).sum(axis=1)
    return found


def missing_rows(X):
    """Return which rows of a table have a missing value; none of other containers."""
    if is_frame(X) and hasattr(X, "isna"):
        return X.isna().any(axis=1).to_numpy()
    if is_frame(X):  # polars
        holes = [
            c.is_nan().fill_null(True) if c.dtype.is_float() else c.is_null() for c in X
        ]
        return np.any([one.to_numpy() for one in holes], axis=0)
    values = to_array(X)
    if values.dtype.kind == "O":
        lost = np.array([[v is None or v != v for v in row] for row in values])
    elif values.dtype.kind == "f":
        lost = np.isnan(values)
    else:
        return np.zeros(len(values), dtype=bool)
    return lost.reshape(len(values), -1).any(axis=1)


def correct_under_attack(model, attack, X, y, transferred, caller):
    """Return which rows stay right under an attack on the model, and under transfer.

    A repair may only hide the gradient from an attack, so that the examples made for
    the original are tried on it as well.

    Parameters
    ----------
    model : fitted classifier
        The repaired model.
    attack : object with ``perturb`` or None
        The attack; None for the original, which the examples were made for.
    X, y : array-like
        Rows and labels.
    transferred : container like X
        Examples made for the original model.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    ndarray of shape (n_samples,), dtype bool
        Whether the label is right for the row, its own and the transferred example.
    """
    right = np.ones(len(y), dtype=bool)
    own = [] if attack is None else [perturb_guarded(attack, model, X, y)]
    for rows in (X, transferred, *own):
        truth, labels = label_pair(y, predict_labels(model, rows), caller)
        right &= truth == labels
    return right


class Scores(NamedTuple):
    """Correctness of the rows of one part, for one model."""

    clean: np.ndarray  # (n_samples,)
    correct: np.ndarray  # (n_samples, n_conditions)
    attacked: np.ndarray | None  # (n_samples,), under every attack
    answered: np.ndarray  # (n_conditions,), share of rows with an answer
    margins: np.ndarray  # (n_samples, 1 + n_conditions)
    brier: np.ndarray  # (n_samples, 1 + n_conditions)

    def per_row(self, criterion):
        """Return the value of each row that the criterion is the mean of."""
        if criterion == "attack":
            return self.attacked
        if self.correct.shape[1] == 1:  # still right or wrong
            return self.correct[:, 0]
        return self.correct.mean(axis=1)

    def value(self, criterion):
        """Return the criterion, nan where it was not measured."""
        values = self.per_row(criterion)
        return float("nan") if values is None else float(values.mean())


def make_scores(parts, attacked):
    """Put the answers of a model to clean rows and under conditions together."""
    correct = np.stack([part[_CORRECT] for part in parts], axis=1).astype(bool)
    answered = np.array([part[_ANSWERED].mean() for part in parts[1:]])
    margins, brier = (
        np.stack([part[i] for part in parts], axis=1) for i in (_MARGIN, _BRIER)
    )
    return Scores(correct[:, 0], correct[:, 1:], attacked, answered, margins, brier)
