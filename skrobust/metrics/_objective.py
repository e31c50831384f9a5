"""The trap between robust accuracy and robust ratio, closed in one place.

Robust accuracy may stop attacking a sample once it is fooled. The robust ratio may
not: it asks how far the probability moves, so every sample needs the full attack.
"""

from sklearn.base import clone

OBJECTIVE_UNKNOWN = "upper bound, objective unknown"


def at_full_strength(attack, objective="probability_shift"):
    """Return an attack that never stops early, for the robust ratio.

    Parameters
    ----------
    attack : object with ``perturb``
        With a parameter ``objective`` that is None, it is cloned and asked for
        ``objective``; one that was set to "misclassification" is refused. Anything
        without that parameter (a perturbation, an object of the user's own) is used as
        it is.
    objective : str, default="probability_shift"
        What to ask for.

    Returns
    -------
    attack : object
        The one to use.
    mode : str
        What its examples maximise.
    """
    params = attack.get_params(deep=False) if hasattr(attack, "get_params") else {}
    if "objective" not in params:
        return attack, OBJECTIVE_UNKNOWN
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
