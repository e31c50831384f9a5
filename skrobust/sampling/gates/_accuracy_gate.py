"""Sequential test of whether an accuracy is reached."""

import math
from functools import cached_property

import numpy as np

from skrobust._array_checks import check_scores
from skrobust._results import Results
from skrobust._validation import check_count, check_number, invalid
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.gates.gate_decision import GateDecision
from skrobust.sampling.gates.path_chances import (
    TwoRates,
    path_chances,
    ratio_bounds,
)

LONGEST = 10  # times the labels of the test of fixed size
MOST = 200_000  # labels whose bounds are computed
TRIES = 6  # of smaller goals


class AccuracyGate:
    r"""Decide with few labels whether an accuracy reaches a threshold.

    A sequential test: after each label of a uniform draw it passes the model, fails it,
    or asks for one more. Its errors are guaranteed, whenever it stops:

    * a model whose accuracy is below ``threshold`` passes with a probability of at most
      ``alpha``;
    * a model whose accuracy is at least ``threshold + margin`` fails with a probability
      of at most ``beta``.

    In between either verdict is acceptable. With :math:`K_0` the smallest number of
    mispredictions among N inputs at which the accuracy is too low, :math:`K_1` the
    largest at which it is high enough, and f mispredictions among n labels, it stops as
    soon as

    .. math::

        \frac{(K_1)_f \, (N - K_1)_{n-f}}{(K_0)_f \, (N - K_0)_{n-f}}
            \ge A \quad\text{(passes)}, \qquad \le 1/B \quad\text{(fails)}

    the ratio of the exact likelihoods without replacement, with falling factorials
    (without ``n_pool``: of independent draws). :math:`A = 1/\alpha`,
    :math:`B = 1/\beta` would do, by Ville's inequality; smaller values need fewer
    labels, and the smallest are taken for which both errors, summed over all paths, are
    as stated (this calibration is our own). For every other accuracy they are smaller,
    since the ratio falls with each misprediction.

    Parameters
    ----------
    threshold : float in (0, 1)
        The accuracy that is required.
    margin : float > 0
        Width of the zone above it in which either verdict is acceptable: a model that
        good is to be passed. The labels needed grow with 1 / margin**2; ``threshold +
        margin`` is at most 1.
    alpha, beta : float in (0, 0.5), default=0.05
        Error of a wrong pass, and of a wrong fail.
    n_pool : int, default=None
        Size of the pool that the labels are drawn from without replacement. None is for
        independent draws, and for verdicts on the operation behind a pool.

    References
    ----------
    A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical
    Statistics 1945. J. Ville, "Étude critique de la notion de collectif", 1939.
    I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by
    betting", JRSS B 2024 (weighted draws).

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import AccuracyGate, SimpleRandomSampler
    >>> gate = AccuracyGate(0.9, margin=0.06, n_pool=1000)
    >>> failed = np.arange(1000) % 50 == 0             # accuracy .98
    >>> sampler = SimpleRandomSampler(random_state=0).fit(np.ones(1000))
    >>> while gate.decide(sampler).verdict == "undecided":
    ...     ids = sampler.ask(10)
    ...     sampler = sampler.tell(ids, failed=failed[ids])
    >>> print(gate.decide(sampler))
    passes: accuracy of at least 0.9 (error 0.05), decided after 58 labels
    60 labels, 1 misprediction
    """

    def __init__(self, threshold, *, margin, alpha=0.05, beta=0.05, n_pool=None):
        caller = type(self).__name__
        ends = {"low": 0, "high": 1, "low_open": True, "high_open": True}
        self.threshold = check_number(threshold, "threshold", caller, **ends)
        self.margin = check_number(margin, "margin", caller, low=0, low_open=True)
        if self.threshold + self.margin > 1 + 1e-12:
            rule = f"at most 1 - threshold = {1 - self.threshold:g}"
            raise invalid("margin", caller, rule, margin)
        ends["high"] = 0.5
        self.alpha = check_number(alpha, "alpha", caller, **ends)
        self.beta = check_number(beta, "beta", caller, **ends)
        if n_pool is not None:
            n_pool = check_count(n_pool, "n_pool", caller, low=2)
        self.n_pool = n_pool

    def decide(self, outcomes):
        """Give the verdict on labels so far, in the order of their draws.

        It may be asked after each label, and the errors hold. The first verdict stays;
        of weighted draws it is that of the labels so far, so take the first one.

        Parameters
        ----------
        outcomes : sampler or array-like of shape (n,)
            A fitted sampler; or whether each input of a uniform draw was mispredicted
            (booleans, or 0 and 1). Of a sampler with uniform draws the answers before
            the first open one count, and skipped ones stand for the worse of both. One
            with weighted draws is decided by its anytime interval at the levels
            ``alpha`` and ``beta``: as sure, with more labels.

        Returns
        -------
        GateDecision
            "passes", "fails" or "undecided".

        Raises
        ------
        ValueError
            For bad outcomes, a pool of another size, more labels than it holds, and
            weighted draws that have no anytime interval.
        """
        caller = f"{type(self).__name__}.decide"
        if isinstance(outcomes, BaseSampler):
            return self._decide_sampler(outcomes, caller)
        failed = check_scores(outcomes, caller, name="outcomes", min_size=0)
        if not np.isin(failed, (0, 1)).all():
            rule = "booleans, or 0 and 1: whether each input was mispredicted"
            raise invalid("outcomes", caller, rule, outcomes)
        if self.n_pool is not None and len(failed) > self.n_pool:
            rule = f"of at most {self.n_pool} inputs, the size of the pool"
            raise invalid("outcomes", caller, rule, f"{len(failed)} outcomes")
        return self._decision(failed, failed)

    def expected_labels(self, accuracy):
        """Return how many labels the decision takes, for a true accuracy.

        Parameters
        ----------
        accuracy : float in [0, 1]
            The true accuracy; in a pool, the nearest possible one.

        Returns
        -------
        Results
            ``expected`` labels, ``median`` and ``q95`` (enough in 95 % of all cases),
            ``pass_probability``, and ``fixed_size``, the labels of the smallest test of
            fixed size with the same errors. Exact, by summing over all paths of uniform
            draws.
        """
        caller = f"{type(self).__name__}.expected_labels"
        accuracy = check_number(accuracy, "accuracy", caller, low=0, high=1)
        passed, failed = self._chances(accuracy)
        ended = np.cumsum(passed + failed)
        left = np.maximum(1 - ended, 0)  # chance of more than n labels
        return Results(
            accuracy=accuracy,
            expected=float(left.sum()),
            median=int(np.argmax(ended >= 0.5)),
            q95=int(np.argmax(ended >= 0.95)),
            pass_probability=float(passed.sum()),
            fixed_size=self._fixed_size[0],
        )

    def pass_probability(self, accuracy):
        """Return the probability to pass, for a true accuracy.

        Parameters
        ----------
        accuracy : float in [0, 1]
            The true accuracy; in a pool, the nearest possible one.

        Returns
        -------
        float
            At most ``alpha`` below the threshold, and at least 1 - ``beta`` from
            ``threshold + margin`` on.
        """
        caller = f"{type(self).__name__}.pass_probability"
        accuracy = check_number(accuracy, "accuracy", caller, low=0, high=1)
        return float(self._chances(accuracy)[0].sum())

    def _chances(self, accuracy):
        failures = 1 - accuracy
        if self.n_pool is not None:
            failures = round(self.n_pool * failures)
        return path_chances(self._rates, self._bounds, failures)

    @cached_property
    def _rates(self):
        bad, good = 1 - self.threshold, max(1 - self.threshold - self.margin, 0.0)
        if self.n_pool is not None:
            bad = min(math.floor(self.n_pool * bad + 1e-9) + 1, self.n_pool)
            good = min(math.floor(self.n_pool * good + 1e-9), bad - 1)
        return TwoRates(self.n_pool, bad, good)

    @cached_property
    def _fixed_size(self):
        found = self._rates.fewest(self.alpha, self.beta)
        if found is None:
            rule = "wide enough for a test of at most 2**53 labels"
            raise invalid("margin", type(self).__name__, rule, self.margin)
        return found

    @cached_property
    def _bounds(self):
        """Bounds with the smallest goals at which the exact errors are as stated."""
        rates = self._rates
        n_fixed = self._fixed_size[0]
        most, few = (
            min(times * n_fixed + 100, MOST, self.n_pool or MOST)
            for times in (LONGEST, 3)
        )
        target = np.log([self.alpha, self.beta])
        truths = rates.bad, rates.good

        def errors(goals):
            bounds, wrong = ratio_bounds(rates, *goals, few), []
            for side, truth in enumerate(truths):
                ends = [part.sum() for part in path_chances(rates, bounds, truth)]
                wrong.append(ends[side] + max(1 - sum(ends), 1e-12))  # open: wrong
            return np.log(wrong)

        goals, step = -target, None
        for _ in range(TRIES):
            if step is None:  # an error is nearly in proportion to exp(-goal)
                step = np.minimum(errors(goals) - target, 0)
            tried = np.maximum(goals + step, 0.0)
            if (errors(tried) <= target).all():
                goals, step = tried, None
            else:
                step = step / 2
        return ratio_bounds(rates, *goals, most)

    def _decision(self, worst, best):
        """Return the decision from outcomes as the worst and the best that they are."""
        n = np.arange(1, len(worst) + 1)
        within = n[n < len(self._bounds.passes)]
        most, fewest = np.cumsum(worst)[: len(within)], np.cumsum(best)[: len(within)]
        passed = most <= self._bounds.passes[within]
        failed = fewest >= self._bounds.fails[within]
        verdict, at = "undecided", None
        if (passed | failed).any():
            place = int((passed | failed).argmax())
            verdict, at = ("passes" if passed[place] else "fails"), place + 1
        can_pass = None
        if at is None and len(within) == len(n):
            ahead = self._bounds.passes[len(n) :] >= worst.sum()
            can_pass = len(n) + int(ahead.argmax()) if ahead.any() else None
        return self._say(verdict, at, len(worst), int(worst.sum()), can_pass)

    def _say(self, verdict, at, n_labels, n_failures, can_pass=None, method="exact"):
        return GateDecision(
            verdict=verdict,
            decided_at=at,
            n_labels=n_labels,
            n_failures=n_failures,
            can_pass_at=can_pass,
            threshold=self.threshold,
            margin=self.margin,
            alpha=self.alpha,
            beta=self.beta,
            method=method,
        )

    def _decide_sampler(self, sampler, caller):
        answered, skipped = sampler._answered()
        if answered.graded:
            raise ValueError(
                f"{caller} decides on labels that are right or wrong, and the sampler "
                "was told losses; use its should_stop and the interval of its result."
            )
        if self.n_pool is not None and self.n_pool != sampler.n_pool_:
            rule = f"{sampler.n_pool_}, the size of the pool of the sampler, or None"
            raise invalid("n_pool", type(self).__name__, rule, self.n_pool)
        if sampler._is_uniform:
            worst = answered.y.copy()  # which has 0 where none was told
            worst[skipped] = 1.0
            return self._decision(worst, answered.y)
        return self._decide_weighted(sampler, answered.n, int(answered.y.sum()))

    def _decide_weighted(self, sampler, n_labels, n_failures):
        verdict = "undecided"
        if n_labels >= 2:
            settings = {"method": "anytime"}
            low = sampler.result(confidence=1 - 2 * self.alpha, **settings).interval[0]
            high = sampler.result(confidence=1 - 2 * self.beta, **settings).interval[1]
            if low >= self.threshold:
                verdict = "passes"
            elif high < self.threshold + self.margin:
                verdict = "fails"
        at = n_labels if verdict != "undecided" else None
        return self._say(verdict, at, n_labels, n_failures, method="anytime")
