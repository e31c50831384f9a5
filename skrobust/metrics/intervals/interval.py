"""A value with its confidence interval."""

from dataclasses import asdict, astuple, dataclass, replace

import numpy as np

from skrobust._optional import require
from skrobust._results import facts_html


@dataclass(frozen=True)
class IntervalRequest:
    """Settings of an interval, whatever the metric."""

    clusters: object
    confidence: float
    method: str
    n_resamples: int
    rng: np.random.Generator
    caller: str
    kept: dict | None = None  # of one statistic, for several levels

    def at(self, confidence, seed):
        """Return the same request at another level, with the same draws."""
        rng = np.random.default_rng(seed)
        return replace(self, confidence=confidence, rng=rng)

    def once(self, name, make):
        """Return what is the same at every level, made once where it is kept."""
        if self.kept is None:
            return make()
        if name not in self.kept:
            self.kept[name] = make()
        return self.kept[name]


@dataclass(frozen=True, repr=False)
class Interval:
    """A value with its confidence interval.

    Unpacks, and compares with a tuple, as ``low, high``.

    Parameters
    ----------
    value : float
        The estimate.
    low, high : float
        The limits; nan when the data allow none.
    std_error : float, default=nan
        Estimated standard error of ``value``.
    confidence : float, default=0.95
        The wanted coverage.
    method : str, default=""
        Method of the limits.
    n_units : int, default=0
        Number of independent units: samples, clusters or periods.
    warnings : tuple of str, default=()
        Reasons for doubt about the interval, one sentence each.
    unit : str, default="samples"
        Name of the units.
    plug_in : float or None, default=None
        The metric of the data as they are, where ``value`` is corrected for noise.

    Examples
    --------
    >>> from skrobust.metrics import confidence_interval
    >>> interval = confidence_interval("robust_accuracy", [True] * 8 + [False] * 2)
    >>> interval
    Interval(0.8000 in [0.4902, 0.9433], 95% wilson, 10 samples)
    >>> low, high = interval
    """

    value: float
    low: float
    high: float
    std_error: float = float("nan")
    confidence: float = 0.95
    method: str = ""
    n_units: int = 0
    warnings: tuple = ()
    unit: str = "samples"
    plug_in: float | None = None

    @property
    def n(self):
        """Number of independent units, as ``n_units``."""
        return self.n_units

    def to_frame(self):
        """Return the value and its interval as a data frame of pandas.

        Returns
        -------
        DataFrame
            One row; the warnings are joined to one text.
        """
        pandas = require("pandas", "to_frame", extra="report")
        return pandas.DataFrame([asdict(self) | {"warnings": " ".join(self.warnings)}])

    def __iter__(self):
        return iter((self.low, self.high))

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (self.low, self.high)[index]

    def __eq__(self, other):
        if isinstance(other, Interval):
            pairs = zip(astuple(self), astuple(other), strict=True)
            return all(a == b or (a != a and b != b) for a, b in pairs)  # nan is nan
        return tuple(self) == other

    def __hash__(self):
        return hash(tuple(self))

    def __repr__(self):
        text = (
            f"Interval({self.value:.4f} in [{self.low:.4f}, {self.high:.4f}], "
            f"{100 * self.confidence:g}% {self.method}, {self.n_units} {self.unit}"
        )
        if self.plug_in is not None:
            text += f", plug-in {self.plug_in:.4f}"
        return "\n  warning: ".join([text + ")", *self.warnings])

    def _repr_html_(self):
        return facts_html("Interval", asdict(self))
