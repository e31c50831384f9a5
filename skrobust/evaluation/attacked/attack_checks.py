"""Checks of an attack: its examples, its radii, and simpler attacks beside it."""

import numpy as np
from sklearn.base import clone

from skrobust._containers import is_frame, like, to_array
from skrobust._differentiable import differentiable_view
from skrobust._norms import length
from skrobust._responses import predict_labels
from skrobust.attacks import FGSM
from skrobust.base import Constraints
from skrobust.base.attack import own_params
from skrobust.base.domain import Domain
from skrobust.evaluation.attacked.transfer_check import stays_under_transfer
from skrobust.evaluation.core._evaluation_warning import doubt
from skrobust.evaluation.core.model_checks import quietly, responses

_CALLER = "check_evaluation"
_MULTIPLES = (0.5, 1, 2, 4)


class AttackCase:
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
        self.constraints = getattr(attack, "constraints", None)
        if is_frame(X) and isinstance(self.constraints, Constraints):
            self.constraints = self.constraints.by_position(X.columns)
        self._domain = None
        self.correct = self.is_correct(X)
        self.stays = None  # which rows stay correct under the attack
        self.fallen = np.zeros(len(y), dtype=bool)  # under anything within the budget

    def is_correct(self, X):
        """Return which rows the estimator predicts correctly."""
        return predict_labels(self.estimator, X) == self.y

    def under_attack(self, attack):
        """Return which rows stay correct under an attack, and the rows."""
        found = quietly(attack.perturb, self.estimator, self.X, self.y)
        stays = self.is_correct(found) & self.correct
        eps = getattr(attack, "eps", None)
        if self.eps is None or eps is None or eps <= self.eps:
            self.keep(stays)
        return stays, found

    def keep(self, stays):
        """Note which rows fell to examples within the budget."""
        self.fallen |= self.correct & ~stays

    @property
    def domain(self):
        """What the attack may return: ball, data range and constraints."""
        if self._domain is None:
            self._domain = Domain(
                self.values,
                self.constraints,
                eps=self.eps,
                norm=self.norm,
                data_range=self.data_range,
                caller=_CALLER,
            )
        return self._domain

    def within(self, values):
        """Return values put into ball, range and constraints, in the container of X."""
        out = self.domain.put_back(values, self.values)
        dtype = getattr(to_array(self.X), "dtype", np.dtype(float))
        return like(out.astype(dtype if dtype.kind == "f" else float), self.X)


def check_examples(case):
    """Yield doubts about where the examples lie; note which rows stay correct."""
    case.stays, found = case.under_attack(case.attack)
    found = np.asarray(to_array(found), dtype=np.float64)
    low, high = _bounds(case)
    slack = 1e-6 * (high - low)
    outside = ~np.isfinite(found) | (found < low - slack) | (found > high + slack)
    share = float(outside.reshape(len(found), -1).any(axis=1).mean())
    if share > 0:
        variant = "" if case.data_range is not None else "of X"
        low, high = float(np.min(low)), float(np.max(high))
        yield doubt("OUT_OF_RANGE", {"share": share, "low": low, "high": high}, variant)
    if case.eps is None:
        return
    step = case.domain.units.relative(np.nan_to_num(found - case.values))
    reach = float(length(step, case.norm).max())
    if reach > case.eps * (1 + 1e-5):
        numbers = {"largest_norm": reach, "eps": float(case.eps)}
        yield doubt("OUT_OF_BALL", numbers)


def _bounds(case):
    """Return the declared bounds, those of images in [0, 1] or [0, 255], or none."""
    if case.data_range is not None:
        return tuple(np.asarray(bound, dtype=np.float64) for bound in case.data_range)
    low, high = case.seen
    if low == 0 and high in (1.0, 255.0):
        return np.float64(0), np.float64(high)
    return np.float64(-1e300), np.float64(1e300)


def check_radii(case):
    """Yield doubts about accuracy at growing radii."""
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
    if rise > max(0.02, 1.5 / len(case.y)):
        numbers = {"radii": radii, "accuracy": accuracy[:-1]}
        yield doubt("NOT_FALLING", numbers, rise=rise)
    classes = getattr(case.estimator, "classes_", None)
    chance = 1 / max(2, len(np.unique(case.y) if classes is None else classes))
    # A row more may belong to the class that a model answers far away from all rows;
    # the target of a targeted attack may be the true label.
    if accuracy[-1] > chance + 1.5 / len(case.y) and not case.targeted:
        numbers = {"eps": whole, "accuracy": accuracy[-1], "chance": chance}
        yield doubt("UNBOUNDED", numbers)


def check_one_step(case):
    """Yield a doubt where the simplest attack finds more."""
    if type(case.attack) is FGSM or case.targeted:
        return
    try:
        with differentiable_view(case.estimator, _CALLER):
            simple = FGSM(case.eps, norm=case.norm, data_range=case.data_range)
            simple.set_params(constraints=case.constraints, finish=None)
            fast, _ = case.under_attack(simple)
    except (ValueError, TypeError):  # no gradients here
        return
    yield from _beaten(case, fast, "ONE_STEP_BEATS_ATTACK")


def check_transfer(case, X, seed):
    """Yield a doubt where examples made for another model find more."""
    if case.targeted:
        return
    stays = stays_under_transfer(case, X, seed)
    if stays is not None:
        yield from _beaten(case, stays, "TRANSFER_BEATS_ATTACK")


def check_random_search(case, n_queries, rng):
    """Yield a doubt where a random search finds more."""
    if case.targeted:
        return
    stays = quietly(_random_search, case, n_queries, rng)
    yield from _beaten(case, stays, "BLACK_BOX_BEATS_ATTACK")


def _beaten(case, other, code):
    case.keep(other)
    missed = case.stays & ~other
    share = float(missed.mean())
    if missed.sum() >= max(2, 0.02 * len(case.y)):
        yield doubt(code, {"share": share, "n": int(missed.sum())})


def _random_search(case, n_queries, rng):
    """Return which rows stay correct under a search over the corners of the ball."""
    shape = case.values.shape
    flat = (len(shape) - 1) * (1,)
    rows = np.arange(len(case.y))
    own = responses(case.estimator, case.X).argmax(axis=1)
    direction = rng.choice([-1.0, 1.0], size=shape)
    lowest, stays = np.full(len(rows), np.inf), case.correct.copy()
    for query in range(n_queries):
        share = 0.5 if query == 0 else max(0.02, 0.5 / (1 + query / 5))
        flips = np.where(rng.random(shape) < share, -1.0, 1.0)
        proposal = direction * flips
        size = length(proposal, case.norm).reshape(-1, *flat)
        step = case.domain.units.spread(case.eps * proposal / size)
        points = case.within(case.values + step)
        stays &= case.is_correct(points)
        evidence = responses(case.estimator, points)[rows, own]
        better = evidence <= lowest
        direction[better], lowest[better] = proposal[better], evidence[better]
        if not stays.any():
            break
    return stays
