"""Samples in tar files, in the manner of WebDataset, read with the standard library."""

import glob
import io
import itertools
import json
import os
import re
import tarfile
from pathlib import Path

import numpy as np

from skrobust._folder_links import FolderLinks, is_linked_folder
from skrobust._validation import invalid
from skrobust.datasets.image_files import (
    IMAGE_SUFFIXES,
    open_picture,
    pillow,
    pixels_of,
)

_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")
_SUFFIXES = (".tar", ".tar.gz", ".tgz")


def shard_files(shards, caller):
    """Return the tar files that a path, a pattern, or a list of these names.

    Parameters
    ----------
    shards : str, path, or list of these
        A tar file, a folder of tar files, or a pattern with ``*`` or with a range as in
        ``"train-{000..146}.tar"``.
    caller : str
        Name of the public function or class, for error messages.
    """
    if isinstance(shards, (list, tuple)):
        return [file for shard in shards for file in shard_files(shard, caller)]
    if not isinstance(shards, (str, os.PathLike)):
        rule = "a path, a pattern, or a list of these"
        raise invalid("shards", caller, rule, shards)
    path, found = Path(shards), _expanded(str(shards))
    if path.is_dir():
        seen = list(path.rglob("*"))
        inside = [p for p in seen if p.name.lower().endswith(_SUFFIXES)]
        links = FolderLinks(path, caller)
        file, reason = links.first_refused([*inside, *filter(is_linked_folder, seen)])
        if reason is not None:
            raise ValueError(f"{caller} does not read {str(file)!r}: {reason}.")
        found = sorted(map(str, inside))
    elif len(found) == 1 and not path.exists():
        found = sorted(glob.glob(found[0]))
    missing = next((file for file in found if not Path(file).is_file()), None)
    if not found or missing:
        rule = "tar files, a folder of them, or a pattern that some have"
        raise invalid("shards", caller, rule, missing or str(shards))
    return found


def _expanded(pattern):
    """Return a pattern with its range of numbers written out."""
    found = _RANGE.search(pattern)
    if found is None:
        return [pattern]
    first, last = found.groups()
    numbers = range(int(first), int(last) + 1)
    parts = [f"{number:0{len(first)}d}" for number in numbers]
    whole = [pattern[: found.start()] + p + pattern[found.end() :] for p in parts]
    return list(itertools.chain.from_iterable(map(_expanded, whole)))


def shard_samples(file, caller):
    """Yield the key and the members of each sample of a tar file.

    Members that follow one another and have the same name up to the first dot are one
    sample; their contents are a dict by what follows the dot, in lower case.
    """
    key, members = None, {}
    try:
        _check_end(file)
        with tarfile.open(file, "r|*") as tar:
            for member in tar:
                tar.members = []  # which would grow with the file
                _check_member(member, file, caller)
                folder, _, name = member.name.rpartition("/")
                own, dot, ending = name.partition(".")
                if not member.isfile() or not own or not dot:
                    continue
                own = f"{folder}/{own}" if folder else own
                if own != key and members:
                    yield key, members
                    members = {}
                key = own
                if ending.lower() in members:
                    raise ValueError(
                        f"{caller}: {str(file)!r} has {member.name!r} twice in one "
                        "sample; give each sample a name of its own."
                    )
                members[ending.lower()] = tar.extractfile(member).read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise ValueError(
            f"{caller}: {str(file)!r} is damaged or no tar file ({error})."
        ) from error
    if members:
        yield key, members


def _check_member(member, file, caller):
    """Raise for a member that is no file of its own, or names a place outside."""
    parts = member.name.split("/")
    if ".." in parts or member.name.startswith("/"):
        why = "names a place outside the tar file; pack the folder by relative paths"
    elif member.issym() or member.islnk():
        why = (
            f"is a link to {member.linkname!r}, and no sample; pack the files "
            "themselves (tar --dereference --hard-dereference)"
        )
    elif not (member.isfile() or member.isdir()):
        why = "is a device or a pipe, and no sample; leave it out"
    else:
        return
    raise ValueError(f"{caller}: {str(file)!r}: the member {member.name!r} {why}.")


