"""Correction of an accuracy for answers that are wrong at times."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from skrobust.metrics import Interval, proportion_interval
from skrobust.sampling.core.result_lines import ResultLines
from skrobust.sampling.core.sampling_estimate import complete_interval

LEAST_KEPT = 0.1  # of the difference that answers show; below, nothing can be told
TINY = 1e-9


@dataclass(frozen=True, eq=False)
class NoiseRate(ResultLines):
    """Rate of wrong answers, estimated from repeats.

    Parameters
    ----------
    rate : float
        Estimated probability that an answer is wrong.
    interval : Interval
        Its confidence interval.
    std_error : float
        Estimated standard error of ``rate``.
    disagreement : float
        Share of pairs of answers to the same input that differ.
    n_repeated : int
        Inputs with two answers or more.
    n_used : int
        Answers to these.
    n_classes : int
        Labels that an answer chooses among.
    confidence : float
        Nominal coverage of ``interval``.
    warnings : tuple of str
        Reasons for doubt, one sentence each.

    Examples
    --------
    >>> from skrobust.sampling import estimate_label_noise
    >>> found = estimate_label_noise([[0, 0]] * 50 + [[1, 1]] * 40 + [[0, 1]] * 10)
    >>> round(found.rate, 4), found.disagreement
    (0.0528, 0.1)
    """

    rate: float
    interval: Interval
    std_error: float
    disagreement: float
    n_repeated: int
    n_used: int
    n_classes: int
    confidence: float
    warnings: tuple = ()

    def __post_init__(self):
        complete_interval(self, self.rate, "wilson")

    @property
    def _turned(self):
        """Chance that a wrong answer is one certain label of the others."""
        return 1 / (self.n_classes - 1)

    def _kept(self, rate):
        """Return the slope of the observed in the true accuracy, at a noise rate."""
        return 1 - (1 + self._turned) * rate

    def _lines(self):
        low, high = self.interval
        yield (
            f"{100 * self.rate:.1f} % of the answers are wrong, "
            f"{100 * self.confidence:g} % interval {100 * low:.1f} to {100 * high:.1f}"
        )
        yield (
            f"{100 * self.disagreement:.1f} % of the pairs of answers to "
            f"{self.n_repeated} inputs differ"
        )
        yield from (f"warning: {text}" for text in self.warnings)


@dataclass(frozen=True, eq=False)
class NoisyAccuracy(ResultLines):
    """Accuracy, corrected for the wrong answers among those that it rests on.

    Parameters
    ----------
    accuracy : float
        Corrected estimate, cut to [0, 1].
    interval : Interval
        Confidence interval, with the error of the noise rate in it. It always contains
        ``accuracy``.
    std_error : float
        Estimated standard error, by the delta method.
    observed : float
        The estimate that takes all answers for right.
    noise : NoiseRate or AnnotatorNoise
        The noise rate and its interval, or those of each annotator.
    n_used : int
        Inputs that the estimate rests on.
    confidence : float
        Nominal coverage of ``interval``.
    warnings : tuple of str
        Reasons for doubt, one sentence each.
    unbiased_value : float
        The estimate before it is cut, which may leave [0, 1].

    Examples
    --------
    >>> from skrobust.sampling import accuracy_with_label_noise
    >>> found = accuracy_with_label_noise(
    ...     [[0, 0]] * 86 + [[1, 1]] * 4 + [[0, 1]] * 10)
    >>> print(found)
    accuracy 0.9584, 95 % interval 0.9031 to 1.0000, corrected from 0.9100
    5.3 % of the answers are wrong, 95 % interval 2.8 to 9.6
    10.0 % of the pairs of answers to 100 inputs differ
    """

    accuracy: float
    interval: Interval
    std_error: float
    observed: float
    noise: NoiseRate
    n_used: int
    confidence: float
    warnings: tuple = ()
    unbiased_value: float = float("nan")

    def __post_init__(self):
        complete_interval(self, self.accuracy, "delta")

    def _lines(self):
        low, high = self.interval
        yield (
            f"accuracy {self.accuracy:.4f}, {100 * self.confidence:g} % interval "
            f"{low:.4f} to {high:.4f}, corrected from {self.observed:.4f}"
        )
        yield from self.noise._lines()
        own = [text for text in self.warnings if text not in self.noise.warnings]
        yield from (f"warning: {text}" for text in own)


def noise_of_disagreement(share, n_pairs, n_repeated, n_used, n_classes, confidence):
    r"""Return the ``NoiseRate`` of a share of pairs that differ.

    Parameters
    ----------
    share : float
        d, of all pairs.
    n_pairs : float
        Effective number of independent pairs.
    n_repeated, n_used : int
        Inputs with several answers, and their answers.
    n_classes : int
        Labels that an answer chooses among.
    confidence : float
        Of the interval.
    """
    ends = proportion_interval(share * n_pairs, n_pairs, confidence=confidence)
    rate, low, high = (error_rate(d, n_classes) for d in (share, *ends))
    kept = 1 - rate * n_classes / (n_classes - 1)
    notes = []
    if kept <= LEAST_KEPT:
        seldom = "agree as seldom as guesses"
        if n_classes == 2 and ends[0] > 0.5:
            seldom = (
                "differ more often than guesses would, as where someone answers the "
                "other way round"
            )
        notes.append(f"The answers {seldom}: the rate is not known.")
    return NoiseRate(
        rate=rate,
        interval=(low, high),
        std_error=float(np.sqrt(share * (1 - share) / n_pairs) / 2 / max(kept, TINY)),
        disagreement=share,
        n_repeated=n_repeated,
        n_used=n_used,
        n_classes=n_classes,
        confidence=confidence,
        warnings=tuple(notes),
    )


def error_rate(disagreement, n_classes):
    """Return the rate of errors that makes pairs of answers differ this often."""
    part = (n_classes - 1) / n_classes
    return float(part * (1 - np.sqrt(max(1 - disagreement / part, 0.0))))


def noise_moments(accuracy, rate, n_classes):
    r"""Return what answers of a noise rate add to variances.

    Parameters
    ----------
    accuracy : float
        True accuracy a.
    rate : float or ndarray
        e; the other labels are equally likely, each with :math:`\rho e`.
    n_classes : int
        K; :math:`\rho = 1 / (K - 1)`.

    Returns
    -------
    flips : float or ndarray
        Variance of whether one answer passes, given the truth.
    shared : float or ndarray
        Covariance of that with whether a pair of answers differs.
    """
    a, e, part = min(max(accuracy, 0.0), 1.0), rate, rate / (n_classes - 1)
    differ = 2 * e - e**2 * n_classes / (n_classes - 1)
    flips = a * e * (1 - e) + (1 - a) * part * (1 - part)
    shared = a * (1 - e) * (e - differ) + (1 - a) * part * (1 - part - differ)
    return flips, shared


def corrected(
    observed, std_error, ends, noise, *, n_used, n_pool, answers_share=1.0, notes=()
):
    r"""Return the ``NoisyAccuracy`` of an observed one.

    .. math::

        a = \frac{q - \rho e}{1 - (1 + \rho) e}, \qquad
        \hat V = \frac{V_q + t^2 V_e + 2 t \, C_{q e} + F / N}{(1 - (1 + \rho) e)^2},
        \qquad t = (1 + \rho) a - \rho

    (Rogan and Gladen 1978), with the covariance of the observed accuracy q and of e,
    which rest on the same answers, and with the errors F of the answers in a whole pool
    of N, which no variance of drawing from it knows. The interval combines those of q
    and of e by variance recovery (Zou and Donner 2008), as it is skewed while few
    answers differ.

    Parameters
    ----------
    observed, std_error : float
        q, and the root of its variance.
    ends : (float, float)
        Its confidence interval.
    noise : NoiseRate
        e, at the same confidence.
    n_used : int
        Inputs that q rests on.
    n_pool : int or None
        N, or None for independent draws (of which V_q is complete).
    answers_share : float
        Mean over the inputs of 1 / (number of answers that q averages).
    notes : sequence of str
        Doubts about q.
    """
    e, turned = noise.rate, noise._turned
    kept = max(noise._kept(e), TINY)

    def accuracy(q, rate):
        return (q - turned * rate) / max(noise._kept(rate), TINY)

    value = accuracy(observed, e)
    flips, shared = noise_moments(value, e, noise.n_classes)
    tilt = (1 + turned) * value - turned
    of_pool = answers_share * flips / kept**2 / n_pool if n_pool else 0.0
    part_q = (std_error / kept) ** 2 + of_pool
    part_e = (tilt * noise.std_error / kept) ** 2
    cross = tilt * shared / n_used / kept**3  # twice the covariance of both parts
    variance = max(part_q + part_e + cross, 0.0)
    product = 2 * np.sqrt(part_q * part_e)
    r = float(np.clip(cross / product, -1, 1)) if product > 0 else 0.0
    z = ndtri((1 + noise.confidence) / 2)
    turns = [value, *(accuracy(observed, rate) for rate in noise.interval)]

    def length(x, y):
        x = np.hypot(x, z * np.sqrt(of_pool))
        return np.sqrt(max(x**2 + y**2 + 2 * r * x * y, 0.0))

    low = value - length(value - accuracy(ends[0], e), value - min(turns))
    high = value + length(accuracy(ends[1], e) - value, max(turns) - value)
    notes = [*notes]
    if noise._kept(noise.interval[1]) <= LEAST_KEPT:
        low, high = 0.0, 1.0
        notes.append(
            f"The noise rate may be as high as {noise.interval[1]:.2f}: the accuracy "
            "cannot be told from the answers."
        )
    low, high = np.clip([low, high], 0, 1)
    shown = float(np.clip(value, 0, 1))
    return NoisyAccuracy(
        accuracy=shown,
        unbiased_value=float(value),
        interval=(float(min(low, shown)), float(max(high, shown))),
        std_error=float(np.sqrt(variance)),
        observed=float(observed),
        noise=noise,
        n_used=int(n_used),
        confidence=noise.confidence,
        warnings=tuple(notes),
    )
