# Written by .ci/stubs.py from signatures and docstrings; do not edit.
# mypy: disable-error-code="override"
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from skrobust.evaluation import Results as Results
from skrobust.metrics import Interval as Interval

_Int = int | np.integer[Any]
_Float = float | np.floating[Any] | np.integer[Any]
_Path = str | PathLike[str]

__all__ = ["GroupGapDisplay", "LabelBudgetDisplay", "MinimalNormDisplay", "ModelComparisonDisplay", "NormalizedScoreDisplay", "PerturbationGalleryDisplay", "PerturbationGridDisplay", "RepairParetoDisplay", "RobustAccuracyCurveDisplay", "RobustRatioDisplay", "RobustnessBoundsDisplay", "SeverityCurveDisplay", "StabilityPatternDisplay", "StabilitySurfaceDisplay"]

class GroupGapDisplay:
    def __init__(self, *, groups: Mapping[str, Any], gaps: Mapping[str, Any], measure: str = ...) -> None: ...
    ax_: Any
    figure_: Any
    points_: Any
    bars_: Any
    line_: Any
    legend_: Any
    groups: Any
    gaps: Any
    def frame(self, *, kind: Literal["groups", "gaps"] = ...) -> Any: ...
    @classmethod
    def from_results(cls, results: Results, *, tolerance: _Float | None = ...) -> GroupGapDisplay: ...
    measure: Any
    def plot(self, ax: Any = ..., *, kind: Literal["groups", "gaps"] = ...) -> GroupGapDisplay: ...

class LabelBudgetDisplay:
    def __init__(self, *, curves: Mapping[str, Mapping[str, NDArray[Any]]], true_accuracy: _Float | None = ..., simulated: bool = ..., band_name: str = ...) -> None: ...
    ax_: Any
    failures_ax_: Any
    figure_: Any
    lines_: dict[str, Any]
    failure_lines_: dict[str, Any]
    bands_: dict[str, Any]
    truth_line_: Any
    legend_: Any
    curves: Any
    band_name: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_results(cls, results: Results) -> LabelBudgetDisplay: ...
    @classmethod
    def from_sampler(cls, sampler: Any, *, confidence: _Float = ..., name: str | None = ..., n_points: _Int = ...) -> LabelBudgetDisplay: ...
    def plot(self, ax: Any = ..., *, line_kwargs: Mapping[str, Any] | None = ...) -> LabelBudgetDisplay: ...
    simulated: Any
    true_accuracy: Any

class MinimalNormDisplay:
    def __init__(self, *, norms: Mapping[str, NDArray[Any]], norm_name: str = ...) -> None: ...
    ax_: Any
    figure_: Any
    lines_: dict[str, Any]
    median_lines_: dict[str, Any]
    legend_: Any
    norms: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, attack: Any, *, name: str | None = ...) -> MinimalNormDisplay: ...
    @classmethod
    def from_results(cls, results: Any, *, name: str | None = ..., norm_name: str = ...) -> MinimalNormDisplay: ...
    norm_name: Any
    def plot(self, ax: Any = ..., *, line_kwargs: Mapping[str, Any] | None = ...) -> MinimalNormDisplay: ...

class ModelComparisonDisplay:
    def __init__(self, *, table: Mapping[str, Any], metric: str = ..., regions: Mapping[str, Any] | None = ...) -> None: ...
    ax_: Any
    figure_: Any
    points_: Any
    bars_: Any
    lines_: dict[str, Any]
    bands_: dict[str, Any]
    zero_line_: Any
    region_lines_: list[Any]
    region_names_: list[Any]
    legend_: Any
    table: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_predictions(cls, models: Mapping[str, Any], **kwargs: Any) -> ModelComparisonDisplay: ...
    @classmethod
    def from_results(cls, results: Results) -> ModelComparisonDisplay: ...
    metric: Any
    def plot(self, ax: Any = ..., *, alpha: _Float = ...) -> ModelComparisonDisplay: ...
    regions: Any

class NormalizedScoreDisplay:
    def __init__(self, *, parts: Mapping[str, _Float], raw_name: str = ..., name: str | None = ...) -> None: ...
    ax_: Any
    figure_: Any
    bars_: Any
    texts_: list[Any]
    parts: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, *, name: str | None = ..., **kwargs: Any) -> NormalizedScoreDisplay: ...
    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_pred: ArrayLike, *, task: Literal["classification", "regression", "clustering"], name: str | None = ..., **kwargs: Any) -> NormalizedScoreDisplay: ...
    @classmethod
    def from_results(cls, results: Mapping[str, Any], *, raw_name: str = ..., name: str | None = ...) -> NormalizedScoreDisplay: ...
    name: Any
    def plot(self, ax: Any = ..., *, values_format: str = ...) -> NormalizedScoreDisplay: ...
    raw_name: Any

