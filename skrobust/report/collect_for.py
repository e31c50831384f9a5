"""Collection of the data of a report on behalf of another function or command."""

from skrobust.report._collect import collect_report
from skrobust.report.collection import collect


def collect_for(caller, models, X, y, **settings):
    """Return what ``collect_report`` returns; errors name the caller instead.

    Parameters
    ----------
    caller : str
        Name of what the user called.
    models, X, y, **settings
        As in :func:`~skrobust.report.collect_report`.

    Returns
    -------
    dict
        The data of a report.
    """
    defaults = collect_report.__kwdefaults__
    for name in settings:
        if name not in defaults:
            text = f"{caller}() got an unexpected keyword argument {name!r}"
            raise TypeError(text)
    return collect(caller, models, X, y, **{**defaults, **settings})
