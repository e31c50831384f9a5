"""Two-factor grids: the conditions of the Accuracy-Stability Index."""

from skrobust._validation import check_choice, check_flag, invalid
from skrobust.base import BasePerturbation
from skrobust.perturbations.grid_factors import check_factor, cross
from skrobust.perturbations.images._impulse_noise import SaltAndPepper
from skrobust.perturbations.images._pixel_noise import GaussianNoise
from skrobust.perturbations.images._rotation import Rotation
from skrobust.perturbations.meta._sequence import PerturbationSequence
from skrobust.perturbations.presets import register_preset

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


@register_preset("images", name="asi68", given=("asi68", None))
def two_factor_grid(
    first="asi68",
    second=None,
    *,
    both_orders=True,
    include="all",
    unique=False,
    image_shape=None,
    channel_axis=None,
    data_range="auto",
    gaussian="mean",
    random_state=None,
):
    """Return the conditions of a two-factor grid, numbered in a fixed order.

    Two factors A and B with their levels are crossed, A before B and then B before A;
    level 0, where a factor is left out, is crossed in, so each order begins with its
    single-factor conditions among the others. The clean condition is number 1.

    ``"asi68"`` is the published grid of the Accuracy-Stability Index: salt and pepper
    (density 0, .1, .15, .2), Gaussian noise (0, .1, .15, .2) and rotation (-60, -30, 0,
    30, 60 degrees, positive clockwise), salt and pepper with each of the other two in
    both orders: 68 conditions. Ten of their effects occur more than once (salt and
    pepper alone four times per level); these repeats are kept and get fresh noise each,
    as in the publication, and so are those of a grid of your own.

    Parameters
    ----------
    first : "asi68", perturbation or tuple, default="asi68"
        The published grid, or the factor A: ``(perturbation, parameter, levels)``, such
        as ``(Rotation(), "angle", [10, 20])``; ``(perturbation, levels)`` for levels of
        ``severity``; a perturbation alone for severities 1 to 5.
    second : perturbation or tuple, default=None
        The factor B, in the same forms; None for "asi68".
    both_orders : bool, default=True
        Whether both orders of application are there, or the first alone (A before B;
        for "asi68" salt and pepper before the others).
    include : {"all", "single", "pairs"}, default="all"
        Which perturbed conditions are returned, by the number of factors that act. They
        keep the numbers that they have in the whole grid.
    unique : bool, default=False
        Whether repeats are dropped. Of "asi68" 52 distinct perturbed conditions and the
        clean one are left; an index over these is not comparable with one over all 69.
    image_shape : tuple of int, default=None
        For "asi68", as are the next three: (height, width), with channels first or
        last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels.
    gaussian : {"mean", "var"}, default="mean"
        What a Gaussian level is. The authors' figures show the mean of noise of
        variance .01; the papers do not say so. ``"var"`` takes the level as variance.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all conditions.

    Returns
    -------
    conditions : list of PerturbationSequence
        Each with a ``name`` such as ``"SP0.1GA0.15"`` or ``"Rotation10GaussianNoise0"``
        (in the order of application; RR and RL are turns to the right and to the left)
        and its ``number``.

    Raises
    ------
    ValueError
        For a factor that is none of these, a level of 0 or one given twice, or a level
        that the perturbation refuses.

    References
    ----------
    .. [1] W. Dai and D. Berleant, "Discovering Limitations of Image Quality
       Assessments with Noised Deep Learning Image Sets", arXiv 2210.10249, 2022, for
       the grid; the Accuracy-Stability Index is in arXiv 2311.15332, 2023.

    Examples
    --------
    >>> from skrobust.perturbations import GaussianNoise, Rotation, two_factor_grid
    >>> grid = two_factor_grid("asi68", image_shape=(8, 8))
    >>> len(grid), grid[0].name, grid[5].name, grid[68].name
    (69, 'CLEAN', 'SP0.1GA0.1', 'RL60SP0.2')
    >>> len(two_factor_grid("asi68", image_shape=(8, 8), unique=True))
    53
    >>> turn, noise = (Rotation(), "angle", [10, 20]), (GaussianNoise(), "std", [0.1])
    >>> grid = two_factor_grid(turn, noise, include="pairs")
    >>> [(condition.number, condition.name) for condition in grid]
    [(1, 'CLEAN'), (4, 'Rotation10GaussianNoise0.1'),
     (6, 'Rotation20GaussianNoise0.1'), (10, 'GaussianNoise0.1Rotation10'),
     (11, 'GaussianNoise0.1Rotation20')]
    """
    caller = "two_factor_grid"
    check_choice(include, "include", caller, ("all", "single", "pairs"))
    check_flag(both_orders, "both_orders", caller)
    check_flag(unique, "unique", caller)
    check_choice(gaussian, "gaussian", caller, ("mean", "var"))
    images = {
        "image_shape": image_shape,
        "channel_axis": channel_axis,
        "data_range": data_range,
    }
    if isinstance(first, str):
        check_choice(first, "first", caller, ("asi68",))
        if second is not None:
            raise invalid("second", caller, "None with a published grid", second)
        cells = _asi68(images, gaussian)
    else:
        defaults = (image_shape, channel_axis, data_range, gaussian)
        pairs = zip(defaults, (None, None, "auto", "mean"), strict=True)
        if not all(a is b or (isinstance(a, str) and a == b) for a, b in pairs):
            raise ValueError(
                f"{caller} takes image_shape, channel_axis, data_range and gaussian "
                "for 'asi68' alone; set those of other perturbations where they are "
                "made."
            )
        cells = cross(check_factor(first, "first"), check_factor(second, "second"))
    grid = [PerturbationSequence([], name="CLEAN", number=1, random_state=random_state)]
    repeats = {}
    for number, (name, effect, steps, is_second) in enumerate(cells, start=2):
        replicate = repeats.get(effect, 0)
        repeats[effect] = replicate + 1
        wanted = {"all": len(steps), "single": 1, "pairs": 2}[include]
        skipped = len(steps) != wanted or (is_second and not both_orders)
        if skipped or (unique and replicate):
            continue
        grid.append(
            PerturbationSequence(
                steps,
                name=name,
                number=number,
                replicate=replicate,
                random_state=random_state,
            )
        )
    return grid


def _asi68(images, gaussian):
    """Yield name, effect, steps, and whether salt and pepper comes second."""

    def step(factor, level) -> BasePerturbation:
        if factor == "SP":
            return SaltAndPepper(level, **images)
        if factor == "RO":
            return Rotation(level, clockwise=True, canvas="fit", **images)
        if gaussian == "mean":
            return GaussianNoise(mean=level, var=0.01, **images)
        return GaussianNoise(var=level, **images)

    for first, a, second, b in _TYPES:
        effect = tuple((f, v) for f, v in ((first, a), (second, b)) if v)
        name = _label(first, a) + _label(second, b)
        yield name, effect, [step(f, v) for f, v in effect], second == "SP"
