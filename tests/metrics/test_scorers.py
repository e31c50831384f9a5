"""Scorers: where scikit-learn takes them, and the traps that others fell into."""

import pickle

import numpy as np
import pytest
from problems import digit_rows, linear_problem
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    make_blobs,
    make_classification,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    TimeSeriesSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, minmax_scale
from sklearn.svm import SVC

from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import evaluate_attack, robust_accuracy_bounds
from skrobust.metrics import (
    BaseScorer,
    accuracy_stability_index,
    get_scorer,
    get_scorer_names,
    make_asi_scorer,
    make_normalized_scorer,
    make_robust_scorer,
    make_stability_index_scorer,
    normalized_accuracy_score,
    normalized_score_parts,
    robust_accuracy_score,
    stability_index,
)
from skrobust.perturbations import GaussianNoise, SaltAndPepper, two_factor_grid
from skrobust.testing import check_scorer

DIGITS = digit_rows()
X, y = DIGITS[0][:400] / 16, DIGITS[1][:400]
CANCER, SICK = load_breast_cancer(return_X_y=True)
CANCER = minmax_scale(CANCER)


def every_scorer():
    few = two_factor_grid(image_shape=(8, 8), random_state=0)[:6]
    noise = GaussianNoise(std=0.3, random_state=0)
    attack = FGSM(0.05, data_range=(0, 1))
    return {
        "normalized": make_normalized_scorer(n_samples=4000),
        "asi": make_asi_scorer(few),
        "stability": make_stability_index_scorer(4),
        "noise": make_robust_scorer(noise),
        "noise f1": make_robust_scorer(noise, f1_score),
        "noise ratio": make_robust_scorer(noise, "robust_ratio", tolerance=0.1),
        "attack": make_robust_scorer(attack),
        "attack ratio": make_robust_scorer(attack, "robust_ratio", tolerance=0.1),
        "pgd": make_robust_scorer(PGD(0.05, n_steps=5, random_state=0)),
    }


@pytest.mark.parametrize("name", every_scorer())
def test_promises(name):
    check_scorer(every_scorer()[name])


@pytest.mark.slow
def test_design_snippet_on_a_linear_pipeline():
    scoring = {
        "accuracy": "accuracy",
        "normalized": make_normalized_scorer("accuracy", n_samples=1797),
        "asi": make_asi_scorer(two_factor_grid("asi68", image_shape=(8, 8))),
        "robust": make_robust_scorer(PGD(eps=0.1)),
        "ratio": make_robust_scorer(
            PGD(eps=0.1), metric="robust_ratio", tolerance=0.05
        ),
    }
    model = make_pipeline(StandardScaler(), LogisticRegression())
    results = cross_validate(model, X, y, cv=3, scoring=scoring, n_jobs=2)
    assert np.isfinite(results["test_asi"]).all()
    assert (results["test_robust"] < results["test_accuracy"]).all()
    grid = {"logisticregression__C": [1e-3, 1.0]}
    search = GridSearchCV(model, grid, scoring=scoring, refit="robust", cv=3)
    search.fit(X, y)
    assert search.best_score_ == search.cv_results_["mean_test_robust"].max()
    # A scorer that the model cannot serve says so in one sentence.
    neighbors = KNeighborsClassifier().fit(X, y)
    for name in ("robust", "ratio"):
        with pytest.raises(ValueError, match="KNeighborsClassifier"):
            scoring[name](neighbors, X, y)


class Stub(ClassifierMixin, BaseEstimator):
    """Remembers what it was asked; a threshold on the first feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0.5).astype(int)


class Flip(BaseEstimator):
    """A user's own perturbation: turns the first feature round."""

    def perturb(self, estimator, X, y):
        return 1 - X


def test_trap_prediction_cache():
    # scikit-learn's cache of predictions is keyed by the method alone: a scorer that
    # used it would be given the clean predictions, or would spoil the others.
    rng = np.random.default_rng(0)
    data = rng.random((90, 2))
    labels = (data[:, 0] > 0.5).astype(int)
    for order in (("accuracy", "robust"), ("robust", "accuracy")):
        every = {"accuracy": "accuracy", "robust": make_robust_scorer(Flip())}
        scoring = {name: every[name] for name in order}
        results = cross_validate(Stub(), data, labels, cv=3, scoring=scoring)
        assert (results["test_accuracy"] == 1).all()
        assert (results["test_robust"] == 0).all()


def test_trap_lost_state():
    # A search clones its scorers; a fitted perturbation must survive that.
    raw = DIGITS[0][:300]
    labels = DIGITS[1][:300]
    scorer = make_robust_scorer(SaltAndPepper(0.3, random_state=0), X_ref=raw)
    assert scorer.perturbation.data_range_ == (0, 16)
    for copy in (clone(scorer), pickle.loads(pickle.dumps(scorer))):
        assert copy.perturbation.data_range_ == (0, 16)
    inner = GridSearchCV(SVC(), {"C": [1]}, scoring=scorer, cv=2, error_score="raise")
    nested = cross_val_score(inner, raw, labels, cv=2, error_score="raise")
    assert np.isfinite(nested).all()
    unfitted = make_robust_scorer(SaltAndPepper(0.3))
    model = SVC().fit(raw, labels)
    with pytest.raises(ValueError, match="Fit it on training data"):
        unfitted(model, raw, labels)


