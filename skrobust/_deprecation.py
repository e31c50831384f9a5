"""Names that moved or were renamed: importable for one release, with a warning."""

import importlib
import warnings


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
        warnings.warn(
            f"{module}.{name} is deprecated and will be removed in 0.3; use "
            f"{names[name]} instead.",
            FutureWarning,
            stacklevel=2,
        )
        return getattr(importlib.import_module(home), new_name)

    return __getattr__
