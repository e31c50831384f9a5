"""Progress bars with the percentage done and the time left."""

import contextlib
import threading

from skrobust._optional import require

_LOCAL = threading.local()
_FORM = "{l_bar}{bar}| [{elapsed}<{remaining}]"
_OPEN_FORM = "{desc}: {n_fmt} done, of an unknown number [{elapsed}]"


def progress_bar(total, label):
    """Return a bar of tqdm that shows the percentage done and the time left.

    Where the total is None it shows the number done and the time that it took.
    """
    tqdm = require("tqdm", "A progress bar (verbose=1)", extra="report").tqdm
    form = _OPEN_FORM if total is None else _FORM
    return tqdm(total=total, desc=label, bar_format=form)


class StepBar:
    """Progress bar of a call that consists of a few long steps, on standard error.

    Parameters
    ----------
    total : float or None
        Sum of the steps; None where it is not known.
    label : str
        Text before the bar.
    verbose : int, default=0
        From 1 on, the bar is shown.

    Examples
    --------
    >>> from skrobust._parallel import StepBar
    >>> with StepBar(2, "attack") as bar:
    ...     bar.done()
    """

    def __init__(self, total, label, verbose=0):
        self._bar = progress_bar(total, label) if verbose else None

    def __enter__(self):
        return self

    def __exit__(self, kind, *error):
        known = self._bar is not None and self._bar.total is not None
        if kind is None and known:  # estimates of steps may be short
            self._bar.update(max(self._bar.total - self._bar.n, 0))
        self.close()

    def done(self, step=1):
        """Count a step that is done."""
        if self._bar is not None:
            self._bar.update(step)

    def close(self):
        """End the bar."""
        if self._bar is not None:
            self._bar.close()


class ScaledBar:
    """Bar whose every step is a step of some size of another bar.

    Parameters
    ----------
    bar : StepBar
        The other bar.
    size : float
        Size of a step.
    """

    def __init__(self, bar, size):
        self._bar, self._size = bar, size

    def done(self, step=1):
        """Count steps that are done."""
        self._bar.done(step * self._size)


@contextlib.contextmanager
def counting(bar):
    """Context in which :func:`count` moves a bar, in this thread; None stops it.

    So a loop deep inside says how far it is, without a bar among its arguments.
    """
    before, _LOCAL.bar = getattr(_LOCAL, "bar", None), bar
    try:
        yield
    finally:
        _LOCAL.bar = before


def count(step=1):
    """Move the bar of the call that counts, if there is one."""
    bar = getattr(_LOCAL, "bar", None)
    if bar is not None:
        bar.done(step)
