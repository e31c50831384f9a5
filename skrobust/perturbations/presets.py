"""Presets: lists of conditions that are registered by name where they are defined."""

import inspect
from collections.abc import Callable
from typing import NamedTuple

from skrobust._validation import check_choice

KINDS = ("images", "series", "table", "text")
_PRESETS = {}


class Preset(NamedTuple):
    """A registered list of conditions.

    Parameters
    ----------
    name : str
        Its name for :func:`get_preset`, the command line and the report.
    kind : {"images", "series", "table", "text"}
        The kind of input that the conditions take.
    function : callable
        What returns the conditions.
    given : tuple, default=()
        Its first arguments, which are fixed.
    """

    name: str
    kind: str
    function: Callable
    given: tuple = ()

    @property
    def keywords(self):
        """Names of the settings that the preset takes, read from the signature."""
        return tuple(inspect.signature(self.function).parameters)[len(self.given) :]

    def conditions(self, caller="get_preset", **settings):
        """Return the conditions for these settings, each of which must be known."""
        unknown = [name for name in settings if name not in self.keywords]
        if unknown:
            raise ValueError(
                f"{caller}({self.name!r}) does not take {unknown[0]!r}; it takes "
                f"{', '.join(sorted(self.keywords))}."
            )
        return self.function(*self.given, **settings)


def register_preset(kind, *, name=None, given=()):
    """Return a decorator that registers a function as a preset.

    Parameters
    ----------
    kind : {"images", "series", "table", "text"}
        The kind of input that the conditions take.
    name : str, default=None
        Name of the preset; None is the name of the function.
    given : tuple, default=()
        First arguments of the function that the preset fixes.

    Returns
    -------
    callable
        It registers a function and returns it unchanged.
    """
    check_choice(kind, "kind", "register_preset", KINDS)

    def register(function):
        preset = Preset(name or function.__name__, kind, function, tuple(given))
        other = _PRESETS.get(preset.name, preset).function
        origins = {(f.__module__, f.__qualname__) for f in (other, function)}
        if len(origins) > 1:
            raise ValueError(f"There are two presets of the name {preset.name!r}.")
        _PRESETS[preset.name] = preset
        return function

    return register


def find_preset(name, caller="get_preset"):
    """Return the :class:`Preset` of a name, or raise for an unknown one."""
    check_choice(name, "name", caller, tuple(get_preset_names()))
    return _PRESETS[name]


def get_preset_names(kind=None):
    """Return the names of the presets in alphabetical order.

    Parameters
    ----------
    kind : {"images", "series", "table", "text"}, default=None
        The kind of input that the presets take; None is any.

    Returns
    -------
    names : list of str
        Names for :func:`get_preset`.

    Examples
    --------
    >>> from skrobust.perturbations import get_preset_names
    >>> get_preset_names("images")
    ['asi68', 'cifar_c', 'imagenet_c', 'mnist_c', 'video_chain']
    """
    if kind is not None:
        check_choice(kind, "kind", "get_preset_names", KINDS)
    return sorted(n for n, p in _PRESETS.items() if kind in (None, p.kind))


def get_preset(name, **shape):
    """Return a published or customary list of conditions by its name.

    Parameters
    ----------
    name : {"asi68", "cifar_c", "imagenet_c", "mnist_c", "series", "tabular", "text", \
            "video_chain"}
        Which list: the grid of the Accuracy-Stability Index, the corruptions of the
        image benchmarks, those for tables, time series and text, or encodings; see
        :func:`get_preset_names`.
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
    return find_preset(name).conditions(**shape)
