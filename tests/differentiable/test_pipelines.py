"""Translated pipelines: the model's own answers to 1e-6, gradients by differences."""

import pickle

import numpy as np
import pandas as pd
import pytest
from problems import name_of
from scipy.special import logsumexp
from sklearn.base import clone, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)
from sklearn.decomposition import (
    PCA,
    FactorAnalysis,
    FastICA,
    KernelPCA,
    TruncatedSVD,
)
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import (
    GaussianProcessClassifier,
    GaussianProcessRegressor,
)
from sklearn.gaussian_process.kernels import (
    RBF,
    DotProduct,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.impute import SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)
from sklearn.random_projection import GaussianRandomProjection
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR

from skrobust._differentiable import differentiable_view
from skrobust._differentiable import maps as _maps
from skrobust._differentiable import vote_models as _vote_models
from skrobust.attacks import FGSM, PGD, Square
from skrobust.metrics import make_robust_scorer
from skrobust.nets import ToNetInput

SETS = {
    "iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer,
    "digits": load_digits, "diabetes": load_diabetes,
}  # fmt: skip


def data(name, n=200):
    X, y = SETS[name](return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:n]
    return X[rows], y[rows]


def mlp(activation, model=MLPClassifier):
    return model(
        hidden_layer_sizes=(7, 5), activation=activation, max_iter=150, random_state=0
    )


def soft(*members, **kw):
    named = [(str(i), m) for i, m in enumerate(members)]
    return VotingClassifier(named, voting="soft", **kw)


def stacked(*members, final=None, kind=StackingClassifier, **kw):
    named = [(str(i), m) for i, m in enumerate(members)]
    return kind(named, final, cv=3, **kw)


def with_product(X):
    return np.c_[X, X[:, :1] * X[:, 1:2]]


SIGMOID = CalibratedClassifierCV(SVC(), cv=3)
MODELS = [
    LogisticRegression(max_iter=500),
    SGDClassifier(loss="log_loss", random_state=0),
    SGDClassifier(loss="modified_huber", alpha=1.0, random_state=0),
    LinearSVC(),
    RidgeClassifier(),
    Perceptron(random_state=0),
    LinearDiscriminantAnalysis(),
    SVC(),
    SVC(C=3, gamma=0.02),
    SVC(gamma="auto", break_ties=True),
    SVC(kernel="linear"),
    SVC(kernel="poly", coef0=1),
    SVC(kernel="sigmoid"),
    NuSVC(nu=0.1, gamma="auto"),
    mlp("relu"),
    mlp("tanh"),
    mlp("logistic"),
    mlp("identity"),
    GaussianNB(),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    SIGMOID,
    CalibratedClassifierCV(GaussianNB(), cv=3),
    CalibratedClassifierCV(LinearSVC(), ensemble=False, cv=3),
    CalibratedClassifierCV(SVC(), method="temperature", cv=3),
    CalibratedClassifierCV(GaussianNB(), method="temperature", cv=3),
    soft(LogisticRegression(), GaussianNB(), weights=[2, 1]),
    soft(make_pipeline(StandardScaler(), mlp("tanh")), SIGMOID, "drop"),
    stacked(LogisticRegression(), SVC(), "drop"),
    stacked(make_pipeline(StandardScaler(), SVC()), GaussianNB(), passthrough=True),
    stacked(GaussianNB(), LinearSVC(), final=SVC()),
    OneVsRestClassifier(LogisticRegression()),
    OneVsRestClassifier(SVC()),
    OneVsRestClassifier(GaussianNB()),
    OneVsOneClassifier(SVC()),
    OneVsOneClassifier(GaussianNB()),
    AdaBoostClassifier(LogisticRegression(), n_estimators=3),
    VotingClassifier([("a", GaussianNB()), ("b", LinearSVC())], weights=[2, 1]),
    GaussianProcessClassifier(1.0 * RBF(), optimizer=None),
    GaussianProcessClassifier(1.0 * Matern(nu=1.5) + WhiteKernel(), optimizer=None),
]  # fmt: skip
STEPS = [
    MinMaxScaler((-1, 2)),
    MinMaxScaler((0.2, 0.8), clip=True),
    MaxAbsScaler(),
    RobustScaler(),
    RobustScaler(with_centering=False, unit_variance=True),
    PCA(3),
    PCA(whiten=True, n_components=4),
    TruncatedSVD(3, random_state=0),
    PolynomialFeatures(3, include_bias=False),
    PolynomialFeatures((2, 3), interaction_only=True),
    Nystroem(n_components=20, random_state=0),
    Nystroem(kernel="poly", degree=2, gamma=0.5, coef0=1, n_components=15,
             random_state=0),
    Nystroem(kernel="linear", n_components=3, random_state=0),
    RBFSampler(gamma=0.1, n_components=30, random_state=0),
    Normalizer(),
    Normalizer("l1"),
    Normalizer("max"),
    QuantileTransformer(n_quantiles=30),
    QuantileTransformer(n_quantiles=30, output_distribution="normal"),
    PowerTransformer(),
    PowerTransformer(standardize=False),
    SelectKBest(k=3),
    VarianceThreshold(0.2),
    SimpleImputer(),
    FunctionTransformer(),
    FunctionTransformer(np.log1p),
    FunctionTransformer(with_product),
    KernelPCA(3, kernel="rbf"),
    KernelPCA(3, kernel="poly"),
    FastICA(3, random_state=0, max_iter=2000),
    FactorAnalysis(2),
    LinearDiscriminantAnalysis(),
    GaussianRandomProjection(3, random_state=0),
    SplineTransformer(),
    SplineTransformer(extrapolation="linear", include_bias=False),
    ToNetInput(),
    FeatureUnion([("a", PCA(2)), ("b", MinMaxScaler()), ("c", "passthrough")],
                 transformer_weights={"a": 3.0}),
    ColumnTransformer([("a", StandardScaler(), [2, 0]), ("b", "drop", [1]),
                       ("c", make_pipeline(RobustScaler(), PolynomialFeatures()),
                        slice(0, 2))], remainder="passthrough"),
]  # fmt: skip


