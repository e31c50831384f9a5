"""Alarms of a sequential test over streams, and what may raise them but a drop."""

import numpy as np
from draws import LIMITS

from skrobust.sampling import detect_drift

FIRST = 20  # periods whose accuracy the later ones are tested against


def by_period(correct, rows):
    """Return the accuracy of each whole period."""
    n = len(correct) // rows * rows
    return correct[:n].reshape(-1, rows).mean(axis=1)


def alarm(correct, rows):
    """Return the number of later labels at the first alarm, or None.

    The first periods give the accuracy that the later labels are tested against.
    """
    start = FIRST * rows
    baseline = float(correct[:start].mean())
    return detect_drift(~correct[start:], baseline=baseline).alarm_at


def shuffled_alarms(correct, rows, n_shuffles):
    """Return how many shuffles of the later labels give an alarm, and the median place.

    Shuffled labels are as many failures that do not come together.
    """
    start, found = FIRST * rows, []
    for seed in range(n_shuffles):
        later = np.random.default_rng(seed).permutation(correct[start:])
        found.append(alarm(np.r_[correct[:start], later], rows))
    at = [place for place in found if place is not None]
    return len(at), np.median(at) if at else np.nan


def later_less_first(accuracy, n_draws=1000):
    """Return the difference of the later periods and the first, over drawn periods."""
    first, later, rng = accuracy[:FIRST], accuracy[FIRST:], np.random.default_rng(0)
    draws = [
        rng.choice(later, len(later)).mean() - rng.choice(first, len(first)).mean()
        for _ in range(n_draws)
    ]
    return later.mean() - first.mean(), tuple(np.percentile(draws, LIMITS))


def alarm_row(stream, name, kind, correct, rows, n_shuffles):
    """Return what the test says about one series, and why it may."""
    at = alarm(correct, rows)
    difference, interval = later_less_first(by_period(correct, rows))
    n_alarms, median = shuffled_alarms(correct, rows, n_shuffles)
    return {
        "stream": stream,
        "model": name,
        "kind": kind,
        "first periods": correct[: FIRST * rows].mean(),
        "later less first": difference,
        "95 %": interval,
        "correlation of neighbours": np.corrcoef(correct[1:], correct[:-1])[0, 1],
        "alarm at label": "none" if at is None else at,
        "in period": "none" if at is None else FIRST + (at - 1) // rows,
        "shuffles": n_shuffles,
        "shuffled alarms": n_alarms,
        "median label": median,
    }
