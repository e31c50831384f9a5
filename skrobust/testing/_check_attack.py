"""Contract check of attacks."""

import pickle

import numpy as np
from sklearn.linear_model import LogisticRegression

from skrobust._array_checks import check_same_length
from skrobust._norms import length
from skrobust.testing.promises import Promises, linear_problem, same, seeded


def check_attack(attack, estimator=None, X=None, y=None):
    """Check that an attack keeps the contract of attacks.

    Parameters
    ----------
    attack : object with ``perturb(estimator, X, y)`` and the parameters of an attack
        ``eps``, ``norm``, ``data_range``, ``random_state``.
    estimator : fitted classifier, default=None
        Model to attack; None takes a logistic regression on six features in [0, 1].
    X, y : arrays, default=None
        Rows and labels, given together with ``estimator``. Rows must differ.

    Raises
    ------
    AssertionError
        With the promise that was broken.

    Examples
    --------
    >>> from skrobust.attacks import FGSM
    >>> from skrobust.testing import check_attack
    >>> check_attack(FGSM(eps=0.1, data_range=(0, 1)))
    """
    promise = Promises("attack", attack, "get_params", "perturb")
    if estimator is None:
        X, y = linear_problem(60, 6)
        estimator = LogisticRegression(C=100).fit(X, y)
    promise.check_instance("estimator", estimator, "predict")
    check_same_length("check_attack", X=X, y=y)
    a = seeded(attack)
    promise.check_copies()
    before, model = X.copy(), pickle.dumps(estimator)
    out = a.perturb(estimator, X, y)
    promise(np.array_equal(X, before), "the input must not change")
    promise(pickle.dumps(estimator) == model, "the model must be left as it was")
    promise(out.shape == X.shape and out.dtype == X.dtype, "shape and dtype are kept")
    reach = length(np.asarray(out - X, dtype=np.float64), a.norm)
    promise(reach.max() <= a.eps * (1 + 1e-5), "every row must stay within eps")
    if a.data_range is not None:
        low, high = a.data_range
        inside = bool(np.all(out >= low) and np.all(out <= high))
        promise(inside, "every value must stay within data_range")
    clean = (np.asarray(estimator.predict(X)) == y).mean()
    attacked = (np.asarray(estimator.predict(out)) == y).mean()
    promise(attacked <= clean, "accuracy must not rise under attack")
    promise(same(out, a.perturb(estimator, X, y)), "one seed must give one result")
    order = np.random.default_rng(1).permutation(len(X))
    mixed = a.perturb(estimator, X[order], y[order])
    is_same = np.allclose(mixed, out[order], atol=1e-4 * min(a.eps, 1))
    promise(is_same, "what a row gets must not depend on the order of the rows")
    none = seeded(attack).set_params(eps=0.0)
    promise(same(none.perturb(estimator, X, y), X), "eps=0 must not change a bit")
    promise(a.perturb(estimator, X).shape == X.shape, "y=None must work")
