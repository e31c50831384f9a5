"""Tables of scripts: keyboards, input methods, look-alikes and doubles."""

import re
import unicodedata
from pathlib import Path

import pytest
from language_texts import TEXTS
from sklearn.base import clone

from skrobust.perturbations import (
    AccentRemoval,
    DigitChange,
    Homoglyphs,
    Typos,
    WhitespaceErrors,
)
from skrobust.perturbations.texts.scripts import SCRIPTS, hangul, lookup
from skrobust.perturbations.texts.scripts.lookup import confusions, double, near_pieces
from skrobust.perturbations.texts.scripts.pinyin import same_or_near_sound
from skrobust.perturbations.texts.scripts.script import Script


def run(kind, X, seed=0, **params):
    return clone(kind).set_params(random_state=seed, **params).perturb(None, X)


# Keyboards and input methods


@pytest.mark.parametrize(
    ("letter", "near"),
    [("и", "прмт"), ("Ж", "ЗХДЭЮ"), ("ї", "хє"), ("λ", "κοπ"), ("ά", "σςζ"), ("ب", "يلقف"),
     ("ג", "דכקרסב"), ("क", "रतगद"), ("ก", "หดพแป"), ("ㅁ", "ㄴㅂㅋ"), ("き", "かくぎ"), ("カ", "キガ")],
)  # fmt: skip
def test_neighbours_on_keyboards(letter, near):
    assert set(near) <= set(near_pieces(letter, "qwerty", False)[0])


def test_latin_layouts_do_not_touch_other_letters():
    for piece in ("é", "e\u0301", "ß", "\U0001f642", "\u10d0"):
        assert not near_pieces(piece, "qwerty", False)[0]
    assert near_pieces("и", "azerty", False) == near_pieces("и", "qwerty", False)


def test_marks_are_replaced_by_marks():
    for piece in ("कि", "ดี่", "क्षे"):
        for other in near_pieces(piece, "qwerty", False)[0]:
            assert len(other) == len(piece)
            kinds = [[unicodedata.category(c)[0] for c in p] for p in (piece, other)]
            assert kinds[0] == kinds[1]
            assert other[0] not in "ะำเแไใโาๅ"  # vowel letters carry no marks


def test_slips_of_hangul_are_of_one_letter():
    for syllable in "한가닭":
        letters = hangul.letters_of(syllable)
        options = near_pieces(syllable, "qwerty", False)[0]
        assert len(options) > 3
        for other in options:
            differ = [
                a != b for a, b in zip(hangul.letters_of(other), letters, strict=True)
            ]
            assert sum(differ) == 1
    assert run(Typos(rate=1, kinds=("delete",)), ["한 가닭"]) == ["하 다"]


def test_slips_of_pinyin_sound_alike():
    assert set("她它塌塔") <= set(same_or_near_sound("他"))
    assert "女" not in same_or_near_sound("努")  # nu is not nü
    assert set("吕旅") <= set(same_or_near_sound("女"))  # no other nü: lü
    assert same_or_near_sound("國") == same_or_near_sound("a") == ""
    X = ["他是我的朋友"] * 30
    slips = run(Typos(rate=0.5, kinds=("replace",)), X)
    assert all(len(t) == 6 for t in slips)
    assert all(
        b in same_or_near_sound(a)
        for t in slips
        for a, b in zip(X[0], t, strict=True)
        if a != b
    )
    # Han characters beside kana are Japanese, which pinyin does not enter.
    japanese = "彼は私の友人です"
    for t in run(Typos(rate=1, kinds=("replace",)), [japanese] * 20):
        assert set(re.findall("[\u4e00-\u9fff]", t)) <= set(japanese)


def test_the_table_of_pinyin():
    pypinyin = pytest.importorskip("pypinyin")
    wrong = total = 0
    for code in range(0x4E00, 0x9FA6):
        others = same_or_near_sound(chr(code))
        known = pypinyin.pinyin(chr(code), style=pypinyin.Style.NORMAL, heteronym=True)[
            0
        ]
        if others and len(others) > 30:  # surely the same sound
            same = pypinyin.pinyin(
                others[0], style=pypinyin.Style.NORMAL, heteronym=True
            )[0]
            total += 1
            wrong += not set(same) & set(known)
    assert total > 500
    assert wrong < total / 100


# Look-alikes


