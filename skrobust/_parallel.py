"""Parallel tasks with a progress bar."""

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
    tqdm = require("tqdm", "A progress bar (verbose=1)", extra="report").tqdm
    results = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    return list(tqdm(results, total=len(tasks), desc=label, unit="condition"))
