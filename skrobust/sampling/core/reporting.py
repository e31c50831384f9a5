"""Results of a sampler: counts, skipped answers, estimate and interval."""

import numpy as np

from skrobust._results import facts_html
from skrobust.sampling.core.answer_checks import FAILED, OPEN, PASSED, SKIPPED
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.core.rate_estimator import counted, over_skipped, unknown_note
from skrobust.sampling.core.rate_interval import Bounds
from skrobust.sampling.core.sampling_result import SamplingResult


def sampling_result(estimator, unknown, ids, status, answers, pool_notes):
    """Return the estimated accuracy, or mean loss, on the pool.

    Parameters
    ----------
    estimator : RateEstimator
        Of the rounds that are used.
    unknown : ndarray of int
        Places of the outcomes in these rounds that were skipped or are open.
    ids, status : ndarray of shape (n_draws,)
        All draws, and the status of each.
    answers : Answers
        All answers.
    pool_notes : list of str
        Notes about the pool.
    """
    answered, is_loss = estimator.answered, answers.of_losses
    scale = answers.loss if is_loss else ACCURACY
    failed, n_pool = status == FAILED, answered.n_pool
    n_told = int((failed | (status == PASSED)).sum())
    worst = float(answers.values(ids).sum())
    limits = worst / n_pool, (worst + n_pool - n_told) / n_pool
    notes = [*pool_notes, *waiting_note(ids, status, answered)]
    if answered.n < 2 and answered.n < n_pool:
        notes.append("Fewer than two usable answers: nothing is estimated yet.")
        estimate = Estimate(np.nan, np.nan, 0.0, float(answered.n))
        rates, low, high, method = (0.0, 1.0), 0.0, 1.0, "none"
    else:
        n_open = int((status[unknown] == OPEN).sum())
        subject = counted(len(unknown) - n_open, n_open)
        found = over_skipped(answered, unknown, estimator.evaluate)
        estimate, rates, bounds = worst_case(found, subject, scale, is_loss)
        low, high, method, more = within_counts(estimate.rate, bounds, limits)
        notes += more
    # What the counts rule out is not shown, which only brings the value nearer; that
    # of a paper is shown as it is there, if it is an accuracy at all.
    limits = (0.0, 1.0) if estimator.estimator == "published" else limits
    rates = np.clip(rates, *limits)
    low, high = min(low, rates[0]), max(high, rates[1])
    value = scale.shown(np.clip(estimate.rate, *limits))
    unbiased, between = scale.shown(estimate.rate), scale.between(*rates)
    nothing = np.nan, (np.nan, np.nan)
    (accuracy, accuracy_bounds), (mean_loss, loss_bounds) = (
        (nothing, (value, between)) if is_loss else ((value, between), nothing)
    )
    return SamplingResult(
        accuracy=accuracy,
        interval=scale.between(low, high),
        std_error=float(estimate.std_error * scale.span),
        n_labels=n_told,
        n_failures=int(failed.sum()),
        failures=ids[failed],
        n_pool=n_pool,
        confidence=float(estimator.confidence),
        method=method,
        effective_n=float(estimate.effective_n),
        warnings=tuple(dict.fromkeys(notes)),
        estimator=estimator.estimator,
        n_used=answered.n,
        n_skipped=int((status == SKIPPED).sum()),
        accuracy_bounds=accuracy_bounds,
        mean_loss=mean_loss,
        loss_bounds=loss_bounds,
        loss_range=(scale.low, scale.high) if is_loss else None,
        losses=scale.shown(answers.values(ids[failed])) if is_loss else None,
        unbiased_value=unbiased,
    )


class Accuracy:
    """The scale of accuracies: one minus the failure rate."""

    low, high, span, name = 0.0, 1.0, 1.0, "accuracy"

    def shown(self, rate):
        """Return the accuracy of a failure rate."""
        return float(1 - rate)

    def rate(self, accuracy):
        """Return the failure rate of an accuracy."""
        return 1 - accuracy

    def between(self, low, high):
        """Return the accuracies between two failure rates, the lower one first."""
        return self.shown(high), self.shown(low)


ACCURACY = Accuracy()


class ResultInNotebook:
    """Mixin of samplers: the result so far, below the diagram of a fitted sampler."""

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
        if not hasattr(self, "n_pool_"):
            return ""
        found = self.result()
        low, high = found.interval
        facts = {
            "labels": f"{found.n_labels} of {found.n_pool}",
            found.failure_kind: found.n_failures,
            found.measure: found.value,
            f"{100 * found.confidence:g} % interval": f"{low:.4g} to {high:.4g}",
        }
        return facts_html("Sampling so far", facts)


def waiting_note(ids, status, answered):
    """Yield a note if told answers wait behind an open draw."""
    rest = status[answered.n :]
    n_waiting = int((rest != OPEN).sum())
    if n_waiting:
        first = ids[answered.n + int((rest == OPEN).argmax())]
        yield (
            f"{n_waiting} told answers are not in the estimate yet, which uses draws "
            f"in order, and batches as a whole: answer or skip id {first}, the first "
            "that is open."
        )


def worst_case(found, unknown, scale, is_loss):
    """Return estimate, lowest and highest rate, and bounds over unknown outcomes.

    ``unknown`` says how many there are, in words; empty where there are none.
    """
    estimates, bounds = zip(*found, strict=True)
    if not unknown:
        rate = estimates[0].rate
        return estimates[0], (rate, rate), bounds[0]
    rates = [estimate.rate for estimate in estimates]
    least, most = min(rates), max(rates)
    middle = Estimate(
        (least + most) / 2,
        max(estimate.std_error for estimate in estimates),
        min(estimate.df for estimate in estimates),
        min(estimate.effective_n for estimate in estimates),
    )
    note = unknown_note(
        unknown, *scale.between(least, most), of="loss" if is_loss else None
    )
    notes = [f"{note}, and the interval covers what either would give."]
    for one in bounds:
        notes += [note for note in one.notes if note not in notes and len(notes) < 3]
    methods = {one.method for one in bounds}
    method = methods.pop() if len(methods) == 1 else "worst case"
    low, high = min(one.low for one in bounds), max(one.high for one in bounds)
    return middle, (least, most), Bounds(low, high, method, notes)


def within_counts(rate, bounds, limits):
    """Return the bounds cut to what the counts of answers allow.

    An unbiased estimate may lie outside of that; the nearest value inside is shown.
    """
    low, high, method, notes = bounds
    notes = list(notes)
    if method != "census" and not limits[0] <= rate <= limits[1]:
        notes.append(
            "The unbiased estimate lies outside what the counts allow, as it may: the "
            "nearest value that they allow is shown, and unbiased_value has it."
        )
    if low < high and min(high, limits[1]) - max(low, limits[0]) < 1e-12:
        notes.append(
            f"The {method} interval lies outside what the counts allow: only counts "
            "bound the estimate."
        )
        low, high, method = *limits, "none"
    low, high = np.clip([low, high], *limits)
    return Bounds(low, high, method, notes)
