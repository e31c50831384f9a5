"""Searches for the words of one text whose replacement moves a score most."""

import numpy as np


def best_of_sums(words, gains, n_words, needed=None):
    """Return the best swaps where the gains of single words add up.

    Parameters
    ----------
    words : Words
        The text.
    gains : list of float
        Of each pair of ``words.singles()``.
    n_words : int
        Most words that may be replaced.
    needed : float, default=None
        A gain above which no further word is replaced.

    Returns
    -------
    swaps : dict of int to str
        With the largest sum of gains of all choices of at most n_words, or the fewest
        words whose sum is above ``needed``.
    gain : float
        Their sum.
    """
    best = {}
    for (place, word), gain in zip(words.singles(), gains, strict=True):
        if gain > best.get(place, (0.0, ""))[0]:
            best[place] = gain, word
    order = sorted(best, key=lambda place: (-best[place][0], place))
    swaps, total = {}, 0.0
    for place in order[:n_words]:
        if needed is not None and total > needed:
            break
        total += best[place][0]
        swaps[place] = best[place][1]
    return swaps, total


def beam_search(words, ask, gains, settings, is_done):
    """Return the best swaps found by a beam of partial solutions.

    At each step every text of the beam gets one more word, from the single swaps with
    the largest gains; the best ``n_beams`` of all stay.

    Parameters
    ----------
    words : Words
        The text.
    ask : callable
        From a list of swaps to an array of their values.
    gains : list of float
        Values of each pair of ``words.singles()``.
    settings : tuple of (n_words, n_beams, n_expansions)
        Most words replaced, texts kept, and single swaps tried on each.
    is_done : callable
        From a value to whether the search is over.

    Returns
    -------
    swaps : dict of int to str
        The best of all that were asked about.
    value : float
        Its value.
    """
    n_words, n_beams, n_expansions = settings
    singles = words.singles()
    ranked = np.argsort(-np.asarray(gains), kind="stable")
    beam = [{singles[i][0]: singles[i][1]} for i in ranked[:n_beams]]
    best = beam[0], gains[ranked[0]]
    for _ in range(n_words - 1):
        if is_done(best[1]):
            break
        found = {}
        for swaps in beam:
            more = (singles[i] for i in ranked if singles[i][0] not in swaps)
            for (place, word), _ in zip(more, range(n_expansions), strict=False):
                new = {**swaps, place: word}
                found[tuple(sorted(new.items()))] = new
        if not found:
            break
        candidates = list(found.values())
        values = ask(candidates)
        order = np.argsort(-values, kind="stable")[:n_beams]
        beam = [candidates[i] for i in order]
        if values[order[0]] > best[1]:
            best = beam[0], values[order[0]]
    return best
