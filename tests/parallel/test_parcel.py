"""Parcels: one pickle, one object per process, arrays beside the pickle."""

import pickle
import time

import numpy as np
import pytest
from joblib import parallel_config

from skrobust._parallel import parcel as module
from skrobust._parallel import run_tasks
from skrobust._parallel.parcel import Parcel


def test_the_content_is_pickled_and_unpickled_once():
    class Content(dict):
        pickled = 0

        def __reduce__(self):
            type(self).pickled += 1
            return dict, (dict(self),)

    sent = Parcel(Content(a=1))
    texts = [pickle.dumps(sent) for _ in range(3)]
    assert Content.pickled == 1
    first, *others = (pickle.loads(text) for text in texts)
    assert first.value == {"a": 1}
    assert all(other is first for other in others)


def test_large_arrays_stand_beside_the_pickle():
    large, small = np.arange(300_000.0), np.arange(5)
    _, (_, text, arrays) = Parcel({"x": large, "again": large, "s": small}).__reduce__()
    assert len(text) < 1000
    assert [array is large for array in arrays] == [True]
    opened = module._open("token of a test", text, arrays).value
    assert opened["x"] is opened["again"] is large
    assert opened["s"].tolist() == small.tolist()


def test_objects_and_strings_stay_in_the_pickle():
    words = np.array(["a word"] * 300_000, dtype=object)
    _, (_, _, arrays) = Parcel(words).__reduce__()
    assert arrays == []


def wait_until(is_done):
    for _ in range(400):
        if is_done():
            return True
        time.sleep(0.02)
    return False


def test_what_is_idle_is_forgotten(monkeypatch):
    monkeypatch.setattr(module, "_IDLE_SECONDS", 0.02)
    pickle.loads(pickle.dumps(Parcel([1, 2])))
    assert wait_until(lambda: not module._OPEN)
    with module.in_use():
        sent = Parcel([3])
        first = pickle.loads(pickle.dumps(sent))
        assert wait_until(lambda: module._TIMER is None)  # it has looked
        assert pickle.loads(pickle.dumps(sent)) is first
    assert wait_until(lambda: not module._OPEN)
    assert pickle.loads(pickle.dumps(sent)) is not first


def is_mapped(X, i):
    return isinstance(X, np.memmap)


def test_files_of_shared_arrays_are_gone_with_the_call(tmp_path):
    rows = np.ones((400, 1000))
    with parallel_config("loky", temp_folder=str(tmp_path)):
        assert (
            run_tasks(is_mapped, [(rows, i) for i in range(4)], n_jobs=2) == [True] * 4
        )
    assert not list(tmp_path.rglob("*.pkl"))


def test_few_are_open_at_a_time():
    for i in range(3 * module._MOST_OPEN):
        pickle.loads(pickle.dumps(Parcel([i])))
    assert len(module._OPEN) <= module._MOST_OPEN


def file_of(X, i):
    return str(getattr(X, "filename", "a copy"))


@pytest.mark.slow
def test_workers_open_the_file_of_a_memmap(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.ones((400, 1000)))
    rows = np.load(path, mmap_mode="r")
    assert set(run_tasks(file_of, [(rows, i) for i in range(4)], n_jobs=2)) == {
        str(path)
    }
