"""Progress bars with the percentage done and the time left."""

from skrobust._optional import require

_FORM = "{l_bar}{bar}| [{elapsed}<{remaining}]"


def progress_bar(total, label):
    """Return a bar of tqdm that shows the percentage done and the time left."""
    tqdm = require("tqdm", "A progress bar (verbose=1)", extra="report").tqdm
    return tqdm(total=total, desc=label, bar_format=_FORM)


class StepBar:
    """Progress bar of a call that consists of a few long steps, on standard error.

    Parameters
    ----------
    total : float
        Sum of the steps.
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

    def __exit__(self, *error):
        self.close()

    def done(self, step=1):
        """Count a step that is done."""
        if self._bar is not None:
            self._bar.update(step)

    def close(self):
        """End the bar."""
        if self._bar is not None:
            self._bar.close()
