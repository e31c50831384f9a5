"""Base class of attacks."""

import copy
import time
import warnings
from abc import ABC, abstractmethod
from contextlib import nullcontext

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from skrobust._array_checks import check_rows, check_same_length, check_targets
from skrobust._containers import is_frame, refuse_mask, refuse_unordered, shape_of
from skrobust._guarded_rows import copied
from skrobust._keyed_noise.generator import NoiseKey, seed_number
from skrobust._keyed_noise.splitmix import row_keys
from skrobust._norms import NORMS
from skrobust._parallel import StepBar, counting
from skrobust._parameters import (
    Choice,
    Instance,
    Norm,
    Radius,
    SharedParameters,
    check_parameters,
)
from skrobust._responses import (
    predict_labels,
    predicts_numbers,
    refuse_unwrapped,
    torch_kind,
    undisturbed,
)
from skrobust._validation import invalid
from skrobust.base.attack_input import check_data_range, number_rows, start_rows
from skrobust.base.attack_result import AttackResult
from skrobust.base.changed_rows import changed_rows
from skrobust.base.constraints import Constraints
from skrobust.base.domain import Domain
from skrobust.base.linear_relation import with_rows
from skrobust.base.model_in_container import ModelInContainer
from skrobust.base.rows_as_numbers import as_numbers, frame_of
from skrobust.base.spread import assumed_units, with_number

OBJECTIVES = (
    None,
    "misclassification",
    "loss",
    "probability_shift",
    "prediction_shift",
    "prediction_error",
)
_EPS = 0.1  # the default radius
_PASSES = ("forward", "backward", "queries")
_COUNTED = ("forward", "backward", "queries", "iterations", "found_by", "finish")


def own_params(attack):
    """Return the parameters of an attack; none where it is no estimator."""
    return attack.get_params(deep=False) if hasattr(attack, "get_params") else {}


