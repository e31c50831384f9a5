"""Variance of the Accuracy-Stability Index over draws of the perturbations."""

import warnings

import numpy as np

from skrobust._containers import refuse_unordered, shape_of
from skrobust._results import Results
from skrobust._validation import check_confidence, invalid
from skrobust.metrics.comparison.variance_components import Components
from skrobust.metrics.intervals.clusters import make_units, t_quantile
from skrobust.metrics.robust.sample_values import correctness
from skrobust.metrics.stability.asi_interval import index


def accuracy_stability_variance(correct, *, clusters=None, confidence=0.95):
    r"""Decompose the variance of the Accuracy-Stability Index: draws and samples.

    The index of one evaluation varies with the random numbers of the perturbations and
    with the test samples. Evaluations of the same samples with other seeds tell how
    much comes from each:

    .. math:: J_{ri} = n A_r - (n - 1) A_{r, -i}, \qquad
        J_{ri} = \mu + d_r + s_i + e_{ri}, \qquad
        Var(\bar A) = \frac{\sigma_d^2}{R} + \frac{\sigma_s^2}{n} +
        \frac{\sigma_e^2}{R n}

    where :math:`A_r` is the index of draw r of R, and :math:`A_{r, -i}` that without
    sample i of n. :math:`\sigma_d^2` is the variance of what all samples share (one
    noise pattern for all of them), :math:`\sigma_e^2 / n` that of noise which each
    sample has for itself.

    Parameters
    ----------
    correct : array-like of shape (n_draws, n_samples, n_conditions)
        Correctness, booleans or 0 and 1, of two draws or more: ``correct`` of
        :func:`~skrobust.evaluation.evaluate_perturbations` for conditions of the same
        strengths with another ``random_state`` each time.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together: the clip of a frame, the patient of a row.
    confidence : float in (0, 1), default=0.95
        Wanted coverage.

    Returns
    -------
    Results
        Columns, one row per draw: ``draw`` and ``index``, the
        :func:`accuracy_stability_index` of its accuracies. About the whole:

        - ``value``, their mean, with ``low``, ``high`` and ``std_error`` for other
          draws and other samples;
        - ``std_of_draws``, the standard deviation of the index over draws, for these
          samples;
        - ``std_error_of_one``, the standard error of one draw, and
          ``std_error_of_many``, that of the mean over draws without end: more draws
          bring no more than that, and more samples are needed below it;
        - ``share_of_draws``, the share of the variance of one draw that comes from its
          random numbers;
        - ``components``, a table with ``component`` ("draw", "sample" or "cluster", and
          both), ``variance`` and ``share`` of the variance of ``value``;
        - ``n_draws``, ``n``, ``unit``, ``confidence``, ``warnings``.

    Raises
    ------
    ValueError
        For fewer than two draws, conditions or units, and data that are not
        correctness.

    Warns
    -----
    UserWarning
        For few clusters.

    Notes
    -----
    The variances are those of :func:`plan_samples`, by the method of moments: unbiased
    for the pseudo-values, and negative by chance where a variance is near 0; in sums
    they count as 0. With R draws ``std_of_draws`` has R - 1 degrees of freedom: take
    five or more. The index is that of the accuracies as they are, not the
    noise-corrected one of :func:`confidence_interval`; each number here is about the
    index that one evaluation reports. Conditions are fixed. Draws and samples may both
    count for little where the spread of the conditions is near 0, at which the index
    has a kink and pseudo-values are unreliable.

    References
    ----------
    Accuracy-Stability Index (arXiv 2311.15332, 2023); J. Tukey, "Bias and confidence in
    not-quite large samples" (Annals of Mathematical Statistics, 1958), on
    pseudo-values; S. Searle, G. Casella and C. McCulloch, "Variance components" (Wiley,
    1992). The decomposition of the index is our choice.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import accuracy_stability_variance
    >>> rng = np.random.default_rng(0)
    >>> shares = [0.9, 0.8, 0.5] + rng.normal(0, 0.05, (6, 1, 3))
    >>> found = accuracy_stability_variance(rng.random((6, 1000, 3)) < shares)
    >>> found.index.round(2)
    array([0.56, 0.54, 0.46, 0.59, 0.44, 0.51])
    >>> found.share_of_draws > 0.9
    True
    """
    caller = "accuracy_stability_variance"
    confidence = check_confidence(confidence, caller)
    draws = _draws(correct, caller)
    n_draws, n_samples, _ = draws.shape
    units = make_units(clusters, n_samples, caller)
    if not units.enough:
        raise ValueError(
            f"{caller} needs more {units.name}: {units.n} allow no decomposition."
        )
    for text in units.warnings():
        warnings.warn(text, UserWarning, stacklevel=2)
    sums = np.stack([units.sums(one) for one in draws])
    sizes = units.sums(np.ones(n_samples))[:, None]
    whole = _index(sums.sum(axis=1) / n_samples)
    left_out = (sums.sum(axis=1, keepdims=True) - sums) / (n_samples - sizes)
    pseudo = units.n * whole[:, None] - (units.n - 1) * _index(left_out)
    unit = units.name[:-1]
    found = Components(pseudo, ("draw", unit), {})
    error, df = found.error(found.shape, (), planned=False)
    one, many = ({"draw": n, unit: units.n} for n in (1, 2**40))
    of_one = found.error(one, ())[0]
    of_many = found.error(many, ())[0]
    value = float(whole.mean())
    half = t_quantile(confidence, df) * error
    return Results(
        columns=("draw", "index"),
        draw=np.arange(n_draws),
        index=whole,
        value=value,
        low=max(-1.0, value - half),
        high=min(1.0, value + half),
        std_error=error,
        std_of_draws=float(whole.std(ddof=1)),
        std_error_of_one=of_one,
        std_error_of_many=of_many,
        share_of_draws=1 - (of_many / of_one) ** 2 if of_one > 0 else float("nan"),
        components=found.table(()),
        n_draws=n_draws,
        n=units.n,
        unit=units.name,
        confidence=confidence,
        warnings=units.warnings(),
    )


def _draws(correct, caller):
    """Return the checked correctness of shape (n_draws, n_samples, n_conditions)."""
    refuse_unordered(correct, "correct", caller)
    draws = correct if np.iterable(correct) and not isinstance(correct, str) else []
    shapes = [shape_of(one, "correct", caller) for one in draws]
    rule = "of shape (n_draws, n_samples, n_conditions), two or more draws and "
    rule += "conditions"
    fits = len(shapes) > 1 and len(set(shapes)) == 1 and len(shapes[0]) == 2
    if not fits or shapes[0][1] < 2:
        raise invalid("correct", caller, rule, f"shapes {shapes[:3]}")
    return np.stack([correctness((one,), caller) for one in correct])


def _index(accuracies):
    """Return the index along the last axis."""
    return index(accuracies.mean(axis=-1), accuracies.var(axis=-1))