class PerturbationGalleryDisplay:
    def __init__(self, *, rows: Mapping[str, ArrayLike], kind: Literal["image", "series", "table", "text"], predictions: Mapping[str, NDArray[Any]] | None = ..., y: NDArray[Any] | None = ..., image_shape: tuple[_Int, ...] | None = ...) -> None: ...
    ax_: Any
    figure_: Any
    tiles_: Any
    artists_: list[Any]
    rows: Any
    kind: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike | None, perturbations: Any, *, n_samples: _Int = ..., kind: Literal["auto", "image", "series", "table", "text"] = ..., image_shape: tuple[_Int, ...] | None = ...) -> PerturbationGalleryDisplay: ...
    image_shape: Any
    def plot(self, ax: Any = ...) -> PerturbationGalleryDisplay: ...
    predictions: Any
    y: Any

class PerturbationGridDisplay:
    def __init__(self, *, panels: Sequence[Any], score_name: str = ...) -> None: ...
    ax_: Any
    figure_: Any
    images_: list[Any]
    texts_: list[NDArray[Any]]
    colorbar_: Any
    panels: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_results(cls, results: Results) -> PerturbationGridDisplay: ...
    def plot(self, axes: Any = ..., *, values_format: str = ..., image_kwargs: Mapping[str, Any] | None = ...) -> PerturbationGridDisplay: ...
    score_name: Any

class RepairParetoDisplay:
    def __init__(self, *, table: Mapping[str, Any], best: str = ..., criterion: Literal["mean", "attack"] = ...) -> None: ...
    ax_: Any
    figure_: Any
    points_: dict[str, Any]
    front_: Any
    legend_: Any
    table: Any
    best: Any
    criterion: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_results(cls, results: Results) -> RepairParetoDisplay: ...
    def plot(self, ax: Any = ...) -> RepairParetoDisplay: ...

class RobustAccuracyCurveDisplay:
    def __init__(self, *, curves: Mapping[str, Mapping[str, NDArray[Any]]], norm_name: str = ...) -> None: ...
    ax_: Any
    figure_: Any
    lines_: dict[str, Any]
    bands_: dict[str, Any]
    legend_: Any
    curves: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, attack: Any, eps_grid: Any, *, name: str | None = ..., **kwargs: Any) -> RobustAccuracyCurveDisplay: ...
    @classmethod
    def from_results(cls, results: Results | Mapping[str, Results], *, name: str | None = ..., norm_name: str = ...) -> RobustAccuracyCurveDisplay: ...
    norm_name: Any
    def plot(self, ax: Any = ..., *, line_kwargs: Mapping[str, Any] | None = ...) -> RobustAccuracyCurveDisplay: ...

class RobustRatioDisplay:
    def __init__(self, *, curves: Mapping[str, Mapping[str, NDArray[Any]]], accuracies: Mapping[str, _Float], intervals: Mapping[str, Interval] | tuple[_Float, _Float], temperature: _Float, name: str | None = ...) -> None: ...
    ax_: Any
    accuracy_ax_: Any
    figure_: Any
    lines_: dict[str, Any]
    bands_: dict[str, Any]
    tempered_lines_: dict[str, Any]
    accuracy_lines_: dict[str, Any]
    accuracy_bands_: dict[str, Any]
    legend_: Any
    curves: Any
    accuracies: Any
    intervals: Any
    temperature: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, attack: Any, *, name: str | None = ..., **kwargs: Any) -> RobustRatioDisplay: ...
    @classmethod
    def from_results(cls, results: Results, *, name: str | None = ...) -> RobustRatioDisplay: ...
    name: Any
    def plot(self, ax: Any = ..., *, line_kwargs: Mapping[str, Any] | None = ...) -> RobustRatioDisplay: ...

