"""Files that are cut off: what is missing, and what is there."""

from pathlib import Path

_BOXED = {".m4v", ".mov", ".mp4"}
_RIFF = {".avi", ".webp"}


def why_undecodable(path, error, header=""):
    """Return why a file cannot be decoded, for a message.

    Parameters
    ----------
    path : str or path
        The file.
    error : Exception
        What the decoder says.
    header : str, default=""
        What its header announces, such as "a JPEG of 480 x 640 pixels".

    Returns
    -------
    str
        The reason alone.
    """
    text = getattr(error, "strerror", None) or str(error)
    try:
        size = Path(path).stat().st_size
    except OSError:  # a link that leads to itself
        return f"it cannot be opened ({text})"
    if not size:
        return "it is empty (0 bytes)"
    known = why_cut(path)
    if known is None and header and "truncated" in text.lower():
        known = f"it is cut off: {size:,} bytes are there"
    if known is None:
        return f"it cannot be decoded ({text}; {size:,} bytes are there)"
    return f"{known} of {header}" if header else known


def why_cut(path):
    """Return what is missing of a file that announces its size, or None."""
    path, missing = Path(path), ""
    size, suffix = path.stat().st_size, path.suffix.lower()
    if suffix in _BOXED:
        boxes, announced = _boxes(path, size)
        if "ftyp" not in boxes:  # it has the name alone
            return None
        missing = "" if "moov" in boxes else "its index (moov) is missing, "
    elif suffix in _RIFF:
        with path.open("rb") as file:
            head = file.read(8)
        is_riff = head[:4] == b"RIFF"
        announced = int.from_bytes(head[4:8], "little") + 8 if is_riff else size
    else:
        return None
    if announced <= size:
        return f"it is cut off: {missing}{size:,} bytes are there" if missing else None
    there = f"{size:,} bytes are there, at least {announced:,} announced"
    return f"it is cut off: {missing}{there}"


def _boxes(path, size):
    """Return the kinds of the outer boxes of an MP4 file, and where the last ends."""
    kinds, at = set(), 0
    with Path(path).open("rb") as file:
        while at + 8 <= size:
            file.seek(at)
            head = file.read(16)
            length = int.from_bytes(head[:4], "big")
            if length == 1:  # 64 bits, after the kind
                length = int.from_bytes(head[8:16], "big")
            kinds.add(head[4:8].decode("latin-1"))
            if length < 8:  # 0: to the end of the file
                return kinds, size
            at += length
    return kinds, at


def check_duration(container, end, n):
    """Raise where a Matroska file ends before the time that its header announces.

    Such files do not announce their number of frames.

    Parameters
    ----------
    container : av.container.InputContainer
        The open file.
    end : float
        Seconds at which the last packet of any stream ends.
    n : int
        Number of frames.
    """
    if "matroska" not in container.format.name or not container.duration:
        return
    announced = container.duration / 1e6
    if n and end < announced - max(0.1, 0.75 * end / n):
        raise ValueError(
            f"it is cut off: {announced:.1f} seconds are announced, {end:.1f} ({n} "
            "frames) are there"
        )