@pytest.mark.parametrize("kind", [np.random.RandomState, np.random.default_rng, int])
def test_trap_shared_generator(kind):
    # A generator in a scorer used to give each fold other draws with one job and the
    # same draws with two.
    scorer = make_robust_scorer(GaussianNoise(std=0.3, random_state=kind(3)))
    one, two, again = (
        cross_val_score(SVC(), X, y, cv=4, scoring=scorer, n_jobs=n) for n in (1, 2, 1)
    )
    assert np.array_equal(one, two)
    assert np.array_equal(one, again)


def test_fold_order_does_not_matter():
    scorer = make_robust_scorer(GaussianNoise(std=0.3, random_state=0))
    model = SVC().fit(X[:200], y[:200])
    test, truth = X[200:], y[200:]
    order = np.random.default_rng(0).permutation(200)
    assert scorer(model, test, truth) == scorer(model, test[order], truth[order])
    halves = [scorer(model, test[s], truth[s]) for s in (slice(100), slice(100, 200))]
    assert np.mean(halves) == pytest.approx(scorer(model, test, truth))


@pytest.mark.filterwarnings("ignore:.*divides by the imbalance factor")
def test_normalized_scorer_reads_d_and_takes_n():
    model = LogisticRegression(max_iter=5000).fit(CANCER, SICK)
    scorer = make_normalized_scorer(n_samples=569)
    predicted = model.predict(CANCER)
    expected = normalized_accuracy_score(SICK, predicted, n_features=30, n_samples=569)
    assert scorer(model, CANCER, SICK) == expected
    images = CANCER.reshape(569, 5, 6)

    class Flat(ClassifierMixin, BaseEstimator):
        def predict(self, X):
            return model.predict(X.reshape(len(X), -1))

    assert scorer(Flat(), images, SICK) == expected
    # With N stated, folds of any size share one f.
    factors = {
        normalized_score_parts(
            SICK[test], predicted[test], task="classification", n_features=30,
            n_samples=569,
        ).dimensionality
        for k in (5, 10)
        for _, test in KFold(k).split(CANCER)
    }  # fmt: skip
    assert len(factors) == 1
    with pytest.warns(UserWarning, match="n_samples"):
        make_normalized_scorer()(model, CANCER[:100], SICK[:100])


def test_plain_make_scorer_works():
    scorer = make_scorer(normalized_accuracy_score, n_features=30, n_samples=569)
    model = LogisticRegression(max_iter=5000)
    scores = cross_val_score(model, CANCER, SICK, scoring=scorer)
    own = cross_val_score(
        model, CANCER, SICK, scoring=make_normalized_scorer(n_samples=569)
    )
    assert np.array_equal(scores, own)


def test_regression_and_clustering():
    data, target = load_diabetes(return_X_y=True)
    scores = cross_val_score(
        LinearRegression(), data, target,
        scoring=make_normalized_scorer("r2", n_samples=len(data)),
    )  # fmt: skip
    assert ((scores > 0) & (scores < 1)).all()
    blobs, groups = make_blobs(300, centers=3, random_state=0)
    scores = cross_val_score(
        KMeans(3, n_init=3, random_state=0), blobs, groups,
        scoring=make_normalized_scorer("clustering", n_samples=300),
    )  # fmt: skip
    assert ((scores > 0.3) & (scores <= 1)).all()


def test_stability_scorer_is_the_index_over_conditions():
    grid = two_factor_grid(image_shape=(8, 8), random_state=0)[:20]
    model = SVC().fit(X[:200], y[:200])
    scores = [model.score(c.perturb(model, X[200:]), y[200:]) for c in grid]
    scorer = make_asi_scorer(grid)
    assert scorer(model, X[200:], y[200:]) == accuracy_stability_index(scores)


def test_stability_index_scorer_cuts_time_into_periods():
    model = SVC().fit(X[:200], y[:200])
    right = model.predict(X[200:]) == y[200:]
    expected = stability_index([block.mean() for block in np.array_split(right, 7)])
    assert make_stability_index_scorer(7)(model, X[200:], y[200:]) == expected
    scores = cross_val_score(
        SVC(), X, y, cv=TimeSeriesSplit(3), scoring=make_stability_index_scorer(5)
    )
    assert np.isfinite(scores).all()


@pytest.mark.filterwarnings("ignore:.*best constant prediction")
def test_own_objects_and_own_metrics():
    model = Stub().fit(X, y % 2)
    scorer = make_robust_scorer(Flip(), f1_score)
    assert scorer(model, X, y % 2) == f1_score(y % 2, model.predict(1 - X))
    assert scorer.__name__ == "f1_score"

    class Mine(BaseScorer):
        def _label(self):
            return "mine"

        def _score(self, estimator, X, y, sample_weight):
            return 0.25

    assert Mine()(model, X, y) == 0.25
    assert (
        cross_val_score(Stub(), X, y % 2, scoring=Mine(), cv=2).tolist() == [0.25] * 2
    )


