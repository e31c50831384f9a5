"""What axioms and periods make of predictions with one class."""

from types import SimpleNamespace

import numpy as np
import pytest

from skrobust.metrics.axioms.evaluators import _model_of
from skrobust.metrics.stability.period_metrics import named_metric


@pytest.mark.parametrize(
    ("y", "predicted", "n_classes"),
    [([3, 3, 3], [3, 3, 3], 2), ([3, 3, 3], [3, 4, 3], 2), ([1, 2, 4], [4, 1, 1], 3)],
)
def test_models_of_cases_predict_as_the_case_and_know_two_classes(
    y, predicted, n_classes
):
    y, predicted = np.array(y), np.array(predicted)
    case = SimpleNamespace(y=y, predicted=[predicted], rows=None, n_features=2)
    X, model = _model_of(case)
    assert model.predict(X).tolist() == predicted.tolist()
    assert len(model.classes) == n_classes
    assert ((X >= 0) & (X <= 1)).all()


@pytest.mark.parametrize("metric", ["gini", "roc_auc"])
def test_scores_of_a_period_with_one_class_have_no_order(metric):
    y_true, y_pred, function = named_metric(metric, [1, 1], [0.2, 0.3], "here")
    assert y_true.tolist() == [True, True]
    assert np.isnan(function(y_true, y_pred))
