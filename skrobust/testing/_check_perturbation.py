"""Contract check of perturbations."""

import warnings

import numpy as np

from skrobust._containers import to_array
from skrobust._validation import check_flag, invalid
from skrobust.testing.promises import Promises, same, seeded


def check_perturbation(perturbation, X=None, *, draws=True):
    """Check that a perturbation keeps the contract of perturbations.

    Parameters
    ----------
    perturbation : object with ``fit``, ``transform`` and ``perturb``
        Of your own, or one of skrobust.
    X : ndarray of shape (n_samples, ...), default=None
        Rows to try it on, all different; None takes random rows of the kind that the
        class takes: images in [0, 1] (flat ones with ``image_shape``), a table, series
        or texts. A class that names no kind gets 12 images of 8 x 8 pixels.
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
    methods = ("get_params", "fit", "transform", "perturb")
    promise = Promises("perturbation", perturbation, *methods)
    promise.check_copies()
    check_flag(draws, "draws", "check_perturbation")
    X = _rows_for(perturbation) if X is None else to_array(X, "X", "check_perturbation")
    if not X.ndim or not len(X):
        raise invalid("X", "check_perturbation", "an array of rows", X)
    before = X.copy()
    p = seeded(perturbation)
    promise(p.fit(X) is p, "fit must return self")
    out = p.perturb(None, X, None)
    promise(np.array_equal(X, before), "the input must not change")
    promise(out.shape == X.shape, "the shape must be kept")
    promise(out.dtype == X.dtype, "the dtype must be kept")
    promise(not np.shares_memory(out, X), "the result must be a copy")
    promise(same(out, p.perturb(None, X, None)), "one seed must give one result")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* does not apply to these rows")
        promise(same(out, p.transform(X)), "perturb and transform must agree")
    read_only = X.copy()
    read_only.flags.writeable = False
    promise(same(out, p.perturb(None, read_only)), "read-only input must work")
    order = np.random.default_rng(1).permutation(len(X))
    keeps = same(p.perturb(None, X[order]), out[order])
    promise(keeps, "the noise of a row must not depend on the order of the rows")
    parts = np.concatenate([p.perturb(None, X[:5]), p.perturb(None, X[5:])])
    promise(same(parts, out), "the noise of a row must not depend on the batch")
    again = seeded(perturbation).fit(X)
    promise(same(again.perturb(None, X), out), "a clone must give the same result")
    if draws:
        equal = np.repeat(X[:1], 40, axis=0)
        noisy = p.perturb(None, equal).reshape(40, -1)
        n_different = len({repr(row) for row in noisy.tolist()})
        promise(n_different > 1, "equal rows must get independent noise")
        other = seeded(perturbation, 1).fit(X).perturb(None, X)
        promise(not same(other, out), "another seed must give other noise")
    physical = dict.fromkeys(getattr(p, "_strengths", ()))
    if "severity" in p.get_params(deep=False):
        still = seeded(perturbation).set_params(severity=0, **physical).fit(X)
        is_same = same(still.perturb(None, X), X)
        promise(is_same, "severity 0 must not change a single bit")


def _rows_for(perturbation):
    """Return random rows of the kind that a perturbation takes, all different."""
    rng = np.random.default_rng(0)
    kind = getattr(perturbation, "_takes", "numbers")
    if kind == "table":
        return rng.normal(size=(40, 5))
    if kind == "series":
        return rng.normal(size=(12, 40)).cumsum(axis=1)
    if kind == "text":
        text = "Café {0}: the dog, number {1}, met {0} élèves; it was fine."
        return np.array([text.format(n, 37 * n) for n in range(12)], dtype=object)
    shape = getattr(perturbation, "image_shape", None)
    if kind == "images" and shape is not None:
        # A side of -1 is what the others leave of a row.
        return rng.random((12, abs(int(np.prod(shape))) * (64 if -1 in shape else 1)))
    return rng.random((12, 8, 8))
