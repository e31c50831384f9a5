"""Ratios of two totals over the pool, with standard errors and intervals."""

from dataclasses import replace

import numpy as np

from skrobust._containers import one_per_row
from skrobust._validation import check_choice, check_confidence, invalid, refuse_missing
from skrobust.sampling.core.estimates import Estimate, sums_of_free
from skrobust.sampling.core.rate_estimator import counted, over_skipped, unknown_note
from skrobust.sampling.core.rate_interval import (
    FEW_RESIDUALS,
    t_half_width,
    unseen_bounds,
)
from skrobust.sampling.core.sampling_estimate import SamplingEstimate

METRICS = ("accuracy", "precision", "recall", "f1")


class RatioEstimator:
    """Metrics of the pool, of classes and of groups from the answers of a sampler.

    Parameters
    ----------
    sampler : AskTellSampler
        Fitted.
    confidence : float
        Of the intervals.
    caller : str
        Name for error messages.
    """

    def __init__(self, sampler, confidence, caller):
        self.design, self.labels = sampler, sampler._answers.labels
        check_confidence(confidence, caller)
        answered, self.skipped = sampler._answered()
        self.answered = answered.with_scaled_m(0.0)
        self.confidence, self.caller = confidence, caller
        self.tail = (1 - confidence) / 2
        self.census = self.answered.n == self.answered.n_pool

    def metric(self, name, label, groups):
        """Return one metric, or a dictionary by label, by group, or by both."""
        check_choice(name, "name", self.caller, METRICS)
        if name == "accuracy" and label is not None:
            raise ValueError(
                f"{self.caller}: label= goes with precision, recall and f1; the "
                "accuracy among inputs of a true class is its recall."
            )
        if name != "accuracy":
            y_pred = self._predictions(f"{self.caller}: {name}")

        def metric_in(part):
            if name == "accuracy" or label is not None:
                return self._metric(name, label, part)
            told = [self.labels[i] for i in self.answered.ids if i in self.labels]
            labels = dict.fromkeys([*np.unique(y_pred).tolist(), *told])
            return {one: self._metric(name, one, part) for one in labels}

        everything = np.ones(self.design.n_pool_, dtype=bool)
        groups = everything if groups is None else self._check_groups(groups)
        if groups.dtype == bool:
            return metric_in(groups)
        names = np.unique(groups).tolist()
        return {group: metric_in(groups == group) for group in names}

    def _predictions(self, subject):
        """Return the predicted labels of the pool, or raise for who needs them."""
        if self.design.y_pred_ is None:
            raise ValueError(
                f"{subject} needs predicted labels: fit with a classifier or with "
                "y_pred=."
            )
        return self.design.y_pred_

    def _check_groups(self, groups):
        """Return the group of each input, or a mask, as a 1-D array."""
        groups, n_pool = one_per_row(groups), self.design.n_pool_
        if groups.ndim != 1 or len(groups) != n_pool:
            rule = f"a mask, or one group, for each of the {n_pool} inputs of the pool"
            raise invalid("groups", self.caller, rule, groups.shape)
        refuse_missing(groups, self.caller, "groups")
        return groups

    def _metric(self, name, label, part):
        """Return one metric of one class in one part of the pool (a mask)."""
        if name in ("recall", "f1"):
            y_true, y_pred = self.both_labels()
            inside = part[self.answered.ids]
            correct = ((y_true == label) & (y_pred == label) & inside).astype(float)
            under = ((y_true == label) & inside).astype(float)
            if name == "f1":
                correct, under = 2 * correct, under + ((y_pred == label) & inside)
            return self._proportion(self.answered, correct, under)
        if name == "precision":
            part = part & (self.design.y_pred_ == label)
        found = over_skipped(
            self.answered, self.skipped, lambda one: self._accuracy_in(one, part)
        )
        if not len(self.skipped):
            return found[0]
        values = [one.value for one in found]
        lows, highs = zip(*(one.interval for one in found), strict=True)
        note = unknown_note(counted(len(self.skipped), 0), min(values), max(values))
        return replace(
            found[0],
            value=(min(values) + max(values)) / 2,
            interval=(min(lows), max(highs)),
            std_error=max(one.std_error for one in found),
            warnings=(f"{note}.", *found[0].warnings),
        )

    def mean_or_ratio(self, numerator, denominator):
        """Return the mean of any numbers over the pool, or a ratio of two totals."""
        answered, (y_true, y_pred) = self.answered, self.both_labels()
        above, below = self._values(numerator(y_true, y_pred)), np.ones(answered.n)
        if denominator is not None:
            below = self._values(denominator(y_true, y_pred))
        n_used, notes = answered.n, []
        if denominator is None and 2 <= n_used < answered.n_pool:
            found = self.design._combine(replace(answered, y=above))
        else:
            found, notes = self.ratio(answered, above, below)
            n_used = int(np.count_nonzero(below))
        half = t_half_width(found.std_error, found.df, (1 + self.confidence) / 2)
        if self.census:
            half = 0.0
        elif np.isnan(found.std_error) or found.std_error == 0:
            half = np.inf
            notes = notes or ["No variation seen: it tells nothing of the error."]
        centre = 0.0 if np.isnan(found.rate) else found.rate
        return self._result(found, (centre - half, centre + half), n_used, notes)

    def both_labels(self):
        """Return true and predicted labels; a passed input has the predicted one."""
        y_pred = self._predictions(self.caller)[self.answered.ids]
        y_true = y_pred.astype(object)
        unknown = set(self.skipped.tolist())
        for at, i in enumerate(self.answered.ids.tolist()):
            if i in self.labels:
                y_true[at] = self.labels[i]
            elif self.answered.y[at] or at in unknown:
                raise ValueError(
                    f"{self.caller} needs the true label of id {i}, which was "
                    f"{'skipped' if at in unknown else 'told as failed= alone'}; tell "
                    "y_true, or ask for accuracy or precision."
                )
        kinds = {isinstance(label, str) for label in y_true}
        return (np.array(y_true.tolist()) if len(kinds) == 1 else y_true), y_pred

    def _accuracy_in(self, answered, part):
        """Return the accuracy in a part of the pool that is known of each input."""
        inside = part[answered.ids].astype(float)
        return self._proportion(answered, (1 - answered.y) * inside, inside, part)

    def _proportion(self, answered, correct, under, part=None):
        """Return a proportion; part is the denominator over the pool, where known."""
        n_used = int(np.count_nonzero(under))
        if part is not None and self.design._known_sizes and n_used:
            found, notes = self.failures_in(answered, part)
        else:
            found, notes = self.ratio(answered, correct, under)
        low, high = 0.0, 1.0
        if found.std_error == 0 and not self.census and not np.isnan(found.rate):
            notes = ["No variation seen: the interval is only what that allows."]
            if part is not None and n_used:
                all_failed = not correct[under > 0][0]
                low, high = self._unvaried_ends(answered, part, all_failed)
        elif not (np.isnan(found.rate) or np.isnan(found.std_error)):
            half = t_half_width(found.std_error, found.df, 1 - self.tail)
            low, high = found.rate - half, found.rate + half
        if low < high and (low >= 1 or high <= 0):
            low, high = 0.0, 1.0
            notes = ["The interval lies outside [0, 1]: it says nothing of the metric."]
        if found.effective_n < FEW_RESIDUALS and not self.census and not notes:
            notes = [
                f"The interval rests on {found.effective_n:.1f} effective residuals "
                "and may be too narrow."
            ]
        return self._result(found, np.clip([low, high], 0, 1), n_used, notes)

    def _unvaried_ends(self, answered, part, all_failed):
        """Return the ends of the accuracy in a part whose outcomes all agree."""
        floor, n_pool = self.design._floor(answered.n), answered.n_pool
        below, above = unseen_bounds(all_failed, floor, n_pool, self.tail)
        hidden = (above - below) * n_pool / max(part.sum(), 1)
        return (0.0, hidden) if all_failed else (1 - hidden, 1.0)

    def _result(self, found, ends, n_used, notes):
        value, error, n_eff = map(
            float, (found.rate, found.std_error, found.effective_n)
        )
        ends, level = tuple(map(float, ends)), float(self.confidence)
        if not np.isnan(value):  # an unbiased estimate may lie outside [0, 1]
            ends = min(ends[0], value), max(ends[1], value)
        return SamplingEstimate(value, ends, error, n_used, n_eff, level, tuple(notes))

    def ratio(self, answered, above, below):
        """Return the ``Estimate`` of a ratio of two totals, and a list of notes."""
        combine, census = self.design._combine, answered.n == answered.n_pool
        notes = [self.design._caveat] if self.design._caveat and not census else []
        if (answered.n < 2 and not census) or not below.any():
            notes.append("Nothing of this kind was drawn: nothing is estimated yet.")
            return Estimate(np.nan, np.nan, 0.0, 0.0), notes
        if census:
            value, n = above.sum() / below.sum(), float(answered.n)
            return Estimate(value, 0.0, np.inf, n), notes
        total = combine(replace(answered, y=below)).rate
        value = combine(replace(answered, y=above)).rate / total
        residual = (above - value * below) / total
        if np.abs(residual).max() <= 1e-12 * max(abs(value), 1e-300):
            return Estimate(value, 0.0, answered.n - 1.0, 0.0), notes
        return replace(combine(replace(answered, y=residual)), rate=value), notes

    def failures_in(self, answered, part):
        """Return the same for the accuracy in a part whose size is known."""
        share, design, inside = part.mean(), self.design, part[answered.ids]
        y = answered.y * inside
        if answered.n < 2 or answered.n == answered.n_pool:
            return self.ratio(answered, inside - y, inside)
        m, m_free = np.zeros(answered.n), np.zeros(len(answered.ends))
        round_of = np.repeat(np.arange(len(answered.ends)), answered.sizes)
        for at, snapshot in enumerate(design._draws.snapshots):
            values, rounds = design._predict(snapshot) * part, answered.which == at
            drawn, free = values[answered.ids], sums_of_free(values, answered)
            m[rounds[round_of]] = drawn[rounds[round_of]]
            m_free[rounds] = free[rounds]
        found = design._combine(replace(answered, y=y, m=m, m_free=m_free))
        rate, std_error = 1 - found.rate / share, found.std_error / share
        return replace(found, rate=rate, std_error=std_error), []

    def _values(self, values):
        """Return one finite number for each answer, or raise."""
        values, n = np.asarray(values, dtype=np.float64), self.answered.n
        if values.shape != (n,) or not np.isfinite(values).all():
            raise ValueError(
                f"{self.caller} needs one finite number for each of {n} inputs; got "
                f"shape {values.shape}."
            )
        return values
