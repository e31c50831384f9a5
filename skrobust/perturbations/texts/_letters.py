"""Perturbations of letters: typos, recognition errors and homoglyphs."""

import math
from bisect import bisect_right
from itertools import accumulate

from skrobust._parameters import Choice
from skrobust._text_units import clusters
from skrobust._validation import invalid
from skrobust.perturbations.texts.scripts.latin import CONFUSED_PAIRS, LAYOUTS
from skrobust.perturbations.texts.scripts.lookup import (
    confusions,
    double,
    has_kana,
    near_pieces,
    shortened,
)
from skrobust.perturbations.texts.text_perturbation import (
    Kinds,
    TextErrors,
    pick,
    select_places,
)

# Shares of the kinds among slips, as in the text tests of Giskard.
_KINDS = {"insert": 0.2, "delete": 0.2, "replace": 0.5, "transpose": 0.1}


class Typos(TextErrors):
    """Keyboard typos: letters inserted, deleted, replaced or transposed.

    The number of slips in a document is Poisson distributed with mean ``rate`` times
    its number of letters. Each falls on a random letter, and slips on one letter count
    as one, so that a letter is hit with probability ``1 - exp(-rate)``. Inserted and
    replacing letters are neighbours on the keyboard, in the case of the letter that is
    hit; a transposed letter changes place with the next of its word (the last with the
    one before). Letters keep their marks.

    Letters of other scripts are hit on keyboards of their own: Cyrillic, Greek, Arabic,
    Hebrew, Devanagari (InScript), Thai (Kedmanee). In Hangul one letter of a syllable
    is replaced, or the last one deleted; kana are exchanged on the keys of a telephone;
    Chinese characters with others of the same or a near sound (pinyin without tones),
    unless kana beside them show that the text is Japanese. Letters that have no
    keyboard here (accents that the layout lacks, other scripts) are doubled instead of
    joined by a neighbour, and transposed instead of replaced. Which slips a script has
    is our choice.

    With one ``random_state`` the letters hit at a low rate are hit, by the same kind of
    slip, at every higher one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By rates of .01, .02, .05, .1, .2. 0 changes nothing. With neither this nor
        ``rate``, severity 1 holds.
    rate : float in [0, 1], default=None
        Slips per letter.
    kinds : tuple of str, default=("insert", "delete", "replace", "transpose")
        Kinds of slips that occur.
    weights : sequence of float, default=None
        Shares of the kinds; None takes .2, .2, .5, .1 in the order above (those of the
        kinds that occur, scaled to 1).
    layout : {"qwerty", "qwertz", "azerty"}, default="qwerty"
        Keyboard of Latin letters.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same slips in the same document.

    Examples
    --------
    >>> from skrobust.perturbations import Typos
    >>> text = ["the quick brown fox jumps over the lazy dog"]
    >>> Typos(rate=0.1, random_state=0).transform(text)
    ['the aujck brkwn fox jumps oved yhe lazy dog']
    >>> swapped = Typos(rate=0.3, kinds=("transpose",), random_state=0).transform(text)
    >>> sorted(swapped[0]) == sorted(text[0])
    True
    """

    _parameter_rules = {"kinds": Kinds(*_KINDS), "layout": Choice(*LAYOUTS)}
    _strong_params = {"rate": 0.3}
    _target = "letters"

    def __init__(
        self,
        severity=None,
        *,
        rate=None,
        kinds=("insert", "delete", "replace", "transpose"),
        weights=None,
        layout="qwerty",
        **shared,
    ):
        super().__init__(severity, rate=rate, **shared)
        self.kinds = kinds
        self.weights = weights
        self.layout = layout

    def _check_parameters(self):
        super()._check_parameters()
        try:
            weights = self._kind_weights()
            usable = len(weights) == len(self.kinds) and min(weights) >= 0
            usable = usable and 0 < sum(weights) < math.inf
        except (TypeError, ValueError):
            usable = False
        if not usable:
            rule = "None or one non-negative number for each kind, not all 0"
            raise invalid("weights", "Typos", rule, self.weights)

    def _kind_weights(self):
        if self.weights is None:
            return [_KINDS[kind] for kind in self.kinds]
        return [float(weight) for weight in self.weights]

    def _perturb_text(self, text, rng):
        edges = list(accumulate(self._kind_weights(), initial=0.0))
        pieces, is_japanese = clusters(text), has_kana(text)
        for i, v in select_places(rng, len(pieces), -math.expm1(-self._strength())):
            if pieces[i][0].isalpha():
                place = v * edges[-1]
                k = min(bisect_right(edges, place), len(self.kinds)) - 1
                rest = (place - edges[k]) / (edges[k + 1] - edges[k])
                self._slip(pieces, i, self.kinds[k], rest, is_japanese)
        return "".join(pieces)

    def _can_change(self, text):
        return any(char.isalpha() for char in text)

    def _slip(self, pieces, i, kind, v, is_japanese):
        letter = pieces[i]
        instead, beside = near_pieces(letter, self.layout, is_japanese)
        if kind == "delete":
            pieces[i] = shortened(letter)
        elif kind == "insert":
            new, v = pick(v, beside or letter[:1])
            pieces[i] = letter + new if v < 0.5 else new + letter
        elif kind == "replace" and instead:
            pieces[i] = pick(v, instead)[0]
        else:
            j = i + 1 if i + 1 < len(pieces) and pieces[i + 1][0].isalpha() else i - 1
            if j >= 0 and pieces[j][:1].isalpha():
                pieces[i], pieces[j] = pieces[j], pieces[i]


