"""Sizes of the deepfake study: how many clips, budgets and steps."""

from dataclasses import asdict, dataclass

from skrobust._validation import check_choice, check_count, invalid

DETECTORS = (
    "EfficientNetB0", "EfficientNetB4", "Meso4", "MesoInception4", "ResNet34",
    "ResNet50", "Xception",
)  # fmt: skip


@dataclass(frozen=True)
class StudySize:
    """Amounts of data and work.

    Parameters
    ----------
    n_clips : int or None
        Clips of each label, of each data set; None takes all.
    n_frames, n_test_frames : int
        Frames that are read of each clip, and those of them that are tested.
    linf, l2 : tuple of float
        Budgets: L-infinity in units of 1/255, L2 in units of images in [0, 1].
    iterated : tuple of float
        L-infinity budgets of the attacks of many steps.
    n_steps : int
        Steps of PGD and of each direction of the probability shift.
    cw_steps, cw_searches : int
        Steps of a search of Carlini-Wagner, and searches for the constant.
    n_epochs : int
        Of the training of detectors without weights.
    clip_eps : float
        L-infinity budget of the attacks on clips, in units of 1/255.
    per_group : int
        Images of each group of a folder of groups.
    """

    n_clips: int | None
    n_frames: int
    n_test_frames: int
    linf: tuple
    l2: tuple
    iterated: tuple
    n_steps: int
    cw_steps: int
    cw_searches: int
    n_epochs: int
    clip_eps: float = 0.2
    per_group: int = 30

    def to_dict(self):
        """Return the amounts as a dictionary."""
        return asdict(self)


SIZES = {
    "quick": StudySize(
        n_clips=8, n_frames=3, n_test_frames=2, linf=(0.2,), l2=(0.35,),
        iterated=(0.2,), n_steps=3, cw_steps=20, cw_searches=1, n_epochs=1, per_group=5,
    ),
    "default": StudySize(
        n_clips=50, n_frames=6, n_test_frames=2, linf=(0.05, 0.2, 1.0), l2=(0.35,),
        iterated=(0.2,), n_steps=10, cw_steps=25, cw_searches=2, n_epochs=6,
    ),
    "full": StudySize(
        n_clips=250, n_frames=10, n_test_frames=5, linf=(0.05, 0.1, 0.2, 0.5, 1.0, 2.0),
        l2=(0.1, 0.35, 1.0), iterated=(0.05, 0.2, 1.0), n_steps=20, cw_steps=50,
        cw_searches=4, n_epochs=20, per_group=60,
    ),
}  # fmt: skip


def study_size(size, caller, **given):
    """Return a size by its name, with the amounts that were given in its place."""
    check_choice(size, "size", caller, tuple(SIZES))
    found = SIZES[size].to_dict()
    for name, value in given.items():
        if value is not None:
            found[name] = check_count(value, name, caller)
    if found["n_test_frames"] > found["n_frames"]:
        if given.get("n_test_frames") is not None:
            rule = f"at most the {found['n_frames']} frames that are read of a clip"
            raise invalid("n_test_frames", caller, rule, given["n_test_frames"])
        found["n_test_frames"] = found["n_frames"]
    return StudySize(**found)
