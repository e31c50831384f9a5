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

__all__ = ["AccuracyGate", "Annotations", "AnnotatorNoise", "BaseSampler", "ConfidencePredictor", "ConfidenceStratifiedSampler", "CrossEntropySampler", "DeepESTSampler", "DistanceSurprise", "Estimate", "GateDecision", "GradientSampler", "LabelPlan", "LikelihoodSurprise", "LivingPool", "MahalanobisSurprise", "ModelDifference", "NoiseRate", "NoisyAccuracy", "OperationalSampler", "ProportionalSampler", "RaoHartleyCochranSampler", "SamplingEstimate", "SamplingResult", "SimpleRandomSampler", "StratifiedSampler", "ThresholdPredictor", "TwoStageSampler", "accuracy_with_class_noise", "accuracy_with_label_noise", "detect_drift", "estimate_annotator_noise", "estimate_label_noise", "extract_activations", "plan_repeats", "plan_two_phase", "read_pool", "simulate", "two_phase_accuracy"]

class AccuracyGate:
    def __init__(self, threshold: _Float, *, margin: _Float, alpha: _Float = ..., beta: _Float = ..., n_pool: _Int | None = ...) -> None: ...
    threshold: Any
    margin: Any
    alpha: Any
    beta: Any
    n_pool: Any
    def decide(self, outcomes: Any) -> GateDecision: ...
    def expected_labels(self, accuracy: _Float) -> Results: ...
    def pass_probability(self, accuracy: _Float) -> float: ...

class Annotations:
    def __init__(self, sampler: Any, *, random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    sampler: Any
    random_state: Any
    def agreement(self) -> Results: ...
    def disagreements(self) -> NDArray[Any]: ...
    @classmethod
    def from_json(cls, text: str, sampler: Any) -> Annotations: ...
    def noise(self, *, confidence: _Float = ...) -> NoiseRate: ...
    def noise_by_annotator(self, *, confidence: _Float = ...) -> AnnotatorNoise: ...
    def result(self, *, confidence: _Float = ..., rates: Literal["common", "annotator"] = ..., **settings: Any) -> NoisyAccuracy: ...
    def tell(self, ids: _Int | ArrayLike, y_true: ArrayLike = ..., *, failed: ArrayLike = ..., annotator: str) -> Any: ...
    def to_json(self) -> str: ...
    def to_repeat(self, n: _Int) -> NDArray[Any]: ...

class AnnotatorNoise:
    def __init__(self, annotators: tuple[str, ...], rate: NDArray[Any], low: NDArray[Any], high: NDArray[Any], std_error: NDArray[Any], n_answers: NDArray[Any], n_shared: NDArray[Any], n_classes: _Int, confidence: _Float, warnings: tuple[str, ...] = ...) -> None: ...
    annotators: Any
    rate: Any
    low: Any
    high: Any
    std_error: Any
    n_answers: Any
    n_shared: Any
    n_classes: Any
    confidence: Any
    warnings: Any

class BaseSampler:
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    estimator: Any
    auxiliary: Any
    random_state: Any
    def add_model(self, name: str, estimator: Any = ..., X: ArrayLike | None = ..., *, y_pred: ArrayLike | None = ...) -> Any: ...
    def ask(self, n: _Int = ..., **unknown: Any) -> NDArray[Any]: ...
    def compare(self, first: str, second: str = ..., *, confidence: _Float = ...) -> ModelDifference: ...
    def correct(self, ids: Any, y_true: Any = ..., *, failed: Any = ..., loss: Any = ...) -> Any: ...
    costs_: Any
    @property
    def draw_probabilities_(self) -> Any: ...
    def estimate(self, numerator: Callable[..., Any], denominator: Callable[..., Any] | None = ..., *, confidence: _Float = ..., predictor: Literal["confidence"] | ArrayLike | None = ...) -> SamplingEstimate: ...
    features_: Any
    def fit(self, X: Any, y: None = ..., *, y_pred: Any = ..., **unknown: Any) -> Any: ...
    @classmethod
    def from_json(cls, text: Any, X: ArrayLike | None = ..., *, estimator: Any = ..., y_pred: ArrayLike | None = ..., costs: ArrayLike | None = ..., features: ArrayLike | None = ..., frozen: bool = ..., **parameters: Any) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def ids_(self) -> Any: ...
    loss: Any
    loss_range: Any
    def metric(self, name: Literal["accuracy", "loss", "precision", "recall", "f1"] | None = ..., *, label: Any = ..., groups: ArrayLike | None = ..., confidence: _Float = ..., predictor: Literal["default"] | Literal["confidence"] | ArrayLike | None = ...) -> Any: ...
    @property
    def pending_(self) -> Any: ...
    def plan(self, half_width: _Float, *, confidence: _Float = ..., expected_accuracy: _Float | None = ..., expected_loss: _Float | None = ...) -> LabelPlan: ...
    def result(self, *, confidence: _Float = ..., method: str = ..., estimator: str = ..., predictor: ArrayLike | Literal["confidence"] | None = ..., features: ArrayLike | None = ..., model: str | None = ...) -> SamplingResult: ...
    def sample(self, n: _Int, oracle: Callable[..., Any], kind: Literal["y_true", "failed", "loss"] | None = ..., **unknown: Any) -> SamplingResult: ...
    def save(self, path: str | _Path, *, include_pool: bool = ...) -> Any: ...
    set_fit_request: Any
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def should_stop(self, half_width: _Float, *, confidence: _Float = ...) -> bool: ...
    @property
    def skipped_(self) -> Any: ...
    def tell(self, ids: _Int | ArrayLike, y_true: Any = ..., *, failed: ArrayLike = ..., loss: ArrayLike = ...) -> Any: ...
    def to_json(self, *, include_pool: bool = ...) -> str: ...
    scores_: Any
    y_pred_: Any

class ConfidencePredictor:
    def __init__(self, estimator: Any = ..., *, suspicion: Literal["confidence", "entropy"] = ..., calibration: Literal["isotonic", "logistic"] = ...) -> None: ...
    reference_failure_rate_: float
    n_features_in_: int
    estimator: Any
    suspicion: Any
    calibration: Any
    def fit(self, X: ArrayLike, y: ArrayLike) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def predict_failure(self, X: ArrayLike) -> NDArray[Any]: ...
    def predicted_failure_rate(self, X: ArrayLike) -> float: ...
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...

class ConfidenceStratifiedSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., pool_shares: tuple[_Float, ...] = ..., label_shares: tuple[_Float, ...] = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any]
    strata_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    n_features_in_: int
    set_fit_request: Any

class CrossEntropySampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., n_start: _Int = ..., n_groups: _Int = ..., group_size: _Int = ..., n_bins: _Int = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: None
    bins_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    n_features_in_: int
    @property
    def draw_probabilities_(self) -> Any: ...
    set_fit_request: Any
    def should_stop(self, half_width: _Float, *, confidence: _Float = ...) -> Any: ...

class DeepESTSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: str | Callable[..., Any] | ArrayLike = ..., surprise: Any = ..., standardize: Literal["max", "minmax", None] = ..., rule: Literal["paper", "released"] = ..., threshold: str | _Float | tuple[Literal["confidence"], _Float] = ..., mixing: _Float = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    threshold_: float
    n_features_in_: int
    set_fit_request: Any

class DistanceSurprise:
    def __init__(self, estimator: Any = ..., *, layer: str | _Int | None = ..., pool: Literal["flatten", "mean"] = ..., batch_size: _Int | None = ..., index: Any = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ..., unseen: Literal["raise", "inf", "nan"] = ..., verbose: _Int = ...) -> None: ...
    classes_: NDArray[Any]
    n_units_: int
    n_features_in_: int
    index_error_: dict[str, Any] | None
    estimator: Any
    layer: Any
    pool: Any
    batch_size: Any
    index: Any
    random_state: Any
    unseen: Any
    verbose: Any
    def fit(self, X: Any, y: ArrayLike | None = ..., *, y_pred: ArrayLike | None = ...) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def score_samples(self, X: Any, y_pred: ArrayLike | None = ...) -> NDArray[Any]: ...
    set_fit_request: Any
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...

class Estimate:
    def __init__(self, rate: Any, std_error: Any, df: Any, effective_n: Any, z: Any = ..., weights: Any = ...) -> None: ...
    rate: float
    std_error: float
    df: float
    effective_n: float
    weights: Any
    z: Any

