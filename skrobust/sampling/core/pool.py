"""How a sampler takes in its pool: scores, or inputs with a model."""

import numbers

import numpy as np
from sklearn.utils.validation import validate_data

from skrobust._containers import is_frame, to_array
from skrobust._responses import (
    predict_labels,
    predict_probabilities,
    predicts_numbers,
)
from skrobust._validation import check_scores, invalid

OWN_STREAM = 0x5A3B1E


class PoolMixin:
    """The part of a sampler that reads what ``fit`` is given.

    It looks at ``estimator`` and ``auxiliary``, and never changes the inputs: what a
    model is to predict reaches it as it came.
    """

    # Whether draws depend on a suspicion of each input.
    _needs_scores = True

    def _takes_rows(self):
        return self.estimator is not None or not isinstance(self.auxiliary, str)

    def _check_pool(self, X):
        n_dim = len(X.shape) if hasattr(X, "shape") else np.ndim(X)
        if not self._takes_rows() and n_dim < 2:
            return to_array(X)
        if self.estimator is None and not is_frame(X):
            return validate_data(self, X, dtype="numeric", allow_nd=True)
        if n_dim == 2:
            validate_data(self, X, skip_check_array=True)
        return X

    def _suspicion(self, X, y_pred):
        caller = type(self).__name__
        if callable(self.auxiliary):
            scores = self.auxiliary(X)
        elif not isinstance(self.auxiliary, str):
            scores = self.auxiliary
        elif self.estimator is None:
            if np.ndim(X) > 1 and not self._needs_scores:
                return None
            if np.ndim(X) > 1:
                raise ValueError(
                    f"Without an estimator {caller}.fit takes 1-D scores (higher "
                    "= more "
                    f"likely mispredicted), or inputs and a callable auxiliary. Got "
                    f"shape {np.shape(X)}."
                )
            scores = X
        elif not self._needs_scores:
            return None
        else:
            cure = "pass scores as auxiliary; SimpleRandomSampler needs none"
            p = predict_probabilities(self.estimator, X, caller, cure)
            scores = np.clip(1 - p.max(axis=1).astype(np.float64), 0, 1)
        scores = check_scores(scores, caller)
        if scores.min() < 0:
            raise ValueError(
                f"{caller} needs scores of at least 0; got {scores.min():g}. Shift "
                "scores that may be negative, such as likelihood-based surprise."
            )
        return scores

    def _predictions(self, X, y_pred):
        if y_pred is not None:
            y_pred = np.array(y_pred)  # a copy: the caller may write to theirs
            if y_pred.ndim != 1:
                raise invalid("y_pred", type(self).__name__, "1-D labels", y_pred.shape)
            return y_pred
        if self.estimator is None or predicts_numbers(self.estimator):
            return None
        return predict_labels(self.estimator, X)


def n_rows(X):
    """Return the number of inputs of a pool of any kind."""
    if isinstance(X, dict):  # the inputs of a net, by name
        X = next(iter(X.values()), ())
    shape = getattr(X, "shape", None)
    if shape is None:
        return len(X) if hasattr(X, "__len__") else 1
    return shape[0] if len(shape) else 1


def own_generator(random_state, caller):
    """Return a generator of our own; one that is given is advanced once."""
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(2**32, size=4))
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    try:
        if isinstance(random_state, numbers.Integral) and random_state >= 0:
            # A stream of our own: a pool made by the generator of the same int is
            # common, and its noise must not be that of the draws.
            return np.random.default_rng([int(random_state), OWN_STREAM])
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        rule = "None, a non-negative int, a RandomState or a Generator"
        raise invalid("random_state", caller, rule, random_state) from None
