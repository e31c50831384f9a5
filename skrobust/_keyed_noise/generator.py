"""Keys of rows, and generators whose draws depend on a key alone.

A key is made of the seed, of names and numbers that say which draw is meant, and of
the *content* of each row, so that no order, batch or backend can change the noise.
"""

import json
import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.draw_kernels import fill_words
from skrobust._keyed_noise.equal_rows import equal_ranks, first_row
from skrobust._keyed_noise.splitmix import (
    GOLDEN,
    chunks,
    mix_in_place,
    row_keys,
    stream_number,
    to_uniform,
)
from skrobust._keyed_noise.ziggurat import to_normal
from skrobust._validation import is_integer

LONG_ROW = 1024  # numbers per row from which float32 is enough (images)


def seed_number(random_state, caller):
    """Turn a ``random_state`` into a number that does not depend on earlier calls.

    An int is itself, None is fresh entropy, and a generator is *read, never
    advanced*: its present state is the seed. So a shared generator gives the same
    noise to every fold, with any number of jobs.
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if is_integer(random_state):
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


@dataclass(eq=False)
class NoiseKey:
    """The keys of the rows of one call, from which every draw follows.

    Parameters
    ----------
    source : ndarray of shape (n_samples,), uint64, function or NoiseKey
        One seed a row. A function that returns them is called at the first draw, so
        that what draws nothing hashes nothing. With ``change`` it is the key from which
        this one is derived.
    change : uint64, rows or None, default=None
        The number of a sub-stream, or the rows to take.
    """

    source: Any
    change: Any = None

    @property
    def seeds(self):
        """One seed a row."""
        key, derived = self, []
        while key.change is not None:
            derived.append(key)
            key = key.source
        if callable(key.source):
            key.source = key.source()
        seeds = key.source
        for key in reversed(derived):
            if isinstance(key.change, np.uint64):
                seeds = mix_in_place(seeds ^ key.change)
            else:
                seeds = seeds[key.change]
            key.source, key.change = seeds, None
        return seeds

    @classmethod
    def from_rows(cls, X, seed):
        """Key rows by their content, their rank among equal rows, and a seed.

        The rows are read at the first draw and must not change until then.
        """
        return cls.from_keys(lambda: row_keys(X), seed)

    @staticmethod
    def from_keys(keys, seed):
        """Key rows by hashes of their content, numbered where equal, and a seed.

        ``keys`` is an array, or a function that returns one and is called at the first
        draw.
        """
        read = keys if callable(keys) else lambda: keys
        distinct = NoiseKey(
            lambda: mix_in_place((found := read()) + equal_ranks(found) * GOLDEN)
        )
        return distinct.derive("seed", seed)

    @classmethod
    def from_positions(cls, n_rows, seed):
        """Key rows by their place in the call and a seed, whatever their content."""
        start = first_row() + 1
        places = np.arange(start, start + n_rows, dtype=np.uint64) * GOLDEN
        return NoiseKey(mix_in_place(places)).derive("position", 0).derive("seed", seed)

    def derive(self, *parts):
        """Return the keys of a sub-stream named by strings and numbers."""
        return NoiseKey(self, np.uint64(stream_number(*parts)))

    def take(self, rows):
        """Return the keys of some of the rows."""
        return NoiseKey(self, rows)

    def generator(self):
        """Return a generator of draws for these rows."""
        return KeyedGenerator(self)


@dataclass(eq=False)
class KeyedGenerator:
    """A small generator with numpy's verbs, in which each row has its own stream.

    Successive calls give new draws. The first axis of ``size`` runs over the rows.
    Rows of 1,024 numbers and more come as float32, others as float64.

    Parameters
    ----------
    key : NoiseKey
        The keys of the rows.
    n_calls : int, default=0
        Number of the next draw.
    """

    key: NoiseKey
    n_calls: int = 0

    def take(self, rows):
        """Return a generator of what this one would draw next for some rows."""
        return replace(self, key=self.key.take(rows))

    def _draw(self, size, fill, dtype=None, per_word=1):
        """Return an array of this size, filled from 64-bit words a few rows at a time.

        ``fill(words, part of the array, spare)`` turns words into numbers; the dtype is
        by default float32 for long rows and float64 for others.
        """
        if size is None:
            raise ValueError(
                "A keyed draw needs a size that begins with the number of rows, as in "
                "rng.normal(size=X.shape). Got size=None."
            )
        size = (size,) if isinstance(size, numbers.Integral) else tuple(size)
        width = int(np.prod(size[1:], dtype=np.int64))
        n_words = -(-width // per_word)
        if dtype is None:
            dtype = np.float32 if width >= LONG_ROW else np.float64
        seeds = self.key.derive("call", self.n_calls).seeds
        if size[0] != len(seeds):
            raise ValueError(
                f"A keyed draw needs one row of numbers per sample: size begins with "
                f"{size[0]}, the key has {len(seeds)} rows."
            )
        self.n_calls += 1
        out = np.empty((size[0], n_words), dtype=dtype)
        kernel = compiled(fill_words, out.size)
        if kernel is not None and dtype is np.uint64:  # words as they are
            kernel(seeds, out)
            return self._shaped(out, size, per_word, width)
        counter = np.arange(1, n_words + 1, dtype=np.uint64) * GOLDEN
        parts = chunks(len(seeds), n_words)
        bits = np.empty((len(seeds[parts[0]]), n_words), dtype=np.uint64)
        spare = np.empty_like(bits)
        for part in parts:
            n = len(seeds[part])
            if kernel is None:
                np.add(seeds[part, None], counter, out=bits[:n])
                mix_in_place(bits[:n], spare[:n])
            else:
                kernel(seeds[part], bits[:n])
            fill(bits[:n], out[part], spare[:n])
        return self._shaped(out, size, per_word, width)

    @staticmethod
    def _shaped(out, size, per_word, width):
        if per_word > 1:
            out = out.view(np.uint16)[:, :width]
        return out.reshape(size)

    def words(self, size):
        """Draw 16-bit words, uniform on 0 to 65,535; the cheapest draws there are."""
        return self._draw(
            size, lambda bits, part, _: np.copyto(part, bits), np.uint64, per_word=4
        )

    def selected(self, share, size):
        """Draw True with probability ``share``: ``random(size) < share``, but faster.

        What is selected at a low share stays selected at every higher one.
        """
        limit = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
        out = self._draw(size, lambda bits, part, _: np.less(bits, limit, part), bool)
        if share >= 1:
            out[...] = True
        return out

    def random(self, size):
        """Draw uniform numbers in (0, 1)."""
        return self._draw(size, to_uniform)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Draw uniform numbers between ``low`` and ``high``."""
        u = self.random(size)
        u *= high - low
        u += low
        return u

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Draw normal numbers of mean ``loc`` and standard deviation ``scale``."""
        z = self._draw(size, to_normal)
        if np.ndim(loc) or np.ndim(scale):
            return loc + scale * z
        if scale != 1:
            z *= scale
        if loc:
            z += loc
        return z
