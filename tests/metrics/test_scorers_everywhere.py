"""Scorers wherever scikit-learn takes one, and a sentence where it cannot."""

import copy
import itertools
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest
import sklearn
from problems import linear_problem
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    RidgeCV,
    SGDClassifier,
)
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust import metrics as m
from skrobust.attacks import FGSM, PGD
from skrobust.metrics import (
    make_asi_scorer,
    make_normalized_scorer,
    make_robust_scorer,
    make_stability_index_scorer,
)
from skrobust.nets import ToNetInput
from skrobust.perturbations import GaussianNoise
from skrobust.sampling import DeepESTSampler

_, X, Y = linear_problem(240, d=8)
MODEL = LogisticRegression(max_iter=2000)
NOISE = GaussianNoise(std=0.1, random_state=0)
# Wider than the data, so that a subset of the columns lies inside as well.
ATTACK = FGSM(0.05, data_range=(0, 1))
SCORERS = {
    "normalized": make_normalized_scorer(n_samples=5000),
    "asi": make_asi_scorer(
        [GaussianNoise(std=s, random_state=0) for s in (0.0, 0.1, 0.2)]
    ),
    "stability": make_stability_index_scorer(3),
    "noise": make_robust_scorer(NOISE),
    "attack": make_robust_scorer(ATTACK),
    "ratio": make_robust_scorer(ATTACK, "robust_ratio", tolerance=0.1),
}
every = pytest.mark.parametrize("scorer", SCORERS.values(), ids=SCORERS)
# A strong penalty, shuffled labels or few columns leave a constant prediction.
constant = pytest.mark.filterwarnings("ignore:.*best constant prediction")


@constant
@every
def test_searches(scorer):
    grid = {"C": [0.01, 1.0, 100.0]}
    expected = [
        cross_val_score(clone(MODEL).set_params(C=C), X, Y, cv=3, scoring=scorer).mean()
        for C in grid["C"]
    ]
    search = GridSearchCV(MODEL, grid, scoring=scorer, cv=3).fit(X, Y)
    assert np.allclose(search.cv_results_["mean_test_score"], expected)
    assert search.score(X, Y) == scorer(search.best_estimator_, X, Y)
    random = RandomizedSearchCV(
        MODEL, grid, n_iter=3, scoring=scorer, cv=3, random_state=0
    )
    assert np.allclose(random.fit(X, Y).best_score_, max(expected))
    halving = HalvingGridSearchCV(
        MODEL, grid, scoring=scorer, cv=3, min_resources=60, random_state=0
    ).fit(X, Y)
    assert np.isfinite(halving.best_score_)
    nested = cross_val_score(
        GridSearchCV(MODEL, grid, scoring=scorer, cv=2),
        X, Y, cv=2, scoring=scorer, error_score="raise",
    )  # fmt: skip
    assert np.isfinite(nested).all()


@every
def test_curves(scorer):
    sizes, train, test = learning_curve(
        MODEL, X, Y, scoring=scorer, cv=3, train_sizes=[0.3, 1.0], error_score="raise"
    )
    assert train.shape == test.shape == (len(sizes), 3)
    assert np.isfinite(train).all()
    last = cross_val_score(MODEL, X, Y, cv=3, scoring=scorer)
    assert np.allclose(test[-1], last)
    train, test = validation_curve(
        MODEL, X, Y, param_name="C", param_range=[0.1, 1.0], scoring=scorer, cv=3
    )
    assert np.allclose(test[1], last)


@every
def test_displays_take_the_label(scorer):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    from sklearn.model_selection import LearningCurveDisplay

    display = LearningCurveDisplay.from_estimator(
        MODEL, X, Y, scoring=scorer, cv=2, train_sizes=[0.5, 1.0]
    )
    assert isinstance(display.score_name, str)
    plt.close("all")


@constant
@every
def test_permutation_tests(scorer):
    score, permuted, p_value = permutation_test_score(
        MODEL, X, Y, scoring=scorer, cv=3, n_permutations=3, random_state=0
    )
    assert score == pytest.approx(
        cross_val_score(MODEL, X, Y, cv=3, scoring=scorer).mean()
    )
    assert np.isfinite(permuted).all()
    assert 0 < p_value <= 1
    model = clone(MODEL).fit(X, Y)
    importance = permutation_importance(
        model, X, Y, scoring=scorer, n_repeats=2, random_state=0
    )
    assert np.isfinite(importance.importances_mean).all()


@constant
@every
def test_feature_selection(scorer):
    # A subset of columns is another row, with other noise; the scores must be numbers.
    chosen = RFECV(MODEL, min_features_to_select=3, scoring=scorer, cv=2).fit(X, Y)
    assert 3 <= chosen.n_features_ <= 8
    assert np.isfinite(chosen.cv_results_["mean_test_score"]).all()
    forward = SequentialFeatureSelector(
        MODEL, n_features_to_select=2, scoring=scorer, cv=2
    ).fit(X, Y)
    assert forward.get_support().sum() == 2


