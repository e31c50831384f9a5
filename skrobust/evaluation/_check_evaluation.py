"""Checks that an evaluation under attack is honest, as warnings with numbers."""

import numpy as np
from sklearn.base import clone

from skrobust._containers import like, to_array
from skrobust._differentiable import differentiable_view
from skrobust._keyed_noise.rows import take_rows
from skrobust._norms import length, project
from skrobust._responses import predict_labels, refuse_regressor
from skrobust._validation import (
    check_count,
    check_same_length,
    check_targets,
    invalid,
)
from skrobust.attacks import FGSM
from skrobust.base.attack import own_params
from skrobust.evaluation.model_checks import (
    EvaluationWarning,
    check_answers,
    check_gradients,
    check_input,
    quietly,
    responses,
)

_OWNER = "check_evaluation"
_MULTIPLES = (0.5, 1, 2, 4)


class _Case:
    """A few samples, an attack on them, and its budget."""

    def __init__(self, attack, estimator, X, y, seen):
        self.attack, self.estimator, self.X, self.y = attack, estimator, X, y
        self.values = np.asarray(to_array(X), dtype=np.float64)
        self.seen = seen  # smallest and largest value of all rows
        params = own_params(attack)
        self.targeted = params.get("target") is not None
        self.can_scale = "eps" in params and hasattr(attack, "set_params")
        if params.get("objective", "") is None:
            attack = clone(attack).set_params(objective="misclassification")
            self.attack = attack
        self.eps = getattr(attack, "eps", None)
        self.norm = getattr(attack, "norm", np.inf)
        data_range = getattr(attack, "data_range", None)
        self.data_range = None if isinstance(data_range, str) else data_range
        self.right = self.is_right(X)
        self.found = None

    def is_right(self, X):
        """Return which rows the estimator gets right."""
        return predict_labels(self.estimator, X) == self.y

    def under_attack(self, attack):
        """Return which rows are right after an attack, and the rows."""
        found = quietly(attack.perturb, self.estimator, self.X, self.y)
        return self.is_right(found) & self.right, found

    def within(self, values):
        """Return values put back into the ball and the data range, as X is held."""
        out = self.values + project(values - self.values, self.eps, self.norm)
        if self.data_range is not None:
            out = np.clip(out, *self.data_range)
        dtype = getattr(to_array(self.X), "dtype", np.dtype(float))
        return like(out.astype(dtype if dtype.kind == "f" else float), self.X)


