"""Base class of perturbations."""

import inspect
from abc import ABC, abstractmethod
from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from skrobust._array_checks import check_finite_rows
from skrobust._containers import is_frame, like, to_array
from skrobust._keyed_noise.generator import KeyedGenerator, NoiseKey, seed_number
from skrobust._keyed_noise.splitmix import row_keys
from skrobust._parameters import SharedParameters, rules_of
from skrobust._validation import check_number
from skrobust.base.checked_numbers import checked_numbers
from skrobust.base.idle import reason_by_trial, warn_if_idle

MAX_SEVERITY = 5.0


def _constructor(cls, names):
    """Return a constructor that adds physical parameters to those of the base."""

    def __init__(self, severity=None, **params):
        own = {name: params.pop(name, None) for name in names}
        super(cls, self).__init__(severity, **params)
        vars(self).update(own)

    itself, severity, rest = inspect.signature(__init__).parameters.values()
    added = [rest.replace(name=n, kind=rest.KEYWORD_ONLY, default=None) for n in names]
    __init__.__signature__ = inspect.Signature([itself, severity, *added, rest])
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


class BasePerturbation(
    SharedParameters, OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC
):
    """Base class of perturbations: ``fit``, ``transform`` and ``perturb``.

    A subclass stores its parameters in ``__init__`` and writes ``_perturb(X, rng)``,
    which gets a copy of the rows and a generator whose draws belong to the rows
    (``rng.normal(size=X.shape)``), and returns the new rows. The base sees to the
    rest:

    * the input is never changed; shape, dtype and container are kept;
    * the noise of a row depends on ``random_state`` and on the content of the row,
      not on its place, its batch, the number of jobs or the backend. Rows that are
      equal get independent noise (they are numbered within a call);
    * ``severity=0`` returns the values bit for bit.

    Selecting other columns (as recursive feature elimination does) changes the
    content of the rows and so draws other noise.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.base import BasePerturbation
    >>> class Jitter(BasePerturbation):
    ...     def __init__(self, scale=0.1, random_state=None):
    ...         self.scale, self.random_state = scale, random_state
    ...     def _learn(self, values):
    ...         self.scale_ = self.scale * values.std(axis=0)
    ...     def _perturb(self, X, rng):
    ...         return X + self.scale_ * rng.normal(size=X.shape)
    >>> X = np.random.default_rng(0).normal(size=(5, 3))
    >>> Jitter(random_state=0).fit_transform(X).shape
    (5, 3)
    """

    # Physical parameters that stand in place of ``severity``: a
    # :class:`~skrobust.perturbations.strength.Strength` by the name of each. A class
    # that adds no other parameters needs no constructor: these follow ``severity``.
    _strengths = {}
    # Pairs of physical parameters of which only one may be given.
    _either = ()
    # How rows draw: "normal" (every number gets continuous noise of its own), "row"
    # (equal rows differ), "common" (one draw for all rows) or "fixed" (none).
    _noise = "row"
    # Whether ``_perturb`` may change its rows, which then are a copy; else they are
    # read-only.
    _changes_rows = True
    # For tests: the rows it takes ("images", "table", "series", "text", or "numbers"
    # for any array), parameters of instances, physical parameters under which nearly
    # all rows change, and whether the change grows with the severity.
    _takes = "numbers"
    _test_params = ({},)
    _strong_params = {}
    _grows_with_severity = True
    # Whether ``_check`` and ``_run`` keep the container (mixed frames, lists of text).
    _any_container = False
    # Whether ``_perturb_container`` takes tensors on a device as they are.
    _takes_device = False

    def __init_subclass__(cls, **kwargs):
        known = inspect.signature(cls.__init__).parameters
        added = [name for name in cls._strengths if name not in known]
        if added and "severity" in known and "__init__" not in vars(cls):
            cls.__init__ = _constructor(cls, added)
        super().__init_subclass__(**kwargs)

    def fit(self, X, y=None):
        """Learn the scales that the perturbation needs, if any.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Training data.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted perturbation.
        """
        self._check_parameters()
        self._learn(self._check(X, reset=True))
        return self

    def transform(self, X):
        """Return perturbed rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows to perturb; never changed.

        Returns
        -------
        X_new : ndarray or data frame of the shape of X
            As ``set_output`` says.

        Warns
        -----
        UserWarning
            Where no row changed and none of these would at any severity.
        """
        check_is_fitted(self)
        values = self._check(X)
        return warn_if_idle(self, self._rows(values), self._run(values, None))

    def perturb(self, estimator, X, y=None):
        """Return perturbed rows in the container that came in.

        Parameters
        ----------
        estimator : object
            Ignored; an attack would use it.
        X : array-like, data frame or tensor of shape (n_samples, ...)
            Rows to perturb; never changed.
        y : object
            Ignored.

        Returns
        -------
        X_new : container like X
            Same shape, columns, index and dtype.
        """
        return self._perturb_container(X, None)

    def _refusal(self, X):
        """Return why rows of this kind can never be perturbed, or None."""
        return None

    def _idle_reason(self, X):
        """Return why rows like these, which did not change, never will, or None."""
        return reason_by_trial(self, X, MAX_SEVERITY)

    def _perturb_container(self, X, key):
        """Perturb the rows of a container; a sequence gives the key."""
        if type(X) is np.ndarray:
            return self._run(self._check(X), key)
        # A frame is checked as it is, so that columns in another order are refused.
        caller = type(self).__name__
        values = self._check(X if is_frame(X) else to_array(X, "X", caller))
        return like(self._run(values, key), X)

    def _check(self, X, *, reset=False):
        caller = type(self).__name__
        return check_finite_rows(checked_numbers(self, X, reset=reset), caller)

    def _rows(self, values):
        """Return checked values as a container of rows."""
        return values

    def _run(self, values, key):
        """Perturb checked values; ``key`` comes from a sequence, or is made here."""
        self._check_parameters()
        seed = seed_number(self.random_state, type(self).__name__)
        if self._is_identity():
            return values.copy()
        if key is None:
            key = NoiseKey.from_keys(lambda: row_keys(values), seed)
            key = key.derive(type(self).__name__, 0)
        if self._noise != "fixed":
            key.seeds  # noqa: B018 (hashed here rather than deep inside the first draw)
        if self._changes_rows:
            rows = values.copy()
        else:
            rows = values.view()
            rows.flags.writeable = False
        out = np.asarray(self._perturb(rows, KeyedGenerator(key)))
        if out.shape != values.shape:
            raise ValueError(
                f"{type(self).__name__}._perturb must keep the shape {values.shape}; "
                f"it returned {out.shape}."
            )
        if values.dtype.kind == "f":
            out = out.astype(values.dtype, copy=False)
        return out

    @abstractmethod
    def _perturb(self, X, rng):
        """Return perturbed rows of the shape of X (X is a copy and may be changed)."""

    def _learn(self, values):
        """Learn scales from checked training values."""

    def _is_identity(self):
        return getattr(self, "severity", None) == 0

    def _severity(self):
        """Return the severity in force, or None where physical parameters are."""
        severity = getattr(self, "severity", None)
        if severity is None and not any(
            getattr(self, name) is not None for name in self._strengths
        ):
            severity = 1.0 if hasattr(self, "severity") else None
        return severity

    def _strength(self, images=None):
        """Return the strength in force of the first physical parameter.

        It is the value given, or that of the severity (for the side of ``images``).
        """
        name, declared = next(iter(self._strengths.items()))
        size = None if images is None else images.shape[1:3]
        return declared.in_force(getattr(self, name), self.severity, size)

    def _all_strengths(self, images=None):
        """Return the strengths in force of all physical parameters, by name.

        One that is left out while another is given has its value at severity 1.
        """
        size = None if images is None else images.shape[1:3]
        return SimpleNamespace(
            **{
                name: declared.in_force(getattr(self, name), self.severity, size)
                for name, declared in self._strengths.items()
            }
        )

    def _check_parameters(self):
        """Check the parameters; what concerns several of them is for subclasses."""
        caller = type(self).__name__
        severity = getattr(self, "severity", None)
        if severity is not None:
            check_number(severity, "severity", caller, low=0, high=MAX_SEVERITY)
        for name, declared in self._strengths.items():
            value = getattr(self, name)
            if value is None:
                continue
            if severity is not None:
                raise ValueError(
                    f"{caller} takes either 'severity' or {name!r}, not both. Got "
                    f"severity={severity!r} and {name}={value!r}."
                )
            declared(value, name, caller)
        for pair in self._either:
            first, second = (getattr(self, name) for name in pair)
            if first is not None and second is not None:
                raise ValueError(
                    f"{caller} takes either {pair[0]!r} or {pair[1]!r}, not both. Got "
                    f"{pair[0]}={first!r} and {pair[1]}={second!r}."
                )
        for name, rule in rules_of(type(self)).items():
            rule(getattr(self, name), name, caller)

    @classmethod
    def _get_test_params(cls):
        """Return parameters of instances for tests, which must take any rows."""
        return [dict(params) for params in cls._test_params]

    def _must_learn(self):
        """Return whether ``fit`` must come first, as the training data is needed."""
        return False

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
