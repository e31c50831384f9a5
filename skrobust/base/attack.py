"""What every attack promises."""

import copy
import time
import warnings
from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._containers import is_frame, like, to_array
from skrobust._keyed_noise.generator import NoiseKey, seed_number
from skrobust._norms import NORMS
from skrobust._responses import predict_labels, predicts_numbers, undisturbed
from skrobust._validation import (
    check_choice,
    check_number,
    check_rows,
    check_same_length,
    check_targets,
    invalid,
)
from skrobust.base.attack_result import AttackResult
from skrobust.base.constraints import Constraints
from skrobust.base.domain import Domain

OBJECTIVES = (
    None,
    "misclassification",
    "loss",
    "probability_shift",
    "prediction_shift",
    "prediction_error",
)
_COUNTED = ("forward", "backward", "queries", "iterations", "found_by")


def _numbers(X, caller):
    """Return the values of X, or say which of them is no number."""
    parts = _columns(X) if is_frame(X) else [("X", to_array(X))]
    for name, values in parts:
        if values.dtype.kind not in "OSTUMm":
            continue
        for value in values.ravel().tolist():
            try:
                float("nan" if value is None else value)
            except (TypeError, ValueError):
                raise ValueError(
                    f"{caller} changes numbers, and {name} holds {value!r}. Encode X "
                    "first, and attack the model behind the encoder."
                ) from None
    values = to_array(X)
    if is_frame(X) and values.dtype.kind == "O":  # nullable columns of pandas, too
        return np.column_stack([column.astype(np.float64) for _, column in parts])
    return values


def _columns(X):
    if not hasattr(X, "iloc"):
        return [(f"column {name!r}", X[name].to_numpy()) for name in X.columns]
    places = enumerate(X.columns)  # by place: names may occur twice
    return [(f"column {name!r}", X.iloc[:, i].to_numpy()) for i, name in places]


def in_order_of(X, rows, name, caller):
    """Return rows with the columns of X in its order, where both are frames."""
    if not is_frame(X) or not is_frame(rows) or list(rows.columns) == list(X.columns):
        return rows
    absent = [column for column in X.columns if column not in rows.columns]
    if absent:
        raise ValueError(
            f"{caller} needs {name} with the columns of X; {absent[0]!r} is not there."
        )
    return rows[list(X.columns)]


def own_params(attack):
    """Return the parameters of an attack; none where it is no estimator."""
    return attack.get_params(deep=False) if hasattr(attack, "get_params") else {}


