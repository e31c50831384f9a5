"""Shifted dates in tables."""

import numpy as np

from skrobust._parameters import Choice
from skrobust._validation import invalid
from skrobust.base.table_change import are_dates
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.column_selection import (
    NoColumnsError,
    column_label,
)
from skrobust.perturbations.tables.frame_table import table_of
from skrobust.perturbations.tables.table_perturbation import TablePerturbation


class DateShift(TablePerturbation):
    r"""Shift of dates by days, by a normal draw for each cell or the same for all.

    .. math:: x'_{ij} = x_{ij} + d\,\varepsilon_{ij} \text{ days},
        \qquad \varepsilon_{ij} \sim N(0, 1) \text{ or } 1

    Dates without a time of day are shifted by whole days, and so are times at midnight.
    Missing dates stay missing; types and time zones stay. Durations, periods and times
    of day are left alone. A shifted date may lie beyond the training rows, as later
    data does.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        d of 1, 7, 30, 90, 365 days at severities 1 to 5 (our choice), linear between; 0
        changes nothing.
    days : float, default=None
        d itself, of either sign, in place of severity. With neither, severity 1 holds.
    mode : {"noise", "shift"}, default="noise"
        Whether each cell has its own draw, or all dates move by d.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every column of dates.
        Columns of numbers that are named count as days; integers stay integers.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same shift for the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import DateShift
    >>> days = np.array([["2024-02-28"], ["2024-12-31"]], dtype="datetime64[D]")
    >>> DateShift(days=2, mode="shift").perturb(None, days).astype(str).ravel().tolist()
    ['2024-03-01', '2025-01-02']
    """

    _strengths = {"days": Strength((1, 7, 30, 90, 365), low=None)}
    _parameter_rules = {"mode": Choice("noise", "shift")}
    _acts_on = "time"
    _whole_table = True
    _strong_params = {"days": 30.0}
    _test_params = ({"days": 30.0, "columns": "all"},)

    def __init__(self, severity=None, *, days=None, mode="noise", **shared):
        super().__init__(severity, **shared)
        self.days = days
        self.mode = mode

    def _select(self, table):
        places = super()._select(table)
        dates = np.array([are_dates(table.values(j)) for j in places])
        if self.columns is None:
            if not dates.any():
                raise NoColumnsError(
                    "DateShift found no column of dates; the times in the table are "
                    "durations, periods or times of day."
                )
            return places[dates]
        for j in places[~dates]:
            if table.kind(j) != "number":
                rule = "columns of dates, or of numbers that count as days"
                raise invalid("columns", "DateShift", rule, column_label(table, j))
        return places

    def _perturb_table(self, values, stats, rng):
        size, days = (values.n_rows, len(stats.columns)), self._strength()
        if self.mode == "noise":
            steps = days * rng.normal(size=size)
        else:
            steps = np.full(size, float(days))
        dates = [are_dates(values.values(j)) for j in stats.columns]
        dates = np.array(dates, dtype=bool)
        numbers = stats.columns[~dates]
        if dates.any():
            shifted = values.with_shifted(stats.columns[dates], steps[:, dates])
            values = table_of(shifted)
        if numbers.size:
            block = values.numbers(numbers) + steps[:, ~dates]
            return values.with_numbers(numbers, block, True)
        return values.X
