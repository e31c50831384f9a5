"""Estimated accuracy, or mean loss, of a model on a pool."""

from dataclasses import dataclass

import numpy as np

from skrobust._validation import check_number
from skrobust.metrics import Interval
from skrobust.sampling.core.operation_interval import operation_ends
from skrobust.sampling.core.result_lines import ResultLines
from skrobust.sampling.core.sampling_estimate import complete_interval


@dataclass(frozen=True, eq=False)
class SamplingResult(ResultLines):
    """Estimated accuracy, or mean loss, on the whole pool, from the answers so far.

    Attributes
    ----------
    accuracy : float
        Estimate, nan before two labels, and where losses were told. It is the unbiased
        one, cut to what the counts of answers allow.
    interval : Interval
        Confidence interval of the accuracy or of the mean loss, (0, 1) or
        ``loss_range`` before two labels. It lies within what the answers allow, and
        contains the estimate. It unpacks and compares as ``(low, high)``.
    std_error : float
        Estimated standard error of the same, nan before two labels.
    n_labels, n_failures : int
        Answers told so far, and the mispredictions among them (of losses: those above
        the least one of ``loss_range``).
    failures : ndarray of shape (n_failures,)
        Their pool positions, in the order of their draws.
    n_pool : int
        Size of the pool.
    confidence : float
        Nominal coverage of ``interval``.
    method : str
        How ``interval`` was made: "t", "t, widened" (by what rare draws cannot
        exclude), "hypergeometric", "wilson", "gaffke" (losses of uniform draws),
        "bootstrap", "anytime", "rule of three" (no variation seen), "census" (all
        told), "worst case" (of several) or "none".
    effective_n : float
        Effective number of residuals (of labels, for uniform draws).
    warnings : tuple of str
        Reasons for doubt about the numbers, one sentence each.
    estimator : str
        Name of the estimator.
    n_used : int
        Draws that the estimate uses: those before the first open one, or more where
        these would be fewer than two (open ones then count like skipped ones).
    n_skipped : int
        Draws that could not be answered.
    accuracy_bounds : (float, float)
        The estimates if all skipped answers were failures, and if none was; both are
        ``accuracy`` where nothing was skipped. With skipped answers ``accuracy`` is
        the middle, and is no longer unbiased.
    mean_loss : float
        Where losses were told: their estimated mean over the pool, in their own units;
        otherwise nan.
    loss_bounds : (float, float)
        As ``accuracy_bounds``, for ``mean_loss``.
    loss_range : (float, float) or None
        The least and the largest possible loss; None where labels were told.
    losses : ndarray of shape (n_failures,) or None
        The losses of ``failures``.
    unbiased_value : float
        Unbiased estimate of the accuracy, or of the mean loss, as the design has it. It
        may leave [0, 1], or ``loss_range``; its mean over many pools of draws, and over
        results that are averaged, is the truth.

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
    mean_loss: float = np.nan
    loss_bounds: tuple = (np.nan, np.nan)
    loss_range: tuple | None = None
    losses: np.ndarray | None = None
    unbiased_value: float = np.nan

    def __post_init__(self):
        complete_interval(self, self.value, self.method)

    @property
    def value(self):
        """What ``interval`` is of: the accuracy, or the mean loss."""
        return self.accuracy if self.loss_range is None else self.mean_loss

    @property
    def measure(self):
        """Name of ``value``: "accuracy" or "mean loss"."""
        return "accuracy" if self.loss_range is None else "mean loss"

    @property
    def failure_kind(self):
        """What ``failures`` are, in words."""
        if self.loss_range is None:
            return "mispredictions"
        return f"losses above {self.loss_range[0]:g}"

    @property
    def operation_interval(self):
        """Confidence interval of ``value`` in the operation behind the pool.

        ``interval`` is for the inputs of this pool alone. Where they are a sample of
        those to come, drawn independently, the accuracy on the latter is less certain,
        even if the whole pool is labelled: the variance a (1 - a) / N of the pool's own
        accuracy is added; of losses, as shares of their range, this is the most it can
        be.
        """
        low, high = self.loss_range or (0.0, 1.0)
        value, *ends = (
            (one - low) / (high - low) for one in (self.value, *self.interval)
        )
        found = operation_ends(value, ends, self.n_pool, self.confidence)
        return tuple(low + (high - low) * end for end in found)

    def labels_for(self, half_width):
        """Return the total number of labels that an interval of a half-width needs.

        Parameters
        ----------
        half_width : float in (0, 1)
            The half-width aimed at; of losses in their units.

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
        low, high = self.loss_range or (0.0, 1.0)
        half_width = check_number(
            half_width,
            "half_width",
            "labels_for",
            low=0,
            high=high - low,
            low_open=True,
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
            f"{self.measure} {self.value:.4f}, {100 * self.confidence:g} % interval "
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
            f"{self.n_failures} {self._found()}"
            + (f", {self.n_skipped} skipped" if self.n_skipped else "")
        )
        yield from (f"warning: {text}" for text in self.warnings)

    def _found(self):
        """Return the words behind the number of failures."""
        if self.loss_range is None:
            return f"misprediction{'s' * (self.n_failures != 1)} found"
        return f"with a loss above {self.loss_range[0]:g}"

    def __repr__(self):
        low, high = self.interval
        name = self.measure.replace(" ", "_")
        return (
            f"SamplingResult({name}={self.value:.4f}, interval=({low:.4f}, "
            f"{high:.4f}), std_error={self.std_error:.4f}, n_labels={self.n_labels}, "
            f"n_failures={self.n_failures})"
        )