class RobustnessBoundsDisplay:
    def __init__(self, *, curves: Mapping[str, Mapping[str, NDArray[Any]]], metric: Literal["robust_ratio", "robust_accuracy"], certificates: Mapping[str, str]) -> None: ...
    ax_: Any
    figure_: Any
    lower_lines_: dict[str, Any]
    upper_lines_: dict[str, Any]
    bands_: dict[str, Any]
    legend_: Any
    curves: Any
    metric: Any
    certificates: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, eps_grid: Any, *, name: str | None = ..., **kwargs: Any) -> RobustnessBoundsDisplay: ...
    @classmethod
    def from_results(cls, results: Results | Sequence[Results] | Mapping[str, Any], *, name: str | None = ...) -> RobustnessBoundsDisplay: ...
    def plot(self, ax: Any = ..., *, line_kwargs: Mapping[str, Any] | None = ...) -> RobustnessBoundsDisplay: ...

class SeverityCurveDisplay:
    def __init__(self, *, curves: Mapping[str, Mapping[str, NDArray[Any]]], score_name: str = ...) -> None: ...
    ax_: Any
    figure_: Any
    lines_: dict[str, Any]
    bands_: dict[str, Any]
    legend_: Any
    curves: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_cv_results(cls, cv_results: Mapping[str, Any], severities: Mapping[str, _Float], *, clean: str | None = ..., name: str = ...) -> SeverityCurveDisplay: ...
    @classmethod
    def from_results(cls, results: Results | Mapping[str, Results], *, name: str | None = ..., limits: Literal["pointwise", "simultaneous"] = ...) -> SeverityCurveDisplay: ...
    def plot(self, ax: Any = ..., *, kind: Literal["score", "relative"] = ..., line_kwargs: Mapping[str, Any] | None = ...) -> SeverityCurveDisplay: ...
    score_name: Any

class StabilityPatternDisplay:
    def __init__(self, *, scores: NDArray[Any], periods: NDArray[Any] | None = ..., falling_rate_weight: _Float = ..., variability_weight: _Float = ..., score_name: str = ..., high: _Float | None = ..., tolerance: _Float = ..., limits: NDArray[Any] | None = ...) -> None: ...
    ax_: Any
    figure_: Any
    points_: Any
    trend_line_: Any
    mean_line_: Any
    band_: Any
    limits_: Any
    index_: float
    pattern_: Results | None
    legend_: Any
    scores: Any
    falling_rate_weight: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, times: ArrayLike | str, *, metric: Literal["accuracy", "gini", "roc_auc"] | Callable[..., Any] = ..., **kwargs: Any) -> StabilityPatternDisplay: ...
    @classmethod
    def from_periods(cls, scores: ArrayLike, periods: ArrayLike | None = ..., **kwargs: Any) -> StabilityPatternDisplay: ...
    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_pred: ArrayLike, times: ArrayLike, *, metric: Literal["accuracy", "gini", "roc_auc"] | Callable[..., Any] = ..., **kwargs: Any) -> StabilityPatternDisplay: ...
    @classmethod
    def from_results(cls, results: Results, **kwargs: Any) -> StabilityPatternDisplay: ...
    high: Any
    limits: Any
    def pattern(self) -> Any: ...
    periods: Any
    def plot(self, ax: Any = ..., *, line_kwargs: Mapping[str, Any] | None = ...) -> StabilityPatternDisplay: ...
    score_name: Any
    def terms(self) -> dict[str, float]: ...
    tolerance: Any
    variability_weight: Any

class StabilitySurfaceDisplay:
    def __init__(self, *, scores: Sequence[Any], conditions: Any, names: Sequence[str] | None, score_name: str = ...) -> None: ...
    ax_: Any
    figure_: Any
    surface_: Any
    condition_points_: list[Any]
    model_points_: list[Any]
    colorbar_: Any
    legend_: Any
    scores: Any
    conditions: Any
    names: Any
    def frame(self) -> Any: ...
    @classmethod
    def from_cv_results(cls, cv_results: Mapping[str, Any], conditions: Sequence[str], *, candidates: _Int = ...) -> StabilitySurfaceDisplay: ...
    @classmethod
    def from_results(cls, results: Results | Mapping[str, Results], *, name: str | None = ...) -> StabilitySurfaceDisplay: ...
    def plot(self, ax: Any = ..., *, plot_method: Literal["plot_surface", "contourf", "pcolormesh"] = ..., surface_kwargs: Mapping[str, Any] | None = ..., point_kwargs: Mapping[str, Any] | None = ...) -> StabilitySurfaceDisplay: ...
    def plot_interactive(self) -> StabilitySurfaceDisplay: ...
    score_name: Any
    def to_plotly(self) -> Any: ...
