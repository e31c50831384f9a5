"""Call of one task in a worker: parcels, bounds on threads, and warnings."""

import warnings

from skrobust._parallel.parcel import Parcel, in_use
from skrobust._parallel.thread_bound import bounded_blas, bounded_threads


def call_task(function, arguments, limit=None):
    """Return the result of a task whose worker shares this process.

    Parameters
    ----------
    function : callable
        The function.
    arguments : sequence
        Its arguments, those that are shared as parcels.
    limit : int or None
        Bound on the threads of numerical libraries.
    """
    values = [a.value if isinstance(a, Parcel) else a for a in arguments]
    with in_use(), bounded_threads(limit):
        return function(*values)


def call_task_apart(function, arguments, limit=None):
    """Return the result of a task in a process of its own, and its warnings.

    Warnings are data here: the process that asked shows them, by its own filters.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with bounded_blas(limit):
            result = call_task(function, arguments, limit)
    told = [(str(w.message), w.category, w.filename, w.lineno) for w in caught]
    return result, told