def _check_end(file):
    """Raise for a tar file that was cut between two blocks, which tarfile accepts."""
    with open(file, "rb") as opened:
        is_plain = opened.read(262)[257:] == b"ustar"  # others are compressed
        if not is_plain:
            return
        opened.seek(0, os.SEEK_END)
        opened.seek(max(0, opened.tell() - 2 * tarfile.BLOCKSIZE))
        if any(opened.read()):
            raise EOFError("it has no end, so that samples may be missing")


def sample_row(members, row, options, where, caller):
    """Return the row of a sample: an image as bytes, or an array.

    Parameters
    ----------
    members : dict of str to bytes
        Contents by ending.
    row : str or None
        Ending of the member with the row; None: the one image or npy.
    options : ImageOptions
        Treatment of images.
    where : str
        Key and file, for error messages.
    caller : str
        Name of the public function or class.
    """
    found = [ending for ending in members if _is_row(ending)]
    if row is not None:
        found = [ending for ending in found if ending == row]
    if not found:
        what = "image and no npy" if row is None else f"image or npy {row!r}"
        raise ValueError(
            f"{caller}: {where} has no {what}; it has {', '.join(members)}."
        )
    if len(found) > 1:
        raise ValueError(
            f"{caller}: {where} has several images or npy files, {', '.join(found)}; "
            f"name the one that is the row with row=, such as row={found[-1]!r}."
        )
    content = members[found[0]]
    if not found[0].endswith("npy"):
        return options.finish(_pixels(content, options, where, caller), caller)
    try:
        return np.load(io.BytesIO(content), allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"{caller}: {where}: {error}") from error


def _is_row(ending):
    return ending.endswith("npy") or f".{ending.rpartition('.')[2]}" in IMAGE_SUFFIXES


def _pixels(content, options, where, caller):
    Image = pillow(caller)
    kinds = (ValueError, EOFError, OSError, SyntaxError, Image.DecompressionBombError)
    try:
        with open_picture(io.BytesIO(content), caller) as image:
            return pixels_of(image, caller, convert=options.convert)
    except kinds as error:
        raise ValueError(f"{caller}: {where}: {error}.") from error


def sample_label(members, label, label_as, where, caller):
    """Return the label of a sample.

    Parameters
    ----------
    members : dict of str to bytes
        Contents by ending.
    label : str
        Ending of the member that holds it, or ``"json:FIELD"``.
    label_as : {"number", "text"} or None
        What it becomes; None: digits are a number, and all else is text.
    where, caller : str
        As in :func:`sample_row`.
    """
    ending, _, field = label.partition(":")
    if ending not in members:
        raise ValueError(
            f"{caller}: {where} has no label {ending!r}; it has {', '.join(members)}."
        )
    try:
        text = members[ending].decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{caller}: {where} has a label {ending!r} that is no text in UTF-8."
        ) from error
    if not field:
        return _typed(text, label_as, where, caller)
    try:
        value = json.loads(text)[field]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{caller}: {where} has no field {field!r} in its json."
        ) from error
    return value if label_as is None else _typed(str(value), label_as, where, caller)


def _typed(text, label_as, where, caller):
    """Return the text of a label as a number or as text."""
    if label_as == "text":
        return text
    if label_as is None and re.fullmatch(r"-?0\d+", text):
        raise ValueError(
            f"{caller}: {where} has the label {text!r}, which may be a number or text; "
            "say which with label_as='number' or label_as='text'."
        )
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if label_as is None:
        return text
    try:
        return float(text)
    except ValueError as error:
        raise ValueError(
            f"{caller}: {where} has the label {text!r}, which is no number; labels of "
            "text are read with label_as='text'."
        ) from error
