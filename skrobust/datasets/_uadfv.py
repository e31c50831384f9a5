"""UADFV: 49 real videos and 49 fakes made of them."""

from skrobust.datasets._image_set import folder_of
from skrobust.datasets.clip_reader import Reader, refuse_empty
from skrobust.datasets.clips_on_disk import clips_in
from skrobust.datasets.skipped_files import Skips


def load_uadfv(
    path,
    *,
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
    """Load UADFV (Yang, Li, Lyu, 2019) from the folder that it was unpacked to.

    The layout, for a clip ``0000``::

        real/0000.mp4              or real/videos/0000.mp4
        fake/0000_fake.mp4         or fake/videos/0000_fake.mp4
        real/frames/0000/*.png     extracted frames, source="images"
        fake/frames/0000_fake/*.png

    Parameters
    ----------
    path : str or path
        The folder that holds ``real`` and ``fake``.
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
        Target 0 is "fake" and 1 is "real"; ``group`` is the label,
        ``clip`` is ``real/0000`` or ``fake/0000_fake``, and ``origin`` is ``0000`` for
        both: split by it, since the fake shows the same video.

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

    References
    ----------
    Yang, Li, Lyu, "Exposing deep fakes using inconsistent head poses" (ICASSP 2019);
    Li, Chang, Lyu, "In ictu oculi" (WIFS 2018).

    Examples
    --------
    >>> from skrobust.datasets import load_uadfv
    >>> faces = load_uadfv("UADFV", n_frames=10, resize=(256, 256))  # doctest: +SKIP
    >>> faces.target_names  # doctest: +SKIP
    ['fake', 'real']
    """
    caller = "load_uadfv"
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
    places = ("", "videos") if source == "videos" else ("frames", "")
    records, n_clips = [], 0
    for label in ("real", "fake"):
        clips = clips_in(folder / label, places, source)
        if not clips:
            skips.add(folder / label, f"there are no {source} of clips in it")
        for name, file in clips:
            n_clips += 1
            if name in ("videos", "frames", "landmarks"):
                continue
            if (label == "fake") != name.endswith("_fake"):
                skips.add(file, f"a name like this is not of the {label} clips")
                continue
            records += reader.records(
                file,
                label=label,
                group=label,
                clip=f"{label}/{name}",
                origin=name.removesuffix("_fake"),
            )
    refuse_empty(n_clips, folder, caller, "real/0000.mp4 and fake/0000_fake.mp4")
    return reader.build(records)
