"""Weights and undefined cases over batches: what counts and what is absent."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from skrobust.metrics import StreamingMetric, confidence_interval
from skrobust.metrics.callable_metrics import is_function_of_answers, is_scorer
from skrobust.metrics.robust.distortion import check_successful
from skrobust.metrics.streaming.score_cells import ScoreCells


@pytest.mark.parametrize("largest", [0.5, 2.5])
def test_batches_without_weights_count_as_weights_of_one(largest):
    rng = np.random.default_rng(0)
    correct = rng.random(120) < 0.7
    weight = np.r_[rng.uniform(0.1, largest, 70), np.ones(50)]
    metric = StreamingMetric("robust_accuracy")
    metric.partial_update(correct[:70], sample_weight=weight[:70])
    metric.partial_update(correct[70:])
    ours = metric.interval()
    whole = confidence_interval("robust_accuracy", correct, sample_weight=weight)
    assert (ours.low, ours.high) == pytest.approx((whole.low, whole.high), abs=1e-9)


@pytest.mark.parametrize("with_zero", [False, True])
def test_rows_of_weight_zero_are_absent_from_an_area(with_zero):
    rng = np.random.default_rng(0)
    codes, scores = rng.integers(0, 2, 90), rng.normal(size=90)
    weight = rng.uniform(0.5, 2, 90) * (rng.random(90) < (0.7 if with_zero else 2))
    cells = ScoreCells()
    cells.update(codes, scores, weight)
    assert cells.n_rows == (weight > 0).sum()
    expected = roc_auc_score(codes, scores, sample_weight=weight)
    assert cells.area(1) == pytest.approx(expected)
    assert cells.area_bound() == 0.0
    plain = ScoreCells()
    plain.update(codes, scores, None)
    assert plain.area(1) == pytest.approx(roc_auc_score(codes, scores))
    one = ScoreCells()
    one.update(np.zeros(5, dtype=int), scores[:5], None)
    assert np.isnan(one.area(1))
    assert one.area_bound() == 0.0


def test_joined_cells_are_off_by_less_than_their_bound():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, 600)
    scores = rng.normal(size=600) + 0.5 * codes
    cells = ScoreCells(max_cells=12)
    for rows in np.split(np.arange(600), 6):
        cells.update(codes[rows], scores[rows], None)
    assert len(cells.first) <= 12
    gap = abs(cells.area(1) - roc_auc_score(codes, scores))
    assert 0 < gap <= cells.area_bound() < 0.2


def test_successful_attacks_are_booleans_one_a_row():
    assert check_successful(None, 3, "here").tolist() == [True] * 3
    assert check_successful([0, 1, 1], 3, "here").tolist() == [False, True, True]
    for wrong in ([0, 1], [0, 1, 2]):
        with pytest.raises(ValueError, match="3 booleans, one per sample"):
            check_successful(wrong, 3, "here")
    with pytest.raises(ValueError, match=r"Got \[0, 1, 2, 0, 1\] instead"):
        check_successful([0, 1, 2, 0, 1, 2, 1], 7, "here")


def test_callables_are_told_apart_by_what_they_need():
    def of_answers(y_true, y_pred, *, beta=1):
        return 0

    def with_default(y_true, y_pred, weight=None):
        return 0

    def scorer(estimator, X, y):
        return 0

    def with_keyword(y_true, y_pred, *, needed):
        return 0

    assert is_function_of_answers(of_answers)
    assert is_function_of_answers(with_default)
    assert is_function_of_answers(with_keyword)
    assert not is_function_of_answers(scorer)
    assert is_scorer(scorer)
    assert is_scorer(lambda model, X, y=None: 0)
    assert not is_scorer(of_answers)
    assert not is_function_of_answers(lambda estimator, y: 0)
    assert not is_function_of_answers(max)
