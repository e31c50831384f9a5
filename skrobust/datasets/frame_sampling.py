"""Choice of the frames that are taken from a video."""

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from skrobust._keyed_noise.generator import seed_number, stream_number
from skrobust._validation import check_choice, check_count, check_number
from skrobust.datasets.video_files import frame_rate, timeline


@dataclass(frozen=True)
class FrameSampling:
    """Choice of frames, checked when it is made.

    Parameters
    ----------
    caller : str
        Name of the public function, for error messages.
    n_frames, every, fps, method, short, random_state : object
        As :func:`skrobust.datasets.sample_frames` documents them.
    """

    caller: str
    n_frames: int | None = None
    every: int | None = None
    fps: float | None = None
    method: str = "uniform"
    short: str = "raise"
    random_state: object = None

    @classmethod
    def of(cls, caller, n_frames, options):
        """Return the sampling that the keywords of a loader describe."""
        check_names(options, caller)
        return cls(caller, n_frames, **options)

    def __post_init__(self):
        caller = self.caller
        names = ("n_frames", "every", "fps")
        given = [name for name in names if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"{caller} takes exactly one of n_frames, every and fps. Got "
                f"{' and '.join(given) or 'none of them'}."
            )
        if self.fps is not None:
            check_number(self.fps, "fps", caller, low=0, low_open=True)
        else:
            check_count(getattr(self, given[0]), given[0], caller)
        check_choice(self.method, "method", caller, ("uniform", "random", "first"))
        check_choice(self.short, "short", caller, ("raise", "all", "repeat"))
        if self.method != "uniform" and self.n_frames is None:
            raise ValueError(
                f"{caller} takes method={self.method!r} with n_frames only."
            )
        # One seed for all videos, also where random_state is None.
        object.__setattr__(self, "_seed", seed_number(self.random_state, caller))

    def choose(self, path):
        """Return the numbers of the frames, the times of all frames and their count.

        Raises
        ------
        ValueError
            For a video that cannot be used; the message is the reason alone.
        """
        line = timeline(path, self.caller)
        rate = None if line.stamps else frame_rate(path, self.caller)
        if not line.stamps and not rate:
            if self.fps is not None:
                raise ValueError("it has no times; take n_frames or every")
            rate = 1.0
        times = line.times(rate)
        if self.every is not None:
            return np.arange(0, line.n, self.every), times, line.n
        if self.fps is not None:
            return self._at_times(times), times, line.n
        return self._n_of(line.n, Path(path).name), times, line.n

    def _at_times(self, times):
        # The clock of the file rounds: a tick short of a whole step is that step.
        steps = np.arange(int(np.floor(times[-1] * self.fps + 1e-6)) + 1)
        shown = np.searchsorted(times, steps / self.fps + 1e-6, side="right") - 1
        return np.unique(shown)

    def _n_of(self, n, name):
        n_frames = self.n_frames
        if n < n_frames:
            if self.short == "raise":
                raise ValueError(
                    f"it has {n} frames, fewer than n_frames={n_frames}; pass "
                    "short='all' or short='repeat' to take what there is"
                )
            repeated = np.arange(n_frames) * n // n_frames
            return np.arange(n) if self.short == "all" else repeated
        if self.method == "first":
            return np.arange(n_frames)
        if self.method == "uniform":
            return (2 * np.arange(n_frames) + 1) * n // (2 * n_frames)
        rng = np.random.default_rng(stream_number("frames", self._seed, name, n))
        return np.sort(rng.choice(n, n_frames, replace=False))


_OPTIONS = [field.name for field in fields(FrameSampling)][2:]  # after caller, n_frames


def check_names(options, caller):
    """Raise for a keyword that is no option of the sampling of frames."""
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"{caller}() got an unexpected keyword argument {name!r}")


def check_unused(options, caller):
    """Raise for options of videos that were given where images are read."""
    check_names(options, caller)
    for name, value in options.items():
        if name != "random_state" and value != getattr(FrameSampling, name):
            raise ValueError(f"{caller} takes {name} with source='videos' only.")
