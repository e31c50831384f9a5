"""Checked data of compared models, and the statistics made of them."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._containers import shape_of
from skrobust._validation import invalid
from skrobust.metrics.callable_metrics import read_callable
from skrobust.metrics.comparison.accuracy_order import RowAccuracies, row_accuracies
from skrobust.metrics.comparison.paired_trends import PairedTrends
from skrobust.metrics.intervals.bootstrap import Shares, function_statistic
from skrobust.metrics.labels import label_array
from skrobust.metrics.normalized.factors import class_sizes
from skrobust.metrics.registry import call_with_options, resolve_metric


@dataclass
class Comparison:
    """Statistics of the models, and what they have in common."""

    metric: str
    n_samples: int
    makers: list  # of the statistic of each model, from the units
    tolerances: np.ndarray | None = None
    values: list | None = None  # of each sample, for each model
    is_share: bool = False  # the mean of 0 and 1 over samples
    weight: np.ndarray | None = None
    trends: PairedTrends | None = None  # scores of periods, which are not resampled
    sign: int = 1  # -1 where smaller is better
    title: str = ""  # of the metric, in words
    accuracies: RowAccuracies | None = None  # where the data hold them

    @property
    def is_mean(self):
        """Whether each model has one (weighted) mean over the samples."""
        return self.values is not None and self.values[0].ndim == 1

    @property
    def hits(self):
        """Return unweighted 0 and 1 values for exact tests, or None."""
        is_plain = self.is_mean and self.is_share and self.weight is None
        return self.values if is_plain else None


def make_comparison(models, metric, y_true, sample_weight, params, caller):
    """Return the checked data of the models as a comparison."""
    spec = resolve_metric(metric, caller)
    needs = getattr(spec, "needs", frozenset())
    if "periods" in needs:
        return _compare_trends(models, spec, y_true, sample_weight, params, caller)
    if "scores" in needs:
        rule = "a metric of samples: conditions are not resampled"
        raise invalid("metric", caller, rule, spec.name)
    data = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in models.items()
    }
    if y_true is not None and "probabilities" in needs:
        params = {"y_true": y_true, **params}
    elif y_true is not None:
        data = {name: (y_true, *one) for name, one in data.items()}
    weight = None
    if sample_weight is not None:
        first = next(iter(data.values()))[0]
        weight = check_weights(sample_weight, np.size(first, 0), caller)
        weight = weight if np.ptp(weight) > 0 else None
    by_sample = spec is not None and spec.per_sample is not None
    if by_sample and (spec.compare is None or weight is not None):
        values = [spec.values(one, params, caller) for one in data.values()]
        makers = [partial(_shares, one, weight) for one in values]
    elif spec is None or spec.compare is None:
        return _compare_functions(data, metric, spec, weight, params, caller)
    else:
        options = params if weight is None else {**params, "sample_weight": weight}
        values, parts = None, (options, caller, spec.title)
        makers = [call_with_options(spec.compare, d, *parts) for d in data.values()]
    shapes = {name: (len(one[0]),) for name, one in data.items()}
    if "labels" in spec.needs:  # as many conditions, too
        for name, one in data.items():
            shapes[name] += (math.prod(shape_of(one[-1])) // len(one[0]),)
    _check_same(shapes, caller)
    tolerance = params.get("tolerance")
    return Comparison(
        spec.name,
        next(iter(shapes.values()))[0],
        makers,
        np.asarray(tolerance, dtype=np.float64) if np.ndim(tolerance) else None,
        values,
        is_share=by_sample and (values is None or values[0].dtype == bool),
        weight=weight,
        sign=1 if spec.greater_is_better else -1,
        title=spec.title,
        accuracies=row_accuracies(spec, [*data.values()], params, weight, caller),
    )


def _shares(values, weight, units):
    return Shares(values, units, weight)


def _compare_functions(data, metric, spec, weight, params, caller):
    for name, one in data.items():
        if len({len(array) for array in one}) > 1:
            raise ValueError(f"{caller} needs arrays of equal length for {name!r}.")
    shapes = {name: len(one[0]) for name, one in data.items()}
    _check_same(shapes, caller)
    n = next(iter(shapes.values()))
    accuracies = row_accuracies(spec, [*data.values()], params, weight, caller)
    if weight is not None:
        params = {**params, "sample_weight": weight}
    if "n_features" in getattr(spec, "needs", ()):
        y_true = next(iter(data.values()))[0]
        params = _sizes_of_the_whole(spec, y_true, n, params, caller)
    if spec is None:
        made = read_callable(metric, caller)
        functions = [made.of_arrays(one, caller) for one in data.values()]
        name, sign, title = made.name, made.sign, ""
    else:
        functions = [spec.function] * len(data)
        name, title = spec.name, spec.title
        sign = 1 if spec.greater_is_better else -1
    makers = [
        function_statistic(function, *one, **params)
        for function, one in zip(functions, data.values(), strict=True)
    ]
    about = {"sign": sign, "title": title, "accuracies": accuracies}
    return Comparison(name, n, makers, **about)


def _sizes_of_the_whole(spec, y_true, n, params, caller):
    """Return options that keep the sizes of the data set in each resample."""
    if params.get("n_samples") is None:
        params = {**params, "n_samples": n}
    if spec.task == "classification" and params.get("class_counts") is None:
        labels = label_array(y_true, caller, "y_true")
        sizes = class_sizes(labels, params.get("sample_weight"))
        params = {**params, "class_counts": sizes}
    return params


def _compare_trends(models, spec, y_true, sample_weight, params, caller):
    if y_true is not None or sample_weight is not None:
        raise ValueError(
            f"{caller} of the {spec.title} takes one score per period, without y_true "
            "and sample_weight."
        )
    _check_same(
        {name: np.shape(one) for name, one in models.items()}, caller, "periods"
    )
    parts = (list(models.values()), caller), params, caller, spec.title
    trends = call_with_options(_trends, *parts)
    return Comparison(spec.name, trends.n, [], trends=trends, title=spec.title)


def _trends(
    models, owner, *, falling_rate_weight=12, variability_weight=0.5, times=None
):
    return PairedTrends(models, owner, falling_rate_weight, variability_weight, times)


def _check_same(shapes, caller, what="samples and conditions"):
    if len(set(shapes.values())) > 1:
        listed = ", ".join(f"{name!r} has {shape}" for name, shape in shapes.items())
        raise ValueError(f"{caller} needs the same {what}; {listed}.")
