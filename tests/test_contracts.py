"""Every class with fit passes scikit-learn's own checks; every family ours.

Classes are found by walking ``__all__`` of each family. The instances checked are those
of ``_get_test_params`` of the class, a list of dicts of constructor parameters; a class
has an entry in ``LISTED`` only where it needs others.
"""

import inspect
import re

import numpy as np
import pytest
import sklearn
from problems import name_of
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsTransformer
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_array
from sklearn.utils.estimator_checks import check_estimator

import skrobust
from skrobust.attacks import (
    FGSM,
    PGD,
    ZOO,
    AdversarialSampler,
    ExactLinear,
    ExactTree,
    HopSkipJump,
    RandomSearch,
    Square,
)
from skrobust.nets import ToNetInput
from skrobust.perturbations import (
    BackgroundNoise,
    BaselineWander,
    Brightness,
    CannyEdges,
    CategoryFlip,
    ChannelLoss,
    ChannelShift,
    ClipPerturbation,
    ColumnSwap,
    Contrast,
    DefocusBlur,
    DottedLine,
    ElasticDeformation,
    FeatureLoss,
    FeatureNoise,
    Fog,
    Frost,
    FunctionPerturbation,
    Gain,
    Gamma,
    Gap,
    GaussianBlur,
    GaussianNoise,
    GlassBlur,
    Jitter,
    JPEGCompression,
    LabelNoiseClassifier,
    MainsHum,
    MeanDrift,
    MissingValues,
    MotionBlur,
    MultiplicativeNoise,
    Occlusion,
    Outliers,
    PerturbationSampler,
    PerturbationSequence,
    PerturbedClassifier,
    PerturbedFrames,
    PerturbedRegressor,
    Pixelate,
    PixelDropout,
    PointDropout,
    QuantileClipping,
    QuantileNoise,
    Quantization,
    Resampling,
    Rotation,
    Rounding,
    SaltAndPepper,
    Saturate,
    ScaleDrift,
    Scaling,
    SegmentPermutation,
    SeriesClipping,
    SeriesQuantization,
    SeriesScaling,
    Shear,
    ShotNoise,
    SignFlip,
    Smoothing,
    Snow,
    Spatter,
    SpeckleNoise,
    Spikes,
    StaleRows,
    Stripe,
    TextPerturbation,
    Tilt,
    TimeShift,
    TimeWarp,
    Translation,
    UniformNoise,
    UnitError,
    VideoCompression,
    Zigzag,
    ZoomBlur,
    two_factor_grid,
)
from skrobust.sampling import (
    BaseSampler,
    ConfidencePredictor,
    ConfidenceStratifiedSampler,
    CrossEntropySampler,
    DeepESTSampler,
    DistanceSurprise,
    Estimate,
    GradientSampler,
    LikelihoodSurprise,
    MahalanobisSurprise,
    OperationalSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    ThresholdPredictor,
    TwoStageSampler,
)
from skrobust.testing import (
    check_attack,
    check_perturbation,
    check_sampler,
    check_scorer,
)


def first_feature(X):
    """Suspicion for checks: how far the first feature is from 0."""
    return np.abs(np.asarray(X, dtype=float)[:, 0])


def jitter(X, rng, scale=0.1):
    return X + scale * rng.normal(size=X.shape)


def halve(X):
    return X / 2


NOISE = GaussianNoise(std=0.05, random_state=0)


class AnyWidth:
    """A fitted binary classifier for checks: takes rows of any width."""

    def predict(self, X):
        return (self.predict_proba(X)[:, 1] > 0.5).astype(int)

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-check_array(X, dtype=float)[:, 0]))
        return np.column_stack([1 - p, p])


