"""Estimated metric of a model on a pool."""

from dataclasses import dataclass

from skrobust._results import facts_html
from skrobust.metrics import Interval


def complete_interval(result, value, method):
    """Replace the (low, high) of a frozen result by an ``Interval``."""
    error, level, n = result.std_error, result.confidence, result.n_used
    ends, notes = result.interval, result.warnings
    interval = Interval(value, *ends, error, level, method, n, notes, "labels")
    object.__setattr__(result, "interval", interval)


@dataclass(frozen=True, eq=False)
class SamplingEstimate:
    """Estimated metric on the pool, or on a part of it, from the answers so far.

    Attributes
    ----------
    value : float
        Estimate; nan where nothing of the kind was drawn. Of metrics that are
        proportions it is cut to [0, 1].
    interval : Interval
        Confidence interval, inside [0, 1] for metrics that are proportions; it always
        contains ``value``. It unpacks and compares as ``(low, high)``.
    std_error : float
        Estimated standard error.
    n_used : int
        Draws that count in the denominator.
    effective_n : float
        Effective number of residuals behind the interval.
    confidence : float
        Nominal coverage.
    warnings : tuple of str
        Reasons for doubt about the numbers, one sentence each.
    unbiased_value : float
        The estimate as the design has it, which may leave [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import SimpleRandomSampler
    >>> sampler = SimpleRandomSampler(random_state=0)
    >>> sampler.fit(np.ones(60), y_pred=np.arange(60) % 2)
    SimpleRandomSampler(random_state=0)
    >>> result = sampler.sample(60, lambda ids: ids % 3 % 2)
    >>> sampler.metric("precision", label=1).value
    0.3333333333333333
    """

    value: float
    interval: Interval
    std_error: float
    n_used: int
    effective_n: float
    confidence: float
    warnings: tuple = ()
    unbiased_value: float = float("nan")

    def __post_init__(self):
        complete_interval(self, self.value, "t")

    def __repr__(self):
        low, high = self.interval
        return (
            f"SamplingEstimate(value={self.value:.4f}, interval=({low:.4f}, "
            f"{high:.4f}), std_error={self.std_error:.4f}, n_used={self.n_used})"
        )

    def _repr_html_(self):
        return facts_html(
            "SamplingEstimate", vars(self) | {"interval": tuple(self.interval)}
        )
