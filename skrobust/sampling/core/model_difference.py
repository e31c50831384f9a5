"""Estimated difference of the accuracies of two models."""

from dataclasses import dataclass

from skrobust.metrics import Interval
from skrobust.sampling.core.operation_interval import operation_difference_ends
from skrobust.sampling.core.result_lines import ResultLines
from skrobust.sampling.core.sampling_estimate import complete_interval


@dataclass(frozen=True, eq=False)
class ModelDifference(ResultLines):
    """Accuracy of one model less that of another, on the same pool and labels.

    Parameters
    ----------
    value : float
        Estimate, nan before two labels. It is the unbiased one, cut to what the counts
        of answers allow.
    interval : Interval
        Confidence interval, within what the counts of answers allow. It unpacks and
        compares as ``(low, high)``.
    std_error : float
        Estimated standard error.
    first, second : str
        Names of the models.
    only_first, only_second : int
        Labels for which one of the models alone was right.
    n_used : int
        Draws that the estimate uses.
    n_apart : int
        Inputs of the pool for which the models predict different labels.
    n_pool : int
        Size of the pool.
    confidence : float
        Nominal coverage of ``interval``.
    method : str
        How it was made: "t", "newcombe", "t, widened" (the wider of both), "census"
        (all inputs on which the models differ are labelled) or "none".
    warnings : tuple of str
        Reasons for doubt about the numbers, one sentence each.
    unbiased_value : float
        Unbiased estimate, which may leave what the counts allow.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import SimpleRandomSampler
    >>> i = np.arange(400)
    >>> old, new = (i % 5 > 0).astype(int), (i % 9 > 0).astype(int)  # all are 1
    >>> sampler = SimpleRandomSampler(random_state=0).fit(np.ones(400), y_pred=old)
    >>> result = sampler.sample(200, np.ones_like)
    >>> print(sampler.add_model("new", y_pred=new).compare("new"))
    new is better than fitted by 0.080, 95 % interval 0.030 to 0.130 (newcombe)
    95 % interval 0.009 to 0.151 for the operation behind this pool
    200 of 400 labelled; 34 for new alone, 18 for fitted alone
    """

    value: float
    interval: Interval
    std_error: float
    first: str
    second: str
    only_first: int
    only_second: int
    n_used: int
    n_apart: int
    n_pool: int
    confidence: float
    method: str
    warnings: tuple = ()
    unbiased_value: float = float("nan")

    def __post_init__(self):
        complete_interval(self, self.value, self.method)

    @property
    def better(self):
        """Name of the model that is better at this confidence, None if neither is."""
        low, high = self.interval
        return self.first if low > 0 else self.second if high < 0 else None

    @property
    def operation_interval(self):
        """Confidence interval of the difference in the operation behind the pool.

        As of :class:`SamplingResult`, with the variance of the pool added; it is taken
        as large as the number of inputs allows for which the predictions differ.
        """
        share, ends = self.n_apart / self.n_pool, tuple(self.interval)
        return operation_difference_ends(
            self.value, ends, share, self.n_pool, self.confidence
        )

    def _lines(self):
        low, high = self.interval
        one, other, by = self.first, self.second, self.value
        if self.better == other:
            one, other, by, low, high = other, one, -by, -high, -low
        ends = f"{100 * self.confidence:g} % interval {low:.3f} to {high:.3f}"
        if self.better is None:
            yield (
                f"no difference shown: {one} less {other} is {by:.3f}, {ends} "
                f"({self.method})"
            )
        else:
            yield f"{one} is better than {other} by {by:.3f}, {ends} ({self.method})"
        low, high = self.operation_interval
        if one != self.first:
            low, high = -high, -low
        yield (
            f"{100 * self.confidence:g} % interval {low:.3f} to {high:.3f} for the "
            "operation behind this pool"
        )
        yield (
            f"{self.n_used} of {self.n_pool} labelled; {self.only_first} for "
            f"{self.first} alone, {self.only_second} for {self.second} alone"
        )
        yield from (f"warning: {text}" for text in self.warnings)

    def __repr__(self):
        low, high = self.interval
        return (
            f"ModelDifference(value={self.value:.4f}, interval=({low:.4f}, "
            f"{high:.4f}), first={self.first!r}, second={self.second!r})"
        )
