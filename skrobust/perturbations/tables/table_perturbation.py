"""Base class of perturbations of tables with mixed columns."""

from abc import abstractmethod

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from skrobust._containers import (
    is_frame,
    like,
    named_once,
    refuse_ragged,
    shape_or_none,
    to_array,
)
from skrobust._keyed_noise.generator import seed_number
from skrobust._keyed_noise.row_hash import ContentKey
from skrobust._parameters import Flag
from skrobust.base import BasePerturbation
from skrobust.base.idle import warn_if_idle
from skrobust.base.row_kind import describe_rows
from skrobust.base.table_change import TableDescription
from skrobust.perturbations.tables.column_selection import column_label, select_columns
from skrobust.perturbations.tables.column_statistics import ColumnStatistics
from skrobust.perturbations.tables.frame_table import table_of


def check_container(estimator, X, *, reset):
    """Return a frame as it is, or a 2-D array of any dtype, checked by scikit-learn."""
    caller = type(estimator).__name__
    fitted = reset or hasattr(estimator, "n_features_in_")
    if is_frame(X):
        if 0 in X.shape:
            what = "sample(s)" if X.shape[0] == 0 else "feature(s)"
            raise ValueError(
                f"Found array with 0 {what} (shape={tuple(X.shape)}) while a minimum "
                f"of 1 is required by {caller}."
            )
        if fitted:
            validate_data(estimator, named_once(X), reset=reset, skip_check_array=True)
        return X
    if getattr(getattr(X, "dtype", None), "names", None):
        raise ValueError(
            f"{caller} takes an array of two dimensions or a data frame, and X is an "
            "array of records with named fields: pass pandas.DataFrame(X)."
        )
    refuse_ragged(X, caller)
    values = to_array(X, "X", caller)
    X = X if isinstance(X, (list, tuple)) else values
    # numpy would read numbers beside text as text.
    if isinstance(X, (list, tuple)) and values.dtype.kind in "US":
        X = np.asarray(X, dtype=object)
    how = {"dtype": None, "ensure_all_finite": False}
    if fitted:
        return validate_data(estimator, X, reset=reset, **how)
    return check_array(X, input_name="X", estimator=caller, **how)


