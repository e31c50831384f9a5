"""Which frames of a video are taken."""

from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from skrobust._keyed_noise.generator import seed_number, stream_number
from skrobust._validation import check_choice, check_count, check_number
from skrobust.datasets._face_crop import check_crop
from skrobust.datasets.image_files import check_resize, resized
from skrobust.datasets.video_files import frame_rate, read_frames, timeline

METHODS = ("uniform", "random", "first")
SHORT = ("raise", "all", "repeat")


def sample_frames(
    path,
    n_frames=None,
    *,
    every=None,
    fps=None,
    method="uniform",
    short="raise",
    crop=None,
    resize=None,
    random_state=None,
):
    """Read some frames of a video file.

    Exactly one of ``n_frames``, ``every`` and ``fps`` says how many.

    Parameters
    ----------
    path : str or path
        A video file that FFmpeg can decode.
    n_frames : int, default=None
        How many, exactly.
    every : int, default=None
        Each ``every``-th frame, beginning with the first.
    fps : float, default=None
        Frames per second of playing time: what a viewer sees at 0, 1/fps, 2/fps, ...
        seconds, by the time stamps of the file. Where the frame rate varies, equal
        times are not equal numbers of frames. A frame shown at several of these times
        is taken once.
    method : {"uniform", "random", "first"}, default="uniform"
        With ``n_frames``: the middles of so many equal parts of the video, draws
        without replacement, or those at the beginning.
    short : {"raise", "all", "repeat"}, default="raise"
        What a video with fewer than ``n_frames`` frames gives: an error, all frames it
        has, or ``n_frames`` evenly spread with repeats.
    crop : callable, "face" or None, default=None
        Applied to each frame of shape (height, width, 3); "face" is ``FaceCrop()``.
    resize : (int, int) or None, default=None
        (height, width) in pixels after the crop, by Pillow's bicubic filter.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``method="random"``. The draws belong to the file's name and its number
        of frames, so that a set of clips may share one seed.

    Returns
    -------
    bunch : Bunch
        ``images``, uint8 of shape (n, height, width, 3); ``frame``, the numbers of the
        frames, rising; ``time``, seconds from the first frame; ``n_frames``, how many
        the video has.

    Raises
    ------
    ValueError
        For parameters that are none of these, a video that is too short, cut off or
        corrupt, and crops of several sizes without ``resize``.
    ImportError
        Without the decoder (``pip install 'skrobust[video]'``).

    Notes
    -----
    Frames are counted by the packets of the file, one packet a frame; a file whose
    packets do not all decode is refused when a frame is missing. A rotation that a
    phone notes in the file is not applied. FaceForensics++
    (Roessler et al., ICCV 2019) and Celeb-DF (Li et al., CVPR 2020) do not state which
    frames are to be taken; the middles of equal parts are our choice.

    Examples
    --------
    >>> from skrobust.datasets import sample_frames
    >>> frames = sample_frames("clip.mp4", 10, resize=(256, 256))  # doctest: +SKIP
    >>> frames.images.shape  # doctest: +SKIP
    (10, 256, 256, 3)
    """
    caller = "sample_frames"
    choose = check_sampling(n_frames, every, fps, method, short, random_state, caller)
    resize = check_resize(resize, caller)
    crop = check_crop(crop, resize, caller, alone=True)
    try:
        frames, times, n = choose(path)
        found = {}
        for number, image in read_frames(path, sorted(set(frames.tolist())), caller):
            image = image if crop is None else crop(image)
            found[number] = resized(image, resize, caller)
    except ValueError as error:
        raise ValueError(f"{caller} cannot use {str(path)!r}: {error}.") from error
    if len({image.shape for image in found.values()}) > 1:
        raise ValueError(
            f"{caller} got crops of several sizes; pass resize=(height, width)."
        )
    return Bunch(
        images=np.stack([found[number] for number in frames]),
        frame=frames,
        time=times[frames],
        n_frames=n,
    )


def check_sampling(n_frames, every, fps, method, short, random_state, caller):
    """Return a function from a path to its frames, all times and length, or raise."""
    given = {"n_frames": n_frames, "every": every, "fps": fps}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise ValueError(
            f"{caller} takes exactly one of n_frames, every and fps. Got "
            f"{' and '.join(named) or 'none of them'}."
        )
    if n_frames is not None:
        check_count(n_frames, "n_frames", caller)
    if every is not None:
        check_count(every, "every", caller)
    if fps is not None:
        check_number(fps, "fps", caller, low=0, low_open=True)
    check_choice(method, "method", caller, METHODS)
    check_choice(short, "short", caller, SHORT)
    if method != "uniform" and n_frames is None:
        raise ValueError(f"{caller} takes method={method!r} with n_frames only.")
    seed = seed_number(random_state, caller)

    def choose(path):
        line = timeline(path, caller)
        rate = None if line.stamps else frame_rate(path, caller)
        if not line.stamps and not rate:
            if fps is not None:
                raise ValueError("it has no times; take n_frames or every")
            rate = 1.0
        times = line.times(rate)
        if every is not None:
            frames = np.arange(0, line.n, every)
        elif fps is not None:
            frames = _at_times(times, fps)
        else:
            frames = _chosen(line.n, n_frames, method, short, seed, Path(path).name)
        return frames, times, line.n

    return choose


def _at_times(times, fps):
    # A tick short of a whole step is that step, rounded by the file's clock.
    wanted = np.arange(int(np.floor(times[-1] * fps + 1e-6)) + 1) / fps
    shown = np.searchsorted(times, wanted + 1e-6, side="right") - 1
    return np.unique(shown)


def _chosen(n, n_frames, method, short, seed, name):
    if n < n_frames:
        if short == "raise":
            raise ValueError(
                f"it has {n} frames, fewer than n_frames={n_frames}; pass short='all' "
                "or short='repeat' to take what there is"
            )
        if short == "all":
            return np.arange(n)
        return np.arange(n_frames) * n // n_frames
    if method == "first":
        return np.arange(n_frames)
    if method == "uniform":
        return (2 * np.arange(n_frames) + 1) * n // (2 * n_frames)
    rng = np.random.default_rng(stream_number("frames", seed, name, n))
    return np.sort(rng.choice(n, n_frames, replace=False))
