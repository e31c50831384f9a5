"""Keyed noise on a device of torch: the keys and words of the host, bit for bit.

Integers of torch have 64 bits with a sign. Their sums and products wrap as those of the
host do, and a mask makes a shift to the right a logical one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skrobust._keyed_noise.generator import LONG_ROW, KeyedGenerator
from skrobust._keyed_noise.splitmix import GOLDEN, STEPS, chunks, hash_weights
from skrobust._keyed_noise.ziggurat import to_normal, ziggurat

_CHUNK = 1 << 8  # times that of the host: a device is filled by larger ones
TENSOR_DTYPES = ("uint8", "float16", "float32", "float64")  # that are hashed there
_LOW = (1 << 32) - 1


def _signed(words):
    return np.asarray(words, dtype=np.uint64).view(np.int64)


def _shifted(words, n):
    """Shift to the right, with zeros from the left."""
    return (words >> n) & ((1 << (64 - n)) - 1)


def _mix_in_place(words):
    """Scramble 64-bit words where they are (finaliser of SplitMix64)."""
    for shift, factor in STEPS:
        words ^= _shifted(words, int(shift))
        if factor is not None:
            words *= int(_signed(factor))
    return words


def _hash(words, weights):
    """Hash rows of 32-bit words to 64 bits, as the host does."""
    high, low = (
        (words * row[1:]).sum(1) + row[0] for row in weights.reshape(2, -1).unbind()
    )
    return _mix_in_place((high & ~_LOW) | _shifted(low, 32))


def _hash_bytes(rows):
    """Hash rows of bytes, four to a word."""
    n_words = -(-rows.shape[1] // 4)
    padded = rows.new_zeros((len(rows), 4 * n_words))
    padded[:, : rows.shape[1]] = rows
    torch = _torch()
    words = padded.view(torch.int32).to(torch.int64) & _LOW
    return _hash(words, _tensor(hash_weights("bytes", 2 * n_words + 2), rows.device))


def tensor_row_keys(X):
    """Hash the content of each row of a tensor, as :func:`row_keys` does of an array.

    Parameters
    ----------
    X : tensor of shape (n_samples, ...)
        Bytes or floats, on any device.

    Returns
    -------
    ndarray of shape (n_samples,), uint64
        On the host: eight bytes a row are all that leaves the device.
    """
    torch, rows = _torch(), X.detach().reshape(len(X), -1)
    width = rows.shape[1]
    keys = torch.zeros(len(X), dtype=torch.int64, device=X.device)
    for part in chunks(len(X), width, times=_CHUNK) if width else ():
        if X.dtype == torch.uint8:
            keys[part] = _hash_bytes(rows[part])
            continue
        values = rows[part].float() + 0.0  # -0.0 becomes 0.0
        values = values.where(values == values, values.new_tensor(torch.nan))
        words = values.view(torch.int32).to(torch.int64) & _LOW
        found = _hash(words, _tensor(hash_weights("float32", 2 * width + 2), X.device))
        # The first column rules out nearly all rows that are not bytes.
        for cells in (values[:, :1], values):
            is_byte = (cells >= 0) & (cells <= 255) & (cells.floor() == cells)
            small = is_byte.all(1)
            if not small.any():
                break
        else:
            found[small] = _hash_bytes(values[small].to(torch.uint8))
        keys[part] = found
    return keys.cpu().numpy().view(np.uint64)


@dataclass(eq=False)
class TensorGenerator(KeyedGenerator):
    """Generator that also draws on a device of torch.

    The verbs of :class:`KeyedGenerator` draw on the host what an image needs a few of;
    those that begin with ``tensor`` draw on the device what every pixel needs, and give
    the same numbers. Both count as calls.

    Parameters
    ----------
    key : NoiseKey
        The keys of the rows.
    n_calls : int, default=0
        Number of the next draw.
    device : torch device
        Where the tensors lie.
    """

    device: Any = None

    def _bits(self, size, per_word=1):
        """Return 64-bit words of shape (n, numbers of a row / those of a word)."""
        n_words = -(-int(np.prod(size[1:])) // per_word)
        seeds = self.key.derive("call", self.n_calls).seeds
        self.n_calls += 1
        counter = np.arange(1, n_words + 1, dtype=np.uint64) * GOLDEN
        seeds, counter = (_tensor(words, self.device) for words in (seeds, counter))
        return _mix_in_place(seeds[:, None] + counter)

    def tensor_words(self, size):
        """Draw 16-bit words as ``words`` does; int32 on the device."""
        torch, width = _torch(), int(np.prod(size[1:]))
        words = self._bits(size, per_word=4).view(torch.int16)[:, :width]
        return (words.to(torch.int32) & 0xFFFF).reshape(size)

    def tensor_random(self, size):
        """Draw uniform numbers in (0, 1) as ``random`` does."""
        torch, bits = _torch(), self._bits(size)
        if bits.shape[1] >= LONG_ROW:
            u = _shifted(bits, 41).to(torch.float32) * 2.0**-23 + 2.0**-24
        else:
            ones = _shifted(bits, 12) | 0x3FF0000000000000
            u = ones.view(torch.float64) - (1 - 2.0**-53)
        return u.reshape(size)

    def tensor_normal(self, size):
        """Draw normal numbers as ``normal`` does, of mean 0 and variance 1.

        The host finds the numbers outside of their layers, about one of 80.
        """
        torch, bits = _torch(), self._bits(size)
        is_long = bits.shape[1] >= LONG_ROW
        edges, scales, _ = (
            torch.as_tensor(values, device=self.device) for values in ziggurat()
        )
        bits = bits.reshape(-1)
        layer = bits & 255
        z = (bits >> 11) * scales[layer]
        rest = torch.nonzero(z.abs() >= edges[layer + 1])[:, 0]
        if len(rest):
            words = bits[rest].cpu().numpy().view(np.uint64)
            found = np.empty(len(words))
            to_normal(words, found)
            z[rest] = torch.as_tensor(found, device=self.device)
        return (z.float() if is_long else z).reshape(size)


def _tensor(words, device):
    return _torch().from_numpy(_signed(words).copy()).to(device)


def _torch():
    import torch

    return torch
