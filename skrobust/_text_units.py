"""Units of text: characters that readers see, and words, in every script."""

import re
import unicodedata

_WORD = re.compile(r"\S+")
_FIRST_WITHOUT_SPACES = "\u0e00"
# Scripts that put no space between words: Thai, Lao, Myanmar, Khmer, kana, Bopomofo
# and Han.
_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f"
    "\u3031-\u303b\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9fe\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
# Letters that readers take with the one after (vowels written before their consonant)
# or before (vowels written after it, small kana, signs of length and repetition).
WITH_NEXT = frozenset("\u0e40\u0e41\u0e42\u0e43\u0e44\u0ec0\u0ec1\u0ec2\u0ec3\u0ec4")
WITH_LAST = frozenset(
    "\u0e2f\u0e30\u0e32\u0e33\u0e45\u0e46\u0eb0\u0eb2\u0eb3\u0ec6"
    "\u3005\u3041\u3043\u3045\u3047\u3049\u3083\u3085\u3087\u308e\u309d\u309e"
    "\u30a1\u30a3\u30a5\u30a7\u30a9\u30e3\u30e5\u30e7\u30ee\u30fc\u30fd\u30fe"
)
# No marks by category, but they belong to the character before: vowel signs of Thai and
# Lao, halfwidth sound marks, the non-joiner.
_EXTENDS = frozenset("\u0e33\u0eb3\uff9e\uff9f\u200c")
_JOINER = "\u200d"
_VIRAMAS = frozenset("\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d")


def clusters(text):
    """Split text into characters with what belongs to them.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str
        Their concatenation is the text. Marks (accents, vowel signs, variation
        selectors), skin tones, tags, what zero-width joiners join, the pairs of letters
        that make a flag, conjuncts of Indic scripts and Hangul syllables of separate
        letters stay together: no extended grapheme cluster of Unicode Standard Annex 29
        is divided but the line end CR LF and rare prepended signs.
    """
    if text.isascii() or max(text) < "\u0300":  # nothing below joins
        return list(text)
    parts, flag = [], False
    for char in text:
        code = ord(char)
        letter_of_flag = 0x1F1E6 <= code <= 0x1F1FF
        joined = (
            unicodedata.category(char)[0] == "M"
            or 0x1F3FB <= code <= 0x1F3FF
            or 0xE0020 <= code <= 0xE007F
            or char == _JOINER
            or char in _EXTENDS
            or (parts and parts[-1][-1] == _JOINER)
            or (letter_of_flag and flag)
            or (0x900 <= code < 0xD80 and parts and _makes_conjunct(parts[-1], code))
            or (parts and _makes_syllable(ord(parts[-1][-1]), code))
        )
        if joined and parts:
            parts[-1] += char
        else:
            parts.append(char)
        flag = letter_of_flag and not flag
    return parts


def _makes_conjunct(part, code):
    """Say whether a consonant is joined to a part by the virama at its end."""
    place = code % 0x80
    if not (0x15 <= place <= 0x39 or 0x58 <= place <= 0x5F or 0x978 <= code < 0x980):
        return False
    for char in reversed(part):  # marks such as a nukta may follow the virama
        if char in _VIRAMAS:
            return True
        if unicodedata.category(char) != "Mn" and char != _JOINER:
            return False
    return False


def _makes_syllable(last, code):
    """Say whether two code points are letters of one Hangul syllable."""
    if code < 0x1100:
        return False
    kind, before = _hangul(code), _hangul(last)
    if kind in "VT":
        return before in {"V": "LDV", "T": "DVCT"}[kind]
    return kind in "LCD" and before == "L"


def _hangul(code):
    """Return the kind of a Hangul code point: L, V, T, D (open) or C (closed); or -."""
    if 0xAC00 <= code <= 0xD7A3:
        return "C" if (code - 0xAC00) % 28 else "D"
    if 0x1100 <= code <= 0x115F or 0xA960 <= code <= 0xA97C:
        return "L"
    if 0x1160 <= code <= 0x11A7 or 0xD7B0 <= code <= 0xD7C6:
        return "V"
    if 0x11A8 <= code <= 0x11FF or 0xD7CB <= code <= 0xD7FB:
        return "T"
    return "-"


def split_words(text, segment=None):
    """Return the words, and what lies before, between and after them.

    Parameters
    ----------
    text : str
        Any text.
    segment : callable, default=None
        Splits what is written without spaces: a function from a str without white space
        to the list of its words. None takes each character for a word there.

    Returns
    -------
    words : list of str
        The runs between white space. A run that holds letters of a script without
        spaces is divided into the characters of such letters, with the vowels written
        before or after them, and the runs of others; punctuation stays with its
        neighbour.
    spaces : list of str
        One more than words; empty where no white space lies between two of them.
    """
    words, spaces = _WORD.findall(text), _WORD.split(text)
    if text.isascii() or max(text) < _FIRST_WITHOUT_SPACES:
        return words, spaces
    found, around = [], [spaces[0]]
    for word, space in zip(words, spaces[1:], strict=True):
        parts = [word]
        if _WITHOUT_SPACES.search(word):
            parts = _characters(word) if segment is None else segment(word)
        found += parts
        around += [""] * (len(parts) - 1) + [space]
    return found, around


def _characters(word):
    """Split a run without white space into its characters and foreign words."""
    parts, last = [], ""
    for piece in clusters(word):
        category = unicodedata.category(piece[0])
        is_own = bool(_WITHOUT_SPACES.match(piece)) and category[0] not in "PS"
        if piece[0] in WITH_NEXT or category in ("Ps", "Pi"):
            kind = "opens"
        elif is_own:
            kind = "own"
        else:
            kind = "closes" if category[0] == "P" else "other"
        joins = (
            last == "opens"
            or kind == "closes"
            or (kind == "own" and last == "own" and piece[0] in WITH_LAST)
            or (kind == "other" and last == "other")
        )
        if parts and joins:
            parts[-1] += piece
        else:
            parts.append(piece)
        if kind != "closes" or not last:
            last = kind
    return parts


def join_words(words, spaces):
    """Put words and the white space around them together again."""
    parts = [spaces[0]]
    for word, space in zip(words, spaces[1:], strict=True):
        parts += (word, space)
    return "".join(parts)