class GateDecision:
    def __init__(self, verdict: Literal["passes", "fails", "undecided"], decided_at: _Int | None, n_labels: _Int, n_failures: _Int, can_pass_at: _Int | None, threshold: _Float, margin: _Float, alpha: _Float, beta: _Float, method: Literal["exact", "anytime"]) -> None: ...
    verdict: Any
    decided_at: Any
    n_labels: Any
    n_failures: Any
    can_pass_at: Any
    threshold: Any
    margin: Any
    alpha: Any
    beta: Any
    method: Any

class GradientSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., n_strata: _Int = ..., strata: Literal["kmeans", "quantile"] = ..., prior: _Float = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any]
    strata_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    n_features_in_: int
    set_fit_request: Any

class LabelPlan:
    def __init__(self, n_labels: Any, half_width: Any, confidence: Any, assumption: Any) -> None: ...
    n_labels: int
    half_width: float
    confidence: float
    assumption: str

class LikelihoodSurprise:
    def __init__(self, estimator: Any = ..., *, layer: str | _Int | None = ..., pool: Literal["flatten", "mean"] = ..., batch_size: _Int | None = ..., var_threshold: _Float = ..., jitter: _Float | None = ..., unseen: Literal["raise", "inf", "nan"] = ..., verbose: _Int = ...) -> None: ...
    classes_: NDArray[Any]
    n_units_: int
    n_features_in_: int
    estimator: Any
    layer: Any
    pool: Any
    batch_size: Any
    var_threshold: Any
    jitter: Any
    unseen: Any
    verbose: Any
    def fit(self, X: Any, y: ArrayLike | None = ..., *, y_pred: ArrayLike | None = ...) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def score_samples(self, X: Any, y_pred: ArrayLike | None = ...) -> NDArray[Any]: ...
    set_fit_request: Any
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...

