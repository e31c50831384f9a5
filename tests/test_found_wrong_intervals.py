"""What was once wrong in intervals, comparisons and checkpoints."""

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from sklearn.metrics import make_scorer

from skrobust.evaluation import evaluate_perturbations
from skrobust.metrics import (
    compare_models,
    confidence_interval,
    misclassification_rate,
    period_stability_index,
    probability_shift,
    robust_ratio_band,
    stability_index,
    stability_summary,
)
from skrobust.perturbations import GaussianNoise


def constant(y, predicted):
    return 1.0


def quarter(y, predicted):
    return 0.25


def test_checkpoints_tell_scorers_and_equal_conditions_apart(tmp_path):
    model, X, y = linear_problem()
    for function, value in ((constant, 1.0), (quarter, 0.25)):
        scorer = make_scorer(function)
        noise = [GaussianNoise(std=0.1)]
        r = evaluate_perturbations(
            model, X, y, noise, scoring=scorer, checkpoint=tmp_path
        )
        assert r.score[0] == value
    with pytest.raises(ValueError, match="cannot be pickled"):
        evaluate_perturbations(
            model, X, y, [GaussianNoise(std=0.1)], checkpoint=tmp_path,
            scoring=make_scorer(lambda a, b: 1.0),
        )  # fmt: skip
    fresh = [GaussianNoise(std=0.3) for _ in range(4)]  # equal, and without a seed
    r = evaluate_perturbations(model, X, y, fresh, checkpoint=tmp_path)
    assert len({column.tobytes() for column in r.correct.T}) > 1
    for file in tmp_path.glob("*.npy"):
        file.write_bytes(b"damaged")
    again = evaluate_perturbations(
        model, X, y, [GaussianNoise(std=0.0)], checkpoint=tmp_path
    )
    assert again.score[0] == model.score(X, y)


def test_few_clusters_with_one_difference():
    with pytest.warns(UserWarning, match="5 clusters|no limits"):
        r = compare_models(
            {"a": np.ones(50, bool), "b": np.zeros(50, bool)},
            clusters=np.repeat(range(5), 10),
        )
    assert r.p_value[0] == 1 / 16
    assert np.isnan(r.low[0])


def test_options_with_one_entry_per_sample_are_resampled():
    y, target = np.zeros(200, int), np.array([1, 2] * 100)
    prediction = np.where(np.arange(200) % 5 == 0, 0, target)
    interval = confidence_interval(
        misclassification_rate, y, prediction, target=target, random_state=0
    )
    assert interval.low < interval.value == 0.8 < interval.high


def test_single_precision_shifts_keep_their_tolerance():
    p = np.linspace(0.3, 0.9, 61).astype(np.float32)
    step = np.float32(0.05)
    P, Q = np.c_[p, 1 - p], np.c_[p - step, 1 - p + step]
    both = robust_ratio_band(P, Q, tolerances=[0.05]).ratio
    shift = robust_ratio_band(probability_shift(P, Q), tolerances=[0.05]).ratio
    assert both[0] == shift[0] == 1


def test_periods_need_one_number_a_row():
    rows = np.random.default_rng(0).random((300, 4))
    with pytest.raises(ValueError, match="1-D without score="):
        confidence_interval("stability_index", rows, periods=np.repeat(range(10), 30))


def test_quadrants_do_not_depend_on_the_order_of_scores():
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = rng.random(69)
        summary = stability_summary(scores, reference=rng.permutation(scores))
        assert summary.quadrant == "I"
    with pytest.raises(ValueError, match="reference mean"):
        stability_summary([0.5, 0.6], reference={"mean": float("nan"), "cv": 0.1})


def test_an_index_without_spread_is_not_certain():
    limits = []
    for n in (3, 3000):
        right = np.ones((n, 5), bool)
        with pytest.warns(UserWarning, match="No unit tells one condition"):
            low, high = confidence_interval("accuracy_stability_index", right)
        assert low < high == 1
        limits.append(low)
    assert limits[0] < 0.9 < limits[1]


def test_the_order_of_rows_in_time_does_not_matter():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=60)
    for i in range(1, 60):
        noise[i] += 0.8 * noise[i - 1]
    scores, times = 0.7 + 0.01 * noise, np.arange(60.0)
    order = rng.permutation(60)
    with pytest.warns(UserWarning, match="correlated"):
        plain = confidence_interval(
            "stability_index", scores, times=times, random_state=0
        )
    with pytest.warns(UserWarning, match="correlated"):
        mixed = confidence_interval(
            "stability_index", scores[order], times=times[order], random_state=0
        )
    assert (plain.low, plain.high) == pytest.approx((mixed.low, mixed.high))


def test_periods_and_conditions_are_no_samples():
    with pytest.raises(ValueError, match="periods and conditions are not resampled"):
        compare_models(
            {"a": np.linspace(0.9, 0.8, 12), "b": np.full(12, 0.9)},
            metric=stability_index,
        )


def test_ordered_categories_keep_their_order():
    names = ["Jan", "Feb", "Mar", "Apr"]
    month = pd.Categorical(np.repeat(names, 2), categories=names, ordered=True)
    y, predicted = [0, 1] * 4, [0, 1, 0, 1, 0, 0, 1, 0]
    by_number = period_stability_index(y, predicted, np.repeat(range(4), 2))
    assert period_stability_index(y, predicted, month) == by_number
    assert period_stability_index(y, predicted, pd.Series(month)) == by_number


def test_rows_of_weight_zero_make_no_cluster():
    rng = np.random.default_rng(0)
    right, clusters = rng.random(60) < 0.7, np.repeat(range(6), 10)
    weight = np.where(clusters < 2, 1.0, 0.0)
    with pytest.warns(UserWarning, match="2 clusters allow no interval"):
        interval = confidence_interval(
            "accuracy", right, clusters=clusters, sample_weight=weight
        )
    assert np.isnan(interval.low)


def test_ties_in_rankings_count_half():
    a, b = np.ones(30, bool), np.r_[np.zeros(1, bool), np.ones(29, bool)]
    one = compare_models({"a": a, "b": b}, random_state=0)
    two = compare_models({"b": b, "a": a}, random_state=0)
    assert one.ranking_kept == pytest.approx(two.ranking_kept)
