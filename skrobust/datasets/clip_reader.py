"""What the three deepfake sets have in common."""

from skrobust._validation import check_choice, check_count
from skrobust.datasets._sample_frames import check_sampling
from skrobust.datasets.build_image_set import build
from skrobust.datasets.clips_on_disk import (
    check_options,
    still_records,
    video_records,
)

# MesoNet and the list of Celeb-DF both take 1 for real.
LABELS = ["fake", "real"]
KINDS = ("videos", "images")


class Reader:
    """How the clips of a set are read, checked before a folder is looked at.

    Parameters
    ----------
    caller : str
        Name of the public function or class, for error messages.
    skips : Skips
        What is left out.
    source : {"videos", "images"}
        Which files are read.
    resize, crop, cache, verify : object
        As the loaders take them.
    n_frames, every, fps, method, short, random_state : object
        As :func:`sample_frames` takes them; images take ``n_frames`` alone.
    """

    def __init__(
        self,
        caller,
        skips,
        source,
        *,
        resize,
        crop,
        cache,
        verify,
        n_frames,
        **sampling,
    ):
        check_choice(source, "source", caller, KINDS)
        check_choice(verify, "verify", caller, (True, False))
        self.options = check_options(caller, resize, crop, False)
        self.skips, self.kind = skips, source
        self.cache, self.verify, self.n_frames = cache, verify, n_frames
        if source == "videos":
            self.choose = check_sampling(n_frames, caller=caller, **sampling)
            return
        if n_frames is not None:
            check_count(n_frames, "n_frames", caller)
        usual = {"every": None, "fps": None, "method": "uniform", "short": "raise"}
        for name, value in usual.items():
            if sampling[name] != value:
                raise ValueError(f"{caller} takes {name} with source='videos' only.")
        if cache is not None:
            raise ValueError(f"{caller} takes cache with source='videos' only.")

    def records(self, path, **facts):
        """Return the records of one clip."""
        if self.kind == "videos":
            return video_records(path, self.choose, self.skips, **facts)
        return still_records(path, self.skips, n_frames=self.n_frames, **facts)

    def build(self, records):
        """Return the set."""
        return build(
            records,
            LABELS,
            self.skips,
            self.options,
            verify=self.verify,
            cache=self.cache,
        )


def refuse_empty(n_clips, folder, caller, wanted):
    """Raise where a layout was not found at all."""
    if not n_clips:
        raise ValueError(
            f"{caller} found no clips under {str(folder)!r}; it needs {wanted}."
        )