def check_answers(model, X):
    """Forward equals the model's own answers to 1e-6."""
    view = differentiable_view(model, "PGD")
    logits = view.logits(X)
    labels = model.classes_[np.argmax(view.decision_scores(logits), axis=1)]
    assert np.mean(labels == model.predict(X)) == 1
    own = getattr(model, "decision_function", None)
    if own is not None:
        decision = own(X)
        scores = logits
        if getattr(view, "_head", None) and view._head.margins is not None:
            scores = view._head.map.apply(view._steps.apply(X)[0])[0]  # of votes
        found = scores[:, 1] - scores[:, 0] if decision.ndim == 1 else scores
        assert np.abs(found - decision).max() <= 1e-6 * (1 + np.abs(decision).max())
    if hasattr(model, "predict_proba"):
        scores, _ = view.scores(X, logits)
        p = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        assert np.abs(p - model.predict_proba(X)).max() <= 1e-6
    return view


@pytest.fixture(autouse=True)
def true_slopes(monkeypatch, request):
    """Scores of one against one as they are: steep votes are no derivative of them."""
    if "smooth" not in request.node.name:
        monkeypatch.setattr(_vote_models, "STEEP", 0.0)


def check_slopes(view, X, atol=1e-5):
    """Pull back a random slope and compare with central differences."""
    rng = np.random.default_rng(1)
    X = X[:12]
    logits, pull = view.forward(X)
    slope = rng.normal(size=logits.shape)
    gradient = pull(slope)
    way = rng.normal(size=X.shape) * (X.std(axis=0) + 1e-3)
    for h in (1e-5, 1e-6):  # a kink within one step is not within both
        up, down = view.logits(X + h * way), view.logits(X - h * way)
        numeric = ((up - down) / (2 * h) * slope).sum(axis=1)
        exact = (gradient * way).sum(axis=1)
        fine = np.abs(numeric - exact) <= atol * (1 + np.abs(exact))
        if fine.all():
            return
    # At most a row may lie on a kink (a clip, a relu, a vote).
    assert fine.mean() >= 0.9, (numeric, exact)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["iris", "wine", "cancer"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_models(model, name):
    X, y = data(name)
    model = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    before = pickle.dumps(model)
    view = check_answers(model, X)
    check_slopes(view, X)
    assert pickle.dumps(model) == before


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("step", STEPS, ids=name_of)
def test_steps(step):
    X, y = data("iris")
    X = X + np.random.default_rng(0).uniform(0, 0.1, X.shape)  # no ties, no kinks
    for model in (LogisticRegression(max_iter=300), SVC(), mlp("tanh")):
        piped = make_pipeline(clone(step), model).fit(X, y)
        before = pickle.dumps(piped)
        view = check_answers(piped, X)
        check_slopes(view, X)
        assert pickle.dumps(piped) == before


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model", [SVC(), mlp("relu"), GaussianNB(), SVC(kernel="poly"), SIGMOID], ids=str
)
def test_digits_and_several_steps(model):
    X, y = data("digits", 400)
    model = make_pipeline(
        MinMaxScaler(), PCA(20, whiten=True), Normalizer(), clone(model)
    ).fit(X, y)
    check_slopes(check_answers(model, X), X)


