"""Tasks in parallel, on whatever backend ``joblib.parallel_config`` chose."""

import contextlib
import warnings
from collections import Counter
from concurrent.futures import BrokenExecutor

from joblib import cpu_count, effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from skrobust._parallel.apart import LostTask, active_session
from skrobust._parallel.dask_tasks import is_dask_worker, run_on_dask
from skrobust._parallel.parcel import Parcel, is_light
from skrobust._parallel.progress import StepBar
from skrobust._parallel.ray_tasks import run_on_ray
from skrobust._parallel.task_call import call_task, call_task_apart, tell
from skrobust._parallel.thread_bound import bounded_blas

_MOST_DEATHS = 3  # in a row, without a result between them
# Errors of dask and Ray, which gave a task up after restarts of their own.
_GIVEN_UP = {"KilledWorker", "WorkerCrashedError", "OutOfMemoryError"}
_RETIRED = "A worker stopped while some jobs were given to the executor"


def run_tasks(
    function,
    tasks,
    *,
    n_jobs=None,
    verbose=0,
    label="",
    bar=None,
    on_result=None,
    lost=None,
):
    """Run ``function(*task)`` for each task and return the results in order.

    What several tasks share (the same object among their arguments) is sent to a worker
    once. Numerical libraries inside a worker share the cores among the workers. Tasks
    of a worker that died run again; results that arrived are kept.

    Parameters
    ----------
    function : callable
        Module-level function, so that workers can find it.
    tasks : list of tuple
        Arguments of each call.
    n_jobs : int, default=None
        As everywhere in scikit-learn; ``joblib.parallel_config`` picks the backend.
    verbose : int, default=0
        From 1 on, a progress bar with the time left is shown.
    label : str
        Text before the bar.
    bar : StepBar or None
        A bar that shows more than these tasks, in place of one of their own.

    on_result : callable or None
        Called with the place of a task and its result, as soon as it is there.
    lost : callable or None
        From the error of a task whose process died or took too long to its result;
        None raises the error.

    Returns
    -------
    list
        One result per task.
    """
    tasks = list(tasks)
    results = {}
    own = StepBar(len(tasks), label, verbose) if bar is None else bar
    with own if bar is None else contextlib.nullcontext():
        for place, result in _results(function, tasks, n_jobs, lost):
            results[place] = result
            if on_result is not None:
                on_result(place, result)
            own.done()
    return [results[i] for i in range(len(tasks))]


def _results(function, tasks, n_jobs, lost):
    """Yield place and result of each task; those that were lost run again."""
    session = active_session()
    if session is not None:
        registry = {}
        for place, error, outcome in session.outcomes(function, tasks, n_jobs):
            if error is not None and lost is None:
                raise error
            if error is not None:
                yield place, lost(error)
                continue
            result, told = outcome
            tell(told, registry)
            yield place, result
        return
    backend, _ = get_active_backend()
    is_ray, client = _starts_ray(backend), _dask_client(backend)
    n_workers = min(effective_n_jobs(n_jobs), len(tasks))
    # Inside a task on the cluster, the cluster is busy with our like.
    nested = client is not None and is_dask_worker()
    if (n_workers < 2 and client is None) or nested or n_jobs == 1:
        for i, task in enumerate(tasks):
            yield i, function(*task)
        return
    left, registry, n_deaths, death = _packed(tasks), {}, 0, None
    while left:
        if client is not None:
            options = getattr(backend, "submit_kwargs", {})
            run = run_on_dask(client, function, left, options)
        elif is_ray:
            options = getattr(backend, "ray_remote_args", None) or {}
            run = run_on_ray(function, left, options)
        elif n_deaths < _MOST_DEATHS - 1:
            run = _run_on_joblib(function, left, n_workers, backend)
        else:
            run = _run_one_by_one(function, left, n_workers, backend)
            n_deaths = _MOST_DEATHS  # what is left then died by itself
        n_before, is_last = len(left), n_deaths == _MOST_DEATHS
        try:
            for place, (result, told) in run:
                del left[place]
                tell(told, registry)
                yield place, result
        except Exception as error:
            if not _is_death(error) and not _gave_up(error):
                raise
            death = error
        n_deaths = n_deaths + 1 if len(left) == n_before else 0
        if left and (is_last or n_deaths >= _MOST_DEATHS or _gave_up(death)):
            error = LostTask(
                "A task lost its worker several times in a row: most often it needs "
                "more memory than there is. Take a smaller n_jobs, or smaller batches. "
                "Finished parts are kept where there is a checkpoint."
            )
            if lost is None:
                raise error from death
            for place in list(left):
                yield place, lost(error)
            return


def _packed(tasks):
    """Return tasks by place, with a parcel for each object that several share."""
    seen = Counter(id(a) for task in tasks for a in {id(a): a for a in task}.values())
    parcels = {}

    def pack(value):
        if seen[id(value)] < 2 or is_light(value):
            return value
        return parcels.setdefault(id(value), Parcel(value))

    return {i: tuple(pack(a) for a in task) for i, task in enumerate(tasks)}


def _run_on_joblib(function, tasks, n_workers, backend):
    limit = getattr(backend, "inner_max_num_threads", None)
    limit = limit or max(1, cpu_count() // n_workers)
    if type(backend).__name__ == "LokyBackend":
        limit = None  # its workers start with a bound, or with what the user asked for
    unordered = getattr(backend, "supports_return_generator", False)
    return_as = "generator_unordered" if unordered else "list"
    shares_memory = getattr(backend, "supports_sharedmem", False)
    call = _call_here if shares_memory else _call_apart
    calls = [(i, function, task, limit) for i, task in tasks.items()]
    parallel = Parallel(n_jobs=n_workers, return_as=return_as)
    _let_workers_retire()
    with bounded_blas(limit if shares_memory else None):
        yield from parallel(delayed(call)(*one) for one in calls)


def _let_workers_retire():
    """Show joblib's warning of workers that grew too large where warnings are errors.

    joblib warns in a thread of its own and then starts another worker; where the
    warning is an error, that thread ends and the call would wait for ever.
    """
    for action, message, category, module, _ in warnings.filters:
        if (
            (message is None or message.match(_RETIRED))
            and issubclass(UserWarning, category)
            and module is None
        ):
            if action == "error":
                warnings.filterwarnings("default", _RETIRED, UserWarning)
            return


def _run_one_by_one(function, tasks, n_workers, backend):
    """Run tasks apart, as the death of one worker takes down what runs beside it."""
    death = None
    for i, task in list(tasks.items()):
        try:
            yield from _run_on_joblib(function, {i: task}, n_workers, backend)
        except Exception as error:
            if not _is_death(error):
                raise
            death = error
    if death is not None:
        raise death


def _call_here(place, *call):
    return place, (call_task(*call), ())


def _call_apart(place, *call):
    return place, call_task_apart(*call)


def _is_death(error):
    # joblib also says so of results and errors that cannot be pickled.
    return isinstance(error, BrokenExecutor) and "serialize" not in str(error)


def _gave_up(error):
    family = type(error).__module__.partition(".")[0]
    return family in ("distributed", "ray") and type(error).__name__ in _GIVEN_UP


def _dask_client(backend):
    """Return the client of joblib's dask backend, None for other backends."""
    is_dask = type(backend).__name__ == "DaskDistributedBackend"
    return backend.client if is_dask else None


def _starts_ray(backend):
    """Say whether Ray is the backend; its cluster runs then."""
    if type(backend).__module__.partition(".")[0] != "ray":
        return False
    import ray

    if not ray.is_initialized():
        ray.init()
    return True
