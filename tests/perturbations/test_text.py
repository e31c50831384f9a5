"""Perturbations of text: edit laws, nested edits, containers, and Unicode."""

# ruff: noqa: E501 (a table reads better in long lines)

import collections
import math
import pickle
import unicodedata

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import SkipTestWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from skrobust._text_units import clusters, join_words, split_words
from skrobust.perturbations import (
    AccentRemoval,
    CaseChange,
    DigitChange,
    Homoglyphs,
    OCRErrors,
    PerturbationSequence,
    PunctuationRemoval,
    TextPerturbation,
    Truncation,
    Typos,
    WhitespaceErrors,
    WordDrop,
    WordSwap,
    text,
)
from skrobust.testing import check_perturbation

RATED = [
    Typos(rate=0.2),
    Typos(rate=0.3, kinds=("transpose",)),
    Typos(rate=0.3, kinds=("insert", "delete"), weights=(1, 3), layout="azerty"),
    OCRErrors(rate=0.3),
    Homoglyphs(rate=0.3),
    WhitespaceErrors(rate=0.3),
    WordDrop(rate=0.3),
    WordSwap(rate=0.3),
    CaseChange(share=0.5, case="upper"),
    PunctuationRemoval(share=0.5),
    AccentRemoval(share=0.5),
    DigitChange(share=0.7),
]
WHOLE = [
    Truncation(keep=0.5),
    Truncation(keep=0.5, unit="character", side="start"),
    CaseChange(),
    CaseChange(case="title"),
    PunctuationRemoval(),
    AccentRemoval(),
]
EVERY = [*RATED, *WHOLE]
WORDS = [
    "the",
    "quick",
    "brown",
    "fox,",
    "12",
    "jumping",
    "modern",
    "clerks;",
    "vivid",
    "café",
    "naïve",
    "I0l",
    "(yes)!",
    "rivers",
    "5890",
]


def documents(n=60, length=30, seed=0):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, size=length)) for _ in range(n)]


DOCS = documents()


def run(p, X, seed=0):
    return clone(p).set_params(random_state=seed).perturb(None, X)


# Laws that all keep


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_promises(p):
    X = np.array(DOCS, dtype=object)
    check_perturbation(p, X, draws=False)  # numpy sorts no rows of objects
    if p in RATED:
        assert len(set(run(p, DOCS[:1] * 40))) > 20
        assert run(p, DOCS, seed=1) != run(p, DOCS)
    before = list(DOCS)
    out = run(p, DOCS)
    assert before == DOCS
    assert out == list(run(p, X))
    assert out != DOCS
    assert run(p, DOCS[::-1]) == out[::-1]
    assert run(p, DOCS[:7]) + run(p, DOCS[7:]) == out
    assert clone(p).fit_transform(DOCS) is not None
    again = pickle.loads(pickle.dumps(clone(p).set_params(random_state=0).fit(DOCS)))
    assert again.transform(DOCS) == out
    still = clone(p).set_params(**dict.fromkeys(p._strengths), severity=0)
    assert run(still, DOCS) == DOCS


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_texts_without_anything_to_edit(p):
    odd = ["", " ", "| 4 || 0 |", "a", "\u00bd", "ok", "\n\t", "\u4f60\u597d"]
    for X in (odd, np.array(odd, dtype=object), pd.Series(odd)):
        out = run(p, X)
        assert type(out) is type(X)
        assert len(out) == len(odd)
        assert all(isinstance(t, str) for t in out)
        assert list(out)[:2] == ["", " "]
    assert run(p, []) == []
    assert run(p, np.array([], dtype=object)).shape == (0,)
    if isinstance(p, Typos):
        assert run(p, odd)[:3] == odd[:3]
        assert run(p, odd)[4] == odd[4]


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_containers(p):
    plain = run(p, DOCS)
    assert run(p, tuple(DOCS)) == tuple(plain)
    fixed = run(p, np.array(DOCS))
    assert fixed.dtype.kind == "U"
    assert fixed.tolist() == plain
    variable = run(p, np.array(DOCS, dtype=np.dtypes.StringDType()))
    assert variable.dtype == np.dtypes.StringDType()
    assert variable.tolist() == plain
    column = run(p, np.array(DOCS, dtype=object)[:, None])
    assert column.shape == (60, 1)
    assert column[:, 0].tolist() == plain
    for dtype in ("object", "string", "str"):
        series = pd.Series(DOCS, index=range(9, 69), name="doc", dtype=dtype)
        expected = pd.Series(plain, index=series.index, name="doc", dtype=dtype)
        pd.testing.assert_series_equal(run(p, series), expected)
        frame = series.to_frame()
        pd.testing.assert_frame_equal(run(p, frame), expected.to_frame())
    few = pd.Series(DOCS[:3] * 5)
    as_categories = run(p, few.astype("category"))
    pd.testing.assert_series_equal(as_categories, run(p, few))
    out = run(p, pl.Series("doc", DOCS))
    assert isinstance(out, pl.Series)
    assert (out.name, out.dtype, out.to_list()) == ("doc", pl.String, plain)
    out = run(p, pl.DataFrame({"doc": DOCS}))
    assert out.to_dict(as_series=False) == {"doc": plain}


