"""Plan of how many labels an interval needs."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from skrobust._validation import check_number
from skrobust.sampling.core.draws import first_where


@dataclass(frozen=True)
class LabelPlan:
    """Number of labels that an interval of a given half-width is likely to need.

    Attributes
    ----------
    n_labels : int
        At most the size of the pool; ``int(plan)`` is the same.
    half_width, confidence : float
        As passed to ``plan``.
    assumption : str
        The assumption behind the number.

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


def checked_half_width(half_width, scale, caller):
    """Return a half-width that is a positive number within the scale, or raise."""
    ends = {"low": 0, "high": scale.span, "low_open": True}
    return check_number(half_width, "half_width", caller, **ends)


def expected_or_none(accuracy, loss, scale, caller):
    """Return the expected accuracy, of an expected loss where it is given, or None."""
    if accuracy is not None and loss is not None:
        raise ValueError(
            f"{caller} takes expected_accuracy= or expected_loss=, not both."
        )
    if loss is not None:
        ends = {"low": scale.low, "high": scale.high}
        loss = check_number(loss, "expected_loss", caller, **ends)
        return 1 - (loss - scale.low) / scale.span
    if accuracy is None:
        return None
    return check_number(accuracy, "expected_accuracy", caller, low=0, high=1)


def draws_needed(p, m, q, half_width, confidence, *, in_groups=False):
    """Return how many draws an interval of a half-width needs, at most the pool.

    Parameters
    ----------
    p : ndarray of shape (n_pool,)
        Assumed failure probabilities.
    m : ndarray of shape (n_pool,) or float
        Predictions that the estimate corrects; 0 without a predictor.
    q : ndarray of shape (n_pool,)
        Probabilities of the draw; inf for inputs that are drawn last, which are taken
        for known.
    half_width, confidence : float
        Of the interval.
    in_groups : bool
        Whether one input of each of n random groups is drawn, so that none is sure.
    """
    n_pool, z = len(p), ndtri((1 + confidence) / 2)
    mean, second = p - m, (p - m) ** 2 + p * (1 - p)
    order = np.argsort(-q, kind="stable")
    order = order[np.isfinite(q[order])]
    q, mean, second = q[order], mean[order], second[order]
    with np.errstate(divide="ignore"):
        pieces = np.divide(second, q, out=np.zeros(len(q)), where=second > 0)
    # Of what is left behind each input: probability, variance and mean.
    q_left, second_left, mean_left = (
        np.cumsum(part[::-1])[::-1] for part in (q, pieces, mean)
    )
    places = np.arange(len(q))

    def narrow(variance):
        return np.sqrt(max(variance, 0.0)) <= half_width / z * n_pool

    def enough(n):
        if in_groups:
            variance = second_left[0] - mean_left[0] ** 2
            return narrow(variance * (n_pool - n) / (n_pool - 1) / n)
        # Inputs so probable that n draws are sure to meet them add no variance.
        open_ = (n - places) * q < q_left
        if not open_.any():
            return np.isfinite(second_left[0])  # else some are never drawn, and fail
        k = int(open_.argmax())
        variance = second_left[k] * q_left[k] - mean_left[k] ** 2
        return narrow(variance / (n - k))

    return first_where(enough, min(2, n_pool), n_pool)


def assumed_failures(scores, n_pool, expected_accuracy, caller, of_losses=False):
    """Return assumed failure probabilities and the sentence that says so.

    Of losses, they are expected losses as parts of the range.
    """
    if of_losses:
        return _assumed_losses(scores, n_pool, expected_accuracy, caller)
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
        return np.full(n_pool, rate), (
            f"Accuracy {expected_accuracy:g}, every input equally likely to fail."
        )
    return scaled_to(scores, rate), (
        f"Accuracy {expected_accuracy:g}, failures in proportion to the scores."
    )


def _assumed_losses(scores, n_pool, expected, caller):
    """Return the same for losses, or for scores whose losses these are."""
    if expected is None:
        if scores is None or scores.max() > 1:
            raise ValueError(
                f"{caller} needs expected_loss=, since there are no scores in [0, 1] "
                "to take for expected outcomes."
            )
        return scores, "Suspicion is taken for how far each input is from the best end."
    rate = 1 - expected
    if scores is None or not scores.max() > 0:
        return np.full(n_pool, rate), "The expected mean, alike for all inputs."
    text = "The expected mean, with outcomes in proportion to the suspicion."
    return scaled_to(scores, rate), text


def scaled_to(scores, rate):
    """Return probabilities in proportion to the scores, at most 1, of a given mean.

    What the inputs with a score cannot take is shared by those of score 0.
    """
    scores = scores / scores.max()
    positive, total = scores > 0, rate * len(scores)
    if positive.sum() <= total:
        rest = total - positive.sum()
        return np.where(positive, 1.0, rest / max((~positive).sum(), 1))
    order = np.argsort(-scores, kind="stable")
    ordered, k = scores[order], np.arange(len(scores))
    left = np.cumsum(ordered[::-1])[::-1]  # of the k-th largest and all below
    n_sure = int(((total - k) * ordered <= left).argmax())
    p = np.ones(len(scores))
    p[order[n_sure:]] = ordered[n_sure:] / left[n_sure] * (total - n_sure)
    return np.minimum(p, 1.0)
