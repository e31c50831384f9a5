"""Cache of answers on disk, one SQLite file."""

import contextlib
import json
import os
import sqlite3
from pathlib import Path

from skrobust._validation import invalid

_AT_ONCE = 500  # keys of one question to the file


class AnswerCache:
    """Answers by key; each batch is written whole or not at all.

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
                file.execute(
                    "CREATE TABLE IF NOT EXISTS a (k TEXT PRIMARY KEY, v TEXT)"
                )
                file.commit()
        except sqlite3.DatabaseError:
            rule = f"{rule} that this class has written"
            raise invalid("cache", "HTTPEndpoint", rule, str(path)) from None

    def _open(self):
        # A connection for each call: connections belong to threads.
        return contextlib.closing(sqlite3.connect(self._path, timeout=30))

    def read(self, keys):
        """Return the known answers by key."""
        known, keys = {}, list(dict.fromkeys(keys))
        with self._open() as file:
            for start in range(0, len(keys), _AT_ONCE):
                part = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(part))
                query = f"SELECT k, v FROM a WHERE k IN ({marks})"
                known |= {k: json.loads(v) for k, v in file.execute(query, part)}
        return known

    def write(self, answers):
        """Keep answers by key."""
        rows = [(k, json.dumps(v)) for k, v in answers.items()]
        with self._open() as file:
            file.executemany("INSERT OR REPLACE INTO a VALUES (?, ?)", rows)
            file.commit()
