"""The promises of attacks."""

import pickle

import numpy as np
from sklearn.linear_model import LogisticRegression

from skrobust._norms import length
from skrobust._validation import check_same_length
from skrobust.testing.promises import check_parameters, ensure, same, seeded


def _default_problem():
    rng = np.random.default_rng(0)
    X = rng.random((60, 6))
    y = (X @ rng.normal(size=6) > 0).astype(int)
    return LogisticRegression(C=100).fit(X, y), X, y


def check_attack(attack, estimator=None, X=None, y=None):
    """Check that an attack keeps its promises.

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
    if estimator is None:
        estimator, X, y = _default_problem()
    check_same_length("check_attack", X=X, y=y)
    check_parameters(attack)
    a = seeded(attack)
    before, model = X.copy(), pickle.dumps(estimator)
    out = a.perturb(estimator, X, y)
    ensure(np.array_equal(X, before), a, "the input must not change")
    ensure(pickle.dumps(estimator) == model, a, "the model must be left as it was")
    ensure(out.shape == X.shape and out.dtype == X.dtype, a, "shape and dtype are kept")
    reach = length(np.asarray(out - X, dtype=np.float64), a.norm)
    ensure(reach.max() <= a.eps * (1 + 1e-5), a, "every row must stay within eps")
    if a.data_range is not None:
        low, high = a.data_range
        ensure(
            bool(np.all(out >= low) and np.all(out <= high)),
            a,
            "every value must stay within data_range",
        )
    clean = (np.asarray(estimator.predict(X)) == y).mean()
    attacked = (np.asarray(estimator.predict(out)) == y).mean()
    ensure(attacked <= clean, a, "accuracy must not rise under attack")
    ensure(same(out, a.perturb(estimator, X, y)), a, "one seed must give one result")
    order = np.random.default_rng(1).permutation(len(X))
    ensure(
        np.allclose(
            a.perturb(estimator, X[order], y[order]),
            out[order],
            atol=1e-4 * min(a.eps, 1),
        ),
        a,
        "what a row gets must not depend on the order of the rows",
    )
    none = seeded(attack).set_params(eps=0.0)
    ensure(same(none.perturb(estimator, X, y), X), a, "eps=0 must not change a bit")
    ensure(a.perturb(estimator, X).shape == X.shape, a, "y=None must work")
