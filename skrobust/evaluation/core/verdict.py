"""Verdicts: one sentence for each kind of results, which ``print`` writes first."""

import numpy as np


def verdict_on_perturbations(results):
    """Return the sentence on a model under perturbations."""
    n = int((np.asarray(results["name"]) != "CLEAN").sum())
    if not n:
        return f"Score {results['clean_score']:.3f}; no condition changes the rows."
    name = "Accuracy" if "correct" in results else "Score"
    failed = [reason for reason in results.get("failed", ()) if reason]
    if failed:
        known = results["score"][np.asarray(results["failed"]) == ""]
        return (
            f"{len(failed)} of {len(results['name'])} conditions failed: {failed[0]}. "
            f"{name} {results['clean_score']:.3f} on clean rows, {known.min():.3f} "
            "under the worst of those that did not."
        )
    worst = _with_limits(results["worst_score"], results.get("worst_interval"))
    many = f"on average over {n} conditions" if n > 1 else "under the condition"
    return (
        f"{name} {results['clean_score']:.3f} on clean rows, {results['mean']:.3f} "
        f"{many}, {worst} under the worst, {results['worst_condition']}."
    )


def verdict_on_attack(results):
    """Return the sentence on a model under an attack."""
    interval = results["robust_accuracy_interval"]
    if interval is None:
        reason = results["failed"]["robust_accuracy"]
        return f"Accuracy {results['clean_accuracy']:.3f}; the attack failed: {reason}."
    left = _with_limits(results["robust_accuracy"], interval)
    constant = results["constant_model_accuracy"]
    side = "above" if interval.low > constant else "not above"
    sentence = (
        f"Accuracy falls from {results['clean_accuracy']:.3f} to {left} under attack, "
        f"{side} the {constant:.3f} of a constant prediction."
    )
    proved = results.get("robust_accuracy_lower")
    if proved is None:
        return sentence
    return f"{sentence[:-1]}; at least {proved:.3f} is certified."


def verdict_on_curve(results):
    """Return the sentence on robust accuracy over radii."""
    return (
        f"Accuracy falls from {results['clean_accuracy']:.3f} to "
        f"{results['robust_accuracy'][-1]:.3f} under attack with eps "
        f"{results['eps'][-1]:.4g}."
    )


def verdict_on_bounds(results):
    """Return the sentence on a bracket of the robust accuracy."""
    lower, upper = results["lower"], results["upper"]
    if lower == upper:
        return f"The robust accuracy is {lower:.3f}, certified and attacked."
    return (
        f"The robust accuracy is at least {lower:.3f} (certified) and at most "
        f"{upper:.3f} (attacked)."
    )


def verdict_on_ratio_bounds(results):
    """Return the sentence on a bracket of the robust ratio."""
    middle = len(results["tolerances"]) // 2
    lower, upper = results["lower"][middle], results["upper"][middle]
    tolerance = results["tolerances"][middle]
    return (
        f"The robust ratio at tolerance {tolerance:.3g} is at least {lower:.3f} "
        f"(certified) and at most {upper:.3f} (attacked)."
    )


def _with_limits(value, interval):
    if interval is None:
        return f"{value:.3f}"
    return f"{value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
