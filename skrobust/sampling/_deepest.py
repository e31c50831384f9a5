"""DeepEST sampling."""

import numpy as np

from skrobust._parameters import Choice, NamedOr, Number
from skrobust._validation import invalid
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.surprise.surprise_scores import (
    STANDARDIZE,
    surprise_scores,
    with_confidence,
)

CONFIDENCE_THRESHOLD = 1 - 0.7  # suspicious below a confidence of 0.7
EXHAUSTED = 1e-12  # share of the weights below which the rest counts as nothing
SPREADS = {
    "mean+2sd": lambda p, scale: p.mean() + 2 * p.std(),
    "mean+sd": lambda p, scale: p.mean() + p.std(),
    "mean+var": lambda p, scale: p.mean() + p.var() * scale,
}


def check_mixing(mixing, name, caller):
    """Raise unless the share of weighted draws is in [0, 1)."""
    Number(low=0, high=1)(mixing, name, caller)
    if mixing == 1:
        raise ValueError(
            f"The {name!r} parameter of {caller} must be below 1, or inputs without "
            "weight could never be drawn and the estimate would be biased."
        )


def check_threshold(threshold, name, caller):
    """Raise unless the threshold is a number or ("confidence", a number)."""
    if not isinstance(threshold, (tuple, list)):
        Number()(threshold, name, caller)
    elif len(threshold) == 2 and threshold[0] == "confidence":
        Number(low=0, high=1)(threshold[1], name, caller)
    else:
        rule = "a number, the name of a rule, or ('confidence', a number)"
        raise invalid(name, caller, rule, threshold)


