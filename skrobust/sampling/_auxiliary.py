"""Suspicion of each input from surprise: distances, densities, and confidence."""

import numpy as np

from skrobust._containers import to_array
from skrobust._validation import check_choice, check_scores, invalid

STANDARDIZE = ("max", "minmax", None)


class SurpriseMixin:
    """The part of a sampler that turns surprise into suspicion.

    It goes before ``BaseSampler`` and needs the parameters ``auxiliary``, ``surprise``
    and ``standardize``.
    """

    _auxiliaries = ("confidence", "dsa", "lsa", "combined")
    _kept = ("estimator", "surprise")  # fitted: never cloned

    def _suspicion(self, X, y_pred):
        kind = self.auxiliary
        if not isinstance(kind, str) or kind == "confidence":
            return super()._suspicion(X, y_pred)
        caller = type(self).__name__
        surprise = self._standardized(self._surprise(X, y_pred), caller)
        if kind != "combined":
            return surprise
        doubt = super()._suspicion(X, y_pred)
        if doubt.max() > 1:
            raise invalid("X", caller, "1 - confidence, in [0, 1]", float(doubt.max()))
        if len(doubt) != len(surprise):
            raise ValueError(
                f"{caller} needs inputs of equal length; X has {len(doubt)}, surprise "
                f"has {len(surprise)}."
            )
        return 1 - (1 - doubt) * (1 - surprise)

    def _surprise(self, X, y_pred):
        """Return surprise as it comes: given, scored, or what ``fit`` got."""
        caller, source = type(self).__name__, self.surprise
        own = self.estimator is None and self.auxiliary != "combined"
        if hasattr(source, "score_samples"):
            values = source.score_samples(X, y_pred)
        elif callable(source):
            values = source(X)
        elif source is not None:
            values = to_array(source)
        elif own and np.ndim(X) == 1:
            values = X
        else:
            raise ValueError(
                f"{caller} needs surprise= for auxiliary={self.auxiliary!r}: an array, "
                "a function of X, or a fitted estimator with score_samples(X, y_pred)."
            )
        return check_scores(values, caller, name="surprise")

    def _standardized(self, values, caller):
        least, most = values.min(), values.max()
        if self.auxiliary == "combined" and self.standardize is None:
            raise ValueError(
                f"{caller} with auxiliary='combined' needs surprise between 0 and 1: "
                "use standardize='max' or 'minmax'."
            )
        if least < 0 and self.standardize != "minmax":
            self._new_notes.append(
                f"Surprise as low as {least:g} was shifted so that its lowest value "
                "is 0: weights cannot be negative."
            )
            values, most = values - least, most - least
        if self.standardize == "minmax":
            if most == least:
                raise ValueError(
                    f"{caller} cannot standardize constant surprise by 'minmax'; use "
                    "'max', which leaves the draws uniform."
                )
            return (values - least) / (most - least)
        if self.standardize is None or most == 0:
            return values
        return values / most

    def _check_parameters(self):
        super()._check_parameters()
        check_choice(self.standardize, "standardize", type(self).__name__, STANDARDIZE)
