"""Public classes that can be built by name."""

import inspect

from skrobust import attacks
from skrobust.base.attack_by_name import AUTO


def public_classes(family, parameter):
    """Return the public classes of a family with a parameter, by name.

    Parameters
    ----------
    family : module
        Such as :mod:`skrobust.attacks`.
    parameter : str
        Name of a parameter of the constructors.

    Returns
    -------
    dict of str to class
        Classes with ``perturb``, without abstract ones.
    """
    public = {name: getattr(family, name) for name in family.__all__}
    return {
        name: kind
        for name, kind in public.items()
        if hasattr(kind, "perturb")
        and parameter in parameter_names(kind)
        and not inspect.isabstract(kind)
    }


def get_attack_classes():
    """Return the public attacks that take a radius, and the strongest as "auto"."""
    return {AUTO: attacks.StrongestAttack, **public_classes(attacks, "eps")}


def parameter_names(kind):
    """Return the names of the constructor parameters of a class."""
    return tuple(inspect.signature(kind).parameters)


def build_attack(kind, eps, known):
    """Return an attack of one radius with those of the known parameters that it has."""
    has = parameter_names(kind)
    return kind(eps=eps, **{name: v for name, v in known.items() if name in has})
