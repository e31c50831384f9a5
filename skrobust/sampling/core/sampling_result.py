"""Estimated accuracy of a model on a pool."""

import html
from dataclasses import dataclass

import numpy as np

from skrobust._validation import check_number
from skrobust.metrics import Interval
from skrobust.sampling.core.operation_interval import operation_ends
from skrobust.sampling.core.sampling_estimate import complete_interval


@dataclass(frozen=True, eq=False)
class SamplingResult:
    """Estimated accuracy on the whole pool, from the answers so far.

    Attributes
    ----------
    accuracy : float
        Unbiased estimate, nan before two labels. It may leave [0, 1]: clipping it
        would bias it.
    interval : Interval
        Confidence interval of the accuracy, (0, 1) before two labels. It lies within
        what the counts of answers allow, but always contains ``accuracy``. It unpacks
        and compares as ``(low, high)``.
    std_error : float
        Estimated standard error of ``accuracy``, nan before two labels.
    n_labels, n_failures : int
        Answers told so far, and the mispredictions among them.
    failures : ndarray of shape (n_failures,)
        Pool positions of the mispredictions, in the order of their draws.
    n_pool : int
        Size of the pool.
    confidence : float
        Nominal coverage of ``interval``.
    method : str
        How ``interval`` was made: "t", "t, widened" (by what rare draws cannot
        exclude), "hypergeometric", "wilson", "bootstrap", "anytime", "rule of three"
        (no variation seen), "census" (all told), "worst case" (of several) or "none".
    effective_n : float
        Effective number of residuals (of labels, for uniform draws).
    warnings : tuple of str
        Reasons for doubt about the numbers, one sentence each.
    estimator : str
        Name of the estimator.
    n_used : int
        Draws that the estimate uses: those before the first open one.
    n_skipped : int
        Draws that could not be answered.
    accuracy_bounds : (float, float)
        The estimates if all skipped answers were failures, and if none was; both are
        ``accuracy`` where nothing was skipped. With skipped answers ``accuracy`` is
        the middle, and is no longer unbiased.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import SimpleRandomSampler
    >>> sampler = SimpleRandomSampler(random_state=0).fit(np.ones(100))
    >>> sampler.sample(50, lambda ids: ids % 10 == 0).n_labels
    50
    """

    accuracy: float
    interval: Interval
    std_error: float
    n_labels: int
    n_failures: int
    failures: np.ndarray
    n_pool: int
    confidence: float
    method: str
    effective_n: float
    warnings: tuple = ()
    estimator: str = "default"
    n_used: int = 0
    n_skipped: int = 0
    accuracy_bounds: tuple = (0.0, 1.0)

    def __post_init__(self):
        complete_interval(self, self.accuracy, self.method)

    @property
    def operation_interval(self):
        """Confidence interval of the accuracy in the operation behind the pool.

        ``interval`` is for the inputs of this pool alone. Where they are a sample of
        those to come, drawn independently, the accuracy on the latter is less certain,
        even if the whole pool is labelled: the variance a (1 - a) / N of the pool's own
        accuracy is added.
        """
        ends = tuple(self.interval)
        return operation_ends(self.accuracy, ends, self.n_pool, self.confidence)

    def labels_for(self, half_width):
        """Return the total number of labels that an interval of a half-width needs.

        Parameters
        ----------
        half_width : float in (0, 1)
            The half-width aimed at.

        Returns
        -------
        int
            Extrapolates from the present interval h on n labels: 1/n' - 1/N is
            (half_width / h)**2 times 1/n - 1/N. At most N, and never below 2.

        Raises
        ------
        ValueError
            For a bad half-width, or while nothing is estimated.
        """
        half_width = check_number(
            half_width, "half_width", "labels_for", low=0, high=1, low_open=True
        )
        if self.n_used < 2 and self.n_used < self.n_pool:
            raise ValueError("labels_for needs an estimate, and there is none yet.")
        half = (self.interval[1] - self.interval[0]) / 2
        if half == 0:
            return self.n_used
        left = (half_width / half) ** 2 * (1 / self.n_used - 1 / self.n_pool)
        needed = int(np.ceil(1 / (1 / self.n_pool + left) - 1e-9))
        return min(max(needed, 2), self.n_pool)

    def _lines(self):
        low, high = self.interval
        yield (
            f"accuracy {self.accuracy:.4f}, {100 * self.confidence:g} % interval "
            f"{low:.4f} to {high:.4f} for this pool ({self.method})"
        )
        low, high = self.operation_interval
        yield (
            f"{100 * self.confidence:g} % interval {low:.4f} to {high:.4f} for the "
            "operation behind it"
        )
        yield f"standard error {self.std_error:.4f}, effective n {self.effective_n:.1f}"
        yield (
            f"{self.n_labels} of {self.n_pool} labelled, "
            f"{self.n_failures} misprediction{'s' * (self.n_failures != 1)} found"
            + (f", {self.n_skipped} skipped" if self.n_skipped else "")
        )
        yield from (f"warning: {text}" for text in self.warnings)

    def __str__(self):
        return "\n".join(self._lines())

    def __repr__(self):
        low, high = self.interval
        return (
            f"SamplingResult(accuracy={self.accuracy:.4f}, interval=({low:.4f}, "
            f"{high:.4f}), std_error={self.std_error:.4f}, n_labels={self.n_labels}, "
            f"n_failures={self.n_failures})"
        )

    def _repr_html_(self):
        lines = "<br>".join(html.escape(line) for line in self._lines())
        return f"<p>{lines}</p>"
