"""Surprise adequacy: definitions by brute force, published values, invariances."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from problems import data_folder
from scipy.spatial.distance import cdist
from scipy.stats import gaussian_kde, ortho_group
from sklearn.base import clone
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.sampling import (
    DeepESTSampler,
    DistanceSurprise,
    LikelihoodSurprise,
    MahalanobisSurprise,
)
from skrobust.sampling.surprise import _likelihood_surprise, nearest_rows

ALL = [DistanceSurprise, LikelihoodSurprise, MahalanobisSurprise]


def cloud(n, d=5, classes=3, seed=0, dtype=np.float64, spread=1.0):
    """Activations around one centre a class, and the class of each."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(classes, d)) * 2
    labels = rng.integers(classes, size=n)
    rows = centres[labels] + spread * rng.normal(size=(n, d))
    return rows.astype(dtype), labels


def dsa_by_definition(train, labels, test, predicted):
    """Two loops over the definition, in float64."""
    train, test = train.astype(float), test.astype(float)
    scores = []
    for row, c in zip(test, predicted, strict=True):
        same, other = train[labels == c], train[labels != c]
        gaps = np.sqrt(((same - row) ** 2).sum(axis=1))
        nearest = same[gaps.argmin()]
        across = np.sqrt(((other - nearest) ** 2).sum(axis=1)).min()
        scores.append(gaps.min() / across)
    return np.array(scores)


def lsa_by_scipy(train, labels, test, predicted, threshold=1e-5):
    scores = np.empty(len(test))
    for c in np.unique(labels):
        rows = train[labels == c].astype(float)
        kept = rows.var(axis=0, ddof=1) >= threshold
        density = gaussian_kde(rows[:, kept].T)
        mine = predicted == c
        scores[mine] = -density.logpdf(test[mine][:, kept].astype(float).T)
    return scores


