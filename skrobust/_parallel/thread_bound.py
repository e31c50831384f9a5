"""Bounds on the threads that BLAS, OpenMP, torch and numba start inside tasks."""

import contextlib
import sys

from threadpoolctl import ThreadpoolController

_CONTROLLER = (0, None)  # number of modules when it looked, and the controller


@contextlib.contextmanager
def bounded_blas(limit):
    """Bound the threads of BLAS in this process; called where the tasks are started.

    The bound belongs to the process, and OpenBLAS ignores one that another thread than
    that of the program sets.

    Parameters
    ----------
    limit : int or None
        Largest number of threads; None changes nothing. It is lowered only, and what it
        was comes back.
    """
    with _undone(_lower_libraries(limit, of_blas=True)):
        yield


@contextlib.contextmanager
def bounded_threads(limit):
    """Bound the threads of OpenMP, torch and numba in this thread, inside a task.

    Parameters
    ----------
    limit : int or None
        As in :func:`bounded_blas`.
    """
    undo = _lower_libraries(limit, of_blas=False)
    with _undone(undo + _lower_modules(limit)):
        yield


@contextlib.contextmanager
def _undone(undo):
    try:
        yield
    finally:
        for set_number, before in reversed(undo):
            set_number(before)


def _libraries():
    """Return the loaded libraries; they are looked for again after new imports."""
    global _CONTROLLER
    n_modules, controller = _CONTROLLER
    if n_modules != len(sys.modules):
        controller = ThreadpoolController()
        _CONTROLLER = len(sys.modules), controller
    return controller.lib_controllers


def _lower_libraries(limit, of_blas):
    """Lower the number of threads of libraries and return how to undo it."""
    undo = []
    for library in [] if limit is None else _libraries():
        before = library.get_num_threads()
        is_asked = (library.user_api == "blas") == of_blas
        if is_asked and before is not None and before > limit:
            library.set_num_threads(limit)
            undo.append((library.set_num_threads, before))
    return undo


def _lower_modules(limit):
    undo = []
    for name in () if limit is None else ("torch", "numba"):
        module = sys.modules.get(name)
        if not hasattr(module, "set_num_threads"):
            continue
        before = module.get_num_threads()
        if before > limit:
            module.set_num_threads(limit)
            undo.append((module.set_num_threads, before))
    return undo
