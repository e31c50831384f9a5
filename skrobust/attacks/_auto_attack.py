"""AutoAttack: an ensemble of attacks."""

import numpy as np

from skrobust._differentiable import PRECISIONS
from skrobust._parameters import Choice, Flag
from skrobust._responses import refuse_regressor
from skrobust._validation import invalid
from skrobust.attacks._auto_pgd import AutoPGD
from skrobust.attacks._fab import FAB
from skrobust.attacks._square import Square
from skrobust.attacks.core.attack_ensemble import AttackEnsemble


class AutoAttack(AttackEnsemble):
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
        return super()._attack(estimator, X, y, key)

    def _members(self, model):
        if self.attacks is None:
            return self._set_up(_standard_members(self.target is not None))
        return self._set_up(list(zip(_names(self.attacks), self.attacks, strict=True)))

    def _common(self):
        common = {}
        if self.precision != "float32":
            common["precision"] = self.precision
        if self.compile:
            common["compile"] = True
        return common


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
