"""What the checks share."""

import pickle

import numpy as np
from sklearn.base import clone

from skrobust._containers import to_array


def ensure(condition, subject, promise):
    """Raise unless a promise holds."""
    if not condition:
        raise AssertionError(f"{type(subject).__name__} breaks a promise: {promise}")


def seeded(thing, seed=0):
    """Return a clone with an int seed, where it has one; what it learned is kept."""
    copy = pickle.loads(pickle.dumps(thing))
    if "random_state" in copy.get_params(deep=False):
        copy.set_params(random_state=seed)
    return copy


def same(a, b):
    """Say whether two containers hold equal values, bit for bit; NaN equals NaN."""
    a, b = to_array(a), to_array(b)
    return np.array_equal(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f")


def check_parameters(thing):
    """Check that clone keeps every parameter and that pickling works."""
    before, after = thing.get_params(deep=False), clone(thing).get_params(deep=False)
    for name, value in before.items():
        ensure(
            name in after and repr(after[name]) == repr(value),
            thing,
            f"clone must keep the parameter {name!r}",
        )
    pickle.loads(pickle.dumps(thing))
