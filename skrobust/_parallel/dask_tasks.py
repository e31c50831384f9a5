"""Tasks on the workers of a dask cluster, sent again where their data are lost.

joblib's own backend for dask leaves each array that tasks share on one worker. When
that worker dies, the run ends with an error or never ends. Here the client sends shared
objects to every worker, and again to those that replace them.
"""

import pickle
import time
import traceback
from collections import Counter
from concurrent.futures import CancelledError
from typing import NamedTuple

from joblib import cpu_count, parallel_config
from sklearn import config_context, get_config

from skrobust._parallel.parcel import Parcel
from skrobust._parallel.task_call import call_task, call_task_apart
from skrobust._parallel.thread_bound import bounded_blas

_LARGE = 1 << 20  # bytes; of graphs above ten times that distributed warns
_PAUSE = 1.0  # seconds in which a nanny starts another worker


def is_dask_worker():
    """Say whether this code runs inside a task on a dask worker."""
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def run_on_dask(client, function, tasks, submit_options):
    """Yield the place and the result of each task as they end, on a dask cluster.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    function : callable
        Called with the arguments of a task.
    tasks : dict of int to tuple
        Arguments by place; those that are parcels are sent to each worker once, and
        other large ones to one worker.
    submit_options : dict
        Options of ``Client.submit``, such as ``resources``.

    Yields
    ------
    tuple
        Place, and result with warnings. A task whose data or result was lost with its
        worker is not among them.
    """
    from distributed import as_completed

    values = {id(a): a for args in tasks.values() for a in args}
    shared = {i: a for i, a in values.items() if _is_parcel(a)}
    own = {i: Parcel(a) for i, a in values.items() if i not in shared and _is_large(a)}
    options = {"pure": False, "retries": 0, **submit_options}
    sent = {}
    try:
        for parcels, to_all in ((shared, True), (own, False)):
            if parcels:
                listed = list(parcels.values())
                found = client.scatter(listed, broadcast=to_all, hash=False)
                sent |= dict(zip(parcels, found, strict=True))
    except OSError:  # a worker died meanwhile; nothing was run
        time.sleep(_PAUSE)
        return
    slots = _slots(client)
    n_here = max((n for at, n in slots.items() if _is_here(at)), default=None)
    run = _call if options["retries"] else _call_or_error
    call = run, slots, get_config(), function
    places = {}
    for i, args in tasks.items():
        args = [sent.get(id(a), a) for a in args]
        places[client.submit(*call, *args, **options)] = i
    waiting = as_completed(list(places))
    limit = None if n_here is None else max(1, cpu_count() // n_here)
    try:
        with bounded_blas(limit):
            yield from _arrived(waiting, places)
    finally:
        client.cancel(list(places))


def _arrived(waiting, places):
    for future in waiting:
        place = places.pop(future)
        try:
            result = future.result()
        except CancelledError:  # its data were lost with a worker
            continue
        if isinstance(result, _Raised):
            raise result.error
        yield place, result


class _Raised(NamedTuple):
    """Error of a task as its result.

    The cluster logs each error that a task raises, also those of tasks that still ran
    when the first one had ended the call.
    """

    error: Exception


def _call_or_error(*call):
    try:
        return _call(*call)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # it cannot travel as it is; the cluster finds words for it
            raise error from None
        error.add_note(f"On a worker of the cluster:\n{traceback.format_exc()}")
        return _Raised(error)


def _is_here(address):
    return address.startswith("inproc")


def _is_parcel(value):
    return isinstance(value, Parcel)


def _is_large(value):
    """Return whether a value of one task is no part of the graph, but sent as data."""
    from dask.sizeof import sizeof

    return sizeof(value) > _LARGE


def _slots(client):
    """Return the number of tasks that each machine runs at a time, by worker."""
    n_threads, total = client.nthreads(), Counter()
    for address, n in n_threads.items():
        total[_machine(address)] += n
    return {address: total[_machine(address)] for address in n_threads}


def _machine(address):
    # tcp://host:port, or inproc://host/process/number
    return address.rpartition("/" if _is_here(address) else ":")[0]


def _call(n_slots, config, function, *args):
    from distributed import get_worker

    worker = get_worker()
    # A worker that came later is a neighbour like the others.
    n = n_slots.get(worker.address) or max(n_slots.values(), default=1)
    limit = max(1, cpu_count() // n)
    alone = worker.state.nthreads == 1 and not _is_here(worker.address)
    with config_context(**config), parallel_config("threading", n_jobs=1):
        if alone:
            return call_task_apart(function, args, limit)
        return call_task(function, args, limit), ()
