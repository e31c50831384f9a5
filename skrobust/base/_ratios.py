"""Other metrics than accuracy from the same draws: ratios of weighted totals."""

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit
from sklearn.utils.validation import check_is_fitted

from skrobust._containers import to_array
from skrobust._validation import check_choice, invalid
from skrobust.base._answers import FAILED, OPEN, SKIPPED
from skrobust.base._interval import FEW_RESIDUALS, unseen_bounds
from skrobust.base._rounds import running_sum
from skrobust.base._sampler_result import check_confidence, patterns
from skrobust.base._sampling_estimate import SamplingEstimate

METRICS = ("accuracy", "precision", "recall", "f1")


class RatioMixin:
    """The part of a sampler that estimates other metrics than the accuracy."""

    # Whether to divide by the true size of a part of the pool, or by an estimate of it.
    _known_sizes = True

    def metric(self, name="accuracy", *, label=None, groups=None, confidence=0.95):
        r"""Estimate a metric on the whole pool, for a class, or for parts of the pool.

        All are ratios of two totals over the pool, each estimated from the same
        draws as the accuracy, with the delta method for the standard error:

        .. math::

            \hat R = \frac{\hat A}{\hat B}, \qquad
            \hat V(\hat R) = \hat V\Bigl(\text{estimate of }
                \frac{a - \hat R b}{\hat B}\Bigr)

        so they are nearly unbiased. Where it is known of each input of the pool
        whether it counts (groups, precision) and draws are weighted, the failures among
        them are estimated, with the sampler's predictor if it has one, and divided by
        their known number: this is exactly unbiased, and may leave [0, 1]. Uniform
        draws take the plain share among what was drawn.

        Parameters
        ----------
        name : {"accuracy", "precision", "recall", "f1"}, default="accuracy"
            The recall of a class is its per-class accuracy. Recall and F1 need the
            true labels of mispredicted inputs (``tell(ids, y_true)``).
        label : label, default=None
            The class that precision, recall and F1 are of; None gives all of them.
        groups : array-like of shape (n_pool,), default=None
            A boolean mask (one part of the pool), or the group of each input.
        confidence : float in (0, 1), default=0.95
            Nominal coverage of each interval.

        Returns
        -------
        SamplingEstimate or dict
            One, or by label, or by group (with all labels inside).

        Raises
        ------
        ValueError
            For bad arguments, predictions that are missing, true labels that were
            never told, or skipped answers of which the metric would need the label.
        """
        check_is_fitted(self)
        owner = f"{type(self).__name__}.metric"
        check_confidence(confidence, owner)
        check_choice(name, "name", owner, METRICS)
        if name == "accuracy" and label is not None:
            raise ValueError(
                f"{owner}: label= goes with precision, recall and f1; the accuracy "
                "among inputs of a true class is its recall."
            )
        if name != "accuracy" and self.y_pred_ is None:
            raise ValueError(
                f"{owner}: {name} needs predicted labels: fit with a classifier or "
                "with y_pred=."
            )
        if groups is not None:
            groups = check_groups(groups, self.n_pool_, owner)
            if groups.dtype != bool:
                return {
                    group: self.metric(
                        name, label=label, groups=groups == group, confidence=confidence
                    )
                    for group in np.unique(groups).tolist()
                }
        answered, skipped = self._usable()
        if name != "accuracy" and label is None:
            told = [self._labels[i] for i in answered.ids if i in self._labels]
            labels = dict.fromkeys([*np.unique(self.y_pred_).tolist(), *told])
            return {
                label: self._share(
                    name, label, groups, answered, skipped, confidence, owner
                )
                for label in labels
            }
        return self._share(name, label, groups, answered, skipped, confidence, owner)

    def estimate(self, numerator, denominator=None, *, confidence=0.95):
        """Estimate the pool mean of any number of each input, or a ratio of two.

        Parameters
        ----------
        numerator : callable
            ``numerator(y_true, y_pred)`` gets arrays of shape (n,) and returns n finite
            numbers.
        denominator : callable, default=None
            The same, for a ratio of two totals; None divides by the size of the pool.
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the t interval.

        Returns
        -------
        SamplingEstimate
            Unbiased without a denominator, nearly so with one.

        Raises
        ------
        ValueError
            For values of another shape, and where true labels are missing.

        Examples
        --------
        >>> import numpy as np
        >>> from skrobust.sampling import SimpleRandomSampler
        >>> sampler = SimpleRandomSampler(random_state=0)
        >>> result = sampler.fit(np.ones(40), y_pred=np.arange(40)).sample(
        ...     40, lambda ids: ids + 0.5)
        >>> sampler.estimate(lambda y_true, y_pred: abs(y_true - y_pred)).value
        0.5
        """
        check_is_fitted(self)
        owner = f"{type(self).__name__}.estimate"
        check_confidence(confidence, owner)
        answered, skipped = self._usable()
        y_true, y_pred = self._both_labels(answered, skipped, owner)
        columns = []
        for function in (numerator, denominator):
            values = np.ones(answered.n)
            if function is not None:
                values = np.asarray(function(y_true, y_pred), dtype=np.float64)
            if values.shape != (answered.n,) or not np.isfinite(values).all():
                raise ValueError(
                    f"{owner} needs one finite number for each of {answered.n} inputs; "
                    f"got shape {values.shape}."
                )
            columns.append(values)
        value, std_error, df, n_eff, notes = self._ratio(answered, *columns)
        low = high = value
        if std_error != 0 or answered.n < self.n_pool_:
            half = stdtrit(max(df, 1.0), (1 + confidence) / 2) * std_error
            low, high = value - half, value + half
        used = int(np.count_nonzero(columns[1]))
        return SamplingEstimate(
            value, (low, high), std_error, used, n_eff, float(confidence), tuple(notes)
        )

    def _usable(self):
        """Return the answered rounds, and places of skipped answers among them."""
        status = self._status[self.ids_]
        answered = self._rounds.answered(status != OPEN, status == FAILED, self.n_pool_)
        return answered, np.flatnonzero(status[: answered.n] == SKIPPED)

    def _both_labels(self, answered, skipped, owner):
        """Return true and predicted labels; a passed input has the predicted one."""
        if self.y_pred_ is None:
            raise ValueError(
                f"{owner} needs predicted labels: fit with a classifier or with "
                "y_pred=."
            )
        y_pred = self.y_pred_[answered.ids]
        y_true = y_pred.astype(object)
        unknown = set(skipped.tolist())
        for at, i in enumerate(answered.ids.tolist()):
            if i in self._labels:
                y_true[at] = self._labels[i]
            elif answered.y[at] or at in unknown:
                raise ValueError(
                    f"{owner} needs the true label of id {i}, which was "
                    f"{'skipped' if at in unknown else 'told as failed= alone'}; tell "
                    "y_true, or ask for accuracy or precision."
                )
        return np.array(y_true.tolist()), y_pred

    def _share(self, name, label, groups, answered, skipped, confidence, owner):
        """Return one metric of one class in one part of the pool."""
        part = np.ones(self.n_pool_, dtype=bool) if groups is None else groups
        if name in ("recall", "f1"):
            y_true, y_pred = self._both_labels(answered, skipped, owner)
            inside = part[answered.ids]
            hit = ((y_true == label) & (y_pred == label) & inside).astype(float)
            under = ((y_true == label) & inside).astype(float)
            if name == "f1":
                hit, under = 2 * hit, under + ((y_pred == label) & inside)
            return self._share_of(answered, hit, under, None, confidence)
        if name == "precision":
            part = part & (self.y_pred_ == label)
        if not len(skipped):
            return self._share_in(answered, part, confidence)
        found = []
        for pattern in patterns(skipped, answered):
            y = answered.y.copy()
            y[skipped] = pattern
            found.append(self._share_in(replace(answered, y=y), part, confidence))
        values = [one.value for one in found]
        return replace(
            found[0],
            value=(min(values) + max(values)) / 2,
            interval=(
                min(one.interval[0] for one in found),
                max(one.interval[1] for one in found),
            ),
            std_error=max(one.std_error for one in found),
            warnings=(
                f"{len(skipped)} skipped answers could be right or wrong: the estimate "
                f"lies between {min(values):.4f} and {max(values):.4f} (the middle is "
                "shown).",
                *found[0].warnings,
            ),
        )

    def _share_in(self, answered, part, confidence):
        """Return the accuracy in a part of the pool that is known of each input."""
        inside = part[answered.ids].astype(float)
        return self._share_of(
            answered, (1 - answered.y) * inside, inside, part, confidence
        )

    def _share_of(self, answered, hit, under, part, confidence):
        """Return a share; part is the denominator over the pool, where it is known."""
        n_used, tail = int(np.count_nonzero(under)), (1 - confidence) / 2
        census = answered.n == self.n_pool_
        if part is not None and self._known_sizes and n_used:
            found = self._failures_in(answered, part)
        else:
            found = self._ratio(answered, hit, under)
        value, std_error, df, n_eff, notes = found
        if np.isnan(value) or np.isnan(std_error):
            low, high = 0.0, 1.0
        elif std_error == 0 and not census:
            low, high = 0.0, 1.0
            notes = ["No variation seen: the interval is only what that allows."]
            if part is not None and n_used:
                failed = 1 - hit[under > 0]
                floor = self._floor(answered.n)
                seen = np.full(answered.n, failed[0] > 0)
                below, above = unseen_bounds(seen, floor, self.n_pool_, tail)
                hidden = (above - below) * self.n_pool_ / max(part.sum(), 1)
                low, high = (0.0, hidden) if failed[0] else (1 - hidden, 1.0)
        else:
            half = stdtrit(max(df, 1.0), 1 - tail) * std_error
            low, high = value - half, value + half
        low, high = np.clip([low, high], 0, 1)
        if n_eff < FEW_RESIDUALS and not census and not notes:
            notes = [
                f"The interval rests on {n_eff:.1f} effective residuals and may be too "
                "narrow."
            ]
        return SamplingEstimate(
            float(value), (float(low), float(high)), float(std_error), n_used,
            float(n_eff), float(confidence), tuple(notes),
        )  # fmt: skip

    def _ratio(self, answered, above, below):
        """Return value, standard error, df, effective n and notes of a ratio."""
        nothing = ["Nothing of this kind was drawn: nothing is estimated yet."]
        if (answered.n < 2 and answered.n < self.n_pool_) or not below.any():
            return np.nan, np.nan, 0.0, 0.0, nothing
        if answered.n == self.n_pool_:
            return above.sum() / below.sum(), 0.0, np.inf, float(answered.n), []
        parts = [self._combine(replace(answered, y=v)) for v in (above, below)]
        value = parts[0].rate / parts[1].rate
        residual = (above - value * below) / parts[1].rate
        if np.abs(residual).max() <= 1e-12 * max(abs(value), 1e-300):
            return value, 0.0, float(answered.n - 1), 0.0, []
        error = self._combine(replace(answered, y=residual))
        return value, error.std_error, error.df, error.effective_n, []

    def _failures_in(self, answered, part):
        """Return the same for the accuracy in a part whose size is known."""
        share = part.mean()
        m, m_free = np.zeros(answered.n), np.zeros(len(answered.ends))
        row_of = np.repeat(np.arange(len(answered.ends)), answered.sizes)
        for at, snapshot in enumerate(self._rounds.snapshots):
            values, rounds = self._predict(snapshot) * part, answered.which == at
            drawn = values[answered.ids]
            m[rounds[row_of]] = drawn[rounds[row_of]]
            free = values.sum() - running_sum(drawn)[answered.starts]
            m_free[rounds] = free[rounds]
        y = answered.y * part[answered.ids]
        if answered.n < 2 or answered.n == self.n_pool_:
            return self._ratio(answered, part[answered.ids] - y, part[answered.ids])
        found = self._combine(replace(answered, y=y), m, m_free)
        return (
            1 - found.rate / share, found.std_error / share, found.df,
            found.effective_n, [],
        )  # fmt: skip


def check_groups(groups, n_pool, owner):
    """Return the group of each input, or a mask, as a 1-D array."""
    groups = np.asarray(to_array(groups))
    if groups.ndim != 1 or len(groups) != n_pool:
        rule = f"a mask, or one group, for each of the {n_pool} inputs of the pool"
        raise invalid("groups", owner, rule, groups.shape)
    return groups