def test_columns_of_a_table():
    table = {"id": list(range(60)), "title": DOCS, "body": DOCS[::-1]}
    p = Typos(rate=0.2, columns=["title", "body"], random_state=0)
    frame = pd.DataFrame(table, index=range(5, 65))
    out = p.fit(frame).transform(frame)
    assert list(p.feature_names_in_) == ["id", "title", "body"]
    assert list(p.get_feature_names_out()) == ["id", "title", "body"]
    pd.testing.assert_series_equal(out["id"], frame["id"])
    assert (out["title"] != frame["title"]).mean() > 0.9
    assert (out["body"] != frame["body"]).mean() > 0.9
    lazy = p.perturb(None, pl.DataFrame(table))
    assert lazy["title"].to_list() == out["title"].tolist()
    assert lazy["body"].to_list() == out["body"].tolist()
    array = frame.to_numpy(dtype=object)
    by_place = clone(p).set_params(columns=[1, 2]).perturb(None, array)
    assert by_place[:, 2].tolist() == out["body"].tolist()
    one = clone(p).set_params(columns="title").perturb(None, frame)
    pd.testing.assert_frame_equal(one[["id", "body"]], frame[["id", "body"]])
    with pytest.raises(ValueError, match="feature names"):
        p.transform(frame[["title", "id", "body"]])
    # The same text twice in one row gets two draws.
    both = pd.DataFrame({"a": DOCS, "b": DOCS})
    out = Typos(rate=0.2, random_state=0).perturb(None, both)
    assert (out["a"] != out["b"]).mean() > 0.9


def test_missing_documents_stay():
    X = [*DOCS[:3], None, float("nan"), DOCS[3]]
    out = run(Typos(5), X)
    assert out[3] is None
    assert math.isnan(out[4])
    assert out[:3] + out[5:] == run(Typos(5), DOCS[:4])
    series = pd.Series(["abc def", None], dtype="string")
    assert run(Typos(5), series).isna().tolist() == [False, True]
    assert run(Typos(5), pl.Series(["abc def", None]))[1] is None


def test_equal_documents_get_their_own_edits():
    out = run(Typos(rate=0.3), [DOCS[0]] * 200)
    assert len(set(out)) > 190


def test_texts_may_outgrow_a_fixed_width():
    X = np.array(["ab", "cd"])
    out = run(Typos(rate=1, kinds=("insert",)), np.repeat(X, 20))
    assert max(map(len, out)) == 4


# Edit laws


def letters(texts):
    return sum(c.isalpha() for t in texts for c in t)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2, 1.0])
