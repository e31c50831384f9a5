"""What every attack promises."""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._containers import like, to_array
from skrobust._norms import NORMS, length, project
from skrobust._random import NoiseKey, seed_number
from skrobust._validation import (
    check_choice,
    check_number,
    check_rows,
    check_same_length,
    check_targets,
    invalid,
)

OBJECTIVES = (
    None,
    "misclassification",
    "loss",
    "probability_shift",
    "prediction_shift",
    "prediction_error",
)


class BaseAttack(BaseEstimator, ABC):
    """Base class of attacks: ``perturb(estimator, X, y)``.

    A subclass stores ``eps``, ``norm``, ``data_range``, ``objective`` and
    ``random_state`` in ``__init__`` and writes ``_attack(estimator, X, y, rng)``. The
    base checks what comes in and never trusts what comes out: the result is put back
    into the ball of radius ``eps`` around the raw input and into ``data_range``, and
    returned in the container that came in. ``eps=0`` returns the values bit for bit.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.base import BaseAttack
    >>> class Corner(BaseAttack):
    ...     def __init__(self, eps=0.1, norm=np.inf, data_range=None, objective=None,
    ...                  random_state=None):
    ...         self.eps, self.norm, self.data_range = eps, norm, data_range
    ...         self.objective, self.random_state = objective, random_state
    ...     def _attack(self, estimator, X, y, key):
    ...         draws = key.generator().uniform(-1, 1, size=X.shape)
    ...         return X + self.eps * np.sign(draws)
    >>> X = np.zeros((2, 3))
    >>> np.abs(Corner(random_state=0).perturb(None, X)).max()
    np.float64(0.1)
    """

    _norms = NORMS
    _objectives = OBJECTIVES

    def perturb(self, estimator, X, y=None):
        """Return adversarial rows.

        Parameters
        ----------
        estimator : fitted classifier
            The model under attack; it is used as it is and left as it was.
        X : array-like, data frame or tensor of shape (n_samples, ...)
            Raw input of the whole pipeline; never changed. Integers come back as
            floats, since an adversarial example need not be an integer.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        X_adv : container like X
            Within ``eps`` of X in ``norm``, and within ``data_range``.
        """
        owner = type(self).__name__
        self._check_parameters()
        values = check_rows(to_array(X), owner)
        if values.dtype.kind != "f":
            values = values.astype(np.float64)
        self._check_range(values)
        if y is not None:
            y = check_targets(y, owner)
            check_same_length(owner, X=values, y=y)
        if self.eps == 0:
            return like(values.copy(), X)
        seed = seed_number(self.random_state, owner)
        key = NoiseKey.from_rows(values, seed).derive(owner, 0)
        adversarial = self._attack(estimator, values, y, key)
        return like(self._enforce(np.asarray(adversarial), values), X)

    @abstractmethod
    def _attack(self, estimator, X, y, key):
        """Return adversarial rows for checked float rows X and labels y (or None)."""

    def _enforce(self, adversarial, values):
        """Put rows back into the ball and the box, whatever the attack returned."""
        if adversarial.shape != values.shape:
            raise ValueError(
                f"{type(self).__name__}._attack must keep the shape {values.shape}; "
                f"it returned {adversarial.shape}."
            )
        exact = values.astype(np.float64)
        delta = np.where(np.isfinite(adversarial), adversarial - exact, 0.0)
        out = exact + project(delta, self.eps, self.norm)
        if self.data_range is not None:
            out = np.clip(out, *self.data_range)
        return self._round_inwards(out, exact, values)

    def _round_inwards(self, out, exact, values):
        """Return rows in the dtype of ``values``; rounding must not leave the ball."""
        out = out.astype(values.dtype)
        for _ in range(4):
            reach = length(out.astype(np.float64) - exact, self.norm)
            beyond = np.flatnonzero(reach > self.eps)
            if not len(beyond):
                return out
            out[beyond] = np.nextafter(out[beyond], values[beyond])
        # Values so coarse that a step inwards is a large one.
        shrunk = values[beyond] + (out[beyond] - values[beyond]) / 2
        inside = (
            length(shrunk.astype(np.float64) - exact[beyond], self.norm) <= self.eps
        )
        keep = inside.reshape((-1,) + (1,) * (values.ndim - 1))
        out[beyond] = np.where(keep, shrunk, values[beyond])
        return out

    def _check_parameters(self):
        owner = type(self).__name__
        check_number(self.eps, "eps", owner, low=0)
        if not np.isscalar(self.norm) or self.norm not in self._norms:
            *first, last = ("numpy.inf" if n == np.inf else str(n) for n in self._norms)
            rule = f"{', '.join(first)} or {last}" if first else last
            raise invalid("norm", owner, rule, self.norm)
        check_choice(self.objective, "objective", owner, self._objectives)
        if self.data_range is None:
            return
        try:
            low, high = (np.asarray(b, dtype=np.float64) for b in self.data_range)
            fine = bool(np.all(low <= high) and np.any(low < high))
            fine = fine and np.isfinite(low).all()
            fine = fine and np.isfinite(high).all()
        except (TypeError, ValueError):
            fine = False
        if not fine:
            raise invalid(
                "data_range",
                owner,
                "None or a pair (low, high) with low < high",
                self.data_range,
            )

    def _check_range(self, values):
        if self.data_range is None:
            return
        low, high = (np.asarray(b, dtype=np.float64) for b in self.data_range)
        for bound in (low, high):
            if bound.ndim and bound.shape != values.shape[1:]:
                raise ValueError(
                    f"The 'data_range' parameter of {type(self).__name__} must hold "
                    f"scalars or one bound per feature of shape {values.shape[1:]}. "
                    f"Got bounds of shape {bound.shape}."
                )
        slack = 1e-6 * (high - low)
        if (values < low - slack).any() or (values > high + slack).any():
            raise ValueError(
                f"{type(self).__name__} found input outside data_range: values in "
                f"[{values.min():g}, {values.max():g}], data_range "
                f"[{low.min():g}, {high.max():g}]. Give data_range and eps in units of "
                "the raw input of the whole pipeline."
            )
