"""Hangul: the two-set keyboard, and syllables with one letter replaced."""

import unicodedata

from skrobust.perturbations.texts.scripts.script import Script

_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_TAILS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"

# Letters alone; those of syllables are found by ``syllables_with``.
HANGUL = Script(
    keyboards=(
        ("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ", "ㅁㄴㅇㄹㅎㅗㅓㅏㅣ", "ㅋㅌㅊㅍㅠㅜㅡ"),
        ("ㅃㅉㄸㄲㅆ   ㅒㅖ", "ㅁㄴㅇㄹㅎㅗㅓㅏㅣ", "ㅋㅌㅊㅍㅠㅜㅡ"),
    ),
    confused=(
        "ㅏㅑㅣ", "ㅓㅕ", "ㅗㅛㅡ", "ㅜㅠ", "ㅐㅔㅒ", "ㅖㅔ", "ㄱㅋ", "ㄷㅌㄹ", "ㅁㅇ",
        "ㅅㅈㅊ", "ㅂㅍ", "ㅎㅇ", "ㄴㄷ",
    ),
)  # fmt: skip


def letters_of(syllable):
    """Return the two or three letters of a Hangul syllable."""
    place = ord(syllable) - 0xAC00
    parts = _LEADS[place // 588] + _VOWELS[place % 588 // 28] + _TAILS[place % 28]
    return parts.rstrip()


def is_syllable(piece):
    """Say whether text is one precomposed Hangul syllable."""
    return len(piece) == 1 and "\uac00" <= piece <= "\ud7a3"


def without_tail(syllable):
    """Return a syllable without its last consonant, and one without any as empty."""
    place = ord(syllable) - 0xAC00
    return chr(0xAC00 + place - place % 28) if place % 28 else ""


def syllables_with(syllable, others):
    """Return the syllables that differ in one letter.

    Parameters
    ----------
    syllable : str
        A precomposed syllable.
    others : dict of str to str
        What replaces each letter; consonants replace consonants, and vowels vowels.
    """
    letters, found = letters_of(syllable), []
    for k, letter in enumerate(letters):
        allowed = (_LEADS, _VOWELS, _TAILS)[k]
        for other in others.get(letter, ""):
            if other in allowed:
                found.append(_compose(letters[:k] + other + letters[k + 1 :]))
    return tuple(found)


def _compose(letters):
    tail = _TAILS.index(letters[2]) if len(letters) == 3 else 0
    place = _LEADS.index(letters[0]) * 588 + _VOWELS.index(letters[1]) * 28
    return chr(0xAC00 + place + tail)


def apart(syllable):
    """Return the conjoining letters of a syllable, which look the same."""
    return unicodedata.normalize("NFD", syllable)
