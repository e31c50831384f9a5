"""Estimators that hold a fitted model and must not lose it."""

import copy


class PrefittedMixin:
    """Keep ``estimator`` as it is in ``clone``: fitted, and never copied."""

    def __sklearn_clone__(self):
        params = {
            name: value if name == "estimator" else copy.deepcopy(value)
            for name, value in self.get_params(deep=False).items()
        }
        new = type(self)(**params)
        if hasattr(self, "_metadata_request"):
            new._metadata_request = copy.deepcopy(self._metadata_request)
        return new
