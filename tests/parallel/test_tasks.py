"""Tasks on the backends of joblib: bits, lost workers, data sent once, warnings."""

import os
import subprocess
import sys
import uuid
import warnings
from concurrent.futures import BrokenExecutor

import joblib
import numpy as np
import pytest
from parallel_cases import (
    CALLS,
    Counting,
    Deadly,
    X,
    Y,
    assert_same,
    notes,
    perturbations,
)

from skrobust._parallel import run_tasks
from skrobust._sealed import read_array
from skrobust.attacks import PGD
from skrobust.evaluation import evaluate_perturbations
from skrobust.evaluation.attacked.attacked_blocks import row_blocks
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.perturbations import GaussianNoise

BACKENDS = [
    "threading",
    pytest.param("loky", marks=pytest.mark.slow),
    pytest.param("multiprocessing", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_results_do_not_depend_on_the_backend(name, backend):
    one = CALLS[name](n_jobs=1)
    with joblib.parallel_config(backend):
        assert_same(one, CALLS[name](n_jobs=2))


@pytest.mark.slow
def test_data_are_sent_once(tmp_path):
    model = Counting(str(tmp_path)).fit(X, Y % 2)
    noise = [GaussianNoise(std=s, random_state=0) for s in np.linspace(0.1, 0.4, 20)]
    evaluate_perturbations(model, X, Y % 2, noise, n_jobs=2)
    assert len(notes(tmp_path, "pickled")) == 1  # not once per condition
    unpickled = notes(tmp_path, "unpickled")
    assert len(unpickled) == len(set(unpickled)) <= 2  # once per worker


def test_threads_share_what_is_there(tmp_path):
    model = Counting(str(tmp_path)).fit(X, Y % 2)
    noise = [GaussianNoise(std=s, random_state=0) for s in (0.1, 0.2)]
    with joblib.parallel_config("threading"):
        evaluate_perturbations(model, X, Y % 2, noise, n_jobs=2)
    assert not notes(tmp_path, "pickled")


@pytest.mark.slow
def test_a_killed_worker_costs_nothing(tmp_path):
    strengths = (0.05, 0.1, 0.2, 0.3)
    whole = perturbations([Deadly(s) for s in strengths])
    deadly = [Deadly(s, str(tmp_path) if s == 0.1 else None) for s in strengths]
    found = perturbations(deadly, n_jobs=2, checkpoint=tmp_path / "parts")
    assert (tmp_path / "death 0 at 0.1").exists()
    assert np.array_equal(whole.correct, found.correct)
    assert len(list((tmp_path / "parts").glob("*.part"))) == len(strengths)


@pytest.mark.slow
def test_a_task_that_always_dies_is_given_up(tmp_path):
    deadly = [Deadly(0.05), Deadly(0.1, str(tmp_path), n_deaths=50)]
    with pytest.warns(UserWarning, match="lost its worker several times"):
        found = perturbations(deadly, n_jobs=2, checkpoint=tmp_path / "parts")
    assert np.isnan(found["score"]).tolist() == [False, True]
    # The other one is kept, though it went down with the workers.
    assert len(list((tmp_path / "parts").glob("*.part"))) == 1


def warn(i):
    warnings.warn(f"odd: {i % 2}", UserWarning, stacklevel=1)
    return i


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_of_workers_are_shown_here(n_jobs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        assert run_tasks(warn, [(i,) for i in range(6)], n_jobs=n_jobs) == list(
            range(6)
        )
    assert sorted(str(w.message) for w in caught) == ["odd: 0", "odd: 1"]


def fail(i):
    if i == 2:
        raise KeyError("the third")
    return i


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_of_tasks_are_raised(n_jobs):
    with joblib.parallel_config("threading"), pytest.raises(KeyError, match="third"):
        run_tasks(fail, [(i,) for i in range(5)], n_jobs=n_jobs)


# Blocks of rows.


def test_blocks_keep_equal_rows_together_and_in_order():
    rows = np.concatenate([X, X[5:600], X[7:9]])
    blocks = row_blocks(PGD(0.1, random_state=0), rows)
    assert len(blocks) > 1
    assert sorted(np.concatenate(blocks)) == list(range(len(rows)))
    home = {}
    for number, places in enumerate(blocks):
        for place in places:
            assert home.setdefault(rows[place].tobytes(), number) == number
        same = [p for p in places if (rows[p] == X[7]).all()]
        assert same == sorted(same)


def test_blocks_are_whole_batches_and_of_attacks_of_single_rows():
    rows = np.random.default_rng(0).normal(size=(3000, 4))
    for attack, size in ((PGD(0.1), 1024), (PGD(0.1, batch_size=300), 1200)):
        assert row_blocks(attack, rows)[1] == slice(size, 2 * size)
    whole = [slice(None)]
    assert row_blocks(PGD(0.1), rows[:1024]) == whole
    assert row_blocks(PGD("0.1 std"), rows) == whole  # the spread of all rows
    assert row_blocks(PGD(0.1, target=np.zeros(3000, int)), rows) == whole
    assert row_blocks(Deadly(), rows) == whole  # may look at all rows
    assert row_blocks(PGD(0.1), np.full((3000, 4), np.nan)) == whole


# One folder of parts, many writers.

WRITER = """
import sys
from parallel_cases import GRID, perturbations
found = perturbations(checkpoint=sys.argv[1], conditions=GRID[::int(sys.argv[2])])
print(found.correct.tobytes().hex()[:64], found.score.tolist())
"""


@pytest.mark.slow
def test_two_processes_share_a_folder(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), step],
            env=environment, stdout=subprocess.PIPE, text=True,
        )
        for step in ("1", "-1", "1")
    ]  # fmt: skip
    outputs = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert outputs[0] == outputs[2]
    parts = list(tmp_path.iterdir())
    assert len(parts) == len(perturbations().score)  # no draft, and nothing twice
    for part in parts:
        assert read_array(part, part.stem) is not None
    alone = perturbations()
    kept = perturbations(checkpoint=tmp_path)
    assert_same(alone, kept)
    assert outputs[0].split(" ", 1)[1].strip() == str(alone.score.tolist())


