"""Numbers of equal rows, which go on from one batch to the next.

Rows that are equal get independent noise, since they are numbered within a call. Where
the rows of one set come in several calls, the numbers go on inside of
:func:`numbered_over_batches`, so that each row has the noise that it has in one call.
"""

from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from skrobust._keyed_noise.splitmix import occurrence_ranks

_BATCH = ContextVar("skrobust_batch_of_rows", default=None)


class RowNumbers:
    """Numbers of the rows of one batch.

    Parameters
    ----------
    start : int, default=0
        Number of rows in the batches before.
    earlier : sequence of ndarray of int, default=()
        How often the rows of each keyed call were in the batches before.

    Attributes
    ----------
    keys : list of ndarray of uint64
        Keys of the rows of each call.
    """

    def __init__(self, start=0, earlier=()):
        self.start, self.earlier, self.keys = start, earlier, []

    def ranks(self, keys):
        """Return the numbers of the rows of the next call."""
        place, ranks = len(self.keys), occurrence_ranks(keys)
        self.keys.append(keys.copy())
        if place < len(self.earlier) and len(self.earlier[place]) == len(keys):
            ranks = ranks + self.earlier[place].astype(np.uint64)
        return ranks


@contextmanager
def numbered_over_batches(numbers):
    """Set the numbers of the batch whose rows are keyed inside of the context."""
    token = _BATCH.set(numbers)
    try:
        yield numbers
    finally:
        _BATCH.reset(token)


def equal_ranks(keys):
    """Return 0 for the first of equal keys, 1 for the second, over all batches."""
    numbers = _BATCH.get()
    return occurrence_ranks(keys) if numbers is None else numbers.ranks(keys)


def first_row():
    """Return the number of rows in the batches before this one."""
    numbers = _BATCH.get()
    return 0 if numbers is None else numbers.start


class KeyCounts:
    """Multiset of the keys of rows: 8 bytes each, in sorted blocks."""

    def __init__(self):
        self.blocks = []

    def count(self, keys):
        """Return how often each key is there, shape (n_keys,)."""
        found = np.zeros(len(keys), dtype=np.int64)
        for block in self.blocks:
            found += np.searchsorted(block, keys, side="right")
            found -= np.searchsorted(block, keys, side="left")
        return found

    def add(self, keys):
        """Add keys; blocks of about the same size are joined."""
        block = np.sort(keys)
        while self.blocks and len(self.blocks[-1]) <= 2 * len(block):
            block = np.concatenate([self.blocks.pop(), block])
            block.sort(kind="stable")  # which merges sorted halves
        self.blocks.append(block)

    def copy(self):
        """Return the same keys in an object of their own; blocks never change."""
        other = KeyCounts()
        other.blocks = list(self.blocks)
        return other


class EarlierRows:
    """Keys of earlier rows of several conditions, kept once where they are the same."""

    def __init__(self):
        self._streams = {}  # by condition and call

    def before(self, condition, keys):
        """Return how often the rows of each call of a condition came before."""
        found = []
        for call, own in enumerate(keys):
            stream = self._streams.get((condition, call))
            known = None if stream is None else stream[1]
            found.append(np.zeros(len(own), int) if known is None else known.count(own))
        return found

    def add(self, keys_of):
        """Add the keys of a batch, lists by condition."""
        made = {}
        for condition, keys in keys_of.items():
            for call, own in enumerate(keys):
                before = self._streams.get((condition, call), (0, None))
                name = hash((before[0], own.tobytes()))
                if (before[0], name) not in made:
                    stream = KeyCounts() if before[1] is None else before[1].copy()
                    stream.add(own)
                    made[before[0], name] = name, stream
                self._streams[condition, call] = made[before[0], name]
