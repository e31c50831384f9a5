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

__all__ = ["deepfake_study"]

def deepfake_study(out: str | _Path, *, ffpp: str | _Path | None = ..., celeb_df: str | _Path | None = ..., uadfv: str | _Path | None = ..., folder: str | _Path | None = ..., metadata: str | _Path | None = ..., source: Literal["videos", "images"] = ..., compression: Literal["raw", "c0", "c23", "c40"] = ..., split: Literal["test"] | None = ..., cropped: bool = ..., face_model: str | _Path | None = ..., groups: str | _Path | None = ..., group_faces: str | _Path | None = ..., detectors: Sequence[str] = ..., weights: Mapping[str, _Path] | None = ..., orders: Mapping[str, Any] | None = ..., size: Literal["quick", "default", "full"] = ..., n_clips: _Int | None = ..., n_frames: _Int | None = ..., n_test_frames: _Int | None = ..., n_steps: _Int | None = ..., n_epochs: _Int | None = ..., clips: bool = ..., chains: bool = ..., device: str = ..., random_state: _Int = ..., progress: Callable[..., Any] | None = ..., verbose: _Int = ...) -> dict[str, Any]: ...
