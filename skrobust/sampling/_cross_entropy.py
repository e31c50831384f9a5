"""Cross-entropy sampling (CES)."""

import numpy as np

from skrobust._array_checks import check_rows, check_same_length
from skrobust._containers import n_rows, to_array
from skrobust._parameters import Count
from skrobust._validation import invalid
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.core.pool import called, confidence_of
from skrobust.sampling.designs.histograms import (
    bin_numbers,
    divergences,
    histograms,
    random_groups,
)

BIASED = (
    "The draws of CrossEntropySampler have no known probabilities: the estimate is the "
    "unweighted mean, which is biased, and there is no interval; only counts bound the "
    "accuracy."
)


class CrossEntropySampler(BaseSampler):
    r"""Cross-entropy sampling (CES).

    Inputs are chosen so that their activations are distributed as those of the pool.
    The first 30 inputs are drawn at random. Then, of 30 random groups of 5 free inputs
    each, the one joins the sample that keeps the histograms of the sample T closest to
    those of the pool: the least

    .. math::

        \sum_j \sum_b P_{T,j}(b) \log \frac{P_{T,j}(b)}{P_{\text{pool},j}(b)}

    over neurons j and their bins b of equal width.

    The estimate is the plain mean of the outcomes, **and it is biased**: the draws have
    no known probabilities, nothing can be weighed by them, and more labels need not
    bring it closer to the truth. There is no valid interval: ``result()`` says so and
    gives what the counts alone allow. It is here for comparison.

    In the published code both edges of a bin are left out, so that values equal to the
    minimum (the zeros of a ReLU) are in no bin, and inputs may be chosen twice. Here
    bins hold their edges, and nothing is drawn twice. Histograms are kept up to date
    instead of made anew: n labels take O(n (groups) (neurons)).

    Each ``ask`` goes on with the sample; ask for the whole budget at once for the
    published design, as ``sample(n, oracle)`` does.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is, for its predictions and, where ``auxiliary`` is "confidence",
        for its confidence.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Activations, of shape (n_pool, n_neurons), best of the last hidden layer; a
        callable gets the inputs and returns them. "confidence" is what ``fit`` gets
        where there is no estimator (so ``fit(activations)`` will do), and otherwise
        1 - max(predict_proba) alone.
    n_start : int, default=30
        Inputs drawn at random at first.
    n_groups : int, default=30
        Groups to choose from at each step.
    group_size : int, default=5
        Inputs in a group.
    n_bins : int, default=29
        Bins of a histogram, at most 65536.
    loss : callable, default=None
        ``loss(y_true, y_pred)`` returns one loss per input; None: right or wrong.
    loss_range : (float, float), default=(0.0, 1.0)
        The least and the largest possible loss.
    random_state : int, RandomState, Generator or None, default=None
        Same int, same ids. ``fit`` advances a generator once and draws with its own.

    Attributes
    ----------
    n_pool_ : int
        Size of the pool.
    scores_ : None
        Not used.
    bins_ : ndarray of shape (n_pool, n_varied), int
        Bin of each activation, of the neurons that vary in the pool.
    y_pred_ : ndarray of shape (n_pool,) or None
        Predicted labels, where there are any.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    Z. Li, X. Ma, C. Xu, C. Cao, J. Xu, J. Lü, "Boosting operational DNN testing
    efficiency through conditioning", ESEC/FSE 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import CrossEntropySampler
    >>> rng = np.random.default_rng(0)
    >>> activations = np.maximum(rng.normal(size=(1000, 8)), 0)
    >>> failed = activations[:, 0] > 1.5
    >>> sampler = CrossEntropySampler(random_state=0).fit(activations)
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> result.method, len(result.warnings)
    ('none', 1)
    """

    _sequential = False
    _known_sizes = False
    _needs_scores = False
    _needs_confidence = True
    _methods = ("default",)
    _estimators = ("default", "published")
    _caveat = BIASED
    _parameter_rules = dict.fromkeys(
        ("n_start", "n_groups", "group_size", "n_bins"), Count()
    )

    def __init__(
        self,
        estimator=None,
        *,
        n_start=30,
        n_groups=30,
        group_size=5,
        n_bins=29,
        **shared,
    ):
        super().__init__(estimator, **shared)
        self.n_start = n_start
        self.n_groups = n_groups
        self.group_size = group_size
        self.n_bins = n_bins

    def should_stop(self, half_width, *, confidence=0.95):
        """Refuse: no interval of these draws may be looked at any time.

        Parameters
        ----------
        half_width : float in (0, 1)
            Half-width to reach.
        confidence : float in (0, 1), default=0.95
            Nominal coverage.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(
            f"{self._caller('should_stop')} needs an interval that may be looked at "
            "any time, and draws without known probabilities have none: decide the "
            "number of labels beforehand, or draw with another sampler."
        )

    @property
    def draw_probabilities_(self):
        """Unknown: nan for each of ``ids_``."""
        return np.full(len(self.ids_), np.nan)

    def _suspicion(self, X, y_pred):
        caller, auxiliary = type(self).__name__, self.auxiliary
        if not isinstance(auxiliary, str):
            features = called(auxiliary, X) if callable(auxiliary) else auxiliary
        elif self.estimator is None:
            features = X
        else:
            features = 1 - confidence_of(self.estimator, X, caller)
        features = to_array(features, "auxiliary", caller)
        if not features.size or not features.ndim:
            rule = "'pool', a function of the pool, or an array of features"
            raise invalid("auxiliary", caller, rule, auxiliary)
        features = check_rows(features.reshape(len(features), -1), caller)
        check_same_length(caller, X=range(n_rows(X)), auxiliary=features)
        self.bins_ = bin_numbers(features, self.n_bins)
        return None, []

    def _start(self):
        self._scheme = self.n_start, self.n_groups, self.group_size
        n_bins = int(self.bins_.max(initial=0)) + 1
        pool = histograms(self.bins_, n_bins)
        with np.errstate(divide="ignore"):
            self._log_pool = np.log(pool / self.n_pool_)
        self._counts = np.zeros_like(pool)

    def _draw(self, n):
        n_start, n_groups, group_size = self._scheme
        free = np.flatnonzero(self._unasked)
        n_first = min(n, max(n_start - self._n_asked, 0))
        at = self._rng.choice(len(free), n_first, replace=False)
        chosen = [free[at]]
        counts = self._counts + histograms(self.bins_[free[at]], self._counts.shape[1])
        free, left = np.delete(free, at), n - n_first
        while left:
            size = min(group_size, left, len(free))
            groups = random_groups(self._rng, len(free), n_groups, size)
            bins = self.bins_[free[groups]]
            best = groups[divergences(bins, counts, self._log_pool).argmin()]
            chosen.append(free[best])
            counts += histograms(self.bins_[free[best]], counts.shape[1])
            free, left = np.delete(free, best), left - size
        self._counts = counts
        return np.concatenate(chosen), np.ones(n)

    def _combine(self, answered, weights=None):
        return Estimate(float(answered.y.mean()), np.nan, 0.0, float(answered.n))

    def _plan(self, half_width, confidence, expected_accuracy, caller):
        raise ValueError(f"{caller}: there is no interval to plan for. {BIASED}")

    def _pool_arrays(self):
        return {"bins_": self.bins_, "y_pred_": self.y_pred_}

    def _check_parameters(self):
        super()._check_parameters()
        if self.n_bins > 65536:
            raise invalid("n_bins", type(self).__name__, "at most 65536", self.n_bins)
