"""Word substitution on drawn models of drawn texts, against every text in reach."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, seeds
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skrobust.attacks import WordSubstitution

VOCABULARY = ["alpha", "bravo", "Carol", "delta", "Ökonom", "fox", "груша", "hotel"]


def drawn_case(seed, vectorizer, n_classes=2):
    """Return a model with drawn weights, texts, labels, and words for words."""
    rng = np.random.default_rng(seed)
    texts = [
        "".join(f"{word}{rng.choice([' ', ', ', '! '])}" for word in words)
        for words in (rng.choice(VOCABULARY, 5) for _ in range(6))
    ]
    y = np.arange(6) % n_classes
    model = make_pipeline(vectorizer, LogisticRegression())
    model.fit([*texts, " ".join(VOCABULARY)], [*y, 0])
    model[-1].coef_ = rng.normal(size=model[-1].coef_.shape)
    model[-1].intercept_ = rng.normal(size=model[-1].intercept_.shape)
    new = {
        word.lower(): [*rng.choice(VOCABULARY, rng.integers(0, 3), replace=False)]
        for word in VOCABULARY
    }
    return model, texts, model.predict(texts), new


def in_reach(text, n_words, new):
    """Yield the texts in reach, words alone, and how many of them are replaced."""
    words = [word.strip(",!").lower() for word in text.split()]
    for size in range(n_words + 1):
        for places in combinations(range(len(words)), size):
            for others in product(*(new[words[place]] for place in places)):
                out = list(words)
                for place, other in zip(places, others, strict=True):
                    out[place] = other.lower()
                yield " ".join(out), size


@few
@given(seed=seeds, n_words=st.integers(0, 2), n_classes=st.integers(2, 3))
def test_fooled_is_what_some_text_in_reach_fools_by_as_few_words(
    seed, n_words, n_classes
):
    model, texts, y, new = drawn_case(seed, CountVectorizer(), n_classes)
    given_texts = list(texts)
    attack = WordSubstitution(n_words, substitutions=new)
    result = attack.run(model, texts, y)
    assert texts == given_texts
    assert attack.proven_.all()
    for text, label, found, fooled, size in zip(
        texts, y, result.X_adv, result.success, result.norm, strict=True
    ):
        reached = dict(reversed(list(in_reach(text, n_words, new))))
        labels = model.predict(list(reached))
        fooling = [n for n, other in zip(reached.values(), labels, strict=True)
                   if other != label]  # fmt: skip
        assert fooled == bool(fooling)
        assert fooled == (model.predict([found])[0] != label)
        plain = " ".join(word.strip(",!").lower() for word in found.split())
        assert plain in reached
        if fooled:
            assert size == min(fooling)
        else:
            assert found == text


@few
@given(seed=seeds, n_words=st.integers(1, 2))
def test_a_beam_stays_in_reach_and_is_no_weaker_than_one_word(seed, n_words):
    model, texts, y, new = drawn_case(seed, TfidfVectorizer())
    attack = WordSubstitution(n_words, substitutions=new)
    found = attack.perturb(model, texts, y)
    for text, label, other in zip(texts, y, found, strict=True):
        plain = " ".join(word.strip(",!").lower() for word in other.split())
        assert plain in dict(in_reach(text, n_words, new))
        alone = [one for one, _ in in_reach(text, 1, new)]
        if (model.predict(alone) != label).any():
            assert model.predict([other])[0] != label


@pytest.mark.parametrize("objective", ["loss", "probability_shift"])
@few
@given(seed=seeds)
def test_the_best_text_in_reach_is_found_for_sums(objective, seed):
    model, texts, y, new = drawn_case(seed, CountVectorizer())
    attack = WordSubstitution(2, substitutions=new, objective=objective)
    found = attack.perturb(model, texts, y)
    column = dict(zip(model.classes_, range(2), strict=True))
    for text, label, other in zip(texts, y, found, strict=True):
        reached = [one for one, _ in in_reach(text, 2, new)]
        p = model.predict_proba([text, other, *reached])[:, column[label]]
        best = p[2:].min() if objective == "loss" else p[0]
        if objective == "loss":
            assert p[1] == pytest.approx(best, abs=1e-12)
        else:
            assert abs(p[1] - p[0]) == pytest.approx(
                np.abs(p[2:] - p[0]).max(), abs=1e-12
            )
