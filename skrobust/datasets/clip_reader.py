"""Reader of the clips of a published deepfake set."""

from skrobust._validation import check_choice, check_count
from skrobust.datasets.build_image_set import build
from skrobust.datasets.clips_on_disk import (
    clips_in,
    folder_of,
    still_records,
    video_records,
)
from skrobust.datasets.frame_sampling import FrameSampling, check_unused
from skrobust.datasets.image_options import ImageOptions
from skrobust.datasets.skipped_files import Skips

# MesoNet and the list of Celeb-DF both take 1 for real.
LABELS = ["fake", "real"]
VIDEOS_OR_FRAMES = {"videos": ("", "videos"), "images": ("frames", "")}


class ClipReader:
    """Reader of clips: video files with sampled frames, or folders of frames.

    All options are checked before a clip is read.

    Parameters
    ----------
    caller : str
        Name of the public function, for error messages.
    path : str or path
        The folder of the set.
    source : {"videos", "images"}
        Which files are read.
    n_frames : int or None
        Frames of each clip.
    resize, crop, on_error, cache : object
        As :func:`skrobust.datasets.load_video_folder` documents them.
    verify : bool, default=True
        Whether each extracted image is decoded once.
    **sampling : dict
        As :func:`skrobust.datasets.sample_frames` documents them; for videos only.
    """

    def __init__(
        self,
        caller,
        path,
        source,
        n_frames,
        *,
        resize=None,
        crop=None,
        on_error="raise",
        cache=None,
        verify=True,
        **sampling,
    ):
        self.caller, self.folder = caller, folder_of(path, caller)
        self.skips = Skips(on_error, caller)
        check_choice(source, "source", caller, ("videos", "images"))
        check_choice(verify, "verify", caller, (True, False))
        self.options = ImageOptions.checked(caller, resize=resize, crop=crop)
        self.source, self.cache, self.verify = source, cache, verify
        self.n_clips, self.n_frames, self._records = 0, n_frames, []
        if source == "videos":
            self.sampling = FrameSampling.of(caller, n_frames, sampling)
            return
        if n_frames is not None:
            check_count(n_frames, "n_frames", caller)
        check_unused(sampling, caller)
        if cache is not None:
            raise ValueError(f"{caller} takes cache with source='videos' only.")

    def clips(self, folder, places, *, may_lack=False):
        """Return (name, path) of each clip in a folder of the set.

        Parameters
        ----------
        folder : str or path
            Relative to the folder of the set.
        places : dict of str to tuple of str
            Folders inside in which the clips may lie, by ``source``.
        may_lack : bool, default=False
            Whether a folder without clips is passed over.
        """
        found = clips_in(self.folder / folder, places[self.source], self.source)
        self.n_clips += len(found)
        if not found and not may_lack:
            reason = f"there are no {self.source} of clips in it"
            self.skips.add(self.folder / folder, reason)
        return found

    def read(self, path, **facts):
        """Add the frames of one clip to the set, with facts about the clip."""
        if self.source == "videos":
            found = video_records(path, self.sampling, self.skips, **facts)
        else:
            found = still_records(path, self.skips, n_frames=self.n_frames, **facts)
        self._records += found

    def image_set(self, layout):
        """Return the set of all clips; an error names the ``layout``."""
        if not self.n_clips:
            raise ValueError(
                f"{self.caller} found no clips under {str(self.folder)!r}; it needs "
                f"{layout}."
            )
        return build(
            self._records,
            self.skips,
            self.options,
            target_names=LABELS,
            verify=self.verify,
            cache=self.cache,
        )
