"""Paired comparison of models on the same samples and conditions."""

import itertools
import warnings
from dataclasses import dataclass

import numpy as np

from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.metrics.comparison import paired
from skrobust.metrics.intervals.bootstrap import (
    Shares,
    bootstrap,
    defined_draws,
    function_statistic,
    jackknife,
    jackknife_error,
)
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.registry import call_with_options, resolve_metric


def compare_models(
    models,
    *,
    metric="robust_accuracy",
    y_true=None,
    clusters=None,
    confidence=0.95,
    n_resamples=2000,
    random_state=None,
    **metric_params,
):
    r"""Compare models that were tested on the same samples and conditions.

    Each difference is taken sample by sample, so that what they have in common cancels.

    Parameters
    ----------
    models : dict
        Name of each model (two or more) to its data, samples in the same order:

        - correctness: of shape (n_samples,) or (n_samples, n_conditions);
        - predictions, when ``y_true`` is given: labels of shape (n_samples,) or
          (n_conditions, n_samples);
        - probabilities, for the robust ratio: a tuple ``(y_prob, y_prob_perturbed)``,
          or the shift of each sample.
    metric : str or callable, default="robust_accuracy"
        "robust_accuracy", "robust_ratio", "accuracy_stability_index", or a callable: it
        takes ``y_true``, if given, and the data of one model (an array, or a tuple of
        arrays), and returns a float.
    y_true : array-like of shape (n_samples,) or None, default=None
        True labels.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together: the clip of a frame, the patient of a row.
    confidence : float in (0, 1), default=0.95
        Wanted coverage.
    n_resamples : int, default=2000
        Number of bootstrap resamples; the smallest p-value is 1 / (n_resamples + 1).
    random_state : int, Generator, RandomState or None, default=None
        Seed of the resamples.
    **metric_params : dict
        Parameters of the metric. ``tolerance`` of the robust ratio may be an array: the
        curves are then compared at each of them.

    Returns
    -------
    Results
        One row for each pair (and tolerance). Columns ``first`` and ``second`` (names),
        ``tolerance`` if it is an array, ``value_first``, ``value_second``,
        ``difference`` (first less second), ``low``, ``high``, ``p_value``,
        ``p_adjusted`` and ``flip_rate`` (share of resamples in which the order of the
        two turns around; a tie counts half; nan if they are equal). Curves also have
        ``band_low`` and ``band_high``, which hold for all rows at once. About the
        whole: ``ranking_kept`` (share of resamples with the same order of all models;
        one value per tolerance), ``metric``, ``method``, ``correction``, ``n``,
        ``unit``, ``confidence``, ``warnings``.

    Raises
    ------
    ValueError
        For fewer than two models, or models of different samples or conditions.

    Warns
    -----
    UserWarning
        For few clusters, and for resamples in which the metric is undefined.

    Notes
    -----
    Robust accuracy: exact McNemar p-value, limits of Bonett and Price, Holm's
    correction over the pairs. Everything else, and robust accuracy over clusters:
    paired bootstrap of the units with

    .. math:: \frac{1 + \#\{|d^* - d| \ge |d|\}}{1 + n\_resamples}

    as p-value and limits :math:`d \pm q`, where q is the quantile of
    :math:`|d^* - d|`; curves are corrected by the largest
    :math:`|d^* - d| / s(d^*)` of all rows. Below 20 clusters: jackknife with t on G - 1
    degrees of freedom; two clusters: no interval. The index is the noise-corrected one
    of :func:`confidence_interval`, whose conditions are fixed. Measured coverage of
    95 % limits: robust accuracy (100 samples) 95 %; index (200 samples, 20 conditions)
    97 %; robust ratio (200 samples) 95 % pointwise, 93 to 96 % the band.

    References
    ----------
    Q. McNemar (Psychometrika, 1947); D. Bonett and R. Price, "Adjusted Wald confidence
    interval for a difference of binomial proportions based on paired data" (Journal of
    Educational and Behavioral Statistics, 2012); S. Holm (Scandinavian Journal of
    Statistics, 1979); P. Westfall and S. Young, "Resampling-based multiple testing"
    (Wiley, 1993).

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import compare_models
    >>> y = np.array([0, 1] * 20)
    >>> predictions = {"svc": y.copy(), "tree": y.copy()}
    >>> predictions["svc"][:2] = 1 - y[:2]
    >>> predictions["tree"][4:16] = 1 - y[4:16]
    >>> result = compare_models(predictions, y_true=y, random_state=0)
    >>> result.difference.round(3), result.p_value.round(4)
    (array([0.25]), array([0.0129]))
    """
    caller = "compare_models"
    confidence = check_confidence(confidence, caller)
    n_resamples = check_count(n_resamples, "n_resamples", caller, low=100)
    rng = np.random.default_rng(seed_number(random_state, caller) % 2**64)
    if not isinstance(models, dict) or len(models) < 2:
        raise invalid("models", caller, "a dict of two or more models", models)
    data = make_comparison(models, metric, y_true, metric_params, caller)
    units = make_units(clusters, data.n_samples, caller)
    notes = units.warnings()
    statistics = [make(units) for make in data.makers]
    values = np.stack([statistic.whole() for statistic in statistics])
    if not np.isfinite(values).all():
        raise ValueError(f"{caller} needs a metric that is defined for each model.")
    # The same units are drawn for every model.
    seed = int(rng.integers(2**62))
    draws = [bootstrap(s, n_resamples, np.random.default_rng(seed)) for s in statistics]
    draws, missing = defined_draws(np.stack(draws, axis=1), "resamples")
    if len(draws) < 2:
        raise ValueError(f"{caller} found no resample with a defined metric.")
    notes += missing
    pairs = list(itertools.combinations(range(len(models)), 2))
    first, second = (list(side) for side in zip(*pairs, strict=True))
    difference = (values[first] - values[second]).ravel()
    moved = (draws[:, first] - draws[:, second]).reshape(len(draws), -1)
    if not units.enough:
        method, found = "none", paired.undefined(difference)
    elif units.few:
        left_out = np.stack([jackknife(s) for s in statistics], axis=1)
        error = jackknife_error(left_out[:, first] - left_out[:, second]).ravel()
        method = "paired jackknife, t"
        found = paired.from_jackknife(difference, error, units, confidence)
    else:
        method = "paired bootstrap"
        found = paired.from_draws(difference, moved, confidence)
    if data.hits is not None and not units.clustered:
        method = "exact McNemar"
        hits = [(data.hits[a], data.hits[b]) for a, b in pairs]
        tests = [paired.mcnemar(*both, confidence) for both in hits]
        found.low, found.high, found.p_value = np.array(tests).T
    if data.tolerances is None and units.enough:
        found.p_adjusted = paired.holm(found.p_value)
        found.correction = f"Holm over {len(pairs)} pairs"
    if np.isnan(found.low).any() and units.enough:
        notes += ("All clusters show the same difference; it has no limits.",)
    for text in notes:
        warnings.warn(text, UserWarning, stacklevel=2)
    names, repeats = np.array([str(name) for name in models]), values.shape[1]
    table = {
        "first": np.repeat(names[first], repeats),
        "second": np.repeat(names[second], repeats),
        "tolerance": np.tile(data.tolerances, len(pairs)),
        "value_first": values[first].ravel(),
        "value_second": values[second].ravel(),
        "difference": difference,
        "low": found.low,
        "high": found.high,
        "band_low": found.band_low,
        "band_high": found.band_high,
        "p_value": found.p_value,
        "p_adjusted": found.p_adjusted,
        "flip_rate": paired.flip_rates(difference, moved),
    }
    if data.tolerances is None:  # one value a model needs no band
        for name in ("tolerance", "band_low", "band_high"):
            del table[name]
    order = np.argsort(values, axis=0, kind="stable")
    ranked = np.take_along_axis(draws, order[None], axis=1)
    step = np.diff(ranked, axis=1)
    # A tie is half a change, as in the flip rate.
    kept = ((step > 1e-12) + 0.5 * (np.abs(step) <= 1e-12)).prod(axis=1).mean(axis=0)
    return Results(
        columns=tuple(table),
        **table,
        ranking_kept=kept if data.tolerances is not None else float(kept[0]),
        metric=data.metric,
        method=method,
        correction=found.correction,
        n=units.n,
        unit=units.name,
        confidence=confidence,
        warnings=notes,
    )


@dataclass
class Comparison:
    """Statistics of the models, and what they have in common."""

    metric: str
    n_samples: int
    makers: list  # of the statistic of each model, from the units
    tolerances: np.ndarray | None = None
    hits: list | None = None  # of each model, for McNemar's test


def make_comparison(models, metric, y_true, params, caller):
    """Return the checked data of the models as a comparison."""
    spec = resolve_metric(metric, caller)
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
    name = getattr(metric, "__name__", "callable") if callable(metric) else metric
    return Comparison(name, next(iter(shapes.values())), makers)


def _check_same(shapes, caller):
    if len(set(shapes.values())) > 1:
        listed = ", ".join(f"{name!r} has {shape}" for name, shape in shapes.items())
        raise ValueError(f"{caller} needs the same samples and conditions; {listed}.")
