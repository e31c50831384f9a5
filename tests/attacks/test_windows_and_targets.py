"""Windows, targets, sums of words and boxes of attacks, by their definitions."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import PGD, HopSkipJump, WordSubstitution
from skrobust.attacks.core.square_windows import Flat, Planes
from skrobust.attacks.core.targets import target_index
from skrobust.attacks.texts.additive_texts import adds_up
from skrobust.attacks.trees.box_groups import pairs_to_merge


@pytest.mark.parametrize(
    ("shape", "axis", "channels"),
    [((7, 9), None, 1), ((3, 7, 9), 1, 3), ((7, 9, 3), -1, 3), ((7, 9, 4), None, 4)],
)
def test_planes_are_cut_and_joined(shape, axis, channels):
    rows = np.random.default_rng(0).random((5, *shape))
    planes = Planes(shape, axis)
    cut = planes.cut(rows.reshape(5, -1))
    assert cut.shape == (5, channels, 7, 9)
    assert np.array_equal(planes.join(cut), rows)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.45, 0.8])
def test_tiles_cover_the_image_with_the_sign_of_each_channel(share):
    planes, rng = Planes((3, 20, 26), 1), np.random.default_rng(0)
    tiles = planes.tiles(rng, 4, share)
    assert tiles.shape == (4, 3, 20, 26)
    side = round(np.sqrt(share * 20 * 26)) if share < 0.5 else 26 // 5
    block = np.abs(tiles[:, :, :side, :side])
    assert (block == block[0, 0]).all()  # one bump, whatever its sign
    assert side < 3 or len(np.unique(block)) > 1  # and no flat tile
    if 2 * side <= 20:
        assert np.array_equal(block, np.abs(tiles[:, :, side : 2 * side, :side]))
    signs = tiles / np.where(tiles == 0, 1, np.abs(tiles))
    assert set(np.unique(signs)) <= {-1.0, 0.0, 1.0}
    assert len(np.unique(signs[:, :, 0, 0])) > 1 or side == 1


@pytest.mark.parametrize("share", [0.02, 0.2, 0.7])
def test_windows_are_squares_of_a_share_that_go_everywhere(share):
    planes, rng = Planes((8, 12), None), np.random.default_rng(0)
    windows = planes.window(rng, 3000, share)[:, 0]
    side = min(max(1, round(np.sqrt(share * 96))), 8)
    assert (windows.sum(axis=(1, 2)) == side**2).all()
    assert (windows.any(axis=2).sum(axis=1) == side).all()
    assert (windows.any(axis=1).sum(axis=1) == side).all()
    places = {(int(w.any(axis=1).argmax()), int(w.any(axis=0).argmax()))
              for w in windows}  # fmt: skip
    assert len(places) == (8 - side + 1) * (12 - side + 1)


def test_blocks_of_features_are_random_sets():
    flat, rng = Flat(10), np.random.default_rng(0)
    masks = flat.window(rng, 4000, 0.3)[:, 0, 0]
    assert (masks.sum(axis=1) == 3).all()
    assert masks.mean(axis=0) == pytest.approx(np.full(10, 0.3), abs=0.03)
    assert (flat.window(rng, 9, 0.0)[:, 0, 0].sum(axis=1) == 1).all()
    window, bump, gives = flat.exchange(rng, 50, 0.0)
    assert (window.sum(axis=(1, 2, 3)) == 2).all()
    assert np.array_equal(window, gives)
    assert not bump[~window].any()


@pytest.mark.parametrize("target", [3, -1, [0, 3, 1], [-1, 0, 2]])
def test_a_class_that_a_net_lacks_is_no_target(target):
    view = SimpleNamespace(
        label_index=np.asarray, tensor=lambda x: x, logits=lambda x: np.zeros((1, 3))
    )
    X = np.zeros((3, 2))
    assert target_index(view, [0, 2, 1], X, "PGD").tolist() == [0, 2, 1]
    with pytest.raises(ValueError, match="a label that the model knows"):
        target_index(view, target, X, "PGD")


@pytest.mark.parametrize(
    ("norm", "queries", "expected"),
    [(np.inf, 101, 60), (np.inf, 501, 250), (2, 101, 30), (2, 1001, 100), (2, 9, 9)],
)
def test_queries_on_the_surface_are_a_whole_number(norm, queries, expected):
    found = HopSkipJump(1.0, norm=norm, max_queries=queries)._n_on_surface()
    assert (found, type(found)) == (expected, int)
    assert HopSkipJump(1.0, n_directions=17)._n_on_surface() == 17


def test_words_need_a_label_each():
    texts = ["good good film", "bad film", "bad bad", "good"]
    model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(
        texts, [1, 0, 0, 1]
    )
    attack = WordSubstitution(1, typos=True)
    with pytest.raises(ValueError, match="X has 4, y has 3"):
        attack.perturb(model, texts, [1, 0, 0])


PLAIN = {"norm": None}
PIPELINES = [
    ((CountVectorizer(), LogisticRegression()), True),
    ((CountVectorizer(), MultinomialNB()), True),
    ((TfidfVectorizer(**PLAIN), LogisticRegression()), True),
    ((CountVectorizer(), TfidfTransformer(**PLAIN), LogisticRegression()), True),
    ((CountVectorizer(), MaxAbsScaler(), LogisticRegression()), True),
    ((TfidfVectorizer(), LogisticRegression()), False),
    ((TfidfVectorizer(**PLAIN, sublinear_tf=True), LogisticRegression()), False),
    ((CountVectorizer(), TfidfTransformer(), LogisticRegression()), False),
    ((CountVectorizer(), TruncatedSVD(2), LogisticRegression()), False),
    ((CountVectorizer(), StandardScaler(with_mean=False), LogisticRegression()), False),
    ((CountVectorizer(ngram_range=(1, 2)), LogisticRegression()), False),
    ((CountVectorizer(binary=True), LogisticRegression()), False),
    ((CountVectorizer(analyzer="char"), LogisticRegression()), False),
    ((CountVectorizer(tokenizer=str.split, token_pattern=None), LogisticRegression()),
     False),
    ((CountVectorizer(preprocessor=str.lower), LogisticRegression()), False),
    ((CountVectorizer(token_pattern=r"\S+"), LogisticRegression()), False),
    ((CountVectorizer(), BernoulliNB()), False),
    ((CountVectorizer(), DecisionTreeClassifier()), False),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "expected"), PIPELINES)
def test_scores_of_words_add_up(steps, expected):
    texts = ["red green blue", "red red", "green blue blue", "grey red", "grey blue"]
    labels = [0, 1, 0, 1, 1]
    model = make_pipeline(*steps).fit(texts, labels)
    assert adds_up(model) == expected
    if expected:  # the log odds of two texts in one are the sum of theirs
        log_odds = lambda text: np.subtract(*model.predict_log_proba([text])[0])  # noqa: E731
        whole = log_odds("red green grey") - log_odds("")
        parts = sum(log_odds(w) - log_odds("") for w in ("red", "green", "grey"))
        assert whole == pytest.approx(parts, abs=1e-9)


def test_rows_stay_other_arrays_where_nothing_moves():
    X = np.random.default_rng(0).random((6, 3))
    model = LogisticRegression().fit(X, [0, 1, 0, 1, 1, 0])
    found = PGD(0.0, data_range=(0, 1)).perturb(model, X, [0, 1, 0, 1, 1, 0])
    assert np.array_equal(found, X)
    assert not np.shares_memory(found, X)


def test_pairs_of_groups_stay_below_the_number_of_pairs(monkeypatch):
    from skrobust.attacks.trees import box_groups

    monkeypatch.setattr(box_groups, "_PAIRS", 30)
    rng = np.random.default_rng(0)
    sizes = np.array([3, 5, 8, 20, 2])
    n = sizes.sum()
    part = SimpleNamespace(
        low=rng.integers(0, 3, (n, 4)), high=rng.integers(4, 6, (n, 4)),
        value=np.zeros((n, 1)), first=np.cumsum(sizes) - sizes,
        features=np.arange(4), whole=(np.zeros(4, int), np.full(4, 6)),
    )  # fmt: skip
    pairs, cost = pairs_to_merge(part, 10**6)
    assert cost == sum(sizes[g] * sizes[h] for g, h in pairs)
    assert all(sizes[g] * sizes[h] <= 30 for g, h in pairs)
    assert len({g for pair in pairs for g in pair}) == 2 * len(pairs)
    assert pairs
