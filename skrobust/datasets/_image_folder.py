"""Folders of images and of videos in no particular layout."""

import re
from pathlib import Path

from skrobust._validation import check_choice, invalid
from skrobust.datasets._image_set import folder_of, visible
from skrobust.datasets._sample_frames import check_sampling
from skrobust.datasets.build_image_set import build
from skrobust.datasets.clips_on_disk import (
    LONGEST,
    check_options,
    clip_name,
    frame_number,
    is_image,
    is_video,
    video_records,
)
from skrobust.datasets.metadata_table import table_records
from skrobust.datasets.skipped_files import Skips

_CLIP_AND_FRAME = re.compile(rf"(?P<clip>.+)_(?P<frame>\d{{1,{LONGEST}}})")
_LEVELS = ("label", "group")


def load_image_folder(
    path,
    *,
    levels=("label",),
    label=None,
    metadata=None,
    resize=None,
    crop=None,
    convert=False,
    on_error="raise",
    verify=True,
):
    """Load a folder of image files, where folders stand for classes or groups.

    ``path/<label>/<clip>_<frame>.jpg``, or ``path/<label>/<clip>/<frame>.jpg``: the
    number at the end is that of the frame, what stands before it is the clip. An image
    without such a number is a clip of its own.

    Parameters
    ----------
    path : str or path
        The folder.
    levels : tuple of {"label", "group"}, default=("label",)
        What the names of its folders mean, from the top: ``("label", "group")`` is
        ``path/<label>/<group>/...``. Ignored where ``metadata`` is given.
    label : str, default=None
        The one label of all images, where no level is "label" (as "real").
    metadata : str or path, default=None
        A CSV file with the columns ``path`` (relative to the folder of images) and
        ``label`` and, as there are, ``group``, ``clip``, ``frame`` and ``origin``. It
        replaces the reading of names; an image without a row and a row without an
        image or a label are treated as ``on_error`` says.
    resize : (int, int) or None, default=None
        (height, width) in pixels; None: images of another size than most are treated as
        ``on_error`` says.
    crop : callable, "face" or None, default=None
        Applied before ``resize``, which it needs; "face" is ``FaceCrop()``.
    convert : bool, default=False
        Whether grey, transparent and other images become red, green and blue (grey
        repeated, transparent ones on black); otherwise they are treated as ``on_error``
        says.
    on_error : {"raise", "skip"}, default="raise"
        Whether the first image that cannot be used ends the loading, or all such are
        left out with one warning that counts them, and listed in ``skipped``.
    verify : bool, default=True
        Whether each image is decoded once now, which finds those that are cut off.
        False reads the headers only: faster, but such an image then raises when it is
        used.

    Returns
    -------
    ImageSet
        Images, targets, groups, clips and frames; see there. Labels are numbered in
        alphabetical order. Clips are named ``<label>/<clip>``, as different folders may
        number them alike.

    Raises
    ------
    ValueError
        For parameters that are none of these, a folder without images, and, with
        ``on_error="raise"``, an image or row that cannot be used.

    Warns
    -----
    UserWarning
        With ``on_error="skip"``: how many files were left out.

    Notes
    -----
    Hidden files are passed over. Files that are no images by their names are listed in
    ``ignored``. Bytes changed in the middle of a JPEG file mostly decode to a wrong
    picture without any sign; no decoder finds them.

    Examples
    --------
    >>> from skrobust.datasets import load_image_folder
    >>> faces = load_image_folder("faces", resize=(256, 256))  # doctest: +SKIP
    >>> faces.images[:32].shape  # doctest: +SKIP
    (32, 256, 256, 3)
    """
    caller = "load_image_folder"
    folder = folder_of(path, caller)
    skips = Skips(on_error, caller)
    options = check_options(caller, resize, crop, convert)
    check_choice(verify, "verify", caller, (True, False))
    files = _all_files(folder)
    images = [f for f in files if is_image(f)]
    ignored = [f for f in files if not is_image(f)]
    if metadata is not None:
        records = table_records(folder, images, metadata, skips, caller)
        ignored = [f for f in ignored if f.resolve() != Path(metadata).resolve()]
    else:
        levels = _check_levels(levels, label, caller)
        records = _from_names(folder, images, levels, label, skips)
        _empty_folders(folder, levels, images, skips)
    names = sorted({record["label"] for record in records})
    return build(records, names, skips, options, ignored=ignored, verify=verify)