REGRESSORS = [
    LinearRegression(), Ridge(), Lasso(), ElasticNet(), SGDRegressor(random_state=0),
    LinearSVR(), PoissonRegressor(), SVR(C=50), SVR(kernel="poly"), NuSVR(C=9),
    SVR(kernel="linear"), KernelRidge(kernel="rbf"), KernelRidge(kernel="poly"),
    mlp("tanh", MLPRegressor), mlp("relu", MLPRegressor),
    TransformedTargetRegressor(SVR(), transformer=StandardScaler()),
    VotingRegressor([("a", Ridge()), ("b", SVR())], weights=[1, 3]),
    stacked(Ridge(), SVR(), kind=StackingRegressor, passthrough=True),
    GaussianProcessRegressor(RBF(9.0) + WhiteKernel(), normalize_y=True,
                             optimizer=None),
    GaussianProcessRegressor(RationalQuadratic(9.0) + DotProduct() ** 2, alpha=1.0,
                             optimizer=None),
    GaussianProcessRegressor(Matern(9.0, nu=2.5) * 2.0, alpha=0.1, optimizer=None),
    BaggingRegressor(Ridge(), 3, max_features=0.5, random_state=0),
    AdaBoostRegressor(Ridge(), n_estimators=3, random_state=0),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors(model):
    X, y = data("diabetes")
    model = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    before = pickle.dumps(model)
    view = differentiable_view(model, "PGD", regressors=True)
    predicted = model.predict(X)
    assert np.abs(view.logits(X)[:, 0] - predicted).max() <= 1e-6 * predicted.std()
    check_slopes(view, X)
    assert pickle.dumps(model) == before


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("norm, eps", [(np.inf, 0.15), (2, 0.5)])
@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(PolynomialFeatures(2), LogisticRegression(max_iter=5000)),
        make_pipeline(Nystroem(n_components=30, random_state=0), LinearSVC()),
        make_pipeline(PCA(2), SVC()),
        make_pipeline(StandardScaler(), mlp("relu")),
        QuadraticDiscriminantAnalysis(),
        SIGMOID,
        soft(GaussianNB(), LogisticRegression()),
    ],
    ids=str,
)
def test_attacks_work_unchanged(model, norm, eps):
    X, y = data("iris", 150)
    model = clone(model).fit(X, y)
    clean = model.score(X, y)
    one = FGSM(eps, norm=norm).perturb(model, X, y)
    attack = PGD(eps, norm=norm, n_steps=20, random_state=0)
    many = attack.perturb(model, X, y)
    rng = np.random.default_rng(0)
    noise = X + eps * np.sign(rng.normal(size=X.shape)) / (1 if norm == np.inf else 2)
    found = model.score(many, y)
    assert found < clean
    assert found <= model.score(one, y) + 0.02
    assert found <= model.score(noise, y)
    if hasattr(model, "predict_proba"):
        shift = attack.set_params(objective="probability_shift").perturb(model, X, y)
        p, q = model.predict_proba(X), model.predict_proba(shift)
        rows, own = np.arange(len(X)), p.argmax(axis=1)
        moved = np.abs(p - q)[rows, own].mean()
        # A run may end in a lower peak of a curved model than one step did, so that the
        # comparison is of means.
        assert moved >= 0.99 * np.abs(p - model.predict_proba(one))[rows, own].mean()
        assert moved > np.abs(p - model.predict_proba(noise))[rows, own].mean()


