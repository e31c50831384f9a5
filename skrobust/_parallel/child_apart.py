"""Process in which tasks run apart, started by :mod:`skrobust._parallel.apart`."""

import io
import os
import pickle
import sys
import threading
import time
from multiprocessing.connection import Connection

from skrobust._parallel.parcel import cloudpickle, opened_parcel
from skrobust._parallel.task_call import call_task_apart


class _Unpickler(pickle.Unpickler):
    """Unpickler that finds parcels by their tokens."""

    def __init__(self, file, parcels):
        super().__init__(file)
        self._parcels = parcels

    def persistent_load(self, pid):
        """Return the parcel of a token."""
        return self._parcels[pid]


def serve(pipe, memory):
    """Answer what comes through a pipe, until it closes.

    Before each task come its function, the parcels that are new here, and the tokens of
    those that are done. Parcels do not count into the limit of memory.

    Parameters
    ----------
    pipe : Connection
        The pipe.
    memory : int
        Bytes beyond what parcels take; 0 is no limit.
    """
    parcels = {}
    while True:
        try:
            new = pipe.recv_bytes()
            _limit(0)
            _answer(pipe, _load, new, parcels)
            task = pipe.recv_bytes()
        except EOFError:
            return
        _limit(memory)
        _answer(pipe, _run, task, parcels)


def _answer(pipe, function, *arguments):
    """Send the error of a call, or None, and its outcome."""
    try:
        answer = cloudpickle.dumps((None, function(*arguments)))
    except Exception as error:
        try:
            answer = cloudpickle.dumps((error, None))
            pickle.loads(answer)
        except Exception:
            text = f"{type(error).__name__}: {error}"
            answer = cloudpickle.dumps((RuntimeError(text), None))
    pipe.send_bytes(answer)


def _load(message, parcels):
    new, gone, parcels["function"] = pickle.loads(message)
    for token in gone:
        parcels.pop(token, None)
    for token, packed in new:
        parcels[token] = opened_parcel(token, *packed)


def _run(message, parcels):
    task, limit = _Unpickler(io.BytesIO(message), parcels).load()
    return call_task_apart(parcels["function"], task, limit)


def _limit(memory):
    """Allow so many bytes more than there are now; 0 is as many as there may be."""
    import resource

    # On Linux the data of a process, as mapped libraries take addresses alone.
    kind = resource.RLIMIT_DATA if _used() is not None else resource.RLIMIT_AS
    _, most = resource.getrlimit(kind)
    soft = most
    if memory:
        soft = (_used() or 0) + memory
        soft = soft if most == resource.RLIM_INFINITY else min(soft, most)
    resource.setrlimit(kind, (soft, most))


def _used():
    """Return the bytes of data of this process, None where the system does not say."""
    try:
        with open("/proc/self/status") as file:
            line = next(line for line in file if line.startswith("VmData"))
    except (OSError, StopIteration):
        return None
    return 1024 * int(line.split()[1])


def _end_with(parent):
    """End when the process that started this one is gone, whatever runs."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    watch = threading.Thread(target=_end_with, args=[os.getppid()], daemon=True)
    watch.start()
    serve(Connection(int(sys.argv[1])), int(sys.argv[2]))
