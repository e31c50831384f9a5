"""Robustness and stability of scikit-learn models, in scikit-learn's own verbs."""

import importlib

__version__ = "0.1.0"

__all__ = [
    "attacks",
    "base",
    "certificates",
    "datasets",
    "evaluation",
    "metrics",
    "nets",
    "perturbations",
    "plots",
    "report",
    "sampling",
    "studies",
    "testing",
    "wrap",
    "wrappers",
]


def __getattr__(name):
    # Families load on first touch, so that `import skrobust` stays light.
    if name == "wrap":
        return importlib.import_module("skrobust.wrappers").wrap
    if name in __all__:
        return importlib.import_module(f"skrobust.{name}")
    raise AttributeError(f"module 'skrobust' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
