"""Search for the words of texts whose replacement fools or moves a model most."""

import numpy as np

from skrobust.attacks.texts.word_search import beam_search, best_of_sums


class TextSearch:
    """Search for the words to replace, for one text after the other.

    Parameters
    ----------
    attack : WordSubstitution
        Its budget, beam and objective.
    scores : TextScores
        The model.
    words : list of Words
        The texts.
    is_exact : bool
        Whether the scores of the model add up over words.
    """

    def __init__(self, attack, scores, words, is_exact):
        self._attack, self._scores, self._words = attack, scores, words
        self._stops = attack.objective in (None, "misclassification")
        self.is_exact = is_exact

    def row(self, row, clean, own):
        """Return the swaps for a row whose class ``own`` is driven down (or up)."""
        words = self._words[row]
        singles = [{place: word} for place, word in words.singles()]
        if not singles:
            return {}
        answers = self._ask(row, singles)
        if self._stops:
            return self._fool(row, words, clean, own, answers)
        found = [self._drive(row, words, clean, own, answers, -1)]
        if self._attack.objective == "probability_shift":
            found.append(self._drive(row, words, clean, own, answers, 1))
        return max(found, key=lambda pair: pair[1])[0]

    def _ask(self, row, swaps):
        texts = [self._words[row].changed(one) for one in swaps]
        return self._scores(texts, np.full(len(texts), row))

    def _fool(self, row, words, clean, own, answers):
        """Return the fewest words found that lift another class above ``own``."""
        n_words, best = self._attack.n_words, ({}, -np.inf, np.inf)
        if self.is_exact:
            for rival in range(len(clean)):
                if rival == own:
                    continue
                margin = clean[rival] - clean[own]
                gains = answers[:, rival] - answers[:, own] - margin
                swaps, gain = best_of_sums(words, gains, n_words, -margin)
                fools = margin + gain > 0
                size = len(swaps) if fools else np.inf
                if (size, -(margin + gain)) < (best[2], -best[1]):
                    best = swaps, margin + gain, size
            return best[0] if best[2] < np.inf else {}

        def margins(scores):
            others = np.delete(scores, own, axis=1)
            return others.max(axis=1) - scores[:, own]

        def ask(swaps):
            return margins(self._ask(row, swaps))

        return self._beam(words, ask, margins(answers), lambda value: value > 0)[0]

    def _drive(self, row, words, clean, own, answers, sign):
        """Return swaps that move the probability of a class, and by how much."""

        def share(scores):
            top = scores.max(axis=1, keepdims=True)
            p = np.exp(scores - top)
            return p[:, own] / p.sum(axis=1)

        start = share(clean[None])[0]

        def ask(swaps):
            return sign * (share(self._ask(row, swaps)) - start)

        gains = sign * (share(answers) - start)
        if self.is_exact and len(clean) == 2:  # the log odds add up
            odds = answers[:, own] - answers[:, 1 - own]
            odds = sign * (odds - (clean[own] - clean[1 - own]))
            swaps, _ = best_of_sums(words, odds, self._attack.n_words)
            return swaps, float(ask([swaps])[0]) if swaps else 0.0
        swaps, value = self._beam(words, ask, gains, lambda value: False)
        return (swaps, float(value)) if value > 0 else ({}, 0.0)

    def _beam(self, words, ask, gains, is_done):
        attack = self._attack
        settings = attack.n_words, attack.n_beams, attack.n_expansions
        return beam_search(words, ask, gains, settings, is_done)
