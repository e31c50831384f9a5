"""AutoAttack: an ensemble of attacks."""

import numpy as np
from sklearn.base import clone

from skrobust._containers import to_array
from skrobust._differentiable import PRECISIONS
from skrobust._keyed_noise.generator import seed_number
from skrobust._parameters import Choice, Flag
from skrobust._responses import predict_probabilities, refuse_regressor, undisturbed
from skrobust._validation import invalid
from skrobust.attacks._auto_pgd import AutoPGD
from skrobust.attacks._fab import FAB
from skrobust.attacks._square import Square
from skrobust.attacks.core.goal import BestSoFar, Goal
from skrobust.attacks.core.targets import target_labels, unknown_target
from skrobust.base import BaseAttack
from skrobust.base.attack import own_params

_COUNTS = ("forward", "backward", "queries", "iterations")


class AutoAttack(BaseAttack):
    """AutoAttack: an ensemble, each attack on the samples that are still correct.

    The standard order is AutoPGD on the soft margin (in the place of cross entropy,
    which saturates), AutoPGD on the targeted DLR loss over nine classes, FAB, and
    Square with 5,000 queries: two that maximise different losses, one that finds the
    nearest error, and one that needs no gradient. Whether a sample is fooled is asked
    of the estimator's own ``predict``.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    attacks : None or list of attacks, default=None
        The members, in order; None takes the standard ones. Members are cloned and get
        the ``eps`` and ``norm`` of the ensemble, its ``data_range`` where it has one,
        and its ``random_state`` and ``objective`` where they have none. Any object with
        ``perturb(estimator, X, y)`` may be a member, black-box attacks too.
    version : {"standard"}, default="standard"
        Which members ``attacks=None`` stands for.
    objective : {None, "misclassification", "loss", "probability_shift"}, default=None
        With ``"loss"`` and ``"probability_shift"`` no sample leaves: every member
        attacks all of them, and the example that moves the probability of the
        predicted class most is kept.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict; members
        need a ``target`` of their own. The standard ones are then AutoPGD on the soft
        margin, AutoPGD on the DLR loss towards the target, and Square. Only for
        misclassification.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Of the passes of members that take it; see Notes of :class:`PGD`.
    compile : bool, default=False
        Whether torch compiles a replica of the net for members that take it.
    constraints : Constraints, default=None
        What features may do; members that take ``constraints`` get them, and the
        results of all are put back into them.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the members.

    Notes
    -----
    The results of :meth:`run` say in ``found_by`` which member fooled each sample:
    "clean" where it was wrong from the start, "" where none did.

    References
    ----------
    .. [1] F. Croce and M. Hein, "Reliable evaluation of adversarial robustness with an
       ensemble of diverse parameter-free attacks", ICML 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import FGSM, PGD, AutoAttack
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> ensemble = AutoAttack(0.3, attacks=[FGSM(), PGD()], random_state=0)
    >>> result = ensemble.run(model, X, y)
    >>> sorted(str(name) for name in set(result.found_by))
    ['', 'clean', 'fgsm']
    """

    _asks_in_container = True  # members get rows in the container that came in
    _parameter_rules = {
        "version": Choice("standard"),
        "precision": Choice(*PRECISIONS),
        "compile": Flag(),
    }

    def __init__(
        self,
        eps=0.1,
        *,
        norm=np.inf,
        data_range=None,
        attacks=None,
        version="standard",
        objective=None,
        target=None,
        precision="float32",
        compile=False,
        constraints=None,
        random_state=None,
    ):
        self.eps = eps
        self.norm = norm
        self.data_range = data_range
        self.attacks = attacks
        self.version = version
        self.objective = objective
        self.target = target
        self.precision = precision
        self.compile = compile
        self.constraints = constraints
        self.random_state = random_state

    @classmethod
    def _get_test_params(cls):
        return [{"attacks": [AutoPGD(n_steps=3), Square(n_steps=5)]}]

    def _check_parameters(self):
        if self.target is not None and not self._aims_at_labels():
            rule = "None or 'misclassification' with a target"
            raise invalid("objective", "AutoAttack", rule, self.objective)
        fine = self.attacks is None or isinstance(self.attacks, (list, tuple))
        fine = fine and (self.attacks is None or len(self.attacks) > 0)
        if not fine or not all(hasattr(a, "perturb") for a in self.attacks or ()):
            rule = "None or a list of objects with perturb(estimator, X, y)"
            raise invalid("attacks", "AutoAttack", rule, self.attacks)

    def _attack(self, estimator, X, y, key):
        # Each row would count as wrong from the start.
        refuse_regressor(estimator.model, "AutoAttack", "Use AutoPGD or PGD.")
        members, tally = self._members(), _Tally(len(X))
        with undisturbed(estimator.model):
            if self._aims_at_labels():
                out = self._first_to_fool(members, estimator, X, y, tally)
            else:
                out = self._farthest(members, estimator, X, y, tally)
        details = {"found_by": tally.found_by, "warnings": tally.messages}
        return out, {**tally.counts, **details}

    def _first_to_fool(self, members, estimator, X, y, tally):
        goal = Goal("misclassification", self.target is not None)
        predicted = estimator.labels(X)
        label = target_labels(self.target, len(X), "AutoAttack")
        known = getattr(estimator.model, "classes_", None)
        if label is None:
            y = label = predicted if y is None else y
        elif known is not None:
            known = np.asarray(known).tolist()
            if any(one not in known for one in label.tolist()):
                raise unknown_target(self.target, "AutoAttack")
        left, out = ~goal.is_reached(predicted, label), X.copy()
        tally.found_by[~left] = "clean"
        for name, member in members:
            rows = np.flatnonzero(left)
            if not len(rows):
                break
            if goal.targeted:
                member = clone(member).set_params(target=label[rows])
            labels = None if y is None else y[rows]
            moved = self._run(member, estimator, X[rows], labels, tally, rows)
            fooled = goal.is_reached(estimator.labels(moved), label[rows])
            # What never fools keeps the example of the last member.
            out[rows] = moved
            left[rows[fooled]] = False
            tally.found_by[rows[fooled]] = name
        return out

    def _farthest(self, members, estimator, X, y, tally):
        clean = self._probabilities(estimator, X)
        each, label = np.arange(len(X)), clean.argmax(axis=1)
        best = BestSoFar(X, np.zeros(len(X)))
        for name, member in members:
            moved = self._run(member, estimator, X, y, tally, each)
            p = self._probabilities(estimator, moved)
            shift = np.abs(p[each, label] - clean[each, label])
            better = shift > best.score
            best.update(moved, shift, better=better)
            tally.found_by[better] = name
        return best.iterate

    def _probabilities(self, estimator, X):
        rows = estimator.container(X)
        return predict_probabilities(estimator.model, rows, "AutoAttack")

    def _run(self, member, estimator, X, y, tally, rows):
        """Run one member on some rows, count what it took, and stay in the ball."""
        given = estimator.container(X.copy())
        if not isinstance(member, BaseAttack):
            moved = member.perturb(estimator.model, given, y)
        else:
            result = member.run(estimator.model, given, y)
            numbers = {name: getattr(result, name) for name in _COUNTS}
            tally.add(rows, **{k: v for k, v in numbers.items() if v is not None})
            tally.messages += result.warnings
            moved = result.X_adv
        return self._domain(X).put_back(np.asarray(to_array(moved)), X)

    def _members(self):
        """Return names and attacks."""
        common = {"eps": self.eps, "norm": self.norm}
        if self.data_range is not None:
            common["data_range"] = self.data_range
        if self.constraints is not None:
            common["constraints"] = self.constraints
        if self.precision != "float32":
            common["precision"] = self.precision
        if self.compile:
            common["compile"] = True
        optional = {
            "objective": self.objective,
            "random_state": seed_number(self.random_state, "AutoAttack") % 2**32,
        }
        named = []
        if self.attacks is None:
            found = _standard_members(self.target is not None)
        else:
            found = list(zip(_names(self.attacks), self.attacks, strict=True))
        for name, attack in found:
            params = own_params(attack)
            if self.target is not None and "target" not in params:
                raise ValueError(
                    f"AutoAttack has a target, which its member {name!r} cannot aim "
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


class _Tally:
    """What the members took, which of them was first, and what they warn of."""

    def __init__(self, n):
        self.counts, self.messages = {}, []
        self.found_by = np.full(n, "", dtype="U40")

    def add(self, rows, **numbers):
        """Add the passes, queries or iterations of some rows."""
        for name, number in numbers.items():
            zeros = np.zeros(len(self.found_by), dtype=np.int64)
            self.counts.setdefault(name, zeros)[rows] += number


def _names(attacks):
    """Return the class of each attack in small letters, numbered where it repeats."""
    kinds = [type(attack).__name__.lower() for attack in attacks]
    repeats = [kinds[: i + 1].count(kind) for i, kind in enumerate(kinds)]
    return [k if n == 1 else f"{k}-{n}" for k, n in zip(kinds, repeats, strict=True)]


def _standard_members(targeted):
    # Square stands at the end, so that no member needs a finish of its own.
    members = [("apgd-ce", AutoPGD(finish=None))]
    if targeted:
        members += [("apgd-dlr", AutoPGD(loss="dlr", finish=None))]
    else:
        members += [("apgd-t", AutoPGD(loss="targeted_dlr", finish=None))]
        members += [("fab-t", FAB())]
    return [*members, ("square", Square(max_queries=5000))]