@every
def test_sample_weight_without_and_with_routing(scorer):
    weight = np.random.default_rng(0).integers(0, 3, size=len(Y)).astype(float)
    search = GridSearchCV(MODEL, {"C": [1.0]}, scoring=scorer, cv=3)
    plain = search.fit(X, Y, sample_weight=weight).best_score_
    by_name = GridSearchCV(MODEL, {"C": [1.0]}, scoring={"a": scorer}, refit="a", cv=3)
    assert by_name.fit(X, Y, sample_weight=weight).best_score_ == pytest.approx(plain)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(
            clone(MODEL).set_fit_request(sample_weight=True), X, Y, cv=3,
            scoring=clone(scorer).set_score_request(sample_weight=True),
            params={"sample_weight": weight}, error_score="raise",
        )["test_score"]  # fmt: skip
        refused = cross_validate(
            clone(MODEL).set_fit_request(sample_weight=True), X, Y, cv=3,
            scoring=clone(scorer).set_score_request(sample_weight=False),
            params={"sample_weight": weight}, error_score="raise",
        )["test_score"]  # fmt: skip
    # Before 1.7 a search without routing gave its scorers no weights.
    if tuple(map(int, version("scikit-learn").split(".")[:2])) >= (1, 7):
        assert routed.mean() == pytest.approx(plain)
    by_hand = []
    for train, test in StratifiedKFold(3).split(X, Y):
        model = clone(MODEL).fit(X[train], Y[train], sample_weight=weight[train])
        by_hand.append(scorer(model, X[test], Y[test], sample_weight=weight[test]))
    assert np.allclose(routed, by_hand)
    assert np.isfinite(refused).all()


def test_routing_through_a_pipeline_and_a_search():
    weight = np.ones(len(Y))
    scorer = make_robust_scorer(ATTACK)
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=True),
            clone(MODEL).set_fit_request(sample_weight=True),
        )
        search = GridSearchCV(
            pipe, {"logisticregression__C": [0.1, 1.0]}, cv=3,
            scoring=clone(scorer).set_score_request(sample_weight=True),
        )  # fmt: skip
        scores = cross_validate(
            search, X, Y, cv=2, params={"sample_weight": weight},
            scoring=clone(scorer).set_score_request(sample_weight=True),
            error_score="raise",
        )  # fmt: skip
    assert np.isfinite(scores["test_score"]).all()


def test_regressors_and_clusterers():
    data, target = make_regression(200, 6, noise=5, random_state=0)
    scorer = make_normalized_scorer("r2", n_samples=200)
    search = GridSearchCV(LinearRegression(), {"fit_intercept": [True, False]},
                          scoring=scorer, cv=3).fit(data, target)  # fmt: skip
    assert 0.5 < search.best_score_ <= 1
    from sklearn.metrics import r2_score

    spread = GaussianNoise(std=0.02, random_state=0).fit(data)
    noisy = make_robust_scorer(spread, r2_score)
    scores = cross_val_score(LinearRegression(), data, target, scoring=noisy, cv=3)
    clean = cross_val_score(LinearRegression(), data, target, scoring="r2", cv=3)
    assert (scores < clean).all()
    blobs, groups = make_blobs(200, centers=3, random_state=1)
    scorer = make_normalized_scorer("clustering", n_samples=200)
    search = GridSearchCV(KMeans(n_init=3, random_state=0), {"n_clusters": [2, 3, 6]},
                          scoring=scorer, cv=2).fit(blobs, groups)  # fmt: skip
    assert search.best_params_ == {"n_clusters": 3}


def test_one_sentence_where_scikit_learn_cannot():
    scorer = make_robust_scorer(ATTACK)
    tuned = TunedThresholdClassifierCV(MODEL, scoring=scorer)
    with pytest.raises(AttributeError, match="cannot tune a decision threshold"):
        tuned.fit(X, Y)
    boosted = HistGradientBoostingClassifier(
        early_stopping=True, scoring=make_robust_scorer(NOISE), max_iter=3
    )
    with pytest.raises(ValueError, match="cannot serve early stopping"):
        boosted.fit(X, Y)
    noisy = make_robust_scorer(NOISE, mean_squared_error)
    ridge = RidgeCV([0.1, 1.0], scoring=noisy)
    with pytest.raises(ValueError, match="Pass cv=5"):
        ridge.fit(X, Y.astype(float))
    assert RidgeCV([0.1, 1.0], scoring=noisy, cv=5).fit(X, Y.astype(float)).alpha_ > 0