@pytest.mark.slow
def test_thresholds_move_the_verdict():
    X, y = data("cancer")
    base = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    for model in (
        FixedThresholdClassifier(base, threshold=0.9),
        FixedThresholdClassifier(base, threshold=0.2, pos_label=0),
        FixedThresholdClassifier(
            base, threshold=-1.0, response_method="decision_function"),
        FixedThresholdClassifier(make_pipeline(StandardScaler(), SVC()), threshold=0.3),
        TunedThresholdClassifierCV(base, scoring="f1"),
    ):  # fmt: skip
        model = model.fit(X, y)
        view = differentiable_view(model, "PGD")
        logits = view.logits(X)
        found = model.classes_[view.decision_scores(logits).argmax(axis=1)]
        assert np.array_equal(found, model.predict(X))
        attacked = FGSM(0.5).perturb(model, X, y)
        assert model.score(attacked, y) < model.score(X, y)


def test_wrappers_and_frames():
    X, y = data("iris", 150)
    frame = pd.DataFrame(X, columns=list("abcd"))
    columns = ColumnTransformer(
        [("s", StandardScaler(), ["c", "a"]), ("q", PCA(1), slice("b", "d"))]
    )
    model = make_pipeline(columns, SVC(C=5)).fit(frame, y)
    search = GridSearchCV(model, {"svc__C": [5]}, cv=2).fit(frame, y)
    frozen = FrozenEstimator(model)
    found = []
    for one in (model, search, frozen):
        out = PGD(0.2, n_steps=5, random_state=0).perturb(one, frame, y)
        assert list(out.columns) == list("abcd")
        assert one.score(out, y) < one.score(frame, y)
        found.append(out.to_numpy())
    assert np.allclose(found[0], found[1])
    assert np.allclose(found[0], found[2])


def test_ties_of_votes_go_to_the_first_class():
    # Three classes around a circle: near the middle each wins one duel.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    angle = y * 2 * np.pi / 3
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X = X @ [[0.9, 0.3], [-0.3, 0.9]] + 0.6 * rng.normal(size=(90, 2))
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 80)] * 2), -1).reshape(-1, 2)
    for shape in ("ovr", "ovo"):
        model = SVC(C=100, gamma=5, decision_function_shape=shape).fit(X, y)
        view = differentiable_view(model, "PGD")
        labels = view.decision_scores(view.logits(grid)).argmax(axis=1)
        assert np.array_equal(labels, model.predict(grid))


def test_smooth_votes_have_the_slope_that_is_followed():
    steep = _vote_models.STEEP
    first = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1]])

    def smooth(d):
        total = d @ first
        votes = 0.5 * steep * d / (1 + steep * np.abs(d))
        return votes @ first + 1 + total / (3 * (np.abs(total) + 1))

    rng = np.random.default_rng(0)
    d, slope, way = (rng.normal(size=(40, 3)) for _ in range(3))
    _, pull = _vote_models.counted_pairs(3).apply(d)
    numeric = ((smooth(d + 1e-6 * way) - smooth(d - 1e-6 * way)) / 2e-6 * slope).sum(1)
    assert np.allclose(numeric, (pull(slope) * way).sum(axis=1), atol=1e-6)
    # Far from every border they are the scores themselves.
    assert (
        np.abs(smooth(1e6 * d) - _vote_models.counted_pairs(3).apply(1e6 * d)[0])[
            np.abs(d).min(axis=1) > 0.1
        ].max()
        < 1e-4
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape, breaks", [("ovr", False), ("ovr", True), ("ovo", False)]
)
def test_smooth_votes_lead_to_what_a_search_does_not_find(shape, breaks):
    X, y = data("digits", 700)
    X = X / 16
    model = SVC(C=10, decision_function_shape=shape, break_ties=breaks)
    model.fit(X[:600], y[:600])
    rows, labels = X[600:], y[600:]
    budget = {"eps": 0.1, "data_range": (0, 1), "random_state": 0}
    found = PGD(n_steps=20, **budget).run(model, rows, labels)
    assert np.array_equal(found.success, model.predict(found.X_adv) != labels)
    ovr = SVC(C=10, break_ties=breaks).fit(X[:600], y[:600])  # Square needs ovr
    search = Square(n_steps=200, **budget).run(ovr, rows, labels)
    assert found.success.mean() > search.success.mean() + 0.03