FLAT = {"image_shape": (1, -1)}
LISTED = [
    GaussianNoise(**FLAT),
    GaussianNoise(std=0.1),
    SaltAndPepper(0.1, **FLAT),
    UniformNoise(**FLAT),
    SpeckleNoise(**FLAT),
    ShotNoise(**FLAT),
    PixelDropout(**FLAT),
    Rotation(30, **FLAT),
    Brightness(**FLAT),
    CannyEdges(**FLAT),
    ChannelShift(**FLAT),
    Contrast(**FLAT),
    DefocusBlur(**FLAT),
    DottedLine(**FLAT),
    ElasticDeformation(**FLAT),
    Fog(**FLAT),
    Frost(**FLAT),
    Gamma(**FLAT),
    GaussianBlur(**FLAT),
    GlassBlur(**FLAT),
    JPEGCompression(**FLAT),
    MotionBlur(**FLAT),
    Occlusion(**FLAT),
    Pixelate(**FLAT),
    Quantization(**FLAT),
    Saturate(0.0, **FLAT),  # rows of any length have no colours to saturate
    Scaling(**FLAT),
    Shear(**FLAT),
    Snow(**FLAT),
    Spatter(**FLAT),
    Stripe(**FLAT),
    Tilt(**FLAT),
    Translation(**FLAT),
    Zigzag(**FLAT),
    ZoomBlur(**FLAT),
    PerturbationSequence([SaltAndPepper(0.2), Rotation(20, **FLAT)]),
    FunctionPerturbation(jitter, kw_args={"scale": 0.2}, name="jitter"),
    FunctionPerturbation(halve),
    ClipPerturbation(NOISE, clips=1),
    PerturbedFrames(NOISE, draws="new", n_frames=3),
    PerturbedClassifier(LogisticRegression(), NOISE),
    PerturbedRegressor(Ridge(), NOISE),
    PerturbationSampler(NOISE, random_state=0),
    AdversarialSampler(LogisticRegression(), FGSM(0.1), random_state=0),
    CategoryFlip(share=0.5, columns="all"),
    ColumnSwap(share=0.5),
    FeatureLoss(),
    FeatureLoss(5, fill="most_frequent"),
    FeatureNoise(),
    FeatureNoise(5, keep_integer=True),
    LabelNoiseClassifier(LogisticRegression(), severity=1, random_state=0),
    LabelNoiseClassifier(LogisticRegression(), 0.1, kind="pair", random_state=0),
    MeanDrift(),
    MeanDrift(3, shape="ramp", along=0),
    MissingValues(5),
    MissingValues(5, mechanism="mar"),
    MissingValues(5, mechanism="mnar"),
    MultiplicativeNoise(),
    Outliers(share=0.5),
    QuantileClipping(5),
    QuantileNoise(5),
    Rounding(5),
    ScaleDrift(),
    SignFlip(share=0.5),
    StaleRows(share=0.5),
    UnitError(share=0.5),
    PerturbationSequence([FeatureNoise(3), MissingValues(3)]),
    Jitter(),
    Jitter(5, unit="db"),
    BaselineWander(scale="series"),
    Spikes(5),
    MainsHum(sampling_rate=200),
    SeriesScaling(5),
    SeriesQuantization(5),
    SeriesClipping(5),
    Smoothing(5),
    TimeShift(5),
    TimeShift(5, mode="roll"),
    TimeWarp(5),
    Resampling(5),
    SegmentPermutation(5),
    PointDropout(5),
    PointDropout(5, fill="hold"),
    Gap(5),
    ChannelLoss(5),
    BackgroundNoise(5),
    BackgroundNoise(5, color="pink"),
    Gain(5),
    PerturbationSequence([Jitter(3), Gap(3), TimeShift(3)]),
    ToNetInput(),
    DeepESTSampler(auxiliary=first_feature),
    DeepESTSampler(auxiliary=first_feature, rule="released"),
    OperationalSampler(auxiliary=first_feature),
    OperationalSampler(auxiliary=first_feature, failure_emphasis=0.7),
    SimpleRandomSampler(auxiliary=first_feature),
    DistanceSurprise(),
    DistanceSurprise(index=KNeighborsTransformer(), random_state=0),
    LikelihoodSurprise(jitter=1e-6),
    LikelihoodSurprise(jitter=0.1, var_threshold=0),
    MahalanobisSurprise(jitter=1e-6),
    MahalanobisSurprise(covariance="tied", jitter=0.1),
    MahalanobisSurprise(covariance="global"),
    ConfidencePredictor(AnyWidth()),
    ConfidencePredictor(AnyWidth(), calibration="logistic"),
    ThresholdPredictor(AnyWidth()),
    ConfidenceStratifiedSampler(auxiliary=first_feature),
    CrossEntropySampler(auxiliary=first_feature),
    CrossEntropySampler(auxiliary=np.asarray),
    GradientSampler(auxiliary=first_feature),
    ProportionalSampler(auxiliary=first_feature),
    ProportionalSampler(auxiliary=first_feature, replacement=True),
    RaoHartleyCochranSampler(auxiliary=first_feature),
    StratifiedSampler(auxiliary=first_feature),
    TwoStageSampler(auxiliary=first_feature),
]
# Older checks have fewer rows of a class than its covariance needs.
if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8):
    LISTED += [LikelihoodSurprise(), MahalanobisSurprise()]


def is_base(kind):
    return inspect.isabstract(kind) or bool(re.match("Base[A-Z]", kind.__name__))


def public_classes():
    families = "attacks", "certificates", "metrics", "nets", "perturbations", "sampling"
    for family in families:
        module = getattr(skrobust, family)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) and not is_base(thing):
                yield thing


def fitting_classes():
    kinds = [c for c in public_classes() if issubclass(c, BaseEstimator)]
    return {kind for kind in kinds if hasattr(kind, "fit")}


def is_of_text(kind):
    # scikit-learn checks little of estimators of text; perturbations/test_text.py more.
    return issubclass(kind, TextPerturbation)


def own_instances(kind):
    """Return the instances that a class gives for its checks."""
    for params in kind._get_test_params():
        if issubclass(kind, BaseSampler):  # checks hand it rows and no model
            params = {"auxiliary": first_feature, **params}
        yield kind(**params)


