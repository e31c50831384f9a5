"""Places where a change is looked for, and how the likelihoods are computed."""

import numpy as np
from scipy.special import betaln

from skrobust.sampling.living import _detect_drift as change


def test_late_places_of_a_change_lie_further_apart():
    points = change.MOST_EVEN, change._change_points(30_000, 10)
    assert np.diff(points[1][: points[0]]).tolist() == [10] * (points[0] - 1)
    gaps = np.diff(points[1][points[0] :])
    assert (gaps >= 100).all()
    assert (gaps <= points[1][points[0] : -1] / 100).all()
    # What was looked for does not depend on how many labels there are.
    fewer = change._change_points(12_345, 10)
    assert fewer.tolist() == points[1][: len(fewer)].tolist()
    assert points[1][len(fewer)] >= 12_345


def test_counts_looked_up_are_the_formula():
    x = (np.random.default_rng(0).random(400) < 0.1).astype(float)
    f, n = np.array([0, 3, 17]), np.array([1, 30, 400])
    exact = betaln(f + 0.5, n - f + 0.5) - betaln(0.5, 0.5)
    np.testing.assert_allclose(change._log_beta_of(x)(f, n), exact, rtol=1e-12)
