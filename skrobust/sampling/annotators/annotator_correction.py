"""Accuracy of a sampler, corrected by the error rate of each annotator."""

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from skrobust.sampling.annotators.noise_correction import (
    LEAST_KEPT,
    TINY,
    NoisyAccuracy,
    noise_moments,
)
from skrobust.sampling.core.rate_estimator import over_skipped


def corrected_by_annotator(sampler, first, noise, pairs, rows, caller):
    r"""Return the ``NoisyAccuracy`` with a rate of errors for each annotator.

    The outcome f (1 = failed) told by an annotator of rate :math:`e_a` is replaced by

    .. math:: f^* = \frac{f - e_a}{1 - e_a K / (K - 1)}

    which has the true outcome as its expectation (Rogan and Gladen 1978), so that any
    estimate that is linear in outcomes stays unbiased at the true rates. With g the
    slopes of the estimate in the rates, :math:`\Sigma` their covariance, c the
    covariance of the estimate and the rates, which rest on the same answers, and F the
    mean variance of the errors in a whole pool of N, which no variance of drawing from
    it knows, the variance is

    .. math:: \hat V = \hat V_{f^*} + \frac{F}{N} + g^T \Sigma g + 2 g^T c

    The answer to an input that passes has the variance :math:`e_a (1 - e_a)`, that to
    one that fails :math:`r (1 - r)` with :math:`r = e_a / (K - 1)`. F weights them by
    the estimated accuracy, divides by the square of the denominator above, and is the
    mean over the answers.

    Slopes and covariances are estimates of the sampler itself, from other outcomes: all
    are linear.

    Parameters
    ----------
    sampler : sampler
        With its answers.
    first : dict of int to int
        Number of the annotator of the answer that the sampler has of each input; none
        for what was told to the sampler itself.
    noise : AnnotatorNoise
        Rates.
    pairs : PairRates
        Their covariance and influence.
    rows : dict of int to int
        Row of each input in the influence.
    caller : str
        Name for messages.
    """
    answered, unknown = sampler._answered()
    _check(sampler, answered, unknown, first, caller)
    correction = _Correction(sampler, answered, first, noise)
    estimates = over_skipped(answered, unknown, correction.estimate)
    more = correction.variance_of_rates(estimates[0].rate, pairs, rows)
    ends, errors = [], []
    for one in estimates:
        drawn = np.nan_to_num(one.std_error**2)
        of_pool = correction.variance_of_pool(1 - one.rate)
        error = np.sqrt(drawn + of_pool + max(more, 0.0))
        half = stdtrit(max(one.df, 1.0), (1 + noise.confidence) / 2) * error
        ends += [1 - one.rate - half, 1 - one.rate + half]
        errors.append(error)
    values = [1 - one.rate for one in estimates]
    value = float((min(values) + max(values)) / 2)
    low, high = np.clip([min(ends), max(ends)], 0, 1)
    notes = [*noise.warnings]
    if len(unknown):
        notes.append(
            f"{len(unknown)} missing answers may be either: the estimate lies between "
            f"{min(values):.4f} and {max(values):.4f} (the middle is shown)."
        )
    if correction.kept.min() <= LEAST_KEPT:
        low, high, value = 0.0, 1.0, np.nan
        turned = correction.turn * correction.rate.max() > 1
        how = "the other way round" if turned else "as badly as guesses"
        notes.append(f"Someone answers {how}: the accuracy is not known.")
    raw = over_skipped(answered, unknown, sampler._estimate)
    return NoisyAccuracy(
        accuracy=float(np.clip(value, 0, 1)),
        unbiased_value=value,
        interval=(float(low), float(high)),
        std_error=float(max(errors)),
        observed=1 - float(np.mean([one.rate for one in raw])),
        noise=noise,
        n_used=int(answered.n),
        confidence=noise.confidence,
        warnings=tuple(dict.fromkeys(notes)),
    )


def _check(sampler, answered, unknown, first, caller):
    """Raise where the answers cannot be corrected."""
    if sampler._caveat:
        raise ValueError(f"{caller} needs an unbiased sampler. {sampler._caveat}")
    if answered.n < min(2, sampler.n_pool_):
        raise ValueError(f"{caller} needs two answers to what the sampler asked.")
    for i in np.delete(answered.ids, unknown).tolist():
        if i not in first:
            raise ValueError(
                f"{caller} needs to know who gave each answer; that to id {i} was "
                "told to the sampler itself. Tell all answers to Annotations."
            )


class _Correction:
    """Outcomes of a sampler, corrected by the rate of who told them.

    What nobody told, a skipped input, is not corrected.
    """

    def __init__(self, sampler, answered, first, noise):
        self.sampler, self.answered, self.noise = sampler, answered, noise
        self.who = np.array([first.get(i, -1) for i in answered.ids.tolist()])
        self.rate = np.where(self.who < 0, 0.0, noise.rate[self.who])
        self.turn = noise.n_classes / (noise.n_classes - 1)
        self.kept = np.maximum(1 - self.turn * self.rate, TINY)

    def of(self, outcomes):
        """Return corrected outcomes."""
        return (outcomes - self.rate) / self.kept

    def estimate(self, answered):
        """Return the estimate of the sampler from corrected outcomes."""
        return self.sampler._estimate(replace(answered, y=self.of(answered.y)))

    def variance_of_pool(self, accuracy):
        """F / N: the errors of a whole pool that was answered once."""
        flips, _ = noise_moments(accuracy, self.rate, self.noise.n_classes)
        return float((flips / self.kept**2).mean()) / self.sampler.n_pool_

    def variance_of_rates(self, centre, pairs, rows):
        """Return what the errors of the rates add to the variance."""
        n = len(pairs.covariance)
        y, nobody = self.answered.y, np.zeros(n)
        slope = (self.turn * (y - self.rate) - self.kept) / self.kept**2
        influence = np.array([
            pairs.influence[rows[i]] if i in rows else nobody
            for i in self.answered.ids.tolist()
        ])  # fmt: skip
        spread = self.of(y) - centre
        slopes = [self._linear(np.where(self.who == a, slope, 0)) for a in range(n)]
        shared = [self._linear(spread * influence[:, a]) for a in range(n)]
        slopes = np.array(slopes)
        return float(slopes @ pairs.covariance @ slopes + 2 * slopes @ shared)

    def _linear(self, values):
        """Return the weighted sum that the estimate takes of values of the draws."""
        rates = [
            self.sampler._estimate(replace(self.answered, y=y)).rate
            for y in (values, np.zeros(len(values)))
        ]
        return rates[0] - rates[1]
