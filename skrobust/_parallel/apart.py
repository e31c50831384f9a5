"""Tasks in processes of their own, with limits of time and memory."""

import contextlib
import io
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import ContextVar
from multiprocessing.connection import Connection

from joblib import cpu_count, effective_n_jobs

from skrobust._parallel.parcel import Parcel, cloudpickle, is_light
from skrobust._parallel.task_call import tell

_SESSION = ContextVar("skrobust_isolation", default=None)
_KEPT = 8  # calls after its last use for which a parcel stays in the processes
_LONGEST = 2e6  # seconds that a wait can count; more is as long as it takes
_START = 300.0  # seconds for a process to start, and to load the model and the rows


class LostTask(RuntimeError):
    """A task whose process died or took too long."""


def active_session():
    """Return the session in which tasks run apart, None where they do not."""
    return _SESSION.get()


@contextlib.contextmanager
def isolated(timeout, memory):
    """Context whose tasks run in processes apart.

    Parameters
    ----------
    timeout : float or None
        Seconds for one task.
    memory : int or None
        Bytes that a process may take beyond what model and rows take in it.
    """
    session = Session(timeout, memory)
    token = _SESSION.set(session)
    try:
        yield session
    finally:
        _SESSION.reset(token)
        session.close()


def alone(function, *arguments):
    """Return the result of one call, apart inside of :func:`isolated`.

    Raises
    ------
    LostTask
        If its process died or took too long.
    """
    session = active_session()
    if session is None:
        return function(*arguments)
    ((_, error, outcome),) = session.outcomes(function, [arguments], 1)
    if error is not None:
        raise error
    result, told = outcome
    tell(told, {})
    return result


class Session:
    """Processes that stay from one task to the next; one that is lost is replaced.

    Model and rows are sent to a process once. Each is a program of its own, so that a
    script needs no guard around its main part.

    Parameters
    ----------
    timeout, memory : number or None
        As in :func:`isolated`.
    """

    def __init__(self, timeout, memory):
        if os.name != "posix":
            raise OSError("isolate= needs a system such as Linux or macOS.")
        known = timeout is not None and timeout <= _LONGEST
        self.timeout, self.memory = timeout if known else None, memory
        self._idle, self._all = queue.SimpleQueue(), []
        self._parcels = {}  # by id; a parcel keeps its object
        self._last_use, self._n_calls = {}, 0

    def outcomes(self, function, tasks, n_jobs):
        """Yield place, error and outcome of each task.

        The error is a LostTask or None, and the outcome the result with its warnings.
        """
        packed = self._packed(tasks)
        n = min(effective_n_jobs(n_jobs), len(packed))
        limit = max(1, cpu_count() // n) if n > 1 else None
        if n < 2:
            for place, task in enumerate(packed):
                yield place, *self._one(function, task, limit)
            return
        pool = ThreadPoolExecutor(n)
        try:
            places = {
                pool.submit(self._one, function, task, limit): place
                for place, task in enumerate(packed)
            }
            for future in as_completed(places):
                yield places[future], *future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def close(self):
        """End all processes."""
        for child in self._all:
            child.kill()

    def _packed(self, tasks):
        seen = Counter(
            id(a) for task in tasks for a in {id(a): a for a in task}.values()
        )

        def pack(value):
            often = seen[id(value)] > 1 or len(tasks) == 1
            if id(value) not in self._parcels and (not often or is_light(value)):
                return value
            self._last_use[id(value)] = self._n_calls
            return self._parcels.setdefault(id(value), Parcel(value))

        packed = [tuple(pack(a) for a in task) for task in tasks]
        for known in list(self._parcels):  # batches of rows that are done
            if self._last_use[known] < self._n_calls - _KEPT:
                del self._parcels[known], self._last_use[known]
        self._n_calls += 1
        return packed

    def _one(self, function, task, limit):
        try:
            child = self._idle.get_nowait()
        except queue.Empty:
            child = Child(self.memory)
            self._all.append(child)
        live = {parcel.token for parcel in self._parcels.values()}
        found = child.call(function, task, limit, self.timeout, live)
        if child.is_alive:
            self._idle.put(child)
        return found


class Child:
    """A process that runs one task after the other."""

    def __init__(self, memory):
        here, there = socket.socketpair()
        names = [name or os.getcwd() for name in sys.path]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(names)}
        command = [sys.executable, "-P", "-m", "skrobust._parallel.child_apart"]
        self._process = subprocess.Popen(
            [*command, str(there.fileno()), str(memory or 0)],
            pass_fds=[there.fileno()], stdin=subprocess.DEVNULL, env=env,
            start_new_session=True,
        )  # fmt: skip
        there.close()
        self._pipe, self._known = Connection(here.detach()), set()
        self._lock = threading.Lock()
        self.is_alive = True

    def call(self, function, task, limit, timeout, live):
        """Return an error or None, and the outcome of a task.

        Errors of the task itself are raised. Parcels whose tokens are not in ``live``
        are forgotten.
        """
        parcels = [a for a in task if isinstance(a, Parcel)]
        new = {p.token: p for p in parcels if p.token not in self._known}
        try:
            # What takes long to import is imported before the time of the task begins.
            gone, self._known = self._known - live, self._known & live
            first = [(t, p.packed) for t, p in new.items()], gone, function
            self._pipe.send_bytes(_dump(first))
            if not self._pipe.poll(_START):
                return self._lost(f"did not start within {_START:g} s")
            self._answer()
            self._known.update(new)
            self._pipe.send_bytes(_dump((task, limit)))
            if not self._pipe.poll(timeout):
                return self._lost(f"timed out after {timeout:g} s")
            return None, self._answer()
        except (EOFError, ConnectionError):
            return self._lost(self._last_words())

    def _answer(self):
        error, outcome = cloudpickle.loads(self._pipe.recv_bytes())
        if error is not None:
            raise error
        return outcome

    def _last_words(self):
        """Return how the process ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        code = self._process.returncode
        if code is None or code >= 0:
            return f"the process of the model ended with code {code}"
        name = signal.Signals(-code).name
        why = ", most often for lack of memory" if name == "SIGKILL" else ""
        return f"the process of the model was killed ({name}){why}"

    def _lost(self, words):
        self.kill()
        return LostTask(words), None

    def kill(self):
        """End the process and those that it started."""
        with self._lock:
            if not self.is_alive:
                return
            self.is_alive = False
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            # A thread may wait for this end: it finds the other one closed.
            self._pipe.close()


class _TaskPickler(cloudpickle.Pickler):
    """Pickler that names parcels by their tokens."""

    def persistent_id(self, obj):
        """Return the token of a parcel, None for anything else."""
        return obj.token if isinstance(obj, Parcel) else None


def _dump(value):
    file = io.BytesIO()
    _TaskPickler(file, protocol=5).dump(value)
    return file.getbuffer()