def test_slips_are_poisson(rate):
    # Letters far apart on different words, so that each deletion shows as itself.
    X = [f"{i} " + "a1" * 300 for i in range(200)]
    out = run(Typos(rate=rate, kinds=("delete",)), X)
    hit = stats.binomtest(letters(X) - letters(out), letters(X), 1 - math.exp(-rate))
    assert hit.pvalue > 1e-3
    hits = np.array([300 - letters([t]) for t in out])
    law = stats.binom(300, 1 - math.exp(-rate))
    u = np.random.default_rng(0).random(200)
    place = law.cdf(hits - 1) + u * law.pmf(hits)
    assert stats.kstest(place, "uniform").pvalue > 1e-3


def test_kinds_come_in_their_shares():
    X = [f"{i} " + "s1t1" * 300 for i in range(50)]
    out = run(Typos(rate=0.1), X)
    n_hit = collections.Counter()
    for before, after in zip(X, out, strict=True):
        # Between the digits stands one letter; what is there now tells the kind.
        old, new = before.split(" ")[1].split("1"), after.split(" ")[1].split("1")
        for a, b in zip(old, new, strict=True):
            if a != b:
                n_hit[{0: "delete", 1: "replace", 2: "insert"}[len(b)]] += 1
    # Alone between digits a letter has none to change place with.
    total = sum(n_hit.values())
    for kind, share in {"insert": 2 / 9, "delete": 2 / 9, "replace": 5 / 9}.items():
        assert stats.binomtest(n_hit[kind], total, share).pvalue > 1e-3
    weighted = run(Typos(rate=0.1, weights=(0, 1, 0, 0)), X)
    assert weighted == run(Typos(rate=0.1, kinds=["delete"]), X)


@pytest.mark.parametrize(
    ("layout", "key", "near"),
    [("qwerty", "s", "weadzx"), ("qwerty", "q", "wa"), ("qwertz", "y", "asx"),
     ("qwertz", "z", "tughj"), ("azerty", "a", "zq"), ("azerty", "m", "lp"),
     ("qwerty", "p", "ol")],
)  # fmt: skip
def test_neighbours_on_the_keyboard(layout, key, near):
    X = [f"{i} {key} {key.upper()}" for i in range(400)]
    out = run(Typos(rate=1, kinds=("replace",), layout=layout), X)
    seen = {t.split(" ")[1] for t in out}
    assert seen - {key} <= set(near)
    upper = {t.split(" ")[2] for t in out}
    assert upper - {key.upper()} <= set(near.upper())


def test_transposing_keeps_the_letters():
    out = run(Typos(rate=0.5, kinds=("transpose",)), DOCS)
    for before, after in zip(DOCS, out, strict=True):
        assert before != after
        words, new = before.split(" "), after.split(" ")
        assert [sorted(w) for w in words] == [sorted(w) for w in new]


@pytest.mark.parametrize(
    "p",
    [Typos(kinds=("delete",)), Typos(kinds=("replace",)), OCRErrors(), Homoglyphs(), WordDrop(),
     WhitespaceErrors(kinds=("join",)), PunctuationRemoval(), DigitChange(), CaseChange()],
    ids=str,
)  # fmt: skip
def test_edits_nest_along_severity(p):
    # A marker before each character or word tells what became of it.
    X = [" ".join(f"\u2460{c}" for c in t) for t in DOCS[:20]]
    unit = "\u2460"
    name = next(iter(p._strengths))
    changed = []
    for rate in (0.02, 0.1, 0.4):
        out = run(clone(p).set_params(**{name: rate}), X)
        if isinstance(p, WordDrop):
            # All words of a document differ here.
            X = [
                " ".join(f"{w}{i}" for i, w in enumerate(t.split())) for t in DOCS[:20]
            ]
            out = run(clone(p).set_params(rate=rate), X)
            changed.append(
                {
                    (d, w)
                    for d, (a, b) in enumerate(zip(X, out, strict=True))
                    for w in set(a.split()) - set(b.split())
                }
            )
            continue
        pairs = [
            zip(a.split(unit), b.split(unit), strict=True)
            for a, b in zip(X, out, strict=True)
        ]
        changed.append(
            {
                (d, i, new)
                for d, both in enumerate(pairs)
                for i, (old, new) in enumerate(both)
                if old != new
            }
        )
    assert 0 < len(changed[0]) < len(changed[1]) < len(changed[2])
    assert changed[0] <= changed[1] <= changed[2]


