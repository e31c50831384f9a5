"""Surprise of numbers of any kind, far from their centre, and in pieces of any size."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from skrobust.sampling import (
    DistanceSurprise,
    LikelihoodSurprise,
    MahalanobisSurprise,
)
from skrobust.sampling.surprise import _likelihood_surprise
from skrobust.sampling.surprise.nearest_rows import NearestRows

ALL = [DistanceSurprise, LikelihoodSurprise, MahalanobisSurprise]
RNG = np.random.default_rng(0)
LABELS = np.arange(120) % 2
TRAIN = RNG.integers(0, 100, size=(120, 4, 3, 2)) + 25 * LABELS[:, None, None, None]
TEST = RNG.integers(0, 127, size=(30, 4, 3, 2))


def scores(kind, train, test, **settings):
    surprise = kind(**settings).fit(train, LABELS)
    return surprise.score_samples(test, np.arange(30) % 2)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float16, object])
@pytest.mark.parametrize("pool", [None, "flatten", "mean"])
def test_whole_numbers_of_any_kind_are_the_same_numbers(kind, dtype, pool):
    train, test = (TRAIN, TEST) if pool else (TRAIN[:, :, 0, 0], TEST[:, :, 0, 0])
    how = {"pool": pool} if pool else {}
    expected = scores(kind, train.astype(float), test.astype(float), **how)
    found = scores(kind, train.astype(dtype), test.astype(dtype), **how)
    assert np.array_equal(found, expected)
    assert found.dtype == np.float64
    # The training data and the queries need not be of one kind.
    mixed = scores(kind, train.astype(dtype), test * 1.0, **how)
    assert np.array_equal(mixed, expected)


@pytest.mark.parametrize("cells", [1, 50, 200])
def test_the_likelihood_does_not_depend_on_the_pieces(cells, monkeypatch):
    train, test = TRAIN[:, :, 0, 0] * 1.0, TEST[:, :, 0, 0] * 1.0
    whole = scores(LikelihoodSurprise, train, test)
    monkeypatch.setattr(_likelihood_surprise, "_CELLS", cells)
    assert scores(LikelihoodSurprise, train, test) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("apart", [1e-1, 1e-2, 1e-3, 1e-4])
def test_the_nearest_of_rows_far_from_the_centre_is_exact(apart, dtype):
    """Also where single precision does not tell them apart in a product."""
    rng = np.random.default_rng(1)
    near = 1 + apart * rng.normal(size=(6, 3))
    rows = np.concatenate([np.zeros((1, 3)), near, -near]).astype(dtype)
    middle = 1 + apart * rng.normal(size=(200, 3))
    queries = np.concatenate([middle, -middle, np.zeros((1, 3))]).astype(dtype)
    distance, place = NearestRows(rows).search(queries)
    exact = cdist(queries.astype(float), rows.astype(float))
    assert distance == pytest.approx(exact.min(axis=1), rel=1e-9)
    assert place.tolist() == exact.argmin(axis=1).tolist()
