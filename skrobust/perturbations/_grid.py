"""The conditions over which stability is measured: grids of two factors."""

from skrobust._validation import check_choice
from skrobust.base import BasePerturbation
from skrobust.perturbations._geometry import Rotation
from skrobust.perturbations._noise import GaussianNoise, SaltAndPepper
from skrobust.perturbations._sequence import PerturbationSequence

# Order of application and levels of the 69 test sets, in the order of the authors'
# table (there 0.15 stands before 0.1 in one block, a sort by file name).
_SP, _GA = (0, 0.1, 0.15, 0.2), (0, 0.1, 0.15, 0.2)
_RIGHT, _LEFT = (30, 60), (0, -30, -60)
_TYPES = [
    *[("SP", sp, "GA", ga) for sp in _SP for ga in _GA if sp or ga],
    *[("GA", 0, "SP", sp) for sp in _SP[1:]],
    *[("GA", ga, "SP", sp) for ga in (0.15, 0.1, 0.2) for sp in _SP],
    *[("SP", sp, "RO", ro) for sp in _SP for ro in _RIGHT],
    *[("SP", sp, "RO", ro) for sp in _SP for ro in _LEFT if sp or ro],
    *[("RO", ro, "SP", sp) for ro in _RIGHT for sp in (*_SP[1:], 0)],
    *[("RO", 0, "SP", sp) for sp in _SP[1:]],
    *[("RO", ro, "SP", sp) for ro in _LEFT[1:] for sp in _SP],
]


def _label(factor, level):
    if factor == "RO" and level:
        return f"{'RR' if level > 0 else 'RL'}{abs(level)}"
    return f"{factor}{level}"


def two_factor_grid(
    preset="asi68",
    *,
    image_shape=None,
    channel_axis=None,
    data_range="auto",
    unique=False,
    gaussian="mean",
    random_state=None,
):
    """Return the conditions of a two-factor grid, in their published order.

    ``"asi68"`` is the grid of the Accuracy-Stability Index: salt and pepper (density
    0, .1, .15, .2), Gaussian noise (0, .1, .15, .2) and rotation (-60, -30, 0, 30, 60
    degrees, positive clockwise), two at a time and in both orders, (0, 0) left out:
    68 conditions, and the clean one as number 1. Ten of their effects occur more than
    once (salt and pepper alone four times per level); these repeats are kept and get
    fresh noise each, as in the publication.

    Parameters
    ----------
    preset : {"asi68"}, default="asi68"
        Which grid.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Where the channels are, if the shape leaves it open.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels.
    unique : bool, default=False
        Whether repeats are dropped. What is left are 52 distinct perturbed conditions
        and the clean one; an index over these is not comparable with one over all 69.
    gaussian : {"mean", "var"}, default="mean"
        What a Gaussian level is. The authors' figures show the mean of noise of
        variance .01; the papers do not say so. ``"var"`` takes the level as variance.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all conditions.

    Returns
    -------
    conditions : list of PerturbationSequence
        Each with a ``name`` such as ``"SP0.1GA0.15"`` (in the order of application; RR
        and RL are turns to the right and to the left) and its ``number``.

    References
    ----------
    .. [1] W. Dai and D. Berleant, "Discovering Limitations of Image Quality
       Assessments with Noised Deep Learning Image Sets", arXiv 2210.10249, 2022, for
       the grid; the Accuracy-Stability Index is in arXiv 2311.15332, 2023.

    Examples
    --------
    >>> from skrobust.perturbations import two_factor_grid
    >>> grid = two_factor_grid("asi68", image_shape=(8, 8))
    >>> len(grid), grid[0].name, grid[5].name, grid[68].name
    (69, 'CLEAN', 'SP0.1GA0.1', 'RL60SP0.2')
    >>> len(two_factor_grid("asi68", image_shape=(8, 8), unique=True))
    53
    """
    check_choice(preset, "preset", "two_factor_grid", ("asi68",))
    check_choice(gaussian, "gaussian", "two_factor_grid", ("mean", "var"))
    common = {
        "image_shape": image_shape,
        "channel_axis": channel_axis,
        "data_range": data_range,
    }

    def step(factor, level) -> BasePerturbation:
        if factor == "SP":
            return SaltAndPepper(level, **common)
        if factor == "RO":
            return Rotation(level, clockwise=True, canvas="fit", **common)
        if gaussian == "mean":
            return GaussianNoise(mean=level, var=0.01, **common)
        return GaussianNoise(var=level, **common)

    grid = [PerturbationSequence([], name="CLEAN", number=1, random_state=random_state)]
    repeats = {}
    for number, (first, a, second, b) in enumerate(_TYPES, start=2):
        effect = tuple((f, v) for f, v in ((first, a), (second, b)) if v)
        replicate = repeats.get(effect, 0)
        repeats[effect] = replicate + 1
        if unique and replicate:
            continue
        grid.append(
            PerturbationSequence(
                [step(factor, level) for factor, level in effect],
                name=_label(first, a) + _label(second, b),
                number=number,
                replicate=replicate,
                random_state=random_state,
            )
        )
    return grid