# Definitions


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_dsa_is_its_definition(dtype, classes):
    train, labels = cloud(400, classes=classes, dtype=dtype)
    test, predicted = cloud(150, classes=classes, seed=1, dtype=dtype)
    scores = DistanceSurprise().fit(train, labels).score_samples(test, predicted)
    expected = dsa_by_definition(train, labels, test, predicted)
    assert scores.dtype == np.float64
    assert np.allclose(scores, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("offset", [0, 1e3, 1e6])
def test_dsa_is_exact_among_near_ties(offset):
    # Neighbours differ by 1e-9 of the distance: products in float32 cannot tell them
    # apart, and with an offset not even the rows without centring.
    rng = np.random.default_rng(0)
    angle = rng.random(300) * 2 * np.pi
    radius = 1 + 1e-9 * rng.permutation(300)
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    far = np.column_stack([5 + rng.random(300), rng.random(300)])
    train = np.r_[ring, far] + offset
    labels = np.repeat([0, 1], 300)
    test = np.zeros((1, 2)) + offset
    scores = DistanceSurprise().fit(train, labels).score_samples(test, [0])
    expected = dsa_by_definition(train, labels, test, [0])
    assert np.allclose(scores, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("size", [1e-25, 1e25, 1e100])
def test_dsa_at_any_scale(size):
    train, labels = cloud(200)
    test, predicted = cloud(50, seed=1)
    plain = DistanceSurprise().fit(train, labels).score_samples(test, predicted)
    scaled = DistanceSurprise().fit(train * size, labels)
    scores = scaled.score_samples(test * size, predicted)
    assert np.allclose(scores, plain, rtol=1e-12)


def test_one_outlier_does_not_hide_the_neighbours():
    train, labels = cloud(200, dtype=np.float32)
    train[0] = 1e12
    test, predicted = cloud(50, seed=1, dtype=np.float32)
    scores = DistanceSurprise().fit(train, labels).score_samples(test, predicted)
    expected = dsa_by_definition(train, labels, test, predicted)
    assert np.allclose(scores, expected, rtol=1e-12)


def test_dsa_where_classes_touch():
    train = np.array([[0.0], [2.0], [2.0], [9.0]])
    surprise = DistanceSurprise().fit(train, [0, 0, 1, 1])
    # At 2 the classes meet: infinite, for a numerator of 0 as well.
    scores = surprise.score_samples([[0.5], [2.5], [2.0], [0.0]], [0, 0, 0, 0])
    assert scores.tolist() == [0.25, np.inf, np.inf, 0.0]


def test_dsa_of_many_equal_rows():
    # A saturated layer: few distinct rows. Rounds of pairs would take minutes.
    train = np.repeat(np.eye(4, dtype=np.float32), 5000, axis=0)
    labels = np.repeat(np.arange(4), 5000)
    surprise = DistanceSurprise().fit(train, labels)
    scores = surprise.score_samples(np.eye(4)[[0, 1]] * 0.5, [0, 1])
    assert np.allclose(scores, 0.5 / np.sqrt(2))
    assert len(surprise._nearest.rows) == 4


@pytest.mark.parametrize("d", [1, 2, 6])
def test_lsa_is_the_density_of_scipy(d):
    train, labels = cloud(400, d=d)
    test, predicted = cloud(150, d=d, seed=1)
    scores = LikelihoodSurprise().fit(train, labels).score_samples(test, predicted)
    expected = lsa_by_scipy(train, labels, test, predicted)
    assert np.allclose(scores, expected, rtol=1e-11, atol=1e-11)


def test_lsa_leaves_out_what_does_not_vary():
    train, labels = cloud(300, d=4)
    test, predicted = cloud(60, d=4, seed=1)
    train[:, 1] = 3.0
    train[labels == 2, 3] = 7.0  # for one class only
    scores = LikelihoodSurprise().fit(train, labels).score_samples(test, predicted)
    expected = lsa_by_scipy(train, labels, test, predicted)
    assert np.allclose(scores, expected, rtol=1e-11)


def test_lsa_is_finite_where_the_density_underflows():
    train, labels = cloud(200)
    far = np.full((1, 5), 1e4)
    score = LikelihoodSurprise().fit(train, labels).score_samples(far, [0])
    assert np.isfinite(score).all()
    assert score[0] > 1e6


def test_lsa_with_jitter_is_the_density_of_a_wider_covariance():
    train, labels = cloud(50, d=2, classes=1)
    jitter = 0.3
    wide = np.cov(train.T) + jitter * train.var(axis=0).mean() * np.eye(2)
    n = len(train)
    kernel = wide * n ** (-2 / 6)
    gaps = train - train[0]
    energy = np.einsum("ij,jk,ik->i", gaps, np.linalg.inv(kernel), gaps) / 2
    density = np.exp(-energy).mean() / np.sqrt(np.linalg.det(2 * np.pi * kernel))
    surprise = LikelihoodSurprise(jitter=jitter).fit(train, labels)
    assert np.isclose(surprise.score_samples(train[:1], [0])[0], -np.log(density))


@pytest.mark.parametrize("covariance", ["class", "tied", "global"])
def test_mdsa_is_its_definition(covariance):
    train, labels = cloud(300)
    test, predicted = cloud(40, seed=1)
    within = np.concatenate(
        [train[labels == c] - train[labels == c].mean(axis=0) for c in range(3)]
    )
    expected = []
    for row, c in zip(test, predicted, strict=True):
        rows = train if covariance == "global" else train[labels == c]
        sigma = np.cov(rows.T)
        if covariance == "tied":
            sigma = within.T @ within / (300 - 3)
        gap = row - rows.mean(axis=0)
        expected.append(np.sqrt(gap @ np.linalg.inv(sigma) @ gap))
    surprise = MahalanobisSurprise(covariance=covariance).fit(train, labels)
    assert np.allclose(surprise.score_samples(test, predicted), expected, rtol=1e-10)


def test_global_mdsa_needs_no_classes():
    train, labels = cloud(100)
    with_classes = MahalanobisSurprise(covariance="global").fit(train, labels)
    without = MahalanobisSurprise(covariance="global").fit(train)
    scores = with_classes.score_samples(train, labels)
    assert np.array_equal(scores, without.score_samples(train))
    # The squares of n training rows sum to (n - 1) d.
    assert np.isclose((scores**2).sum(), 99 * 5)


# Published values


def assets():
    folder = data_folder("surprise")

    def load(name):
        return np.load(folder / f"{name}.npy", allow_pickle=False)

    train = load("original_mnist_train_activation_3_ats")
    test = load("mnist_test_activation_3_ats")
    classes = load("original_mnist_train_pred"), load("mnist_test_pred")
    return load, train, classes[0], test, classes[1]


@pytest.mark.slow
@pytest.mark.data
def test_dsa_of_the_original_code():
    load, train, labels, test, predicted = assets()
    scores = DistanceSurprise().fit(train, labels).score_samples(test, predicted)
    assert np.abs(scores - load("original_dsa_scores")).max() < 4e-7


@pytest.mark.data
def test_lsa_of_the_original_code():
    load, train, labels, test, predicted = assets()
    with pytest.warns(UserWarning, match="singular but for rounding"):
        surprise = LikelihoodSurprise().fit(train, labels)
    gap = np.abs(surprise.score_samples(test, predicted) - load("original_lsa_scores"))
    assert gap.max() < 0.02
    assert np.median(gap) < 2e-4


@pytest.mark.slow
@pytest.mark.data
def test_attacked_inputs_are_more_surprising():
    load, train, labels, test, predicted = assets()
    attacked = load("mnist_fgsm_activation_3_ats"), load("mnist_fgsm_pred")
    surprise = DistanceSurprise().fit(train, labels)
    clean = surprise.score_samples(test, predicted)
    assert np.median(surprise.score_samples(*attacked)) > 2 * np.median(clean)


# Invariances


def test_rotation_scale_and_shift_leave_dsa():
    train, labels = cloud(200)
    test, predicted = cloud(50, seed=1)
    turn = 3.7 * ortho_group.rvs(5, random_state=0)
    plain = DistanceSurprise().fit(train, labels).score_samples(test, predicted)
    turned = DistanceSurprise().fit(train @ turn + 11, labels)
    scores = turned.score_samples(test @ turn + 11, predicted)
    assert np.allclose(scores, plain, rtol=1e-10)


@pytest.mark.parametrize("covariance", ["class", "tied", "global"])
def test_affine_maps_leave_mdsa_and_shift_lsa(covariance):
    train, labels = cloud(300)
    test, predicted = cloud(50, seed=1)
    linear = np.random.default_rng(3).normal(size=(5, 5)) + 2 * np.eye(5)
    moved, moved_test = train @ linear + 4, test @ linear + 4

    def change(kind):
        before = kind.fit(train, labels).score_samples(test, predicted)
        return kind.fit(moved, labels).score_samples(moved_test, predicted) - before

    assert np.abs(change(MahalanobisSurprise(covariance=covariance))).max() < 1e-9
    log_det = np.linalg.slogdet(linear)[1]
    assert np.abs(change(LikelihoodSurprise()) - log_det).max() < 1e-9


@pytest.mark.parametrize("kind", ALL)
def test_order_of_rows_does_not_matter(kind):
    train, labels = cloud(300, dtype=np.float32)
    train[:50] = train[50:100]  # equal rows, some in other classes
    test, predicted = cloud(80, seed=1, dtype=np.float32)
    mixed = np.random.default_rng(5).permutation(300)
    a = kind().fit(train, labels).score_samples(test, predicted)
    b = kind().fit(train[mixed], labels[mixed]).score_samples(test, predicted)
    assert np.allclose(a, b, rtol=1e-10)
    if kind is DistanceSurprise:
        assert np.array_equal(a, b)


def test_ties_do_not_depend_on_the_order():
    # Both training rows of class 0 are at distance 1, with other denominators.
    train, labels = np.array([[-1.0], [1.0], [3.0]]), np.array([0, 0, 1])
    scores = {
        DistanceSurprise().fit(train[o], labels[o]).score_samples([[0.0]], [0])[0]
        for o in ([0, 1, 2], [1, 0, 2], [2, 1, 0])
    }
    assert len(scores) == 1
    assert scores <= {1 / 4, 1 / 2}


@pytest.mark.parametrize("kind", ALL)
def test_batches_do_not_matter(kind, monkeypatch):
    train, labels = cloud(500, dtype=np.float32)
    test, predicted = cloud(90, seed=1, dtype=np.float32)
    surprise = kind().fit(train, labels)
    whole = surprise.score_samples(test, predicted)
    single = [
        surprise.score_samples(test[i : i + 1], predicted[i : i + 1])[0]
        for i in range(90)
    ]
    monkeypatch.setattr(nearest_rows, "_CHUNK", 37)
    monkeypatch.setattr(nearest_rows, "_BLOCK", 7)
    monkeypatch.setattr(nearest_rows, "_PAIRS", 11)
    monkeypatch.setattr(_likelihood_surprise, "_CELLS", 300)
    pieces = surprise.score_samples(test, predicted)
    if kind is DistanceSurprise:
        assert np.array_equal(whole, single)
        assert np.array_equal(whole, pieces)
    assert np.allclose(whole, single, rtol=1e-12, atol=1e-12)
    assert np.allclose(whole, pieces, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("chunk", [1, 2, 5])
def test_ties_across_blocks(chunk, monkeypatch):
    grid = np.random.default_rng(0).integers(-2, 3, size=(300, 3)).astype(np.float32)
    labels = np.arange(300) % 3
    test = np.random.default_rng(1).integers(-2, 3, size=(50, 3)) + 0.5
    surprise = DistanceSurprise().fit(grid, labels)
    nearest = surprise._nearest
    whole = nearest.search(test)
    # The place of the first of all that are as near, whatever the blocks.
    assert np.array_equal(whole[1], cdist(test, nearest.rows).argmin(axis=1))
    monkeypatch.setattr(nearest_rows, "_CHUNK", chunk)
    assert np.array_equal(nearest.search(test), whole)


def test_far_queries():
    # Beyond single precision. In double precision all rows are as far.
    train, labels = cloud(100, dtype=np.float32)
    surprise = DistanceSurprise().fit(train, labels)
    distance, place = surprise._nearest.search(np.array([[1e100, 0, 0, 0, 0]]))
    assert np.isclose(distance[0], 1e100, rtol=1e-12)
    assert place[0] == 0


def test_both_zeros_are_one():
    train = np.array([[0.0, 0.0], [-0.0, -0.0], [1.0, 1.0]])
    surprise = DistanceSurprise().fit(train, [0, 0, 1])
    assert len(surprise._nearest.rows) == 2


def test_crowds_are_searched_in_double_precision(monkeypatch):
    train, labels = cloud(300, spread=1e-6)
    test, predicted = cloud(60, seed=1, spread=1e-6)
    used = set()
    candidates = nearest_rows._Chunk._candidates

    def spy(self, exact, square, bans, best, dtype):
        used.add(dtype)
        return candidates(self, exact, square, bans, best, dtype)

    monkeypatch.setattr(nearest_rows._Chunk, "_candidates", spy)
    scores = DistanceSurprise().fit(train, labels).score_samples(test, predicted)
    assert used == {np.float32, np.float64}
    assert np.allclose(scores, dsa_by_definition(train, labels, test, predicted))


# Classes


@pytest.mark.parametrize("kind", ALL)
def test_without_classes_the_fitting_one_counts(kind):
    train, labels = cloud(300)
    test, _ = cloud(60, seed=1)
    surprise = kind().fit(train, labels)
    each = np.array([surprise.score_samples(test, np.full(60, c)) for c in range(3)])
    if kind is DistanceSurprise:
        c = labels[cdist(test, train).argmin(axis=1)]
        expected = each[c, np.arange(60)]
    else:
        expected = each.min(axis=0)
    assert np.allclose(surprise.score_samples(test), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ALL)
def test_labels_of_any_kind(kind):
    train, labels = cloud(200)
    names = np.array(["cat", "dog", "eel"])
    plain = kind().fit(train, labels).score_samples(train, labels)
    for given in (names[labels], names[labels].astype(object), list(names[labels])):
        assert np.array_equal(
            kind().fit(train, given).score_samples(train, given), plain
        )


@pytest.mark.parametrize("kind", ALL)
def test_unseen_classes(kind):
    train, labels = cloud(200)
    with pytest.raises(ValueError, match=r"predicted classes \[7, 9\]"):
        kind().fit(train, labels).score_samples(train[:3], [0, 9, 7])
    for unseen, value in (("inf", np.inf), ("nan", np.nan)):
        surprise = kind(unseen=unseen).fit(train, labels)
        scores = surprise.score_samples(train[:3], [labels[0], 9, 7])
        assert np.array_equal(scores[1:], [value, value], equal_nan=True)
        assert scores[0] == surprise.score_samples(train[:1], labels[:1])[0]
        alone = surprise.score_samples(train[:1], [9])
        assert np.array_equal(alone, [value], equal_nan=True)


def test_maps_become_rows():
    train, labels = cloud(120, d=12)
    maps = train.reshape(120, 3, 2, 2)
    flat = DistanceSurprise().fit(train, labels).score_samples(train, labels)
    given = DistanceSurprise().fit(maps, labels).score_samples(maps, labels)
    assert np.array_equal(flat, given)
    means = maps.mean(axis=(2, 3))
    pooled = MahalanobisSurprise(pool="mean").fit(maps, labels)
    plain = MahalanobisSurprise().fit(means, labels)
    assert np.allclose(
        pooled.score_samples(maps, labels), plain.score_samples(means, labels)
    )


# With a model


def model(seed=0):
    X, y = cloud(200, seed=seed)
    net = MLPClassifier(6, max_iter=500, random_state=0, tol=1e-2)
    return make_pipeline(StandardScaler(), net).fit(X, y), X, y


@pytest.mark.parametrize(
    "surprise",
    [
        DistanceSurprise(),
        LikelihoodSurprise(jitter=1e-3),
        MahalanobisSurprise(covariance="tied"),
    ],
    ids=str,
)
def test_a_model_gives_activations_and_classes(surprise):
    pipe, X, y = model()
    new, _ = cloud(60, seed=2)
    hidden = pipe[-1]

    def by_hand(rows):
        z = pipe[0].transform(rows) @ hidden.coefs_[0] + hidden.intercepts_[0]
        return np.maximum(z, 0)

    given = clone(surprise).set_params(unseen="nan")
    given.fit(by_hand(X), pipe.predict(X))
    bound = clone(surprise).set_params(estimator=pipe, unseen="nan")
    bound.fit(X, y)  # true labels play no part
    expected = given.score_samples(by_hand(new), pipe.predict(new))
    assert np.allclose(bound.score_samples(new), expected, rtol=1e-9)
    assert np.array_equal(
        bound.score_samples(pd.DataFrame(new).to_numpy()), bound.score_samples(new)
    )


def test_a_model_stays_fitted_and_itself():
    pipe, X, _ = model()
    surprise = DistanceSurprise(pipe)
    assert clone(surprise).estimator is pipe
    fitted = surprise.fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.score_samples(X), fitted.score_samples(X))


def test_scores_serve_a_sampler():
    pipe, X, _y = model()
    new, truth = cloud(300, seed=3)
    surprise = DistanceSurprise(pipe).fit(X)
    sampler = DeepESTSampler(pipe, auxiliary=surprise.score_samples, random_state=0)
    result = sampler.fit(new).sample(50, lambda ids: truth[ids])
    assert np.array_equal(sampler.scores_, surprise.score_samples(new))
    assert result.n_labels == 50


@pytest.mark.parametrize("kind", ALL)
def test_inputs_are_left_alone(kind):
    train, labels = cloud(100)
    plain = kind().fit(train, labels).score_samples(train, labels)
    frozen = train.copy()
    frozen.flags.writeable = False
    for view in (
        frozen,
        np.asfortranarray(train),
        train[::-1][::-1],
        pd.DataFrame(train),
    ):
        scores = kind().fit(view, labels).score_samples(view, labels)
        assert np.allclose(scores, plain, rtol=1e-12, atol=1e-12)
    assert np.array_equal(frozen, train)


# Bad input

TRAIN, LABELS = cloud(100)
NAN = TRAIN.copy()
NAN[3, 1] = np.nan
SOFTMAX = np.exp(TRAIN) / np.exp(TRAIN).sum(axis=1, keepdims=True)
TWIN = np.column_stack([np.arange(100.0) % 7, np.arange(100.0) % 7])
FITTED = DistanceSurprise().fit(TRAIN, LABELS)
ROWS = {
    "nan": (lambda k: k().fit(NAN, LABELS), "finite X.*first in row 3"),
    "inf": (lambda k: k().fit(TRAIN / 0.0, LABELS), "finite X"),
    "no classes": (lambda k: k().fit(TRAIN), "requires y to be passed"),
    "one-hot": (lambda k: k().fit(TRAIN, np.eye(3)[LABELS]), r"argmax\(axis=1\)"),
    "values": (lambda k: k().fit(TRAIN, TRAIN[:, 0]), "continuous"),
    "lengths": (lambda k: k().fit(TRAIN, LABELS[:9]), "X has 100, y_pred has 9"),
    "missing": (lambda k: k().fit(TRAIN, [None] * 100), "without missing values"),
    "pool": (lambda k: k(pool="max").fit(TRAIN, LABELS), "'pool' parameter"),
    "unseen": (lambda k: k(unseen="max").fit(TRAIN, LABELS), "'unseen' parameter"),
    "width": (
        lambda k: k().fit(TRAIN, LABELS).score_samples(TRAIN[:, :3], LABELS),
        "3 features"),
    "scored nan": (
        lambda k: k().fit(TRAIN, LABELS).score_samples(NAN, LABELS), "finite X"),
    "regressor": (
        lambda k: k(MLPRegressor(max_iter=5).fit(TRAIN, LABELS)).fit(TRAIN),
        "MLPRegressor is a regressor"),
    "no layers": (lambda k: k(StandardScaler()).fit(TRAIN, y_pred=LABELS), "no layers"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_surprise_classes_refuse_wrong_rows(kind, row):
    call, sentence = ROWS[row]
    with pytest.raises(ValueError, match=sentence):
        call(kind)


@pytest.mark.parametrize("kind", [LikelihoodSurprise, MahalanobisSurprise])
def test_bad_covariances(kind):
    few = np.r_[LABELS[:-3] % 2, 5, 5, 5]
    with pytest.raises(ValueError, match=r"6 training activations in class 5.*jitter"):
        kind().fit(TRAIN, few)
    assert np.isfinite(kind(jitter=0.1).fit(TRAIN, few).score_samples(TRAIN, few)).all()
    with pytest.raises(ValueError, match=r"singular covariance in class 0.*softmax"):
        kind().fit(TWIN, np.zeros(100))
    with pytest.raises(ValueError, match="no unit that varies"):
        kind().fit(np.ones((100, 2)), np.zeros(100))
    with pytest.raises(ValueError, match="'var_threshold' parameter"):
        kind(var_threshold=-1).fit(TRAIN, LABELS)
    with pytest.raises(ValueError, match="'jitter' parameter"):
        kind(jitter=0).fit(TRAIN, LABELS)


@pytest.mark.parametrize("kind", [LikelihoodSurprise, MahalanobisSurprise])
def test_rounding_is_named(kind):
    single = SOFTMAX.astype(np.float32)
    with pytest.warns(UserWarning, match=r"classes \[0, 1, 2\].*jitter") as caught:
        kind(var_threshold=0).fit(single, LABELS)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind(var_threshold=0, jitter=1e-3).fit(single, LABELS)


@pytest.mark.parametrize("kind", [LikelihoodSurprise, MahalanobisSurprise])
@pytest.mark.parametrize("unit", [1e-7, 1e7])
def test_rounding_does_not_depend_on_the_unit_of_measurement(kind, unit):
    # What counts is the share of a variance that other units leave of it.
    rng = np.random.default_rng(0)
    free = rng.normal(size=(100, 2)) * [unit, 1.0]
    bound = np.column_stack([free[:, 0], free[:, 0] + 1e-6 * unit * free[:, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind(var_threshold=0).fit(free, np.zeros(100))
    with pytest.warns(UserWarning, match="jitter"):
        kind(var_threshold=0).fit(bound, np.zeros(100))


def test_other_sentences():
    with pytest.raises(ValueError, match=r"two predicted classes.*\[4\]"):
        DistanceSurprise().fit(TRAIN, np.full(100, 4))
    with pytest.raises(ValueError, match="'covariance' parameter"):
        MahalanobisSurprise(covariance="full").fit(TRAIN, LABELS)
    maps = TRAIN.reshape(50, 2, 5)
    surprise = DistanceSurprise().fit(maps, LABELS[:50])
    with pytest.raises(ValueError, match="10 activations a row; got 8"):
        surprise.score_samples(maps[:, :, :4], LABELS[:50])
    with pytest.raises(ValueError, match="overflow"):
        FITTED.score_samples(np.full((1, 5), 1e300), [0])
