"""Folders, clips and frames on disk."""

import re
from pathlib import Path

from skrobust._validation import check_path, invalid
from skrobust.datasets.frame_names import frame_number
from skrobust.datasets.image_files import IMAGE_SUFFIXES
from skrobust.datasets.video_files import VIDEO_SUFFIXES


def folder_of(path, caller):
    """Return a path that is a folder, or raise."""
    folder = check_path(path, "path", caller)
    if not folder.is_dir():
        raise invalid("path", caller, "the path of a folder", str(path))
    return folder


def visible(folder):
    """Return the contents of a folder by name, without hidden files."""
    inside = sorted(folder.iterdir(), key=lambda p: natural(p.name))
    return [path for path in inside if not path.name.startswith(".")]


def natural(name):
    """Return a key that sorts 2.png before 10.png."""
    parts = re.split("([0-9]+)", name)
    return [(int(part), part) if i % 2 else part for i, part in enumerate(parts)]


def is_video(path):
    """Return whether the name of a file is that of a video."""
    return path.suffix.lower() in VIDEO_SUFFIXES and not path.is_dir()


def is_image(path):
    """Return whether the name of a file is that of an image."""
    return path.suffix.lower() in IMAGE_SUFFIXES and not path.is_dir()


def video_records(path, sampling, skips, **facts):
    """Return one record per sampled frame of a video file."""
    try:
        frames, _, _ = sampling.choose(path)
    except ValueError as error:
        skips.add(path, str(error))
        return []
    return [
        {"path": str(path), "number": int(f), "frame": int(f), **facts} for f in frames
    ]


def still_records(folder, skips, *, links, n_frames=None, **facts):
    """Return one record per image in the folder of a clip, evenly chosen."""
    files = [path for path in visible(Path(folder)) if is_image(path)]
    refused = {path: links.why_not(path) for path in files}
    for path, reason in refused.items():
        if reason is not None:
            skips.add(path, reason)
    files = [path for path in files if refused[path] is None]
    if not files and not refused:
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

    The first of the named folders with clips counts; "" is the folder itself.
    """
    for place in (folder / name for name in names):
        inside = visible(place) if place.is_dir() else []
        if kind == "videos":
            found = [(p.stem, p) for p in inside if is_video(p)]
        else:
            found = [(p.name, p) for p in inside if p.is_dir()]
        if found:
            return found
    return []


def clip_name(folder, path):
    """Return the name of a clip: its path below the folder."""
    return path.relative_to(folder).as_posix()
