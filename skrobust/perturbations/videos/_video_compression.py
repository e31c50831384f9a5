"""H.264 compression of clips."""

from io import BytesIO

import numpy as np

from skrobust._optional import require
from skrobust._parameters import Count
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.strength import Strength

_SMALLEST = 16  # pixels of a side; x264 codes blocks of this size
_RATE = 25  # frames per second of the file


class VideoCompression(ImagePerturbation):
    """H.264 compression of clips, as sites and messengers do it.

    The frames of a clip are encoded as one video in memory by x264 and decoded again.
    Colours pass through 8 bits with chroma at half the resolution (yuv420p), one
    channel as grey; other numbers of channels are coded one by one. Sides that are odd
    or below 16 pixels are continued by their last row or column, which is cut off
    again. Needs PyAV.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength; the factors at severities 1 to 5 are 23, 28, 33, 38 and 43, our
        choice. 0 changes nothing; below severity 1 the factor falls to 1. 1 where
        ``crf`` is not given either.
    crf : float in [1, 51], default=None
        Constant rate factor of x264, rounded to an integer, in place of ``severity``:
        23 is its default; FaceForensics++ has the videos "c23" and "c40".
    clips : int or None, default=1
        How many rows after one another are a clip. 1: every row is a video of one
        frame. None: all rows are one clip. Split by clip, and do not shuffle frames.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    Raises
    ------
    ValueError
        For parameters that are none of these, and rows that do not make whole clips.
    ImportError
        Without PyAV (``pip install 'skrobust[video]'``).

    Notes
    -----
    x264 runs at its default preset with one thread. Its versions differ in the last
    digits, and so do results between versions of PyAV.

    References
    ----------
    Roessler et al., "FaceForensics++: learning to detect manipulated facial images"
    (ICCV 2019), for compression as the test of detectors.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import VideoCompression
    >>> frames = np.tile(np.arange(64, dtype=np.uint8) * 4, (4, 64, 1))  # 4 frames
    >>> coded = VideoCompression(crf=40, clips=4).perturb(None, frames)
    >>> coded.shape, coded.dtype
    ((4, 64, 64), dtype('uint8'))
    """

    _strengths = {
        "crf": Strength((23, 28, 33, 38, 43), zero=0.0, low=1.0, high=51.0),
    }
    _parameter_rules = {"clips": Count(optional=True)}
    _noise = "fixed"
    _strong_params = {"crf": 51}

    def __init__(self, severity=None, *, crf=None, clips=1, **shared):
        super().__init__(severity, **shared)
        self.crf = crf
        self.clips = clips

    def _perturb(self, X, rng):
        if self.clips is not None and len(X) % int(self.clips):
            raise ValueError(
                f"VideoCompression with clips={self.clips} needs whole clips of so "
                f"many rows. Got {len(X)} rows."
            )
        return super()._perturb(X, rng)

    def _batch_rows(self, size):
        if self.clips is None:
            return np.iinfo(np.intp).max
        rows = super()._batch_rows(size)
        return max(1, rows // int(self.clips)) * int(self.clips)

    def _perturb_images(self, images, rng):
        levels = np.rint(np.clip(images, 0, 1) * 255).astype(np.uint8)
        return self._perturb_bytes(levels, rng).astype(images.dtype) / 255

    def _perturb_bytes(self, images, rng):
        av = require("av", "VideoCompression", extra="video")
        crf = max(1, int(np.rint(self._strength(images))))  # 0 is lossless
        length = len(images) if self.clips is None else int(self.clips)
        out = np.empty_like(images)
        for i in range(0, len(images), length):
            clip, rows = images[i : i + length], slice(i, i + length)
            if images.shape[3] == 3:
                out[rows] = _through_h264(clip, crf, av)
                continue
            for k in range(images.shape[3]):
                out[rows, ..., k] = _through_h264(clip[..., k], crf, av)
        return out


def _through_h264(clip, crf, av):
    """Return the frames of a clip, grey or in colours, encoded and decoded."""
    height, width = clip.shape[1:3]
    wide = [(0, 0)] * clip.ndim
    for axis, side in ((1, height), (2, width)):
        wide[axis] = (0, max(side + side % 2, _SMALLEST) - side)
    padded = np.pad(clip, wide, mode="edge")
    kind = "rgb24" if clip.ndim == 4 else "gray"
    file = BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=_RATE)
        stream.height, stream.width = padded.shape[1:3]
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": str(crf), "threads": "1"}
        for frame in padded:
            image = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format=kind)
            container.mux(stream.encode(image))
        container.mux(stream.encode())
    file.seek(0)
    with av.open(file) as container:
        frames = [f.to_ndarray(format=kind) for f in container.decode(video=0)]
    return np.stack(frames)[:, :height, :width]