def test_recognition_confuses_what_looks_alike():
    out = run(OCRErrors(rate=1.0), ["rn" * 50, "0 O l 1 w m d", "xk\u00e9"])
    assert set(out[0]) <= set("mhrn")
    assert "m" in out[0]
    assert len(out[1].split()) == 7
    assert all(
        a != b
        for a, b in zip(
            out[1].split(), ["0", "O", "l", "1", "w", "m", "d"], strict=True
        )
    )
    assert out[2] == "xk\u00e9"
    X = [f"{i} " + "x0" * 500 for i in range(20)]
    hit = sum(t.split(" ")[1].count("0") for t in run(OCRErrors(rate=0.1), X))
    assert stats.binomtest(10000 - hit, 10000, 0.1).pvalue > 1e-3


def test_homoglyphs_turn_back():
    out = run(Homoglyphs(rate=0.5), DOCS)
    back = {}
    for before, after in zip(DOCS, out, strict=True):
        assert len(before) == len(after)
        for a, b in zip(before, after, strict=True):
            if a != b:
                assert unicodedata.name(b).startswith("CYRILLIC")
                assert back.setdefault(b, a) == a
                assert a.isupper() == b.isupper()
    assert len(back) > 8
    assert [t.translate(str.maketrans(back)) for t in out] == DOCS


def test_white_space_errors_keep_all_that_is_no_space():
    joined, split = (
        run(WhitespaceErrors(rate=0.3, kinds=(k,)), DOCS) for k in ("join", "split")
    )
    for a, b, c in zip(DOCS, joined, split, strict=True):
        assert a.replace(" ", "") == b.replace(" ", "") == c.replace(" ", "")
        assert len(b) < len(a) < len(c)
    spaces = sum(t.count(" ") for t in DOCS)
    lost = spaces - sum(t.count(" ") for t in joined)
    assert stats.binomtest(lost, spaces, 0.3).pvalue > 1e-3
    long = sum(len(w) > 1 for t in DOCS for w in t.split())
    new = sum(t.count(" ") for t in split) - spaces
    assert stats.binomtest(new, long, 0.3).pvalue > 1e-3


def test_dropped_and_swapped_words():
    X = [" ".join(f"w{i}.{j}" for j in range(40)) for i in range(100)]
    out = run(WordDrop(rate=0.2), X)
    n_dropped = 0
    for before, after in zip(X, out, strict=True):
        words = before.split()
        place = [words.index(w) for w in after.split()]
        assert place == sorted(place)
        n_dropped += 40 - len(place)
    assert stats.binomtest(n_dropped, 4000, 0.2).pvalue > 1e-3
    assert all(len(t.split()) == 1 for t in run(WordDrop(rate=1), X))
    assert run(WordDrop(rate=0.5), ["  a\tb\n c "])[0].startswith("  ")
    out = run(WordSwap(rate=0.2), X)
    for before, after in zip(X, out, strict=True):
        assert before != after
        assert sorted(before.split()) == sorted(after.split())
    spaced = "  a\tb\n c  d "
    assert (
        split_words(run(WordSwap(rate=0.9), [spaced])[0])[1] == split_words(spaced)[1]
    )
    assert join_words(*split_words(spaced)) == spaced


