"""Drift of the mean and of the scale of features."""

import datetime
import numbers

import numpy as np

from skrobust._containers import is_missing
from skrobust._parameters import Choice, Instance
from skrobust._validation import invalid
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.array_table import as_numbers, is_period
from skrobust.perturbations.tables.column_selection import select_columns
from skrobust.perturbations.tables.table_perturbation import FixedPerturbation

# What names a column of a frame.
_LABELS = (str, numbers.Integral, tuple, datetime.date, datetime.time)


class MeanDrift(FixedPerturbation):
    r"""Drift of features by a multiple of their standard deviation.

    .. math:: x'_{ij} = x_{ij} + s\,\sigma_j\,t_i

    with the standard deviation of the training data. A constant drift has t = 1. A ramp
    grows from 0 to 1 and a step jumps from 0 to 1 half way, along the column that
    ``along`` names (a time, an age, a counter): its range in training is stretched to
    [0, 1], and rows beyond have 0 or 1. So a row's drift depends on the row alone. Such
    a column is not itself perturbed.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        s of .1, .25, .5, 1, 2 at severities 1 to 5, linear between; 0 changes nothing.
    size : float, default=None
        s itself, of either sign, in place of severity. With neither, severity 1 holds.
    shape : {"constant", "ramp", "step"}, default="constant"
        Course of the drift.
    along : str or int, default=None
        Name or position of the column along which a ramp or a step runs.
        ``"position"``, where no column has that name, is the place of the row in the
        call, from first to last: only then the result depends on batch and order, which
        the tag ``non_deterministic`` says.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns are rounded and stay integers.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : object, default=None
        Not used: nothing is random.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.
    stats_ : object
        Statistics of the training data, one per selected column.

    Raises
    ------
    NotFittedError
        Without ``fit``: scales are those of training data alone.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import MeanDrift
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 3.0]])
    >>> drift = MeanDrift(size=3.0, shape="ramp", along=0).fit(X)
    >>> (drift.transform(X) - X).round(2).tolist()
    [[0.0, 0.0], [0.0, 1.41], [0.0, 2.83]]
    """

    _strengths = {"size": Strength((0.1, 0.25, 0.5, 1, 2), low=None)}
    _parameter_rules = {
        "shape": Choice("constant", "ramp", "step"),
        "along": Instance(_LABELS, "'position', or the name of a column", True),
    }
    _whole_table = True
    _needs = frozenset({"scale"})
    _strong_params = {"size": 1.0}
    _test_params = ({}, {"severity": 3, "shape": "ramp", "along": 0})

    def __init__(
        self, severity=None, *, size=None, shape="constant", along=None, **shared
    ):
        super().__init__(severity, **shared)
        self.size = size
        self.shape = shape
        self.along = along

    def _check_parameters(self):
        super()._check_parameters()
        if self.shape != "constant" and self.along is None:
            rule = f"a column or 'position' for shape={self.shape!r}"
            raise invalid("along", "MeanDrift", rule, None)

    def _time_column(self, table):
        named = self.along in list(getattr(table.X, "columns", []))
        if self.shape == "constant" or (self.along == "position" and not named):
            return None
        (place,) = select_columns([self.along], table, "all", "MeanDrift")
        if table.kind(place) not in ("number", "time"):
            rule = "a column of numbers or times"
            raise invalid("along", "MeanDrift", rule, self.along)
        return place

    def _select(self, table):
        places = super()._select(table)
        return places[places != self._time_column(table)]

    def _statistics(self, table, columns):
        stats = super()._statistics(table, columns)
        stats.time = self._time_column(table)
        if stats.time is not None:
            moments = _moments(table, stats.time)
            stats.range = np.nanmin(moments), np.nanmax(moments)
        return stats

    def _time(self, table, stats):
        """Return the time of each row in [0, 1]; a missing time is 0."""
        if stats.time is None:
            return np.linspace(0, 1, table.n_rows)
        first, last = stats.range
        t = (_moments(table, stats.time) - first) / ((last - first) or 1.0)
        return np.clip(np.nan_to_num(t), 0, 1)

    def _perturb_table(self, values, stats, rng):
        block = self._numbers(values, stats.columns)
        shift = self._strength() * stats.sd
        if self.shape != "constant":
            t = self._time(values, stats)[:, None]
            shift = shift * (t if self.shape == "ramp" else t >= 0.5)
        whole = bool(self.keep_integer)
        new = self._kept_plausible(block + shift, block, stats)
        return values.with_numbers(stats.columns, new, whole)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        by_place = self.shape != "constant" and self.along == "position"
        tags.non_deterministic = by_place
        return tags


def _moments(table, j):
    values = table.values(j)
    if table.kind(j) == "number":
        return as_numbers(values)
    if values.dtype.kind == "O":
        return np.array([_moment(value) for value in values])
    if values.dtype.kind not in "mM":
        raise ValueError(
            "MeanDrift needs its column of times as numbers or dates, as in fit. Got "
            f"values of {values.dtype}; convert them before."
        )
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]")
    moments = values.astype(np.int64).astype(np.float64)
    return np.where(np.isnat(values), np.nan, moments)


def _moment(value):
    """Return a date, a time of day, a duration or a period as a number."""
    if is_missing(value):
        return np.nan
    if is_period(value):
        return float(value.ordinal)
    if isinstance(value, datetime.time):
        value = datetime.datetime.combine(datetime.date(1970, 1, 1), value)
    is_duration = isinstance(value, (datetime.timedelta, np.timedelta64))
    try:
        moment = np.array(value, dtype="m8[us]" if is_duration else "M8[us]")
    except (TypeError, ValueError):
        rule = "a table whose column 'along' holds times"
        raise invalid("X", "MeanDrift", rule, value) from None
    return float(moment.astype(np.int64))


class ScaleDrift(FixedPerturbation):
    r"""Scaling of features about their mean or about zero.

    .. math:: x'_{ij} = c_j + f\,(x_{ij} - c_j)

    where c is the mean of the training data, or 0 for a change of gain.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        f of 1.1, 1.25, 1.5, 2, 3 at severities 1 to 5, linear between; 0 changes
        nothing.
    factor : float, default=None
        f itself, of at least 0, in place of severity. With neither, severity 1 holds.
    about : {"mean", "zero"}, default="mean"
        The fixed point; with ``"zero"`` nothing is learned.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns are rounded and stay integers.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : object, default=None
        Not used: nothing is random.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.
    stats_ : object
        Statistics of the training data, one per selected column.

    Raises
    ------
    NotFittedError
        Without ``fit`` where the mean is needed.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import ScaleDrift
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> ScaleDrift(factor=2.0).fit_transform(X).ravel().tolist()
    [0.0, 2.0, 4.0]
    """

    _strengths = {"factor": Strength((1.1, 1.25, 1.5, 2, 3), zero=1.0)}
    _parameter_rules = {"about": Choice("mean", "zero")}
    _needs = frozenset({"scale"})
    _strong_params = {"factor": 2.0}

    def __init__(self, severity=None, *, factor=None, about="mean", **shared):
        super().__init__(severity, **shared)
        self.factor = factor
        self.about = about

    def _must_learn(self):
        return self.about == "mean" or self.plausible or self._selects_by_cells()

    def _perturb_table(self, values, stats, rng):
        centre = stats.mean if self.about == "mean" else 0.0
        return centre + self._strength() * (values - centre)