class BaseAttack(BaseEstimator, ABC):
    """Base class of attacks: ``perturb(estimator, X, y)``.

    A subclass stores ``eps``, ``norm``, ``data_range``, ``objective`` and
    ``random_state`` in ``__init__`` and writes ``_attack(estimator, X, y, key)``. The
    base checks what comes in and never trusts what comes out: the result is put back
    into the ball of radius ``eps`` around the raw input, into ``data_range`` and onto
    what ``constraints`` (a parameter that a subclass may have) allow, and returned in
    the container that came in. ``eps=0`` returns the values bit for bit.

    ``_attack`` returns the rows alone, or the rows and a dictionary of what it counted:
    arrays of one number per sample (``forward``, ``backward``, ``queries``,
    ``iterations``), ``found_by``, and sentences under ``warnings``. One that can start
    from given rows writes ``_attack_from(estimator, X, y, key, start)`` too.

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
    _moves_probabilities = True  # or labels alone

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
        adversarial, details, _ = self._by_position(X)._search(estimator, X, y)
        for sentence in details.get("warnings", ()):
            warnings.warn(sentence, UserWarning, stacklevel=2)
        return like(adversarial, X)

    def run(self, estimator, X, y=None, *, start=None):
        """Attack, and say of each sample whether it was fooled and what it took.

        Parameters
        ----------
        estimator : fitted classifier
            The model under attack, as in :meth:`perturb`.
        X : array-like, data frame or tensor of shape (n_samples, ...)
            Raw input of the whole pipeline.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.
        start : container like X, default=None
            Rows to start from in place of X; they are put into the ball around X first.
            For attacks that can (those that follow gradients step by step).

        Returns
        -------
        result : AttackResult
            Its ``X_adv`` is what :meth:`perturb` returns; its ``norm`` is in the units
            of ``eps``, those of ``constraints`` where they have a scale. Nothing is
            warned of: the sentences are in ``warnings``. Of a regressor every sample
            whose prediction moved counts as a success.
        """
        caller = type(self).__name__
        begun = time.perf_counter()
        attack = self._by_position(X)
        adversarial, details, values = attack._search(estimator, X, y, start)
        seconds = time.perf_counter() - begun
        X_adv = like(adversarial, X)
        with undisturbed(estimator):
            predicted = predict_labels(estimator, X_adv)
            if y is None or predicts_numbers(estimator):
                y = predict_labels(estimator, like(values, X))
        target = getattr(self, "target", None)
        if target is not None:
            success = predicted == np.broadcast_to(np.asarray(target), len(predicted))
        else:
            success = predicted != check_targets(y, caller)
        norm = attack._domain(values).distance(adversarial, values)
        if self._aims_at_labels():
            norm = np.where(success, norm, np.nan)
        counted = {name: details.get(name) for name in _COUNTED}
        sentences = list(details.get("warnings", ()))
        return AttackResult(
            X_adv, success, norm, seconds=seconds, warnings=sentences, **counted
        )

    def _aims_at_labels(self):
        return getattr(self, "objective", None) in (None, "misclassification")

    def _search(self, estimator, X, y, start=None):
        """Return adversarial values, what was counted, and the checked clean values."""
        caller = type(self).__name__
        values, y = self._check_input(X, y)
        self._domain(values)  # refuses clean rows that break the constraints
        if self.eps == 0:
            return values.copy(), {}, values
        seed = seed_number(self.random_state, caller)
        key = NoiseKey.from_rows(values, seed).derive(caller, 0)
        if start is None:
            found = self._attack(estimator, values, y, key)
        else:
            start = self._check_start(in_order_of(X, start, "start", caller), values)
            found = self._attack_from(estimator, values, y, key, start)
        adversarial, details = found if isinstance(found, tuple) else (found, {})
        return self._enforce(np.asarray(adversarial), values), details, values

    def _check_input(self, X, y):
        """Check the parameters and return float rows and labels (or None)."""
        caller = type(self).__name__
        self._check_parameters()
        values = check_rows(_numbers(X, caller), caller)
        if values.dtype.kind != "f":
            values = values.astype(np.float64)
        self._check_range(values)
        if y is not None:
            y = check_targets(y, caller)
            check_same_length(caller, X=values, y=y)
        return values, y

    def _check_start(self, start, values):
        caller = type(self).__name__
        if not hasattr(self, "_attack_from"):
            raise ValueError(f"{caller} cannot start from given rows. Leave out start.")
        start = check_rows(to_array(start), caller)
        if start.shape != values.shape:
            raise ValueError(
                f"{caller} needs start of the shape of X, {values.shape}. Got "
                f"{start.shape}."
            )
        return self._enforce(start.copy(), values)

    @abstractmethod
    def _attack(self, estimator, X, y, key):
        """Return adversarial rows for checked float rows X and labels y (or None).

        The rows alone, or the rows and a dictionary of what was counted.
        """

    def _enforce(self, adversarial, values):
        """Put rows back into the ball and the box, whatever the attack returned."""
        if adversarial.shape != values.shape:
            raise ValueError(
                f"{type(self).__name__}._attack must keep the shape {values.shape}; "
                f"it returned {adversarial.shape}."
            )
        return self._domain(values).put_back(adversarial, values)

    def _domain(self, values):
        """Return the set that the adversarial rows of these clean rows must lie in."""
        return Domain(
            values,
            getattr(self, "constraints", None),
            eps=self.eps,
            norm=self.norm,
            data_range=self.data_range,
            caller=type(self).__name__,
        )

    def _by_position(self, X):
        """Return this attack, its constraints by position instead of column name."""
        constraints = getattr(self, "constraints", None)
        if not isinstance(constraints, Constraints) or not is_frame(X):
            return self
        attack = copy.copy(self)
        attack.constraints = constraints.by_position(X.columns)
        return attack

    def _sentences_on_flat(self, n_flat):
        """Return what there is to say of zero gradients at the starting points."""
        if not n_flat:
            return []
        caller = type(self).__name__
        met = "1 zero gradient" if n_flat == 1 else f"{n_flat} zero gradients"
        return [
            f"{caller} met {met} at its starting points; there it cannot attack, "
            "so the "
            "result is an upper bound of the robustness (gradient masking)."
        ]

    def _check_parameters(self):
        caller = type(self).__name__
        self._check_eps(caller)
        constraints = getattr(self, "constraints", None)
        if constraints is not None and not isinstance(constraints, Constraints):
            raise invalid("constraints", caller, "None or Constraints", constraints)
        if not np.isscalar(self.norm) or self.norm not in self._norms:
            *first, last = ("numpy.inf" if n == np.inf else str(n) for n in self._norms)
            rule = f"{', '.join(first)} or {last}" if first else last
            raise invalid("norm", caller, rule, self.norm)
        check_choice(self.objective, "objective", caller, self._objectives)
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
                caller,
                "None or a pair (low, high) with low < high",
                self.data_range,
            )

    def _check_eps(self, caller):
        check_number(self.eps, "eps", caller, low=0)

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
        # The extremes of each feature, or where one bound holds for all, of all.
        least = values.min(axis=0 if low.ndim else None)
        most = values.max(axis=0 if high.ndim else None)
        if (least < low - slack).any() or (most > high + slack).any():
            raise ValueError(
                f"{type(self).__name__} found input outside data_range: values in "
                f"[{values.min():g}, {values.max():g}], data_range "
                f"[{low.min():g}, {high.max():g}]. Give data_range and eps in units of "
                "the raw input of the whole pipeline."
            )
