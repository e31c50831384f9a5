"""Cache of answers on disk, one SQLite file, each row with its digest."""

import contextlib
import json
import os
import sqlite3
import warnings
from pathlib import Path

from skrobust._sealed import bytes_digest
from skrobust._stacklevel import level_outside
from skrobust._validation import invalid

_AT_ONCE = 500  # keys of one question to the file
_TABLE = "CREATE TABLE IF NOT EXISTS sealed (k TEXT PRIMARY KEY, v TEXT, d TEXT)"


class AnswerCache:
    """Answers by key; each batch is written whole or not at all.

    A row whose digest (of its key and its answer) does not hold counts as unknown, so
    that it is asked again.

    Parameters
    ----------
    path : str or path
        The file; it is made where it is missing, with its folder.
    """

    def __init__(self, path):
        rule = "None or the path of a file"
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise invalid("cache", "HTTPEndpoint", rule, path)
        self._path = Path(path)
        if self._path.is_dir():
            raise invalid("cache", "HTTPEndpoint", f"{rule}, not a folder", str(path))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with self._open() as file:
                file.execute(_TABLE)
                file.commit()
        except sqlite3.DatabaseError:
            rule = f"{rule} that this class has written"
            raise invalid("cache", "HTTPEndpoint", rule, str(path)) from None

    def _open(self):
        # A connection for each call: connections belong to threads.
        file = sqlite3.connect(self._path, timeout=30)
        file.text_factory = bytes  # what is damaged may be no text
        return contextlib.closing(file)

    def read(self, keys):
        """Return the known answers by key.

        Raises
        ------
        ValueError
            For a file that SQLite cannot read.
        """
        known, keys, n_bad = {}, list(dict.fromkeys(keys)), 0
        try:
            with self._open() as file:
                for start in range(0, len(keys), _AT_ONCE):
                    part = keys[start : start + _AT_ONCE]
                    marks = ",".join("?" * len(part))
                    query = f"SELECT k, v, d FROM sealed WHERE k IN ({marks})"
                    for k, v, d in file.execute(query, part):
                        if isinstance(v, bytes) and _digest(k, v) == d:
                            known[k.decode()] = json.loads(v)
                        else:
                            n_bad += 1
        except sqlite3.DatabaseError as error:
            raise ValueError(
                f"The cache {str(self._path)!r} is damaged ({error}); move it away to "
                "ask anew."
            ) from None
        if n_bad:
            text = f"{n_bad} answers in {str(self._path)!r} were damaged: asked again."
            warnings.warn(text, UserWarning, stacklevel=level_outside())
        return known

    def write(self, answers):
        """Keep answers by key; warn where the file does not take them."""
        texts = {k.encode(): json.dumps(v).encode() for k, v in answers.items()}
        rows = [
            [part.decode() for part in (k, v, _digest(k, v))] for k, v in texts.items()
        ]
        try:
            with self._open() as file:
                file.executemany("INSERT OR REPLACE INTO sealed VALUES (?, ?, ?)", rows)
                file.commit()
        except sqlite3.DatabaseError as error:  # what was paid for is not lost
            text = f"{len(rows)} answers are not kept in {str(self._path)!r}: {error}."
            warnings.warn(text, UserWarning, stacklevel=level_outside())


def _digest(k, v):
    key = k if isinstance(k, bytes) else str(k).encode()
    return bytes_digest(key + b"\n" + v).encode()