@pytest.mark.parametrize("language", ["Chinese", "Korean", "Japanese"])
def test_doubles_are_equal_after_normalisation(language):
    X = TEXTS[language]
    out = run(Homoglyphs(rate=1.0), X)
    assert out != X
    for a, b in zip(X, out, strict=True):
        if language == "Korean":
            assert unicodedata.normalize("NFC", b) == a
            continue
        for old, new in zip(a, b, strict=True):
            same = unicodedata.normalize("NFKC", new) == unicodedata.normalize(
                "NFKC", old
            )
            other = ("CJK RADICAL", "HIRAGANA", "KATAKANA", "CJK UNIFIED")
            assert same or unicodedata.name(new).startswith(other)


@pytest.mark.parametrize(
    "language", ["Russian", "Greek", "Arabic", "Hebrew", "Hindi", "Thai"]
)
def test_doubles_are_other_code_points(language):
    hit = {c for t in TEXTS[language] for c in t if double(c)}
    assert hit
    assert all(double(c) != c for c in hit)


@pytest.mark.parametrize(
    ("char", "taken_for"),
    [("ب", "ت"), ("ר", "ד"), ("भ", "म"), ("ш", "щ"), ("ν", "υ"), ("ด", "ต"), ("シ", "ツ"),
     ("ば", "ぱ"), ("未", "末"), ("己", "已"), ("가", "카")],
)  # fmt: skip
def test_recognition_confuses_similar_characters(char, taken_for):
    assert taken_for in confusions(char)
    assert char in confusions(taken_for)


def test_groups_of_other_scripts_do_not_touch_latin_letters():
    assert confusions("j") == ()  # looks like one of Ukrainian
    assert confusions("6") == ("b", "G")


def test_tables_are_sound():
    for script in SCRIPTS:
        for char, others in script.look_alikes().items():
            assert char not in others
            assert len(set(others)) == len(others)
        for key, near in script.near_keys().items():
            assert key not in near
            assert len(key) == 1


def test_digits_of_every_script():
    out = run(DigitChange(), ["٧ १२ ๓ 99 十二"] * 50)
    for t in out:
        assert re.fullmatch("[٠-٩] [०-९]{2} [๐-๙] [0-8]{2} 十二", t)
        assert not set(t) & set("٧๓9")
    assert len({t[0] for t in out}) == 9


def test_points_are_accents():
    assert run(AccentRemoval(), ["שָׁלוֹם", "كِتَابٌ", "الأوّل"]) == ["שלום", "كتاب", "الأول"]
    for kept in ("ガギ", "की", "น้ำ"):
        assert run(AccentRemoval(), [kept]) == [kept]


# A new language


@pytest.fixture
def with_georgian(monkeypatch):
    georgian = Script(
        keyboards=(("ქწერტყუიოპ", "ასდფგჰჯკლ", "ზხცვბნმ"),),
        confused=("თო", "ვპ", "თდ"),
        doubles={"ხ": "x"},
    )
    monkeypatch.setattr(lookup, "SCRIPTS", (*SCRIPTS, georgian))
    caches = lookup._keys, lookup.near_pieces, lookup._confused, lookup._doubles
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_a_new_script_is_its_keys_groups_and_doubles(with_georgian):
    assert set(near_pieces("ქ", "qwerty", False)[0]) == set("წა")
    assert confusions("თ") == "ოდ"
    assert run(Homoglyphs(rate=1.0), ["ხე"]) == ["xე"]
    slips = run(Typos(rate=1, kinds=("replace",)), ["ქქ"] * 30)
    assert {c for t in slips for c in t} == set("წაქ")


def test_a_script_is_a_short_file():
    folder = Path(lookup.__file__).parent
    for name in ("arabic", "cyrillic", "devanagari", "greek", "hebrew", "thai"):
        lines = (folder / f"{name}.py").read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 40


# White space


@pytest.mark.parametrize("before", ["", " ", "\t\n"])
@pytest.mark.parametrize("after", ["", " ", " \n "])
@pytest.mark.parametrize("words", ["no", "to be", "to be  or\tnot to be"])
def test_only_white_space_between_words_is_lost(before, words, after):
    joined = WhitespaceErrors(rate=1.0, kinds=("join",))
    text = before + words + after
    assert run(joined, [text]) == [before + "".join(words.split()) + after]
    for seed in range(4):
        (split,) = run(WhitespaceErrors(rate=0.5), [text], seed)
        assert "".join(split.split()) == "".join(words.split())
        assert split.startswith(before + words[0])
        assert split.endswith(words[-1] + after)
