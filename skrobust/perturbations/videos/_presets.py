"""Presets of clips: the encodings that real videos pass."""

from skrobust.perturbations.images._presets import shape_of
from skrobust.perturbations.meta._sequence import PerturbationSequence
from skrobust.perturbations.presets import register_preset
from skrobust.perturbations.videos._downscaling import Downscaling
from skrobust.perturbations.videos._video_compression import VideoCompression

# Names, and steps: a rate factor of H.264 ("crf") or a share of the side ("share").
_CHAINS = {
    "H.264 crf 23": (("crf", 23),),
    "H.264 crf 28": (("crf", 28),),
    "H.264 crf 33": (("crf", 33),),
    "H.264 crf 40": (("crf", 40),),
    "resize 0.75": (("share", 0.75),),
    "resize 0.5": (("share", 0.5),),
    "upload": (("share", 0.75), ("crf", 28)),
    "messenger": (("share", 0.5), ("crf", 33)),
    "upload, then messenger": (
        ("share", 0.75), ("crf", 28), ("share", 0.5), ("crf", 33),
    ),
}  # fmt: skip


@register_preset("images")
def video_chain(
    *,
    clips=1,
    image_shape=None,
    channel_axis=None,
    data_range="auto",
    random_state=None,
):
    """Return the encodings that videos pass on their way as conditions.

    H.264 at four rate factors (23 and 40 are those of FaceForensics++), resizing, and
    chains of both: an upload to a site, a messenger, and one after the other. What
    sites do in fact differs and changes; the numbers are our choice. The first
    condition is clean.

    Parameters
    ----------
    clips : int or None, default=1
        How many rows after one another are a clip; None: all.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    Returns
    -------
    conditions : list of PerturbationSequence
        10 conditions with their names and numbers.

    Examples
    --------
    >>> from skrobust.perturbations import video_chain
    >>> [condition.name for condition in video_chain(clips=10)][:3]
    ['CLEAN', 'H.264 crf 23', 'H.264 crf 28']
    """
    shape = shape_of(image_shape, channel_axis, data_range)
    kinds = {
        "crf": lambda value: VideoCompression(crf=value, clips=clips, **shape),
        "share": lambda value: Downscaling(share=value, **shape),
    }
    named = {"CLEAN": (), **_CHAINS}
    return [
        PerturbationSequence(
            [kinds[kind](value) for kind, value in steps],
            name=name,
            number=number,
            random_state=random_state,
        )
        for number, (name, steps) in enumerate(named.items(), start=1)
    ]
