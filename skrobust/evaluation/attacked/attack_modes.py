"""Modes of the robust ratio under an attack: which there are, and their columns."""

import numpy as np
from sklearn.base import clone

from skrobust.attacks import StrongestAttack
from skrobust.evaluation.attacked.temperature import fit_temperature, tempered
from skrobust.evaluation.core.failures import reason_of
from skrobust.metrics.registry import get_metric
from skrobust.metrics.robust.unmoved import full_attack
from skrobust.metrics.scorers.attack_objective import at_full_strength

MODES = ("loss", "probability_shift")


def why_no_ratio(estimator, attack):
    """Return why there is no robust ratio, or None."""
    if getattr(attack, "target", None) is not None:
        return "the attack has a target"
    if not getattr(attack, "_moves_probabilities", True):
        return "the attack sees labels alone"
    if not hasattr(estimator, "predict_proba"):
        return "the model has no predict_proba"
    return None


def full_runs(attack, params):
    """Return the attacks that never stop early, each with its objective."""
    if params.get("objective", "") in (None, "misclassification"):
        free = clone(attack).set_params(objective=None)
        if isinstance(attack, StrongestAttack):
            return [at_full_strength(free)]
        return [at_full_strength(free, mode) for mode in MODES]
    return [at_full_strength(attack)]


def ratio_columns(name, p, q, temperature, options, samples):
    """Return which samples are within each tolerance, and the columns of the ratio."""
    ratio, caller = get_metric("robust_ratio"), "evaluate_attack"
    scaled = tempered(p, temperature), tempered(q, temperature)
    within = ratio.values((p, q), options, caller)
    with full_attack():  # rows that stay were named above
        within_scaled = ratio.values(scaled, options, caller)
    low, high = samples.limits(within)
    columns = within.mean(axis=0), low, high, within_scaled.mean(axis=0)
    return within, dict(zip(column_names(name), columns, strict=True))


def unknown_columns(name, tolerances, value):
    """Return the columns of the ratio of a run that failed."""
    ratio = np.full(len(tolerances), float(value))
    return {c: np.full(len(tolerances), np.nan) for c in column_names(name)} | {
        name: ratio
    }


def mode_name(mode):
    """Return the name of the ratio of a mode; others are those of a given attack."""
    return f"robust_ratio_{mode if mode in MODES else 'given'}"


def failed_runs(table, full):
    """Return the errors of runs by what they were for.

    Parameters
    ----------
    table : ndarray or Exception
        Facts of the run for robust accuracy.
    full : list of (attack, str, dict or Exception)
        Runs in full, with their modes.

    Returns
    -------
    dict of str to Exception
        Empty where all went well.
    """
    found = {"robust_accuracy": table}
    found |= {mode_name(mode): part for _, mode, part in full}
    return {k: part for k, part in found.items() if isinstance(part, Exception)}


def mark_failed(results, failed, error_score):
    """Take back what is not known of runs that failed, and add their reasons."""
    results["failed"] = {name: reason_of(error) for name, error in failed.items()}
    if "robust_accuracy" not in failed:
        return
    results["robust_accuracy"] = float(error_score)
    results["robust_accuracy_interval"] = None
    results["changed"] = results["distortion"] = float("nan")
    del results["per_sample"]


def column_names(name):
    """Return the names of the columns of a robust ratio."""
    return name, f"{name}_low", f"{name}_high", f"{name}_tempered"


def temperature_of(p, y, labels):
    """Return the temperature of the rows whose labels the model knows."""
    index = np.searchsorted(labels, y).clip(0, len(labels) - 1)
    known = np.asarray(labels)[index] == y
    return fit_temperature(p[known], index[known]) if known.any() else 1.0
