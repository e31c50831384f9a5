"""Warnings of the parts of a run, of which those that are alike are shown once."""

import re
import warnings
from contextlib import contextmanager, suppress

_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


class AlikeWarnings:
    """Warnings of parts, alike where the numbers in them alone differ.

    Parameters
    ----------
    parts : str
        What the parts are, such as "batches".
    """

    def __init__(self, parts):
        self._parts, self._told = parts, {}

    @contextmanager
    def gathered(self):
        """Keep the warnings of a context for :meth:`show`."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield
            finally:
                for warning in caught:
                    text = str(warning.message)
                    kind = warning.category, _NUMBER.sub("#", text)
                    self._told.setdefault(kind, {}).setdefault(text, warning)

    def show(self):
        """Warn of each kind, with the first text and how many others there are."""
        told, self._told, registry = self._told, {}, {}
        for (category, _), texts in told.items():
            text, first = next(iter(texts.items()))
            message = first.message
            if len(texts) > 1:
                n, parts = len(texts), self._parts
                more = f"{text} (So in {n} {parts}, of which this is the first.)"
                with suppress(Exception):  # of a category that is more than a text
                    message = category(more)
            place = first.filename, first.lineno
            warnings.warn_explicit(message, category, *place, registry=registry)
