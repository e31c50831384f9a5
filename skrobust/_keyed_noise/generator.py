"""Noise as a pure function of a key, so that no order, batch or backend can change it.

A key is made of the seed, of names and numbers that say which draw is meant, and of
the *content* of each row. All draws come from one vectorised counter-based generator
(SplitMix64: Steele, Lea and Flood, OOPSLA 2014), which needs no object per row; normal
numbers from it by a vectorised ziggurat (Marsaglia and Tsang, 2000).
"""

import hashlib
import json
import numbers

import numpy as np

from skrobust._keyed_noise.splitmix import GOLDEN as _GOLDEN
from skrobust._keyed_noise.splitmix import chunks, mix_in_place, to_normal, to_uniform

_LONG_ROW = 1024  # numbers per row from which float32 is enough (images)


def _mix(z):
    return mix_in_place(z.astype(np.uint64, copy=True))


def stream_number(*parts):
    """Return one 64-bit number for a tuple of names and numbers."""
    # A numpy integer is the number that it holds.
    parts = [int(p) if isinstance(p, numbers.Integral) else p for p in parts]
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def seed_number(random_state, caller):
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
        f"The 'random_state' parameter of {caller} must be None, an int, a RandomState "
        f"or a Generator. Got {random_state!r} instead."
    )


def _weights(name, n):
    place = np.arange(1, n + 1, dtype=np.uint64) * _GOLDEN
    return mix_in_place(place + np.uint64(stream_number(name)))


def _hash(words, weights, spare):
    """Hash rows of 32-bit words to 64 bits: multilinear (Lemire and Kaser, 2014)."""
    spare = spare[: len(words)]
    np.copyto(spare, words)
    words = spare
    high, low = (
        np.einsum("ij,j->i", words, row[1:]) + row[0] for row in np.split(weights, 2)
    )
    return mix_in_place((high & np.uint64(0xFFFFFFFF00000000)) | (low >> np.uint64(32)))


