"""Names of repairs, places of columns, balls of attacks, and shifts of predictions."""

from types import SimpleNamespace

import numpy as np
import pytest

from skrobust.attacks import FGSM, PGD
from skrobust.evaluation.attacked.attacks_in_ball import _shared
from skrobust.evaluation.attacked.regression_attack import (
    _answers,
    _ratio,
    regression_scores,
)
from skrobust.evaluation.repairs.column_places import _has_places
from skrobust.evaluation.repairs.repair_search import _distinct


def test_names_that_occur_again_get_a_number():
    names = ["a", "b", "a", "a", "original", "a 2", "b"]
    expected = ["a", "b", "a 2", "a 3", "original 2", "a 2 2", "b 2"]
    assert _distinct(names) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (None, False), ("age", False), (len, False), (["age", "sex"], False),
        ([0, 1], True), (["age", 1], True), (2, True), (np.array([True, False]), True),
        ({"age": "int"}, False), ({0: "int"}, True), ({"age": 1, 0: 2}, True),
        (slice(0, 2), True), (slice("a", "b"), False), (slice(None, "b"), False),
    ],
)  # fmt: skip
def test_columns_by_place_are_known(columns, expected):
    assert _has_places(columns) is expected


def test_a_parameter_is_shared_where_all_attacks_have_it_alike():
    same = [PGD(0.1, norm=2), FGSM(0.1, norm=2)]
    assert _shared(same, "eps", "here") == 0.1
    with pytest.raises(ValueError, match="eps"):
        _shared([PGD(0.1), FGSM(0.2)], "eps", "here")
    other = [PGD(0.1), SimpleNamespace()]
    with pytest.raises(ValueError, match=r"an attack has no eps\. Give eps"):
        _shared(other, "eps", "here")
    assert _shared(other, "data_range", "here") is None


def test_shifts_within_tolerances_are_relative_to_rounding_alone():
    clean = np.array([0.0, 1.0, -2.0, 1e6])
    moved = clean + [0.1, -0.3, 0.0, 0.3 + 1e-4]
    tolerances = np.array([0.0, 0.1, 0.3])
    samples = SimpleNamespace(limits=lambda within: (within.shape, None))
    found = _ratio(clean, moved, tolerances, samples, "here")
    ratio = found["robust_ratio_prediction_shift"]
    # 1e-9 of a prediction is rounding: 1e-3 for the last row.
    assert ratio.tolist() == [0.25, 0.5, 1.0]
    assert found["robust_ratio_prediction_shift_low"] == (4, 3)
    assert found["prediction_shift"] == pytest.approx(0.7001 / 4)
    assert found["largest_shift"] == pytest.approx(0.3001)


def test_rows_that_an_attack_moves_count_as_changed():
    model = SimpleNamespace(predict=lambda X: np.asarray(X)[:, 0])
    X, y = np.arange(8.0).reshape(4, 2), np.arange(4.0)
    moved = X.copy()
    moved[1, 0] += 1
    attack = SimpleNamespace(perturb=lambda estimator, X, y: moved)
    predicted, changed, size = _answers(model, attack, X, y).T
    assert predicted.tolist() == moved[:, 0].tolist()
    assert changed.tolist() == [0, 1, 0, 0]
    assert (size[[0, 2, 3]] == 0).all()
    assert size[1] > 0


def test_scores_of_regressors_are_those_of_scikit_learn():
    from sklearn.metrics import mean_absolute_error, r2_score

    rng = np.random.default_rng(0)
    y = rng.normal(size=50)
    predicted = y + 0.3 * rng.normal(size=50)
    found = regression_scores("clean", y, predicted)
    assert found["clean_r2"] == pytest.approx(r2_score(y, predicted))
    error = mean_absolute_error(y, predicted)
    assert found["clean_mean_absolute_error"] == pytest.approx(error)
    low, high = found["clean_r2_interval"]
    assert low < found["clean_r2"] < high
    short = regression_scores("clean", y[:2], predicted[:2])
    assert np.isnan(short["clean_r2"])
    assert short["clean_r2_interval"] is None
    flat = regression_scores("clean", np.ones(9), predicted[:9])
    assert np.isnan(flat["clean_mean_absolute_error"])
