"""Helpers of the contract checks."""

import pickle

import numpy as np
from sklearn.base import clone

from skrobust._containers import to_array
from skrobust._validation import invalid


class Promises:
    """Promises of one object; a broken one raises an AssertionError.

    Parameters
    ----------
    kind : str
        The name of the parameter, which is that of the check without ``check_``.
    subject : object
        What is checked; the message names its class.
    *methods : str
        Methods without which there is nothing to check.
    """

    def __init__(self, kind, subject, *methods):
        self.caller = f"check_{kind}"
        self.check_instance(kind, subject, *methods)
        self.subject, self.name = subject, type(subject).__name__

    def __call__(self, is_kept, promise):
        """Raise unless a promise is kept."""
        if not is_kept:
            raise AssertionError(f"{self.name} breaks a promise: {promise}")

    def check_instance(self, parameter, thing, *methods):
        """Raise unless a parameter is an instance, not a class, with some methods."""
        has_all = all(callable(getattr(thing, method, None)) for method in methods)
        if isinstance(thing, type) or not has_all:
            rule = f"an instance with {', '.join(methods)}"
            cure = "instances_for_checks makes instances of a class." if has_all else ""
            raise invalid(parameter, self.caller, rule, thing, cure)

    def check_copies(self):
        """Check that clone keeps every parameter and that pickling works."""
        before = self.subject.get_params(deep=False)
        after = clone(self.subject).get_params(deep=False)
        for name, value in before.items():
            is_kept = name in after and repr(after[name]) == repr(value)
            self(is_kept, f"clone must keep the parameter {name!r}")
        pickle.loads(pickle.dumps(self.subject))


def linear_problem(n_samples, n_features):
    """Return random rows in [0, 1] and two classes that a hyperplane separates."""
    rng = np.random.default_rng(0)
    X = rng.random((n_samples, n_features))
    return X, (X @ rng.normal(size=n_features) > 0).astype(int)


def seeded(thing, seed=0):
    """Return a copy with an int seed where it takes one; what it learned is kept."""
    copy = pickle.loads(pickle.dumps(thing))
    if "random_state" in copy.get_params(deep=False):
        copy.set_params(random_state=seed)
    return copy


def same(a, b):
    """Say whether two containers hold equal values, bit for bit; NaN equals NaN."""
    a, b = to_array(a), to_array(b)
    return np.array_equal(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f")
