"""The data of several models as statistics of the same units."""

from dataclasses import dataclass

import numpy as np

from skrobust._validation import invalid
from skrobust.metrics.intervals.bootstrap import Shares, function_statistic
from skrobust.metrics.registry import call_with_options, find_metric, metric_names


@dataclass
class Comparison:
    """What is compared, and what the models have in common."""

    metric: str
    n_samples: int
    makers: list  # of the statistic of each model, from the units
    tolerances: np.ndarray | None = None
    hits: list | None = None  # for McNemar: the samples that each model gets right


def make_comparison(models, metric, y_true, params, caller):
    """Return the data of the models, checked, as makers of statistics."""
    spec = find_metric(metric)
    if spec is None and not callable(metric):
        rule = f"a callable or one of {', '.join(metric_names())}"
        raise invalid("metric", caller, rule, metric)
    if "scores" in getattr(spec, "needs", ()):
        rule = "a metric of samples: periods and conditions are not resampled"
        raise invalid("metric", caller, rule, spec.name)
    data = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in models.items()
    }
    if y_true is not None and "probabilities" in getattr(spec, "needs", ()):
        params = {"y_true": y_true, **params}
    elif y_true is not None:
        data = {name: (y_true, *one) for name, one in data.items()}
    if spec is None or (spec.compare is None and spec.per_sample is None):
        return _compare_functions(data, metric, spec, params, caller)
    if spec.compare is None:
        hits = [spec.values(one, params, caller) for one in data.values()]
        makers = [lambda units, h=h: Shares(h, units) for h in hits]
        hits = hits if hits[0].dtype == bool and hits[0].ndim == 1 else None
    else:
        parts, hits = (params, caller, spec.title), None
        makers = [call_with_options(spec.compare, d, *parts) for d in data.values()]
    shapes = {name: (len(one[0]),) for name, one in data.items()}
    if "labels" in spec.needs:  # as many conditions, too
        for name, one in data.items():
            shapes[name] += (np.size(one[-1]) // len(one[0]),)
    _check_same(shapes, caller)
    tolerance = params.get("tolerance")
    curve = np.asarray(tolerance, dtype=np.float64) if np.ndim(tolerance) else None
    n = next(iter(shapes.values()))[0]
    return Comparison(spec.name, n, makers, curve, hits)


def _compare_functions(data, metric, spec, params, caller):
    for name, one in data.items():
        if len({len(array) for array in one}) > 1:
            raise ValueError(f"{caller} needs arrays of equal length for {name!r}.")
    shapes = {name: len(one[0]) for name, one in data.items()}
    _check_same(shapes, caller)
    function = metric if spec is None else spec.function
    makers = [function_statistic(function, *one, **params) for one in data.values()]
    name = (
        metric if isinstance(metric, str) else getattr(metric, "__name__", "callable")
    )
    return Comparison(name, next(iter(shapes.values())), makers)


def _check_same(shapes, caller):
    if len(set(shapes.values())) > 1:
        listed = ", ".join(f"{name!r} has {shape}" for name, shape in shapes.items())
        raise ValueError(f"{caller} needs the same samples and conditions; {listed}.")