class LivingPool:
    def __init__(self, sampler: Any, *, window: _Int | None = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    sampler: Any
    window: Any
    random_state: Any
    def ask(self, n: _Int | None = ..., *, part: _Int | None = ..., budget: _Float | None = ...) -> NDArray[Any]: ...
    def correct(self, ids: _Int | ArrayLike, y_true: ArrayLike = ..., *, failed: ArrayLike = ..., loss: ArrayLike = ...) -> Any: ...
    def drift(self, *, alpha: _Float = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> Results: ...
    def extend(self, X: ArrayLike, *, y_pred: ArrayLike | None = ..., **of_rows: Any) -> Any: ...
    @classmethod
    def from_json(cls, text: str, sampler: Any) -> LivingPool: ...
    def result(self, *, confidence: _Float = ..., window: _Int | None = ..., **settings: Any) -> SamplingResult: ...
    def results_by_part(self, *, confidence: _Float = ..., **settings: Any) -> Results: ...
    @property
    def starts_(self) -> Any: ...
    def tell(self, ids: _Int | ArrayLike, y_true: ArrayLike = ..., *, failed: ArrayLike = ..., loss: ArrayLike = ...) -> Any: ...
    def to_json(self) -> str: ...

class MahalanobisSurprise:
    def __init__(self, estimator: Any = ..., *, layer: str | _Int | None = ..., pool: Literal["flatten", "mean"] = ..., batch_size: _Int | None = ..., covariance: Literal["class", "tied", "global"] = ..., var_threshold: _Float = ..., jitter: _Float | None = ..., unseen: Literal["raise", "inf", "nan"] = ..., verbose: _Int = ...) -> None: ...
    classes_: NDArray[Any]
    n_units_: int
    n_features_in_: int
    estimator: Any
    layer: Any
    pool: Any
    batch_size: Any
    covariance: Any
    var_threshold: Any
    jitter: Any
    unseen: Any
    verbose: Any
    def fit(self, X: Any, y: ArrayLike | None = ..., *, y_pred: ArrayLike | None = ...) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def score_samples(self, X: Any, y_pred: ArrayLike | None = ...) -> NDArray[Any]: ...
    set_fit_request: Any
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...

class ModelDifference:
    def __init__(self, value: _Float, interval: Interval, std_error: _Float, first: str, second: str, only_first: _Int, only_second: _Int, n_used: _Int, n_apart: _Int, n_pool: _Int, confidence: _Float, method: str, warnings: tuple[str, ...] = ..., unbiased_value: _Float = ...) -> None: ...
    value: Any
    interval: Any
    std_error: Any
    first: Any
    second: Any
    only_first: Any
    only_second: Any
    n_used: Any
    n_apart: Any
    n_pool: Any
    confidence: Any
    method: Any
    @property
    def better(self) -> Any: ...
    @property
    def operation_interval(self) -> Any: ...
    unbiased_value: Any
    warnings: Any

class NoiseRate:
    def __init__(self, rate: _Float, interval: Interval, std_error: _Float, disagreement: _Float, n_repeated: _Int, n_used: _Int, n_classes: _Int, confidence: _Float, warnings: tuple[str, ...] = ...) -> None: ...
    rate: Any
    interval: Any
    std_error: Any
    disagreement: Any
    n_repeated: Any
    n_used: Any
    n_classes: Any
    confidence: Any
    warnings: Any

class NoisyAccuracy:
    def __init__(self, accuracy: _Float, interval: Interval, std_error: _Float, observed: _Float, noise: NoiseRate | AnnotatorNoise, n_used: _Int, confidence: _Float, warnings: tuple[str, ...] = ..., unbiased_value: _Float = ...) -> None: ...
    accuracy: Any
    interval: Any
    std_error: Any
    observed: Any
    noise: Any
    n_used: Any
    confidence: Any
    unbiased_value: Any
    warnings: Any

class OperationalSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., failure_emphasis: _Float | str = ..., exploration: _Float = ..., recalibrate: bool = ..., n_batches: _Int = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    features_: NDArray[Any] | None
    costs_: NDArray[Any] | None
    n_features_in_: int
    def ask(self, n: _Int | None = ..., *, budget: _Float | None = ...) -> NDArray[Any]: ...
    def fit(self, X: Any, y: None = ..., *, y_pred: Any = ..., costs: ArrayLike | None = ..., features: ArrayLike | None = ...) -> Any: ...
    def sample(self, n: _Int | None = ..., oracle: Callable[..., Any] | None = ..., kind: Literal["y_true", "failed", "loss"] | None = ..., *, budget: _Float | None = ...) -> SamplingResult: ...
    set_fit_request: Any

class ProportionalSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., replacement: bool = ..., floor: _Float = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    n_features_in_: int
    set_fit_request: Any

class RaoHartleyCochranSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., floor: _Float = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    n_features_in_: int
    set_fit_request: Any

class SamplingEstimate:
    def __init__(self, value: Any, interval: Any, std_error: Any, n_used: Any, effective_n: Any, confidence: Any, warnings: Any = ..., unbiased_value: Any = ...) -> None: ...
    value: float
    interval: Interval
    std_error: float
    n_used: int
    effective_n: float
    confidence: float
    unbiased_value: Any
    warnings: Any

class SamplingResult:
    def __init__(self, accuracy: Any, interval: Any, std_error: Any, n_labels: Any, n_failures: Any, failures: Any, n_pool: Any, confidence: Any, method: Any, effective_n: Any, warnings: Any = ..., estimator: Any = ..., n_used: Any = ..., n_skipped: Any = ..., accuracy_bounds: Any = ..., mean_loss: Any = ..., loss_bounds: Any = ..., loss_range: Any = ..., losses: Any = ..., unbiased_value: Any = ...) -> None: ...
    accuracy: float
    interval: Interval
    std_error: float
    n_labels: int
    n_failures: int
    failures: NDArray[Any]
    n_pool: int
    confidence: float
    method: str
    effective_n: float
    accuracy_bounds: Any
    estimator: Any
    @property
    def failure_kind(self) -> Any: ...
    def labels_for(self, half_width: _Float) -> int: ...
    loss_bounds: Any
    loss_range: Any
    losses: Any
    mean_loss: Any
    @property
    def measure(self) -> Any: ...
    n_skipped: Any
    n_used: Any
    @property
    def operation_interval(self) -> Any: ...
    unbiased_value: Any
    @property
    def value(self) -> Any: ...
    warnings: Any

class SimpleRandomSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., interval: Literal["hypergeometric", "wilson"] = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any] | None
    y_pred_: NDArray[Any] | None
    n_features_in_: int
    set_fit_request: Any

class StratifiedSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., n_strata: _Int = ..., strata: Literal["kmeans", "quantile"] = ..., allocation: Literal["neyman", "proportional"] = ..., floor: _Float = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any]
    strata_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    costs_: NDArray[Any] | None
    n_features_in_: int
    def ask(self, n: _Int | None = ..., *, budget: _Float | None = ...) -> NDArray[Any]: ...
    def fit(self, X: Any, y: None = ..., *, y_pred: Any = ..., costs: ArrayLike | None = ..., **unknown: Any) -> Any: ...
    def sample(self, n: _Int | None = ..., oracle: Callable[..., Any] | None = ..., kind: Literal["y_true", "failed", "loss"] | None = ..., *, budget: _Float | None = ...) -> SamplingResult: ...
    set_fit_request: Any

