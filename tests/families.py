"""The public classes of a family, for tests that hold for each of them."""

import inspect


def public_classes(family, base):
    """Return the classes of a module that a user can make, of one base class.

    Parameters
    ----------
    family : module
        A package with an ``__all__``, say ``skrobust.attacks``.
    base : type
        What they derive from.
    """
    kinds = [getattr(family, name) for name in family.__all__]
    return [
        kind
        for kind in kinds
        if inspect.isclass(kind)
        and issubclass(kind, base)
        and not inspect.isabstract(kind)
    ]
