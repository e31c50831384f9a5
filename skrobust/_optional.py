"""Import of optional packages."""

import importlib

# Packages that are imported by another name than they are installed by.
_DISTRIBUTIONS = {"PIL": "Pillow"}


def require(module, caller, *, extra):
    """Import an optional module, or say which extra to install.

    Parameters
    ----------
    module : str
        Name of the module to import, for example ``"matplotlib.pyplot"``.
    caller : str
        Name of the public function or class, for error messages.
    extra : str
        The extra of skrobust that installs it.

    Returns
    -------
    module
        The imported module.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        package = _DISTRIBUTIONS.get(package, package)
        raise ImportError(
            f"{caller} needs {package}; install it with "
            f"`pip install 'skrobust[{extra}]'`."
        ) from error
