"""From answers to a result: counts, skipped answers, estimates, intervals."""

from dataclasses import replace
from itertools import product

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust._results import facts_html
from skrobust._validation import invalid
from skrobust.sampling.core.answers import FAILED, OPEN, PASSED, SKIPPED
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.core.sampling_result import SamplingResult

ALL_PATTERNS = 6  # skipped answers up to which each combination is tried
CHAIN = 16


class ResultMixin:
    """The part of a sampler that reports what the answers say."""

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._state_html()
        return bundle

    @property
    def _repr_html_(self):
        diagram = super()._repr_html_
        return lambda: diagram() + self._state_html()

    def _state_html(self):
        """Return what the answers say, below the diagram, once there is a pool."""
        if not hasattr(self, "n_pool_"):
            return ""
        found = self.result()
        low, high = found.interval
        facts = {
            "labels": f"{found.n_labels} of {found.n_pool}",
            "mispredictions": found.n_failures,
            "accuracy": found.accuracy,
            f"{100 * found.confidence:g} % interval": f"{low:.4g} to {high:.4g}",
        }
        return facts_html("Sampling so far", facts)

    def result(
        self,
        *,
        confidence=0.95,
        method="default",
        estimator="default",
        predictor=None,
    ):
        """Estimate the accuracy on the whole pool from the answers so far.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.
        method : str, default="default"
            The interval: "default" (of the sampler), "t", "bootstrap" (percentile),
            "anytime" (valid however often it is looked at: required where the results
            decide when to stop), and for uniform draws "hypergeometric" or "wilson".
        estimator : str, default="default"
            "default" (of the sampler), "published" (what the authors of the design
            compute), "difference" (corrects a predictor by the answers: unbiased
            whatever the predictor), "ppi" (the same with the predictor times a number
            in [0, 1] tuned on the answers) or "lure" (weights that make it exact once
            all are drawn). PPI++ (Angelopoulos et al. 2023) takes the number that
            minimises the estimated variance; clipping it to [0, 1] and multiplying it
            by k / (k + 5), with k the answers of the rarer kind, is our choice, since
            it is unstable while mispredictions are few. It looks at the answers, so
            the estimate is only nearly unbiased.
        predictor : array-like of shape (n_pool,) or "confidence", default=None
            For "difference" and "ppi": the probability that each input is mispredicted,
            fixed before its label was known. "confidence" is ``scores_``; None is the
            sampler's own predictor as it was at each draw, or else ``scores_``.

        Returns
        -------
        SamplingResult
            Nan and (0, 1) before two labels; exact once the whole pool is told, except
            for ``estimator="published"``.

        Raises
        ------
        ValueError
            For arguments that are not valid for this sampler.
        """
        check_is_fitted(self)
        self._check_parameters()
        caller = f"{type(self).__name__}.result"
        check_confidence(confidence, caller)
        self._check_estimator(estimator, predictor, caller)
        self._check_method(method, estimator, caller)
        ids = self.ids_
        status = self._status[ids]
        answered = self._rounds.answered(status != OPEN, status == FAILED, self.n_pool_)
        predicted = self._predicted(answered, estimator, predictor, caller)
        options = {
            "method": method,
            "estimator": estimator,
            "predicted": predicted,
            "level": confidence,
        }
        n_told = int(((status == PASSED) | (status == FAILED)).sum())
        n_failed, n_pool = int((status == FAILED).sum()), self.n_pool_
        bounds = n_failed / n_pool, (n_failed + n_pool - n_told) / n_pool
        notes = [*self._pool_notes, *self._waiting(ids, status, answered)]
        usable = answered.n >= 2 or answered.n == n_pool
        if not usable:
            notes.append("Fewer than two usable answers: nothing is estimated yet.")
            estimate = Estimate(np.nan, np.nan, 0.0, float(answered.n))
            rates, low, high, name = (0.0, 1.0), 0.0, 1.0, "none"
        else:
            skipped = np.flatnonzero(status[: answered.n] == SKIPPED)
            estimate, rates, low, high, name, more = self._worst(
                answered, skipped, options
            )
            notes += more
            if name not in ("census",) and not bounds[0] <= estimate.rate <= bounds[1]:
                notes.append(
                    "The estimate lies outside what the counts allow, as unbiased "
                    "estimates may; the interval does not."
                )
            if low < high and min(high, bounds[1]) - max(low, bounds[0]) < 1e-12:
                notes.append(
                    f"The {name} interval lies outside what the counts allow: only "
                    "counts bound the accuracy."
                )
                low, high, name = *bounds, "none"
            low, high = np.clip([low, high], *bounds)
        return SamplingResult(
            accuracy=float(1 - estimate.rate),
            interval=(float(1 - high), float(1 - low)),
            std_error=float(estimate.std_error),
            n_labels=n_told,
            n_failures=n_failed,
            failures=ids[status == FAILED],
            n_pool=n_pool,
            confidence=float(confidence),
            method=name,
            effective_n=float(estimate.effective_n),
            warnings=tuple(dict.fromkeys(notes)),
            estimator=estimator,
            n_used=answered.n,
            n_skipped=int((status == SKIPPED).sum()),
            accuracy_bounds=(float(1 - rates[1]), float(1 - rates[0])),
        )

    def _waiting(self, ids, status, answered):
        rest = status[answered.n :]
        n_waiting = int((rest != OPEN).sum())
        if n_waiting:
            first = ids[answered.n + int((rest == OPEN).argmax())]
            yield (
                f"{n_waiting} told answers wait behind id {first}, which is still "
                "open: answer or skip it, since the estimate uses the draws before it."
            )

    def _worst(self, answered, skipped, options):
        """Return what the answers say whatever the skipped ones would have been."""
        if not len(skipped):
            estimate, low, high, name, notes = self._once(answered, **options)
            return estimate, (estimate.rate, estimate.rate), low, high, name, notes
        found = []
        for pattern in patterns(skipped, answered):
            y = answered.y.copy()
            y[skipped] = pattern
            found.append(self._once(replace(answered, y=y), **options))
        rates = [f[0].rate for f in found]
        least, most = min(rates), max(rates)
        middle = Estimate(
            (least + most) / 2,
            max(f[0].std_error for f in found),
            min(f[0].df for f in found),
            min(f[0].effective_n for f in found),
        )
        notes = [
            f"{len(skipped)} skipped answers could be right or wrong: the estimate "
            f"lies between {1 - most:.4f} and {1 - least:.4f} (the middle is shown), "
            "and the interval covers what either would give."
        ]
        for f in found:
            notes += [note for note in f[4] if note not in notes and len(notes) < 3]
        low, high = min(f[1] for f in found), max(f[2] for f in found)
        names = {f[3] for f in found}
        name = names.pop() if len(names) == 1 else "worst case"
        return middle, (least, most), low, high, name, notes

    def _once(self, answered, **options):
        """Return estimate, low, high, method and notes for outcomes all known."""
        estimator, predicted = options["estimator"], options["predicted"]
        if answered.n == answered.n_pool and estimator != "published":
            rate = float(answered.y.sum()) / answered.n_pool
            estimate = Estimate(rate, 0.0, np.inf, float(answered.n))
            return estimate, rate, rate, "census", []
        estimate = self._estimate_by(answered, estimator, predicted[:2])
        return estimate, *self._interval(answered, estimate, **options)


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


def check_confidence(confidence, caller):
    """Raise unless it is a number strictly between 0 and 1."""
    valid = np.isscalar(confidence) and not isinstance(confidence, (str, bool))
    if not valid or not 0 < confidence < 1:
        raise invalid("confidence", caller, "a number in (0, 1)", confidence)
