"""One file of several members: a zip archive in one fixed form, read strictly.

Members are stored as they are, with one date and no extra fields, so that equal
content has equal bytes. Any tool opens such an archive. The reader takes this form
alone: nothing is unpacked or decompressed, no name leads out of the archive, and a file
that differs from what the writer makes of its members is damaged.
"""

import re
import struct
import zlib
from pathlib import Path

from skrobust._sealed import Damaged
from skrobust._whole_file import write_whole

FACTS, JOURNAL = "record.json", "journal.jsonl"
_NAMES = re.compile(r"record\.json|journal\.jsonl|arrays/\d{5}\.npy")
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_VERSION, _STORED = 20, 0
_DATE = 33  # 1980-01-01, the first that an archive can have
_REGULAR = 0o100644 << 16  # a regular file of Unix
_LARGEST = 2**32 - 1
_MOST = 2**16 - 1  # members


def array_name(place):
    """Return the name of an array by its place."""
    return f"arrays/{place:05d}.npy"


def packed(members):
    """Return the bytes of an archive.

    Parameters
    ----------
    members : dict of str to bytes
        Content by name, in order.

    Returns
    -------
    bytes
        The archive.
    """
    body, directory, place = [], [], 0
    for name, content in members.items():
        name = name.encode()
        sizes = zlib.crc32(content), len(content), len(content), len(name)
        common = (_VERSION, 0, _STORED, 0, _DATE, *sizes)
        head = _LOCAL.pack(b"PK\3\4", *common, 0)
        fields = (3 << 8 | _VERSION, *common, 0, 0, 0, 0, _REGULAR, place)
        directory += [_CENTRAL.pack(b"PK\1\2", *fields), name]
        body += [head, name, content]
        place += len(head) + len(name) + len(content)
    n, size = len(members), sum(map(len, directory))
    end = _END.pack(b"PK\5\6", 0, 0, n, n, size, place, 0)
    return b"".join([*body, *directory, end])


def write_members(path, members):
    """Write an archive as a whole, with equal bytes for equal members.

    Parameters
    ----------
    path : path-like
        The file.
    members : dict of str to bytes
        Content by name, in order.
    """
    if sum(map(len, members.values())) > _LARGEST // 2:
        raise ValueError("A record holds at most 2 GB; evaluate fewer rows at a time.")
    if len(members) > _MOST:
        text = f"A record holds at most {_MOST} members, and not {len(members)}; "
        raise ValueError(f"{text}evaluate fewer conditions or models at a time.")
    content = packed(members)
    write_whole(path, lambda file: file.write(content))


def read_members(path):
    """Return the members of an archive by name, and whether its form is sound.

    Parameters
    ----------
    path : path-like
        The file, of which no more memory is taken than some times its size.

    Returns
    -------
    members : dict of str to bytes
        Content by name.
    is_sound : bool
        Whether the file is, bit for bit, what :func:`write_members` makes of these.

    Raises
    ------
    Damaged
        For what is no archive of this form.
    """
    path = Path(path)
    what = repr(path.name)
    if not path.is_file():
        raise FileNotFoundError(f"There is no record {str(path)!r}.")
    if path.stat().st_size > _LARGEST:
        raise Damaged(f"{what} is no record of skrobust: it is larger than 4 GB.")
    content, place, members = path.read_bytes(), 0, {}
    while content[place : place + 4] == b"PK\3\4":
        if len(content) < place + _LOCAL.size:
            break
        head = _LOCAL.unpack_from(content, place)
        method, size, whole_size, length = head[3], *head[7:10]
        start = place + _LOCAL.size
        name = content[start : start + length].decode("ascii", "replace")
        start, place = start + length, start + length + size
        is_ours = method == _STORED and size == whole_size and _NAMES.fullmatch(name)
        is_ours = is_ours and name not in members and len(members) < _MOST
        if not is_ours or place > len(content):
            raise _no_record(what, len(members))
        members[name] = content[start:place]
    if FACTS not in members:
        raise _no_record(what, len(members))
    return members, packed(members) == content


def _no_record(what, n_read):
    if not n_read:
        return Damaged(f"{what} is no record of skrobust, or damaged at its beginning.")
    return Damaged(
        f"{what} is damaged, or no record of skrobust: its form is broken after "
        f"{n_read} of its members."
    )
