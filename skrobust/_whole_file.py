"""Files that are replaced as a whole: at any moment the old one or the new one."""

import os
import uuid
from pathlib import Path


def write_text_whole(path, text):
    """Write a text file as a whole, in UTF-8.

    Parameters
    ----------
    path : path-like
        Path of the file.
    text : str
        Content of the file.
    """
    write_whole(path, lambda file: file.write(text.encode()))


def write_whole(path, write):
    """Write a file as a whole by a function.

    Parameters
    ----------
    path : path-like
        Path of the file. Missing folders are made.
    write : callable
        Takes the open binary file.
    """
    path = Path(path).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    # Several processes may write the same file; the last to end wins.
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.draft")
    try:
        with draft.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
