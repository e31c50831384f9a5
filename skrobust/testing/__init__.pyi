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

__all__ = ["assert_robust", "check_attack", "check_perturbation", "check_sampler", "check_scorer", "instances_for_checks", "measure_conformance"]

def assert_robust(estimator: Any, X: Any, y: ArrayLike, *, perturbation: Any = ..., attack: Any = ..., conditions: Any = ..., min_accuracy: _Float | None = ..., max_drop: _Float | None = ..., min_robust_ratio: _Float | None = ..., tolerance: _Float = ..., decide: Literal["estimate", "unless_refuted", "only_if_shown"] = ..., confidence: _Float = ..., eps: _Float | str | None = ...) -> Any: ...

def check_attack(attack: Any, estimator: Any = ..., X: Any = ..., y: Any = ...) -> Any: ...

def check_perturbation(perturbation: Any, X: NDArray[Any] | None = ..., *, draws: bool = ...) -> Any: ...

def check_sampler(sampler: Any, scores: NDArray[Any] | None = ..., failed: Any = ..., *, n_repeats: _Int = ...) -> Any: ...

def check_scorer(scorer: Any, estimator: Any = ..., X: Any = ..., y: Any = ...) -> Any: ...

def instances_for_checks(class_: Any) -> list[Any]: ...

def measure_conformance(corrupt: Callable[..., Any] | None = ..., *, side: Literal[28, 32, 224] = ..., kinds: Sequence[str] | None = ..., severities: Any = ..., frost_pictures: str | _Path | Sequence[NDArray[Any]] | None = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ..., verbose: _Int = ...) -> Results: ...
