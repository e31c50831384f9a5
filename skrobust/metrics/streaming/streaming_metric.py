"""Metrics of the registry over rows that come in batches."""

import warnings

import numpy as np

from skrobust._array_checks import check_scores
from skrobust._containers import shape_of
from skrobust._keyed_noise.generator import seed_number
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.metrics.intervals.interval import IntervalRequest
from skrobust.metrics.registry import get_metric, parameters_of
from skrobust.metrics.streaming.sample_means import SampleMean

_NOT_OVER_BATCHES = (
    "{caller} cannot gather the metric {name!r} over batches: its MetricSpec has "
    "neither per_sample (one value per sample, whose mean is the metric) nor streaming "
    "(what gathers the sums that it is a function of)."
)


class StreamingMetric:
    """Metric of the registry over rows that come in batches, with bounded memory.

    The value is that of all rows at once to rounding of floats, whatever the batches
    and the order of merges. It is made of sums, each kept in two floats, so that the
    rounding does not grow with the number of rows. Areas under the ROC curve alone may
    be approximate: see :attr:`error_bound`.

    Parameters
    ----------
    metric : str or callable
        Name of a metric of the registry, or its function.
    **params : object
        Options of the metric, as :func:`confidence_interval` takes them. For the
        "stability_index", whose rows come with ``periods=``, ``score`` is None (the
        mean of the rows of a period), "gini" or "roc_auc"; for these two, and for
        "gini_stability", ``max_cells`` (int) is the most intervals of scores that are
        kept for each period, by default 16,384.

    Attributes
    ----------
    n_samples : int
        Rows of positive weight so far.
    error_bound : float
        Largest distance of :meth:`compute` from the metric of all rows, beside
        rounding: 0 except for areas under the ROC curve of more than ``max_cells``
        distinct scores in a period.

    Raises
    ------
    TypeError
        Without an option that the metric needs.
    ValueError
        For an unknown metric, one that is not gathered over batches, or data that the
        metric refuses.

    Notes
    -----
    What is kept: a few sums; with clusters the sums of each cluster; without them, for
    intervals that are no function of the sums, the sums of up to 2,048 rows or of
    1,024 groups of rows, drawn at random; pairs of labels; periods. No row is kept.

    Intervals are those of :func:`confidence_interval` up to 2,048 rows. Beyond these,
    those of shares ("accuracy", "robust_accuracy", "robust_ratio",
    "regression_robust_ratio") are still the same, and all are with clusters; the others
    are jackknives and bootstraps over groups of rows, whose width has a relative error
    of about 2 %. Those of the two stability indices take normal draws in place of
    resampled rows.

    Metrics of summaries, such as scores of conditions, take the rows behind these, as
    :func:`confidence_interval` does. The value of the interval of the two stability
    indices is corrected for the noise of the rows; ``plug_in`` is that of
    :meth:`compute`.

    References
    ----------
    Knuth, "The art of computer programming", vol. 2 (1969), on sums in two floats;
    DeLong et al., "Comparing the areas under two or more correlated receiver
    operating characteristic curves" (Biometrics, 1988), on the noise of areas.

    Examples
    --------
    >>> from skrobust.metrics import StreamingMetric
    >>> metric = StreamingMetric("accuracy")
    >>> for y_true, y_pred in [([0, 1, 1], [0, 1, 0]), ([1], [1])]:
    ...     metric = metric.partial_update(y_true, y_pred)
    >>> metric.compute(), metric.n_samples
    (0.75, 4)
    >>> metric.interval()
    Interval(0.7500 in [0.3006, 0.9544], 95% wilson, 4 samples)
    """

    def __init__(self, metric, **params):
        caller = type(self).__name__
        spec = get_metric(metric, caller)
        self.metric, self.params = spec.name, dict(params)
        if spec.streaming is not None:
            self._gathered = spec.streaming(params=dict(params))
        elif spec.per_sample is not None:
            self._gathered = SampleMean(spec.name, dict(params))
        else:
            raise ValueError(_NOT_OVER_BATCHES.format(caller=caller, name=spec.name))
        self._has_clusters = None
        _check_complete(spec, self.params, caller)

    @property
    def n_samples(self):
        """Rows of positive weight so far."""
        return self._gathered.n_rows

    @property
    def error_bound(self):
        """Largest distance of the value from that of all rows, beside rounding."""
        bound = getattr(self._gathered, "error_bound", None)
        return 0.0 if bound is None else bound(type(self).__name__)

    def partial_update(self, *data, clusters=None, **rows):
        """Add a batch of rows.

        Parameters
        ----------
        *data : array-like
            What the metric takes, for the rows of the batch; no rows change nothing.
        clusters : array-like of shape (n_samples,) or None, default=None
            Samples that were drawn together, with every batch or with none. A cluster
            may come in several batches.
        **rows : array-like
            Options with one entry per sample: ``sample_weight``, ``y_true``,
            ``periods``, ``X``.

        Returns
        -------
        self : StreamingMetric
            With these rows; as it was where they are refused by an error.
        """
        caller = type(self).__name__
        if not data:
            raise ValueError(f"{caller} needs the data of the metric; got none.")
        shape = shape_of(data[0])
        if not shape:  # a single row, or an iterator
            what = type(data[0]).__name__
            raise ValueError(
                f"{caller}.partial_update takes arrays or lists with one entry for "
                f"each row of the batch; got a {what}. Pass a list, also of one row."
            )
        if not shape[0]:
            return self
        weight = rows.get("sample_weight")
        if weight is None:
            rows.pop("sample_weight", None)
        elif not np.any(_checked_weight(weight, caller)):
            return self  # rows of weight 0 count as absent
        self._check_clusters(clusters is not None)
        self._gathered.update(data, rows, clusters, caller)
        self._has_clusters = clusters is not None
        return self

    def merge(self, other):
        """Add the rows of another object of the same metric and options.

        Parameters
        ----------
        other : StreamingMetric
            Not changed.

        Returns
        -------
        self : StreamingMetric
            With the rows of both.
        """
        caller = type(self).__name__
        if not isinstance(other, StreamingMetric) or other.metric != self.metric:
            rule = f"a {caller} of {self.metric!r}"
            raise invalid("other", f"{caller}.merge", rule, other)
        if other is self:
            raise invalid("other", f"{caller}.merge", "another object", other)
        if not _same(self.params, other.params):
            rule = f"of the same options, {self.params}"
            raise invalid("other", f"{caller}.merge", rule, other.params)
        if not other.n_samples:
            return self
        self._check_clusters(other._has_clusters)
        self._gathered.merge(other._gathered)
        self._has_clusters = other._has_clusters
        return self

    def compute(self):
        """Return the metric of all rows so far.

        Returns
        -------
        float
            The value, as the function of the metric has it.
        """
        return self._gathered.value(self._ready())

    def interval(
        self, *, confidence=0.95, method="auto", n_resamples=2000, random_state=None
    ):
        """Return the confidence interval of the metric.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Wanted coverage.
        method : str, default="auto"
            As in :func:`confidence_interval`.
        n_resamples : int, default=2000
            Number of bootstrap resamples, where there are any.
        random_state : int, Generator, RandomState or None, default=None
            Seed of the resamples.

        Returns
        -------
        Interval
            As of :func:`confidence_interval`; see the notes for where it is an
            approximation.

        Warns
        -----
        UserWarning
            Each sentence of ``Interval.warnings``.
        """
        caller = self._ready()
        confidence = check_confidence(confidence, caller)
        n_resamples = check_count(n_resamples, "n_resamples", caller, low=100)
        rng = np.random.default_rng(seed_number(random_state, caller) % 2**64)
        parts = None, confidence, method, n_resamples, rng, caller
        interval = self._gathered.interval(IntervalRequest(*parts))
        for text in interval.warnings:
            warnings.warn(text, UserWarning, stacklevel=2)
        return interval

    def _ready(self):
        caller = type(self).__name__
        if not self.n_samples:
            raise ValueError(f"{caller} needs at least one sample; got none.")
        return caller

    def _check_clusters(self, has_clusters):
        if self._has_clusters not in (None, has_clusters):
            raise ValueError(
                f"{type(self).__name__} needs clusters= with every batch or with none, "
                "as rows without a cluster belong to no unit."
            )

    def __repr__(self):
        shown = "".join(f", {k}={v!r}" for k, v in self.params.items())
        return f"{type(self).__name__}({self.metric!r}{shown}): {self.n_samples} rows"


def _check_complete(spec, params, caller):
    """Raise where an option is missing that the function of the metric needs."""
    for p in parameters_of(spec.function):
        needed = p.kind is p.KEYWORD_ONLY and p.default is p.empty
        if needed and p.name not in params:
            raise TypeError(
                f"{caller} of {spec.name!r} needs {p.name}=; pass it as "
                f"{caller}({spec.name!r}, {p.name}=...)."
            )


def _checked_weight(weight, caller):
    weight = check_scores(weight, caller, name="sample_weight")
    if weight.min() < 0:
        raise invalid("sample_weight", caller, "non-negative", weight.min())
    return weight


def _same(first, second):
    if set(first) != set(second):
        return False
    return all(
        first[name] is second[name] or np.array_equal(first[name], second[name])
        for name in first
    )