def _hash_bytes(rows):
    """Hash rows of small integers, four to a word."""
    n_words = -(-rows.shape[1] // 4)
    weights = _weights("bytes", 2 * n_words + 2)
    keys = np.empty(len(rows), dtype=np.uint64)
    parts = chunks(len(rows), n_words)
    spare = np.empty((len(keys[parts[0]]), n_words), dtype=np.uint64)
    padded = np.zeros((len(spare), 4 * n_words), dtype=np.uint8)
    for part in parts:
        words = padded[: len(keys[part])]
        np.copyto(words[:, : rows.shape[1]], rows[part], casting="unsafe")
        keys[part] = _hash(words.view("<u4"), weights, spare)
    return keys


def _are_bytes(rows):
    """Say which rows hold nothing but integers from 0 to 255."""

    def small(values):
        return (values >= 0) & (values <= 255) & (np.floor(values) == values)

    # The first column rules out nearly all rows that are something else.
    found = small(rows[:, 0])
    return small(rows).all(axis=1) if found.any() else found


def row_keys(X):
    """Hash the content of each row to 64 bits.

    Content is the row in C order as float32, with -0.0 read as 0.0 and every NaN as
    the same NaN, so a frame equals its array and float64 equals its float32 cast.
    Integers that float32 cannot hold count by what it leaves of them, too. Rows of
    nothing but integers from 0 to 255, of whatever dtype, are hashed as bytes, which
    is faster.

    Parameters
    ----------
    X : ndarray of shape (n_samples, ...)
        Numbers of any dtype.

    Returns
    -------
    ndarray of shape (n_samples,), uint64
        One key a row; equal rows have equal keys.
    """
    flat = X.reshape(len(X), int(np.prod(X.shape[1:])))
    if flat.shape[1] == 0:
        return np.zeros(len(X), dtype=np.uint64)
    if flat.dtype.kind == "b" or flat.dtype == np.uint8:
        return _hash_bytes(flat)
    keys = np.empty(len(X), dtype=np.uint64)
    width = flat.shape[1]
    weights = _weights("float32", 2 * width + 2)
    wide_integers = flat.dtype.kind in "iu" and flat.dtype.itemsize > 2
    rest_weights = _weights("rest", 2 * width + 2) if wide_integers else None
    parts = chunks(len(X), width)
    spare = np.empty((len(keys[parts[0]]), width), dtype=np.uint64)
    buffer = np.empty(spare.shape, dtype=np.float32)
    for part in parts:
        words = buffer[: len(keys[part])]
        with np.errstate(over="ignore"):
            np.copyto(words, flat[part], casting="unsafe")
        words += np.float32(0)  # -0.0 becomes 0.0
        if np.isnan(words).any():
            words[np.isnan(words)] = np.nan
        keys[part] = _hash(words.view(np.uint32), weights, spare)
        if wide_integers:
            rest = (flat[part].astype(np.float64) - words).astype(np.float32)
            beyond = rest.any(axis=1)
            keys[part] ^= _hash(rest.view(np.uint32), rest_weights, spare) * beyond
        small = _are_bytes(words)
        if small.any():
            keys[part][small] = _hash_bytes(words[small])
    return keys


def occurrence_ranks(keys):
    """Return 0 for the first of equal keys, 1 for the second, and so on."""
    ordered = np.sort(keys)  # several times faster than argsort
    if not (ordered[1:] == ordered[:-1]).any():
        return np.zeros(len(keys), dtype=np.uint64)
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
    seeds : ndarray of shape (n_samples,), uint64, or a function that returns it
        One seed a row. A function is called at the first draw, so that what draws
        nothing hashes nothing.
    """

    def __init__(self, seeds):
        self._seeds = seeds

    @property
    def seeds(self):
        """One seed a row."""
        if callable(self._seeds):
            self._seeds = self._seeds()
        return self._seeds

    @classmethod
    def from_rows(cls, X, seed):
        """Key rows by their content, their rank among equal rows, and a seed.

        The rows are read at the first draw and must not change until then.
        """
        return cls.from_keys(lambda: row_keys(X), seed)

    @classmethod
    def from_keys(cls, keys, seed):
        """Key rows by hashes of their content, numbered where equal, and a seed.

        ``keys`` is an array, or a function that returns one and is called at the first
        draw.
        """

        def seeds():
            found = keys() if callable(keys) else keys
            return _mix(found + occurrence_ranks(found) * _GOLDEN)

        return NoiseKey(seeds).derive("seed", seed)

    @classmethod
    def from_positions(cls, n_rows, seed):
        """Key rows by their place in the call and a seed, whatever their content."""
        places = np.arange(1, n_rows + 1, dtype=np.uint64) * _GOLDEN
        return NoiseKey(_mix(places)).derive("position", 0).derive("seed", seed)

    def derive(self, *parts):
        """Return the keys of a sub-stream named by strings and numbers."""
        number = np.uint64(stream_number(*parts))
        return NoiseKey(lambda: _mix(self.seeds ^ number))

    def take(self, rows):
        """Return the keys of some of the rows."""
        return NoiseKey(lambda: self.seeds[rows])

    def generator(self):
        """Return a generator of draws for these rows."""
        return KeyedGenerator(self)


class KeyedGenerator:
    """A small generator with numpy's verbs, in which each row has its own stream.

    Successive calls give new draws. The first axis of ``size`` runs over the rows.
    Rows of 1,024 numbers and more come as float32, others as float64.

    Parameters
    ----------
    key : NoiseKey
        The keys of the rows.
    """

    def __init__(self, key):
        self._key = key
        self._n_calls = 0

    def take(self, rows):
        """Return a generator of what this one would draw next for some rows."""
        part = type(self)(self._key.take(rows))
        part._n_calls = self._n_calls
        return part

    def _draw(self, size, n_words, out, fill):
        """Call ``fill(words, part of out, spare)`` with 64-bit words of a few rows."""
        n_rows = len(self._key.seeds)
        if size[0] != n_rows:
            raise ValueError(
                f"A keyed draw needs one row of numbers per sample: size begins with "
                f"{size[0]}, the key has {n_rows} rows."
            )
        seeds = self._key.derive("call", self._n_calls).seeds
        self._n_calls += 1
        counter = np.arange(1, n_words + 1, dtype=np.uint64) * _GOLDEN
        parts = chunks(n_rows, n_words)
        bits = np.empty((len(seeds[parts[0]]), n_words), dtype=np.uint64)
        spare = np.empty_like(bits)
        for part in parts:
            n = len(seeds[part])
            np.add(seeds[part, None], counter, out=bits[:n])
            mix_in_place(bits[:n], spare[:n])
            fill(bits[:n], out[part], spare[:n])

    def _numbers(self, size, fill):
        size = _as_shape(size)
        width = int(np.prod(size[1:], dtype=np.int64))
        dtype = np.float32 if width >= _LONG_ROW else np.float64
        out = np.empty((size[0], width), dtype=dtype)
        self._draw(size, width, out, fill)
        return out.reshape(size)

    def words(self, size):
        """Draw 16-bit words, uniform on 0 to 65,535; the cheapest draws there are."""
        size = _as_shape(size)
        width = int(np.prod(size[1:], dtype=np.int64))
        n_words = -(-width // 4)
        out = np.empty((size[0], n_words), dtype=np.uint64)
        self._draw(size, n_words, out, lambda bits, part, _: np.copyto(part, bits))
        return out.view(np.uint16)[:, :width].reshape(size)

    def struck(self, share, size):
        """Draw True with probability ``share``: ``random(size) < share``, but faster.

        What is struck at a low share stays struck at every higher one.
        """
        limit = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
        size = _as_shape(size)
        width = int(np.prod(size[1:], dtype=np.int64))
        out = np.empty((size[0], width), dtype=bool)
        self._draw(size, width, out, lambda bits, part, _: np.less(bits, limit, part))
        if share >= 1:
            out[...] = True
        return out.reshape(size)

    def random(self, size):
        """Draw uniform numbers in (0, 1)."""
        return self._numbers(size, to_uniform)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Draw uniform numbers between ``low`` and ``high``."""
        u = self.random(size)
        u *= high - low
        u += low
        return u

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Draw normal numbers of mean ``loc`` and standard deviation ``scale``."""
        z = self._numbers(size, to_normal)
        if np.ndim(loc) or np.ndim(scale):
            return loc + scale * z
        if scale != 1:
            z *= scale
        if loc:
            z += loc
        return z


def _as_shape(size):
    if size is None:
        raise ValueError(
            "A keyed draw needs a size that begins with the number of rows, as in "
            "rng.normal(size=X.shape). Got size=None."
        )
    return (size,) if isinstance(size, numbers.Integral) else tuple(size)