def test_sample_weight():
    model = SVC().fit(X[:200], y[:200])
    scorer = make_robust_scorer(GaussianNoise(std=0.3, random_state=0))
    weight = np.zeros(200)
    weight[:50] = 2.0
    noisy = GaussianNoise(std=0.3, random_state=0).perturb(None, X[200:])
    expected = robust_accuracy_score(
        y[200:], model.predict(noisy), sample_weight=weight
    )
    assert scorer(model, X[200:], y[200:], sample_weight=weight) == expected
    search = GridSearchCV(SVC(), {"C": [1]}, scoring={"a": scorer}, refit="a", cv=2)
    search.fit(X, y, sample_weight=np.ones(400))
    assert np.isfinite(search.best_score_)


def test_parameters_are_reachable():
    scorer = make_robust_scorer(PGD(0.1))
    assert scorer.get_params()["perturbation__eps"] == 0.1
    search = GridSearchCV(SVC(), {}, scoring=scorer)
    assert search.get_params()["scoring__perturbation__eps"] == 0.1
    search.set_params(scoring__perturbation__eps=0.2)
    assert scorer.perturbation.eps == 0.2
    scorer.set_score_request  # noqa: B018 (made from the signature of score)
    assert "RobustScorer" in repr(scorer)


def test_registry():
    names = get_scorer_names()
    assert names == sorted(names)
    assert {"normalized_accuracy", "robust_accuracy", "robust_ratio",
            "accuracy_stability_index", "stability_index"} <= set(names)  # fmt: skip
    for name in names:
        scorer = get_scorer(name)
        assert scorer.__name__ == name
        assert get_scorer(name) is not scorer
    with pytest.raises(
        ValueError, match="'nothing' is not a scorer of skrobust; known"
    ):
        get_scorer("nothing")
    with pytest.raises(ValueError, match="make_bounds_scorer makes the ends of bound"):
        get_scorer("certified_robust_ratio")
    model = LogisticRegression(max_iter=999).fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match="'perturbation' parameter of RobustScorer"):
        get_scorer("robust_accuracy")(model, *load_iris(return_X_y=True))
    ready = get_scorer("robust_accuracy").set_params(perturbation=FGSM(0.1))
    assert 0 < ready(model, *load_iris(return_X_y=True)) < 1


def test_a_metric_passed_as_a_scorer_says_so():
    with pytest.raises(TypeError, match="not a scorer of"):
        cross_val_score(
            SVC(), X, y, scoring=normalized_accuracy_score, error_score="raise"
        )


def test_robust_accuracy_attacks_the_label_with_every_objective():
    X, y = make_classification(
        400, 6, n_informative=4, n_redundant=0, flip_y=0.2, random_state=0
    )
    model = LogisticRegression().fit(X, y)
    shift = PGD(2.0, random_state=0, objective="probability_shift")
    with pytest.raises(ValueError, match="turns wrong rows right as well"):
        make_robust_scorer(shift)(model, X, y)
    plain = make_robust_scorer(PGD(2.0, random_state=0))(model, X, y)
    for objective in (None, "loss", "probability_shift", "misclassification"):
        attack = PGD(2.0, random_state=0, objective=objective)
        assert evaluate_attack(model, X, y, attack).robust_accuracy == plain


def test_metrics_of_classes_refuse_regressors():
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X, y)
    noise = GaussianNoise(std=0.01, data_range=(-1, 1))
    for call in (
        lambda: make_robust_scorer(noise)(model, X, y),
        lambda: make_normalized_scorer("accuracy")(model, X, y),
        lambda: robust_accuracy_bounds(model, X, y, eps=0.1),
    ):
        with pytest.raises(ValueError, match="LinearRegression is a regressor"):
            call()


def test_robust_ratio_needs_at_least_two_classes():
    _, X, _ = linear_problem()

    class One:
        classes_ = np.array([0])

        def predict_proba(self, X):
            return np.ones((len(X), 1))

        def predict(self, X):
            return np.zeros(len(X), int)

    scorer = make_robust_scorer(GaussianNoise(std=0.1), "robust_ratio", tolerance=0.1)
    with pytest.raises(ValueError, match="at least two classes"):
        scorer(One(), X, np.zeros(len(X), int))


def test_robust_ratio_needs_probabilities():
    _, X, y = linear_problem()
    model = SVC(kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match="needs predict_proba"):
        make_robust_scorer(FGSM(0.1), "robust_ratio", tolerance=0.1)(model, X, y)


def test_the_former_name_of_the_asi_scorer_warns():
    import skrobust.metrics

    with pytest.warns(FutureWarning, match=r"use skrobust\.metrics\.make_asi_scorer"):
        former = skrobust.metrics.make_stability_scorer
    assert former is make_asi_scorer
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = skrobust.metrics.nothing
