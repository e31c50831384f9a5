"""The records of clips: video files with sampled frames, or folders of frames."""

import re
from pathlib import Path

from skrobust._validation import check_choice
from skrobust.datasets._face_crop import check_crop
from skrobust.datasets._image_set import visible
from skrobust.datasets.image_files import IMAGE_SUFFIXES, check_resize
from skrobust.datasets.video_files import VIDEO_SUFFIXES

LONGEST = 18  # digits of a number that an array of integers holds
_NUMBER = re.compile(rf"(?<!\d)\d{{1,{LONGEST}}}$")


def check_options(caller, resize, crop, convert, **more):
    """Return the options of LazyImages, or raise before anything is read."""
    crop = check_crop(crop, resize, caller)
    check_choice(convert, "convert", caller, (True, False))
    resize = check_resize(resize, caller)
    return {"resize": resize, "crop": crop, "convert": convert, **more}


def frame_number(stem):
    """Return the number at the end of a file's name, or -1 (a hash is none)."""
    found = _NUMBER.search(stem)
    return int(found.group()) if found else -1


def is_video(path):
    """Say whether a file is a video by its name."""
    return path.suffix.lower() in VIDEO_SUFFIXES and not path.is_dir()


def is_image(path):
    """Say whether a file is an image by its name."""
    return path.suffix.lower() in IMAGE_SUFFIXES and not path.is_dir()


def video_records(path, choose, skips, **facts):
    """Return one record per chosen frame of a video file."""
    try:
        frames, _, _ = choose(path)
    except ValueError as error:
        reason = str(error)
    else:
        return [
            {"path": str(path), "number": int(f), "frame": int(f), **facts}
            for f in frames
        ]
    skips.add(path, reason)
    return []


def still_records(folder, skips, *, n_frames=None, **facts):
    """Return one record per image in the folder of a clip, evenly chosen."""
    files = [path for path in visible(Path(folder)) if is_image(path)]
    if not files:
        skips.add(folder, "the clip has no images")
    if n_frames is not None and len(files) > n_frames:
        n = len(files)
        files = [files[(2 * i + 1) * n // (2 * n_frames)] for i in range(n_frames)]
    return [
        {"path": str(p), "number": None, "frame": frame_number(p.stem), **facts}
        for p in files
    ]


def clips_in(folder, names, kind):
    """Return (clip, path) of the videos or frame folders under the named folders.

    The first of the named folders that there is holds the clips; "" is the folder
    itself.
    """
    for name in names:
        place = folder / name if name else folder
        if not place.is_dir():
            continue
        if kind == "videos":
            found = [(p.stem, p) for p in visible(place) if is_video(p)]
        else:
            inside = [p for p in visible(place) if p.is_dir()]
            found = [(p.name, p) for p in inside]
        if found:
            return found
    return []


def clip_name(folder, path):
    """Return the name of a clip: its path below the folder."""
    return path.relative_to(folder).as_posix()
