"""Probability shift: the attack behind the robust ratio."""

import numpy as np
from sklearn.base import clone

from skrobust._containers import to_array
from skrobust._validation import invalid
from skrobust.attacks._auto_pgd import AutoPGD
from skrobust.base.attack import own_params


class ProbabilityShift(AutoPGD):
    r"""Attack that moves the probability of the predicted class furthest.

    .. math:: \max_{\|x' - x\| \le \mathrm{eps}} |P(c \mid x') - P(c \mid x)|,
        \quad c = \arg\max_k P(k \mid x)

    Each restart runs down and up the log odds of c, of which the probability is a
    rising function, with the steps of :class:`AutoPGD`. No sample ever stops early. The
    examples of other attacks can be given as candidates: the result starts from the
    best of them and is never worse.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball; the definition of the robust ratio has 2.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    n_steps : int, default=100
        Steps in each direction.
    n_restarts : int, default=2
        Runs in each direction: from the best candidate, or a random point where there
        are none, then from random points.
    starts : None or list of attacks, default=None
        Objects with ``perturb(estimator, X, y)`` whose examples are candidates. One
        with ``objective=None`` is asked for the probability shift; every other is used
        as it is. Examples beyond the ball are drawn back into it.
    batch_size : int, default=256
        Samples attacked at a time.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Of the passes of the search on a net, see Notes of :class:`PGD`.
    compile : bool, default=False
        Whether torch compiles a replica of the net for the search.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged.
    finish : {"auto"}, int or None, default="auto"
        Whether :class:`Square` goes on from what was found; see :class:`PGD`.
    constraints : Constraints, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random starts.

    Notes
    -----
    For every sample the shift is at least that of each candidate in the same ball, so
    a robust ratio from this attack is never above theirs (up to the rounding of a net's
    probabilities). Without ``starts`` that is usual, not certain. Which class c the
    source means it does not say; the predicted one is our choice.

    References
    ----------
    .. [1] Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795), Eq. 2.
    .. [2] F. Croce and M. Hein, "Reliable evaluation of adversarial robustness with an
       ensemble of diverse parameter-free attacks", ICML 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import FGSM, ProbabilityShift
    >>> from skrobust.metrics import make_robust_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> fast = FGSM(eps=0.2, norm=2)
    >>> strong = ProbabilityShift(eps=0.2, norm=2, starts=[fast], random_state=0)
    >>> ratios = [
    ...     make_robust_scorer(a, metric="robust_ratio", tolerance=0.1)(model, X, y)
    ...     for a in (strong, fast)
    ... ]
    >>> bool(ratios[0] <= ratios[1])
    True
    """

    objective = "probability_shift"
    _left_out = ("loss", "n_target_classes", "objective", "target")

    def __init__(self, eps=0.1, *, n_restarts=2, starts=None, **shared):
        super().__init__(eps, n_restarts=n_restarts, **shared)
        self.starts = starts

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 3, "n_restarts": 1}]

    def _check_parameters(self):
        fine = self.starts is None or isinstance(self.starts, (list, tuple))
        if not fine or not all(hasattr(a, "perturb") for a in self.starts or ()):
            rule = "None or a list of objects with perturb(estimator, X, y)"
            raise invalid("starts", "ProbabilityShift", rule, self.starts)

    def _attack(self, estimator, X, y, key):
        candidates, domain = [], self._domain(X)
        for attack in self.starts or ():
            params = own_params(attack)
            if params.get("objective", "") is None:
                attack = clone(attack).set_params(objective=self.objective)
            given = estimator.container(X.copy())
            example = to_array(attack.perturb(estimator.model, given, y))
            candidates.append(domain.put_back(np.asarray(example), X))
        return super()._attack(estimator, X, y, key, candidates=candidates)

    def _attack_from(self, estimator, X, y, key, start):
        return super()._attack(estimator, X, y, key, start)
