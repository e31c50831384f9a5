"""Sensor bias: every row of a table is shifted by a random amount."""

from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.table_perturbation import TablePerturbation


class SensorBias(TablePerturbation):
    """Shift the numbers of a row by one random share of their standard deviations.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Spread of .05, .1, .2, .3, .5 standard deviations at severities 1 to 5.
    sd : float, default=None
        The spread itself, in place of severity.
    columns : list, str, dtype or callable, default=None
        Columns to act on; None is every numeric column.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same shifts for the same rows.
    """

    _strengths = {"sd": Strength((0.05, 0.1, 0.2, 0.3, 0.5))}
    _needs = frozenset({"scale"})
    _strong_params = {"sd": 0.3}

    def __init__(self, severity=None, *, sd=None, columns=None, random_state=None):
        self.severity = severity
        self.sd = sd
        self.columns = columns
        self.random_state = random_state

    def _perturb_table(self, values, stats, rng):
        shift = rng.normal(size=(len(values), 1))
        return values + shift * self._strength() * stats.sd
