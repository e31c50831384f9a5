"""Scorers against constant predictions: the warning and the floor."""

import warnings

import numpy as np
import pytest
from problems import digit_rows
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import adjusted_rand_score, f1_score, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
)
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from skrobust.metrics import (
    accuracy_stability_index,
    get_scorer,
    make_asi_scorer,
    make_normalized_scorer,
    make_robust_scorer,
)
from skrobust.perturbations import FeatureNoise, GaussianNoise

X, Y = (part[:500] for part in digit_rows())
X = X / 16
NOISES = [GaussianNoise(std=s, random_state=0) for s in (0.0, 0.2, 0.4)]
MODELS = [DummyClassifier(), LogisticRegression(max_iter=999), SVC()]
RATIO = {"metric": "robust_ratio", "tolerance": 0.05}


class Shares(ClassifierMixin, BaseEstimator):
    """Predicts the label in the first column for the leading share of the rows."""

    def __init__(self, share=1.0):
        self.share = share

    def fit(self, X, y):
        return self

    def predict(self, X):
        labels = np.asarray(X)[:, 0].astype(int)
        n = round(self.share * len(X))
        return np.where(np.arange(len(X)) < n, labels, (labels + 1) % 2)

    def predict_proba(self, X):
        return np.eye(2)[self.predict(X)]


class Leading:
    """Condition that spoils the rows behind the leading share."""

    def __init__(self, share):
        self.share = share

    def perturb(self, estimator, X, y):
        X = X.copy()
        X[round(self.share * len(X)) :, 0] = 1 - X[round(self.share * len(X)) :, 0]
        return X


BINARY_Y = np.tile([0, 1], 50)
BINARY_X = np.column_stack([BINARY_Y, np.arange(100)]).astype(float)


def search(scorer, models=MODELS):
    pipe = Pipeline([("model", DummyClassifier())])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = GridSearchCV(pipe, {"model": models}, scoring=scorer, cv=2).fit(X, Y)
    texts = [str(w.message) for w in caught if "constant" in str(w.message)]
    return (
        type(found.best_params_["model"]),
        found.cv_results_["mean_test_score"],
        texts,
    )


def test_a_dummy_wins_a_search_by_asi_with_a_warning_and_not_with_a_floor():
    best, scores, texts = search(make_asi_scorer(NOISES))
    assert best is DummyClassifier
    assert scores[0] == 1
    assert texts
    assert all("of DummyClassifier is 1, but on the same rows" in t for t in texts)
    best, floored, texts = search(make_asi_scorer(NOISES, floor=0.5))
    assert best is not DummyClassifier
    assert texts == []
    accuracy = cross_val_score(DummyClassifier(), X, Y, cv=2).mean()
    assert floored[0] == pytest.approx(-1 + accuracy - 0.5)
    assert np.array_equal(floored[1:], scores[1:])


def test_a_dummy_wins_a_search_by_robust_ratio_and_not_with_a_floor():
    models = MODELS[:2]
    best, scores, texts = search(make_robust_scorer(NOISES[1], **RATIO), models)
    assert (best, scores[0]) == (DummyClassifier, 1)
    assert all("robust_ratio of DummyClassifier is 1" in text for text in texts)
    best, _, texts = search(make_robust_scorer(NOISES[1], **RATIO, floor=0.5), models)
    assert (best, texts) == (LogisticRegression, [])


def test_the_warning_has_the_numbers():
    dummy = DummyClassifier(strategy="constant", constant=3).fit(X, Y)
    share = np.mean(Y == 3)
    top = np.bincount(Y).max() / len(Y)
    expected = (
        f"accuracy_stability_index of DummyClassifier is 1, .* accuracy is {share:.3g} "
        f"and that of the best constant prediction {top:.3g}"
    )
    with pytest.warns(UserWarning, match=expected) as caught:
        make_asi_scorer(NOISES)(dummy, X, Y)
    assert len(caught) == 1
    # Weights count in both: rows of class 3 alone with weight make its constant best.
    weight = np.where(Y == 3, 9.0, 0.1)
    top = weight[Y == 3].sum() / weight.sum()
    with pytest.warns(UserWarning, match=f"{top:.3g} and .* prediction {top:.3g}"):
        make_asi_scorer(NOISES)(dummy, X, Y, sample_weight=weight)


