"""The data of several models as statistics of the same units."""

from dataclasses import dataclass

import numpy as np

from skrobust._validation import check_fractions, check_scores, invalid
from skrobust.metrics.intervals.bootstrap import (
    NoiseCorrected,
    Scores,
    Shares,
    Statistic,
)
from skrobust.metrics.robust.inputs import correctness, is_per_row, shifts, take
from skrobust.metrics.stability.asi_interval import index


@dataclass
class Shape:
    """What the models have in common."""

    metric: str
    n_samples: int
    tolerances: np.ndarray | None = None
    hits: list | None = None  # for McNemar: the samples that each model gets right


class _Index(Statistic):
    """The noise-corrected index of a correctness matrix."""

    def __init__(self, correct, units):
        self.units = units
        self.moments = NoiseCorrected(correct, units)

    def __call__(self, counts):
        mean, _, variance = self.moments(counts).T
        return index(mean, variance)[:, None]


def model_statistics(models, metric, y_true, params, caller):
    """Return for each model a maker of its statistic, and what they have in common.

    Each maker takes the units and returns a statistic of counts.
    """
    data = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in models.items()
    }
    short = metric.removesuffix("_score") if isinstance(metric, str) else None
    if callable(metric):
        short = getattr(metric, "__name__", "callable")
        known = getattr(metric, "__module__", "").startswith("skrobust.metrics")
        short = short.removesuffix("_score") if known else None
        if short in ("stability_index", "coefficient_of_variation"):
            rule = "a metric of samples: periods and conditions are not resampled"
            raise invalid("metric", caller, rule, short)
    if short in ("accuracy", "robust_accuracy"):
        take(params, caller, "the robust accuracy")
        return _accuracies(data, short, y_true, caller)
    if short == "robust_ratio":
        return _ratios(data, y_true, params, caller)
    if short in ("accuracy_stability_index", "asi"):
        take(params, caller, "the accuracy_stability_index")
        return _indices(data, y_true, caller)
    if callable(metric):
        return _callables(data, metric, y_true, params, caller)
    known = "robust_accuracy, robust_ratio, accuracy_stability_index"
    raise invalid("metric", caller, f"a callable or one of {known}", metric)


def _accuracies(data, metric, y_true, caller):
    matrices = _matrices(data, y_true, caller)
    hits = [matrix.all(axis=1) for matrix in matrices]
    makers = [lambda units, h=h: Shares(h, units) for h in hits]
    return makers, Shape(metric, len(hits[0]), hits=hits)


def _indices(data, y_true, caller):
    matrices = _matrices(data, y_true, caller)
    if matrices[0].shape[1] < 2:
        raise ValueError(
            f"{caller} of the accuracy_stability_index needs correctness of shape "
            "(n_samples, n_conditions) with at least two conditions."
        )
    makers = [lambda units, m=m: _Index(m, units) for m in matrices]
    return makers, Shape("accuracy_stability_index", len(matrices[0]))


def _matrices(data, y_true, caller):
    matrices = [correctness(one, caller, y_true=y_true) for one in data.values()]
    _check_same(dict(zip(data, (m.shape for m in matrices), strict=True)), caller)
    return matrices


def _ratios(data, y_true, params, caller):
    params = take(
        params,
        caller,
        "the robust ratio",
        tolerance=None,
        reference="predicted",
        labels=None,
    )
    tolerance = params.pop("tolerance")
    if tolerance is None:
        raise ValueError(f"{caller} of the robust ratio needs tolerance=.")
    tolerances = check_scores(np.atleast_1d(tolerance), caller, name="tolerance")
    check_fractions(tolerances, caller, name="tolerance")
    moves = [shifts(one, caller, y_true=y_true, **params) for one in data.values()]
    _check_same(dict(zip(data, (len(s) for s, _ in moves), strict=True)), caller)
    within = [shift[:, None] <= tolerances + atol for shift, atol in moves]
    makers = [lambda units, w=w: Shares(w, units) for w in within]
    curve = None if np.ndim(tolerance) == 0 else tolerances
    return makers, Shape("robust_ratio", len(moves[0][0]), curve)


def _callables(data, metric, y_true, params, caller):
    arrays = {}
    for name, one in data.items():
        arrays[name] = [np.asarray(array) for array in one]
        if y_true is not None:
            arrays[name].insert(0, np.asarray(y_true))
        if len({len(array) for array in arrays[name]}) > 1:
            raise ValueError(f"{caller} needs arrays of equal length for {name!r}.")
    _check_same({name: len(a[0]) for name, a in arrays.items()}, caller)
    n = len(next(iter(arrays.values()))[0])
    rows = {k: np.asarray(v) for k, v in params.items() if is_per_row(v, n)}
    params = {k: v for k, v in params.items() if k not in rows}
    makers = [
        lambda units, a=a: Scores(metric, a, units, rows, params)
        for a in arrays.values()
    ]
    return makers, Shape(getattr(metric, "__name__", "callable"), n)


def _check_same(shapes, caller):
    if len(set(shapes.values())) > 1:
        listed = ", ".join(f"{name!r} has {shape}" for name, shape in shapes.items())
        raise ValueError(f"{caller} needs the same samples and conditions; {listed}.")
