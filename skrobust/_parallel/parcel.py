"""Parcels: objects that many tasks share, pickled once and unpickled once a process."""

import contextlib
import io
import pickle
import threading
import time
import uuid
from collections import OrderedDict

import numpy as np

try:
    import cloudpickle
except ImportError:  # joblib before 1.6 has its own copy
    from joblib.externals import cloudpickle

# Arrays above this size travel beside the pickle, so that workers of one machine map
# the same pages: joblib does so with arrays of more than 1 MiB.
_LARGE = 2**20
_MOST_OPEN = 64
# Without a task. joblib waits a second at the end of a call for files of shared arrays
# that are still mapped, in steps of 0.1.
_IDLE_SECONDS = 0.08
_LOCK = threading.RLock()
_OPEN = OrderedDict()  # parcels that arrived in this process, by token
_TIMER, _LAST_USE, _N_RUNNING = None, 0.0, 0


class Parcel:
    """An object that many tasks share.

    A backend in this process hands it on as it is. Others pickle the parcel with each
    task: its content is pickled at the first time alone, and large arrays in it keep
    their identity, by which joblib writes each to shared memory once. A worker
    unpickles the content once, whatever the number of its tasks.

    Parameters
    ----------
    value : object
        The object; it must not change while tasks run.
    """

    def __init__(self, value):
        self.value = value
        self.token = uuid.uuid4().hex
        self._packed = None

    def __reduce__(self):
        with _LOCK:
            if self._packed is None:
                self._packed = _pack(self.value)
            return _open, (self.token, *self._packed)


class _Packer(cloudpickle.Pickler):
    """Pickler that sets large arrays aside."""

    def __init__(self, file):
        super().__init__(file, protocol=5)
        self.arrays, self._places = [], {}

    def persistent_id(self, obj):
        """Return the place of a large array, None for anything else."""
        plain = type(obj) in (np.ndarray, np.memmap) and not obj.dtype.hasobject
        if not plain or obj.nbytes <= _LARGE:
            return None
        if id(obj) not in self._places:
            self._places[id(obj)] = len(self.arrays)
            self.arrays.append(obj)
        return self._places[id(obj)]


class _Unpacker(pickle.Unpickler):
    def __init__(self, file, arrays):
        super().__init__(file)
        self._arrays = arrays

    def persistent_load(self, pid):
        return self._arrays[pid]


def _pack(value):
    file = io.BytesIO()
    packer = _Packer(file)
    packer.dump(value)
    return np.frombuffer(file.getbuffer(), dtype=np.uint8), packer.arrays


def _open(token, text, arrays):
    """Return the parcel of a token; its content is unpickled where it is new here."""
    with _LOCK:
        found = _OPEN.pop(token, None)
        if found is None:
            found = Parcel(_Unpacker(io.BytesIO(text), arrays).load())
            found.token, found._packed = token, (text, arrays)
        _OPEN[token] = found
        while len(_OPEN) > _MOST_OPEN:
            _OPEN.popitem(last=False)
        _forget_later()
    return found


@contextlib.contextmanager
def in_use():
    """Context of a task, in which nothing that arrived is forgotten."""
    global _N_RUNNING
    with _LOCK:
        _N_RUNNING += 1
    try:
        yield
    finally:
        with _LOCK:
            _N_RUNNING -= 1
            _forget_later()


def _forget_later():
    """Free what is open when there was no task for a while."""
    global _LAST_USE
    _LAST_USE = time.monotonic()
    if _OPEN and (_TIMER is None or not _TIMER.is_alive()):
        _start_timer(_IDLE_SECONDS)


def _start_timer(seconds):
    global _TIMER
    _TIMER = threading.Timer(seconds, _forget_if_idle)
    _TIMER.daemon = True
    _TIMER.start()


def _forget_if_idle():
    global _TIMER
    with _LOCK:
        _TIMER = None
        if _N_RUNNING:
            return  # the end of a task starts another timer
        left = _LAST_USE + _IDLE_SECONDS - time.monotonic()
        if left > 0:
            _start_timer(left)
        else:
            _OPEN.clear()
