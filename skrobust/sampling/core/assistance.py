"""Predictions that assist the estimate of any number of each input."""

from dataclasses import dataclass, replace

import numpy as np

from skrobust._array_checks import check_probabilities, check_scores, number_array
from skrobust._containers import to_array
from skrobust._responses import innermost
from skrobust._validation import check_choice, invalid
from skrobust.sampling.core.estimates import sums_of_free
from skrobust.sampling.core.label_kinds import where_equal

SHRINKAGE = 5  # answers of the rarer kind at which a factor is trusted by half


def best_factor(combine, answered, n_rarer):
    """Return the factor in [0, 1] of the predictions that minimises the variance.

    It is clipped, and multiplied by k / (k + 5) for k answers of the rarer kind.
    """
    # The estimated variance is a quadratic in the factor; three values fix it.
    v0, v1, half = (
        combine(answered.with_scaled_m(factor)).std_error ** 2
        for factor in (0.0, 1.0, 0.5)
    )
    slope = ((v1 - v0) - 4 * (half - v0)) / 2
    curve = (v1 - v0) + 2 * slope
    if not curve > 0:
        return 0.0
    return float(np.clip(slope / curve, 0, 1) * n_rarer / (n_rarer + SHRINKAGE))


@dataclass(frozen=True, eq=False)
class Predicted:
    """Predictions of one number of each input, as an estimate needs them.

    Attributes
    ----------
    m : ndarray of shape (n,)
        Of the inputs drawn, as predicted before their round.
    m_free : ndarray of shape (n_rounds,)
        Sum over the inputs that were free before each round.
    """

    m: np.ndarray
    m_free: np.ndarray

    def minus(self, factor, other):
        """Return these predictions minus a factor times others."""
        return Predicted(self.m - factor * other.m, self.m_free - factor * other.m_free)

    def over(self, answered, y, scale=1.0):
        """Return rounds of numbers y with these predictions times a scale."""
        return replace(answered, y=y, m=scale * self.m, m_free=scale * self.m_free)


def sources_of_draws(sampler, answered):
    """Return pairs of failure probabilities as at each draw, and rounds they are of."""
    return [
        (sampler._predict(snapshot), answered.which == at)
        for at, snapshot in enumerate(sampler._draws.snapshots)
    ]


def predicted_rounds(answered, sources, values_of):
    """Return ``Predicted`` of a number; ``values_of(source)`` predicts the pool.

    ``sources`` are pairs of a source and the mask of its rounds, None for all.
    """
    m, m_free = np.zeros(answered.n), np.zeros(len(answered.ends))
    round_of = np.repeat(np.arange(len(answered.ends)), answered.sizes)
    for source, rounds in sources:
        if rounds is None:
            rounds = np.ones(len(answered.ends), dtype=bool)
        if not rounds.any():
            continue
        values = values_of(source)
        drawn, free = values[answered.ids], sums_of_free(values, answered)
        m[rounds[round_of]] = drawn[rounds[round_of]]
        m_free[rounds] = free[rounds]
    return Predicted(m, m_free)


class ClassPredictor:
    """Probability of each class for each input, before its label was known.

    Parameters
    ----------
    sampler : AskTellSampler
        Fitted, with predicted labels.
    answered : Answered
        The rounds.
    predictor : "default", "confidence", None or array-like
        As in ``BaseSampler.metric``.
    labels : sequence
        The classes that are known.
    caller : str
        Name for error messages.
    """

    def __init__(self, sampler, answered, predictor, labels, caller):
        self.sampler, self.answered, self.caller = sampler, answered, caller
        self.labels, self.columns = list(labels), None
        n_pool = sampler.n_pool_
        if isinstance(predictor, str) or predictor is None:
            names = (None, "default", "confidence")
            check_choice(predictor, "predictor", caller, names)
            self.sources = self._of_sampler(predictor)
            return
        values = to_array(predictor, "predictor", caller)
        if not values.ndim or len(values) != n_pool:
            rule = f"None, 'confidence', or probabilities of {n_pool} inputs"
            got = values.shape if values.ndim else predictor
            raise invalid("predictor", caller, rule, got)
        if values.ndim == 2:
            values = check_probabilities(values, caller, name="predictor")
            self.columns = self._classes_of(values)
        else:
            values = check_scores(values, caller, name="predictor")
            if values.min() < 0 or values.max() > 1:
                rule = "probabilities of a misprediction, or of each class"
                raise invalid("predictor", caller, rule, predictor)
        self.sources = [(values, None)]

    def _of_sampler(self, predictor):
        """Return pairs of failure probabilities and the rounds that they are of."""
        sampler, scores = self.sampler, self.sampler.scores_
        if predictor is None:
            return []
        if sampler._draws.snapshots and predictor == "default":
            return sources_of_draws(sampler, self.answered)
        if scores is not None and scores.max() <= 1:
            return [(scores, None)]
        if predictor == "default":
            return []
        raise ValueError(
            f"{self.caller} has no scores in [0, 1] to take for probabilities of a "
            "misprediction: pass predictor=, probabilities of the pool."
        )

    def _classes_of(self, values):
        """Return the class of each column of given probabilities."""
        model, classes = self.sampler.estimator, None
        if model is not None:
            classes = getattr(innermost(model)[1], "classes_", None)
        if classes is None:
            classes = np.unique(self.sampler.y_pred_)
        if len(classes) != values.shape[1]:
            raise ValueError(
                f"{self.caller}: predictor has {values.shape[1]} columns and there are "
                f"{len(classes)} classes, {list(classes)}; pass one column for each, "
                "sorted, or the probability of a misprediction alone."
            )
        return {label: k for k, label in enumerate(np.asarray(classes).tolist())}

    def __bool__(self):
        return bool(self.sources)

    def probability(self, source, label):
        """Return the probability of a class, for each input of the pool."""
        if self.columns is not None:
            at = self.columns.get(label)
            return np.zeros(len(source)) if at is None else source[:, at]
        others = max(len(self.labels) - 1, 1)
        return np.where(
            where_equal(self.sampler.y_pred_, label), 1 - source, source / others
        )

    def correct(self, source):
        """Return the probability that the prediction is right."""
        if self.columns is None:
            return 1 - source
        places = [
            self.columns.get(label, -1) for label in self.sampler.y_pred_.tolist()
        ]
        return np.where(
            np.array(places) < 0, 0.0, source[np.arange(len(source)), places]
        )

    def predicted(self, values_of):
        """Return ``Predicted`` of a number; ``values_of(source)`` predicts the pool."""
        return predicted_rounds(self.answered, self.sources, values_of)

    def expected(self, function):
        """Return ``Predicted`` of ``function(y_true, y_pred)``, over all classes."""
        y_pred = self.sampler.y_pred_

        def values_of(source):
            total = np.zeros(len(y_pred))
            for label in self.labels:
                y_true = np.full(len(y_pred), label, dtype=np.asarray(label).dtype)
                value = function(y_true, y_pred)
                value = number_array(value, "values", self.caller)
                if value.shape != total.shape or not np.isfinite(value).all():
                    raise ValueError(
                        f"{self.caller} needs one finite number for each of "
                        f"{len(total)} inputs; got shape {value.shape}."
                    )
                total += self.probability(source, label) * value
            return total

        return self.predicted(values_of)
