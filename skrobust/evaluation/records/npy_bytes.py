"""Arrays as the bytes of ``.npy`` files, read without trust in what they say."""

import io
import math

import numpy as np

from skrobust._sealed import Damaged

_MOST_AXES = 8


def to_npy(values):
    """Return an array of numbers, booleans or text as the bytes of a ``.npy`` file."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(values), allow_pickle=False)
    return buffer.getvalue()


def from_npy(content, what):
    """Return the array of the bytes of a ``.npy`` file.

    Nothing larger than the bytes is made, whatever shape they claim, and no objects.

    Parameters
    ----------
    content : bytes
        The file.
    what : str
        Its name, for the message.

    Returns
    -------
    ndarray
        Read-only.

    Raises
    ------
    Damaged
        For anything else.
    """
    buffer = io.BytesIO(content)
    try:
        if np.lib.format.read_magic(buffer) != (1, 0):
            raise ValueError
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(buffer)
    except Exception:  # whatever a hostile header raises
        raise Damaged(f"{what} is damaged: it is no array.") from None
    body = memoryview(content)[buffer.tell() :]
    fine = not dtype.hasobject and dtype.kind in "biufcUSmM" and dtype.itemsize > 0
    fine = (
        fine and not is_fortran and len(shape) <= _MOST_AXES and min(shape or (0,)) >= 0
    )
    if not fine or math.prod(shape) * dtype.itemsize != len(body):
        raise Damaged(f"{what} is damaged: its content is not of its shape.")
    return np.frombuffer(body, dtype=dtype).reshape(shape)