def one_slip(text, rng):
    """Return text with one slip on a letter, as :class:`Typos` makes them.

    Parameters
    ----------
    text : str
        Any text; without a letter it comes back as it is.
    rng : random.Random
        Draws letter and slip.
    """
    pieces = clusters(text)
    letters = [i for i, piece in enumerate(pieces) if piece[0].isalpha()]
    if not letters:
        return text
    # A single letter is not deleted, since nothing would be left.
    kinds = [k for k in _KINDS if len(pieces) > 1 or k in ("insert", "replace")]
    kind = rng.choices(kinds, [_KINDS[k] for k in kinds])[0]
    place, is_japanese = rng.choice(letters), has_kana(text)
    Typos()._slip(pieces, place, kind, rng.random(), is_japanese)
    return "".join(pieces)


class OCRErrors(TextErrors):
    """Optical recognition errors: characters confused with similar ones.

    Each character that has look-alikes (``O`` and ``0``, ``l`` and ``1``, ``rn`` and
    ``m``, Arabic letters that differ by dots, ...; the tables are ours) is confused
    with one of them with probability ``rate``. With one ``random_state`` what is
    confused at a low rate is confused in the same way at every higher one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By rates of .01, .02, .05, .1, .2. 0 changes nothing. With neither this nor
        ``rate``, severity 1 holds.
    rate : float in [0, 1], default=None
        Probability that a character which has look-alikes is confused.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same errors in the same document.

    Examples
    --------
    >>> from skrobust.perturbations import OCRErrors
    >>> OCRErrors(rate=1.0, random_state=0).transform(["5 mm"])
    ['S rnrn']
    """

    _strong_params = {"rate": 0.5}
    _target = "characters with look-alikes in the tables"

    def _perturb_text(self, text, rng):
        pieces = list(text)
        for i, v in select_places(rng, len(pieces), self._strength()):
            options = confusions(pieces[i])
            pair = CONFUSED_PAIRS.get("".join(pieces[i : i + 2]))
            if pair and len(pieces[i]) == 1:
                options = (*options, pair)
            if options:
                new, _ = pick(v, options)
                if pair and new == pair:
                    pieces[i + 1] = ""
                pieces[i] = new
        return "".join(pieces)

    def _can_change(self, text):
        return any(map(confusions, text)) or any(p in text for p in CONFUSED_PAIRS)


class Homoglyphs(TextErrors):
    """Homoglyphs: characters replaced by other code points of the same look.

    People read the same text, machines another. Each character that has such a double
    is replaced with probability ``rate``: Latin letters by Cyrillic ones, Cyrillic and
    Greek ones by Latin ones, Arabic letters by those of Persian, Hebrew letters by
    their wide forms, vowels of Devanagari and Thai by sequences of the same look, Han
    characters by radicals and compatibility ideographs (Unicode Standard, chapter 18),
    kana by the other kana or Han, Hangul syllables by their letters. The length stays,
    but for sequences and Hangul. The choice of doubles is ours. With one
    ``random_state`` what is replaced at a low rate stays replaced at every higher one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By rates of .01, .02, .05, .1, .2 (the ends are published, the steps between
        them our choice). 0 changes nothing. With neither this nor ``rate``, severity 1
        holds.
    rate : float in [0, 1], default=None
        Probability that a character which has a double is replaced.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same letters in the same document.

    Examples
    --------
    >>> from skrobust.perturbations import Homoglyphs
    >>> [hex(ord(c)) for c in Homoglyphs(rate=1.0).transform(["pek"])[0]]
    ['0x440', '0x435', '0x6b']
    """

    _strong_params = {"rate": 0.5}
    _target = "characters with a double in the tables"

    def _perturb_text(self, text, rng):
        pieces = list(text)
        for i, _ in select_places(rng, len(pieces), self._strength()):
            pieces[i] = double(pieces[i]) or pieces[i]
        return "".join(pieces)

    def _can_change(self, text):
        return any(map(double, text))
