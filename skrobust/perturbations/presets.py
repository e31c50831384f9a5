"""Lists of conditions by name."""

import importlib
import inspect

from skrobust._validation import check_choice

# Where each is made, and what its function is given first.
_PRESETS = {
    "asi68": ("_grid", "two_factor_grid", ("asi68", None)),
    "cifar_c": ("_image_presets", "cifar_c", ()),
    "imagenet_c": ("_image_presets", "imagenet_c", ()),
    "mnist_c": ("_image_presets", "mnist_c", ()),
    "series": ("_series_presets", "series", ()),
    "tabular": ("_table_presets", "tabular", ()),
    "text": ("_text_presets", "text", ()),
}


def get_preset(name, **shape):
    """Return a published or customary list of conditions by its name.

    Parameters
    ----------
    name : {"asi68", "cifar_c", "imagenet_c", "mnist_c", "series", "tabular", "text"}
        Which list: the grid of the Accuracy-Stability Index, the corruptions of the
        image benchmarks, or those for tables, time series and text.
    **shape : dict
        What the list needs to know of the data and the seed, such as ``image_shape``,
        ``data_range`` and ``random_state``; each list has its own keywords.

    Returns
    -------
    conditions : list of PerturbationSequence
        Each with its ``name`` and ``number``; the first is the clean one.

    Raises
    ------
    ValueError
        For an unknown name, or a keyword that the list does not take.

    Examples
    --------
    >>> from skrobust.perturbations import get_preset
    >>> grid = get_preset("asi68", image_shape=(8, 8), random_state=0)
    >>> len(grid), grid[0].name
    (69, 'CLEAN')
    """
    check_choice(name, "name", "get_preset", tuple(_PRESETS))
    module, function, given = _PRESETS[name]
    module = importlib.import_module(f"skrobust.perturbations.{module}")
    function = getattr(module, function)
    known = list(inspect.signature(function).parameters)[len(given) :]
    unknown = [key for key in shape if key not in known]
    if unknown:
        raise ValueError(
            f"get_preset({name!r}) does not take {unknown[0]!r}; it takes "
            f"{', '.join(sorted(known))}."
        )
    return function(*given, **shape)
