"""The promises of perturbations."""

import numpy as np

from skrobust.testing._shared import check_parameters, ensure, same, seeded


def check_perturbation(perturbation, X=None, *, draws=True):
    """Check that a perturbation keeps its promises.

    Parameters
    ----------
    perturbation : object with ``fit``, ``transform`` and ``perturb``
        Of your own, or one of skrobust.
    X : ndarray of shape (n_samples, ...), default=None
        Rows to try it on, all different; None takes 12 random images of 8 x 8 pixels
        in [0, 1], as arrays of shape (12, 8, 8).
    draws : bool, default=True
        Whether it draws random numbers, so that equal rows must come out different.

    Raises
    ------
    AssertionError
        With the promise that was broken.

    Examples
    --------
    >>> from skrobust.perturbations import GaussianNoise
    >>> from skrobust.testing import check_perturbation
    >>> check_perturbation(GaussianNoise(std=0.1))
    """
    if X is None:
        X = np.random.default_rng(0).random((12, 8, 8))
    check_parameters(perturbation)
    before = X.copy()
    p = seeded(perturbation)
    ensure(p.fit(X) is p, p, "fit must return self")
    out = p.perturb(None, X, None)
    ensure(np.array_equal(X, before), p, "the input must not change")
    ensure(out.shape == X.shape, p, "the shape must be kept")
    ensure(out.dtype == X.dtype, p, "the dtype must be kept")
    ensure(not np.shares_memory(out, X), p, "the result must be a copy")
    ensure(same(out, p.perturb(None, X, None)), p, "one seed must give one result")
    ensure(same(out, p.transform(X)), p, "perturb and transform must agree")
    read_only = X.copy()
    read_only.flags.writeable = False
    ensure(same(out, p.perturb(None, read_only)), p, "read-only input must work")
    order = np.random.default_rng(1).permutation(len(X))
    ensure(
        same(p.perturb(None, X[order]), out[order]),
        p,
        "the noise of a row must not depend on the order of the rows",
    )
    parts = [p.perturb(None, X[:5]), p.perturb(None, X[5:])]
    ensure(
        same(np.concatenate(parts), out),
        p,
        "the noise of a row must not depend on the batch",
    )
    again = seeded(perturbation).fit(X)
    ensure(same(again.perturb(None, X), out), p, "a clone must give the same result")
    if draws:
        equal = np.repeat(X[:1], 40, axis=0)
        noisy = p.perturb(None, equal).reshape(40, -1)
        ensure(
            len({repr(row) for row in noisy.tolist()}) > 1,
            p,
            "equal rows must get independent noise",
        )
        other = seeded(perturbation, 1).fit(X)
        ensure(
            not same(other.perturb(None, X), out),
            p,
            "another seed must give other noise",
        )
    physical = dict.fromkeys(getattr(p, "_strengths", ()))
    if "severity" in p.get_params(deep=False):
        still = seeded(perturbation).set_params(severity=0, **physical).fit(X)
        ensure(
            same(still.perturb(None, X), X),
            p,
            "severity 0 must not change a single bit",
        )
