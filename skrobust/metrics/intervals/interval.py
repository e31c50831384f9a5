"""One value with its interval, and what a reader must know about it."""

from dataclasses import asdict, dataclass

from skrobust._results import facts_html


@dataclass(frozen=True, repr=False)
class Interval:
    """A metric's value with its confidence interval.

    Unpacks as ``low, high = interval``.

    Parameters
    ----------
    value : float
        The estimate.
    low, high : float
        The limits; nan when the data allow none.
    std_error : float
        Estimated standard error of ``value``.
    confidence : float
        The wanted coverage.
    method : str
        How the limits were computed.
    n : int
        Number of independent units: samples, clusters or periods.
    warnings : tuple of str, default=()
        What makes the interval doubtful, one sentence each.
    unit : str, default="samples"
        What ``n`` counts.
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
    std_error: float
    confidence: float
    method: str
    n: int
    warnings: tuple = ()
    unit: str = "samples"
    plug_in: float | None = None

    def __iter__(self):
        return iter((self.low, self.high))

    def __repr__(self):
        text = (
            f"Interval({self.value:.4f} in [{self.low:.4f}, {self.high:.4f}], "
            f"{100 * self.confidence:g}% {self.method}, {self.n} {self.unit}"
        )
        if self.plug_in is not None:
            text += f", plug-in {self.plug_in:.4f}"
        return "\n  warning: ".join([text + ")", *self.warnings])

    def _repr_html_(self):
        return facts_html("Interval", asdict(self))
