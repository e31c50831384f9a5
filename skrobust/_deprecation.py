"""What moved, was renamed or will go: there for one release, with a warning."""

import importlib
import warnings

REMOVED_IN = "0.3"


def warn_deprecated(what, instead, stacklevel=1):
    """Warn that something will be removed.

    Parameters
    ----------
    what : str
        What is deprecated, as users write it.
    instead : str
        What replaces it.
    stacklevel : int, default=1
        That of a :func:`warnings.warn` in the function that asks.

    Warns
    -----
    FutureWarning
        Which, unlike a DeprecationWarning, users see.
    """
    warnings.warn(
        f"{what} is deprecated and will be removed in {REMOVED_IN}; use {instead} "
        "instead.",
        FutureWarning,
        stacklevel=stacklevel + 1,
    )


def deprecated_names(module, names):
    """Build the ``__getattr__`` of a module for names that are now elsewhere.

    Parameters
    ----------
    module : str
        ``__name__`` of the module that had the names.
    names : dict of str to str
        Old name to the full path of what replaces it.

    Returns
    -------
    callable
        Warns with a FutureWarning and returns the replacement.
    """

    def __getattr__(name):
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, _, new_name = names[name].rpartition(".")
        warn_deprecated(f"{module}.{name}", names[name], stacklevel=2)
        return getattr(importlib.import_module(home), new_name)

    return __getattr__