def check_evaluation(
    estimator, X, y, attack, *, n_samples=64, n_queries=100, random_state=0
):
    """Look for signs that an evaluation under attack overstates robustness.

    Runs a handful of attacks on a few samples and asks what an honest evaluation must
    show. What it returns are doubts, not proofs; an empty list is no proof either.

    Parameters
    ----------
    estimator : fitted classifier
        The model; used as it is.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    attack : object with ``perturb(estimator, X, y)``
        The attack of the evaluation. What cannot be asked of it (no ``eps`` to vary)
        is left out.
    n_samples : int, default=64
        Samples to check, drawn from X; units of the input are looked at in all of X.
    n_queries : int, default=100
        Queries per sample of the random search.
    random_state : int, default=0
        Seed of the draw and of the random search.

    Returns
    -------
    doubts : list of EvaluationWarning
        Each with ``code``, ``sentence`` and ``numbers``:

        - STOCHASTIC: two clean passes differ.
        - BATCH_DEPENDENT: rows in pairs and in a batch differ; nothing further is
          checked then.
        - INPUT_SCALE: the input looks standardised, or eps or ``data_range`` are in
          other units (normalisation in the wrong place).
        - ZERO_GRADIENT: gradients are zero or not finite.
        - PROBABILITIES_AS_LOGITS: softmax fed into cross entropy.
        - SATURATED_LOSS: cross entropy underflows.
        - OUT_OF_RANGE, OUT_OF_BALL: examples outside the data range or the budget.
        - NOT_FALLING: accuracy rises with eps.
        - UNBOUNDED: with eps as wide as the data accuracy stays above chance.
        - ONE_STEP_BEATS_ATTACK: FGSM fools samples that the attack misses.
        - BLACK_BOX_BEATS_ATTACK: random search fools samples that the attack misses.

        The last three are not asked of attacks with a target.

    Raises
    ------
    ValueError
        For an attack without ``perturb``, lengths that differ, or counts below 1.

    References
    ----------
    N. Carlini et al., "On evaluating adversarial robustness" (2019). M. Pintor et al.,
    "Indicators of attack failure" (NeurIPS 2022). F. Croce and M. Hein (ICML 2020).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import PGD
    >>> from skrobust.evaluation import check_evaluation
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> check_evaluation(model, X, y, PGD(0.05, data_range=(0, 1), random_state=0))
    []
    """
    if not callable(getattr(attack, "perturb", None)):
        raise invalid(
            "attack", _OWNER, "an object with perturb(estimator, X, y)", attack
        )
    y = check_targets(y, _OWNER)
    check_same_length(_OWNER, X=X, y=y)
    check_count(n_samples, "n_samples", _OWNER)
    check_count(n_queries, "n_queries", _OWNER)
    refuse_regressor(estimator, _OWNER, "It needs a classifier.")
    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.permutation(len(y))[:n_samples])
    whole = to_array(X)
    seen = float(whole.min()), float(whole.max())
    attack = _at_rows(attack, rows, len(y))
    case = _Case(attack, estimator, take_rows(X, rows), y[rows], seen)
    eps, norm = case.eps, case.norm
    doubts = list(check_input(whole, eps, norm, case.data_range))
    doubts += quietly(lambda: [*check_answers(estimator, case.X, take_rows)])
    if doubts and doubts[-1].code == "BATCH_DEPENDENT":
        return doubts
    values = to_array(case.X)
    doubts += quietly(lambda: [*check_gradients(estimator, values, case.y)])
    doubts += _check_examples(case)
    if case.can_scale and eps:
        doubts += _check_radii(case)
        doubts += _check_one_step(case)
        doubts += _check_random_search(case, n_queries, rng)
    return doubts


def _at_rows(attack, rows, n):
    """Return an attack whose targets, where there is one a row, are those of rows."""
    target = own_params(attack).get("target")
    if np.ndim(target) != 1 or len(target) != n:
        return attack
    return clone(attack).set_params(target=np.asarray(target)[rows])


def _check_examples(case):
    """Yield doubts about where the examples lie; keeps which rows stay right."""
    case.stays, found = case.under_attack(case.attack)
    found = np.asarray(to_array(found), dtype=np.float64)
    low, high = _bounds(case)
    slack = 1e-6 * (high - low)
    outside = ~np.isfinite(found) | (found < low - slack) | (found > high + slack)
    share = float(outside.reshape(len(found), -1).any(axis=1).mean())
    if share > 0:
        declared = case.data_range is not None
        where = "data_range" if declared else "the range in which all of X lies"
        cure = "" if declared else " Declare data_range if those are its bounds."
        yield EvaluationWarning(
            "OUT_OF_RANGE",
            f"{share:.0%} of the examples leave {where}.{cure}",
            {"share": share, "low": float(np.min(low)), "high": float(np.max(high))},
        )
    if case.eps is None:
        return
    reach = float(length(np.nan_to_num(found - case.values), case.norm).max())
    if reach > case.eps * (1 + 1e-5):
        yield EvaluationWarning(
            "OUT_OF_BALL",
            f"Examples are up to {reach:.4g} away; eps is {case.eps:g}.",
            {"largest_norm": reach, "eps": float(case.eps)},
        )


def _bounds(case):
    """Return the declared bounds, those of pictures in [0, 1] or [0, 255], or none."""
    if case.data_range is not None:
        return tuple(np.asarray(bound, dtype=np.float64) for bound in case.data_range)
    low, high = case.seen
    for top in (1.0, 255.0):
        if low == 0 and high == top:
            return np.float64(0), np.float64(top)
    return np.float64(-1e300), np.float64(1e300)


