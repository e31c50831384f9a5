"""Reader of the clips of a published deepfake set."""

import numpy as np

from skrobust._folder_links import FolderLinks
from skrobust._keyed_noise.generator import seed_number, stream_number
from skrobust._validation import check_choice, check_count, check_flag
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
    n_clips : int, default=None
        Most clips of each label, drawn by ``random_state`` before any is opened; None
        takes all.
    follow_links : bool, default=False
        Whether links may lead out of the folder.
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
        follow_links=False,
        verify=True,
        n_clips=None,
        **sampling,
    ):
        self.caller, self.folder = caller, folder_of(path, caller)
        self.skips = Skips(on_error, caller)
        self.links = FolderLinks(self.folder, caller, follow_links)
        check_choice(source, "source", caller, ("videos", "images"))
        check_flag(verify, "verify", caller)
        self.options = ImageOptions.checked(caller, resize=resize, crop=crop)
        self.source, self.cache, self.verify = source, cache, verify
        self.n_found, self.n_frames, self._records = 0, n_frames, []
        if n_clips is not None:
            n_clips = check_count(n_clips, "n_clips", caller)
        self.n_clips, self._waiting = n_clips, []
        self._seed = seed_number(sampling.get("random_state"), caller)
        if source == "videos":
            self.sampling = FrameSampling.of(caller, n_frames, sampling)
            return
        if n_frames is not None:
            self.n_frames = check_count(n_frames, "n_frames", caller)
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
        self.n_found += len(found)
        if not found and not may_lack:
            reason = f"there are no {self.source} of clips in it"
            self.skips.add(self.folder / folder, reason)
        return found

    def read(self, path, **facts):
        """Add the frames of one clip to the set, with facts about the clip."""
        if self.n_clips is None:
            self._read(path, facts)
        else:  # the draw needs all names
            self._waiting.append((path, facts))

    def _draw(self):
        """Return some of the clips that wait, in their order."""
        rng = np.random.default_rng(stream_number("clips", self._seed))
        chosen = []
        for label in LABELS:
            own = [i for i, w in enumerate(self._waiting) if w[1]["label"] == label]
            chosen += rng.permutation(own)[: self.n_clips].tolist()
        return [self._waiting[int(i)] for i in sorted(chosen)]

    def _read(self, path, facts):
        places = [path, *path.parents]
        for place in places[: places.index(self.folder)]:
            reason = self.links.why_not(place)
            if reason is not None:
                self.skips.add(place, reason)
                return
        if self.source == "videos":
            found = video_records(path, self.sampling, self.skips, **facts)
        else:
            found = still_records(
                path, self.skips, n_frames=self.n_frames, links=self.links, **facts
            )
        self._records += found

    def image_set(self, layout):
        """Return the set of all clips; an error names the ``layout``."""
        if not self.n_found:
            raise ValueError(
                f"{self.caller} found no clips under {str(self.folder)!r}; it needs "
                f"{layout}."
            )
        for path, facts in self._draw():
            self._read(path, facts)
        return build(
            self._records,
            self.skips,
            self.options,
            target_names=LABELS,
            verify=self.verify,
            cache=self.cache,
        )
