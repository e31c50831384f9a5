"""The robust ratio from both sides, on models whose worst case is known."""

import json

import numpy as np
import pytest
from problems import linear_problem
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import (
    FGSM,
    PGD,
    CarliniWagner,
    Constraints,
    ExactLinear,
    ExactTree,
    Square,
)
from skrobust.evaluation import robust_ratio_bounds
from skrobust.metrics import confidence_interval, probability_shift
from skrobust.perturbations import SaltAndPepper
from skrobust.report.core.strict_json import to_plain

NORMS = [np.inf, 2, 1]
BOX = (0, 1)
MODEL, X, Y = linear_problem(80)
MODEL3, X3, Y3 = linear_problem(60, 4, classes=3, seed=1)


def corners(x, eps):
    """Return the corners of the L-infinity ball, in the box."""
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(x))).reshape(len(x), -1).T
    return np.clip(x + eps * signs, 0, 1)


def ball_points(x, eps, norm, rng, n=200):
    """Return random points of a ball, in the box."""
    if norm == np.inf:
        return np.clip(x + eps * rng.choice([-1, 1, 0.5], (n, len(x))), 0, 1)
    steps = rng.normal(size=(n, len(x)))
    size = np.abs(steps) if norm == 1 else steps**2
    size = size.sum(axis=1) if norm == 1 else np.sqrt(size.sum(axis=1))
    return np.clip(x + eps * steps / size[:, None], 0, 1)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("data_range", [None, BOX])
def test_an_exact_attack_closes_the_gap(norm, data_range):
    attack = ExactLinear(0.07, norm=norm, data_range=data_range)
    r = robust_ratio_bounds(MODEL, X, Y, attack, tolerances=np.arange(101) / 100)
    np.testing.assert_allclose(r.per_sample.found, r.per_sample.certified, atol=1e-12)
    np.testing.assert_array_equal(r.lower, r.upper)
    assert r.is_exact
    assert 0 < r.upper[10] < 1
    assert r.lower[-1] == 1


def test_linear_certificate_by_enumeration():
    r = robust_ratio_bounds(MODEL, X, Y, FGSM(0.05, data_range=BOX))
    p = MODEL.predict_proba(X)[:, 1]
    most = [
        np.abs(MODEL.predict_proba(corners(x, 0.05))[:, 1] - own).max()
        for x, own in zip(X, p, strict=True)
    ]
    np.testing.assert_allclose(r.per_sample.certified, most, atol=1e-12)
    by_hand = [np.mean(np.array(most) <= t + 1e-9) for t in r.tolerances]
    np.testing.assert_allclose(r.lower, by_hand)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), PCA(4), LogisticRegression()),
        SGDClassifier(loss="modified_huber", random_state=0),
    ],
)
def test_other_linear_models_of_two_classes(model):
    model.fit(X, Y)
    r = robust_ratio_bounds(
        model, X, Y, [PGD(0.1, random_state=0), ExactLinear(0.1)], reference="true"
    )
    assert r.certificate == "exact for linear models of two classes"
    np.testing.assert_allclose(r.per_sample.found, r.per_sample.certified, atol=1e-9)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("reference", ["predicted", "true", "max"])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(C=10, max_iter=2000),
        DecisionTreeClassifier(max_depth=4, random_state=0),
        RandomForestClassifier(5, max_depth=3, random_state=0),
        GradientBoostingClassifier(n_estimators=4, random_state=0),
        GaussianNB(),
    ],
)
def test_no_point_of_the_ball_moves_further(model, norm, reference):
    model.fit(X3, Y3)
    attack = (
        Square(0.08, norm=norm, data_range=BOX, max_queries=20, random_state=0)
        if norm != 1
        else SaltAndPepper(0.1, random_state=0)
    )
    r = robust_ratio_bounds(
        model, X3, Y3, attack, eps=0.08, norm=norm, data_range=BOX, reference=reference
    )
    p, rng = model.predict_proba(X3), np.random.default_rng(0)
    for i in range(0, len(X3), 3):
        q = model.predict_proba(ball_points(X3[i], 0.08, norm, rng))
        moved = probability_shift(
            p[[i]], q[:, None], reference=reference, y_true=Y3[[i]]
        )
        assert moved[0] <= r.per_sample.certified[i] + 1e-9
    assert (r.lower <= r.upper).all()
    assert (np.diff(r.lower) >= 0).all()
    assert not r.certificate.startswith("trivial")
    assert r.lower[-1] > 0