GROWING = """
import time
import numpy as np
from skrobust._parallel import run_tasks

def grow(i):
    time.sleep(1.1)  # joblib looks at the memory of a worker once a second
    vars(np).setdefault("kept", []).append(np.ones(50_000_000))
    return i

if __name__ == "__main__":
    print(run_tasks(grow, [(i,) for i in range(6)], n_jobs=2))
"""


@pytest.mark.slow
def test_workers_that_grow_too_large_are_replaced_where_warnings_are_errors(tmp_path):
    pytest.importorskip("psutil")  # with which joblib measures memory
    script = tmp_path / "growing.py"
    script.write_text(GROWING)
    run = subprocess.run(
        [sys.executable, "-W", "error", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert run.stdout.strip() == "[0, 1, 2, 3, 4, 5]"
    assert "A worker stopped while some jobs" in run.stderr


def slow_part(folder, key):
    # Another run ends this part first, while this one computes it.
    Checkpoint(folder, "test").run(key, lambda: np.arange(3))
    return np.arange(3)


def test_the_same_part_may_be_written_twice(tmp_path):
    store = Checkpoint(tmp_path, "test")
    assert store.run("key", slow_part, tmp_path, "key").tolist() == [0, 1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["key.part"]


def part(folder, i):
    (folder / str(i)).touch()
    return np.array([i])


def test_finished_parts_are_not_sent_again(tmp_path):
    store, calls = Checkpoint(tmp_path / "parts", "test"), tmp_path / "calls"
    calls.mkdir()
    tasks = [(f"key{i}", part, calls, i) for i in range(4)]
    store.run_all(tasks[:3])
    for path in calls.iterdir():
        path.unlink()
    with joblib.parallel_config("threading"):
        found = store.run_all(tasks, n_jobs=2)
    assert [int(one[0]) for one, _ in found] == [0, 1, 2, 3]
    assert [path.name for path in calls.iterdir()] == ["3"]


def test_parts_of_a_worker_without_this_disk_are_kept(tmp_path, monkeypatch):
    store = Checkpoint(tmp_path, "test")
    monkeypatch.setattr(
        Checkpoint, "run", lambda self, key, function, *args: function(*args)
    )
    store.run_all([("key", np.arange, 3)])
    assert read_array(tmp_path / "key.part", "key").tolist() == [0, 1, 2]


class _TwoParts(UserWarning):
    def __init__(self, text, number):
        super().__init__(text)
        self.number = number

    def __reduce__(self):
        return _TwoParts, (*self.args, self.number)


class _NotRead(Exception):
    def __init__(self, text, number):
        super().__init__(text)


def _warn_in_parts(place):
    warnings.warn(_TwoParts("two parts", place), stacklevel=1)
    return place


def _raise_in_parts(folder, place):
    (folder / f"{place}-{os.getpid()}-{uuid.uuid4()}").touch()
    raise _NotRead("two parts", place)


@pytest.mark.parametrize("backend", BACKENDS[1:2])
def test_a_warning_made_of_more_than_a_text_is_shown(backend):
    with joblib.parallel_config(backend), pytest.warns(UserWarning, match="two parts"):
        assert run_tasks(_warn_in_parts, [(0,), (1,)], n_jobs=2) == [0, 1]


@pytest.mark.slow
def test_an_error_that_cannot_be_unpickled_is_no_death(tmp_path):
    with pytest.raises(BrokenExecutor, match="un-serialize"):
        run_tasks(_raise_in_parts, [(tmp_path, 0), (tmp_path, 1)], n_jobs=2)
    assert len(list(tmp_path.iterdir())) <= 2  # nothing ran again
