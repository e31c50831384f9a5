"""Evaluation of a regressor under an attack."""

import numpy as np

from skrobust._array_checks import check_same_length, check_scores, check_targets
from skrobust._guarded_rows import perturb_guarded
from skrobust._parallel import StepBar, alone
from skrobust._responses import predict_labels
from skrobust._results import Results
from skrobust._validation import invalid
from skrobust.base.changed_rows import changed_rows, row_distortion
from skrobust.evaluation.attacked.attack_batches import predictions_over_batches
from skrobust.evaluation.attacked.attacked_blocks import run_in_blocks
from skrobust.evaluation.core.acted import mean_of_changed, warn_idle_attack
from skrobust.evaluation.core.condition_table import shown
from skrobust.evaluation.core.failures import reason_of, tell_failed
from skrobust.evaluation.core.sample_groups import SampleGroups
from skrobust.metrics.intervals.confidence_interval import confidence_interval
from skrobust.metrics.robust.prediction_shift import (
    prediction_shift,
)
from skrobust.metrics.robust.unmoved import full_attack
from skrobust.metrics.scorers.attack_objective import is_full, prepare_attack

_SHARES = np.linspace(0, 0.5, 26)  # tolerances, in standard deviations of the targets
_RESAMPLES = 500


def regression_results(
    estimator,
    X,
    y,
    attack,
    *,
    tolerances,
    clusters,
    confidence,
    store,
    caller,
    runs=None,
    verbose=0,
    n_jobs=None,
    errors=None,
    error_score=np.nan,
):
    """Return the scores of a regressor under an attack, and its robust ratio.

    Parameters
    ----------
    estimator : fitted regressor
        The model.
    X, y : array-like
        Rows and targets.
    attack : object with ``perturb(estimator, X, y)``
        The attack or perturbation.
    tolerances : array-like or None
        Accepted moves of a prediction, in the units of ``y``; None is 0 to half of the
        standard deviation of ``y``.
    clusters : array-like of shape (n_samples,) or None
        Samples that belong together.
    confidence : float
        Level of the intervals.
    store : Checkpoint
        Folder of finished parts.
    caller : str
        Name of the public function, for error messages.
    runs : BatchedRuns, default=None
        Rows that come in batches, in place of ``X`` and ``y``.
    verbose : int, default=0
        From 1 on, a progress bar over the runs.
    n_jobs : int, default=None
        Runs at a time.
    errors : dict, default=None
        Which errors are results.
    error_score : number or "raise", default=numpy.nan
        What the numbers of a failed run are.

    Returns
    -------
    Results
        As :func:`~skrobust.evaluation.evaluate_attack` describes it.
    """
    # The attack on the error moves from the target, that on the shift from the answer.
    attacks = {
        aim: prepare_attack(attack, "prediction_shift", reference)
        for aim, reference in (("error", "true"), ("shift", "predicted"))
        if getattr(attack, "objective", None) in (None, f"prediction_{aim}")
    }
    found, bar = {}, StepBar(len(attacks), caller, verbose and runs is None)
    if runs is None:
        y = check_targets(y, caller)
        check_same_length(caller, X=X, y=y)
        clean, prefix = (
            alone(predict_labels, estimator, X),
            store.prefix(estimator, X, y),
        )
    else:
        prefix = store.prefix(estimator, (), (), "batches")
        parts = attacks, _answers, prefix
        clean, found = predictions_over_batches(estimator, runs, *parts)
        y = runs.y
    y = check_scores(y, caller, name="y")
    spread = float(np.std(y))
    tolerances = _tolerances(tolerances, spread, caller)
    draws = confidence, 1, 0
    samples = SampleGroups(y, None, clusters, draws, caller)
    clean = check_scores(clean, caller, name="predict")
    if runs is None:
        tasks = [("predictions, by row", _answers, run) for run in attacks.values()]
        parts, how = (estimator, X, y), {"n_jobs": n_jobs, "bar": bar, **(errors or {})}
        tables = run_in_blocks(store, prefix, tasks, *parts, **how)
        tables = [t if isinstance(t, Exception) else t.T for t in tables]
        found = dict(zip(attacks, tables, strict=True))
    bar.close()
    measures = {"error": "robust_r2", "shift": "robust_ratio_prediction_shift"}
    failed = {
        measures[aim]: found.pop(aim)
        for aim in list(found)
        if isinstance(found[aim], Exception)
    }
    tell_failed(failed, error_score, caller)
    facts = next(iter(found.values()))
    results = Results(
        columns=(),
        task="regression",
        n_samples=len(y),
        confidence=float(confidence),
        attack=shown(attack),
        target_std=spread,
        changed=float(facts[1].mean()),
        distortion=mean_of_changed(facts[1].astype(bool), facts[2]),
        constant_model_r2=0.0,
        **samples.facts(),
    )
    how = {"clusters": clusters, "confidence": confidence}
    results.update(regression_scores("clean", y, clean, how))
    if "error" in found:
        moved = found["error"][0]
        results.update(regression_scores("robust", y, moved, how))
    if failed:
        results["failed"] = {name: reason_of(error) for name, error in failed.items()}
    if "robust_r2" in failed:
        for name in ("robust_r2", "robust_mean_absolute_error"):
            results[name], results[f"{name}_interval"] = float(error_score), None
    if "shift" in found:
        moved, run = found["shift"][0], attacks["shift"]
        idle = bool((clean == moved).all())
        warn_idle_attack(attack, idle and results["changed"] == 0, caller)
        with full_attack(is_full(run) or idle):
            results.update(_ratio(clean, moved, tolerances, samples, caller))
    return results


