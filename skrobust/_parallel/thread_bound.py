"""Bound on the threads that BLAS, OpenMP, torch and numba start inside a task."""

import contextlib
import sys
import threading

from threadpoolctl import ThreadpoolController

_LOCK = threading.Lock()
_CONTROLLER = (0, None)  # number of modules when it looked, and the controller
_N_INSIDE = 0
_OF_PROCESS = []  # what the first task inside changed for all threads


@contextlib.contextmanager
def bounded_threads(limit):
    """Bound the threads of numerical libraries while a task runs.

    Bounds are lowered only, and what they were comes back: the bound of OpenMP, torch
    and numba belongs to the thread that calls, and that of BLAS to the process, where
    the last task to end restores it.

    Parameters
    ----------
    limit : int or None
        Largest number of threads; None changes nothing.
    """
    global _N_INSIDE
    if limit is None:
        yield
        return
    with _LOCK:
        libraries = _libraries()
        if not _N_INSIDE:
            blas = [one for one in libraries if one.user_api == "blas"]
            _OF_PROCESS[:] = _lower(blas, limit)
        _N_INSIDE += 1
    others = [one for one in libraries if one.user_api != "blas"]
    of_thread = [*_lower(others, limit), *_lower_modules(limit)]
    try:
        yield
    finally:
        for set_number, before in reversed(of_thread):
            set_number(before)
        with _LOCK:
            _N_INSIDE -= 1
            if not _N_INSIDE:
                for set_number, before in _OF_PROCESS:
                    set_number(before)


def _libraries():
    """Return the loaded libraries; they are looked for again after new imports."""
    global _CONTROLLER
    n_modules, controller = _CONTROLLER
    if n_modules != len(sys.modules):
        controller = ThreadpoolController()
        _CONTROLLER = len(sys.modules), controller
    return controller.lib_controllers


def _lower(libraries, limit):
    """Lower the number of threads of libraries and return how to undo it."""
    undo = []
    for library in libraries:
        before = library.get_num_threads()
        if before is not None and before > limit:
            library.set_num_threads(limit)
            undo.append((library.set_num_threads, before))
    return undo


def _lower_modules(limit):
    undo = []
    for name in ("torch", "numba"):
        module = sys.modules.get(name)
        if module is None or not hasattr(module, "set_num_threads"):
            continue
        before = module.get_num_threads()
        if before > limit:
            module.set_num_threads(limit)
            undo.append((module.set_num_threads, before))
    return undo
