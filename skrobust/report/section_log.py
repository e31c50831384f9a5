"""Log of the sections of a report: reasons for skipped ones, and warnings."""

import warnings
from collections import Counter

from skrobust._one_line import one_line

# Errors that skip one section only: whatever a user's model raises, but not Ctrl-C.
FAILURES = (Exception,)


class Log:
    """Log of the sections of a report: reasons of failures, and all warnings.

    Parameters
    ----------
    progress : callable or None
        Called with one line before each section.
    """

    def __init__(self, progress=None):
        self.skipped, self._warnings, self._progress = [], Counter(), progress

    def skip(self, model, section, reason):
        """Note that a section was left out, and why."""
        self.skipped.append({"model": model, "section": section, "reason": reason})

    def run(self, model, section, function, *args, required=False, **kwargs):
        """Return ``function(*args, **kwargs)``, or None where it raised."""
        if self._progress is not None:
            self._progress(f"{model}: {section}")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                return function(*args, **kwargs)
            except FAILURES as error:
                if required:
                    raise
                self.skip(model, section, one_line(error))
                return None
            finally:
                for warning in caught:
                    self._add(model, section, warning)

    def _add(self, model, section, warning):
        key = (model, section, warning.category.__name__, one_line(warning.message))
        self._warnings[key] += 1

    @property
    def warnings(self):
        """Each distinct warning with its section and its count."""
        names = ("model", "section", "category", "text")
        return [
            {**dict(zip(names, key, strict=True)), "count": count}
            for key, count in self._warnings.items()
        ]
