"""Ranking of models by values of rows."""

import numpy as np
import pytest

pytest.importorskip("jinja2")

from skrobust.report.core.model_ranking import compare_measure


def test_mean_accuracy_is_greater_for_the_better_model():
    rng = np.random.default_rng(0)
    rows = {"low": rng.uniform(0, 0.6, 80), "high": rng.uniform(0.3, 1, 80)}
    found = compare_measure("mean accuracy", rows, np.zeros(80), 0)
    assert [row["name"] for row in found["ranking"]] == ["high", "low"]
    (pair,) = found["pairs"]
    assert pair["better"] == "high"
    assert pair["difference"] == pytest.approx(rows["high"].mean() - rows["low"].mean())
