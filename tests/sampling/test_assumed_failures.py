"""Failures that a plan assumes: scores, an accuracy, or both."""

import numpy as np
import pytest

from skrobust.sampling.core.label_plan import assumed_failures

SCORES = np.random.default_rng(0).beta(1, 6, 200)


@pytest.mark.parametrize("of_losses", [False, True])
def test_scores_are_taken_as_they_are_or_scaled(of_losses):
    p, _ = assumed_failures(SCORES, 200, None, "plan", of_losses)
    assert p is SCORES
    for given in (None, np.zeros(200)):
        p, text = assumed_failures(given, 200, 0.8, "plan", of_losses)
        assert p == pytest.approx(np.full(200, 0.2))
        assert ("alike" if of_losses else "equally likely") in text
    p, text = assumed_failures(SCORES, 200, 0.8, "plan", of_losses)
    assert p.mean() == pytest.approx(0.2, abs=1e-6)
    assert "in proportion" in text
    needed = "expected_loss=" if of_losses else "expected_accuracy="
    for given in (None, SCORES * 9):
        with pytest.raises(ValueError, match=f"plan needs {needed}"):
            assumed_failures(given, 200, None, "plan", of_losses)
