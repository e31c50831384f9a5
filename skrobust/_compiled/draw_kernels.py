"""Kernels of keyed draws: hashes of rows, and numbers from scrambled words."""

import numpy as np

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HIGH = np.uint64(0xFFFFFFFF00000000)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def fill_words(seeds, out):
    """Fill each row with the scrambled words that belong to its seed."""
    for row in range(out.shape[0]):
        seed = seeds[row]
        for i in range(out.shape[1]):
            z = seed + np.uint64(i + 1) * _GOLDEN
            z = (z ^ (z >> _SHIFTS[0])) * _FACTORS[0]
            z = (z ^ (z >> _SHIFTS[1])) * _FACTORS[1]
            out[row, i] = z ^ (z >> _SHIFTS[2])


def fill_uniform(bits, out):
    """Turn words into float32 numbers in (0, 1)."""
    for i in range(bits.size):
        u = np.float32(bits[i] >> np.uint64(41))
        out[i] = u * np.float32(2.0**-23) + np.float32(2.0**-24)


def fill_normal(bits, edges, scales, out, rest):
    """Turn words into normal numbers where they lie safely inside their layer.

    The indices of the others go to ``rest``; their number is returned.
    """
    n_rest = 0
    for i in range(bits.size):
        layer = np.int64(bits[i] & np.uint64(255))
        z = np.float64(np.int64(bits[i]) >> 11) * scales[layer]
        out[i] = z
        rest[n_rest] = i
        n_rest += abs(z) >= edges[layer + 1]
    return n_rest


def hash_words(words, weights, out):
    """Sum rows of 32-bit words with two rows of weights; join the upper halves.

    Two rows at a time, so that the weights are read half as often.
    """
    half = weights.size // 2
    above, below = weights[1:half], weights[half + 1 :]
    for row in range(0, words.shape[0], 2):
        other = min(row + 1, words.shape[0] - 1)
        one, two = words[row], words[other]
        high = low = high_two = low_two = np.uint64(0)
        for i in range(above.size):
            a, b = above[i], below[i]
            word, word_two = np.uint64(one[i]), np.uint64(two[i])
            high += word * a
            low += word * b
            high_two += word_two * a
            low_two += word_two * b
        high, high_two = high + weights[0], high_two + weights[0]
        low, low_two = low + weights[half], low_two + weights[half]
        out[row] = (high & _HIGH) | (low >> np.uint64(32))
        out[other] = (high_two & _HIGH) | (low_two >> np.uint64(32))
