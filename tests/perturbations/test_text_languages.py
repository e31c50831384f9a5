"""Text perturbations act in every script, or say that they do not apply."""

import random
import re
import unicodedata
import warnings
from itertools import pairwise

import numpy as np
import pytest
from language_texts import LACKS, TEXTS
from sklearn.base import clone

from skrobust._text_units import clusters, join_words, split_words
from skrobust.perturbations import (
    AccentRemoval,
    CaseChange,
    DigitChange,
    Homoglyphs,
    OCRErrors,
    PunctuationRemoval,
    Truncation,
    Typos,
    WhitespaceErrors,
    WordDrop,
    WordSwap,
    text,
)

KINDS = [condition.steps[0] for condition in text([5])[1:]]
MIXED = "Das iPhone 旗舰 kostet 999 €, สวัสดีครับ, привет, नमस्ते \U0001f44b\U0001f3fd।"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def run(kind, X, seed=0, **params):
    return clone(kind).set_params(random_state=seed, **params).perturb(None, X)


# Every kind in every language


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: type(k).__name__)
def test_acts_or_says_that_it_does_not_apply(kind, language):
    X = TEXTS[language] * 5  # equal documents get their own edits
    kind = clone(kind).set_params(random_state=0)
    if language in LACKS.get(type(kind).__name__, ()):
        with pytest.warns(UserWarning, match=f"{type(kind).__name__} does not apply"):
            assert kind.transform(X) == X
    else:
        out = kind.transform(X)
        changed = sum(a != b for a, b in zip(X, out, strict=True))
        assert changed > len(X) / 20


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: type(k).__name__)
def test_severities_rise(kind, language):
    if language in LACKS.get(type(kind).__name__, ()):
        return
    X = TEXTS[language] * 20
    counts = []
    for severity in (1, 2, 3, 4, 5):
        out = run(kind, X, severity=severity)
        counts.append(
            {i for i, pair in enumerate(zip(X, out, strict=True)) if pair[0] != pair[1]}
        )
    # Draws are shared, so that what is changed at a low severity is changed above, too
    # (but for two swaps of the same words, or two slips that undo each other).
    lost = [len(low - high) for low, high in pairwise(counts)]
    assert max(lost) <= (6 if isinstance(kind, (WordSwap, Typos)) else 0)
    assert len(counts[0]) < len(counts[4]) or len(counts[0]) == len(X)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: type(k).__name__)
