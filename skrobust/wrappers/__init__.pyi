# Written by .ci/stubs.py from signatures and docstrings; do not edit.
# mypy: disable-error-code="override"
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Int = int | np.integer[Any]
_Float = float | np.floating[Any] | np.integer[Any]
_Path = str | PathLike[str]

__all__ = ["HTTPEndpoint", "WrappedClassifier", "WrappedRegressor", "wrap"]

class HTTPEndpoint:
    def __init__(self, url: str, *, request_key: str | Callable[..., Any] = ..., answer_key: str | Callable[..., Any] = ..., headers: Mapping[str, Any] | None = ..., timeout: _Float = ..., retries: _Int = ..., backoff: _Float = ..., rate_limit: _Float | None = ..., budget: _Int | None = ..., cache: str | _Path | None = ...) -> None: ...
    calls_: int
    url: Any
    request_key: Any
    answer_key: Any
    headers: Any
    timeout: Any
    retries: Any
    backoff: Any
    rate_limit: Any
    budget: Any
    cache: Any
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    asking_costs: Any

class WrappedClassifier:
    def __init__(self, model: Any, *, classes: Any = ..., response: Literal["labels", "probabilities", "logits"] | None = ..., n_outputs: _Int | None = ..., input_shape: Any = ..., layout: Any = ..., dtype: Any = ..., data_range: Any = ..., batch_size: Any = ..., device: Any = ..., output: Any = ...) -> None: ...
    model: Any
    classes: Any
    response: Any
    n_outputs: Any
    input_shape: Any
    layout: Any
    dtype: Any
    data_range: Any
    batch_size: Any
    device: Any
    output: Any
    @property
    def capabilities_(self) -> Any: ...
    @property
    def classes_(self) -> Any: ...
    decision_function: Any
    def fit(self, X: ArrayLike, y: ArrayLike | None = ...) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    predict_proba: Any
    def score(self, *args: Any, **kwargs: Any) -> Any: ...
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...
    set_score_request: Any
    @property
    def wrapped_estimator_(self) -> Any: ...

class WrappedRegressor:
    def __init__(self, model: Any, *, classes: None = ..., response: Literal["values"] | None = ..., n_outputs: _Int | None = ..., input_shape: Any = ..., layout: Any = ..., dtype: Any = ..., data_range: Any = ..., batch_size: Any = ..., device: Any = ..., output: Any = ...) -> None: ...
    model: Any
    classes: Any
    response: Any
    n_outputs: Any
    input_shape: Any
    layout: Any
    dtype: Any
    data_range: Any
    batch_size: Any
    device: Any
    output: Any
    @property
    def capabilities_(self) -> Any: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = ...) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def predict(self, X: Any) -> Any: ...
    def score(self, *args: Any, **kwargs: Any) -> Any: ...
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...
    set_score_request: Any
    @property
    def wrapped_estimator_(self) -> Any: ...

def wrap(model: Any, *, classes: Any = ..., response: Literal["labels", "probabilities", "logits", "values"] | None = ..., sample: Any = ..., input_shape: tuple[_Int, ...] | Literal["flat"] | None = ..., layout: str | None = ..., dtype: Any = ..., data_range: tuple[_Float, _Float] | None = ..., batch_size: _Int | None = ..., device: str | None = ..., output: _Int | str | None = ..., **endpoint: Any) -> Any: ...
