"""Attacks that can be built by name."""

import inspect

from skrobust import attacks


def get_attack_classes():
    """Return the public attacks that take a radius, by name.

    Returns
    -------
    dict of str to class
        Classes of :mod:`skrobust.attacks` with ``perturb`` and a parameter ``eps``.
    """
    public = {name: getattr(attacks, name) for name in attacks.__all__}
    return {
        name: kind
        for name, kind in public.items()
        if hasattr(kind, "perturb")
        and "eps" in parameter_names(kind)
        and not inspect.isabstract(kind)
    }


def parameter_names(kind):
    """Return the names of the constructor parameters of a class."""
    return tuple(inspect.signature(kind).parameters)
