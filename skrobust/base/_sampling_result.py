"""What a sampler says about a pool, and the arithmetic behind it."""

import html
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class SamplingResult:
    """What the answers so far say about the accuracy on the whole pool.

    Attributes
    ----------
    accuracy : float
        Unbiased estimate, nan before two labels. It may leave [0, 1]: clipping it
        would bias it.
    interval : (float, float)
        Confidence interval of the accuracy, (0, 1) before two labels.
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
        exclude), "hypergeometric", "wilson", "rule of three"
        (no variation seen), "census" (all told) or "none".
    effective_n : float
        How many equal residuals (labels, for uniform draws) carry the interval.
    warnings : tuple of str
        What a reader should know before trusting the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import SimpleRandomSampler
    >>> sampler = SimpleRandomSampler(random_state=0).fit(np.ones(100))
    >>> sampler.sample(50, lambda ids: ids % 10 == 0).n_labels
    50
    """

    accuracy: float
    interval: tuple
    std_error: float
    n_labels: int
    n_failures: int
    failures: np.ndarray
    n_pool: int
    confidence: float
    method: str
    effective_n: float
    warnings: tuple = ()

    def _lines(self):
        low, high = self.interval
        yield (
            f"accuracy {self.accuracy:.4f}, {100 * self.confidence:g} % interval "
            f"{low:.4f} to {high:.4f} ({self.method})"
        )
        yield f"standard error {self.std_error:.4f}, effective n {self.effective_n:.1f}"
        yield (
            f"{self.n_labels} of {self.n_pool} labelled, "
            f"{self.n_failures} mispredictions found"
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


def ordered_estimate(failed, probabilities, n_pool):
    r"""Estimate a failure rate from ordered draws without replacement.

    .. math::

        z_1 = \frac{y_1}{N q_1}, \qquad
        z_{k+1} = \frac{1}{N}\sum_{j \le k} y_j + \frac{y_{k+1}}{N q_{k+1}}, \qquad
        V = \frac{\sum_k (z_k - \bar z)^2}{n (n - 1)}

    with :math:`y_k` the outcome of draw k, :math:`q_k` its probability given the draws
    before it, and N the pool size. The mean of z and V are exactly unbiased (for the
    rate and for its variance) if every free input has a positive probability.

    Parameters
    ----------
    failed : array-like of shape (n,), bool
        Outcomes in draw order, n at least 2.
    probabilities : array-like of shape (n,)
        In (0, 1].
    n_pool : int
        Size of the pool.

    Returns
    -------
    rate, std_error, effective_n : float
        The last is :math:`(\sum d^2)^2 / \sum d^4` for residuals d = z - mean(z): how
        many residuals of equal size would carry V.

    References
    ----------
    D. Raj, "Some estimators in sampling with varying probabilities without
    replacement", JASA 1956. S. Thompson, "Adaptive web sampling", Biometrics 2006.

    Examples
    --------
    >>> rate, _, _ = ordered_estimate([True, False], [0.25, 0.5], n_pool=4)
    >>> rate
    0.625
    """
    y = np.asarray(failed, dtype=np.float64)
    before = np.cumsum(y) - y
    z = before / n_pool + y / (n_pool * np.asarray(probabilities, dtype=np.float64))
    rate, n = float(z.mean()), len(z)
    square = (z - rate) ** 2
    if square.max() <= 1e-24 * rate**2:  # equal but for rounding
        return rate, 0.0, 0.0
    std_error = float(np.sqrt(square.sum() / (n * (n - 1))))
    return rate, std_error, float(square.sum() ** 2 / (square**2).sum())
