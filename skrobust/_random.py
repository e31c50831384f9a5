"""Noise as a pure function of a key, so that no order, batch or backend can change it.

A key is made of the seed, of names and numbers that say which draw is meant, and of
the *content* of each row. Rows with short content are served by one vectorised
counter-based generator (SplitMix64: Steele, Lea and Flood, OOPSLA 2014); long rows
(images) by one SFC64 generator each, which is faster per number.
"""

import hashlib
import json
import numbers

import numpy as np
from scipy.special import ndtri

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LONG_ROW = 1024  # numbers per row from which a generator of its own is cheaper
_CHUNK = 1 << 20  # numbers generated at a time by the vectorised path


def _mix(z):
    """Scramble unsigned 64-bit integers (the finaliser of SplitMix64)."""
    z = z.astype(np.uint64, copy=True)
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z


def stream_number(*parts):
    """Return one 64-bit number for a tuple of names and numbers."""
    # A numpy integer is the number that it holds.
    parts = [int(p) if isinstance(p, numbers.Integral) else p for p in parts]
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def seed_number(random_state, owner):
    """Turn a ``random_state`` into a number that does not depend on earlier calls.

    An int is itself, None is fresh entropy, and a generator is *read, never
    advanced*: its present state is the seed. So a shared generator gives the same
    noise to every fold, with any number of jobs.
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, numbers.Integral) and not isinstance(
        random_state, bool
    ):
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        state = random_state.get_state(legacy=True)
        return stream_number(state[0], state[1].tobytes(), *state[2:])
    if isinstance(random_state, np.random.Generator):
        state = random_state.bit_generator.state
        return stream_number(json.dumps(state, default=np.ndarray.tolist))
    raise ValueError(
        f"The 'random_state' parameter of {owner} must be None, an int, a RandomState "
        f"or a Generator. Got {random_state!r} instead."
    )


def row_keys(X):
    """Hash the content of each row to 64 bits.

    Content is the row in C order as float32, with -0.0 read as 0.0 and every NaN as
    the same NaN, so a frame equals its array and float64 equals its float32 cast.
    Integers that float32 cannot hold count by what it leaves of them, too. The hash is
    multilinear over 32-bit words (Lemire and Kaser, 2014).

    Parameters
    ----------
    X : ndarray of shape (n_samples, ...)
        Numbers of any dtype.

    Returns
    -------
    ndarray of shape (n_samples,), uint64
        One key a row; equal rows have equal keys.
    """
    flat = X.reshape(len(X), -1)
    width = flat.shape[1]
    position = np.arange(1, 4 * width + 3, dtype=np.uint64) * _GOLDEN
    weights = _mix(position)
    offsets, weights = weights[:2], weights[2:].reshape(2, 2, width)
    keys = np.empty(len(X), dtype=np.uint64)
    step = max(1, _CHUNK // max(width, 1))
    for start in range(0, len(X), step):
        with np.errstate(over="ignore"):
            words = np.array(flat[start : start + step], dtype=np.float32, order="C")
        words += np.float32(0)  # -0.0 becomes 0.0
        words[np.isnan(words)] = np.nan
        bits = words.view(np.uint32).astype(np.uint64)
        sums = [
            bits @ row + offset for row, offset in zip(weights[0], offsets, strict=True)
        ]
        if flat.dtype.kind in "iu" and flat.dtype.itemsize > 2:
            rest = flat[start : start + step].astype(np.float64) - words
            bits = rest.astype(np.float32).view(np.uint32).astype(np.uint64)
            sums = [s + bits @ row for s, row in zip(sums, weights[1], strict=True)]
        high = sums[0] & np.uint64(0xFFFFFFFF00000000)
        keys[start : start + step] = _mix(high | (sums[1] >> np.uint64(32)))
    return keys


def occurrence_ranks(keys):
    """Return 0 for the first of equal keys, 1 for the second, and so on."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    place = np.arange(len(keys))
    first = np.maximum.accumulate(np.where(new, place, 0))
    ranks = np.empty(len(keys), dtype=np.uint64)
    ranks[order] = (place - first).astype(np.uint64)
    return ranks


class NoiseKey:
    """The keys of the rows of one call, from which every draw follows.

    Parameters
    ----------
    seeds : ndarray of shape (n_samples,), uint64
        One seed a row.
    """

    def __init__(self, seeds):
        self.seeds = seeds

    @classmethod
    def from_rows(cls, X, seed):
        """Key rows by their content, their rank among equal rows, and a seed."""
        return cls.from_keys(row_keys(X), seed)

    @classmethod
    def from_keys(cls, keys, seed):
        """Key rows by hashes of their content, numbered where equal, and a seed."""
        ranks = occurrence_ranks(keys) * _GOLDEN
        return NoiseKey(_mix(keys + ranks)).derive("seed", seed)

    def derive(self, *parts):
        """Return the keys of a sub-stream named by strings and numbers."""
        return NoiseKey(_mix(self.seeds ^ np.uint64(stream_number(*parts))))

    def take(self, rows):
        """Return the keys of some of the rows."""
        return NoiseKey(self.seeds[rows])

    def generator(self):
        """Return a generator of draws for these rows."""
        return KeyedGenerator(self)


class KeyedGenerator:
    """A small generator with numpy's verbs, in which each row has its own stream.

    Successive calls give new draws. The first axis of ``size`` runs over the rows.

    Parameters
    ----------
    key : NoiseKey
        The keys of the rows.
    """

    def __init__(self, key):
        self._key = key
        self._n_calls = 0

    def _draw(self, size, long_draw, from_uniform):
        size = (size,) if isinstance(size, numbers.Integral) else tuple(size)
        if size[0] != len(self._key.seeds):
            raise ValueError(
                f"A keyed draw needs one row of numbers per sample: size begins with "
                f"{size[0]}, the key has {len(self._key.seeds)} rows."
            )
        seeds = self._key.derive("call", self._n_calls).seeds
        self._n_calls += 1
        width = int(np.prod(size[1:], dtype=np.int64))
        if width >= _LONG_ROW:
            out = np.empty((size[0], width), dtype=np.float32)
            for row, seed in zip(out, seeds, strict=True):
                long_draw(np.random.Generator(np.random.SFC64(int(seed))), row)
            return out.reshape(size)
        out = np.empty((size[0], width), dtype=np.float64)
        counter = np.arange(1, width + 1, dtype=np.uint64) * _GOLDEN
        step = max(1, _CHUNK // max(width, 1))
        for start in range(0, size[0], step):
            bits = _mix(seeds[start : start + step, None] + counter)
            uniform = (bits >> np.uint64(11)) * 2.0**-53 + 2.0**-54
            out[start : start + step] = from_uniform(uniform)
        return out.reshape(size)

    def random(self, size):
        """Draw uniform numbers in (0, 1)."""
        return self._draw(
            size, lambda rng, out: rng.random(out=out, dtype=np.float32), lambda u: u
        )

    def uniform(self, low=0.0, high=1.0, size=None):
        """Draw uniform numbers between ``low`` and ``high``."""
        return low + (high - low) * self.random(size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Draw normal numbers of mean ``loc`` and standard deviation ``scale``."""
        z = self._draw(
            size, lambda rng, out: rng.standard_normal(out=out, dtype=np.float32), ndtri
        )
        return loc + scale * z
