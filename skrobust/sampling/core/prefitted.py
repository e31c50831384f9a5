"""Mixin of estimators that hold a fitted model."""

import copy


class PrefittedMixin:
    """Hand the parameters in ``_kept`` to a clone as they are: fitted, not copied."""

    _kept = ("estimator",)

    @classmethod
    def _get_test_params(cls):
        """Return parameters of small instances for the checks of all such classes."""
        return [{}]

    def __sklearn_clone__(self):
        params = {
            name: value if name in self._kept else copy.deepcopy(value)
            for name, value in self.get_params(deep=False).items()
        }
        new = type(self)(**params)
        if hasattr(self, "_metadata_request"):
            new._metadata_request = copy.deepcopy(self._metadata_request)
        return new
