"""Celeb-DF v2: videos of celebrities and fakes of them."""

import re

from skrobust._validation import check_choice
from skrobust.datasets.clip_reader import VIDEOS_OR_FRAMES, ClipReader
from skrobust.datasets.frame_sampling import FrameSampling
from skrobust.datasets.loader_options import shows_options_of

_FOLDERS = {"Celeb-real": "real", "YouTube-real": "real", "Celeb-synthesis": "fake"}
_LIST = "List_of_testing_videos.txt"
_FAKE = re.compile(r"(id\d+)_id\d+_(\d+)")


@shows_options_of(ClipReader, FrameSampling)
def load_celeb_df(path, *, split=None, source="videos", n_frames=None, **options):
    """Load Celeb-DF v2 (Li et al., 2020) from its unpacked folder.

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
        Frames of each clip. Of videos exactly one of ``n_frames``, ``every`` and
        ``fps`` is given. Of images None takes all, an int at most that many, evenly
        spread.
    resize, crop, on_error, cache, follow_links : object
        As in :func:`load_video_folder`; ``cache`` is for videos only.
    verify : bool, default=True
        Whether each extracted image is decoded once now; False reads the headers only,
        as in :func:`load_image_folder`.
    n_clips : int, default=None
        Most clips of each label, drawn by ``random_state`` before any is opened; None
        takes all.
    every, fps, method, short, random_state : object
        As in :func:`sample_frames`, for videos only, but ``random_state`` also draws
        the clips.

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
    reader = ClipReader(caller, path, source, n_frames, **options)
    skips = reader.skips
    check_choice(split, "split", caller, (None, "train", "test"))
    listed = None if split is None else _test_list(reader.folder / _LIST, skips, caller)
    found = set()
    for group, label in _FOLDERS.items():
        place = _spelling(reader.folder, group)
        for name, file in reader.clips(place, VIDEOS_OR_FRAMES):
            clip = f"{group}/{name}"
            found.add(clip)
            if split is not None and (clip in listed) != (split == "test"):
                continue
            if split == "test" and listed[clip] != label:
                skips.add(file, f"{_LIST} calls it {listed[clip]}")
                continue
            fake = _FAKE.fullmatch(name) if label == "fake" else None
            origin = f"Celeb-real/{fake[1]}_{fake[2]}" if fake else clip
            reader.read(file, label=label, group=group, clip=clip, origin=origin)
    if split == "test":
        for clip in sorted(set(listed) - found):
            skips.add(reader.folder / clip, f"{_LIST} names it, but it is missing")
    return reader.image_set("Celeb-real/id0_0000.mp4 and so on")


def _spelling(folder, group):
    # The set is passed on under both spellings.
    other = group.replace("YouTube", "Youtube")
    return group if (folder / group).is_dir() else other


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
