"""Conditions from one perturbation of each kind and a list of severities."""

from sklearn.base import clone

from skrobust._validation import check_number, invalid
from skrobust.base.perturbation import MAX_SEVERITY
from skrobust.perturbations.meta._sequence import PerturbationSequence


def severity_grid(kinds, severities, caller, random_state):
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

    Returns
    -------
    list of PerturbationSequence
        Numbered from 1; kinds in their order, severities within each.
    """
    try:
        severities = list(severities)
    except TypeError:
        rule = f"a sequence of numbers in [0, {MAX_SEVERITY:g}]"
        raise invalid("severities", caller, rule, severities) from None
    for severity in severities:
        check_number(severity, "severities", caller, low=0, high=MAX_SEVERITY)
    steps = [
        (f"{kind}-{severity:g}", clone(perturbation).set_params(severity=severity))
        for kind, perturbation in kinds.items()
        for severity in severities
    ]
    return [
        PerturbationSequence([], name="CLEAN", number=1, random_state=random_state),
        *(
            PerturbationSequence(
                [step], name=name, number=number, random_state=random_state
            )
            for number, (name, step) in enumerate(steps, start=2)
        ),
    ]