def test_a_document_has_its_edits_in_any_batch(kind):
    X = [t for texts in TEXTS.values() for t in texts] + [MIXED]
    out = run(kind, X)
    assert run(kind, X[::-1]) == out[::-1]
    assert run(kind, X[:30]) + run(kind, X[30:]) == out
    assert run(kind, [X[17]]) == [out[17]]
    assert run(kind, X, severity=0) == X
    odd = ["", None, " \n"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert clone(kind).transform(odd) == odd


def test_words_of_other_scripts_leave_latin_words_as_they_are():
    X = ["the quick brown fox jumps over the lazy dog"] * 200
    both = [f"{t} {TEXTS['Arabic'][0]}" for t in X]
    hit = run(Homoglyphs(rate=1.0), both)
    assert all(
        re.search("[\u0430-\u045f]", t) and re.search("[\u06c0-\u06f9]", t) for t in hit
    )
    assert run(Homoglyphs(rate=1.0), both)[0].startswith(
        run(Homoglyphs(rate=1.0), X)[0]
    )


# Characters and words


@pytest.mark.parametrize(
    "kind",
    [
        Typos(rate=0.6, kinds=("transpose",)),
        WordDrop(rate=0.4),
        WordSwap(rate=0.4),
        WhitespaceErrors(rate=0.4),
        Truncation(keep=0.5),
        Truncation(keep=0.5, unit="character", side="start"),
        PunctuationRemoval(),
    ],
    ids=str,
)
def test_characters_are_never_torn(kind):
    X = [t for texts in TEXTS.values() for t in texts]
    X += [MIXED, f"{FAMILY}กำ\u0e49เพื่อน{FAMILY}क्षेत्र 각\u1112\u1161\u11ab e\u0301"] * 20
    for before, after in zip(X, run(kind, X), strict=True):
        assert set(clusters(after)) <= set(clusters(before)) | {" "}


@pytest.mark.parametrize(
    "kind", [Typos(rate=0.5), OCRErrors(rate=0.5), Typos(rate=1)], ids=str
)
def test_no_mark_loses_its_letter(kind):
    for t in run(kind, [t for texts in TEXTS.values() for t in texts] * 5):
        for before, char in zip(" " + t, t, strict=False):
            if unicodedata.category(char)[0] == "M":
                assert unicodedata.category(before)[0] in "LM", t


def test_clusters_of_hard_cases():
    whole = ["क्षे", "त्र", "गु", "กำ", "เ", "พื่", "각", "\u1112\u1161\u11ab", "ｶﾞ", FAMILY,
             "\U0001f3f4\U000e0067\U000e0062\U000e007f", "\u05e9\u05c1", "ന്ത"]  # fmt: skip
    assert clusters("".join(whole)) == whole
    assert clusters("\u1100\u1100\u1161가\u11a8각\u1161") == [
        "\u1100\u1100\u1161",
        "가\u11a8",
        "각",
        "\u1161",
    ]


def test_clusters_are_no_finer_than_those_of_the_standard():
    regex = pytest.importorskip("regex")
    ranges = [(0x20, 0x17F), (0x300, 0x36F), (0x590, 0x6D5), (0x900, 0xC7F), (0xE00, 0xEFF),
              (0x1100, 0x11FF), (0xAC00, 0xD7A3), (0x3041, 0x30FF), (0x1F1E6, 0x1F1FF),
              (0x1F3FB, 0x1F3FF), (0x1F466, 0x1F469), (0x200C, 0x200D)]  # fmt: skip
    rng = random.Random(0)
    for _ in range(5000):
        near = rng.choice(ranges)
        chars = [
            chr(rng.randint(*rng.choice([near, near, rng.choice(ranges)])))
            for _ in range(6)
        ]
        word = "".join(c for c in chars if unicodedata.category(c) not in ("Cn", "Cf"))
        if re.search("[\u0600-\u0605\u06dd]", word):  # prepended signs
            continue
        ends = {0, *np.cumsum([len(c) for c in regex.findall(r"\X", word)])}
        assert {0, *np.cumsum([len(c) for c in clusters(word)])} <= ends, ascii(word)


WORDS = {
    "我爱Python，你呢？": ["我", "爱", "Python，", "你", "呢？"],
    "“你好”，他说。": ["“你", "好”，", "他", "说。"],
    "เพื่อนไปนา": ["เพื่", "อ", "น", "ไป", "นา"],
    "キャッシュは(3杯)": ["キャ", "ッ", "シュ", "は", "(3", "杯)"],
    "Hello 世界! a,b don't": ["Hello", "世", "界!", "a,b", "don't"],
    "바다로 가는": ["바다로", "가는"],
    "कमरे से": ["कमरे", "से"],
    "": [],
}


@pytest.mark.parametrize("document", WORDS)
def test_words(document):
    words, spaces = split_words(document)
    assert words == WORDS[document]
    assert join_words(words, spaces) == document


def test_white_space_appears_between_characters():
    split = WhitespaceErrors(rate=1.0, kinds=("split",))
    assert run(split, ["我们的书，是"]) == ["我 们 的 书， 是"]
    assert run(WhitespaceErrors(rate=1.0, kinds=("join",)), ["我 们 the"]) == [
        "我们the"
    ]


def test_segmenters_are_chosen_and_never_found():
    t = ["我们喜欢北京的秋天，真的。"]
    by_two = lambda run: [run[i : i + 2] for i in range(0, len(run), 2)]  # noqa: E731
    out = run(WordDrop(rate=0.5, segmenter=by_two), t)[0]
    pairs = by_two(t[0])
    assert [out[i : i + 2] for i in range(0, len(out), 2)] == [
        p for p in pairs if p in out
    ]
    assert run(Truncation(keep=0.5, segmenter=by_two), ["the quick brown fox"]) == [
        "the quick"
    ]
    for wrong in (
        str.split,
        lambda run: [run[1:]],
        lambda run: run,
        lambda run: ["", run],
    ):
        if wrong(t[0]) != t:
            with pytest.raises(
                ValueError, match="'segmenter' of WordSwap must return a list"
            ):
                run(WordSwap(segmenter=wrong), t)
    with pytest.raises(ValueError, match='None, "icu" or a function'):
        run(Truncation(segmenter="jieba"), t)


def test_words_of_icu():
    pytest.importorskip("icu4py")
    t = [
        "ภาษาไทยเขียนติดกันโดยไม่เว้นวรรค",
        "我喜欢北京，（真的）。",
        "the quick, brown fox",
    ]
    out = run(Truncation(keep=0.3, segmenter="icu"), t)
    assert out[0] == "ภาษาไทยเขียน"
    assert out[2] == "the"
    words = WordSwap(segmenter="icu")._split(t[1])[0]
    assert words == ["我", "喜欢", "北京，", "（真的）。"]


def test_icu_is_asked_for_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "icu4py.breakers", None)
    with pytest.raises(ImportError, match=r"WordDrop needs icu4py.*skrobust\[text\]"):
        run(WordDrop(segmenter="icu"), TEXTS["Thai"])
    assert run(WordDrop(rate=0.4), TEXTS["Thai"]) != TEXTS["Thai"]


# Right to left


@pytest.mark.parametrize("language", ["Arabic", "Hebrew"])
def test_right_to_left_stays_in_logical_order(language):
    X = TEXTS[language]
    for before, after in zip(X, run(Truncation(keep=0.5), X), strict=True):
        assert before.startswith(after)
    for before, after in zip(X, run(WordDrop(rate=0.4), X), strict=True):
        places = [before.split().index(word) for word in after.split()]
        assert places == sorted(places)
    for kind in KINDS:
        for t in run(kind, X):
            assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", t)


def test_what_is_said_names_the_reason():
    reasons = {
        CaseChange(case="upper"): "no document has a word that upper case would change",
        DigitChange(): "no document has decimal digits",
        WordDrop(): "no document has two words",
        Truncation(): "no document has two words or characters",
        WordSwap(): "no document has two different words next to each other",
        Homoglyphs(): "no document has characters with a double",
        OCRErrors(): "no document has characters with look-alikes",
        AccentRemoval(): "no document has accents",
        PunctuationRemoval(): "no document has punctuation",
    }
    for kind, reason in reasons.items():
        with pytest.warns(UserWarning, match=f"stay unchanged: {reason}"):
            kind.transform(["\u1200", "\u1201"])  # Ethiopic
    with pytest.warns(UserWarning, match="no document has letters"):
        Typos(5).transform(["12", "!"])
    with pytest.warns(UserWarning, match="no document has words to split or join"):
        WhitespaceErrors(5).transform(["\u1200"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Typos(rate=0.01, random_state=0).transform(["a"])  # by chance, not by kind
        CaseChange(severity=0).transform(["你好"])
        CaseChange(5).perturb(None, ["你好"])
        CaseChange(5).transform(["", None])