class BaseAttack(SharedParameters, BaseEstimator, ABC):
    """Base class of attacks: ``perturb(estimator, X, y)``.

    A subclass writes ``_attack(estimator, X, y, key)``. The base checks what comes in
    and never trusts what comes out: the result is put back into the ball of radius
    ``eps`` around the raw input, into ``data_range`` and onto what ``constraints``
    allow, and returned in the container that came in. ``eps=0`` returns the values bit
    for bit.

    ``_attack`` returns the rows alone, or the rows and a dictionary of what it counted:
    arrays of one number per sample (``forward``, ``backward``, ``queries``,
    ``iterations``), ``found_by``, the sentence ``finish``, and messages under
    ``warnings``. One that can start from given rows writes ``_attack_from(estimator, X,
    y, key, start)`` too.

    A subclass without parameters of its own inherits ``__init__``. One that adds some
    takes the others as ``**shared`` and hands them on; ``get_params`` and ``clone``
    know them all. Rules for single parameters stand in ``_parameter_rules``.

    Parameters
    ----------
    eps : float or str, default=0.1
        Radius of the ball around each row, in units of the raw input. ``"0.1 std"`` is
        0.1 standard deviations of each feature over all rows of the call, whatever the
        batches; ``"0.1 iqr"`` and ``"0.1 range"`` count in widths of the middle half
        and of the whole. Every attack takes them. For the spread of other rows, give a
        number and ``constraints=Constraints(scale=X_train.std(axis=0))``.
    norm : {numpy.inf, 2, 1}, default=numpy.inf
        Norm in which ``eps`` is meant.
    data_range : (low, high) or None, default=None
        Bounds of the raw input, scalars or one per feature.
    objective : str or None, default=None
        What is to be achieved; None follows the metric that asks, and is
        ``"misclassification"`` otherwise.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.base import BaseAttack
    >>> class Corner(BaseAttack):
    ...     def __init__(self, eps=0.1, *, share=1.0, **shared):
    ...         super().__init__(eps, **shared)
    ...         self.share = share
    ...     def _attack(self, estimator, X, y, key):
    ...         draws = key.generator().uniform(-1, 1, size=X.shape)
    ...         return X + self.share * self.eps * np.sign(draws)
    >>> X = np.zeros((2, 3))
    >>> np.abs(Corner(random_state=0).perturb(None, X)).max()
    np.float64(0.1)
    >>> sorted(Corner().get_params())
    ['data_range', 'eps', 'norm', 'objective', 'random_state', 'share']
    """

    # Parameters that a subclass may have; without them these hold.
    constraints = None
    target = None
    _parameter_rules = {
        "eps": Radius(low=0),
        "norm": Norm(*NORMS),
        "objective": Choice(*OBJECTIVES),
        "constraints": Instance(Constraints, "None or Constraints", optional=True),
    }
    _moves_probabilities = True  # or labels alone
    _added_before = "objective"
    _asks_in_container = False  # whether ``_attack`` gets a ModelInContainer
    _tells_units = True  # whether a default radius says what it means on a table
    _draws = True  # whether ``_attack`` gets the keys of the rows, or None

    def __init__(
        self,
        eps=_EPS,
        *,
        norm=np.inf,
        data_range=None,
        objective=None,
        random_state=None,
    ):
        self.eps = eps
        self.norm = norm
        self.data_range = data_range
        self.objective = objective
        self.random_state = random_state

    @classmethod
    def _get_test_params(cls):
        """Return constructor parameters of small instances for checks."""
        return [{}]

    def perturb(self, estimator, X, y=None):
        """Return adversarial rows.

        Parameters
        ----------
        estimator : fitted classifier
            The model under attack; it is used as it is and left as it was.
        X : array-like, data frame or tensor of shape (n_samples, ...)
            Raw input of the whole pipeline; never changed. Integers come back as
            floats, since an adversarial example need not be an integer. Columns of a
            frame that hold text, categories or dates never change, unless
            ``constraints`` list the values that they may take.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        X_adv : container like X
            Within ``eps`` of X in ``norm``, and within ``data_range``.

        Notes
        -----
        With ``objective=None`` or ``"misclassification"`` a row leaves as soon as it is
        fooled, and one that is not fooled may come back unchanged. Such rows are for
        robust accuracy. A robust ratio computed from them is too high, as probabilities
        were not moved as far as the ball allows: use ``objective="probability_shift"``
        or :func:`skrobust.metrics.make_robust_scorer`, which asks for it.
        """
        # A radius in units of the spread is a number of a copy.
        attack = with_number(self, X) if isinstance(self.eps, str) else self
        if type(X) is np.ndarray:
            X_adv, details, _ = attack._search(estimator, X, y)
        else:
            coded, model, rows, back = as_numbers(attack, estimator, X)
            X_adv, details, _ = coded._search(model, rows, y)
            X_adv = back(X_adv)
        if attack is not self:
            self._learn_from(attack)
        for message in details.get("warnings", ()):
            warnings.warn(message, UserWarning, stacklevel=2)
        return X_adv

    def run(self, estimator, X, y=None, *, start=None, verbose=0):
        """Return adversarial rows with the success, distance and cost of each sample.

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
            For attacks that can (those that follow gradients step by step, Square).
        verbose : int, default=0
            From 1 on, a progress bar over the samples, with the time left.

        Returns
        -------
        result : AttackResult
            Its ``X_adv`` is what :meth:`perturb` returns; its ``norm`` is in the units
            of ``eps``, those of ``constraints`` where they have a scale. Nothing is
            warned of: the messages are in ``warnings``. Of a regressor every sample
            whose prediction moved counts as a success.
        """
        begun = time.perf_counter()
        self._refuse_no_rows(X)
        own = with_number(self, X)
        attack, model, rows, back = as_numbers(own, estimator, X)
        if issparse(start):
            start = start.toarray()
        elif start is not None and is_frame(X) and rows is not X:
            start = frame_of(model).encode(start, "start")
        n = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        with (
            StepBar(n, type(self).__name__, verbose) as bar,
            counting(bar) if verbose else nullcontext(),
        ):
            adversarial, details, domain = attack._search(model, rows, y, start)
        if own is not self:
            self._learn_from(own)
        seconds = time.perf_counter() - begun
        values, X_adv = domain.values, back(adversarial)
        with undisturbed(estimator):
            predicted = predict_labels(estimator, X_adv)
            if y is None or predicts_numbers(estimator):
                y = predict_labels(estimator, back(values))
        if self.target is not None:
            wanted = np.broadcast_to(np.asarray(self.target), len(predicted))
            success = predicted == wanted
        else:
            success = predicted != check_targets(y, type(self).__name__)
        norm = domain.distance(adversarial, values)
        if self._aims_at_labels():
            norm = np.where(success, norm, np.nan)
        of_numbers = predicts_numbers(estimator)
        aim = "prediction_shift" if of_numbers else "misclassification"
        made = {
            "objective": self.objective or aim,
            "changed": changed_rows(values, adversarial),
        }
        counted = {name: details.get(name) for name in _COUNTED}
        if any(counted[name] is not None for name in _PASSES):
            nothing = np.zeros(len(values), dtype=np.int64)
            for name in _PASSES:  # what an attack does not take is 0
                counted[name] = nothing if counted[name] is None else counted[name]
        messages = list(details.get("warnings", ()))
        return AttackResult(
            X_adv, success, norm, seconds=seconds, warnings=messages, **counted, **made
        )

    def _learn_from(self, copied):
        """Take what a copy of this attack has learned."""
        learned = {k: v for k, v in vars(copied).items() if k.endswith("_")}
        vars(self).update(learned)

    def _aims_at_labels(self):
        return self.objective in (None, "misclassification")

    def _search(self, estimator, X, y, start=None):
        """Return adversarial values, what was counted, and the domain they lie in."""
        attack = self if type(X) is np.ndarray else self._by_position(X)
        if not hasattr(estimator, "predict") or torch_kind(type(estimator)) == "module":
            refuse_unwrapped(estimator, type(self).__name__)
        values, y = attack._check_input(X, y)
        domain = attack._domain(values)  # refuses clean rows that break the constraints
        if self.eps == 0:
            return values.copy(), {}, domain
        caller = type(self).__name__
        seed = seed_number(self.random_state, caller)
        key = None
        if self._draws:
            key = NoiseKey.from_keys(lambda: row_keys(values), seed).derive(caller, 0)
        given = values
        if not type(self).__module__.startswith("skrobust."):
            given = copied(values)  # code of others may work in place
        if self._asks_in_container:
            estimator = ModelInContainer(estimator, X)
        if start is None:
            found = attack._attack(estimator, given, y, key)
        elif not hasattr(self, "_attack_from"):
            raise ValueError(f"{caller} cannot start from given rows. Leave out start.")
        else:
            start = domain.put_back(start_rows(start, X, values, caller), values)
            found = attack._attack_from(estimator, given, y, key, start)
        adversarial, details = found if isinstance(found, tuple) else (found, {})
        if values.ndim == 2 and self.eps == _EPS and self.data_range is None:
            details = self._tell_units(values, details)
        return domain.put_back(np.asarray(adversarial), values), details, domain

    def _tell_units(self, values, details):
        """Add what a default radius means on a table whose columns differ much."""
        scale = getattr(self.constraints, "scale", None)
        if not self._tells_units or scale is not None:
            return details
        message = assumed_units(values, self.eps)
        if message is None:
            return details
        return {**details, "warnings": [*details.get("warnings", ()), message]}

    def _refuse_no_rows(self, X):
        """Raise for what is no container of rows, in which nothing could be counted."""
        caller = type(self).__name__
        refuse_mask(X, "X")
        refuse_unordered(X, "X", caller)
        if len(shape_of(X, "X", caller)) == 0:
            raise invalid("X", caller, "an array of rows", X)

    def _check_input(self, X, y):
        """Check the parameters and return float rows and labels (or None)."""
        caller = type(self).__name__
        check_parameters(self)
        if isinstance(self.eps, str):
            cure = "Use Constraints(scale=X.std(axis=0)) for standard deviations."
            raise invalid("eps", caller, "a number in this method", self.eps, cure)
        self._check_parameters()
        if self.target is not None and self.objective == "probability_shift":
            raise ValueError(
                f"{caller} with a target cannot have objective='probability_shift', "
                "which drives the predicted class both ways. Use target=None, or "
                "objective='loss'."
            )
        values = X
        plain = type(X) is np.ndarray and X.dtype.kind == "f" and X.ndim > 1
        with np.errstate(over="ignore", invalid="ignore"):
            if not plain or not X.size or not np.isfinite(X.sum()):
                values = check_rows(number_rows(X, caller), caller)
        if values.dtype.kind != "f" or values.dtype.itemsize > 8:  # models have doubles
            values = values.astype(np.float64)
        if not values.dtype.isnative:  # of which the limits of types are asked
            values = values.astype(values.dtype.newbyteorder("="))
        if self.data_range is not None:
            check_data_range(self.data_range, values, caller)
        refuse_mask(y, "y")
        if y is None:
            return values, None
        if type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind not in "biu":
            y = check_targets(y, caller)
        if len(y) != len(values):
            check_same_length(caller, X=values, y=y)
        return values, y

    @abstractmethod
    def _attack(self, estimator, X, y, key):
        """Return adversarial rows for checked float rows X and labels y (or None).

        The rows alone, or the rows and a dictionary of what was counted.
        """

    def _domain(self, values):
        """Return the set that the adversarial rows of these clean rows must lie in."""
        return Domain(
            values,
            self.constraints,
            eps=self.eps,
            norm=self.norm,
            data_range=self.data_range,
            caller=type(self).__name__,
        )

    def _by_position(self, X):
        """Return this attack, its constraints by position instead of column name."""
        if not isinstance(self.constraints, Constraints) or not is_frame(X):
            return self
        attack = copy.copy(self)
        attack.constraints = constraints = self.constraints.by_position(X.columns)
        container = ModelInContainer(None, X).container
        constraints.relations = with_rows(constraints.relations, container)
        return attack

    def _check_parameters(self):
        """Check what depends on several parameters, or has parts of its own."""