@pytest.mark.parametrize("norm", NORMS)
def test_a_single_tree_is_exact(norm):
    model = make_pipeline(
        StandardScaler(), DecisionTreeClassifier(max_depth=5, random_state=0)
    ).fit(X3, Y3)
    r = robust_ratio_bounds(
        model,
        X3,
        Y3,
        ExactTree(0.06, norm=norm, data_range=BOX),
        tolerances=[0, 0.3, 1],
    )
    assert r.is_exact
    np.testing.assert_allclose(r.per_sample.found, r.per_sample.certified, atol=1e-12)
    np.testing.assert_array_equal(r.lower, r.upper)
    assert r.upper[0] < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(1, bootstrap=False, max_features=None, random_state=0),
        GradientBoostingClassifier(n_estimators=1, random_state=0),
        GradientBoostingClassifier(loss="exponential", n_estimators=1, random_state=0),
    ],
)
def test_an_ensemble_of_one_tree_is_as_its_tree(model):
    model.fit(X, Y)
    attack = Square(0.05, data_range=BOX, max_queries=300, random_state=0)
    r = robust_ratio_bounds(model, X, Y, attack)
    assert r.certificate == "exact for trees"
    rng = np.random.default_rng(0)
    p = model.predict_proba(X)
    for i in range(0, 80, 4):
        q = model.predict_proba(ball_points(X[i], 0.05, np.inf, rng, n=3000))
        reached = probability_shift(p[[i]], q[:, None])[0]
        assert r.per_sample.certified[i] == pytest.approx(reached, abs=1e-7)


def test_more_classes_bracket_a_fine_search():
    attack = PGD(0.02, n_steps=40, n_restarts=3, random_state=0)
    r = robust_ratio_bounds(MODEL3, X3, Y3, attack, reference="predicted")
    assert r.certificate == "linear models with softmax, by branch and bound"
    assert not r.is_exact
    gap = r.per_sample.certified - r.per_sample.found
    assert (gap >= 0).all()
    assert np.median(gap) < 0.01 * np.median(r.per_sample.found)
    assert gap.max() < 0.01


def test_the_trivial_certificate_by_hand():
    model = MLPClassifier((4,), activation="tanh", alpha=1, max_iter=800)
    model.set_params(solver="lbfgs", random_state=0)
    model = make_pipeline(PowerTransformer(), model).fit(X3, Y3)
    tolerances = [0, 0.5, 0.8, 0.95, 1]
    r = robust_ratio_bounds(
        model, X3, Y3, FGSM(0.01), tolerances=tolerances, reference="predicted"
    )
    assert r.certificate.startswith("trivial: the net has the step")
    top = model.predict_proba(X3).max(axis=1)
    np.testing.assert_allclose(r.per_sample.certified, top)  # above .5: p, down to 0
    assert r.lower.tolist() == [np.mean(top <= t + 1e-9) for t in tolerances]
    assert r.lower[0] == 0 < r.lower[-2] < r.lower[-1] == 1


def test_no_ball_no_move():
    for model in (MODEL, GaussianNB().fit(X, Y)):
        r = robust_ratio_bounds(model, X, Y, FGSM(0.0))
        assert r.lower[0] == r.upper[0] == 1
        assert r.is_exact


def test_several_attacks_count_sample_by_sample():
    attacks = [
        FGSM(0.1, data_range=BOX),
        SaltAndPepper(0.3, random_state=0),
        CarliniWagner(0.1, norm=2, data_range=BOX, n_steps=10),
    ]
    options = {"eps": 0.1, "norm": np.inf, "data_range": BOX}
    together = robust_ratio_bounds(MODEL, X, Y, attacks, **options)
    alone = [robust_ratio_bounds(MODEL, X, Y, a, **options) for a in attacks]
    most = np.max([r.per_sample.found for r in alone], axis=0)
    np.testing.assert_array_equal(together.per_sample.found, most)
    for r in alone:
        np.testing.assert_array_equal(r.lower, together.lower)
        assert (together.upper <= r.upper).all()


def test_examples_outside_count_where_the_ball_ends():
    """An attack with five times the radius finds what fits in the ball, no more."""
    r = robust_ratio_bounds(
        MODEL, X, Y, ExactLinear(0.25), eps=0.05, norm=np.inf, data_range=None
    )
    np.testing.assert_allclose(r.per_sample.found, r.per_sample.certified, atol=1e-9)


def test_intervals_enclose_both_bounds():
    clips = np.arange(80) // 2
    attack = FGSM(0.05, data_range=BOX)
    for clusters in (None, clips):
        r = robust_ratio_bounds(MODEL, X, Y, attack, clusters=clusters)
        assert (r.low <= r.lower).all()
        assert (r.upper <= r.high).all()
        hits = r.per_sample.found <= r.tolerances[3] + 1e-9
        interval = confidence_interval("robust_accuracy", hits, clusters=clusters)
        assert r.high[3] == pytest.approx(interval.high)


