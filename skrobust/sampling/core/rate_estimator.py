"""Estimators of the failure rate, by name, with their intervals."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from skrobust._array_checks import check_scores
from skrobust._validation import check_choice, invalid
from skrobust.sampling.core.assistance import best_factor
from skrobust.sampling.core.cross_fitted import check_features, cross_fitted
from skrobust.sampling.core.draws import Answered
from skrobust.sampling.core.estimates import Estimate, lure_weights, sums_of_free
from skrobust.sampling.core.rate_interval import Bounds

ESTIMATORS = ("default", "published", "difference", "lure", "ppi", "learned")
METHODS = (
    "default", "t", "hypergeometric", "wilson", "anytime", "asymptotic", "bootstrap",
)  # fmt: skip
CORRECTED = ("difference", "ppi", "learned")  # estimators that correct a predictor
ALL_PATTERNS = 6  # skipped answers up to which each combination is tried
CHAIN = 16
ROUNDING = 1e-12  # beyond [0, 1], that is none of the draws


@dataclass(eq=False)
class RateEstimator:
    """Estimate of a failure rate and its interval, as requested of one sampler.

    Parameters
    ----------
    design : SamplingDesign
        The sampler, for its formulas.
    answered : Answered
        The rounds. They keep the predictions that the estimator corrects.
    estimator, method, confidence, predictor
        As in ``BaseSampler.result``.
    caller : str
        Name for error messages.
    """

    design: object
    answered: Answered
    estimator: str = "default"
    method: str = "default"
    confidence: float = 0.95
    predictor: object = None
    caller: str = ""
    features: object = None

    def __post_init__(self):
        self.tail = (1 - self.confidence) / 2
        self._check()
        if self.estimator == "learned":
            scores, n_pool = self.design.scores_, self.answered.n_pool
            features = self.design.features_ if self.features is None else self.features
            self.features = check_features(features, scores, n_pool, self.caller)
        self.answered = self._with_predictions()

    def evaluate(self, answered):
        """Return estimate and bounds of the rate; all outcomes count as known."""
        if answered.n == answered.n_pool and self.estimator != "published":
            rate = float(answered.y.sum()) / answered.n_pool
            estimate = Estimate(rate, 0.0, np.inf, float(answered.n))
            return estimate, Bounds(rate, rate, "census", [])
        estimate = self.estimate(answered)
        nearest = float(np.clip(estimate.rate, 0, 1))
        if abs(estimate.rate - nearest) < ROUNDING:
            estimate = replace(estimate, rate=nearest)
        return estimate, self.design._interval(answered, estimate, self)

    def estimate(self, answered):
        """Return the estimate alone."""
        design = self.design
        if self.estimator == "default":
            return design._estimate(answered)
        if self.estimator == "published":
            return design._published(answered)
        if self.estimator == "lure":
            return design._combine(answered, weights=lure_weights(answered))
        if self.estimator == "learned":  # anew for each pattern of skipped answers
            scores = self.design.scores_
            answered = cross_fitted(answered, self.features, self.predictor, scores)
        if self.estimator in ("ppi", "learned"):
            answered = answered.with_scaled_m(self._lambda(answered))
        return design._combine(answered)

    def _lambda(self, answered):
        """Return the lambda of PPI++, clipped and shrunk."""
        rarer = min(answered.y.sum(), answered.n - answered.y.sum())
        return best_factor(self.design._combine, answered, rarer)

    def _with_predictions(self):
        """Return the rounds with the predictions m that are needed, 0 for none."""
        answered, corrected = self.answered, self.estimator in CORRECTED
        stored = corrected and self.predictor is None and (answered.which >= 0).any()
        if self.estimator == "default" or stored:
            return answered
        if not corrected or self.estimator == "learned":
            return answered.with_scaled_m(0.0)
        p = self._failure_probabilities()
        span = np.tile([p.min(), p.max()], (len(answered.ends), 1))
        m, m_free = p[answered.ids], sums_of_free(p, answered)
        return replace(answered, m=m, m_free=m_free, m_span=span)

    def _failure_probabilities(self):
        """Return the given failure probability of each unit."""
        predictor, scores = self.predictor, self.design.scores_
        if predictor is None or isinstance(predictor, str):
            check_choice(predictor, "predictor", self.caller, (None, "confidence"))
            if scores is None or scores.max() > 1:
                raise ValueError(
                    f"{self.caller} has no scores in [0, 1] to take for probabilities "
                    "of a misprediction: pass predictor=, one probability for each "
                    "unit."
                )
            return scores
        p = check_scores(predictor, self.caller, name="predictor")
        n_pool = self.design.n_pool_
        if len(p) != n_pool or p.min() < 0 or p.max() > 1:
            rule = f"{n_pool} probabilities of a misprediction, fixed in advance"
            raise invalid("predictor", self.caller, rule, predictor)
        return p

    def _check(self):
        """Raise for what is not valid for the draws, or not together."""
        self._check_offered("estimator", ESTIMATORS, self.design._estimators)
        method, estimator = self.method, self.estimator
        if self.predictor is not None and estimator not in CORRECTED:
            raise ValueError(
                f"{self.caller}: predictor= goes with estimator='difference' or 'ppi', "
                f"not with {estimator!r}."
            )
        if estimator == "learned":
            learner = self.predictor
            can_learn = hasattr(learner, "fit") and hasattr(learner, "predict")
            if learner is not None and not can_learn:
                rule = "None or a regressor where estimator='learned'"
                raise invalid("predictor", self.caller, rule, self.predictor)
        elif self.features is not None:
            raise ValueError(
                f"{self.caller}: features= goes with estimator='learned', not with "
                f"{estimator!r}."
            )
        self._check_offered("method", METHODS, self.design._methods)
        plain = estimator in ("default", "published")
        if method in ("hypergeometric", "wilson") and not plain:
            raise ValueError(
                f"{self.caller}: method={method!r} is an interval of the plain mean; "
                f"with estimator={estimator!r} use 't', 'anytime' or 'bootstrap'."
            )
        if method == "asymptotic" and estimator != "default":
            raise ValueError(
                f"{self.caller}: method='asymptotic' goes with estimator='default', "
                f"not with {estimator!r}."
            )
        if method in ("hypergeometric", "wilson") and self.answered.graded:
            raise ValueError(
                f"{self.caller}: method={method!r} is an interval of labels that are "
                "right or wrong; for losses use 'default', 't', 'anytime' or "
                "'bootstrap'."
            )
        if method == "anytime" and estimator in ("lure", "ppi", "learned"):
            raise ValueError(
                f"{self.caller}: method='anytime' needs an estimate that depends on "
                f"the past alone; estimator={estimator!r} does not: use 'default' or "
                "'difference'."
            )

    def _check_offered(self, name, known, offered):
        value = check_choice(getattr(self, name), name, self.caller, known)
        if value not in offered:
            raise ValueError(
                f"{self.caller}: {name}={value!r} is not valid for the draws of "
                f"{type(self.design).__name__}; these are: "
                f"{', '.join(repr(one) for one in offered)}."
            )


def over_skipped(answered, skipped, evaluate):
    """Return what ``evaluate`` gives for each pattern of skipped answers."""
    found = []
    for pattern in patterns(skipped, answered):
        y = answered.y.copy()
        y[skipped] = pattern
        found.append(evaluate(replace(answered, y=y)))
    return found


def unknown_note(unknown, least, most, *, of=None):
    """Return a note of the range of an estimate over outcomes that are unknown.

    ``of`` is what numbers are called that were told, such as "loss".
    """
    what = "be correct or mispredicted"
    if of is not None:
        what = f"have the least or the largest {of}"
    return (
        f"{unknown} could {what}: the estimate "
        f"lies between {least:.4f} and {most:.4f} (the middle is shown)"
    )


def counted(n_skipped, n_open):
    """Return how many answers are skipped, and how many open ones count like them."""
    parts = []
    if n_skipped:
        parts.append(f"{n_skipped} skipped answer{'s' * (n_skipped > 1)}")
    if n_open:
        parts.append(
            f"{n_open} open answer{'s' * (n_open > 1)} (treated like skipped ones)"
        )
    return " and ".join(parts)


def patterns(skipped, answered):
    """Yield outcomes of skipped answers: all of them, or the extremes and a chain.

    With few skipped answers each combination. With many: from none failed to all
    failed, the draws of lowest probability first, since these move the estimate most.
    """
    n = len(skipped)
    if n <= ALL_PATTERNS:
        yield from product((0.0, 1.0), repeat=n)
        return
    place = np.argsort(np.argsort(answered.pi[skipped], kind="stable"))
    for n_failed in np.unique(np.linspace(0, n, CHAIN).round()):
        yield (place < n_failed).astype(np.float64)
