"""Overhead of parallel tasks: what it costs to send rows and a model to two workers.

    OMP_NUM_THREADS=1 python benchmarks/bench_parallel.py

Each of 69 tasks takes the rows, the labels and the model, and does nothing with them.
"""

import time

import joblib
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from skrobust._parallel import run_tasks
from skrobust.perturbations import GaussianNoise

N_TASKS, N_WORKERS = 69, 2


def touch(model, X, y, condition):
    return len(X)


def data():
    rng = np.random.default_rng(0)
    rows = rng.random((3000, 3072)).astype(np.float32)
    y = np.arange(3000) % 2
    yield "37 MB array, model of 74 MB", rows, KNeighborsClassifier().fit(rows * 2.0, y)
    numbers = rng.integers(0, 9999, (6000, 1000))
    yield "30 MB list of texts", [" ".join(map(str, r)) for r in numbers], None


def main():
    from distributed import Client, LocalCluster

    how = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=N_WORKERS, **how) as cluster, Client(cluster):
        for name, X, model in data():
            y = np.arange(len(X)) % 2
            noise = [GaussianNoise(std=0.01 * i) for i in range(N_TASKS)]
            for backend in ("threading", "loky", "dask"):
                with joblib.parallel_config(backend):
                    run_tasks(touch, [(0, [], y, c) for c in noise[:4]], n_jobs=2)
                    start, cpu = time.perf_counter(), time.process_time()
                    tasks = [(model, X, y, c) for c in noise]
                    run_tasks(touch, tasks, n_jobs=N_WORKERS)
                    wall = time.perf_counter() - start
                    cpu = time.process_time() - cpu
                print(f"{name:28} {backend:10} {wall:6.2f} s {cpu:6.2f} CPU-s here")


if __name__ == "__main__":
    main()
