"""UADFV: 49 real videos and 49 fakes of them."""

from skrobust.datasets.clip_reader import VIDEOS_OR_FRAMES, ClipReader
from skrobust.datasets.frame_sampling import FrameSampling
from skrobust.datasets.loader_options import shows_options_of


@shows_options_of(ClipReader, FrameSampling)
def load_uadfv(path, *, source="videos", n_frames=None, **options):
    """Load UADFV (Yang, Li, Lyu, 2019) from its unpacked folder.

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
    reader = ClipReader("load_uadfv", path, source, n_frames, **options)
    for label in ("real", "fake"):
        for name, file in reader.clips(label, VIDEOS_OR_FRAMES):
            if name in ("videos", "frames", "landmarks"):
                continue
            if (label == "fake") != name.endswith("_fake"):
                reader.skips.add(file, f"its name is not that of a {label} clip")
                continue
            origin = name.removesuffix("_fake")
            reader.read(
                file, label=label, group=label, clip=f"{label}/{name}", origin=origin
            )
    return reader.image_set("real/0000.mp4 and fake/0000_fake.mp4")
