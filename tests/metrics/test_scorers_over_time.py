"""Scorers of the stability index: times, scores of score metrics, shuffled folds."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from interval_problems import quiet
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeavePOut,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skrobust.evaluation import cross_validate_perturbations
from skrobust.metrics import (
    confidence_interval,
    get_scorer,
    gini_stability,
    make_stability_index_scorer,
    period_stability_index,
    stability_index,
)
from skrobust.perturbations import GaussianNoise

X, Y = make_classification(600, 6, flip_y=0.2, class_sep=0.8, random_state=0)
MODEL = LogisticRegression().fit(X[:200], Y[:200])
ROWS, LABELS = X[200:], Y[200:]
SCORES = MODEL.decision_function(ROWS)
MONTH = np.arange(400) // 40


@pytest.mark.parametrize(
    "metric, function",
    [
        ("roc_auc", roc_auc_score),
        ("gini", lambda y, s: 2 * roc_auc_score(y, s) - 1),
        (roc_auc_score, roc_auc_score),
        (partial(roc_auc_score, max_fpr=0.5), partial(roc_auc_score, max_fpr=0.5)),
        (average_precision_score, average_precision_score),
    ],
    ids=["auc by name", "gini by name", "auc", "partial auc", "average precision"],
)
def test_score_metrics_get_scores(metric, function):
    expected = stability_index(
        [function(LABELS[m == MONTH], SCORES[m == MONTH]) for m in range(10)]
    )
    scorer = make_stability_index_scorer(metric=metric)
    assert scorer(MODEL, ROWS, LABELS) == pytest.approx(expected)
    assert scorer(MODEL, ROWS, LABELS, times=MONTH) == pytest.approx(expected)
    of_labels = scorer.set_params(response_method="predict")
    assert of_labels(MODEL, ROWS, LABELS) < expected - 0.02


def test_responses():
    scorer = make_stability_index_scorer(metric="roc_auc")
    naive = GaussianNB().fit(X[:200], Y[:200])  # has no decision function
    expected = period_stability_index(
        LABELS, naive.predict_proba(ROWS)[:, 1], MONTH, metric="roc_auc"
    )
    assert scorer(naive, ROWS, LABELS) == pytest.approx(expected)
    with pytest.raises(ValueError, match="needs decision_function; GaussianNB has"):
        scorer.set_params(response_method="decision_function")(naive, ROWS, LABELS)
    with pytest.raises(ValueError, match="needs predict_proba; LinearSVC has none"):
        scorer.set_params(response_method="predict_proba")(
            LinearSVC().fit(X, Y), ROWS, LABELS
        )
    with pytest.raises(ValueError, match="'response_method' parameter of"):
        scorer.set_params(response_method="scores")(MODEL, ROWS, LABELS)
    many, digits = load_digits(return_X_y=True)
    model = GaussianNB().fit(many, digits)
    auc = partial(roc_auc_score, multi_class="ovr")
    every = make_stability_index_scorer(4, metric=auc)(model, many, digits)
    assert 0.5 < every < 1


@pytest.mark.slow
def test_gini_stability_has_a_scorer():
    scorer = get_scorer("gini_stability")
    expected = gini_stability(LABELS, SCORES, MONTH)
    assert scorer(MODEL, ROWS, LABELS, times=MONTH) == pytest.approx(expected)
    assert scorer.__name__ == "gini_stability"
    same = make_stability_index_scorer(metric="gini", falling_rate_weight=88)
    assert same(MODEL, ROWS, LABELS) == pytest.approx(expected)
    interval = quiet(
        confidence_interval, "gini_stability", LABELS, SCORES, MONTH, random_state=0
    )
    assert interval.plug_in == pytest.approx(expected)
    assert interval.low < interval.value < interval.high
    with pytest.raises(ValueError, match="three arrays"):
        confidence_interval("gini_stability", LABELS, SCORES)


def test_periods_of_one_class_are_left_out():
    y = np.where(MONTH == 3, 0, LABELS)
    with pytest.warns(UndefinedMetricWarning, match="leaves out 1 of 10 periods"):
        found = get_scorer("gini_stability")(MODEL, ROWS, y, times=MONTH)
    with pytest.warns(UndefinedMetricWarning, match="leaves out 1 of 10 periods"):
        assert found == pytest.approx(gini_stability(y, SCORES, MONTH))


def test_times_make_the_periods():
    right = MODEL.predict(ROWS) == LABELS
    order = np.random.default_rng(0).permutation(400)
    dates = pd.date_range("2024-01-01", periods=400, freq="D")
    by_month = stability_index(pd.Series(right).groupby(MONTH).mean())
    scorer = make_stability_index_scorer()
    mixed = ROWS[order], LABELS[order]
    assert scorer(MODEL, *mixed, times=MONTH[order]) == pytest.approx(by_month)
    assert scorer(MODEL, *mixed) != pytest.approx(by_month)
    # Forty distinct times in five periods.
    blocks = make_stability_index_scorer(5)
    expected = stability_index(right.reshape(5, 80).mean(axis=1))
    assert blocks(MODEL, *mixed, times=dates[order]) == pytest.approx(expected)
    assert blocks(MODEL, ROWS, LABELS) == pytest.approx(expected)
    weight = np.where(np.arange(400) % 40 < 10, 1.0, 0.0)
    expected = stability_index(right.reshape(10, 40)[:, :10].mean(axis=1))
    weighted = scorer(MODEL, *mixed, times=MONTH[order], sample_weight=weight[order])
    assert weighted == pytest.approx(expected)
    with pytest.raises(
        ValueError, match=r"distinct times, which is 10.*With None each"
    ):
        make_stability_index_scorer(11)(MODEL, ROWS, LABELS, times=MONTH)
    with pytest.raises(ValueError, match="one time per sample; times has 399"):
        scorer(MODEL, ROWS, LABELS, times=MONTH[1:])


def test_times_through_routing():
    order = np.random.default_rng(1).permutation(600)
    month = order // 30
    rows, y = X[order], Y[order]
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_stability_index_scorer(metric="roc_auc").set_score_request(
            times=True, sample_weight=False
        )
        folds = list(KFold(2).split(rows))
        params = {"times": month}
        found = cross_val_score(MODEL, rows, y, cv=folds, scoring=scorer, params=params)
        search = GridSearchCV(MODEL, {"C": [0.1, 1.0]}, scoring=scorer, cv=folds)
        search.fit(rows, y, times=month)
    for score, (train, test) in zip(found, folds, strict=True):
        model = LogisticRegression().fit(rows[train], y[train])
        scores = model.decision_function(rows[test])
        expected = period_stability_index(
            y[test], scores, month[test], metric="roc_auc"
        )
        assert score == pytest.approx(expected)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(found.mean())


def test_shuffled_folds_are_refused():
    scorer = make_stability_index_scorer(5)
    sentence = "training rows lie between the test rows of fold 0.*Use TimeSeriesSplit"
    for cv in (KFold(5, shuffle=True, random_state=0), StratifiedKFold(3)):
        with pytest.raises(ValueError, match=sentence):
            scorer.check_folds(cv.split(X, Y))
        with pytest.raises(ValueError, match=sentence):
            cross_validate_perturbations(
                MODEL, X, Y, [GaussianNoise(std=0.1)], cv=cv, scoring=scorer
            )
    for cv in (TimeSeriesSplit(3), KFold(5)):
        scorer.check_folds(cv.split(X, Y))
        found = cross_validate_perturbations(
            MODEL, X, Y, [GaussianNoise(std=0.1)], cv=cv, scoring=scorer
        )
        assert np.isfinite(found.score).all()
    # By the times of the rows: shuffled rows whose folds are whole months.
    order = np.random.default_rng(1).permutation(600)
    by_time = [(np.flatnonzero(order < 300), np.flatnonzero(order >= 300))]
    scorer.check_folds(by_time, times=order // 100)
    with pytest.raises(ValueError, match=sentence):
        scorer.check_folds(by_time)
    with pytest.raises(ValueError, match=sentence):
        scorer.check_folds(KFold(2).split(X), times=order // 100)


def test_a_fold_may_share_its_first_and_last_period_with_training_rows():
    scorer = make_stability_index_scorer()
    months = [0, 0, 1, 1, 2, 2]
    scorer.check_folds([([0], [1, 2]), ([0, 1, 4], [2, 3])], times=months)
    with pytest.raises(ValueError, match="1 training rows lie between"):
        scorer.check_folds([([2], [1, 4])], times=months)
    with pytest.raises(ValueError, match="training rows lie between"):
        scorer.check_folds(LeavePOut(2).split(range(5)))


def test_dates_of_an_index_out_of_order_are_refused():
    dates = pd.date_range("2024-01-01", periods=400, freq="D")
    frame = pd.DataFrame(ROWS, index=dates)
    model = LogisticRegression().fit(frame, LABELS)
    order = np.random.default_rng(0).permutation(400)
    scorer = make_stability_index_scorer(5)
    expected = scorer(model, frame, LABELS)
    with pytest.raises(ValueError, match="dates of the index of X are not"):
        scorer(model, frame.iloc[order], LABELS[order])
    mixed = frame.iloc[order], LABELS[order]
    assert scorer(model, *mixed, times=dates[order]) == pytest.approx(expected)


class Labels(ClassifierMixin, BaseEstimator):
    """A classifier with labels alone."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)