def test_truncation_keeps_a_part():
    X = [" ".join(f"w{j}" for j in range(20))]
    last = X[0]
    for severity, n in zip((1, 2, 3, 4, 5), (18, 15, 10, 6, 4), strict=True):
        out = run(Truncation(severity), X)[0]
        assert last.startswith(out)
        assert len(out.split()) == n
        assert (
            run(Truncation(severity, side="start"), X)[0].split() == X[0].split()[-n:]
        )
        last = out
    assert run(Truncation(keep=0.5, unit="character"), ["abcdef", "x"]) == ["abc", "x"]
    assert run(Truncation(keep=0.5, unit="character", side="start"), ["abcdef"]) == [
        "def"
    ]
    assert run(Truncation(keep=1e-6), ["  one two"]) == ["  one"]
    assert run(Truncation(keep=1.0), ["  one two "]) == ["  one two "]


def test_form():
    assert run(CaseChange(case="upper"), ["stra\u00dfe 7"]) == ["STRASSE 7"]
    assert run(CaseChange(case="title"), ["o'neill's  bAR"]) == ["O'neill's  Bar"]
    assert run(CaseChange(), DOCS) == [t.lower() for t in DOCS]
    assert run(PunctuationRemoval(), ["\u00abA\u00bb, $b\u2014c!"]) == ["A bc"]
    accents = [
        "caf\u00e9 Stra\u00dfe \u0142\u00f3d\u017a",
        "cafe\u0301",
        "\ud55c\uad6d",
        "\u0915\u094d\u0937\u093f",
    ]
    assert run(AccentRemoval(), accents) == [
        "cafe Stra\u00dfe \u0142odz",
        "cafe",
        *accents[2:],
    ]
    n = sum(
        run(CaseChange(share=0.3, case="upper"), ["a " * 2000])[0].count(c) for c in "A"
    )
    assert stats.binomtest(n, 2000, 0.3).pvalue > 1e-3
    out = "".join(run(DigitChange(), ["4" * 3000]))
    counts = collections.Counter(out)
    assert "4" not in counts
    assert stats.chisquare([counts[d] for d in "012356789"]).pvalue > 1e-3


def test_characters_stay_whole():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    flags, wave, accented = (
        "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7",
        "\U0001f44b\U0001f3fd",
        "e\u0301",
    )
    parts = clusters(f"a{family}{flags}{wave}{accented}\u270c\ufe0f")
    assert parts == ["a", family, flags[:2], flags[2:], wave, accented, "\u270c\ufe0f"]
    assert clusters("") == []
    assert clusters("\u0301a") == ["\u0301", "a"]
    word = f"x{accented}y{family}{wave}z{accented}"
    out = run(Typos(rate=0.8), [f"{word} {i}" for i in range(300)])
    for t in out:
        assert family in t
        assert wave in t
        t.encode("utf-8")
        for i, c in enumerate(t):
            if c == "\u0301":
                assert t[i - 1] == "e"
    for n in (0.2, 0.5, 0.9):
        cut = run(Truncation(keep=n, unit="character"), [f"{wave}{accented}" * 5])[0]
        assert len(clusters(cut)) == round(10 * n)
    assert run(Typos(rate=1), ["\ud800x"])[0].startswith("\ud800")  # a lone surrogate


def test_letters_that_a_keyboard_lacks():
    X = [f"{i} \u10d0\u10d1" for i in range(50)]
    assert set(run(Typos(rate=1, kinds=("insert",)), X)[3][2:]) <= set("\u10d0\u10d1 ")
    out = run(Typos(rate=1, kinds=("replace",)), X)
    assert all(sorted(a) == sorted(b) for a, b in zip(X, out, strict=True))
    assert out != X


# Use


