"""Loader workers of a net, left out where a process may have no children."""

import contextlib
import multiprocessing

_OPTIONS = (
    "num_workers", "prefetch_factor", "persistent_workers", "timeout",
    "multiprocessing_context",
)  # fmt: skip


def may_have_children():
    """Say whether the loader of a net can start processes from here.

    Workers of loky and of multiprocessing, and those of dask under a nanny, cannot.
    """
    process = multiprocessing.current_process()
    is_loky = "loky" in type(process).__module__
    return not process.daemon and not is_loky


@contextlib.contextmanager
def loading_here(net):
    """Context in which a net of skorch loads its batches in this process if it must.

    The batches are the same. Where children may start, nothing changes.

    Parameters
    ----------
    net : estimator
        The net; estimators of other kinds are left as they are.
    """
    names = [
        f"iterator_{part}__{option}"
        for part in ("train", "valid")
        for option in _OPTIONS
        if getattr(net, f"iterator_{part}__num_workers", 0)
    ]
    if may_have_children() or not names:
        yield
        return
    kept = {name: vars(net).pop(name) for name in names if name in vars(net)}
    try:
        yield
    finally:
        vars(net).update(kept)