def load_video_folder(
    path,
    n_frames=None,
    *,
    every=None,
    fps=None,
    method="uniform",
    short="raise",
    random_state=None,
    levels=("label",),
    label=None,
    resize=None,
    crop=None,
    on_error="raise",
    cache=None,
):
    """Load frames of the videos in a folder, where folders stand for classes or groups.

    ``path/<label>/<clip>.mp4``. Frames are chosen as in :func:`sample_frames`, decoded
    once to see that they can be, and not kept in memory.

    Parameters
    ----------
    path : str or path
        The folder.
    n_frames : int, default=None
        Frames of each clip; exactly one of ``n_frames``, ``every``, ``fps`` is given.
    every : int, default=None
        Each ``every``-th frame.
    fps : float, default=None
        Frames per second of playing time.
    method : {"uniform", "random", "first"}, default="uniform"
        Which frames, with ``n_frames``.
    short : {"raise", "all", "repeat"}, default="raise"
        What a clip with fewer than ``n_frames`` frames gives; "raise" treats it as
        ``on_error`` says.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``method="random"``.
    levels : tuple of {"label", "group"}, default=("label",)
        What the names of the folders mean, from the top.
    label : str, default=None
        The one label of all clips, where no level is "label".
    resize : (int, int) or None, default=None
        (height, width) in pixels.
    crop : callable, "face" or None, default=None
        Applied before ``resize``, which it needs; "face" is ``FaceCrop()``. A frame for
        which it raises ValueError is treated as ``on_error`` says.
    on_error : {"raise", "skip"}, default="raise"
        What a video that cannot be decoded, is cut off or too short does, and a frame
        of another size or without a face. A video is left out whole.
    cache : str or path, default=None
        Folder in which the chosen frames are kept as PNG files, cropped and resized;
        the next call reads them there. Without it each use of an image decodes its
        video from the last key frame on, and crops again: slow for training. An own
        ``crop`` function is known by its name alone: empty the folder when it changes.

    Returns
    -------
    ImageSet
        Images, targets, groups, clips and frames; see there.

    Raises
    ------
    ValueError
        For parameters that are none of these, a folder without videos, and, with
        ``on_error="raise"``, a video that cannot be used.
    ImportError
        Without the decoder (``pip install 'skrobust[video]'``).

    Warns
    -----
    UserWarning
        With ``on_error="skip"``: how many files and frames were left out.

    Examples
    --------
    >>> from skrobust.datasets import load_video_folder
    >>> clips = load_video_folder(
    ...     "clips", n_frames=10, resize=(256, 256))  # doctest: +SKIP
    >>> clips.images.shape  # doctest: +SKIP
    (1340, 256, 256, 3)
    """
    caller = "load_video_folder"
    folder = folder_of(path, caller)
    skips = Skips(on_error, caller)
    options = check_options(caller, resize, crop, False)
    levels = _check_levels(levels, label, caller)
    choose = check_sampling(n_frames, every, fps, method, short, random_state, caller)
    files = _all_files(folder)
    videos = [f for f in files if is_video(f)]
    records = []
    for file in videos:
        facts = _facts(folder, file, levels, label, skips)
        if facts is None:
            continue
        facts["clip"] = facts["origin"] = clip_name(folder, file.with_suffix(""))
        records += video_records(file, choose, skips, **facts)
    _empty_folders(folder, levels, videos, skips)
    names = sorted({record["label"] for record in records})
    ignored = [f for f in files if not is_video(f)]
    return build(records, names, skips, options, ignored=ignored, cache=cache)


def _all_files(folder):
    found = []
    for path in visible(folder):
        found += _all_files(path) if path.is_dir() else [path]
    return found


def _check_levels(levels, label, caller):
    levels = (levels,) if isinstance(levels, str) else levels
    rule = "a tuple of 'label' and 'group', each at most once"
    if not isinstance(levels, (tuple, list)) or not set(levels) <= set(_LEVELS):
        raise invalid("levels", caller, rule, levels)
    if len(set(levels)) != len(levels):
        raise invalid("levels", caller, rule, levels)
    if ("label" in levels) == (label is not None):
        raise ValueError(
            f"{caller} needs either a level 'label' or label=, the one label of all. "
            f"Got levels={tuple(levels)!r} and label={label!r}."
        )
    if label is not None and not isinstance(label, str):
        raise invalid("label", caller, "a string or None", label)
    return tuple(levels)


def _facts(folder, file, levels, label, skips):
    """Return the label and group of a file by its folders, or None where they lack."""
    parts = file.relative_to(folder).parts[:-1]
    if len(parts) < len(levels):
        skips.add(file, f"it lies in no folder for its {levels[len(parts)]}")
        return None
    facts = {"label": label, "group": "", **dict(zip(levels, parts, strict=False))}
    return facts


def _from_names(folder, images, levels, label, skips):
    records = []
    for file in images:
        facts = _facts(folder, file, levels, label, skips)
        if facts is None:
            continue
        deep = len(file.relative_to(folder).parts) - 1 > len(levels)
        found = _CLIP_AND_FRAME.fullmatch(file.stem)
        if deep:  # the folder of a clip
            clip, frame = clip_name(folder, file.parent), frame_number(file.stem)
        elif found:
            clip = clip_name(folder, file.with_name(found["clip"]))
            frame = int(found["frame"])
        else:
            clip, frame = clip_name(folder, file.with_name(file.stem)), -1
        facts |= {"clip": clip, "origin": clip, "frame": frame}
        records.append({"path": str(file), "number": None, **facts})
    return records


def _empty_folders(folder, levels, files, skips):
    """Note folders without a file of the kind: classes, groups and clips."""
    full = {parent for file in files for parent in file.parents}
    for place in sorted(p for p in folder.rglob("*") if p.is_dir()):
        hidden = any(part.startswith(".") for part in place.relative_to(folder).parts)
        if place not in full and not hidden and place.parent in {folder, *full}:
            skips.add(place, "the folder holds nothing to load")
