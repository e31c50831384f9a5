"""Options of loaders, shown in their signatures."""

import inspect


def shows_options_of(*makers):
    """Show options in the signature of a loader, in the place of its ``**options``.

    Parameters
    ----------
    *makers : classes
        Whose constructors take the options: those of their parameters that have a
        default and that the loader does not name itself.
    """

    def decorate(loader):
        shown = dict(inspect.signature(loader).parameters)
        shown.popitem()
        for maker in makers:
            for name, p in inspect.signature(maker).parameters.items():
                if p.default is not p.empty:
                    option = inspect.Parameter(name, p.KEYWORD_ONLY, default=p.default)
                    shown.setdefault(name, option)
        loader.__signature__ = inspect.Signature(shown.values())
        return loader

    return decorate
