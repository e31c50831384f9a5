"""Square sampler: draws by the square of the suspicion."""

import numpy as np

from skrobust._parameters import Number
from skrobust.sampling.core.base import BaseSampler


class SquareSampler(BaseSampler):
    """Draw inputs one by one with probabilities of the squared suspicion.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is, for its predictions and its confidence.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input.
    floor : float, default=0.01
        Added to the square, so that every input can be drawn.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same ids.
    """

    _parameter_rules = {"floor": Number(low=0, low_open=True)}

    def __init__(
        self, estimator=None, *, auxiliary="confidence", floor=0.01, random_state=None
    ):
        super().__init__(estimator, auxiliary=auxiliary, random_state=random_state)
        self.floor = floor

    def _probabilities(self, taken):
        weight = np.where(taken, 0.0, self.scores_**2 + self.floor)
        return weight / weight.sum()
