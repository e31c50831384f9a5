"""Threads of numerical libraries in workers: the cores, divided among the workers."""

import os
import sys

import joblib
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from skrobust._parallel import run_tasks
from skrobust._parallel.thread_bound import bounded_blas, bounded_threads

ENOUGH = 4  # threads that a library would start without a bound


@pytest.fixture
def wide():
    """Let every library of this process start several threads, for a test."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(ENOUGH)
    with threadpool_limits(ENOUGH):
        yield
    torch.set_num_threads(before)


def threads_inside(n):
    """Return the largest number of threads of each kind that a task would start."""
    import numpy as np
    import torch

    np.ones((50, 50)) @ np.ones((50, 50))
    found = {"torch": torch.get_num_threads()}
    if "numba" in sys.modules:
        found["numba"] = sys.modules["numba"].get_num_threads()
    for library in threadpool_info():
        kind = library["user_api"]
        found[kind] = max(found.get(kind, 0), library["num_threads"])
    return found


def worst(n_jobs, n_tasks=8):
    found = run_tasks(threads_inside, [(i,) for i in range(n_tasks)], n_jobs=n_jobs)
    return {kind: max(one.get(kind, 0) for one in found) for kind in found[0]}


def fair(n_workers):
    return max(1, joblib.cpu_count() // n_workers)


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_share_the_cores(n_jobs, wide):
    before = threads_inside(0)
    assert before["torch"] == ENOUGH
    assert before["blas"] == ENOUGH
    with joblib.parallel_config("threading"):
        assert max(worst(n_jobs).values()) <= max(fair(n_jobs), 1)
    assert threads_inside(0) == before  # and what was set comes back


def test_one_job_keeps_all_threads(wide):
    assert worst(1)["torch"] == ENOUGH
    assert worst(1)["blas"] == ENOUGH


@pytest.mark.slow
def test_loky_workers_share_the_cores(wide, monkeypatch):
    for name in list(os.environ):
        if name.endswith("_NUM_THREADS"):
            monkeypatch.delenv(name)
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)
    assert max(worst(2).values()) <= fair(2)
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [True, False])
def test_dask_workers_share_the_cores(processes, wide):
    distributed = pytest.importorskip("distributed")
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(processes=processes, **how) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        assert max(worst(2).values()) <= fair(2)
    assert threads_inside(0)["blas"] == ENOUGH


def test_what_a_user_asks_for_holds(wide):
    class Backend(joblib.parallel.ThreadingBackend):
        supports_inner_max_num_threads = True

    joblib.register_parallel_backend("threads of threads", Backend)
    with joblib.parallel_config("threads of threads", inner_max_num_threads=3):
        assert worst(2)["blas"] == 3


def test_bounds_are_lowered_only(wide):
    with bounded_blas(64), bounded_threads(64):
        assert threads_inside(0)["blas"] == ENOUGH
        assert threads_inside(0)["torch"] == ENOUGH
    with bounded_blas(2), bounded_threads(3):
        assert threads_inside(0)["blas"] == 2
        assert threads_inside(0)["torch"] == 3
    assert threads_inside(0)["blas"] == ENOUGH
    assert threads_inside(0)["torch"] == ENOUGH
