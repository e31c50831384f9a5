"""Log of the sections of a report: reasons for skipped ones, and warnings."""

import sys
import warnings
from collections import Counter

from skrobust._one_line import one_line
from skrobust._parallel import progress_bar
from skrobust._safe_terminal import printable

# Errors that skip one section only: whatever a user's model raises, but not Ctrl-C.
FAILURES = (Exception,)
# Shares of the work of one model in sections that take long, roughly.
_WORK = 100.0
_SHARES = {
    "stability": 25.0,
    "responsible part of the input": 8.0,
    "auto": 30.0,
    "robust accuracy curve": 10.0,
    "honest evaluation": 15.0,
}
_SHARE = 2.0  # of any other


class Log:
    """Log of the sections of a report: reasons of failures, and all warnings.

    Parameters
    ----------
    progress : callable, default=None
        Called with one line before each section.
    n_models : int, default=0
        Number of models, for the bar.
    verbose : int, default=0
        From 1 on, a progress bar with the percentage done and the time left; None is
        a bar where standard error is a terminal. With ``progress`` there is none.
    """

    def __init__(self, progress=None, n_models=0, verbose=0):
        self.skipped, self._warnings, self._progress = [], Counter(), progress
        self._n_done, self._bar = 0, None
        shown = sys.stderr.isatty() if verbose is None else verbose > 0
        if shown and progress is None and n_models:
            self._bar = progress_bar(n_models * _WORK, "report")

    def skip(self, model, section, reason):
        """Note that a section was left out, and why."""
        self.skipped.append({"model": model, "section": section, "reason": reason})

    def finish_model(self):
        """Move the bar to where all sections of one more model are done."""
        self._n_done += 1
        if self._bar is not None:
            self._bar.update(self._n_done * _WORK - self._bar.n)

    def close(self):
        """End the bar."""
        if self._bar is not None:
            self._bar.close()

    def _advance(self, section):
        if self._bar is not None:
            most = min((self._n_done + 0.99) * _WORK, self._bar.total)
            step = _SHARES.get(section, _SHARE)
            self._bar.update(max(min(step, most - self._bar.n), 0))

    def run(self, model, section, function, *args, required=False, **kwargs):
        """Return ``function(*args, **kwargs)``, or None where it raised."""
        if self._progress is not None:
            self._progress(f"{model}: {section}")
        if self._bar is not None:
            self._bar.set_description_str(printable(f"{model}: {section}"))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                return function(*args, **kwargs)
            except FAILURES as error:
                if required:
                    self.close()
                    raise
                self.skip(model, section, one_line(error))
                return None
            finally:
                self._advance(section)
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
