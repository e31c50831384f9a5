"""Perturbations of words: white space, drop, swap and truncation."""

from skrobust._parameters import Choice
from skrobust._text_units import clusters, join_words
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.texts.segmented_text import SegmentedText
from skrobust.perturbations.texts.text_perturbation import (
    LETTER_RATE,
    WORD_RATE,
    Kinds,
    select_places,
)


class WhitespaceErrors(SegmentedText):
    """White-space errors: words split by a space, or joined.

    Each word of two or more characters is split at a random place with probability
    ``rate``, and each white space between two words is lost with probability ``rate``.
    Where no white space follows a word, as in Chinese, one appears there instead.
    With one ``random_state`` what is hit at a low rate is hit at every higher one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By rates of .01, .02, .05, .1, .2. 0 changes nothing. With neither this nor
        ``rate``, severity 1 holds.
    rate : float in [0, 1], default=None
        Probability of a split per word and of a join per space.
    kinds : tuple of {"split", "join"}, default=("split", "join")
        What happens.
    segmenter : "icu" or callable, default=None
        Words of scripts without spaces (Chinese, Japanese, Thai, ...): None takes each
        character for a word; "icu" takes words from the dictionaries of ICU (extra
        ``text``); a function returns the words of a str without white space as a list.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same errors in the same document.

    Examples
    --------
    >>> from skrobust.perturbations import WhitespaceErrors
    >>> WhitespaceErrors(rate=1.0, kinds=("join",)).transform(["to be or not"])
    ['tobeornot']
    """

    _strengths = {"rate": LETTER_RATE}
    _parameter_rules = {"kinds": Kinds("split", "join")}
    _strong_params = {"rate": 0.5}
    _target = "words to split or join"

    def __init__(self, severity=None, *, rate=None, kinds=("split", "join"), **shared):
        super().__init__(severity, **shared)
        self.rate = rate
        self.kinds = kinds

    def _perturb_text(self, text, rng):
        rate = self._strength()
        words, spaces = self._split(text)
        splits = select_places(rng, len(words), rate)
        # Each of these words is joined with the one after it.
        joins = [i for i, _ in select_places(rng, len(words), rate) if spaces[i + 1]]
        for i, v in splits if "split" in self.kinds else ():
            pieces = clusters(words[i])
            if i + 1 < len(words) and not spaces[i + 1]:
                spaces[i + 1] = " "
            elif len(pieces) > 1:
                place = 1 + int(v * (len(pieces) - 1))
                head, tail = "".join(pieces[:place]), "".join(pieces[place:])
                words[i] = f"{head} {tail}"
        for i in joins if "join" in self.kinds else ():
            if i + 1 < len(words):
                spaces[i + 1] = ""
        return join_words(words, spaces)

    def _can_change(self, text):
        words, spaces = self._split(text)
        joins = "join" in self.kinds and any(spaces[1:-1])
        return joins or (
            "split" in self.kinds
            and (not all(spaces[1:-1]) or any(len(clusters(w)) > 1 for w in words))
        )


class WordDrop(SegmentedText):
    """Random deletion of words.

    Each word is left out with probability ``rate``, but the last one left of a document
    stays. With one ``random_state`` the words left out at a low rate are left out at
    every higher one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By rates of .02, .05, .1, .2, .4. 0 changes nothing. With neither this nor
        ``rate``, severity 1 holds.
    rate : float in [0, 1], default=None
        Probability that a word is left out.
    segmenter : "icu" or callable, default=None
        Words of scripts without spaces (Chinese, Japanese, Thai, ...): None takes each
        character for a word; "icu" takes words from the dictionaries of ICU (extra
        ``text``); a function returns the words of a str without white space as a list.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int leaves the same words out of the same document.

    Examples
    --------
    >>> from skrobust.perturbations import WordDrop
    >>> text = ["the quick brown fox jumps over the lazy dog"]
    >>> WordDrop(rate=0.4, random_state=0).transform(text)
    ['brown fox jumps over lazy dog']
    """

    _strengths = {"rate": WORD_RATE}
    _strong_params = {"rate": 0.4}
    _target = "two words"

    def _perturb_text(self, text, rng):
        rate = self._strength()
        words, spaces = self._split(text)
        if len(words) < 2:
            return text
        draws = [rng.random() for _ in words]
        stays = max(draws)
        kept = [i for i, u in enumerate(draws) if u >= rate or u == stays]
        parts = [spaces[0], words[kept[0]]]
        for i in kept[1:]:
            parts += (spaces[i], words[i])
        return "".join([*parts, spaces[-1]])

    def _can_change(self, text):
        return len(self._split(text)[0]) > 1


