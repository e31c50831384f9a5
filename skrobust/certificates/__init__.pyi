# Written by .ci/stubs.py from signatures and docstrings; do not edit.
# mypy: disable-error-code="override"
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from skrobust.evaluation import Results as Results

_Int = int | np.integer[Any]
_Float = float | np.floating[Any] | np.integer[Any]
_Path = str | PathLike[str]

__all__ = ["SmoothedClassifier"]

class SmoothedClassifier:
    def __init__(self, estimator: Any, sigma: _Float = ..., *, n_samples: _Int = ..., n_selection: _Int = ..., alpha: _Float = ..., n_copies: _Int = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ..., verbose: _Int = ...) -> None: ...
    estimator_: Any
    classes_: NDArray[Any]
    n_features_in_: int
    estimator: Any
    sigma: Any
    n_samples: Any
    n_selection: Any
    alpha: Any
    n_copies: Any
    random_state: Any
    verbose: Any
    def certified_radius(self, X: ArrayLike) -> NDArray[Any]: ...
    def certify(self, X: ArrayLike) -> Results: ...
    def fit(self, X: ArrayLike, y: ArrayLike) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def predict(self, X: ArrayLike) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike) -> NDArray[Any]: ...
    def probability_bounds(self, X: ArrayLike, radius: _Float | ArrayLike) -> NDArray[Any]: ...
    def score(self, *args: Any, **kwargs: Any) -> Any: ...
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...
    set_score_request: Any
