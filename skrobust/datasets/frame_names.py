"""Numbers of frames in the names of files."""

import re
import warnings
from collections import Counter

from skrobust._stacklevel import level_outside
from skrobust._validation import invalid

LONGEST = 18  # digits of a number that an array of integers holds
MANY = 20  # images of one name in a folder that may be a numbered list of photographs
_WORD = r"(?:frame|frm|fr|f|image|img|no|nr)"
_NUMBER = rf"(?P<frame>\d{{1,{LONGEST}}})"
_AFTER = r"(?:[_\-. ](?:face|crop|person|track|aligned)[_\-. ]?\d*)?"
# clip_0012, clip-frame-12, clip.f12, clip (12), clip#12, clip_frame12_face0
_CLIP_AND_FRAME = re.compile(
    rf"(?P<clip>.*?[^_\-. #@])(?:[_\-. #@]+{_WORD}?[_\-. #@]*{_NUMBER}"
    rf"| ?[(\[]{_NUMBER.replace('frame', 'inside')}[)\]]){_AFTER}",
    re.IGNORECASE,
)
# frame_0012_clip, f12-clip
_FRAME_AND_CLIP = re.compile(
    rf"(?:frame|frm|fr|f)[_\-. ]?{_NUMBER}[_\-. ]+(?P<clip>.*[^\W\d_].*)", re.IGNORECASE
)
_ALONE = re.compile(
    rf"(?<![^\W_]){_WORD}?(?P<frame>\d{{1,{LONGEST}}})(?![^\W_])", re.IGNORECASE
)
_AT_END = re.compile(rf"(?<!\d)\d{{1,{LONGEST}}}$")
_HASH = re.compile(rf"[0-9a-f-]{{16,}}|\d{{{LONGEST + 1},}}", re.IGNORECASE)


def check_pattern(pattern, caller):
    """Return a compiled pattern of names with a group "clip", None, or raise."""
    if pattern is None:
        return None
    rule = "a regular expression with a group 'clip' and, as there is one, 'frame'"
    try:
        found = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise invalid("pattern", caller, rule, pattern) from error
    if "clip" not in found.groupindex:
        raise invalid("pattern", caller, rule, pattern)
    return found


def clip_and_frame(stem, pattern=None):
    """Return the name of the clip and the number of the frame, or None.

    Parameters
    ----------
    stem : str
        Name of a file, without its ending.
    pattern : re.Pattern, default=None
        Replaces the common forms.
    """
    if pattern is not None:
        found = pattern.fullmatch(stem)
        if found is None:
            return None
        frame = found.groupdict().get("frame")
        is_number = frame is not None and frame.isdecimal() and len(frame) <= LONGEST
        return found["clip"], int(frame) if is_number else -1
    found = _FRAME_AND_CLIP.fullmatch(stem)
    if found:
        return found["clip"], int(found["frame"])
    found = _CLIP_AND_FRAME.fullmatch(stem)
    if found is None:
        return None
    return found["clip"], int(found["frame"] or found["inside"])


def frame_number(stem):
    """Return the number at the end of a file's name, or its only number, or -1."""
    found = _AT_END.search(stem)
    if found:
        return int(found.group())
    alone = _ALONE.findall(stem)
    return int(alone[0]) if len(alone) == 1 else -1


def has_unread_number(stem):
    """Return whether a name holds a number beside a word, and is not just a hash."""
    is_hash = any(_HASH.fullmatch(part) for part in re.split(r"[_. ]", stem))
    return not is_hash and bool(re.search(r"\d", stem)) and not stem.isdecimal()


def warn_of_names(records, unread, caller):
    """Warn once, with counts, where the names of images tell no clips.

    Parameters
    ----------
    records : list of dict
        Those of images whose clip is read from the name of the file.
    unread : list of path
        Images whose names hold a number that was not read.
    caller : str
        Name of the public function.
    """
    n, clips = len(records), Counter(record["clip"] for record in records)
    folders = {clip.rpartition("/")[0] for clip in clips}
    numbered = all(record["frame"] >= 0 for record in records)
    cure = (
        "pass pattern=, a regular expression with groups 'clip' and 'frame', or "
        r"metadata=; pattern='(?P<clip>.+)' says that each image is a clip."
    )
    if unread:
        what = (
            f"no frame number from the names of {len(unread)} of {n} images, such as "
            f"{unread[0].name!r}, so each of them is a clip of its own"
        )
    elif numbered and n > 2 and len(clips) == n:
        what = (
            f"a frame number from the names of all {n} images, and yet each is a clip "
            f"of its own, such as {records[0]['clip']!r}"
        )
    elif numbered and n >= MANY and n >= MANY * len(clips) == MANY * len(folders):
        what = (
            f"the names of all {n} images as frames of {len(clips)} clips, one in each "
            f"folder, such as {records[0]['clip']!r}"
        )
    else:
        return
    text = f"{caller} reads {what}; if that is not so, {cure}"
    warnings.warn(text, UserWarning, stacklevel=level_outside())
