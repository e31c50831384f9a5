"""Base class of perturbations of words, which says what a word is."""

import unicodedata

from skrobust._optional import require
from skrobust._text_units import split_words
from skrobust._validation import invalid
from skrobust.perturbations.texts.text_perturbation import TextPerturbation


class Segmenter:
    """None, "icu" or a function."""

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        named = isinstance(value, str) and value == "icu"
        if not (value is None or named or callable(value)):
            raise invalid(name, caller, 'None, "icu" or a function', value)


class SegmentedText(TextPerturbation):
    """Base class of perturbations of words.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength; 0 changes nothing.
    segmenter : "icu" or callable, default=None
        Words of scripts without spaces: None takes each character for a word; "icu"
        takes words from the dictionaries of ICU; a function returns the words of a str
        without white space as a list.
    **shared : object
        As in :class:`TextPerturbation`.
    """

    _parameter_rules = {"segmenter": Segmenter()}

    def __init__(self, severity=None, *, segmenter=None, **shared):
        super().__init__(severity, **shared)
        self.segmenter = segmenter

    def _split(self, text):
        """Return the words and the white space around them."""
        segmenter, caller = self.segmenter, type(self).__name__
        if segmenter is None:
            return split_words(text)
        if segmenter == "icu":
            breaker = require("icu4py.breakers", caller, extra="text").WordBreaker
            return split_words(text, lambda run: _icu_words(run, breaker))
        return split_words(text, lambda run: _checked(segmenter, run, caller))


def _checked(segmenter, run, caller):
    """Return the words of a user's function, which must be those of the text."""
    words = segmenter(run)
    if (
        not isinstance(words, (list, tuple))
        or not all(isinstance(word, str) and word for word in words)
        or "".join(words) != run
    ):
        raise ValueError(
            f"The 'segmenter' of {caller} must return a list of words that make up its "
            f"text {run!r:.60}. Got {words!r:.60}."
        )
    return list(words)


def _icu_words(run, breaker):
    """Return the words that ICU finds, punctuation with its neighbour."""
    words, opening = [], ""
    for segment in breaker(run, "en_US"):
        category = unicodedata.category(segment[0])
        if category in ("Ps", "Pi"):
            opening += segment
        elif category[0] == "P" and words and not opening:
            words[-1] += segment
        else:
            words.append(opening + segment)
            opening = ""
    if opening:
        words.append(opening)
    return words
