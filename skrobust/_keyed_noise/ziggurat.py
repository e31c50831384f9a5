"""Normal numbers from 64-bit words.

Every number is a function of its own word alone, so that no chunk, batch or neighbour
can change it. Normal numbers come from a vectorised ziggurat (Marsaglia and Tsang,
2000).
"""

import functools

import numpy as np
from scipy.special import ndtr, ndtri

from skrobust._compiled.compiled import compiled
from skrobust._compiled.draw_kernels import fill_normal
from skrobust._keyed_noise.splitmix import GOLDEN, mix_in_place, to_uniform


@functools.cache
def ziggurat():
    """Return the edges of 256 layers of equal area under exp(-x * x / 2)."""
    edge, area = 3.6541528853610088, 0.00492867323399
    edges = np.empty(257)
    edges[1] = edge
    edges[0] = area / np.exp(-edge * edge / 2)  # the base, with the tail as a rectangle
    for i in range(2, 256):
        height = area / edges[i - 1] + np.exp(-(edges[i - 1] ** 2) / 2)
        edges[i] = np.sqrt(-2 * np.log(height))
    edges[256] = 0
    return edges, edges[:256] * 2.0**-52, np.exp(-edges * edges / 2)


def to_normal(bits, out, spare=None):
    """Turn words into normal numbers, each a function of its own word alone."""
    edges, scales, _ = ziggurat()
    spare = np.empty_like(bits) if spare is None else spare
    kernel = compiled(fill_normal, bits.size)
    if kernel is not None and out.flags.c_contiguous:
        bits, rest, flat = (a.reshape(-1) for a in (bits, spare, out))
        rest = rest.view(np.int64)
        rest = rest[: kernel(bits, edges, scales, flat, rest)]
        layer = (bits[rest] & np.uint64(255)).astype(np.int64)
        z = (bits[rest].view(np.int64) >> 11) * scales[layer]
        flat[rest] = _beyond(bits[rest], z, layer)
        return
    bits, layer = bits.reshape(-1), spare.reshape(-1).view(np.int64)
    np.bitwise_and(bits.view(np.int64), 255, out=layer)
    limits = np.take(scales, layer, mode="clip")
    # 53 bits with the sign; the layer took other bits.
    z = (bits.view(np.int64) >> 11) * limits
    np.take(edges[1:], layer, mode="clip", out=limits)
    rest = np.flatnonzero(np.abs(z) >= limits)
    if rest.size:
        z[rest] = _beyond(bits[rest], z[rest], layer[rest])
    out[...] = z.reshape(out.shape)


def _beyond(bits, z, layer):
    """Return the numbers that do not lie safely inside their layer."""
    _, _, heights = ziggurat()
    bits = mix_in_place(bits + GOLDEN)
    u = np.empty(z.shape)
    to_uniform(bits.copy(), u)
    tail = layer == 0
    z[tail] = np.copysign(ndtri(u[tail] * _tail_share()), z[tail])
    low, high = heights[layer], heights[layer + 1]
    again = ~tail & (low + u * (high - low) >= np.exp(-z * z / 2))
    if again.any():
        redrawn = np.empty(np.count_nonzero(again))
        to_normal(mix_in_place(bits[again] + GOLDEN), redrawn)
        z[again] = redrawn
    return z


@functools.cache
def _tail_share():
    return ndtr(-ziggurat()[0][1])
