"""Slips, confusions and doubles of any character, whatever its script."""

import unicodedata
from functools import cache, lru_cache

from skrobust._text_units import WITH_LAST, WITH_NEXT
from skrobust.perturbations.texts.scripts import SCRIPTS, hangul, latin
from skrobust.perturbations.texts.scripts.han import han_doubles
from skrobust.perturbations.texts.scripts.pinyin import same_or_near_sound
from skrobust.perturbations.texts.scripts.script import neighbours

_NO_BASES = WITH_NEXT | WITH_LAST  # vowel letters, which carry no marks


@cache
def _keys(layout=None):
    """Return the neighbours of the keys of a Latin layout, or of all other scripts."""
    if layout is not None:
        return neighbours(latin.LAYOUTS[layout])
    near = {}
    for script in SCRIPTS:
        near |= script.near_keys()
    return near


def has_kana(text):
    """Say whether text is Japanese, as it holds kana."""
    if text.isascii():
        return False
    return any("\u3041" <= c <= "\u30ff" and c != "\u30fb" for c in text)


@lru_cache(maxsize=1 << 14)
def near_pieces(piece, layout, is_japanese):
    """Return what a slip puts in place of a character, and beside it.

    Parameters
    ----------
    piece : str
        A character with its marks.
    layout : str
        Keyboard of Latin letters.
    is_japanese : bool
        Whether Han characters are those of Japanese, which pinyin does not enter.

    Returns
    -------
    instead, beside : sequence of str
        Both empty for characters of no known keyboard or input method.
    """
    near = _keys(layout).get(piece)
    if near is not None:
        return near, near
    if hangul.is_syllable(piece):
        instead = hangul.syllables_with(piece, _keys())
        return instead, _keys().get(hangul.letters_of(piece)[-1], "")
    if not is_japanese and (near := same_or_near_sound(piece)):
        return near, piece
    keys = [_keys().get(char, "") for char in piece]
    base = unicodedata.normalize("NFD", piece)[0]
    if not keys[0] and base != piece[0]:  # a letter with an accent, typed in two keys
        keys[0] = _keys().get(base, "")
    instead = [
        piece[:k] + other + piece[k + 1 :]
        for k, others in enumerate(keys)
        for other in others
        if len(piece) == 1 or other not in _NO_BASES
    ]
    return instead, keys[0]


def shortened(piece):
    """Return what is left of a character whose last key was not hit."""
    return hangul.without_tail(piece) if hangul.is_syllable(piece) else ""


@cache
def _confused():
    found = {}
    for script in SCRIPTS:
        alike = script.look_alikes()
        # Latin letters and digits in the groups of other scripts are results only.
        found |= {char: others for char, others in alike.items() if not char.isascii()}
    return found | latin.CONFUSED


def confusions(char):
    """Return the characters for which recognition takes one.

    Parameters
    ----------
    char : str
        One code point.

    Returns
    -------
    sequence of str
        Empty where the tables have none.
    """
    if hangul.is_syllable(char):
        return hangul.syllables_with(char, _confused())
    return _confused().get(char, ())


@cache
def _doubles():
    found = {}
    for script in SCRIPTS:
        found |= script.doubles
    return found | han_doubles() | latin.DOUBLES


def double(char):
    """Return text of other code points that looks like one code point, or None."""
    if hangul.is_syllable(char):
        return hangul.apart(char)
    return _doubles().get(char)
