"""Other metrics than accuracy from the same draws: ratios of weighted totals."""

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit
from sklearn.utils.validation import check_is_fitted

from skrobust._containers import to_array
from skrobust._validation import check_choice, invalid
from skrobust.sampling.core.ratio_shares import ShareMixin
from skrobust.sampling.core.reporting import check_confidence, patterns
from skrobust.sampling.core.sampling_estimate import SamplingEstimate

METRICS = ("accuracy", "precision", "recall", "f1")


class RatioMixin(ShareMixin):
    """The part of a sampler that estimates other metrics than the accuracy."""

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
        caller = f"{type(self).__name__}.metric"
        check_confidence(confidence, caller)
        check_choice(name, "name", caller, METRICS)
        if name == "accuracy" and label is not None:
            raise ValueError(
                f"{caller}: label= goes with precision, recall and f1; the accuracy "
                "among inputs of a true class is its recall."
            )
        if name != "accuracy" and self.y_pred_ is None:
            raise ValueError(
                f"{caller}: {name} needs predicted labels: fit with a classifier or "
                "with y_pred=."
            )
        if groups is not None:
            groups = check_groups(groups, self.n_pool_, caller)
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
                    name, label, groups, answered, skipped, confidence, caller
                )
                for label in labels
            }
        return self._share(name, label, groups, answered, skipped, confidence, caller)

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
        caller = f"{type(self).__name__}.estimate"
        check_confidence(confidence, caller)
        answered, skipped = self._usable()
        y_true, y_pred = self._both_labels(answered, skipped, caller)
        above, below = (
            None if f is None else check_values(f(y_true, y_pred), answered.n, caller)
            for f in (numerator, denominator)
        )
        if below is None and 2 <= answered.n < self.n_pool_:
            found = self._combine(replace(answered, y=above))
            value, std_error, df = found.rate, found.std_error, found.df
            n_eff, notes, n_used = found.effective_n, [], answered.n
        else:
            below = np.ones(answered.n) if below is None else below
            value, std_error, df, n_eff, notes = self._ratio(answered, above, below)
            n_used = int(np.count_nonzero(below))
        half = stdtrit(min(max(df, 1.0), 1e9), (1 + confidence) / 2) * std_error
        if answered.n == self.n_pool_:
            half = 0.0
        elif np.isnan(std_error) or std_error == 0:
            half = np.inf
            notes = notes or ["No variation seen: it tells nothing of the error."]
        ends = (-half, half) if np.isnan(value) else (value - half, value + half)
        return SamplingEstimate(
            float(value), ends, float(std_error), n_used, float(n_eff),
            float(confidence), tuple(notes),
        )  # fmt: skip

    def _both_labels(self, answered, skipped, caller):
        """Return true and predicted labels; a passed input has the predicted one."""
        if self.y_pred_ is None:
            raise ValueError(
                f"{caller} needs predicted labels: fit with a classifier or with "
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
                    f"{caller} needs the true label of id {i}, which was "
                    f"{'skipped' if at in unknown else 'told as failed= alone'}; tell "
                    "y_true, or ask for accuracy or precision."
                )
        kinds = {isinstance(label, str) for label in y_true}
        return (np.array(y_true.tolist()) if len(kinds) == 1 else y_true), y_pred

    def _share(self, name, label, groups, answered, skipped, confidence, caller):
        """Return one metric of one class in one part of the pool."""
        part = np.ones(self.n_pool_, dtype=bool) if groups is None else groups
        if name in ("recall", "f1"):
            y_true, y_pred = self._both_labels(answered, skipped, caller)
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


def check_values(values, n, caller):
    """Return n finite numbers, or raise."""
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise ValueError(
            f"{caller} needs one finite number for each of {n} inputs; got shape "
            f"{values.shape}."
        )
    return values


def check_groups(groups, n_pool, caller):
    """Return the group of each input, or a mask, as a 1-D array."""
    groups = np.asarray(to_array(groups))
    if groups.ndim != 1 or len(groups) != n_pool:
        rule = f"a mask, or one group, for each of the {n_pool} inputs of the pool"
        raise invalid("groups", caller, rule, groups.shape)
    return groups
