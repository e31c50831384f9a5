"""Texts as words, and what may stand in the place of each."""

import re
from itertools import pairwise

_WORD = re.compile(r"\w+")


class Words:
    """A text cut at its words, which may be replaced.

    Parameters
    ----------
    text : str
        The text.
    choices : callable
        From a word to the words that may replace it.
    """

    def __init__(self, text, choices):
        spans = [match.span() for match in _WORD.finditer(text)]
        edges = [0, *(edge for span in spans for edge in span), len(text)]
        self._pieces = [text[a:b] for a, b in pairwise(edges)]
        self.choices = [choices(text[a:b]) for a, b in spans]

    def changed(self, swaps):
        """Return the text with words replaced.

        Parameters
        ----------
        swaps : dict of int to str
            New words by the place of the word.
        """
        pieces = list(self._pieces)
        for place, word in swaps.items():
            pieces[2 * place + 1] = word
        return "".join(pieces)

    def singles(self):
        """Return all pairs of a place and a word that may stand there."""
        pairs = enumerate(self.choices)
        return [(place, word) for place, words in pairs for word in words]


def reader_of_choices(substitutions, typos):
    """Return the function from a word to the words that may replace it.

    Parameters
    ----------
    substitutions : dict, callable or None
        As :class:`skrobust.attacks.WordSubstitution` takes it.
    typos : bool
        Whether misspellings are among them.
    """

    def choices(word):
        found = []
        if callable(substitutions):
            found = list(substitutions(word))
        elif substitutions is not None:
            known = substitutions.get(word)
            if known is None:
                known = substitutions.get(word.lower(), ())
            found = [_with_case(new, word) for new in known]
        if typos:
            found += misspellings(word)
        return [new for new in dict.fromkeys(found) if new != word]

    return choices


def _with_case(new, word):
    if word.isupper() and len(word) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if word[:1].isupper() else new


def misspellings(word):
    """Return misspellings of a word whose first and last letter stay.

    Neighbours are swapped, and letters are left out; words below four letters have
    none.
    """
    if len(word) < 4 or not word.isalpha():
        return []
    inner = range(1, len(word) - 1)
    left_out = [word[:i] + word[i + 1 :] for i in inner]
    swapped = [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in inner[:-1]]
    return swapped + left_out
