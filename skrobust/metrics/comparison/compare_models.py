"""Paired comparison of models on the same samples and conditions."""

import itertools
import warnings

import numpy as np

from skrobust._deprecation import warn_deprecated
from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._validation import (
    check_choice,
    check_confidence,
    check_count,
    check_number,
    invalid,
)
from skrobust.metrics.comparison.accuracy_order import order_warnings
from skrobust.metrics.comparison.compared_data import make_comparison
from skrobust.metrics.comparison.margins import margin_columns
from skrobust.metrics.comparison.paired_runs import compare_samples, compare_trends
from skrobust.metrics.comparison.ranks import rank_sets
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.frequency_weights import repeat_models
from skrobust.metrics.registry import resolve_metric


def compare_models(
    models,
    *,
    metric="robust_accuracy",
    y_true=None,
    sample_weight=None,
    weight_type="design",
    clusters=None,
    margin=None,
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
          or the shift of each sample;
        - scores of shape (n_periods,), for the stability index: the same periods for
          each model.
    metric : str or callable, default="robust_accuracy"
        The name of a registered metric ("robust_accuracy", "robust_ratio",
        "accuracy_stability_index", "stability_index", "normalized_accuracy" and so on),
        or a callable: it takes ``y_true``, if given, and the data of one model (an
        array, or a tuple of arrays), and returns a float. Its name tells which way is
        better: ``..._score``, or ``..._loss`` or ``..._error``. A scorer of
        scikit-learn takes ``y_true`` and what it asks of a model; greater is better.
    y_true : array-like of shape (n_samples,) or None, default=None
        True labels.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights; not for the stability index, whose rows are periods.
    weight_type : {"design", "frequency"}, default="design"
        Weights are fixed by the design of the sample; or each is the number of equal
        samples that a row stands for, an integer.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together: the clip of a frame, the patient of a row.
    margin : float > 0 or None, default=None
        The largest difference that does not matter. Given, each pair is tested for
        non-inferiority and equivalence (two one-sided tests).
    confidence : float in (0, 1), default=0.95
        Wanted coverage; the tests against the margin have the error 1 - confidence.
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
        ``difference`` (first less second), ``low``, ``high``, ``band_low`` and
        ``band_high`` (limits that hold for all rows at once), ``p_value``,
        ``p_adjusted`` and ``flip_rate`` (share of resamples in which the order of the
        two turns around; a tie counts half; nan if they are equal).

        With ``margin``: ``margin_low`` and ``margin_high`` (limits with coverage
        1 - 2 error), ``p_first`` and ``p_second`` (p-value against the first or the
        second model being worse by the margin or more), ``p_equivalent`` (the larger of
        the two) and ``verdict``: "equivalent" where the limits lie within the margin,
        "first inferior" or "second inferior" where they lie beyond it, "first not
        inferior" or "second not inferior" where one of them lies within, else
        "undecided". All are corrected for the number of rows (Bonferroni).

        About the whole: ``ranks`` (a table with ``model``, ``value``, ``rank`` and its
        confidence limits ``rank_low`` and ``rank_high``, which hold for all models at
        once), ``metric``, ``method``, ``correction``, ``margin``, ``n``, ``unit``,
        ``confidence``, ``warnings``. ``ranking_kept`` is deprecated.

    Raises
    ------
    ValueError
        For fewer than two models, or models of different samples or conditions.

    Warns
    -----
    UserWarning
        For few clusters, and for resamples in which the metric is undefined. Where the
        best model by a stability index, the robust ratio (with ``y_true``) or a
        normalized accuracy has a lower mean accuracy on the same rows than another, the
        paired difference being significant, or is not better than the best constant
        prediction (with ``y_true``); with the numbers. Of the stability index it is the
        mean score over the periods.

    Notes
    -----
    *Robust accuracy*: exact McNemar p-value, limits of Bonett and Price, Holm's
    correction over the pairs. Against a margin: unconditional exact tests, and the
    limits that invert them, so that the error is at most the stated one for any sample
    size and any share.

    *Weighted means*: jackknife over samples or clusters, with t and Satterthwaite's
    degrees of freedom; shares get one discordant pair more on each side, as above.

    *Stability index*: the difference d of the two series, and the part e of their mean
    that is not correlated with d, are lines with autoregressive deviations, as those of
    :func:`confidence_interval`. Limits and p-values are those of the posterior draws of
    both; that e and d are independent is our choice. Where the sign of a slope is
    uncertain, the draws are also taken as if nothing fell, and the more doubtful count.

    *Everything else*, and robust accuracy over clusters: paired bootstrap of the units
    with

    .. math:: \frac{1 + \#\{|d^* - d| \ge |d|\}}{1 + n\_resamples}

    as p-value and limits :math:`d \pm q`, where q is the quantile of
    :math:`|d^* - d|` (for n units enlarged by the ratio of the quantiles of t and the
    normal and by :math:`\sqrt{n / (n - 1)}`); curves are corrected by the largest
    :math:`|d^* - d| / s(d^*)` of all rows. Below 20 clusters: jackknife with t on G - 1
    degrees of freedom; two clusters: no interval. Sizes that normalized metrics take of
    the data set stay those of the whole in each resample. The index is the
    noise-corrected one of :func:`confidence_interval`, whose conditions are fixed;
    with weights :math:`w_i` the product of two samples has the weight
    :math:`w_i w_j`.
    Where no unit tells two models apart, limits are those that so many units can
    exclude (of shares), or nan. The page "Coverage of intervals" of the guide has the
    measured coverage.

    *Ranks*: a model is better than another where the two differ after correction for
    all pairs (Holm over both sides of each pair, or the band). Its rank lies between
    one more than the number of better models, and the number of models less those that
    are worse.

    References
    ----------
    Q. McNemar (Psychometrika, 1947); D. Bonett and R. Price, "Adjusted Wald confidence
    interval for a difference of binomial proportions based on paired data" (Journal of
    Educational and Behavioral Statistics, 2012); S. Holm (Scandinavian Journal of
    Statistics, 1979); P. Westfall and S. Young, "Resampling-based multiple testing"
    (Wiley, 1993); D. Schuirmann, two one-sided tests (Journal of Pharmacokinetics and
    Biopharmaceutics, 1987); R. Berger and D. Boos (JASA, 1994) and R. Buehler (JASA,
    1957), exact limits; J. O. Berger and R.-Y. Yang (Econometric Theory, 1994),
    reference prior of the autoregression; M. Mogstad, J. Romano, A.
    Shaikh and D. Wilhelm, "Inference for ranks" (Review of Economic Studies, 2024).

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
    >>> near = compare_models(predictions, y_true=y, margin=0.05, random_state=0)
    >>> str(near.verdict[0]), near.margin_low.round(3), near.margin_high.round(3)
    ('second inferior', array([0.096]), array([0.396]))
    """
    caller = "compare_models"
    confidence = check_confidence(confidence, caller)
    n_resamples = check_count(n_resamples, "n_resamples", caller, low=100)
    rng = np.random.default_rng(seed_number(random_state, caller) % 2**64)
    if margin is not None:
        margin = check_number(margin, "margin", caller, low=0, low_open=True)
    if not isinstance(models, dict) or len(models) < 2:
        raise invalid("models", caller, "a dict of two or more models", models)
    check_choice(weight_type, "weight_type", caller, ("design", "frequency"))
    needs = getattr(resolve_metric(metric, caller), "needs", frozenset())
    if weight_type == "frequency" and not needs & {"periods", "scores"}:
        params = {**metric_params, "sample_weight": sample_weight}
        repeated = repeat_models(models, y_true, clusters, params, caller)
        models, y_true, clusters, metric_params = repeated
        sample_weight = None
    parts = metric, y_true, sample_weight, metric_params, caller
    data = make_comparison(models, *parts)
    pairs = list(itertools.combinations(range(len(models)), 2))
    units = None
    if data.trends is not None:
        if clusters is not None:
            raise ValueError(f"{caller} of periods takes no clusters.")
        run = compare_trends(data, pairs, confidence)
    else:
        units = make_units(clusters, data.n_samples, caller)
        run = compare_samples(data, pairs, units, n_resamples, confidence, rng, caller)
    found, values, notes = run.found, run.values, run.notes
    if np.isnan(found.low).any() and run.method != "none":
        notes += (f"All {run.unit} show the same difference; it has no limits.",)
    names = [str(name) for name in models]
    notes += order_warnings(names, data, values, units, confidence)
    for text in notes:
        warnings.warn(text, UserWarning, stacklevel=2)
    names, repeats = np.array(names), values.shape[1]
    first, second = (list(side) for side in zip(*pairs, strict=True))
    table = {
        "first": np.repeat(names[first], repeats),
        "second": np.repeat(names[second], repeats),
        "tolerance": np.tile(data.tolerances, len(pairs)),
        "value_first": values[first].ravel(),
        "value_second": values[second].ravel(),
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "band_low": found.band_low,
        "band_high": found.band_high,
        "p_value": found.p_value,
        "p_adjusted": found.p_adjusted,
        "flip_rate": run.flip_rates,
    }
    if data.tolerances is None:
        del table["tolerance"]
    if margin is not None:
        table |= margin_columns(found, margin, confidence, data.sign)
    about = confidence, data.sign, data.tolerances
    kept = run.ranking_kept
    return ComparisonResults(
        columns=tuple(table),
        **table,
        ranks=rank_sets(names, values, pairs, found, *about),
        ranking_kept=kept if data.tolerances is not None else float(kept[0]),
        metric=data.metric,
        method=run.method,
        correction=found.correction,
        margin=margin,
        n=run.n,
        unit=run.unit,
        confidence=confidence,
        warnings=notes,
    )


class ComparisonResults(Results):
    """Results of a comparison; ``ranking_kept`` warns until it is removed."""

    def __getitem__(self, key):
        if key == "ranking_kept":
            warn_deprecated("ranking_kept", "the confidence sets in ranks", 3)
        return super().__getitem__(key)