class TablePerturbation(TableDescription, BasePerturbation):
    """Base class of perturbations of tables with columns of several kinds.

    Numpy arrays (of numbers or objects), pandas and polars frames come in and go out
    with their index, columns and dtypes; columns that are not selected keep every bit.
    A subclass stores its parameters and writes ``_perturb_table(values, stats, rng)``.
    ``values`` is a float64 block of shape (n_samples, n_selected), which it may change,
    with NaN for what is missing; ``stats`` holds the statistics of the training data
    that the class names in ``_needs`` (``"scale"``: ``mean``, ``sd``, ``low``,
    ``high``; ``"order"``: ``quantile``, ``iqr``, ``share_below``), one per selected
    column, never those of the rows at hand; ``rng`` draws numbers that belong to the
    rows (``rng.normal(size=values.shape)``), and ``rng.shared()`` is a numpy generator
    whose draws are the same for all rows.

    With ``_strengths``, the physical parameter that may stand in place of the severity
    and its values at severities 1 to 5, ``self._strength()`` is the strength in force.
    Integer columns become the float64 of their library unless ``keep_integer`` is true,
    which rounds; the user guide states the rule for all types.
    In ``transform`` a frame stays a frame unless ``set_output`` says otherwise, since
    an array would lose the types of its columns.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength, for a subclass with ``_strengths``; 0 changes nothing.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Strength, TablePerturbation
    >>> class Offset(TablePerturbation):
    ...     _needs = {"scale"}
    ...     _strengths = {"size": Strength((0.1, 0.2, 0.3, 0.4, 0.5))}
    ...     def __init__(self, severity=None, *, size=None, columns=None,
    ...                  random_state=None):
    ...         self.severity, self.size = severity, size
    ...         self.columns, self.random_state = columns, random_state
    ...     def _perturb_table(self, values, stats, rng):
    ...         sign = np.sign(rng.random((len(values), 1)) - 0.5)
    ...         return values + sign * self._strength() * stats.sd
    >>> X = np.array([[1.0, 10], [2, 20], [3, 30]])
    >>> offset = Offset(size=1.0, columns=[1], random_state=0).fit(X)
    >>> np.abs(offset.transform(X) - X).round(2)[0].tolist()
    [0.0, 8.16]
    """

    _takes = "table"
    _any_container = True
    _acts_on = "number"  # the kinds of columns: or "category", "all"
    _whole_table = False  # whether ``_perturb_table`` maps a table to a container
    _needs = frozenset()  # statistics of training data
    _keeps_integer = False
    _drifts = "values"  # what :func:`calibrate_severity` compares: or "missing"
    # Of classes without these parameters.
    keep_integer = plausible = False
    random_state = None
    _parameter_rules = {"keep_integer": Flag(), "plausible": Flag()}

    def __init__(self, severity=None, *, columns=None, random_state=None):
        self.severity = severity
        self.columns = columns
        self.random_state = random_state

    @abstractmethod
    def _perturb_table(self, values, stats, rng):
        """Return the new block of numbers."""

    def transform(self, X):
        """Return perturbed rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows to perturb; never changed.

        Returns
        -------
        X_new : ndarray or data frame of the shape of X
            A frame for a frame, with the dtypes of its columns, unless ``set_output``
            asks for another container.

        Warns
        -----
        UserWarning
            Where no row changed and none of these would at any severity.
        """
        check_is_fitted(self)
        values = self._check(X)
        return warn_if_idle(self, values, self._run(values, None))

    def _refusal(self, X):
        shape = shape_or_none(X)
        if shape is not None and len(shape) == 2:
            return None
        cure = "use perturbations of images, series or text"
        return f"it takes tables, and X is {describe_rows(X)}; {cure}"

    def _perturb(self, X, rng):
        raise AssertionError("a perturbation of tables never sees a bare array")

    def _perturb_container(self, X, key):
        if is_frame(X) or isinstance(X, (list, tuple)):
            return self._run(self._check(X), key)
        X_checked = self._check(to_array(X, "X", type(self).__name__))
        return like(self._run(X_checked, key), X)

    def _check(self, X, *, reset=False):
        return check_container(self, X, reset=reset)

    def _learn(self, values):
        table = table_of(values)
        self.columns_ = self._select(table)
        self.stats_ = self._statistics(table, self.columns_)
        self.stats_.columns = self.columns_

    def _select(self, table):
        caller = type(self).__name__
        return select_columns(self.columns, table, self._acts_on, caller)

    def _statistics(self, table, columns):
        """Return statistics of the training data; subclasses may learn others."""
        needs = self._needs | ({"plausible"} if self.plausible else set())
        block = self._numbers(table, columns) if needs else None
        return ColumnStatistics(block, needs)

    def _numbers(self, table, columns):
        """Return columns as a float block without infinities."""
        try:
            block = table.numbers(columns)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{type(self).__name__} needs numbers in the columns it acts on: "
                f"{error}"
            ) from error
        infinite = np.isinf(block)
        if infinite.any():
            row, i = np.argwhere(infinite)[0]
            raise ValueError(
                f"{type(self).__name__} needs finite X; column "
                f"{column_label(table, columns[i])} contains infinity, first in row "
                f"{row}."
            )
        return block

    def _run(self, values, key):
        caller = type(self).__name__
        self._check_parameters()
        seed = seed_number(self.random_state, caller)
        table = table_of(values)
        if self._is_identity():
            return table.copy()
        stats = self._known(table)
        draws = self._noise != "fixed"
        if key is None and draws:
            key = ContentKey.from_container(values, seed).derive(caller, 0)
        rng = key.generator() if draws else None
        if self._whole_table:
            return self._perturb_table(table, stats, rng)
        block = self._numbers(table, stats.columns)
        old = block.copy() if self.plausible else None  # the class may change its block
        new = np.asarray(self._perturb_table(block, stats, rng))
        if new.shape != (table.n_rows, len(stats.columns)):
            raise ValueError(
                f"{caller}._perturb_table must keep the shape "
                f"{(table.n_rows, len(stats.columns))}; it returned {new.shape}."
            )
        new = self._kept_plausible(new, old, stats)
        whole = self._keeps_integer or self.keep_integer
        return table.with_numbers(stats.columns, new, whole)

    def _kept_plausible(self, new, old, stats):
        """Return new values in the training range, whole where all of training is.

        A value that lies beyond the range already may stay where it is.
        """
        if not self.plausible:
            return new
        rounded = np.where(stats.whole, np.rint(new), new)
        low, high = np.minimum(stats.least, old), np.maximum(stats.most, old)
        return np.where(new == old, old, np.clip(rounded, low, high))

    def _known(self, table):
        """Return what was learned, or only the columns where nothing is needed."""
        if hasattr(self, "stats_"):
            return self.stats_
        if self._must_learn():
            raise NotFittedError(
                f"{type(self).__name__} learns from training data: call fit(X_train) "
                "first; it never uses statistics of the rows that it perturbs."
            )
        stats = ColumnStatistics(None, ())
        stats.columns = self._select(table)
        return stats

    def _must_learn(self):
        return bool(self._needs) or self.plausible or self._selects_by_cells()

    def _selects_by_cells(self):
        """Return whether the cells of the training rows say which columns are meant."""
        return isinstance(self.columns, str) and self.columns == "missing"

    def _is_identity(self):
        return self._strength() == next(iter(self._strengths.values())).at(0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags


class NumberPerturbation(TablePerturbation):
    """Base class of perturbations of numbers that may keep integers."""

    def __init__(
        self,
        severity=None,
        *,
        columns=None,
        keep_integer=False,
        plausible=False,
        random_state=None,
    ):
        super().__init__(severity, columns=columns, random_state=random_state)
        self.keep_integer = keep_integer
        self.plausible = plausible


class FixedPerturbation(NumberPerturbation):
    """Base class of perturbations of numbers that draw nothing."""

    _noise = "fixed"
