"""Memory of pools of ten million inputs: arrays, mapped files and parquet files.

Each way runs in a process of its own. Columns: resident memory that belongs to the
process after fit and 1,000 draws ("own"; pages of a mapped file do not count, as the
system may drop them), the peak of all resident memory, and CPU seconds.

    OMP_NUM_THREADS=1 python benchmarks/pool_memory.py FOLDER --write doc

FOLDER gets about 1 GB of files. It reads /proc, so that it needs Linux.
"""

import argparse
import csv
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from skrobust.sampling import OperationalSampler, StratifiedSampler, read_pool

N, PIECES, OTHERS = 10_000_000, 10, 10
SAMPLERS = {"Operational": OperationalSampler, "Stratified": StratifiedSampler}
WAYS = ("array", "mapped", "read_pool", "pandas")


def make(folder):
    """Write scores as an array, and in parquet files beside ten other columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 3, N)
    np.save(folder / "scores.npy", scores)
    (folder / "pieces").mkdir(exist_ok=True)
    for k, part in enumerate(np.split(scores, PIECES)):
        columns = {f"x{j}": rng.random(len(part)) for j in range(OTHERS)}
        file = folder / "pieces" / f"{k}.parquet"
        pq.write_table(pa.table({"doubt": part, **columns}), file)


def load(folder, way):
    if way == "read_pool":
        return read_pool(folder / "pieces", scores="doubt")["X"]
    if way == "pandas":
        import pandas

        return pandas.read_parquet(folder / "pieces")["doubt"].to_numpy()
    return np.load(folder / "scores.npy", mmap_mode="r" if way == "mapped" else None)


def one(folder, way, name):
    """Print what a session takes."""
    start = time.process_time()
    sampler = SAMPLERS[name](random_state=0).fit(load(folder, way))
    sampler.ask(1000)
    seconds = time.process_time() - start
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    facts = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    own = int(facts["RssAnon"].split()[0]) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{own:.2f},{peak:.2f},{seconds:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, help="folder for pool_memory.csv")
    arguments = parser.parse_args()
    if arguments.one:
        one(arguments.folder, *arguments.one)
        return
    if not (arguments.folder / "pieces").is_dir():
        make(arguments.folder)
    rows = [("pool", "sampler", "own, GB", "peak, GB", "CPU seconds")]
    for name in SAMPLERS:
        for way in WAYS:
            command = [sys.executable, __file__, arguments.folder, "--one", way, name]
            out = subprocess.run(command, check=True, capture_output=True, text=True)
            rows.append((way, name, *out.stdout.strip().split(",")))
            print(*rows[-1], flush=True)
    if arguments.write:
        file = (arguments.write / "pool_memory.csv").open(
            "w", newline="", encoding="utf-8"
        )
        with file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
