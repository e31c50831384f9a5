"""Distance-based surprise with an index: exact ones, ones that miss, their error."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline

from skrobust.sampling import DistanceSurprise
from skrobust.sampling.surprise import indexed_rows


@pytest.fixture(autouse=True)
def _every_class_is_large(monkeypatch):
    monkeypatch.setattr(indexed_rows, "_SMALL", 0)


def cloud(n, d=5, classes=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(classes, d)) * 2
    labels = rng.integers(classes, size=n)
    return (centres[labels] + rng.normal(size=(n, d))).astype(dtype), labels


TRAIN, LABELS = cloud(1500)
TEST, PREDICTED = cloud(200, seed=1)
EXACT = DistanceSurprise().fit(TRAIN, LABELS)


class FirstUnits(TransformerMixin, BaseEstimator):
    """An index that misses: it looks at a few units only."""

    def __init__(self, n_units=3, n_neighbors=5, random_state=None):
        self.n_units = n_units
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X, y=None):
        self.n_fitted_ = len(X)
        self.inner_ = KNeighborsTransformer(n_neighbors=self.n_neighbors)
        self.inner_.fit(X[:, : self.n_units])
        return self

    def transform(self, X):
        return self.inner_.transform(X[:, : self.n_units])


class Nothing(FirstUnits):
    """An index that finds nothing."""

    def transform(self, X):
        return csr_array((len(X), self.n_fitted_))


class Unwilling(FirstUnits):
    """An index that must not be asked."""

    def fit(self, X, y=None):
        raise AssertionError


class Dense(FirstUnits):
    def transform(self, X):
        return super().transform(X).toarray()


class MinusOne(FirstUnits):
    """An index that writes -1 where it finds too few, as some do."""

    def transform(self, X):
        graph = super().transform(X)
        graph.indices[1::2] = -1
        graph.indices[: graph.indptr[len(X) // 2]] = -1
        return graph


def missing(**params):
    """Fit with an index that misses."""
    return with_misses(FirstUnits(**params), TRAIN, LABELS)


def with_misses(index, train, labels):
    """Fit with an index that misses so much that a warning says so."""
    surprise = DistanceSurprise(index=index, random_state=0)
    with pytest.warns(UserWarning, match="nearest activation of the same") as caught:
        surprise.fit(train, labels)
    assert caught[0].filename == __file__
    return surprise


# Exact indices


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("offset", [0, 1e4])
def test_an_exact_index_gives_the_exact_scores(dtype, mode, offset):
    train, test = (TRAIN + offset).astype(dtype), (TEST + offset).astype(dtype)
    exact = DistanceSurprise().fit(train, LABELS)
    index = KNeighborsTransformer(n_neighbors=3, mode=mode)
    surprise = DistanceSurprise(index=index, random_state=0).fit(train, LABELS)
    assert len(surprise._nearest._indices) == 3
    expected = exact.score_samples(test, PREDICTED)
    assert np.array_equal(surprise.score_samples(test, PREDICTED), expected)
    assert np.array_equal(surprise.score_samples(test), exact.score_samples(test))
    assert surprise.index_error_ == {
        "n_rows": 200, "same_class": 1.0, "other_class": 1.0,
        "median": 0.0, "largest": 0.0,
    }  # fmt: skip


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_an_index_gets_rows_whose_squares_it_can_hold(size):
    surprise = DistanceSurprise(index=KNeighborsTransformer(n_neighbors=3))
    surprise.fit(TRAIN * size, LABELS)
    scores = surprise.score_samples(TEST * size, PREDICTED)
    expected = EXACT.score_samples(TEST, PREDICTED)
    assert np.allclose(scores, expected, rtol=1e-12, atol=0)


def test_blocks_and_the_order_of_rows_do_not_matter(monkeypatch):
    index = KNeighborsTransformer(n_neighbors=3)
    mixed = np.random.default_rng(5).permutation(len(TRAIN))
    surprise = DistanceSurprise(index=index, random_state=0)
    surprise.fit(TRAIN[mixed], LABELS[mixed])
    monkeypatch.setattr(indexed_rows, "_BLOCK", 7)
    scores = surprise.score_samples(TEST, PREDICTED)
    assert np.array_equal(scores, EXACT.score_samples(TEST, PREDICTED))
    b = missing()
    mixed_too = with_misses(FirstUnits(), TRAIN[mixed], LABELS[mixed])
    scores = mixed_too.score_samples(TEST, PREDICTED)
    assert np.array_equal(scores, b.score_samples(TEST, PREDICTED))
    assert mixed_too.index_error_ == b.index_error_


def test_small_classes_are_exact(monkeypatch):
    surprise = DistanceSurprise(index=Unwilling(), random_state=0)
    monkeypatch.setattr(indexed_rows, "_SMALL", len(TRAIN))
    scores = surprise.fit(TRAIN, LABELS).score_samples(TEST, PREDICTED)
    assert np.array_equal(scores, EXACT.score_samples(TEST, PREDICTED))
    assert surprise.index_error_["n_rows"] == 0
    assert surprise.index_error_["same_class"] == 1.0
    # One class of three in an index.
    keep = np.flatnonzero((LABELS == 0) | (np.arange(1500) < 300))
    monkeypatch.setattr(indexed_rows, "_SMALL", 300)
    mixed = DistanceSurprise(index=KNeighborsTransformer(), random_state=0)
    mixed.fit(TRAIN[keep], LABELS[keep])
    assert len(mixed._nearest._indices) == 1
    exact = DistanceSurprise().fit(TRAIN[keep], LABELS[keep])
    expected = exact.score_samples(TEST, PREDICTED)
    assert np.array_equal(mixed.score_samples(TEST, PREDICTED), expected)


def test_more_neighbours_than_a_class_has():
    index = KNeighborsTransformer(n_neighbors=450)
    surprise = DistanceSurprise(index=index, random_state=0).fit(TRAIN, LABELS)
    scores = surprise.score_samples(TEST, PREDICTED)
    assert np.array_equal(scores, EXACT.score_samples(TEST, PREDICTED))


def test_where_an_index_finds_nothing_the_search_is_exact():
    for index in (Nothing(), MinusOne(n_units=5)):
        surprise = DistanceSurprise(index=index, random_state=0).fit(TRAIN, LABELS)
        scores = surprise.score_samples(TEST, PREDICTED)
        assert np.array_equal(scores, EXACT.score_samples(TEST, PREDICTED))


def test_far_rows_are_not_shown_to_the_index():
    train = TRAIN.astype(np.float32)
    index = KNeighborsTransformer()
    surprise = DistanceSurprise(index=index, random_state=0).fit(train, LABELS)
    exact = DistanceSurprise().fit(train, LABELS)
    far = np.array([[1e100, 0, 0, 0, 0], [1, 1, 1, 1, 1]])
    scores = surprise.score_samples(far, [0, 0])
    assert np.array_equal(scores, exact.score_samples(far, [0, 0]))
    with pytest.raises(ValueError, match="overflow"):
        surprise.score_samples(np.full((1, 5), 1e300), [0])


# Indices that miss


def test_distances_are_never_too_small():
    surprise = missing()
    for code in range(3):
        low, high = surprise._edges[code : code + 2]
        found, place = surprise._nearest.search(TEST, low, high)
        exact, _ = EXACT._nearest.search(TEST, low, high)
        rows = surprise._nearest.rows
        assert (place >= low).all()
        assert (place < high).all()
        assert np.allclose(found, np.linalg.norm(TEST - rows[place], axis=1))
        assert (found >= exact).all()
        assert 0.05 < (found > exact).mean() < 0.9
        own = np.tile([low, high], (len(TEST), 1))
        across, place = surprise._nearest.search(TEST, banned=own)
        assert ((place < low) | (place >= high)).all()
        assert (across >= EXACT._nearest.search(TEST, banned=own)[0]).all()


def test_the_reported_error_is_its_definition():
    surprise = missing()
    nearest, error = surprise._nearest, surprise.index_error_
    assert error["n_rows"] == len(nearest.held) == 200
    in_an_index = np.concatenate([places for _, _, places, _ in nearest._indices])
    assert not np.isin(nearest.held, in_an_index).any()
    assert len(in_an_index) == len(TRAIN) - 200
    codes = np.searchsorted(surprise._edges, np.arange(len(TRAIN)), side="right")
    all_gaps = cdist(nearest.rows, nearest.rows)
    same, other, relative = [], [], []
    for held in nearest.held:
        own = codes == codes[held]
        own[held] = False
        _, found = nearest.search(
            nearest.rows[[held]],
            *surprise._edges[codes[held] - 1 : codes[held] + 1],
            banned=np.array([[held, held + 1]]),
        )
        ban = surprise._edges[None, codes[held] - 1 : codes[held] + 1]
        across, _ = nearest.search(nearest.rows[found], banned=ban)
        gap, best = all_gaps[held, found[0]], np.where(own, all_gaps[held], np.inf)
        true_across = all_gaps[found[0], codes != codes[held]].min()
        same.append(np.isclose(gap, best.min(), rtol=1e-12))
        other.append(np.isclose(across[0], true_across, rtol=1e-12))
        exact = best.min() / all_gaps[best.argmin(), codes != codes[held]].min()
        relative.append(abs(gap / across[0] - exact) / exact)
    assert np.isclose(error["same_class"], np.mean(same))
    assert np.isclose(error["other_class"], np.mean(other))
    assert np.isclose(error["median"], np.median(relative), atol=1e-9)
    assert np.isclose(error["largest"], np.max(relative))


@pytest.mark.parametrize("n_units", [1, 3])
def test_the_reported_share_is_that_of_new_rows(n_units):
    # Held rows are new to the index, as test rows are: equal but for chance.
    surprise = missing(n_units=n_units)
    new, labels = cloud(3000, seed=2)
    found, _ = surprise._within(surprise._nearest, new, labels)
    exact, _ = surprise._within(surprise._nearest.exact, new, labels)
    share = (found == exact).mean()
    sd = np.sqrt(share * (1 - share) * (1 / 200 + 1 / 3000))
    assert abs(surprise.index_error_["same_class"] - share) < 4 * sd


def test_more_neighbours_err_less_and_no_warning_then():
    few, more = missing(n_neighbors=2), missing(n_neighbors=10)
    for name in ("same_class", "other_class"):
        assert few.index_error_[name] < more.index_error_[name]
    assert few.index_error_["median"] >= more.index_error_["median"]
    most = FirstUnits(n_units=4, n_neighbors=150)
    surprise = DistanceSurprise(index=most, random_state=0).fit(TRAIN, LABELS)
    assert min(surprise.index_error_.values()) >= 0
    assert surprise.index_error_["same_class"] >= 0.9


def test_the_error_where_classes_touch():
    # An exact score of inf that is missed, or found: never NaN.
    train = np.r_[TRAIN, TRAIN[:700]]
    labels = np.r_[LABELS, (LABELS[:700] + 1) % 3]
    error = with_misses(FirstUnits(1, 1), train, labels).index_error_
    assert error["largest"] == np.inf
    exact = DistanceSurprise(index=KNeighborsTransformer(), random_state=0)
    assert exact.fit(train, labels).index_error_["largest"] == 0


# Seeds and the contract of estimators


def test_seeds():
    a, b = missing(), missing()
    assert a.index_error_ == b.index_error_
    assert np.array_equal(a._nearest.held, b._nearest.held)
    seeds = [index.random_state for *_, index in a._nearest._indices]
    assert seeds == [index.random_state for *_, index in b._nearest._indices]
    assert len(set(seeds)) == 3
    nested = make_pipeline(PCA(5, random_state=3), KNeighborsTransformer())
    for seed in (None, 1):
        surprise = DistanceSurprise(index=nested, random_state=seed)
        surprise.fit(TRAIN, LABELS)
        inner = [index[0].random_state for *_, index in surprise._nearest._indices]
        assert (inner == [3, 3, 3]) == (seed is None)
    assert nested[0].random_state == 3
    other = DistanceSurprise(index=nested, random_state=2).fit(TRAIN, LABELS)
    assert not np.array_equal(other._nearest.held, surprise._nearest.held)


def test_contract():
    index = KNeighborsTransformer(n_neighbors=3)
    surprise = DistanceSurprise(index=index, random_state=0).fit(TRAIN, LABELS)
    assert not hasattr(index, "n_features_in_")
    assert clone(surprise).get_params()["index__n_neighbors"] == 3
    assert clone(surprise).index is not index
    surprise.set_params(index__n_neighbors=4)
    assert index.n_neighbors == 4
    again = pickle.loads(pickle.dumps(surprise))
    assert np.array_equal(again.score_samples(TEST), surprise.score_samples(TEST))
    assert again.index_error_ == surprise.index_error_
    assert surprise.set_params(index=None).fit(TRAIN, LABELS).index_error_ is None
    assert "random_state" not in repr(DistanceSurprise())


@pytest.mark.parametrize(
    "index", ["kd_tree", 3, PCA, object(), Dense()], ids=lambda i: type(i).__name__
)
def test_bad_indices(index):
    with pytest.raises(ValueError, match=r"'index' parameter.*KNeighborsTransformer"):
        DistanceSurprise(index=index).fit(TRAIN, LABELS)


def test_bad_shapes_and_seeds():
    with pytest.raises(ValueError, match=r"returned.*of shape \(\d+, 4\)"):
        DistanceSurprise(index=PCA(4)).fit(TRAIN, LABELS)
    with pytest.raises(ValueError, match="'random_state' parameter"):
        DistanceSurprise(index=PCA(), random_state="a").fit(TRAIN, LABELS)


@pytest.mark.slow
def test_pynndescent():
    pytest.importorskip("numba")
    kind = pytest.importorskip("pynndescent").PyNNDescentTransformer
    index = kind(n_neighbors=15)
    a = DistanceSurprise(index=index, random_state=0).fit(TRAIN, LABELS)
    b = DistanceSurprise(index=index, random_state=0).fit(TRAIN, LABELS)
    assert a.index_error_ == b.index_error_
    assert a.index_error_["same_class"] >= 0.95
    scores = a.score_samples(TEST, PREDICTED)
    exact = EXACT.score_samples(TEST, PREDICTED)
    assert (scores == exact).mean() >= 0.95
    again = pickle.loads(pickle.dumps(a))
    for one in (a, b, again):
        assert np.array_equal(one.score_samples(TEST, PREDICTED), scores)