def refuse_for_numbers(caller, **options):
    """Raise for options that only the labels of a classifier have."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise ValueError(
                f"{caller}: {name}= compares labels, and a regressor predicts none."
            )


def _tolerances(tolerances, spread, caller):
    if tolerances is None:
        return _SHARES * spread
    tolerances = check_scores(tolerances, caller, name="tolerances", min_size=1)
    if (tolerances < 0).any():
        raise invalid("tolerances", caller, "numbers of at least 0", tolerances.min())
    return tolerances


def _answers(estimator, attack, X, y):
    """Return the predictions under attack, which rows changed, and how far."""
    moved = perturb_guarded(attack, estimator, X, y)
    predicted = np.asarray(predict_labels(estimator, moved), dtype=np.float64)
    check_same_length("evaluate_attack", y_true=y, y_pred=predicted)
    changed, size = changed_rows(X, moved), row_distortion(X, moved)[0]
    return np.array([predicted, changed, size], dtype=np.float64).T


def regression_scores(name, y, predicted, how=None):
    """Return R2 and mean absolute error with their bootstrap intervals.

    Parameters
    ----------
    name : str
        What the keys begin with.
    y, predicted : ndarray of shape (n_samples,)
        Targets and predictions.
    how : dict, default=None
        ``clusters`` and ``confidence`` of the intervals.

    Returns
    -------
    dict
        ``<name>_r2`` and ``<name>_mean_absolute_error``, and each with ``_interval``;
        nan and None for fewer than three rows or equal targets.
    """
    found, how = {}, how or {}
    for key, score in (("r2", _r2_score), ("mean_absolute_error", _error)):
        value = interval = None
        if len(y) > 2 and np.ptp(y) > 0:
            data = score, y, predicted
            draws = {"n_resamples": _RESAMPLES, "random_state": 0}
            interval = confidence_interval(*data, method="percentile", **draws, **how)
            value = float(score(y, predicted))
            low, high = min(interval.low, value), max(interval.high, value)
            interval = low, high
        found[f"{name}_{key}"] = float("nan") if value is None else value
        found[f"{name}_{key}_interval"] = interval
    return found


def _r2_score(y, predicted):
    spread = ((y - y.mean()) ** 2).sum()
    return 1 - ((y - predicted) ** 2).sum() / spread if spread else np.nan


def _error(y, predicted):
    return np.abs(y - predicted).mean()


def _ratio(clean, moved, tolerances, samples, caller):
    """Return the columns of the robust ratio over the tolerances."""
    shift = prediction_shift(clean, moved)
    within = np.array(
        [shift <= t + 1e-9 * np.maximum(np.abs(clean), t) for t in tolerances]
    ).T
    low, high = samples.limits(within)
    return {
        "columns": (
            "tolerance",
            "robust_ratio_prediction_shift",
            "robust_ratio_prediction_shift_low",
            "robust_ratio_prediction_shift_high",
        ),
        "modes": ("prediction_shift",),
        "tolerance": tolerances,
        "robust_ratio_prediction_shift": within.mean(axis=0),
        "robust_ratio_prediction_shift_low": low,
        "robust_ratio_prediction_shift_high": high,
        "prediction_shift": float(shift.mean()),
        "largest_shift": float(shift.max()),
        "per_sample": Results(columns=("shift",), shift=shift),
    }