def test_no_warning_for_useful_models_and_for_rows_of_one_class():
    model = LogisticRegression(max_iter=999).fit(X, Y)
    make_asi_scorer(NOISES)(model, X, Y)
    make_robust_scorer(NOISES[1], **RATIO)(model, X, Y)
    # Robust accuracy of 0, below the constant: low, but it flatters nobody.
    assert make_robust_scorer(Leading(0.0))(Shares(), BINARY_X, BINARY_Y) == 0
    fours = Y == 4
    make_asi_scorer(NOISES)(model, X[fours], Y[fours])
    # A user's metric of clusters has no accuracy.
    clusters = KMeans(10, n_init=1, random_state=0).fit(X)
    make_robust_scorer(NOISES[1], adjusted_rand_score)(clusters, X, Y)


def test_a_callable_is_guarded_too():
    dummy = DummyClassifier(strategy="constant", constant=1).fit(BINARY_X, BINARY_Y)
    with pytest.warns(UserWarning, match="f1_score of DummyClassifier is 0.667"):
        make_robust_scorer(Leading(0.5), f1_score)(dummy, BINARY_X, BINARY_Y)


@pytest.mark.parametrize("floor", [0.3, 0.6, 0.95])
def test_floored_scores_are_lexicographic_and_monotone(floor):
    shares = np.linspace(0, 1, 21)
    grid = [Leading(1.0), Leading(0.5)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for scorer, lowest in (
            (make_asi_scorer(grid, floor=floor), -1),
            (make_robust_scorer(grid[1], **RATIO, floor=floor), 0),
        ):
            values = [scorer(Shares(s), BINARY_X, BINARY_Y) for s in shares]
            plain = clone(scorer).set_params(floor=None)
            free = [plain(Shares(s), BINARY_X, BINARY_Y) for s in shares]
            for share, value, published in zip(shares, values, free, strict=True):
                # Leading(.5) leaves the first half: mean of the two conditions.
                is_right = np.arange(100) < round(share * 100)
                half = np.arange(100) < 50
                true = is_right.mean()
                if lowest == -1:
                    true = (true + np.mean(is_right == half)) / 2
                if true < floor:
                    assert value == pytest.approx(lowest + true - floor)
                    assert value < lowest
                else:
                    assert value == published


def test_the_floor_of_a_robust_score_is_that_of_clean_accuracy():
    low, high = Shares(0.6), Shares(0.9)
    scorer = make_robust_scorer(Leading(0.5), floor=0.8)
    assert scorer(low, BINARY_X, BINARY_Y) == pytest.approx(0.6 - 0.8)
    # The rows behind the half are wrong where the model was right, and the reverse.
    assert scorer(high, BINARY_X, BINARY_Y) == pytest.approx(0.6)


def test_the_floor_of_regressors_is_one_of_r2():
    data, target = load_diabetes(return_X_y=True)
    noise = GaussianNoise(std=0.01, data_range=(-1, 1), random_state=0)
    ratio = {"metric": "regression_robust_ratio", "tolerance": 20.0}
    dummy = DummyRegressor().fit(data, target)
    model = LinearRegression().fit(data, target)
    with pytest.warns(UserWarning, match="of DummyRegressor is 1, .* R2 is 0 and"):
        assert make_robust_scorer(noise, **ratio)(dummy, data, target) == 1
    floored = make_robust_scorer(noise, **ratio, floor=0.4)
    assert floored(dummy, data, target) == pytest.approx(-0.4)
    assert 0 < floored(model, data, target) < 1
    own = make_robust_scorer(noise, r2_score, floor=0.4)
    assert own(dummy, data, target) == pytest.approx(-1.4)
    assert own(model, data, target) > 0.3


def test_a_floor_needs_an_accuracy_and_a_bound():
    clusters = KMeans(10, n_init=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"'floor' .* needs the accuracy"):
        make_robust_scorer(NOISES[1], adjusted_rand_score, floor=0.1)(clusters, X, Y)
    model = Shares(0.9)
    skill = make_robust_scorer(Leading(0.5), "accuracy_skill", floor=0.5)
    with pytest.raises(ValueError, match="needs a metric with a lower bound"):
        skill(model, BINARY_X, BINARY_Y)

    def deep_score(y, p):
        return -9.0

    deep = make_robust_scorer(Leading(0.5), deep_score, floor=0.5)
    with pytest.raises(ValueError, match=r"at least -1\. Got a score of -9"):
        deep(model, BINARY_X, BINARY_Y)
    with pytest.raises(ValueError, match=r"'floor' .* in \[0, 1\]"):
        make_asi_scorer(NOISES, floor=50)(model, BINARY_X, BINARY_Y)


def test_scorers_by_name_keep_the_published_formulas():
    for name in ("accuracy_stability_index", "robust_accuracy", "robust_ratio"):
        assert get_scorer(name).floor is None
    # Improving one of three conditions from .6 to .9 lowers the index.
    assert accuracy_stability_index([0.6] * 3) == 1
    assert accuracy_stability_index([0.6, 0.6, 0.9]) == pytest.approx(0.552, abs=5e-4)


def test_importance_by_asi_is_negative_for_the_feature_that_matters():
    scorer = make_asi_scorer([Leading(1.0), Leading(0.7)])
    model = Shares(1.0)
    options = {"n_repeats": 5, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_index = permutation_importance(
            model, BINARY_X, BINARY_Y, scoring=scorer, **options
        )
        clean = make_robust_scorer(Leading(1.0))
        by_accuracy = permutation_importance(
            model, BINARY_X, BINARY_Y, scoring=clean, **options
        )
    assert by_index.importances_mean[0] < -0.1
    assert by_accuracy.importances_mean[0] > 0.3


# One sentence, or support -------------------------------------------------------------


def test_sparse_rows_are_perturbed_as_their_array_is():
    sparse = pytest.importorskip("scipy.sparse")
    rows = sparse.csr_array(X)
    noise = FeatureNoise(0.2, random_state=0)
    for make in (
        lambda: make_robust_scorer(NOISES[1]),
        lambda: make_robust_scorer(noise, X_ref=rows),
        lambda: make_asi_scorer(NOISES),
    ):
        scores = [
            cross_val_score(
                LogisticRegression(max_iter=999), given, Y, cv=2, scoring=make(),
                error_score="raise",
            )
            for given in (X, rows)
        ]  # fmt: skip
        assert np.allclose(*scores, atol=0.005)
    given = []

    class Keeps(LogisticRegression):
        def predict(self, X):
            given.append(type(X))
            return super().predict(X)

    make_robust_scorer(NOISES[1])(Keeps(max_iter=999).fit(rows, Y), rows, Y)
    assert given == [sparse.csr_array]


def test_sparse_rows_are_clustered_as_their_array_is():
    sparse = pytest.importorskip("scipy.sparse")
    scorer = make_normalized_scorer("clustering", n_samples=5000)
    model = KMeans(10, n_init=1, random_state=0).fit(X)
    expected = scorer(model, X, Y)
    other = KMeans(10, n_init=1, random_state=0).fit(X)
    assert scorer(other, sparse.csr_matrix(X), Y) == pytest.approx(expected)


def test_asi_refuses_regressors_and_models_without_predict():
    data, target = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(data, target)
    noise = [GaussianNoise(std=0.01, data_range=(-1, 1), random_state=0)] * 2
    with pytest.raises(ValueError, match=r"LinearRegression is a regressor\. Pass a"):
        make_asi_scorer(noise)(model, data, target)

    def within_100_score(y, predicted):
        return np.mean(np.abs(y - predicted) < 100)

    assert make_asi_scorer(noise, metric=within_100_score)(model, data, target) > 0.9
    with pytest.raises(ValueError, match="DBSCAN has no predict"):
        make_asi_scorer(NOISES)(DBSCAN().fit(X), X, Y)


def test_labels_in_columns_get_the_cure_that_fits():
    model = LogisticRegression(max_iter=999).fit(X, Y)
    with pytest.raises(ValueError, match=r"one-hot columns .* `y\.argmax\(axis=1\)`"):
        make_asi_scorer(NOISES)(model, X, np.eye(10)[Y])
    several = np.eye(10, dtype=int)[Y]
    several[:, 0] = 1
    with pytest.raises(ValueError, match="score each column by itself"):
        make_asi_scorer(NOISES)(model, X, several)


@pytest.mark.parametrize(
    "scorer, lost",
    [
        (make_robust_scorer(NOISES[1]), "leave the perturbation out"),
        (make_asi_scorer(NOISES), "leave the conditions out"),
        (make_normalized_scorer(n_samples=99), "leave the number of features out"),
    ],
)
def test_thresholds_are_refused_with_a_reason_that_is_true(scorer, lost):
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer)
    with pytest.raises(AttributeError, match=lost):
        tuned.fit(X, Y % 2)