def test_pieces_give_what_the_whole_gives(monkeypatch):
    X, y = data("digits", 300)
    model = make_pipeline(PolynomialFeatures(), SVC(gamma=1e-4)).fit(X[:, :12], y)
    slope = np.random.default_rng(0).normal(size=(300, 10))
    whole, pull = differentiable_view(model, "PGD").forward(X[:, :12])
    expected = pull(slope)
    monkeypatch.setattr(_maps, "LIMIT", 2000)
    parts, pull = differentiable_view(model, "PGD").forward(X[:, :12])
    assert np.allclose(parts, whole)
    assert np.allclose(pull(slope), expected)


def test_confident_models_keep_their_slopes():
    # Probabilities of 1e-200 underflow in a mean; their logarithms do not.
    X, y = data("iris", 150)
    model = soft(GaussianNB(), GaussianNB(var_smoothing=1e-3)).fit(X, y)
    far = X + np.array([0, 0, 40, 40])
    logits, pull = differentiable_view(model, "PGD").forward(far)
    assert np.isfinite(logits).all()
    assert np.abs(pull(np.eye(3)[[0] * len(X)])).max(axis=1).min() > 1


@pytest.mark.parametrize("encode", ["onehot", "ordinal"])
def test_smooth_slopes_of_bins_are_those_of_lines_between_their_middles(encode):
    X, y = data("iris", 150)
    bins = KBinsDiscretizer(4, encode=encode, strategy="uniform")
    model = make_pipeline(bins, LogisticRegression(max_iter=500)).fit(X, y)
    view = check_answers(model, X)
    edges = model[0].bin_edges_[0]
    middle = (edges[:-1] + edges[1:]) / 2
    row = X[:1].copy()
    row[0, 0] = middle[1] + 0.1 * (middle[2] - middle[1])
    gradient = view.forward(row)[1](np.array([[1.0, 0, 0]]))[0, 0]
    ends = np.repeat(row, 2, axis=0)
    ends[:, 0] = middle[1:3]
    low, high = view.logits(ends)[:, 0]
    assert gradient == pytest.approx((high - low) / (middle[2] - middle[1]))
    assert PGD(0.5, random_state=0).run(model, X, y).success.mean() > 0.3


@pytest.mark.parametrize("member", [LogisticRegression(max_iter=500), LinearSVC()])
def test_bags_answer_as_the_model_does(member):
    X, y = data("iris", 150)
    model = BaggingClassifier(member, 3, max_features=0.6, random_state=0).fit(X, y)
    view = differentiable_view(model, "PGD")
    p = np.exp(view.scores(X, view.logits(X))[0])
    p = p / p.sum(axis=1, keepdims=True)
    assert np.abs(p - model.predict_proba(X)).max() <= 1e-6
    if isinstance(member, LogisticRegression):
        check_slopes(view, X)


def test_smooth_votes_let_attacks_move():
    X, y = data("iris", 150)
    for model in (
        AdaBoostClassifier(LogisticRegression(), n_estimators=3),
        VotingClassifier([("a", GaussianNB()), ("b", LinearSVC())]),
        OneVsOneClassifier(SVC()),
    ):
        model.fit(X, y)
        assert PGD(0.8, random_state=0).run(model, X, y).success.mean() > 0.3


class Halved(StandardScaler):
    """A subclass that does something else."""

    def transform(self, X):
        return super().transform(X) / 2


class Squared(FunctionTransformer):
    """A step of one's own with its own slope."""

    def differentiable_transform(self, x):
        return x * x

    def differentiable_pullback(self, x, slope):
        return 2 * x * slope