@pytest.mark.slow
def test_in_a_pipeline_and_a_search():
    good, bad = (
        ["a lovely day", "what a lovely film", "fine music"],
        ["dull and gray", "a dull film", "awful music"],
    )
    X, y = (good + bad) * 5, ([1] * 3 + [0] * 3) * 5
    pipe = make_pipeline(
        Typos(rate=0.01, random_state=0), TfidfVectorizer(), LogisticRegression()
    )
    for container in (
        X,
        np.array(X),
        np.array(X, dtype=object),
        pd.Series(X),
        pl.Series(X),
    ):
        assert pipe.fit(container, y).score(container, y) > 0.9
    search = GridSearchCV(
        pipe, {"typos__severity": [0, 1], "typos__rate": [None]}, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.8
    assert cross_val_score(pipe, X, y, cv=3, n_jobs=2).mean() > 0.8
    frame = pd.DataFrame({"t": X, "n": range(30)})
    columns = ColumnTransformer([("text", pipe[:2], "t")], remainder="passthrough")
    assert columns.fit_transform(frame).shape[0] == 30
    typos = Typos(rate=0.2, random_state=0)
    alone = ColumnTransformer([("text", typos, ["t"])])
    assert alone.fit_transform(frame)[:, 0].tolist() == typos.perturb(None, X)


def test_nothing_is_learned_and_nothing_wrapped():
    p = Typos(rate=0.1, random_state=0)
    assert (
        p.transform(DOCS) == p.fit(DOCS).transform(DOCS) == clone(p).fit_transform(DOCS)
    )
    assert not hasattr(p, "set_output")
    with pytest.raises(ValueError, match="`set_output` is not available"):
        make_pipeline(p, TfidfVectorizer()).set_output(transform="pandas")
    tags = get_tags(p)
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert not tags.requires_fit


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_estimator_checks(p):
    # What scikit-learn checks of estimators of text, its own vectorizers included.
    with pytest.warns(SkipTestWarning, match="Can't test estimator"):
        results = check_estimator(p, on_fail=None, on_skip=None)
    assert {r["status"] for r in results} == {"passed"}
    assert repr(clone(p).get_params()) == repr(p.get_params())


def test_preset():
    grid = text(random_state=0)
    assert len(grid) == 1 + 11 * 5
    assert [c.number for c in grid] == list(range(1, len(grid) + 1))
    assert grid[3].name == "typos-3"
    assert grid[0].perturb(None, DOCS) == DOCS
    for condition in grid[1:]:
        out = condition.perturb(None, DOCS)
        assert isinstance(out, list)
        assert out != DOCS, condition.name
        assert condition.perturb(None, DOCS[::-1]) == out[::-1], condition.name


def test_sequence_is_keyed_by_the_text_that_enters():
    both = [
        PerturbationSequence(steps, random_state=0).perturb(None, DOCS)
        for steps in (
            [CaseChange(), WordDrop(rate=0.3)],
            [WordDrop(rate=0.3), CaseChange()],
        )
    ]
    assert both[0] == both[1]
    twice = PerturbationSequence([WordDrop(rate=0.3)] * 2, random_state=0)
    once = PerturbationSequence([WordDrop(rate=0.3)], random_state=0)
    assert twice.perturb(None, DOCS) != once.perturb(None, DOCS)


def test_a_newcomer_must_return_text():
    class Lengths(TextPerturbation):
        def __init__(self, random_state=None):
            self.random_state = random_state

        def _perturb_text(self, text, rng):
            return len(text)

    with pytest.raises(
        TypeError, match="_perturb_text must return str; it returned int"
    ):
        Lengths().perturb(None, ["a"])


FRAME = pd.DataFrame({"a": ["x", "y"], "n": [1, 2]})
# (what is called, the sentence it must raise)
ROWS = {
    "number": (lambda: run(Typos(), ["a", 3.5]), "row 1 holds 3.5 of type float"),
    "bytes": (lambda: run(Typos(), [b"a"]), "row 0 holds b'a' of type bytes"),
    "numbers": (lambda: run(Typos(), np.ones(3)), "row 0 holds 1.0 of type float"),
    "list of lists": (lambda: run(Typos(), [["a"]]), r"row 0 holds \['a'\] of type list"),
    "one string": (lambda: run(Typos(), "abc"), "a list, array or series of texts.*Got 'abc'"),
    "generator": (lambda: run(Typos(), (c for c in "ab")), "a list, array or series of texts"),
    "3-D": (lambda: run(Typos(), np.full((1, 1, 1), "a")), r"Got shape \(1, 1, 1\)"),
    "column": (lambda: run(Typos(), FRAME), "row 0 of column 'n' holds 1 of type int"),
    "unknown column": (lambda: run(Typos(columns=["b"]), FRAME), r"'columns' parameter of Typos must be columns of a table, among \['a', 'n'\]"),
    "columns kind": (lambda: run(Typos(columns=1.5), FRAME), "'columns' parameter of Typos must be columns of a table"),
    "columns of a list": (lambda: run(Typos(columns=[1]), ["a"]), "'columns' parameter of Typos must be None for one column"),
    "severity": (lambda: run(Typos(7), DOCS), "'severity' parameter of Typos must be"),
    "both": (lambda: run(Typos(1, rate=0.1), DOCS), "either 'severity' or 'rate', not both"),
    "rate": (lambda: run(Typos(rate=1.5), DOCS), r"'rate' parameter of Typos must be a number in \[0, 1\]"),
    "kinds": (lambda: run(Typos(kinds=("swap",)), DOCS), "'kinds' parameter of Typos must be"),
    "no kinds": (lambda: run(Typos(kinds=()), DOCS), "'kinds' parameter of Typos must be"),
    "kinds string": (lambda: run(Typos(kinds="insert"), DOCS), "'kinds' parameter of Typos must be"),
    "weights": (lambda: run(Typos(weights=(1, 2)), DOCS), "'weights' parameter of Typos must be"),
    "zero weights": (lambda: run(Typos(weights=(0, 0, 0, 0)), DOCS), "'weights' parameter of Typos"),
    "negative weights": (lambda: run(Typos(weights=(1, -1, 1, 1)), DOCS), "'weights' parameter of Typos"),
    "layout": (lambda: run(Typos(layout="dvorak"), DOCS), "'layout' parameter of Typos must be one of"),
    "ocr": (lambda: run(OCRErrors(rate=-1), DOCS), "'rate' parameter of OCRErrors"),
    "homoglyphs": (lambda: run(Homoglyphs(rate="a"), DOCS), "'rate' parameter of Homoglyphs"),
    "white space": (lambda: run(WhitespaceErrors(rate=2), DOCS), "'rate' parameter of WhitespaceErrors"),
    "white space kinds": (lambda: run(WhitespaceErrors(kinds=("tab",)), DOCS), "'kinds' parameter of White"),
    "drop": (lambda: run(WordDrop(rate=True), DOCS), "'rate' parameter of WordDrop"),
    "swap": (lambda: run(WordSwap(rate=np.nan), DOCS), "'rate' parameter of WordSwap"),
    "keep": (lambda: run(Truncation(keep=0), DOCS), r"'keep' parameter of Truncation must be a number in \(0, 1\]"),
    "unit": (lambda: run(Truncation(unit="token"), DOCS), "'unit' parameter of Truncation"),
    "side": (lambda: run(Truncation(side="left"), DOCS), "'side' parameter of Truncation"),
    "case": (lambda: run(CaseChange(case="camel"), DOCS), "'case' parameter of CaseChange"),
    "share": (lambda: run(CaseChange(share=20), DOCS), "'share' parameter of CaseChange"),
    "punctuation": (lambda: run(PunctuationRemoval(share=-1), DOCS), "'share' parameter of Punctuation"),
    "accents": (lambda: run(AccentRemoval(share=-1), DOCS), "'share' parameter of AccentRemoval"),
    "digits": (lambda: run(DigitChange(share=-1), DOCS), "'share' parameter of DigitChange"),
    "random_state": (lambda: run(Typos(), DOCS, seed="0"), "'random_state' parameter of Typos"),
    "preset": (lambda: text([-1]), "'severities' parameter of text"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_text_perturbations_refuse_wrong_parameters(name):
    call, sentence = ROWS[name]
    with pytest.raises(ValueError, match=sentence):
        call()