def test_a_classifier_of_labels_has_no_scores():
    scorer = make_stability_index_scorer(metric="gini")
    with pytest.raises(ValueError, match="needs predict_proba; Labels has none"):
        scorer(Labels().fit(X, Y), ROWS, LABELS)


class First(ClassifierMixin, BaseEstimator):
    """Predicts the labels in a column of the rows."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return X[:, self.column].astype(int)


def falling_rows():
    """Return rows with a constant, a falling and a wrong column, and labels."""
    i = np.arange(192)
    y = i % 2
    wrong = i % 24 < 3 * (i % 96 // 24)  # 0, 3, 6 and 9 of 24 in each half
    return np.column_stack([np.zeros(192), np.where(wrong, 1 - y, y), 1 - y]), y


def test_a_floor_keeps_a_search_from_the_constant():
    X, y = falling_rows()
    cv = KFold(2)
    grid = {"column": [0, 1, 2]}
    scorer = make_stability_index_scorer(4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search = GridSearchCV(First(), grid, scoring=scorer, cv=cv).fit(X, y)
    texts = [str(one.message).split(". Pass floor")[0] for one in caught]
    assert texts[0] == (
        "stability_index of First is 0.5, but on the same rows its accuracy is 0.5 and "
        "that of the best constant prediction 0.5"
    )
    assert len(texts) == 4  # two folds of the constant and of the wrong column
    assert search.best_params_ == {"column": 0}
    scorer = make_stability_index_scorer(4, floor=0.6)
    search = GridSearchCV(First(), grid, scoring=scorer, cv=cv).fit(X, y)
    assert search.best_params_ == {"column": 1}
    # Below the floor the order is that of the accuracy.
    found = [scorer(First(column).fit(X, y), X, y) for column in (0, 2)]
    assert found == pytest.approx([-12.25 + 0.5 - 0.6, -12.25 + 0 - 0.6])


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_the_lowest_score_is_below_every_index(n):
    # The index of scores is concave: its least value lies at a corner of the cube.
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * n)).reshape(n, -1).T
    for weights in ((12, 0.5), (88, 0.5), (0, 3), (0, 0)):
        names = {"falling_rate_weight": weights[0], "variability_weight": weights[1]}
        scorer = make_stability_index_scorer(**names)
        values = [stability_index(corner, **names) for corner in corners]
        assert min(values) >= scorer._lowest()
        gini = make_stability_index_scorer(metric="gini", **names)
        values = [stability_index(2 * corner - 1, **names) for corner in corners]
        assert min(values) >= gini._lowest()
    assert make_stability_index_scorer()._lowest() == -12.25


def test_a_metric_of_scores_needs_labels_for_a_floor_only():
    scorer = make_stability_index_scorer(metric="gini", floor=0.999)
    accuracy = np.mean(MODEL.predict(ROWS) == LABELS)
    assert scorer(MODEL, ROWS, LABELS) == pytest.approx(
        -1 - 2 * 12.25 + accuracy - 0.999
    )
    rare = get_scorer("gini_stability", floor=0.5)
    assert rare(MODEL, ROWS, LABELS) == get_scorer("gini_stability")(
        MODEL, ROWS, LABELS
    )
    with pytest.raises(ValueError, match="needs a metric with a lower bound"):
        make_stability_index_scorer(metric="accuracy_skill", floor=0.5)(
            MODEL, ROWS, LABELS
        )


@pytest.mark.parametrize("metric", ["gini", "accuracy"])
def test_a_single_period_has_the_score_nan(metric):
    scorer = make_stability_index_scorer(metric=metric)
    with pytest.warns(UndefinedMetricWarning, match="fewer than two periods"):
        found = scorer.score(MODEL, ROWS, LABELS, times=np.zeros(400))
    assert isinstance(found, float)
    assert np.isnan(found)
