"""Conditions of a preset: perturbations by name, at several severities."""

import numpy as np
from sklearn.base import clone

from skrobust._containers import refuse_unordered
from skrobust._validation import check_number, invalid, is_integer
from skrobust.base.perturbation import MAX_SEVERITY
from skrobust.perturbations.meta._sequence import PerturbationSequence


def number_conditions(named, random_state, **settings):
    """Return the clean condition and one for each named perturbation.

    Parameters
    ----------
    named : list of (str, perturbation)
        Names of the conditions, which may repeat, and their perturbations.
    random_state : int, RandomState, Generator or None
        Seed of all conditions.
    **settings : object
        Other parameters of the sequences.

    Returns
    -------
    list of PerturbationSequence
        Numbered from 1 in this order.
    """
    settings["random_state"] = random_state
    steps = [("CLEAN", []), *((name, [step]) for name, step in named)]
    return [
        PerturbationSequence(own, name=name, number=i, **settings)
        for i, (name, own) in enumerate(steps, start=1)
    ]


def severity_grid(kinds, severities, caller, random_state, **settings):
    """Return the clean condition, and each kind at each severity.

    Parameters
    ----------
    kinds : dict of str to perturbation
        By the first part of the names of their conditions.
    severities : sequence of float in [0, 5]
        Severities of each kind.
    caller : str
        Name of the public function or class, for error messages.
    random_state : int, RandomState, Generator or None
        Seed of all conditions.
    **settings : object
        Other parameters of the sequences.

    Returns
    -------
    list of PerturbationSequence
        Numbered from 1; kinds in their order, severities within each.
    """
    refuse_unordered(severities, "severities", caller)
    if isinstance(severities, str) or not np.iterable(severities):
        rule = f"a sequence of numbers in [0, {MAX_SEVERITY:g}]"
        raise invalid("severities", caller, rule, severities)
    severities = [
        s if is_integer(s) else check_number(s, "severities", caller)
        for s in severities
    ]
    for severity in severities:
        check_number(severity, "severities", caller, low=0, high=MAX_SEVERITY)
    named = [
        (
            f"{kind}-{severity:g}",
            _copied(perturbation, caller).set_params(severity=severity),
        )
        for kind, perturbation in kinds.items()
        for severity in severities
    ]
    return number_conditions(named, random_state, **settings)


def _copied(perturbation, caller):
    try:
        return clone(perturbation)
    except Exception:
        for name, value in perturbation.get_params(deep=False).items():
            try:
                clone(value, safe=False)
            except Exception:  # such as a generator
                rule = "a value that can be copied"
                raise invalid(name, caller, rule, value) from None
        raise