def test_containers_dtypes_and_checkpoints(tmp_path):
    pandas = pytest.importorskip("pandas")
    attack = FGSM(0.05, data_range=BOX)
    plain = robust_ratio_bounds(MODEL, X, Y, attack, checkpoint=tmp_path)
    again = robust_ratio_bounds(MODEL, X, Y, attack, checkpoint=tmp_path)
    assert str(to_plain(plain)) == str(to_plain(again))
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    named = LogisticRegression(C=100, max_iter=5000).fit(frame, Y)
    framed = robust_ratio_bounds(named, frame, Y, attack)
    np.testing.assert_allclose(framed.per_sample.found, plain.per_sample.found)
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    same = robust_ratio_bounds(MODEL, frozen, Y, attack)
    np.testing.assert_array_equal(same.upper, plain.upper)
    single = robust_ratio_bounds(MODEL, X.astype(np.float32), Y, attack)
    assert (single.lower <= single.upper).all()
    np.testing.assert_allclose(
        single.per_sample.certified, plain.per_sample.certified, atol=1e-5
    )
    json.dumps(to_plain(plain), allow_nan=False)
    assert list(plain.to_frame().columns[:3]) == ["tolerances", "lower", "upper"]


class Moody(ClassifierMixin, BaseEstimator):
    """A linear model that answers otherwise than its weights say."""

    def fit(self, X, y):
        model = LogisticRegression(C=100, max_iter=5000).fit(X, y)
        self.classes_, self.n_features_in_ = model.classes_, X.shape[1]
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        return self

    def decision_function(self, X):
        return X @ self.coef_[0] + self.intercept_[0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def predict_proba(self, X):
        p = np.cos(self.decision_function(X)) / 2 + 0.5
        return np.column_stack([1 - p, p])


def test_a_link_that_is_not_monotone_has_no_certificate():
    r = robust_ratio_bounds(Moody().fit(X, Y), X, Y, Square(0.05, max_queries=20))
    assert r.certificate.startswith("trivial")
    rest = OneVsRestClassifier(LogisticRegression()).fit(X3, Y3)
    r = robust_ratio_bounds(rest, X3, Y3, Square(0.05, max_queries=20))
    assert not r.is_exact


class Broken:
    """Returns no numbers."""

    def perturb(self, estimator, X, y):
        return X * np.nan


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: robust_ratio_bounds(MODEL, X, Y, []), "'attacks' parameter"),
        (lambda: robust_ratio_bounds(MODEL, X, Y, "fgsm"), r"perturb\(estimator, X"),
        (lambda: robust_ratio_bounds(MODEL, X, Y, FGSM), r"perturb\(estimator, X, y"),
        (lambda: robust_ratio_bounds(MODEL, X, Y[1:], FGSM()), "robust_ratio_bounds"),
        (lambda: robust_ratio_bounds(MODEL, X, np.eye(2)[Y], FGSM()), "1-D labels"),
        (
            lambda: robust_ratio_bounds(MODEL, X * np.nan, Y, FGSM()),
            "NaN|finite|missing",
        ),
        (
            lambda: robust_ratio_bounds(LinearRegression().fit(X, Y), X, Y, FGSM()),
            "needs a classifier",
        ),
        (
            lambda: robust_ratio_bounds(LinearSVC().fit(X, Y), X, Y, FGSM()),
            "robust_ratio_bounds needs predict_proba",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, [FGSM(0.1), FGSM(0.2)]),
            "differ in eps. Give eps",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, [FGSM(), FGSM(norm=2)]),
            "differ in norm. Give norm",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, [FGSM(), FGSM(data_range=BOX)]),
            "differ in data_range",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, SaltAndPepper(0.1)),
            "has no eps. Give eps",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, CarliniWagner()),
            "'eps' parameter of robust_ratio_bounds",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, Broken(), eps=1, norm=2),
            "finite examples; Broken returned NaN",
        ),
        (lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), eps=-1), "'eps' parameter"),
        (lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), norm=3), "'norm' parameter"),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), data_range=(1, 0)),
            "'data_range' parameter of robust_ratio_bounds",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), data_range="all"),
            "'data_range' parameter of robust_ratio_bounds",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), data_range=(0, 0.5)),
            "outside data_range",
        ),
        (lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(target=1)), "without target"),
        (
            lambda: robust_ratio_bounds(
                MODEL, X, Y, PGD(constraints=Constraints(frozen=[0]))
            ),
            "without constraints",
        ),
        (
            lambda: robust_ratio_bounds(
                MODEL, X, Y, FGSM(objective="misclassification")
            ),
            "flatters the ratio",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), tolerances=[2]),
            "toleranc",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), reference="best"),
            "'reference' parameter of robust_ratio_bounds",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), confidence=1),
            "'confidence' parameter of robust_ratio_bounds",
        ),
        (
            lambda: robust_ratio_bounds(MODEL, X, Y, FGSM(), clusters=[1]),
            "robust_ratio_bounds",
        ),
    ],
)
def test_refuses(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