def test_a_step_of_ones_own():
    X, y = data("iris", 150)
    model = make_pipeline(Squared(np.square), SVC()).fit(X, y)
    check_slopes(check_answers(model, X), X)

    class Blind(Squared):
        differentiable_pullback = property()

    blind = make_pipeline(Blind(np.square), SVC()).fit(X, y)
    with pytest.raises(ValueError, match="needs differentiable_pullback"):
        FGSM().perturb(blind, X, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model, sentence",
    [
        (make_pipeline(OneHotEncoder(handle_unknown="ignore"), LinearSVC()),
         "the step 'onehotencoder'"),
        (make_pipeline(OneHotEncoder(handle_unknown="ignore"), LinearSVC()),
         "HopSkipJump .* or Square"),
        (make_pipeline(Halved(), SVC()), "'halved'"),
        (make_pipeline(Nystroem("laplacian"), SVC()), "'nystroem'"),
        (make_pipeline(SimpleImputer(add_indicator=True, missing_values=-1.0), SVC()),
         "'simpleimputer'"),
        (KNeighborsClassifier(), "cannot differentiate KNeighborsClassifier"),
        (RandomForestClassifier(5), "Use ExactTree, a black-box attack"),
        (SVC(kernel=lambda a, b: a @ b.T), "cannot differentiate SVC"),
        (GaussianProcessClassifier(DotProduct()), "kernels of distance"),
        (KNeighborsClassifier(), "KNeighborsClassifier. .* HopSkipJump .* or Square"),
        (CalibratedClassifierCV(GaussianNB(), method="isotonic"), "isotonic"),
        (stacked(GaussianNB(), stack_method="predict"), "labels alone have no slopes"),
        (stacked(SVC(decision_function_shape="ovo")), "labels alone have no slopes"),
        (soft(RandomForestClassifier(5)), "cannot differentiate RandomForest"),
        (ColumnTransformer([("a", OrdinalEncoder(), [0])]), "columntransformer.a"),
    ],
    ids=lambda value: str(value).partition("<")[0],
)  # fmt: skip
def test_refusals(model, sentence):
    X, y = data("iris", 150)
    if isinstance(model, ColumnTransformer):
        model = make_pipeline(model, SVC())
    with pytest.raises(ValueError, match=sentence) as caught:
        FGSM(0.1).perturb(clone(model).fit(X, y), X, y)
    assert str(caught.value).startswith("FGSM ")


@pytest.mark.parametrize("model", [RandomForestRegressor(3), IsotonicRegression()])
def test_regressors_that_are_refused(model):
    X, y = data("diabetes")
    X = X[:, :1]
    assert is_regressor(model)
    with pytest.raises(ValueError, match="cannot differentiate"):
        differentiable_view(model.fit(X, y), "PGD", regressors=True)


def test_a_translation_that_differs_is_told():
    X, y = data("iris", 150)
    model = GaussianNB().fit(X, y)
    view = differentiable_view(model, "PGD")
    model.theta_ = model.theta_ + 1  # as if another version meant something else by it
    with pytest.raises(ValueError, match="otherwise than this version"):
        view.forward(X)


def test_widths_are_checked():
    X, y = data("iris", 150)
    model = make_pipeline(PCA(2), SVC()).fit(X, y)
    with pytest.raises(ValueError, match="the model takes 4 features"):
        FGSM(0.1).perturb(model, X[:, :3], y)


def test_attacks_on_stacking_have_scores_in_cross_validation():
    X, y = data("cancer")
    X = MinMaxScaler().fit_transform(X)
    model = stacked(LogisticRegression(), SVC())
    attack = PGD(0.1, n_steps=5, data_range=(0, 1), random_state=0)
    for metric, tolerance in (("robust_accuracy", None), ("robust_ratio", 0.1)):
        scorer = make_robust_scorer(attack, metric, tolerance=tolerance)
        scores = cross_val_score(model, X, y, cv=2, scoring=scorer, error_score="raise")
        assert (scores < cross_val_score(model, X, y, cv=2)).all()
