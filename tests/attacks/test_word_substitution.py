"""Word substitutions: exact for sums over words, by enumeration; containers."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from skrobust.attacks import WordSubstitution
from skrobust.attacks.texts.additive_texts import adds_up
from skrobust.attacks.texts.word_candidates import Words, misspellings
from skrobust.metrics import make_robust_scorer

VOCABULARY = [f"word{letter}" for letter in "abcdefghij"]
RNG = np.random.default_rng(0)
TEXTS = [" ".join(RNG.choice(VOCABULARY, 6)) for _ in range(40)]
SCORE = np.array([[t.split().count(w) for w in VOCABULARY] for t in TEXTS])
Y2 = (SCORE @ RNG.normal(size=10) > 0).astype(int)
Y3 = (SCORE @ RNG.normal(size=(10, 3))).argmax(axis=1)
NEW = {w: list(RNG.choice(VOCABULARY, 2, replace=False)) for w in VOCABULARY}
SUMS = [
    make_pipeline(CountVectorizer(), LogisticRegression()),
    make_pipeline(TfidfVectorizer(norm=None), LinearSVC()),
    make_pipeline(CountVectorizer(), TfidfTransformer(norm=None), MultinomialNB()),
]
OTHERS = [
    make_pipeline(TfidfVectorizer(), LogisticRegression()),
    make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression()),
    make_pipeline(CountVectorizer(), SVC()),
    make_pipeline(HashingVectorizer(n_features=64), LogisticRegression()),
]


def every_text(text, n_words, choices=NEW):
    """All texts with at most n_words replaced."""
    words = text.split()
    for size in range(1, n_words + 1):
        for places in combinations(range(len(words)), size):
            for news in product(*(choices[words[p]] for p in places)):
                out = list(words)
                for place, new in zip(places, news, strict=True):
                    out[place] = new
                yield " ".join(out)


@pytest.mark.parametrize("y", [Y2, Y3], ids=["two classes", "three"])
@pytest.mark.parametrize("model", SUMS, ids=str)
def test_sums_over_words_are_attacked_exactly(model, y):
    model = clone(model).fit(TEXTS, y)
    assert adds_up(model)
    attack = WordSubstitution(2, substitutions=NEW)
    result = attack.run(model, TEXTS[:12], y[:12])
    assert attack.proven_.all()
    for text, label, fooled, size in zip(
        TEXTS[:12], y[:12], result.success, result.norm, strict=True
    ):
        wrong = model.predict([text])[0] != label
        shortest = 0 if wrong else np.inf
        for n in (2, 1):
            texts = list(every_text(text, n))
            if not wrong and (model.predict(texts) != label).any():
                shortest = n
        assert fooled == np.isfinite(shortest)
        assert not fooled or size == shortest


@pytest.mark.parametrize("y", [Y2, Y3], ids=["two classes", "three"])
@pytest.mark.parametrize("model", [SUMS[0], SUMS[2], OTHERS[0]], ids=str)
def test_the_word_that_moves_a_probability_most_is_found(model, y):
    model = clone(model).fit(TEXTS, y)
    attack = WordSubstitution(1, substitutions=NEW, objective="probability_shift")
    moved = attack.perturb(model, TEXTS[:12])
    for text, new in zip(TEXTS[:12], moved, strict=True):
        clean = model.predict_proba([text])[0]
        own = clean.argmax()
        every = model.predict_proba(list(every_text(text, 1)))[:, own]
        reached = model.predict_proba([new])[0, own]
        most = np.abs(every - clean[own]).max()
        assert abs(reached - clean[own]) == pytest.approx(most, rel=1e-6)


class TwoMinds(LogisticRegression):
    """Its probabilities are turned round, and say nothing about its labels."""

    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


@pytest.mark.parametrize("objective", [None, "loss", "probability_shift"])
def test_the_label_is_asked_of_its_scores_and_a_probability_of_itself(objective):
    model = make_pipeline(CountVectorizer(), TwoMinds()).fit(TEXTS, Y2)
    attack = WordSubstitution(1, substitutions=NEW, objective=objective)
    found = attack.run(model, TEXTS[:15], Y2[:15])
    for text, label, new in zip(TEXTS, Y2, found.X_adv, strict=False):
        every = [text, *every_text(text, 1)]
        p = model.predict_proba(every)
        own, reached = int(model.predict([text])[0]), model.predict_proba([new])[0]
        if objective is None:
            exists = (model.predict(every) != label).any()
            assert (model.predict([new])[0] != label) == exists
        elif objective == "loss":
            assert reached[label] == pytest.approx(p[:, label].min())
        else:
            shift = np.abs(p[:, own] - p[0, own]).max()
            assert abs(reached[own] - p[0, own]) == pytest.approx(shift)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("factor", [1.0, 30.0, 1e4])
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two classes", "three"])
@pytest.mark.parametrize("objective", ["loss", "probability_shift"])
def test_shares_of_large_scores_are_their_softmax(objective, y, factor):
    model = clone(SUMS[1]).fit(TEXTS, y)
    model[-1].coef_, model[-1].intercept_ = (
        factor * model[-1].coef_, factor * model[-1].intercept_
    )  # fmt: skip

    def shares(texts):
        scores = model.decision_function(texts)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores, axis=1)

    attack = WordSubstitution(1, substitutions=NEW, objective=objective)
    own = model.predict(TEXTS[:12])
    moved = attack.perturb(model, TEXTS[:12])
    for text, new, label in zip(TEXTS[:12], moved, own, strict=True):
        reached, *every = shares([new, text, *every_text(text, 1)])[:, label]
        if objective == "loss":
            assert reached == pytest.approx(min(every), abs=1e-9)
        else:
            most = np.abs(np.array(every) - every[0]).max()
            assert abs(reached - every[0]) == pytest.approx(most, abs=1e-9)


@pytest.mark.parametrize("model", OTHERS, ids=str)
def test_other_models_are_searched_by_a_beam(model):
    model = clone(model).fit(TEXTS, Y2)
    assert not adds_up(model)
    attack = WordSubstitution(2, substitutions=NEW, n_beams=20, n_expansions=20)
    found = attack.run(model, TEXTS[:15], Y2[:15])
    exists = np.array([
        model.predict([t])[0] != label
        or (model.predict(list(every_text(t, 2))) != label).any()
        for t, label in zip(TEXTS[:15], Y2[:15], strict=True)
    ])  # fmt: skip
    assert (found.success <= exists).all()
    assert found.success.sum() >= exists.sum() - 1
    assert np.array_equal(attack.proven_, found.success)
    thin = WordSubstitution(2, substitutions=NEW, n_beams=1, n_expansions=3)
    assert thin.run(model, TEXTS[:15], Y2[:15]).success.sum() <= found.success.sum()


def test_the_budget_and_the_list_hold():
    model = clone(OTHERS[0]).fit(TEXTS, Y2)
    for n_words in (0, 1, 3):
        attack = WordSubstitution(n_words, substitutions=NEW, objective="loss")
        result = attack.run(model, TEXTS, Y2)
        for old, new, size in zip(TEXTS, result.X_adv, result.norm, strict=True):
            pairs = list(zip(old.split(), new.split(), strict=True))
            swapped = [(a, b) for a, b in pairs if a != b]
            assert len(swapped) == size <= n_words
            assert all(b in NEW[a] for a, b in swapped)


def test_shifts_of_probability_are_the_largest_of_a_linear_model():
    model = clone(SUMS[0]).fit(TEXTS, Y2)
    attack = WordSubstitution(2, substitutions=NEW, objective="probability_shift")
    moved = attack.perturb(model, TEXTS[:8])
    p, q = model.predict_proba(TEXTS[:8]), model.predict_proba(moved)
    own = p.argmax(axis=1)
    for row in range(8):
        every = model.predict_proba(list(every_text(TEXTS[row], 2)))[:, own[row]]
        best = np.abs(every - p[row, own[row]]).max()
        assert abs(q[row, own[row]] - p[row, own[row]]) == pytest.approx(best)


def test_scorers_ask_for_what_they_measure():
    model = clone(SUMS[0]).fit(TEXTS, Y2)
    attack = WordSubstitution(1, substitutions=NEW)
    found = attack.run(model, TEXTS, Y2).success
    assert make_robust_scorer(attack)(model, TEXTS, Y2) == np.mean(~found)
    ratio = make_robust_scorer(attack, "robust_ratio", tolerance=0.05)
    assert 0 <= ratio(model, TEXTS, Y2) < 1


@pytest.mark.parametrize("kind", ["array", "series", "frame", "polars"])
def test_containers_come_back(kind):
    model = clone(SUMS[0]).fit(TEXTS, Y2)
    attack = WordSubstitution(1, substitutions=NEW)
    plain = attack.perturb(model, TEXTS, Y2)
    if kind == "array":
        X = np.array(TEXTS)
    elif kind == "series":
        X = pd.Series(TEXTS, index=np.arange(40) + 7, name="t")
    else:
        library = pd if kind == "frame" else pytest.importorskip("polars")
        X = library.DataFrame({"size": np.arange(40.0), "t": TEXTS})
        parts = [("t", CountVectorizer(), "t"), ("n", StandardScaler(), ["size"])]
        model = make_pipeline(ColumnTransformer(parts), LogisticRegression()).fit(X, Y2)
        attack.column = "t"
    found = attack.run(model, X, Y2)
    assert type(found.X_adv) is type(X)
    if kind in ("array", "series"):
        assert list(found.X_adv) == plain
    else:
        assert list(found.X_adv["size"]) == list(X["size"])
        assert found.success.sum() > np.sum(model.predict(X) != Y2)
    if kind in ("series", "frame"):
        assert list(found.X_adv.index) == list(X.index)


def test_words_keep_what_stands_between_them_and_their_capitals():
    text = "  Good,  bad: GOOD-ish!\n"
    choices = {"good": ["fine"], "bad": ["poor"]}
    attack = WordSubstitution(9, substitutions=choices, objective="loss")
    model = make_pipeline(CountVectorizer(), LogisticRegression())
    model.fit(["good bad", "fine poor"], [0, 1])
    assert attack.perturb(model, [text], [0]) == ["  Fine,  poor: FINE-ish!\n"]
    assert Words("a b", lambda w: [])._pieces == ["", "a", " ", "b", ""]


def test_misspellings_keep_the_ends():
    assert misspellings("word") == ["wrod", "wrd", "wod"]
    assert misspellings("odd") == misspellings("r2d2") == []
    model = clone(OTHERS[0]).fit(TEXTS, Y2)
    found = WordSubstitution(2, typos=True).run(model, TEXTS, Y2)
    assert found.success.sum() > np.sum(model.predict(TEXTS) != Y2)


BAD = {
    "nothing to put": ({}, TEXTS, "Or set typos=True"),
    "a word for a list": ({"substitutions": {"a": "bc"}}, TEXTS, "lists of words"),
    "numbers": ({"typos": True}, [1.0], "row 0 holds 1.0"),
    "no column": ({"typos": True}, pd.DataFrame({"t": TEXTS}), "a column of X"),
    "a list": ({"substitutions": ["a"]}, TEXTS, "'substitutions' parameter"),
}


@pytest.mark.parametrize("row", BAD)
def test_one_clear_sentence(row):
    settings, X, sentence = BAD[row]
    model = clone(SUMS[0]).fit(TEXTS, Y2)
    with pytest.raises(ValueError, match=sentence):
        WordSubstitution(**settings).perturb(model, X)


def test_models_without_scores_are_named():
    ridge = make_pipeline(CountVectorizer(), Ridge()).fit(TEXTS, Y2)
    with pytest.raises(ValueError, match="Ridge is a regressor"):
        WordSubstitution(typos=True).perturb(ridge, TEXTS)
