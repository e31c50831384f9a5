"""Folder of video files."""

from skrobust.datasets.build_image_set import build
from skrobust.datasets.clips_on_disk import (
    clip_name,
    folder_of,
    is_video,
    video_records,
)
from skrobust.datasets.folder_levels import all_files, check_levels, files_with_facts
from skrobust.datasets.frame_sampling import FrameSampling
from skrobust.datasets.image_options import ImageOptions
from skrobust.datasets.loader_options import shows_options_of
from skrobust.datasets.skipped_files import Skips


@shows_options_of(FrameSampling)
def load_video_folder(
    path,
    n_frames=None,
    *,
    levels=("label",),
    label=None,
    resize=None,
    crop=None,
    on_error="raise",
    cache=None,
    **sampling,
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
    levels : tuple of {"label", "group"}, default=("label",)
        Meaning of the names of the folders, from the top.
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
        the next call reads them there, and makes damaged ones again (a name ends with
        the SHA-256 of its file). Without it each use of an image decodes its
        video from the last key frame on, and crops again: slow for training. Your own
        ``crop`` function is known by its name alone: empty the folder when it changes.
    every, fps, method, short, random_state : object
        As in :func:`sample_frames`. ``short="raise"`` treats a clip with fewer than
        ``n_frames`` frames as ``on_error`` says.

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
    options = ImageOptions.checked(caller, resize=resize, crop=crop)
    levels = check_levels(levels, label, caller)
    sampling = FrameSampling.of(caller, n_frames, sampling)
    files = all_files(folder)
    videos = [f for f in files if is_video(f)]
    records = []
    for file, facts in files_with_facts(folder, videos, levels, label, skips):
        facts["clip"] = facts["origin"] = clip_name(folder, file.with_suffix(""))
        records += video_records(file, sampling, skips, **facts)
    ignored = [f for f in files if not is_video(f)]
    return build(records, skips, options, ignored=ignored, cache=cache)
