"""Estimators as text: their classes with the parameters that were set."""

import inspect
import reprlib

from sklearn.base import BaseEstimator


class _EstimatorRepr(reprlib.Repr):
    """Text of nested estimators that shows parameters of constructors only.

    The text of a net inside a pipeline would otherwise contain its private attributes.
    """

    def __init__(self):
        super().__init__()
        self.maxlevel = 12
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 50
        self.maxstring = self.maxother = 200

    def repr1(self, value, level):
        """Return the text of a value that is ``level`` levels above the deepest."""
        if not isinstance(value, BaseEstimator):
            return super().repr1(value, level)
        if hasattr(value, "capabilities_"):  # wrapped models say what they can do
            return repr(value)
        defaults = {
            name: repr(parameter.default)
            for kind in reversed(type(value).__mro__)
            if inspect.isfunction(kind.__init__)
            for name, parameter in inspect.signature(kind.__init__).parameters.items()
        }
        shown = [
            f"{name}={self.repr1(one, level - 1)}"
            for name, one in sorted(value.get_params(deep=False).items())
            if not name.startswith("_") and repr(one) != defaults.get(name)
        ]
        return f"{type(value).__name__}({', '.join(shown)})"


def estimator_text(model):
    """Return a model as one line of text."""
    return " ".join(_EstimatorRepr().repr(model).split())
