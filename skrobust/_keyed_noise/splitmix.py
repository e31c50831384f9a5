"""SplitMix64: scrambled 64-bit words, and hashes of names and of numeric rows.

The counter-based generator of Steele, Lea and Flood (OOPSLA 2014) needs no object per
row.
"""

import functools
import hashlib
import numbers

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.draw_kernels import fill_uniform, hash_words

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_CHUNK = 1 << 16  # numbers worked on at a time, so that they stay in the cache
STEPS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
    (np.uint64(31), None),
)


def mix_in_place(z, spare=None):
    """Scramble unsigned 64-bit integers where they are (finaliser of SplitMix64)."""
    spare = np.empty_like(z) if spare is None else spare
    for shift, factor in STEPS:
        np.right_shift(z, shift, out=spare)
        np.bitwise_xor(z, spare, out=z)
        if factor is not None:
            np.multiply(z, factor, out=z)
    return z


def to_uniform(bits, out, spare=None):
    """Turn words into numbers in (0, 1): 52 bits, or 23 in float32; never 0 or 1."""
    if out.dtype == np.float32:
        kernel = compiled(fill_uniform, bits.size)
        if kernel is not None and out.flags.c_contiguous:
            kernel(bits.reshape(-1), out.reshape(-1))
            return
        out[...] = (bits >> np.uint64(41)).astype(np.float32)
        out *= np.float32(2.0**-23)
        out += np.float32(2.0**-24)
        return
    # The bits of a number in [1, 2), less 1, plus half a step.
    bits >>= np.uint64(12)
    bits |= np.uint64(0x3FF0000000000000)
    np.subtract(bits.view(np.float64), 1 - 2.0**-53, out=out)


@functools.lru_cache(maxsize=64)
def chunks(n_rows, width, times=1):
    """Slice rows into chunks of about ``_CHUNK`` numbers, or some times as many."""
    step = max(1, times * _CHUNK // max(width, 1))
    return tuple(slice(start, start + step) for start in range(0, n_rows, step))


@functools.lru_cache(maxsize=4096, typed=True)
def stream_number(*parts):
    """Return one 64-bit number for a tuple of names and numbers."""
    # A numpy integer is the number that it holds.
    parts = [int(p) if isinstance(p, numbers.Integral) else p for p in parts]
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


@functools.lru_cache(maxsize=4)
def hash_weights(name, n):
    """Return n random 64-bit weights that belong to a name, read-only."""
    place = np.arange(1, n + 1, dtype=np.uint64) * GOLDEN
    weights = mix_in_place(place + np.uint64(stream_number(name)))
    weights.flags.writeable = False
    return weights


def _hash(words, weights, spare):
    """Hash rows of 32-bit words to 64 bits: multilinear (Lemire and Kaser, 2014)."""
    kernel = compiled(hash_words, words.size)
    if kernel is not None:
        keys = np.empty(len(words), dtype=np.uint64)
        kernel(words, weights, keys)
        return mix_in_place(keys)
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
    weights = hash_weights("bytes", 2 * n_words + 2)
    keys = np.empty(len(rows), dtype=np.uint64)
    parts = chunks(len(rows), n_words, times=4)  # a word is half of a number there
    spare = np.empty((len(keys[parts[0]]), n_words), dtype=np.uint64)
    if rows.dtype.itemsize == 1 and rows.shape[1] % 4 == 0 and rows.flags.c_contiguous:
        words = rows.view("<u4")  # as they lie
        for part in parts:
            keys[part] = _hash(words[part], weights, spare)
        return keys
    padded = np.zeros((len(spare), 4 * n_words), dtype=np.uint8)
    for part in parts:
        words = padded[: len(keys[part])]
        np.copyto(words[:, : rows.shape[1]], rows[part], casting="unsafe")
        keys[part] = _hash(words.view("<u4"), weights, spare)
    return keys


def row_keys(X):
    """Hash the content of each row to 64 bits.

    Content is the row in C order as float32, with -0.0 read as 0.0 and every NaN as
    the same NaN, so a frame equals its array and float64 equals its float32 cast.
    Integers that float32 cannot hold count by what it leaves of them, too. Rows of
    only integers from 0 to 255, of any dtype, are hashed as bytes, which is faster.

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
    weights = hash_weights("float32", 2 * width + 2)
    wide_integers = flat.dtype.kind in "iu" and flat.dtype.itemsize > 2
    rest_weights = hash_weights("rest", 2 * width + 2) if wide_integers else None
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
        # The first column rules out nearly all rows that are not bytes.
        for cells in (words[:, :1], words):
            is_byte = (cells >= 0) & (cells <= 255) & (np.floor(cells) == cells)
            small = is_byte.all(axis=1)
            if not small.any():
                break
        else:
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
