"""Tasks on the workers of a Ray cluster.

joblib's own backend for Ray sends what tasks share with each of them, and returns no
result before all are there, so that the death of one worker would lose them all.
"""

from joblib import parallel_config
from sklearn import config_context, get_config

from skrobust._parallel.parcel import Parcel
from skrobust._parallel.task_call import call_task_apart


def run_on_ray(function, tasks, remote_options):
    """Yield the place and the result of each task as they end, on a Ray cluster.

    Parameters
    ----------
    function : callable
        Called with the arguments of a task.
    tasks : dict of int to tuple
        Arguments by place; those that are parcels go to Ray's store of objects once.
    remote_options : dict
        Options of ``ray.remote``, such as ``num_cpus``.

    Yields
    ------
    tuple
        Place, and result with warnings. Ray itself runs a task again whose worker died.
    """
    import ray

    parcels = {id(a): a for args in tasks.values() for a in args if _is_parcel(a)}
    stored = {i: ray.put(parcel) for i, parcel in parcels.items()}
    call = ray.remote(**{"num_cpus": 1, **remote_options})(_call)
    config, places = get_config(), {}
    for i, args in tasks.items():
        args = [stored.get(id(a), a) for a in args]
        places[call.remote(config, function, *args)] = i
    try:
        while places:
            for done in ray.wait(list(places))[0]:
                place = places.pop(done)
                yield place, ray.get(done)
    finally:
        for waiting in places:
            ray.cancel(waiting)


def _is_parcel(value):
    return isinstance(value, Parcel)


def _call(config, function, *args):
    # Ray bounds the threads of a worker by the cores that a task asks for.
    with config_context(**config), parallel_config("threading", n_jobs=1):
        return call_task_apart(function, args)