def test_a_failing_fold_is_a_nan_of_that_fold_alone():
    scorer = make_robust_scorer(PGD(0.1, data_range=(0, 0.9)))  # some rows lie outside
    inside = (X <= 0.9).all(axis=1)
    order = np.argsort(~inside, kind="stable")
    rows, labels = X[order], Y[order]
    from sklearn.model_selection import KFold

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = cross_val_score(MODEL, rows, labels, scoring=scorer, cv=KFold(6))
    assert np.isfinite(scores[0])
    assert np.isnan(scores[-1])
    assert any("outside data_range" in str(w.message) for w in caught)


@pytest.mark.slow
def test_loader_workers_inside_parallel_folds():
    # Nested loader workers used to end in misleading 'not fitted' errors, or in nan.
    pytest.importorskip("skorch")
    import joblib
    import torch
    from nets_for_tests import Linear, make_net

    rows, labels = X[:, :6].astype(np.float32), Y.astype(np.int64)
    scorer = make_robust_scorer(FGSM(0.05))

    def scores(n_jobs, backend, **net):
        net = make_net(Linear, epochs=2, **net)
        torch.manual_seed(0)
        with joblib.parallel_config(backend), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cross_val_score(
                net, rows, labels, cv=2, scoring=scorer, n_jobs=n_jobs,
                error_score="raise",
            )  # fmt: skip

    workers = {"iterator_valid__num_workers": 1}
    assert np.isfinite(scores(1, "loky", **workers)).all()
    assert np.isfinite(scores(2, "threading", **workers)).all()
    assert np.isfinite(scores(2, "loky", **workers)).all()
    assert np.isfinite(scores(2, "loky")).all()


def test_ratio_of_one_against_the_rest_uses_its_own_probabilities():
    # SGD's predict_proba is no softmax of its decisions.
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = SGDClassifier(loss="log_loss", random_state=0).fit(X, y)
    scorer = make_robust_scorer(
        PGD(0.2, random_state=0), metric="robust_ratio", tolerance=0.02
    )
    p = model.predict_proba(X)
    own = np.arange(150), p.argmax(axis=1)
    moved = np.zeros(150)
    for corner in itertools.product((-1, 0, 1), repeat=4):
        q = model.predict_proba(X + 0.2 * np.array(corner))
        moved = np.maximum(moved, np.abs(q[own] - p[own]))
    corners = (moved <= 0.02).mean()
    assert scorer(model, X, y) <= corners + 0.03


def test_resamplers_of_a_pipeline_are_idle_at_predict():
    pytest.importorskip("imblearn")
    from imblearn.pipeline import make_pipeline as make_imblearn_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    _, X, y = linear_problem()
    model = make_imblearn_pipeline(
        StandardScaler(), RandomUnderSampler(random_state=0), LogisticRegression()
    ).fit(X, y)
    assert make_robust_scorer(PGD(0.1, random_state=0))(model, X, y) < model.score(X, y)
    nested = make_pipeline(make_pipeline(StandardScaler()), LogisticRegression()).fit(
        X, y
    )
    assert make_robust_scorer(FGSM(0.1))(nested, X, y) < nested.score(X, y)


@pytest.mark.torch
def test_double_precision_nets_are_scored_on_their_own_dtype():
    torch = pytest.importorskip("torch")
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net

    _, X, y = linear_problem(classes=3)
    single = make_net(Linear, module__k=3).fit(X.astype(np.float32), y)
    double = copy.deepcopy(single)
    double.module_.double()
    noise = make_robust_scorer(
        GaussianNoise(std=0.01, data_range=(-1, 2), random_state=0)
    )
    assert noise(double, X, y) == pytest.approx(
        noise(single, X.astype(np.float32), y), abs=0.02
    )
    with pytest.raises(ValueError, match="not a float64 array"):
        noise(single, torch.from_numpy(X), y)
    half = torch.from_numpy(X).bfloat16()
    out = GaussianNoise(std=0.1, data_range=(0, 1), random_state=0).perturb(None, half)
    assert out.dtype == torch.bfloat16


@pytest.mark.torch
def test_nets_take_float32_rows_and_frames_behind_to_net_input():
    pytest.importorskip("skorch")
    from nets_for_tests import make_net
    from sklearn.pipeline import make_pipeline

    _, X, y = linear_problem()
    net = make_net(module__k=2, epochs=5)
    labels = y.astype(np.int64)
    scorer = m.make_robust_scorer(FGSM(0.1))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    piped = make_pipeline(ToNetInput(), net).fit(frame, labels)
    value = scorer(piped, frame, labels)
    assert value == scorer(piped, frame.astype(np.float32), labels)
    bare = piped[-1]
    assert value == scorer(bare, X.astype(np.float32), labels)
    with pytest.raises(ValueError, match="takes float32 arrays, not a data frame"):
        scorer(bare, frame, labels)
    with pytest.raises(ValueError, match="not a float64 array"):
        scorer(bare, X, labels)
    with pytest.raises(ValueError, match="not a float64 array"):
        DeepESTSampler(bare).fit(X)
