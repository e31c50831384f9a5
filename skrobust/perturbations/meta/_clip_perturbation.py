"""Perturbation of video clips: one draw per clip or per frame."""

import copy

import numpy as np
from sklearn.base import clone

from skrobust._containers import shape_of
from skrobust._keyed_noise.equal_rows import equal_ranks
from skrobust._keyed_noise.generator import seed_number
from skrobust._keyed_noise.row_hash import ContentKey
from skrobust._keyed_noise.splitmix import (
    GOLDEN,
    mix_in_place,
    occurrence_ranks,
    row_keys,
    stream_number,
)
from skrobust._validation import check_flag, invalid, is_integer
from skrobust.base import BasePerturbation
from skrobust.metrics.labels import label_array
from skrobust.perturbations.meta._function import TEST_NOISE


class ClipPerturbation(BasePerturbation):
    """Perturbation of the frames of clips, with one draw per clip or per frame.

    The rain on a lens, the noise pattern of a sensor or a shift of the camera stays
    the same from frame to frame; the noise of light does not.

    Parameters
    ----------
    perturbation : perturbation of skrobust
        What happens to a frame.
    clips : None, int or array-like of shape (n_frames,), default=None
        Which rows belong together. None: every row of X is a whole clip, of shape
        (n_clips, n_frames, height, width[, channels]). An int: so many rows after one
        another are a clip. An array: the clip of each row, for one fixed set of
        frames; a part of them, as in cross-validation, is refused.
    same_over_clip : bool, default=True
        Whether all frames of a clip get one draw: the noise belongs to the content of
        all its frames, whatever their order. Otherwise each frame gets the draw that
        ``perturbation`` itself would give it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws in place of that of ``perturbation``; None leaves it that one.

    Attributes
    ----------
    perturbation_ : perturbation
        The fitted copy.

    Raises
    ------
    ValueError
        For parameters that are none of these, and rows that do not make whole clips.

    Notes
    -----
    Equal clips get independent draws, as equal rows do. "One draw" means the same
    random numbers: noise that scales with the image, as shot noise, still differs where
    the frames do. What draws nothing (blur, contrast) is the same with both settings.

    With an int the rows must come in whole clips, in order: split by clip, and do not
    shuffle frames.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import ClipPerturbation, GaussianNoise
    >>> clips = np.full((2, 5, 8, 8), 0.5)  # 2 clips of 5 grey frames
    >>> noise = ClipPerturbation(GaussianNoise(std=0.1), random_state=0)
    >>> noisy = noise.perturb(None, clips)
    >>> bool((noisy[0, 0] == noisy[0, 4]).all()), bool((noisy[0] == noisy[1]).any())
    (True, False)
    """

    _test_params = ({"perturbation": TEST_NOISE, "clips": 1},)

    def __init__(
        self, perturbation, *, clips=None, same_over_clip=True, random_state=None
    ):
        self.perturbation = perturbation
        self.clips = clips
        self.same_over_clip = same_over_clip
        self.random_state = random_state

    def __str__(self):
        what = "clip" if self.same_over_clip else "frame"
        return f"{self.perturbation} per {what}"

    def _inner(self):
        """Return the perturbation of frames with the seed in force."""
        inner = getattr(self, "perturbation_", self.perturbation)
        if self.random_state is not None and hasattr(inner, "random_state"):
            inner = copy.copy(inner)
            inner.random_state = self.random_state
        return inner

    def _check_parameters(self):
        caller = "ClipPerturbation"
        inner = self.perturbation
        if not isinstance(inner, BasePerturbation) or inner._any_container:
            rule = "a perturbation of arrays of skrobust"
            raise invalid("perturbation", caller, rule, inner)
        seed_number(self.random_state, caller)
        check_flag(self.same_over_clip, "same_over_clip", caller)
        if self.clips is None or len(shape_of(self.clips, "clips", caller)) == 1:
            return
        if not is_integer(self.clips) or self.clips < 1:
            rule = "None, a positive integer or one clip per row"
            raise invalid("clips", caller, rule, self.clips)

    def _learn(self, values):
        frames, _, _ = self._frames(values)
        self.perturbation_ = clone(self.perturbation).fit(frames)

    def _is_identity(self):
        return self.perturbation._is_identity()

    def _frames(self, values):
        """Return the frames, the clip of each (0 on), and its place in the clip."""
        n = len(values)
        if self.clips is None:
            if values.ndim < 3:
                raise ValueError(
                    "ClipPerturbation with clips=None needs whole clips, of shape "
                    f"(n_clips, n_frames, ...). Got {values.shape}; for rows that are "
                    "frames pass clips."
                )
            length = values.shape[1]
            frames = values.reshape(n * length, *values.shape[2:])
            return frames, np.repeat(np.arange(n), length), np.tile(range(length), n)
        if is_integer(self.clips):
            if n % self.clips:
                raise ValueError(
                    f"ClipPerturbation with clips={self.clips} needs whole clips of so "
                    f"many rows. Got {n} rows."
                )
            return values, np.arange(n) // self.clips, np.arange(n) % self.clips
        clips = label_array(self.clips, "ClipPerturbation", "clips")
        if len(clips) != n:
            raise ValueError(
                f"ClipPerturbation has the clips of {len(clips)} rows and got {n}. "
                "For parts of a set pass whole clips of shape (n_clips, n_frames, ...)."
            )
        _, codes = np.unique(clips, return_inverse=True)
        # The rank among the rows of one clip is the place in it.
        return values, codes, occurrence_ranks(codes.astype(np.uint64)).astype(np.intp)

    def _run(self, values, key):
        self._check_parameters()
        inner = self._inner()
        frames, codes, places = self._frames(values)
        whole = len(frames) != len(values)
        if not self.same_over_clip and (key is None or not whole):
            return inner._run(frames, key).reshape(values.shape)
        name = type(inner).__name__
        state = getattr(inner, "random_state", None)
        # In a sequence a step without a seed adds nothing to that of the whole.
        seed = 0 if state is None and key is not None else seed_number(state, name)

        def seeds():
            if key is not None and whole:  # a sequence has keyed whole clips
                keys = key.seeds
            else:
                keys = row_keys(frames) if key is None else key.seeds
                keys = _clip_keys(keys, codes)
            if self.same_over_clip:
                keys = keys + equal_ranks(keys) * GOLDEN
                return mix_in_place(keys.copy())[codes]
            steps = places.astype(np.uint64) * GOLDEN
            return mix_in_place(keys[codes] + steps)

        own = ContentKey(seeds, stream_number("seed", seed))
        out = inner._run(frames, own.derive("clip", name, seed))
        return out.reshape(values.shape)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "perturbation_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if isinstance(self.perturbation, BasePerturbation):
            inner = self.perturbation.__sklearn_tags__()
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _perturb(self, X, rng):
        raise AssertionError("the frames go to the inner perturbation")


def _clip_keys(keys, codes):
    """Return one key per clip from those of its frames, in whatever order they come."""
    out = np.zeros(codes.max() + 1, dtype=np.uint64)
    np.add.at(out, codes, mix_in_place(keys.copy()))
    return out
