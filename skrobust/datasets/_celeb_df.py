"""Celeb-DF v2: videos of celebrities and fakes made of them."""

import re

from skrobust._validation import check_choice
from skrobust.datasets._image_set import folder_of
from skrobust.datasets.clip_reader import Reader, refuse_empty
from skrobust.datasets.clips_on_disk import clips_in
from skrobust.datasets.skipped_files import Skips

_FOLDERS = {
    "Celeb-real": "real",
    "YouTube-real": "real",
    "Celeb-synthesis": "fake",
}
_LIST = "List_of_testing_videos.txt"
_FAKE = re.compile(r"(id\d+)_id\d+_(\d+)")


def load_celeb_df(
    path,
    *,
    split=None,
    source="videos",
    n_frames=None,
    every=None,
    fps=None,
    method="uniform",
    short="raise",
    random_state=None,
    resize=None,
    crop=None,
    on_error="raise",
    cache=None,
    verify=True,
):
    """Load Celeb-DF v2 (Li et al., 2020) from the folder that it was unpacked to.

    The layout::

        Celeb-real/id0_0000.mp4            or Celeb-real/videos/...
        Celeb-synthesis/id0_id1_0000.mp4
        YouTube-real/00000.mp4
        List_of_testing_videos.txt         lines such as "1 YouTube-real/00170.mp4"
        Celeb-real/frames/id0_0000/*.png   extracted, source="images"

    ``id0_id1_0000`` shows video ``id0_0000`` with the face of person ``id1``. In the
    list 1 stands for real and 0 for fake.

    Parameters
    ----------
    path : str or path
        The folder that holds these.
    split : {"train", "test"}, default=None
        "test" takes the clips of the list, "train" all others, None all. The list must
        agree with the folders on what is real.
    source : {"videos", "images"}, default="videos"
        Whether to sample video files, or read frames that were extracted before.
    n_frames : int, default=None
        Frames of each clip. Of videos exactly one of ``n_frames``, ``every``, ``fps``
        is given; of images None takes all, a number at most so many, evenly spread.
    every : int, default=None
        Each ``every``-th frame of a video.
    fps : float, default=None
        Frames per second of playing time of a video.
    method : {"uniform", "random", "first"}, default="uniform"
        Which frames of a video, with ``n_frames``; see :func:`sample_frames`.
    short : {"raise", "all", "repeat"}, default="raise"
        What a video with fewer than ``n_frames`` frames gives; "raise" treats it as
        ``on_error`` says.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``method="random"``.
    resize : (int, int) or None, default=None
        (height, width) in pixels.
    crop : callable, "face" or None, default=None
        Applied before ``resize``, which it needs; "face" is ``FaceCrop()``.
    on_error : {"raise", "skip"}, default="raise"
        Whether the first clip or image that cannot be used ends the loading, or all
        such are left out, counted in one warning and listed in ``skipped``.
    cache : str or path, default=None
        Folder for the frames of videos, as in :func:`load_video_folder`.
    verify : bool, default=True
        Whether each extracted image is decoded once now.

    Returns
    -------
    ImageSet
        Target 0 is "fake" and 1 is "real"; ``group`` is the folder, ``clip``
        is ``<folder>/<name>``, and ``origin`` is the real clip that is shown:
        ``Celeb-real/id0_0000`` for it and all fakes of it.

    Raises
    ------
    ValueError
        For parameters that are none of these, a folder of another layout, and, with
        ``on_error="raise"``, a clip or image that cannot be used.
    ImportError
        Without the decoder of videos (``pip install 'skrobust[video]'``).

    Warns
    -----
    UserWarning
        With ``on_error="skip"``: how much was left out.

    Notes
    -----
    Persons occur in many clips, on both sides of the published list too; ``origin``
    keeps a video and its fakes together, not a person.

    References
    ----------
    Li et al., "Celeb-DF: a large-scale challenging dataset for DeepFake forensics"
    (CVPR 2020), and the readme of its repository.

    Examples
    --------
    >>> from skrobust.datasets import load_celeb_df
    >>> test = load_celeb_df(
    ...     "Celeb-DF-v2", split="test", n_frames=10,
    ...     resize=(256, 256))  # doctest: +SKIP
    >>> test.images.shape  # doctest: +SKIP
    (5180, 256, 256, 3)
    """
    caller = "load_celeb_df"
    folder = folder_of(path, caller)
    skips = Skips(on_error, caller)
    reader = Reader(
        caller,
        skips,
        source,
        resize=resize,
        crop=crop,
        cache=cache,
        verify=verify,
        n_frames=n_frames,
        every=every,
        fps=fps,
        method=method,
        short=short,
        random_state=random_state,
    )
    check_choice(split, "split", caller, (None, "train", "test"))
    listed = None if split is None else _test_list(folder / _LIST, skips, caller)
    places = ("", "videos") if source == "videos" else ("frames", "")
    records, n_clips, found = [], 0, set()
    for group, label in _FOLDERS.items():
        clips = clips_in(_place(folder, group), places, source)
        n_clips += len(clips)
        if not clips:
            skips.add(folder / group, f"there are no {source} of clips in it")
        for name, file in clips:
            clip = f"{group}/{name}"
            found.add(clip)
            if split is not None and (clip in listed) != (split == "test"):
                continue
            if split == "test" and listed[clip] != label:
                skips.add(file, f"{_LIST} calls it {listed[clip]}")
                continue
            fake = _FAKE.fullmatch(name) if label == "fake" else None
            origin = f"Celeb-real/{fake[1]}_{fake[2]}" if fake else clip
            facts = {"group": group, "clip": clip, "origin": origin}
            records += reader.records(file, label=label, **facts)
    refuse_empty(n_clips, folder, caller, "Celeb-real/id0_0000.mp4 and so on")
    if split == "test":
        for clip in sorted(set(listed) - found):
            skips.add(folder / clip, f"{_LIST} names it, and it is not there")
    return reader.build(records)


def _place(folder, group):
    # The set is passed on under both spellings.
    other = folder / group.replace("YouTube", "Youtube")
    return folder / group if (folder / group).is_dir() else other


def _test_list(file, skips, caller):
    """Return the label of each clip of the list."""
    if not file.is_file():
        raise ValueError(f"{caller} needs {str(file)!r} for a split.")
    listed = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip():
            continue
        mark, _, name = line.strip().partition(" ")
        group, _, clip = name.strip().partition("/")
        group = group.replace("Youtube", "YouTube")
        if mark not in ("0", "1") or group not in _FOLDERS or not clip:
            skips.add(f"{file}, line {number}", f"it reads {line.strip()!r}")
            continue
        listed[f"{group}/{clip.rpartition('.')[0]}"] = "real" if mark == "1" else "fake"
    return listed
