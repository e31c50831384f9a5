"""Changes of text form: case, punctuation, accents and digits."""

import re
import string
import unicodedata

from skrobust._parameters import Choice
from skrobust._text_units import clusters, join_words, split_words
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.texts.text_perturbation import (
    TextPerturbation,
    select_places,
)

_PUNCTUATION = frozenset(string.punctuation)
# Combining diacritical marks, the points of Hebrew, the signs of Arabic vowels.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u064b-\u0652\u0670]"
)


class _Form(TextPerturbation):
    """Base class of changes of a share of words or characters, all by default."""

    _strengths = {"share": Strength((0.2, 0.4, 0.6, 0.8, 1.0), high=1)}

    def _severity(self):
        return self.severity

    def _share(self):
        if self.severity is None and self.share is None:
            return 1.0
        return self._strength()

    def _change_words(self, text, rng, change):
        words, spaces = split_words(text)
        for i, _ in select_places(rng, len(words), self._share()):
            words[i] = change(words[i])
        return join_words(words, spaces)


class CaseChange(_Form):
    """Change of words to lower, upper or title case.

    Cases are those of Unicode, so that a text may grow (the German sharp s becomes SS).

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 20, 40, 60, 80, 100 % of the words (our choice: no table is
        published). 0 changes nothing. With neither this nor ``share``, all words.
    share : float in [0, 1], default=None
        Probability that a word is changed; None is all words.
    case : {"lower", "upper", "title"}, default="lower"
        The case that the words get.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int changes the same words of the same document.

    Examples
    --------
    >>> from skrobust.perturbations import CaseChange
    >>> CaseChange(case="title").transform(["don't PANIC"])
    ["Don't Panic"]
    """

    _parameter_rules = {"case": Choice("lower", "upper", "title")}
    _strong_params = {"share": 0.5, "case": "upper"}

    def __init__(self, severity=None, *, share=None, case="lower", **shared):
        super().__init__(severity, share=share, **shared)
        self.case = case

    def _perturb_text(self, text, rng):
        return self._change_words(text, rng, _CASES[self.case])

    @property
    def _target(self):
        return f"a word that {self.case} case would change"

    def _can_change(self, text):
        return any(_CASES[self.case](word) != word for word in split_words(text)[0])


_CASES = {"lower": str.lower, "upper": str.upper, "title": str.capitalize}


class PunctuationRemoval(_Form):
    """Removal of punctuation: Unicode punctuation and ASCII symbols.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 20, 40, 60, 80, 100 % of the marks (our choice: no table is
        published). 0 changes nothing. With neither this nor ``share``, all marks.
    share : float in [0, 1], default=None
        Probability that a mark is left out; None is all marks.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int leaves the same marks out of the same document.

    Examples
    --------
    >>> from skrobust.perturbations import PunctuationRemoval
    >>> PunctuationRemoval().transform(["Well, (yes)!"])
    ['Well yes']
    """

    _strong_params = {"share": 0.5}
    _target = "punctuation"

    def _perturb_text(self, text, rng):
        pieces = clusters(text)
        for i, _ in select_places(rng, len(pieces), self._share()):
            if _is_punctuation(pieces[i]):
                pieces[i] = ""
        return "".join(pieces)

    def _can_change(self, text):
        return any(map(_is_punctuation, clusters(text)))


def _is_punctuation(piece):
    return len(piece) == 1 and (
        piece in _PUNCTUATION or unicodedata.category(piece)[0] == "P"
    )


class AccentRemoval(_Form):
    """Removal of accents from letters.

    An accent is a combining diacritical mark (U+0300 to U+036F) in the canonical
    decomposition of a letter; so crossed and slashed letters, which have none, stay.
    The points of Hebrew and the vowel signs of Arabic, which readers leave out, are
    accents too. Vowel signs of Indic scripts and Thai, and the voiced marks of kana,
    are parts of the spelling and stay.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 20, 40, 60, 80, 100 % of the words (our choice: no table is
        published). 0 changes nothing. With neither this nor ``share``, all words.
    share : float in [0, 1], default=None
        Probability that a word loses its accents; None is all words.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int changes the same words of the same document.

    Examples
    --------
    >>> from skrobust.perturbations import AccentRemoval
    >>> AccentRemoval().transform(["caf\u00e9 na\u00efve"])
    ['cafe naive']
    """

    _strong_params = {"share": 0.5}
    _target = "accents"

    def _perturb_text(self, text, rng):
        if text.isascii():
            return text
        return self._change_words(text, rng, _without_accents)

    def _can_change(self, text):
        return not text.isascii() and _without_accents(text) != text


def _without_accents(word):
    apart = unicodedata.normalize("NFD", word)
    bare = _ACCENTS.sub("", apart)
    # A word without accents keeps its very code points.
    return word if bare == apart else unicodedata.normalize("NFC", bare)


class DigitChange(_Form):
    """Replacement of decimal digits by other digits of the same script.

    Numerals that are no decimal digits (Roman, Chinese) stay.
    With one ``random_state`` the digits changed at a low share are changed to the same
    ones at every higher share.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 20, 40, 60, 80, 100 % of the digits (our choice: no table is
        published). 0 changes nothing. With neither this nor ``share``, all digits.
    share : float in [0, 1], default=None
        Probability that a digit is changed; None is all digits.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int changes the same digits of the same document.

    Examples
    --------
    >>> from skrobust.perturbations import DigitChange
    >>> new = DigitChange(random_state=0).transform(["room 101"])[0]
    >>> new[:5], [a != b for a, b in zip(new[5:], "101", strict=True)]
    ('room ', [True, True, True])
    """

    _strong_params = {"share": 0.8}
    _target = "decimal digits"

    def _perturb_text(self, text, rng):
        pieces = list(text)
        for i, v in select_places(rng, len(pieces), self._share()):
            if pieces[i].isdecimal():
                value = unicodedata.decimal(pieces[i])
                new = int(v * 9)
                pieces[i] = chr(ord(pieces[i]) - value + new + (new >= value))
        return "".join(pieces)

    def _can_change(self, text):
        return any(char.isdecimal() for char in text)
