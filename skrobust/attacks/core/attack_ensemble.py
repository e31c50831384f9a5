"""Ensembles of attacks: each member on the rows that the others left."""

import numpy as np
from sklearn.base import clone

from skrobust._containers import to_array
from skrobust._keyed_noise.generator import seed_number
from skrobust._parallel import count, counting
from skrobust._responses import (
    predict_labels,
    predict_probabilities,
    predicts_numbers,
    undisturbed,
)
from skrobust.attacks.core.goal import BestSoFar, Goal
from skrobust.attacks.core.targets import target_labels, unknown_target
from skrobust.base import BaseAttack
from skrobust.base.attack import own_params

_COUNTS = ("forward", "backward", "queries", "iterations")


class AttackEnsemble(BaseAttack):
    """Base class of ensembles of attacks.

    A subclass writes ``_members(model)``, which returns names and attacks; those that
    :meth:`_set_up` returns have the ball and the seed of the ensemble. On labels a
    member gets the rows that are still correct. Otherwise each attacks all rows, and
    the example that moves the answer most is kept.
    """

    _asks_in_container = True  # members get rows in the container that came in

    def _attack(self, estimator, X, y, key):
        tally, members = Tally(len(X)), self._members(estimator.model)
        with undisturbed(estimator.model):
            if predicts_numbers(estimator.model) or not self._aims_at_labels():
                out = self._farthest(members, estimator, X, y, tally)
            else:
                out = self._first_to_fool(members, estimator, X, y, tally)
        details = {"found_by": tally.found_by, "warnings": tally.messages}
        return out, {**tally.counts, **details}

    def _first_to_fool(self, members, estimator, X, y, tally):
        goal = Goal("misclassification", self.target is not None)
        predicted = estimator.labels(X)
        label = target_labels(self.target, len(X), type(self).__name__)
        known = getattr(estimator.model, "classes_", None)
        if label is None:
            y = label = predicted if y is None else y
        elif known is not None:
            known = np.asarray(known).tolist()
            if any(one not in known for one in label.tolist()):
                raise unknown_target(self.target, type(self).__name__)
        left, out = ~goal.is_reached(predicted, label), X.copy()
        tally.found_by[~left] = "clean"
        for name, member in members:
            rows = np.flatnonzero(left & ~tally.decided)
            if not len(rows):
                break
            if goal.targeted:
                member = clone(member).set_params(target=label[rows])
            labels = None if y is None else y[rows]
            moved = self._run(member, estimator, X[rows], labels, tally, rows)
            count(len(X) / len(members))
            fooled = goal.is_reached(estimator.labels(moved), label[rows])
            # What never fools keeps the example of the last member.
            out[rows] = moved
            left[rows[fooled]] = False
            tally.found_by[rows[fooled]] = name
        return out

    def _farthest(self, members, estimator, X, y, tally):
        moved_by = self._measure(estimator, X, y)
        best = BestSoFar(X, np.zeros(len(X)))
        if predicts_numbers(estimator.model):
            best.score[:] = moved_by(X)
        for name, member in members:
            rows, moved = np.flatnonzero(~tally.decided), X.copy()
            if not len(rows):
                break
            labels = None if y is None else y[rows]
            found = self._run(member, estimator, X[rows], labels, tally, rows)
            count(len(X) / len(members))
            moved[rows] = found
            shift = moved_by(moved)
            better = shift > best.score
            best.update(moved, shift, better=better)
            tally.found_by[better] = name
        return best.iterate

    def _measure(self, estimator, X, y):
        """Return the function that says how far rows move the answer of the model."""
        model, caller = estimator.model, type(self).__name__
        if predicts_numbers(model):
            goal = Goal.of_regressor(self, y)
            of_error = goal.objective == "prediction_error"
            anchor = y if of_error else predict_labels(model, estimator.container(X))
            return lambda rows: np.abs(
                predict_labels(model, estimator.container(rows)) - anchor
            )

        def probabilities(rows):
            return predict_probabilities(model, estimator.container(rows), caller)

        clean, each = probabilities(X), np.arange(len(X))
        label = clean.argmax(axis=1)
        own = clean[each, label]
        return lambda rows: np.abs(probabilities(rows)[each, label] - own)

    def _run(self, member, estimator, X, y, tally, rows):
        """Run one member on some rows, count what it took, and stay in the ball."""
        given = estimator.container(X.copy())
        if not isinstance(member, BaseAttack):
            moved = member.perturb(estimator.model, given, y)
        else:
            member._tells_units = False  # the ensemble does
            with counting(None):  # and counts members, not their rows
                result = member.run(estimator.model, given, y)
            numbers = {name: getattr(result, name) for name in _COUNTS}
            tally.add(rows, **{k: v for k, v in numbers.items() if v is not None})
            tally.messages += result.warnings
            moved = result.X_adv
        return self._domain(X).put_back(np.asarray(to_array(moved)), X)

    def _set_up(self, found):
        """Return names and clones of attacks with what the ensemble sets."""
        common = {"eps": self.eps, "norm": self.norm}
        if self.data_range is not None:
            common["data_range"] = self.data_range
        if self.constraints is not None:
            common["constraints"] = self.constraints
        common |= self._common()
        caller = type(self).__name__
        optional = {
            "objective": self.objective,
            "random_state": seed_number(self.random_state, caller) % 2**32,
        }
        named = []
        for name, attack in found:
            params = own_params(attack)
            if self.target is not None and "target" not in params:
                raise ValueError(
                    f"{caller} has a target, which its member {name!r} cannot aim "
                    "at. Leave that member out, or use target=None."
                )
            if params:
                known = {k: v for k, v in common.items() if k in params}
                known |= {
                    k: v for k, v in optional.items() if params.get(k, "") is None
                }
                attack = clone(attack).set_params(**known)
            named.append((name, attack))
        return named

    def _common(self):
        """Return further parameters of the ensemble for the members that have them."""
        return {}


class Tally:
    """What the members took, which of them was first, and what they warn of."""

    def __init__(self, n):
        self.counts, self.messages = {}, []
        self.found_by = np.full(n, "", dtype="U40")
        self.decided = np.zeros(n, dtype=bool)  # no other member can do better

    def add(self, rows, **numbers):
        """Add the passes, queries or iterations of some rows."""
        for name, number in numbers.items():
            zeros = np.zeros(len(self.found_by), dtype=np.int64)
            self.counts.setdefault(name, zeros)[rows] += number
