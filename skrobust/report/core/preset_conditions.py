"""Conditions of a report from the registered presets."""

from skrobust.perturbations.presets import find_preset

GIVEN = "given"  # name of a list of conditions that is no preset


def make_conditions(conditions, settings):
    """Return a list of conditions, not fitted.

    Parameters
    ----------
    conditions : list, str or None
        A list of conditions; otherwise the preset that the settings name is taken.
    settings : dict
        ``conditions`` (the name), ``image_shape``, ``channel_axis``, ``data_range`` and
        ``random_state``, of which a preset gets those that it takes.

    Returns
    -------
    list
        The conditions.
    """
    if isinstance(conditions, list):
        return conditions
    preset = find_preset(settings["conditions"])
    known = dict(settings)
    if settings["data_range"] is None:
        known["data_range"] = "auto"
    names = ("image_shape", "channel_axis", "data_range", "random_state")
    return preset.conditions(**{k: known[k] for k in names if k in preset.keywords})


def with_scales(conditions, settings, X_train):
    """Return the conditions, and the rows from which they learn scales, or None."""
    learns = learns_scales(settings["conditions"], settings["data_range"])
    return make_conditions(conditions, settings), X_train if learns else None


def learns_scales(name, data_range):
    """Return whether the named conditions learn scales from training rows."""
    kind = name if name == GIVEN else find_preset(name).kind
    return kind != "text" and (kind != "images" or data_range is None)
