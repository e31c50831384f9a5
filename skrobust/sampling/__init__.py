"""Sampling of inputs to label, to estimate the accuracy of a model in operation.

A *pool* holds the inputs that a model met, with its predictions and without true
labels. A *sampler* draws the inputs to label, stores the probability of each draw, and
weights the answers by its inverse: suspicious inputs are drawn more often, so that more
mispredictions are found, and the estimated accuracy of the whole pool stays unbiased.

Every sampler has the same five methods: ``fit`` reads the pool, ``ask(n)`` returns
positions in it, ``tell(ids, y_true)`` stores the answers, in any order, ``result()``
gives the accuracy, its interval and the mispredictions found, and
``sample(n, oracle)`` asks and tells in one call. ``correct`` replaces answers,
``tell(ids, loss=...)`` takes losses instead of labels,
``metric`` and ``estimate`` give other metrics than accuracy, ``add_model`` and
``compare`` judge other models by the same labels, ``plan`` and
``should_stop`` say how many labels are enough, and ``to_json`` and ``from_json`` carry
a sampler to another day.
"""

from skrobust.sampling._confidence_predictor import ConfidencePredictor
from skrobust.sampling._confidence_stratified import ConfidenceStratifiedSampler
from skrobust.sampling._cross_entropy import CrossEntropySampler
from skrobust.sampling._deepest import DeepESTSampler
from skrobust.sampling._gradient_sampler import GradientSampler
from skrobust.sampling._operational import OperationalSampler
from skrobust.sampling._proportional import ProportionalSampler
from skrobust.sampling._rao_hartley_cochran import RaoHartleyCochranSampler
from skrobust.sampling._read_pool import read_pool
from skrobust.sampling._simple_random import SimpleRandomSampler
from skrobust.sampling._simulate import simulate
from skrobust.sampling._stratified import StratifiedSampler
from skrobust.sampling._threshold_predictor import ThresholdPredictor
from skrobust.sampling._two_stage import TwoStageSampler
from skrobust.sampling.annotators._annotations import Annotations
from skrobust.sampling.annotators._annotator_noise import (
    AnnotatorNoise,
    estimate_annotator_noise,
)
from skrobust.sampling.annotators._class_noise import accuracy_with_class_noise
from skrobust.sampling.annotators._noise_rate import (
    accuracy_with_label_noise,
    estimate_label_noise,
)
from skrobust.sampling.annotators._plan_repeats import plan_repeats
from skrobust.sampling.annotators._two_phase import plan_two_phase, two_phase_accuracy
from skrobust.sampling.annotators.noise_correction import NoiseRate, NoisyAccuracy
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.core.label_plan import LabelPlan
from skrobust.sampling.core.model_difference import ModelDifference
from skrobust.sampling.core.sampling_estimate import SamplingEstimate
from skrobust.sampling.core.sampling_result import SamplingResult
from skrobust.sampling.gates._accuracy_gate import AccuracyGate
from skrobust.sampling.gates.gate_decision import GateDecision
from skrobust.sampling.living._detect_drift import detect_drift
from skrobust.sampling.living._living_pool import LivingPool
from skrobust.sampling.surprise._activations import extract_activations
from skrobust.sampling.surprise._distance_surprise import DistanceSurprise
from skrobust.sampling.surprise._likelihood_surprise import LikelihoodSurprise
from skrobust.sampling.surprise._mahalanobis_surprise import MahalanobisSurprise

__all__ = [
    "AccuracyGate",
    "Annotations",
    "AnnotatorNoise",
    "BaseSampler",
    "ConfidencePredictor",
    "ConfidenceStratifiedSampler",
    "CrossEntropySampler",
    "DeepESTSampler",
    "DistanceSurprise",
    "Estimate",
    "GateDecision",
    "GradientSampler",
    "LabelPlan",
    "LikelihoodSurprise",
    "LivingPool",
    "MahalanobisSurprise",
    "ModelDifference",
    "NoiseRate",
    "NoisyAccuracy",
    "OperationalSampler",
    "ProportionalSampler",
    "RaoHartleyCochranSampler",
    "SamplingEstimate",
    "SamplingResult",
    "SimpleRandomSampler",
    "StratifiedSampler",
    "ThresholdPredictor",
    "TwoStageSampler",
    "accuracy_with_class_noise",
    "accuracy_with_label_noise",
    "detect_drift",
    "estimate_annotator_noise",
    "estimate_label_noise",
    "extract_activations",
    "plan_repeats",
    "plan_two_phase",
    "read_pool",
    "simulate",
    "two_phase_accuracy",
]
