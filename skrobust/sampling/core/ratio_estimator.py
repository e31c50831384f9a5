"""Metrics that are ratios of two totals over the pool, with their intervals."""

from dataclasses import replace

import numpy as np

from skrobust._array_checks import number_array, refuse_missing
from skrobust._containers import one_per_row
from skrobust._validation import check_choice, check_confidence, invalid
from skrobust.sampling.core.answer_checks import OPEN, PASSED, SKIPPED
from skrobust.sampling.core.assistance import ClassPredictor
from skrobust.sampling.core.label_kinds import check_label, kind_of_label, where_equal
from skrobust.sampling.core.loss_scale import is_continuous
from skrobust.sampling.core.rate_estimator import counted, over_skipped, unknown_note
from skrobust.sampling.core.rate_interval import (
    FEW_RESIDUALS,
    t_half_width,
    unseen_bounds,
)
from skrobust.sampling.core.sampling_estimate import SamplingEstimate
from skrobust.sampling.core.totals_ratio import TotalsRatio, proportion_ends

METRICS = ("accuracy", "loss", "precision", "recall", "f1")
OF_TRUE_CLASS = ("recall", "f1")  # for which the true class must be known


class RatioEstimator(TotalsRatio):
    """Metrics of the pool, of classes and of groups from the answers of a sampler.

    Parameters
    ----------
    sampler : AskTellSampler
        Fitted.
    confidence : float
        Of the intervals.
    predictor : "default", "confidence", None or array-like
        As in ``BaseSampler.metric``.
    caller : str
        Name for error messages.
    """

    def __init__(self, sampler, confidence, caller, predictor="default"):
        self.design, self.labels = sampler, sampler._answers.labels
        self.predictor, self.classes = predictor, None
        confidence = check_confidence(confidence, caller)
        answered, self.unknown = sampler._answered()
        self.answered = answered.with_scaled_m(0.0)
        self.confidence, self.caller = confidence, caller
        self.tail = (1 - confidence) / 2
        self.census = self.answered.n == self.answered.n_pool

    def metric(self, name, label, groups):
        """Return one metric, or a dictionary by label, by group, or by both."""
        check_choice(name, "name", self.caller, (None, *METRICS))
        usual = "loss" if self.answered.graded else "accuracy"
        name = self._fitting(usual if name is None else name, usual)
        is_whole = name in ("accuracy", "loss")
        if is_whole and label is not None:
            raise ValueError(
                f"{self.caller}: label= goes with precision, recall and f1; the "
                "accuracy among inputs of a true class is its recall."
            )
        if not is_whole:
            y_pred = self._predictions(f"{self.caller}: {name}")
            if y_pred.ndim > 1:
                raise ValueError(
                    f"{self.caller}: {name} needs one label per input, and there are "
                    "several; use estimate, with a function of them."
                )
        if label is not None:
            label = check_label(label, self._all_labels(), self.caller)
        self.classes = self._class_predictor(name in OF_TRUE_CLASS)

        def metric_in(part):
            if is_whole or label is not None:
                return self._metric(name, label, part)
            return {one: self._metric(name, one, part) for one in self._all_labels()}

        everything = np.ones(self.design.n_pool_, dtype=bool)
        groups = everything if groups is None else self._check_groups(groups)
        if groups.dtype == bool:
            return metric_in(groups)
        return {
            group: metric_in(where_equal(groups, group))
            for group in self._names_of(groups)
        }

    def _fitting(self, name, usual):
        """Return the name of a metric, or raise where it is not of the answers told."""
        other = {"accuracy": "loss", "loss": "accuracy"}[usual]
        if name == other or (name == "precision" and usual == "loss"):
            raise ValueError(
                f"{self.caller}: {name!r} is not a metric of the answers told, which "
                f"are {'losses' if usual == 'loss' else 'labels or failures'}; use "
                f"{usual!r}."
            )
        return name

    def _all_labels(self):
        """Return all predicted and told labels."""
        told = [self.labels[i] for i in self.answered.ids if i in self.labels]
        return dict.fromkeys([*np.unique(self.design.y_pred_).tolist(), *told])

    def _class_predictor(self, of_true_class):
        """Return the predictor of classes; false where there is none."""
        predictor = self.predictor
        is_default = isinstance(predictor, str) and predictor == "default"
        if is_default and (not of_true_class or self.design._caveat):
            predictor = None  # parts of a known size see to the sampler's own one
        y_pred = self.design.y_pred_
        if y_pred is None or y_pred.ndim > 1:
            if predictor is None:
                return None
            self._predictions(f"{self.caller}: predictor=")
        labels = self._all_labels() if y_pred.ndim == 1 else ()
        return ClassPredictor(
            self.design, self.answered, predictor, labels, self.caller
        )

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
        if groups.dtype == object and {type(g) for g in groups} <= {bool, np.bool_}:
            return groups.astype(bool)
        return groups

    def _names_of(self, groups):
        """Return the groups in their order, or raise for those that have none."""
        try:
            return list(dict.fromkeys(np.unique(groups).tolist()))
        except TypeError:
            rule = "a mask, or groups that can be sorted: all text, numbers or dates"
            kinds = sorted({type(group).__name__ for group in groups.tolist()})
            raise invalid("groups", self.caller, rule, kinds) from None

    def _metric(self, name, label, part):
        """Return one metric of one class in one part of the pool (a mask)."""
        if name in OF_TRUE_CLASS:
            return self._of_true_class(name, label, part)
        if name == "precision":
            part = part & where_equal(self.design.y_pred_, label)
        found = over_skipped(
            self.answered, self.unknown, lambda one: self._accuracy_in(one, part)
        )
        if name == "loss":
            found = [in_units(one, self.design._answers.loss) for one in found]
        if not len(self.unknown):
            return found[0]
        values = [one.value for one in found]
        ends = (
            min(found, key=lambda one: one.unbiased_value),
            max(found, key=lambda one: one.unbiased_value),
        )
        lows, highs = zip(*(one.interval for one in found), strict=True)
        is_open = self.design._answers.status[self.answered.ids[self.unknown]] == OPEN
        subject = counted(int((~is_open).sum()), int(is_open.sum()))
        of = "loss" if name == "loss" else None
        note = unknown_note(subject, min(values), max(values), of=of)
        return replace(
            found[0],
            value=(min(values) + max(values)) / 2,
            unbiased_value=float(np.mean([one.unbiased_value for one in ends])),
            interval=(min(lows), max(highs)),
            std_error=max(one.std_error for one in found),
            warnings=(f"{note}.", *found[0].warnings),
        )

    def _of_true_class(self, name, label, part):
        """Return recall or F1, for which the true class must be known."""
        (y_true, y_pred), drawn = self.both_labels(), self.answered.ids
        twice = 2.0 if name == "f1" else 1.0

        def numerator(is_label, is_predicted, inside):
            return twice * is_label * is_predicted * inside

        def denominator(is_label, is_predicted, inside):
            return (is_label + (name == "f1") * is_predicted) * inside

        told = *(where_equal(y, label) * 1.0 for y in (y_true, y_pred)), part[drawn]
        above, below, classes = numerator(*told), denominator(*told), self.classes
        if not classes:
            return self._proportion(self.answered, above, below)
        is_predicted = where_equal(self.design.y_pred_, label) * 1.0

        def predicted(function):
            return classes.predicted(
                lambda source: function(
                    classes.probability(source, label), is_predicted, part
                )
            )

        pair = predicted(numerator), predicted(denominator)
        return self._proportion(self.answered, above, below, pair=pair)

    def mean_or_ratio(self, numerator, denominator):
        """Return the mean of any numbers over the pool, or a ratio of two totals."""
        self._check_function(numerator, "numerator")
        answered, (y_true, y_pred) = self.answered, self.both_labels()
        above = self._values(numerator(y_true, y_pred), "numerator")
        below = np.ones(answered.n)
        if denominator is not None:
            self._check_function(denominator, "denominator")
            below = self._values(denominator(y_true, y_pred), "denominator")
        n_used, notes, pair = answered.n, [], None
        if self.predictor is not None:
            pair = self._expected(numerator, denominator)
        if denominator is None and 2 <= n_used < answered.n_pool:
            found = self.mean(answered, above, pair)
        else:
            found, notes = self.ratio(answered, above, below, pair)
            n_used = int(np.count_nonzero(below))
        half = t_half_width(found.std_error, found.df, (1 + self.confidence) / 2)
        if self.census:
            half = 0.0
        elif np.isnan(found.std_error) or found.std_error == 0:
            half = np.inf
            notes = notes or ["No variation seen: it tells nothing of the error."]
        centre = 0.0 if np.isnan(found.rate) else found.rate
        ends = centre - half, centre + half
        return self._result(found, ends, n_used, notes, is_share=False)

    def _expected(self, numerator, denominator):
        """Return the expected numerator and denominator over the classes."""
        if is_continuous(self.design.y_pred_) or self.design.y_pred_.ndim > 1:
            raise ValueError(
                f"{self.caller}: predictor= holds probabilities of classes, and the "
                "predictions are no classes; leave it out."
            )
        classes = self._class_predictor(True)
        above = classes.expected(numerator)
        if denominator is None:
            return above, None
        return above, classes.expected(denominator)

    def both_labels(self):
        """Return true and predicted labels; a passed input has the predicted one."""
        y_pred = self._predictions(self.caller)[self.answered.ids]
        y_true = y_pred.astype(object)
        status = self.design._answers.status[self.answered.ids]
        for at, i in enumerate(self.answered.ids.tolist()):
            if i in self.labels:
                y_true[at] = self.labels[i]
            elif status[at] != PASSED or self.answered.graded:
                told = "loss= alone" if self.answered.graded else "failed= alone"
                why = {SKIPPED: "was skipped", OPEN: "is open"}
                raise ValueError(
                    f"{self.caller} needs the true label of id {i}, which "
                    f"{why.get(status[at], f'was told as {told}')}; tell y_true, or "
                    f"ask for {'loss' if self.answered.graded else 'accuracy'} or "
                    "precision."
                )
        kinds = {kind_of_label(label) for label in y_true.ravel()}
        is_plain = len(kinds) == 1 and kinds <= {"text", "number"}
        return (np.array(y_true.tolist()) if is_plain else y_true), y_pred

    def _accuracy_in(self, answered, part):
        """Return the accuracy in a part of the pool that is known of each input."""
        inside, classes, pair = part[answered.ids].astype(float), self.classes, None
        if classes:
            pair = (
                classes.predicted(lambda source: classes.correct(source) * part),
                classes.predicted(lambda source: part.astype(float)),
            )
        above = (1 - answered.y) * inside
        return self._proportion(answered, above, inside, part, pair=pair)

    def _proportion(self, answered, above, below, part=None, *, pair=None):
        """Return a proportion.

        ``part`` is the denominator over the pool, where known, and ``pair`` predicts
        numerator and denominator.
        """
        n_used = int(np.count_nonzero(below))
        if part is not None and pair is None and self.design._known_sizes and n_used:
            found, notes = self.failures_in(answered, part)
        else:
            found, notes = self.ratio(answered, above, below, pair)
        low, high, error = 0.0, 1.0, found.std_error
        if pair is not None and self.design._known_sizes and (answered.which < 0).all():
            # Draws weighted by scores, without a predictor of their own: residuals look
            # small until a failure is met where draws are rare. So no narrower.
            error = max(error, self.ratio(answered, above, below)[0].std_error)
        if found.std_error == 0 and not self.census and not np.isnan(found.rate):
            notes = ["No variation seen: the interval is only what that allows."]
            if part is not None and n_used:
                low, high = self._unvaried_ends(answered, part, above[below > 0][0])
            elif found.rate == 1 and not self.design._known_sizes:
                low = self.tail ** (1 / n_used)  # of uniform draws: Clopper and Pearson
        elif not (np.isnan(found.rate) or np.isnan(error)):
            if 0 < found.rate < 1 and error > 0 and not answered.graded:
                low, high = proportion_ends(found.rate, error, found.df, self.tail)
            else:
                half = t_half_width(error, found.df, 1 - self.tail)
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

    def _unvaried_ends(self, answered, part, seen):
        """Return the ends of the accuracy in a part whose outcomes all agree."""
        floor, n_pool = self.design._floor(answered.n), answered.n_pool
        low, high = unseen_bounds(1 - seen, floor, n_pool, self.tail)
        size = n_pool / max(part.sum(), 1)
        return seen - (high - (1 - seen)) * size, seen + ((1 - seen) - low) * size

    def _result(self, found, ends, n_used, notes, *, is_share=True):
        value, error, n_eff = map(
            float, (found.rate, found.std_error, found.effective_n)
        )
        ends, level = tuple(map(float, ends)), float(self.confidence)
        unbiased = value
        if is_share:
            value = float(np.clip(value, 0.0, 1.0))
        if not np.isnan(value):
            ends = min(ends[0], value), max(ends[1], value)
        facts = error, n_used, n_eff, level, tuple(notes), unbiased
        return SamplingEstimate(value, ends, *facts)

    def _check_function(self, function, name):
        if not callable(function):
            rule = "a function of y_true and y_pred"
            raise invalid(name, self.caller, rule, function)

    def _values(self, values, name):
        """Return one finite number for each answer, or raise."""
        what, n = "a function that returns numbers", self.answered.n
        values = number_array(values, name, self.caller, what=what).astype(np.float64)
        if values.shape != (n,) or not np.isfinite(values).all():
            raise ValueError(
                f"{self.caller} needs one finite number for each of {n} inputs; got "
                f"shape {values.shape}."
            )
        return values


def in_units(estimate, loss):
    """Return the estimate of a mean loss, from that of one minus the scaled loss."""
    low, high = estimate.interval
    return replace(
        estimate,
        value=loss.shown(1 - estimate.value),
        unbiased_value=loss.shown(1 - estimate.unbiased_value),
        interval=loss.between(1 - high, 1 - low),
        std_error=loss.span * estimate.std_error,
    )
