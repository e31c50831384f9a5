"""Parallel tasks, and progress bars with the percentage done and the time left."""

from sklearn.utils.parallel import Parallel, delayed

from skrobust._optional import require


def run_tasks(function, tasks, *, n_jobs=None, verbose=0, label=""):
    """Run ``function(*task)`` for each task and return the results in order.

    Parameters
    ----------
    function : callable
        Module-level function, so that workers can find it.
    tasks : list of tuple
        Arguments of each call.
    n_jobs : int, default=None
        As everywhere in scikit-learn; ``joblib.parallel_config`` picks the backend.
    verbose : int, default=0
        From 1 on, a progress bar of tqdm is shown.
    label : str
        Text before the bar.

    Returns
    -------
    list
        One result per task.
    """
    calls = (delayed(function)(*task) for task in tasks)
    if not verbose:
        return Parallel(n_jobs=n_jobs)(calls)
    results = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    return list(_tqdm()(results, total=len(tasks), desc=label, unit="condition"))


def _tqdm():
    return require("tqdm", "A progress bar (verbose=1)", extra="report").tqdm


def progress_bar(total, label):
    """Return a bar of tqdm that shows the percentage done and the time left."""
    form = "{l_bar}{bar}| [{elapsed}<{remaining}]"
    return _tqdm()(total=total, desc=label, bar_format=form)


class StepBar:
    """Progress bar of a call that consists of a few long steps.

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
    >>> bar = StepBar(2, "attack")
    >>> bar.done()
    >>> bar.close()
    """

    def __init__(self, total, label, verbose=0):
        self._bar = progress_bar(total, label) if verbose else None

    def done(self, step=1):
        """Count a step that is done."""
        if self._bar is not None:
            self._bar.update(step)

    def close(self):
        """End the bar."""
        if self._bar is not None:
            self._bar.close()