def _check_radii(case):
    """Yield doubts about how accuracy goes with the radius."""
    radii = [multiple * case.eps for multiple in _MULTIPLES]
    low, high = _bounds(case)
    spread = float(np.max(high - low))
    if spread > 1e299:
        spread = 2 * float(case.seen[1] - case.seen[0])
    d = case.values[0].size
    whole = spread * {np.inf: 1, 2: np.sqrt(d), 1: d}.get(case.norm, d)
    accuracy = []
    for eps in [*radii, whole]:
        stays, _ = case.under_attack(clone(case.attack).set_params(eps=float(eps)))
        accuracy.append(float(stays.mean()))
    rise = float(np.max(np.diff(accuracy[:-1])))
    numbers = dict(zip(["radii", "accuracy"], [radii, accuracy[:-1]], strict=True))
    if rise > max(0.02, 1.5 / len(case.y)):
        yield EvaluationWarning(
            "NOT_FALLING",
            f"Accuracy rises by {rise:.0%} between radii: a larger ball holds the "
            "smaller one, so the attack misses what it could find. Use more steps or "
            "restarts.",
            numbers,
        )
    chance = 1 / max(2, len(np.unique(case.y)))
    # What is wanted of a targeted attack may be the true label.
    if accuracy[-1] > chance and not case.targeted:
        yield EvaluationWarning(
            "UNBOUNDED",
            f"With a radius as wide as the data ({whole:.3g}) accuracy is still "
            f"{accuracy[-1]:.0%}, above chance ({chance:.0%}): the attack is broken or "
            "blind, whatever it says at smaller radii.",
            {"eps": whole, "accuracy": accuracy[-1], "chance": chance},
        )


def _check_one_step(case):
    """Yield a doubt where the simplest attack finds more."""
    if type(case.attack) is FGSM or case.targeted:
        return
    try:
        with differentiable_view(case.estimator, _OWNER):
            simple = FGSM(case.eps, norm=case.norm, data_range=case.data_range)
            fast, _ = case.under_attack(simple)
    except (ValueError, TypeError):  # no gradients here
        return
    yield from _beaten(case, fast, "ONE_STEP_BEATS_ATTACK", "One step of FGSM")


def _check_random_search(case, n_queries, rng):
    if case.targeted:
        return
    stays = quietly(_random_search, case, n_queries, rng)
    yield from _beaten(case, stays, "BLACK_BOX_BEATS_ATTACK", "A random search")


def _beaten(case, other, code, who):
    missed = case.stays & ~other
    share = float(missed.mean())
    if missed.sum() >= max(2, 0.02 * len(case.y)):
        yield EvaluationWarning(
            code,
            f"{who} fools {share:.0%} of the samples that the attack misses: robust "
            "accuracy is overstated. Look for masked gradients, too few steps or a "
            "wrong step size.",
            {"share": share, "n": int(missed.sum())},
        )


def _random_search(case, n_queries, rng):
    """Return which rows are right after a search from corner to corner of the ball."""
    shape = case.values.shape
    flat = (len(shape) - 1) * (1,)
    rows = np.arange(len(case.y))
    own = responses(case.estimator, case.X).argmax(axis=1)
    direction = rng.choice([-1.0, 1.0], size=shape)
    lowest, stays = np.full(len(rows), np.inf), case.right.copy()
    for query in range(n_queries):
        share = 0.5 if query == 0 else max(0.02, 0.5 / (1 + query / 5))
        flips = np.where(rng.random(shape) < share, -1.0, 1.0)
        proposal = direction * flips
        size = length(proposal, case.norm).reshape(-1, *flat)
        points = case.within(case.values + case.eps * proposal / size)
        stays &= case.is_right(points)
        evidence = responses(case.estimator, points)[rows, own]
        better = evidence <= lowest
        direction[better], lowest[better] = proposal[better], evidence[better]
        if not stays.any():
            break
    return stays