class DeepESTSampler(BaseSampler):
    r"""DeepEST: adaptive sampling for failures with an unbiased estimate.

    Suspicious inputs are drawn more often, one at a time, without replacement. The
    first draw is uniform. After k draws a free input i is drawn with probability

    .. math::

        q_i = r \frac{w_i}{\sum_{\text{free } j} w_j} + \frac{1 - r}{N - k}

    or 1 / (N - k) where no free input has a weight. With P the scores and tau the
    threshold, the weights are

    * ``rule="released"`` (the code that made the published numbers):
      :math:`w_i = P_i` if :math:`P_i > \tau`, else 0;
    * ``rule="paper"``: :math:`w_i = P_i` for all i once any drawn input had a score
      above tau, and 0 until then.

    Neither uses the outcomes. The estimate is the ordered one of
    :class:`~skrobust.sampling.BaseSampler`, exactly unbiased. The released rule finds
    the most mispredictions; its estimate is the noisier one, and its interval is too
    narrow where few of them lie below the threshold (see ``effective_n``).

    Set-up and n draws take O(N + n log n) time and O(N) memory.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : str, callable or array-like, default="confidence"
        Suspicion P of each input, at least 0, higher = more likely mispredicted.
        "confidence" is 1 - max(predict_proba), or the scores that ``fit`` gets where
        there is no estimator. "dsa" and "lsa" are ``surprise``, standardized.
        "combined" is 1 - c (1 - d) with the confidence c and the standardized
        distance-based surprise d (the formula of the released code, with low
        confidence and large distance both suspicious). A callable gets the inputs and
        returns the scores.
    surprise : array-like, callable or fitted estimator, default=None
        For "dsa", "lsa" and "combined": the surprise of each input, a function of what
        ``fit`` gets, or an object with ``score_samples(X, y_pred)``, used as it is.
        None takes what ``fit`` gets for the surprise, where there is no estimator.
    standardize : {"max", "minmax", None}, default="max"
        How surprise is scaled: by its maximum (weights keep their proportions), to
        [0, 1], or not at all (the published thresholds are of raw values). Surprise
        below 0 is first shifted to a lowest value of 0, and the result says so.
    rule : {"paper", "released"}, default="paper"
        See above.
    threshold : str, float or ("confidence", float), default="auto"
        tau, on the scale of the (standardized) scores; a score must be above it. A
        number, "mean+2sd", "mean+sd", "mean+var" (population variance, of a scale of
        its own: for the published values use ``standardize=None``), or a confidence c,
        which gives 1 - c. "auto" is ("confidence", 0.7) for "confidence" and
        "combined", and "mean+2sd" for other scores and for any score above 1.
    mixing : float in [0, 1), default=0.8
        r. With 1 some inputs could never be drawn.
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
    scores_ : ndarray of shape (n_pool,)
        Suspicion of each input.
    y_pred_ : ndarray of shape (n_pool,) or None
        Predicted labels, where there are any.
    threshold_ : float
        The threshold in force.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    A. Guerriero, R. Pietrantuono, S. Russo, "Operation is the Hardest Teacher:
    Estimating DNN Accuracy Looking for Mispredictions", ICSE 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import DeepESTSampler
    >>> scores = np.linspace(0, 0.5, 1000)        # 1 - confidence
    >>> failed = np.random.default_rng(0).random(1000) < scores
    >>> sampler = DeepESTSampler(random_state=0).fit(scores)
    >>> ids = sampler.ask(50)
    >>> result = sampler.tell(ids, failed=failed[ids]).result()
    >>> result.n_labels, result.n_failures > 0
    (50, True)
    >>> low, high = result.interval
    >>> low < 1 - float(failed.mean()) < high
    True
    """

    _kept = ("estimator", "surprise")  # fitted: never cloned
    _parameter_rules = {
        "auxiliary": NamedOr(("confidence", "dsa", "lsa", "combined")),
        "standardize": Choice(*STANDARDIZE),
        "rule": Choice("paper", "released"),
        "mixing": check_mixing,
        "threshold": NamedOr(("auto", *SPREADS), check_threshold),
    }

    @classmethod
    def _get_test_params(cls):
        return [{}, {"rule": "released"}]

    def __init__(
        self,
        estimator=None,
        *,
        surprise=None,
        standardize="max",
        rule="paper",
        threshold="auto",
        mixing=0.8,
        **shared,
    ):
        super().__init__(estimator, **shared)
        self.surprise = surprise
        self.standardize = standardize
        self.rule = rule
        self.threshold = threshold
        self.mixing = mixing

    def _suspicion(self, X, y_pred):
        if not isinstance(self.auxiliary, str) or self.auxiliary == "confidence":
            return super()._suspicion(X, y_pred)
        surprise, notes = surprise_scores(self, X, y_pred)
        if self.auxiliary != "combined":
            return surprise, notes
        doubt, _ = super()._suspicion(X, y_pred)
        return with_confidence(doubt, surprise, type(self).__name__), notes

    def _start(self):
        # The weighted draws follow one exponential race, the uniform ones one random
        # permutation; both skip what the other took. Races and permutations are
        # memoryless, so each draw has exactly the probability q.
        n_pool = self.n_pool_
        self.threshold_ = self._find_threshold()
        self.rule_, self.mixing_ = self.rule, self.mixing  # fixed once drawing begins
        self._weights = self._links()
        self._all = self._last_sum = self._sum = self._weights.sum()
        self._keys = np.full(n_pool, np.inf)
        linked = np.flatnonzero(self._weights)
        runs = self._rng.standard_exponential(len(linked))
        with np.errstate(over="ignore"):
            self._keys[linked] = runs / self._weights[linked]
        self._n_runners = int(np.isfinite(self._keys).sum())
        self._permutation = self._rng.permutation(n_pool)
        self._race = np.empty(0, dtype=np.intp)  # the head of the race, in order
        self._race_at = self._permutation_at = 0
        self._used = np.zeros(n_pool, dtype=bool)
        self._active = False

    def _probabilities(self, taken):
        """Return the definition of q, which the fast draw must equal."""
        suspicious = self.scores_[taken] > self.threshold_
        active = suspicious.any() if self.rule_ == "paper" else taken.any()
        return self._mixed(taken, active)

    def _mixed(self, taken, active):
        """Return the probabilities of a draw, weighted if the design is active."""
        uniform = np.where(taken, 0.0, 1 / (~taken).sum())
        links = self._links()
        weights = np.where(taken, 0.0, links)
        if not active or weights.sum() <= EXHAUSTED * links.sum():
            return uniform
        return self.mixing_ * weights / weights.sum() + (1 - self.mixing_) * uniform

    def _draw(self, n):
        ids, drawn_with = np.empty(n, dtype=np.intp), np.empty(n)
        n_left, r = self.n_pool_ - self._n_asked, self.mixing_
        for step, uniform in enumerate(self._rng.random(n)):
            weighted = self._active and self._sum > EXHAUSTED * self._all
            race = weighted and uniform < r
            i = self._next_runner() if race else self._next_uniform()
            q = 1 / (n_left - step)
            if weighted:
                q = r * self._weights[i] / self._sum + (1 - r) * q
            ids[step], drawn_with[step] = i, q
            self._take(i)
        return ids, drawn_with

    def _take(self, i):
        self._used[i] = True
        self._active |= self.rule_ == "released" or self.scores_[i] > self.threshold_
        self._sum -= self._weights[i]
        self._weights[i] = 0.0
        if self._sum < self._last_sum / 2:  # before differences lose their digits
            self._sum = self._last_sum = self._weights.sum()

    def _next_uniform(self):
        while self._used[self._permutation[self._permutation_at]]:
            self._permutation_at += 1
        return self._permutation[self._permutation_at]

    def _next_runner(self):
        while True:
            while self._race_at < len(self._race):
                i = self._race[self._race_at]
                if not self._used[i]:
                    return i
                self._race_at += 1
            # Sort a longer head. A free input of more than EXHAUSTED weight is left,
            # and its key is finite, so this ends.
            n = min(max(1024, 16 * len(self._race)), self._n_runners)
            head = np.argpartition(self._keys, n - 1)[:n]
            self._race = head[np.argsort(self._keys[head])]
            self._race_at = 0

    def _links(self):
        """Return the weights of a started design, scaled to at most 1."""
        links = self.scores_
        if self.rule_ == "released":
            links = np.where(links > self.threshold_, links, 0.0)
        largest = links.max()
        return links / largest if largest > 0 else np.zeros_like(links)

    def _floor(self, n):
        seen = self.scores_[self.ids_[:n]] > self.threshold_
        if self.rule_ == "released":
            seen[:] = True
        active = np.cumsum(seen) > seen  # before each draw
        return np.where(active, 1 - self.mixing_, 1.0) / (self.n_pool_ - np.arange(n))

    def _plan_draws(self):
        return self._mixed(np.zeros(self.n_pool_, dtype=bool), active=True)

    def _find_threshold(self):
        rule = self.threshold
        if isinstance(rule, str) and rule == "auto":
            named = isinstance(self.auxiliary, str)
            doubt = named and self.auxiliary in ("confidence", "combined")
            by_confidence = doubt and self.scores_.max() <= 1
            rule = CONFIDENCE_THRESHOLD if by_confidence else "mean+2sd"
        if isinstance(rule, str):
            scale = max(float(self.scores_.max()), 1.0)  # squares may overflow
            with np.errstate(over="ignore"):  # no score is above infinity
                return float(SPREADS[rule](self.scores_ / scale, scale) * scale)
        return 1 - float(rule[1]) if isinstance(rule, (tuple, list)) else float(rule)
