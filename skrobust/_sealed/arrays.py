"""Arrays in files with their key and the digest of their content."""

import io
import json

from skrobust._sealed.damage import Damaged
from skrobust._sealed.digests import bytes_digest
from skrobust._whole_file import write_whole

FORMAT = "skrobust part 1"


class DamagedPart(Damaged):
    """A file of an array that is not what was written."""


def write_array(path, values, key):
    """Write an array as a whole: a line of JSON, then the bytes of a ``.npy`` file.

    Parameters
    ----------
    path : path-like
        Path of the file.
    values : ndarray
        Of numbers, text or a structured type, no objects.
    key : str
        What the array belongs to, such as a hash of all inputs. A file with another
        key is not read in its place.
    """
    import numpy as np  # not before: commands that fail load nothing

    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=False)
    head = _head(values, key, buffer.getvalue())
    lines = [head, buffer.getvalue()]
    write_whole(path, lambda file: file.writelines(lines), is_named=False)


def read_array(path, key):
    """Return the array of a file.

    Parameters
    ----------
    path : path-like
        Path of the file.
    key : str
        As it was written.

    Returns
    -------
    ndarray or None
        None where there is no such file.

    Raises
    ------
    DamagedPart
        Where any byte differs from what was written, or the key is another one.
    """
    try:
        with open(path, "rb") as file:
            head, content = file.readline(), file.read()
    except FileNotFoundError:
        return None
    import numpy as np

    if bytes_digest(content).encode() in head:  # before anything is made of it
        values = np.load(io.BytesIO(content), allow_pickle=False)
        if head == _head(values, key, content):
            return values
    raise DamagedPart(f"{str(path)!r} is damaged, or part of something else.")


def _head(values, key, content):
    facts = {"format": FORMAT, "key": key, "shape": list(values.shape)}
    facts |= {"dtype": str(values.dtype), "sha256": bytes_digest(content)}
    return json.dumps(facts).encode() + b"\n"