class ThresholdPredictor:
    def __init__(self, estimator: Any = ..., *, suspicion: Literal["entropy", "confidence"] = ...) -> None: ...
    threshold_: float
    reference_failure_rate_: float
    n_features_in_: int
    estimator: Any
    suspicion: Any
    def fit(self, X: ArrayLike, y: ArrayLike) -> Any: ...
    def get_metadata_routing(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_params(self, *args: Any, **kwargs: Any) -> Any: ...
    def predict_failure(self, X: ArrayLike) -> NDArray[Any]: ...
    def predicted_failure_rate(self, X: ArrayLike) -> float: ...
    def set_params(self, *args: Any, **kwargs: Any) -> Any: ...

class TwoStageSampler(BaseSampler):
    def __init__(self, estimator: Any = ..., *, auxiliary: Literal["confidence"] | Callable[..., Any] | ArrayLike = ..., n_strata: _Int = ..., strata: Literal["kmeans", "quantile"] = ..., floor: _Float = ..., loss: Callable[..., Any] | None = ..., loss_range: tuple[_Float, _Float] = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> None: ...
    n_pool_: int
    scores_: NDArray[Any]
    strata_: NDArray[Any]
    y_pred_: NDArray[Any] | None
    n_features_in_: int
    set_fit_request: Any

def accuracy_with_class_noise(answers: ArrayLike, *, confidence: _Float = ...) -> Results: ...

def accuracy_with_label_noise(answers: ArrayLike, *, y_pred: ArrayLike | None = ..., n_classes: _Int = ..., n_pool: _Int | None = ..., confidence: _Float = ...) -> NoisyAccuracy: ...

def detect_drift(failed: ArrayLike, *, baseline: _Float | None = ..., parts: ArrayLike | None = ..., alpha: _Float = ..., block: _Int = ..., loss_range: tuple[_Float, _Float] | None = ..., random_state: _Int | np.random.RandomState | np.random.Generator | None = ...) -> Results: ...

def estimate_annotator_noise(answers: ArrayLike, *, n_classes: _Int = ..., names: ArrayLike | None = ..., confidence: _Float = ...) -> AnnotatorNoise: ...

def estimate_label_noise(answers: ArrayLike, *, n_classes: _Int = ..., confidence: _Float = ...) -> NoiseRate: ...

def extract_activations(estimator: Any, X: Any, *, layer: str | _Int | None = ..., pool: Literal["flatten", "mean"] = ..., batch_size: _Int | None = ..., verbose: _Int = ...) -> NDArray[Any]: ...

def plan_repeats(n_answers: _Int, *, noise: _Float, expected_accuracy: _Float, n_pool: _Int | None = ..., confidence: _Float = ...) -> Results: ...

def plan_two_phase(budget: _Float, *, judge_cost: _Float, expert_cost: _Float, agreement: _Float, expected_accuracy: _Float, confidence: _Float = ...) -> Results: ...

def read_pool(path: str | _Path, *, scores: str | None = ..., confidence: str | None = ..., y_pred: str | None = ..., costs: str | None = ..., features: str | Sequence[str] | None = ...) -> dict[str, Any]: ...

def simulate(samplers: Mapping[str, Any], scores: ArrayLike, failed: ArrayLike, *, n_labels: _Int | Sequence[_Int] | None = ..., n_repeats: _Int = ..., confidence: _Float = ..., random_state: _Int | None = ..., n_jobs: _Int | None = ..., verbose: _Int = ..., y_pred: ArrayLike | None = ..., costs: ArrayLike | None = ..., features: ArrayLike | None = ...) -> Results: ...

def two_phase_accuracy(judge: ArrayLike, expert: ArrayLike, *, n_pool: _Int | None = ..., weight: Literal["difference", "tuned"] = ..., confidence: _Float = ...) -> Results: ...