NOT_LISTED = sorted(
    (
        kind
        for kind in fitting_classes() - {type(one) for one in LISTED}
        if not is_of_text(kind) and hasattr(kind, "_get_test_params")
    ),
    key=lambda kind: kind.__name__,
)
INSTANCES = [*LISTED, *(one for kind in NOT_LISTED for one in own_instances(kind))]


# The rows of some checks are constant, or images one pixel high.
@pytest.mark.filterwarnings("ignore:.* does not apply to these rows")
@pytest.mark.parametrize("estimator", INSTANCES, ids=name_of)
def test_estimator_checks(estimator):
    if isinstance(estimator, VideoCompression):
        pytest.importorskip("av")
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = [r["check_name"] for r in results if r["status"] == "failed"]
    passed = [r["check_name"] for r in results if r["status"] == "passed"]
    skipped = [r["check_name"] for r in results if r["status"] == "skipped"]
    assert not failed
    assert set(skipped) <= {"check_array_api_input"}
    assert len(passed) >= 30


def test_every_class_with_fit_is_checked():
    checked = {type(instance) for instance in INSTANCES}
    assert fitting_classes() == checked | set(filter(is_of_text, fitting_classes()))
    assert len(set(filter(is_of_text, fitting_classes()))) >= 11


def test_public_checks_catch_what_is_broken():
    class Careless(GaussianNoise):
        def _perturb_images(self, images, rng):
            return images + np.random.default_rng().normal(size=images.shape)

    with pytest.raises(AssertionError, match="one seed must give one result"):
        check_perturbation_local(Careless)


def check_perturbation_local(kind):
    # A class made in a function cannot be pickled; give it a place in the module.
    kind.__qualname__ = kind.__name__
    globals()[kind.__name__] = kind
    check_perturbation(kind(std=0.1))


class Positional(GaussianNoise):
    """Noise by place: breaks the promise about order and batch."""

    def _perturb_images(self, images, rng):
        noise = np.random.default_rng(0).normal(size=images.shape)
        return images + 0.1 * noise


class Far(FGSM):
    """Leaves the ball."""

    def perturb(self, estimator, X, y=None):
        return X + 2 * self.eps


class Sticky:
    """A scorer that changes its input."""

    __name__ = "sticky"

    def __call__(self, estimator, X, y):
        X[:] = 0
        return 0.5


class Biased(SimpleRandomSampler):
    """Says that nothing fails."""

    def _estimate(self, answered):
        return Estimate(rate=0.0, std_error=0.1, df=9.0, effective_n=10.0)


def test_broken_promises_are_named():
    with pytest.raises(AssertionError, match="order of the rows"):
        check_perturbation(Positional(std=0.1))
    with pytest.raises(AssertionError, match="within eps"):
        check_attack(Far(0.1))
    with pytest.raises(AssertionError, match="input must not change"):
        check_scorer(Sticky())
    with pytest.raises(AssertionError, match="must be unbiased"):
        check_sampler(Biased(), n_repeats=50)


@pytest.mark.slow
def test_public_checks_pass_on_ours():
    for condition in two_factor_grid(image_shape=(8, 8))[1:69:13]:
        draws = any(not isinstance(step, Rotation) for step in condition.steps)
        check_perturbation(condition, draws=draws)
    check_perturbation(FunctionPerturbation(jitter))
    check_perturbation(FunctionPerturbation(halve), draws=False)
    for same_over_clip in (True, False):  # clips of 8 rows of pixels
        noise = GaussianNoise(std=0.1)
        check_perturbation(ClipPerturbation(noise, same_over_clip=same_over_clip))
    check_attack(PGD(0.1, n_steps=3))
    check_attack(RandomSearch(0.1, n_steps=3))
    check_attack(Square(0.1, n_steps=30))
    check_attack(ZOO(0.1, n_steps=10))
    check_attack(HopSkipJump(0.2, n_steps=3))
    check_attack(ExactLinear(0.1))
    rows = np.random.default_rng(0).random((60, 3))
    labels = (rows.sum(axis=1) > 1.5).astype(int)
    tree = DecisionTreeClassifier(random_state=0).fit(rows, labels)
    check_attack(ExactTree(0.1), tree, rows, labels)
    check_sampler(DeepESTSampler())
    check_sampler(DeepESTSampler(rule="released"))
    check_sampler(OperationalSampler())
    check_sampler(OperationalSampler(failure_emphasis=0.8, n_batches=3))
    check_sampler(SimpleRandomSampler())


def test_to_net_input():
    X = np.arange(24.0).reshape(2, 12)
    step = ToNetInput(image_shape=(3, 2, 2)).fit(X)
    out = step.transform(X)
    assert out.dtype == np.float32
    assert np.array_equal(out, X.reshape(2, 3, 2, 2))
    assert ToNetInput().fit(X).get_feature_names_out().shape == (12,)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X.astype(int), columns=[f"p{i}" for i in range(12)])
    assert np.array_equal(
        ToNetInput((3, 4)).fit_transform(frame)[:, 0].ravel(), X.ravel()
    )
