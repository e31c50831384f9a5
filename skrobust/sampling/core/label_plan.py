"""How many labels: before the first one, and when to stop."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from skrobust._validation import check_number
from skrobust.sampling.core.reporting import check_confidence


@dataclass(frozen=True)
class LabelPlan:
    """How many labels an interval of a given half-width is likely to need.

    Attributes
    ----------
    n_labels : int
        At most the size of the pool; ``int(plan)`` is the same.
    half_width, confidence : float
        As asked for.
    assumption : str
        What the number rests on.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import SimpleRandomSampler
    >>> sampler = SimpleRandomSampler(random_state=0).fit(np.ones(10_000))
    >>> int(sampler.plan(0.02, expected_accuracy=0.95))
    491
    """

    n_labels: int
    half_width: float
    confidence: float
    assumption: str

    def __int__(self):
        return self.n_labels

    __index__ = __int__


class PlanMixin:
    """The part of a sampler that says how many labels are enough."""

    def plan(self, half_width, *, confidence=0.95, expected_accuracy=None):
        r"""Say how many labels an interval of a half-width is likely to need.

        With the probabilities q of the next draw and a failure probability p of each
        input, one draw has the variance

        .. math::

            \sigma^2 = \frac{1}{N^2} \sum_i \frac{(p_i - m_i)^2 + p_i (1 - p_i)}{q_i}
                - \Bigl(\overline{p - m}\Bigr)^2

        (m = 0 without a predictor), and :math:`n = z^2 \sigma^2 / h^2` draws suffice,
        N at most. p are the scores, scaled to the expected accuracy where it is given.

        Parameters
        ----------
        half_width : float in (0, 1)
            Wanted half-width of the interval.
        confidence : float in (0, 1), default=0.95
            Its nominal coverage.
        expected_accuracy : float in (0, 1), default=None
            None takes what the scores say, as probabilities of a misprediction.

        Returns
        -------
        LabelPlan
            A forecast, not a promise; ``int`` of it is the number of labels.

        Raises
        ------
        ValueError
            For bad arguments, and where the scores are no probabilities and no
            accuracy is given.
        """
        check_is_fitted(self)
        caller = f"{type(self).__name__}.plan"
        check_plan(half_width, confidence, expected_accuracy, caller)
        n, assumption = self._plan(half_width, confidence, expected_accuracy, caller)
        return LabelPlan(n, float(half_width), float(confidence), assumption)

    def should_stop(self, half_width, *, confidence=0.95):
        """Say whether the anytime interval is as narrow as wanted.

        It may be asked after each label: the interval covers at all of them at once.

        Parameters
        ----------
        half_width : float in (0, 1)
            Wanted half-width.
        confidence : float in (0, 1), default=0.95
            Nominal coverage.

        Returns
        -------
        bool
            False before two answers.
        """
        caller = f"{type(self).__name__}.should_stop"
        check_number(half_width, "half_width", caller, low=0, high=1, low_open=True)
        low, high = self.result(confidence=confidence, method="anytime").interval
        return bool((high - low) / 2 <= half_width)

    def _plan(self, half_width, confidence, expected_accuracy, caller):
        """Return a number of labels and the assumption behind it."""
        p, assumption = self._assumed(expected_accuracy, caller)
        q, m = self._plan_draws(), self._plan_predictor(p)
        second = ((p - m) ** 2 + p * (1 - p)) / q
        variance = second.sum() / self.n_pool_**2 - (p - m).mean() ** 2
        n = (ndtri((1 + confidence) / 2) / half_width) ** 2 * max(variance, 0.0)
        return int(np.clip(np.ceil(n), 2, self.n_pool_)), assumption

    def _plan_draws(self):
        """Return the probabilities, summing to 1, with which inputs are drawn."""
        return self._probabilities(np.zeros(self.n_pool_, dtype=bool))

    def _plan_predictor(self, p):
        """Return what the estimate subtracts: 0, unless the sampler has a predictor."""
        snapshot = self._snapshot()
        return 0.0 if snapshot is None else self._predict(snapshot)

    def _assumed(self, expected_accuracy, caller):
        scores = self.scores_
        if expected_accuracy is None:
            if scores is None or scores.max() > 1:
                raise ValueError(
                    f"{caller} needs expected_accuracy=, since there are no scores in "
                    "[0, 1] to take for probabilities of a misprediction."
                )
            return scores, (
                f"Scores are taken for probabilities of a misprediction (accuracy "
                f"{1 - scores.mean():.4f})."
            )
        rate = 1 - expected_accuracy
        if scores is None or not scores.max() > 0:
            return np.full(self.n_pool_, rate), (
                f"Accuracy {expected_accuracy:g}, every input equally likely to fail."
            )
        return scaled_to(scores, rate), (
            f"Accuracy {expected_accuracy:g}, failures in proportion to the scores."
        )


def scaled_to(scores, rate):
    """Return probabilities in proportion to the scores, at most 1, of a given mean."""
    p = np.full(len(scores), rate)
    factor = rate / scores.mean()
    for _ in range(50):  # what is cut off at 1 goes to the others
        p = np.minimum(scores * factor, 1.0)
        if abs(p.mean() - rate) < 1e-9 or not ((p < 1) & (p > 0)).any():
            break
        factor *= 1 + (rate - p.mean()) * len(p) / p[p < 1].sum()
    return p


def check_plan(half_width, confidence, expected_accuracy, caller):
    """Raise for arguments of a plan that are out of range."""
    check_number(half_width, "half_width", caller, low=0, high=1, low_open=True)
    check_confidence(confidence, caller)
    if expected_accuracy is not None:
        check_number(expected_accuracy, "expected_accuracy", caller, low=0, high=1)
