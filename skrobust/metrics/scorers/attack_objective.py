"""Objectives of attacks that suit a metric.

Robust accuracy may stop attacking a sample once it is misclassified. The robust ratio
may not: it measures how far the probability moves, so every sample needs the full
attack.
"""

import numpy as np
from sklearn.base import clone

from skrobust.base.attack import own_params
from skrobust.base.perturbation import BasePerturbation

OBJECTIVE_UNKNOWN = "upper bound, objective unknown"


def prepare_attack(attack, objective, reference="predicted"):
    """Return an attack that maximises what a metric measures, or refuse it.

    Parameters
    ----------
    attack : object with ``perturb``
        The attack or perturbation.
    objective : {"misclassification", "probability_shift", "prediction_shift"} or None
        The objective of the metric; None: the attack is used as it is.
    reference : str, default="predicted"
        "true" lets a prediction move away from its target instead.
    """
    if objective == "misclassification":
        return for_accuracy(attack)
    if objective == "probability_shift":
        return at_full_strength(attack)[0]
    if objective == "prediction_shift":
        error = reference == "true"
        return for_regression(attack, "prediction_error" if error else objective)
    return attack


def is_full(attack):
    """Say whether rows are known to be meant for the robust ratio.

    Parameters
    ----------
    attack : object with ``perturb``
        As :func:`prepare_attack` returns it. A perturbation stops nowhere; an object of
        your own may do anything.

    Returns
    -------
    bool
        False where it stops at the first success, or where that is unknown.
    """
    objective = getattr(attack, "objective", None)
    known = objective not in (None, "misclassification")
    return known or isinstance(attack, BasePerturbation)


def for_accuracy(attack):
    """Return an attack on labels, for robust accuracy.

    One whose objective is the probability shift would also turn wrong labels into
    correct ones, so it is refused; one without an objective is cloned and given one.
    """
    objective = getattr(attack, "objective", None)
    if objective == "probability_shift":
        raise ValueError(
            "Robust accuracy needs an attack on the label, but this "
            f"{type(attack).__name__} has objective='probability_shift', which turns "
            "wrong rows right as well. Use objective=None."
        )
    return aimed_at_labels(attack) if objective is None else attack


def aimed_at_labels(attack):
    """Return the attack with misclassification as its objective, where it has one.

    It replaces any other objective, where :func:`for_accuracy` refuses or keeps it.
    """
    if "objective" in own_params(attack):
        return clone(attack).set_params(objective="misclassification")
    return attack


def for_regression(attack, objective):
    """Return an attack that moves predictions of a regressor as far as possible.

    ``objective`` is what the metric measures: the distance from the clean prediction,
    or from the target. An attack with another objective is refused.
    """
    params = own_params(attack)
    if params.get("objective", objective) not in (None, objective):
        raise ValueError(
            f"This robust ratio of a regressor needs an attack with "
            f"objective={objective!r} or None, but this {type(attack).__name__} has "
            f"objective={params['objective']!r}."
        )
    if "objective" in params:
        return clone(attack).set_params(objective=objective)
    return attack


def column_labels(estimator, n_columns):
    """Return the label of each column of predict_proba.

    A net may have more outputs than the classes of its fold; its columns are then the
    labels themselves.
    """
    labels = getattr(estimator, "classes_", None)
    if labels is None or len(labels) != n_columns:
        return np.arange(n_columns)
    return labels


def at_full_strength(attack, objective="probability_shift"):
    """Return an attack that never stops early, for the robust ratio.

    Parameters
    ----------
    attack : object with ``perturb``
        With a parameter ``objective`` that is None, it is cloned and given
        ``objective``; one with "misclassification" is refused. Anything without that
        parameter (a perturbation, a custom object) is used as it is.
    objective : str, default="probability_shift"
        The objective to set.

    Returns
    -------
    attack : object
        The attack to use.
    mode : str
        What its examples maximise.
    """
    params = own_params(attack)
    if "objective" not in params:  # fixed, or unknown
        return attack, getattr(attack, "objective", None) or OBJECTIVE_UNKNOWN
    if params["objective"] == "misclassification":
        raise ValueError(
            f"The robust ratio needs the full attack on every sample, but this "
            f"{type(attack).__name__} has objective='misclassification', which stops "
            "once a sample is fooled and flatters the ratio. Use "
            "objective='probability_shift', 'loss' or None."
        )
    if params["objective"] is None:
        attack = clone(attack).set_params(objective=objective)
    return attack, attack.objective
