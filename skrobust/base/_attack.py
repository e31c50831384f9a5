"""What every attack promises."""

import warnings
from abc import ABC, abstractmethod
from collections import namedtuple

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._containers import is_frame, like, to_array
from skrobust._norms import NORMS
from skrobust._random import NoiseKey, seed_number
from skrobust._validation import (
    check_choice,
    check_number,
    check_rows,
    check_same_length,
    check_targets,
    invalid,
)
from skrobust.base._constraints import Constraints, Domain

OBJECTIVES = (None, "misclassification", "loss", "probability_shift")

# What one call of perturb asks for: the container X and its checked float values.
Task = namedtuple("Task", ["estimator", "X", "values", "y", "key", "domain"])


class BaseAttack(BaseEstimator, ABC):
    """Base class of attacks: ``perturb(estimator, X, y)``.

    A subclass stores ``eps``, ``norm``, ``data_range``, ``objective`` and
    ``random_state`` in ``__init__`` and writes ``_attack(estimator, X, y, rng)``. The
    base checks what comes in and never trusts what comes out: the result is put back
    into the ball of radius ``eps`` around the raw input, into ``data_range`` and onto
    what ``constraints`` (a parameter that a subclass may have) allow, and returned in
    the container that came in. ``eps=0`` returns the values bit for bit.

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
        domain = self._domain(values, X)
        if y is not None:
            y = check_targets(y, owner)
            check_same_length(owner, X=values, y=y)
        if self.eps == 0:
            return like(values.copy(), X)
        seed = seed_number(self.random_state, owner)
        key = NoiseKey.from_rows(values, seed).derive(owner, 0)
        task = Task(estimator, X, values, y, key, domain)
        found = self._run(task)
        adversarial, details = found if isinstance(found, tuple) else (found, {})
        adversarial = np.asarray(adversarial)
        for sentence in details.get("warnings", ()):
            warnings.warn(sentence, UserWarning, stacklevel=2)
        if adversarial.shape != values.shape:
            raise ValueError(
                f"{owner}._attack must keep the shape {values.shape}; it returned "
                f"{adversarial.shape}."
            )
        return like(domain.put_back(adversarial, values), X)

    def _run(self, task):
        """Return adversarial rows; for attacks that look at the domain or container.

        They come alone, or with a dictionary of what was counted.
        """
        return self._attack(task.estimator, task.values, task.y, task.key)

    @abstractmethod
    def _attack(self, estimator, X, y, key):
        """Return adversarial rows for checked float rows X and labels y (or None)."""

    def _domain(self, values, X):
        """Return the set that adversarial rows must lie in, and check that X does."""
        owner = type(self).__name__
        constraints = getattr(self, "constraints", None)
        if constraints is not None and not isinstance(constraints, Constraints):
            raise invalid("constraints", owner, "None or Constraints", constraints)
        self._check_range(values)
        return Domain(
            values,
            X.columns if is_frame(X) else None,
            constraints,
            eps=self.eps,
            norm=self.norm,
            data_range=self.data_range,
            owner=owner,
        )

    def _check_parameters(self):
        owner = type(self).__name__
        self._check_eps(owner)
        if not np.isscalar(self.norm) or self.norm not in NORMS:
            raise invalid("norm", owner, "numpy.inf or 2", self.norm)
        check_choice(self.objective, "objective", owner, OBJECTIVES)
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

    def _check_eps(self, owner):
        check_number(self.eps, "eps", owner, low=0)

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
