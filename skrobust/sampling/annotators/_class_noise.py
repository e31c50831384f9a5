"""Accuracy where right and wrong predictions are misjudged at different rates."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import chdtri

from skrobust._results import Results
from skrobust._validation import check_confidence
from skrobust.metrics import Interval
from skrobust.sampling.annotators.answer_table import answer_table, as_outcomes

EDGE = 1e-6  # closest that a rate comes to 0, or to that of guesses
# Of the searches: both errors, from the share that the answers say, and far from it.
STARTS = ((0.1, 0.1), (0.3, 0.05), (0.05, 0.3))
FAR = ((0.02, 0.45), (0.45, 0.02), (0.45, 0.45))
HALVINGS = 20
FEW = 30  # inputs with three answers, below which the rates are hardly known


def accuracy_with_class_noise(answers, *, confidence=0.95):
    r"""Estimate the accuracy when misses and false alarms have rates of their own.

    With :math:`\theta` the share of wrong predictions, :math:`e_0` the probability that
    an answer lets one pass and :math:`e_1` that it calls a right one wrong, f of m
    answers to an input say "wrong" with the likelihood

    .. math::

        \theta \, (1 - e_0)^f e_0^{m - f} + (1 - \theta) \, e_1^f (1 - e_1)^{m - f}

    for independent errors. All three are found by maximum likelihood; from two answers
    an input they cannot be told apart, so that some inputs need three. Both errors are
    below 1/2.

    Parameters
    ----------
    answers : array-like of shape (n_inputs, n_answers)
        Whether each annotator says that the prediction of a uniformly drawn input is
        wrong (booleans, or 0 and 1; None or NaN where there is no answer). Which inputs
        have how many answers must not depend on the answers.
    confidence : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Results
        ``accuracy`` (1 - theta) with its ``interval`` (profile likelihood; of the
        operation, without a finite-population correction), ``observed`` (the share of
        answers that pass), ``miss_rate``, ``false_alarm_rate``, ``n_used`` (inputs),
        ``n_repeated`` (inputs with three answers or more), ``warnings``.

    Raises
    ------
    ValueError
        For bad answers, and where no input has three.

    References
    ----------
    A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates
    using the EM algorithm", Applied Statistics 1979. S. L. Hui, S. D. Walter,
    "Estimating the error rates of diagnostic tests", Biometrics 1980.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import accuracy_with_class_noise
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random(600) < 0.2
    >>> says_wrong = np.where(wrong, 0.7, 0.02)           # misses 30 %
    >>> found = accuracy_with_class_noise(rng.random((600, 3)) < says_wrong[:, None])
    >>> round(found.accuracy, 2), round(found.observed, 2)
    (0.81, 0.84)
    >>> round(found.miss_rate, 1), round(found.false_alarm_rate, 2)
    (0.3, 0.03)
    """
    caller = "accuracy_with_class_noise"
    confidence = check_confidence(confidence, caller)
    failed = as_outcomes(answer_table(answers, caller), None, caller)
    m = (~np.isnan(failed)).sum(axis=1)
    f = np.nansum(failed, axis=1)[m > 0]
    m = m[m > 0]
    n_repeated = int((m > 2).sum())
    if not n_repeated:
        raise ValueError(
            f"{caller} needs inputs with three answers or more; of {len(m)} inputs "
            "none has. With two, use accuracy_with_label_noise."
        )
    kinds, counts = np.unique(np.column_stack([m, f]), axis=0, return_counts=True)
    fit = _Likelihood(*kinds.T, counts)
    theta, rates = fit.largest()
    goal = fit.value(theta, rates) - chdtri(1, 1 - confidence) / 2
    ends = [fit.end(theta, rates, limit, goal) for limit in (EDGE, 1 - EDGE)]
    notes = ()
    if n_repeated < FEW:
        notes = (
            f"Only {n_repeated} inputs have three answers: the rates are hardly known.",
        )
    value, level = 1 - theta, float(confidence)
    interval = Interval(
        value, 1 - ends[1], 1 - ends[0], np.nan, level, "profile", len(m), notes
    )
    return Results(
        accuracy=value,
        interval=interval,
        observed=1 - float(f.sum() / m.sum()),
        miss_rate=float(rates[0]),
        false_alarm_rate=float(rates[1]),
        n_used=len(m),
        n_repeated=n_repeated,
        warnings=notes,
    )


class _Likelihood:
    """Log likelihood of counts of answers, for a share of failures and two errors."""

    def __init__(self, m, f, counts):
        self.m, self.f, self.counts = m, f, counts

    def value(self, theta, rates):
        """Return the log likelihood."""
        (miss, alarm), f, rest = rates, self.f, self.m - self.f
        both = theta * (1 - miss) ** f * miss**rest
        both = both + (1 - theta) * alarm**f * (1 - alarm) ** rest
        return float(self.counts @ np.log(np.maximum(both, 1e-300)))

    def largest(self):
        """Return the share and the errors of the largest likelihood."""
        share = float(
            np.clip((self.counts @ self.f) / (self.counts @ self.m), 0.02, 0.98)
        )
        bounds = [(EDGE, 1 - EDGE), *[(EDGE, 0.5 - EDGE)] * 2]
        starts = [(share, *rates) for rates in STARTS]
        starts += [(theta, *rates) for theta in (0.05, 0.95) for rates in FAR]
        fits = [
            minimize(lambda z: -self.value(z[0], z[1:]), start, bounds=bounds)
            for start in starts
        ]
        best = min(fits, key=lambda fit: fit.fun).x
        return float(best[0]), best[1:]

    def profile(self, theta, start):
        """Return the largest log likelihood at a share, and its errors."""
        fit = minimize(
            lambda z: -self.value(theta, z), start, bounds=[(EDGE, 0.5 - EDGE)] * 2
        )
        return -fit.fun, fit.x

    def end(self, theta, rates, limit, goal):
        """Return the share towards a limit at which the profile falls to a goal."""
        inside, outside = theta, limit
        if self.profile(limit, rates)[0] >= goal:
            return limit
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            value, found = self.profile(middle, rates)
            if value >= goal:
                inside, rates = middle, found
            else:
                outside = middle
        return float(outside)
