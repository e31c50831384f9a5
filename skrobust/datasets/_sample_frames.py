"""Frames of one video file."""

import numpy as np
from sklearn.utils import Bunch

from skrobust.datasets.frame_sampling import FrameSampling
from skrobust.datasets.image_options import ImageOptions
from skrobust.datasets.video_files import read_frames


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
        Number of frames.
    every : int, default=None
        Each ``every``-th frame, beginning with the first.
    fps : float, default=None
        Frames per second of playing time: what a viewer sees at 0, 1/fps, 2/fps, ...
        seconds, by the time stamps of the file. Where the frame rate varies, equal
        times are not equal numbers of frames. A frame shown at several of these times
        is taken once.
    method : {"uniform", "random", "first"}, default="uniform"
        With ``n_frames``: the middles of ``n_frames`` equal parts of the video, draws
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
    packets do not all decode is refused when a frame is missing. Frames are turned and
    mirrored as a phone notes in the file. FaceForensics++ (Roessler et al., ICCV 2019)
    and Celeb-DF (Li et al., CVPR 2020) do not state which frames are to be taken; the
    middles of equal parts are our choice.

    Examples
    --------
    >>> from skrobust.datasets import sample_frames
    >>> frames = sample_frames("clip.mp4", 10, resize=(256, 256))  # doctest: +SKIP
    >>> frames.images.shape  # doctest: +SKIP
    (10, 256, 256, 3)
    """
    caller = "sample_frames"
    sampling = FrameSampling(caller, n_frames, every, fps, method, short, random_state)
    options = ImageOptions.checked(caller, resize=resize, crop=crop, one_size=False)
    try:
        frames, times, n = sampling.choose(path)
        numbers = sorted(set(frames.tolist()))
        found = {
            number: options.finish(image, caller)
            for number, image in read_frames(path, numbers, caller)
        }
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