class WordSwap(SegmentedText):
    """Random swaps of neighbouring words.

    Each word changes place with the next one (the last with the one before) with
    probability ``rate``, from the first to the last; white space stays where it is.
    With one ``random_state`` the words hit at a low rate are hit at every higher one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By rates of .02, .05, .1, .2, .4. 0 changes nothing. With neither this nor
        ``rate``, severity 1 holds.
    rate : float in [0, 1], default=None
        Probability that a word is swapped.
    segmenter : "icu" or callable, default=None
        Words of scripts without spaces (Chinese, Japanese, Thai, ...): None takes each
        character for a word; "icu" takes words from the dictionaries of ICU (extra
        ``text``); a function returns the words of a str without white space as a list.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same swaps in the same document.

    Examples
    --------
    >>> from skrobust.perturbations import WordSwap
    >>> WordSwap(rate=0.4, random_state=0).transform(["a b c d e f"])
    ['a c b e f d']
    """

    _strengths = {"rate": WORD_RATE}
    _strong_params = {"rate": 0.4}
    _grows_with_severity = False
    _target = "two different words next to each other"

    def _perturb_text(self, text, rng):
        words, spaces = self._split(text)
        if len(words) < 2:
            return text
        for i, _ in select_places(rng, len(words), self._strength()):
            j = i + 1 if i + 1 < len(words) else i - 1
            words[i], words[j] = words[j], words[i]
        return join_words(words, spaces)

    def _can_change(self, text):
        return len(set(self._split(text)[0])) > 1


class Truncation(SegmentedText):
    """Truncation of documents.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 90, 75, 50, 30, 20 % that are kept. 0 changes nothing. With
        neither this nor ``keep``, severity 1 holds.
    keep : float in (0, 1], default=None
        Share of the words or characters that is kept, rounded, at least one.
    unit : {"word", "character"}, default="word"
        What is counted. Characters keep their combining marks.
    side : {"end", "start"}, default="end"
        Where the document is cut off.
    segmenter : "icu" or callable, default=None
        Words of scripts without spaces (Chinese, Japanese, Thai, ...): None takes each
        character for a word; "icu" takes words from the dictionaries of ICU (extra
        ``text``); a function returns the words of a str without white space as a list.
    columns : str, int or list of these, default=None
        Columns of text in a table; None is all columns.
    random_state : object, default=None
        Not used: nothing is random.

    Examples
    --------
    >>> from skrobust.perturbations import Truncation
    >>> Truncation(keep=0.5).transform(["to be or not", "thing"])
    ['to be', 'thing']
    """

    _strengths = {
        "keep": Strength((0.9, 0.75, 0.5, 0.3, 0.2), zero=1.0, high=1, low_open=True)
    }
    _parameter_rules = {
        "unit": Choice("word", "character"),
        "side": Choice("end", "start"),
    }
    _noise = "fixed"
    _strong_params = {"keep": 0.5}
    _target = "two words or characters"

    def __init__(self, severity=None, *, keep=None, unit="word", side="end", **shared):
        super().__init__(severity, **shared)
        self.keep = keep
        self.unit = unit
        self.side = side

    def _perturb_text(self, text, rng):
        keep = self._strength()
        if self.unit == "character":
            pieces = clusters(text)
            count = max(1, round(keep * len(pieces)))
            first = 0 if self.side == "end" else len(pieces) - count
            return "".join(pieces[first : first + count])
        words, spaces = self._split(text)
        count = max(1, round(keep * len(words)))
        if count >= len(words):
            return text
        if self.side == "end":
            return join_words(words[:count], [*spaces[:count], ""])
        return join_words(words[-count:], ["", *spaces[-count:]])

    def _can_change(self, text):
        is_character = self.unit == "character"
        return len(clusters(text) if is_character else self._split(text)[0]) > 1
