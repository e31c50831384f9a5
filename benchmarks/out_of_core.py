"""Memory and speed of rows in batches, and of metrics over batches.

Pictures of 224 pixels, drawn at random, in a mapped file and in tar files of JPEG, are
evaluated under five conditions with a model of next to no cost, for several numbers of
pictures; a run is killed in the middle and goes on. Metrics are gathered over batches
of a million rows. Each measurement is a process of its own.

    OMP_NUM_THREADS=1 python benchmarks/out_of_core.py FOLDER --write doc

FOLDER gets about 2 GB of files. Columns: peak of resident memory above that of the
process before it reads rows, from /proc (so that it needs Linux), where pages of a
mapped file count; pictures times conditions a second of CPU time of one process.
``--grid`` measures each of the 69 conditions of the published grid on 32 pictures, and
a ResNet-50 on 8, from which the hours of the whole grid on 50,000 are *estimated*.

    OMP_NUM_THREADS=1 python benchmarks/out_of_core.py FOLDER --whole 50000 --write doc

runs that grid with the model of next to no cost: 7.5 GB of pictures, and about an hour;
it is killed after ``--kill-after`` seconds, twice, and goes on.
"""

import argparse
import csv
import io
import json
import re
import signal
import subprocess
import sys
import tarfile
import time
import warnings
from pathlib import Path

import numpy as np

SIDE, CLASSES, PER_SHARD = 224, 10, 500
SIZES, LARGEST = (2000, 6000), 6000
METRICS = (
    "accuracy",
    "accuracy, weights",
    "accuracy_stability_index",
    "robust_ratio",
    "mean_corruption_error",
    "normalized_accuracy",
    "normalized_r2",
    "gini_stability",
)
ROWS = 1_000_000  # of a batch
MOST_SECONDS = 4  # of 10^7 rows, beyond which 10^8 are left out


def pictures(start, n):
    """Return smooth pictures of some classes, told by their mean colour."""
    rng = np.random.default_rng(start)
    y = np.arange(start, start + n) % CLASSES
    coarse = rng.integers(0, 120, (n, 7, 7, 3), dtype=np.uint8)
    coarse += (12 * y[:, None, None, None]).astype(np.uint8)
    return coarse.repeat(32, axis=1).repeat(32, axis=2), y


class MeanColour:
    """Classifier by the mean of a picture, one value in 16 of each side."""

    classes_ = np.arange(CLASSES)
    _estimator_type = "classifier"

    def predict(self, X):
        """Return the class whose mean is nearest."""
        mean = X[:, 8::16, 8::16].reshape(len(X), -1).mean(axis=1, dtype=np.float64)
        return np.rint((mean - 59.5) / 12).clip(0, CLASSES - 1).astype(int)

    def fit(self, X, y):
        """Do nothing."""
        return self

    def get_params(self, deep=True):
        """Return no parameters."""
        return {}

    def __sklearn_tags__(self):
        from sklearn.base import BaseEstimator, ClassifierMixin

        return type("Kind", (ClassifierMixin, BaseEstimator), {})().__sklearn_tags__()


def conditions():
    """Return five conditions of several kinds."""
    from skrobust import perturbations as p

    shared = {"image_shape": (SIDE, SIDE, 3), "data_range": (0, 255)}
    shared["random_state"] = 0
    kinds = p.GaussianNoise, p.Contrast, p.Pixelate, p.GaussianBlur, p.JPEGCompression
    return [kind(severity=3, **shared) for kind in kinds]


def make_mapped(folder, n):
    """Write pictures and labels as mapped files, and yield slices of what there is."""
    folder.mkdir(parents=True, exist_ok=True)
    shape = (n, SIDE, SIDE, 3)
    rows = np.lib.format.open_memmap(folder / "rows.npy", "w+", np.uint8, shape)
    labels = np.zeros(n, dtype=int)
    for start in range(0, n, PER_SHARD):
        part = slice(start, start + PER_SHARD)
        rows[part], labels[part] = pictures(start, len(rows[part]))
        yield start, rows[part], labels[part]
    rows.flush()
    np.save(folder / "labels.npy", labels)


def make(folder):
    """Write the pictures as a mapped file and as tar files."""
    from PIL import Image

    (folder / "shards").mkdir(parents=True, exist_ok=True)
    for start, rows, labels in make_mapped(folder, LARGEST):
        file = folder / "shards" / f"{start // PER_SHARD:04d}.tar"
        with tarfile.open(file, "w") as tar:
            for i, (row, label) in enumerate(zip(rows, labels, strict=True), start):
                picture = io.BytesIO()
                Image.fromarray(row).save(picture, "JPEG", quality=95)
                members = {"jpg": picture.getvalue(), "cls": str(label).encode()}
                for ending, content in members.items():
                    member = tarfile.TarInfo(f"{i:06d}.{ending}")
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))


def source(folder, way, n):
    """Return rows and labels."""
    from skrobust.datasets import BatchedRows

    if way == "tar files":
        files = sorted(folder.glob("shards/*.tar"))[: n // PER_SHARD]
        return BatchedRows.from_shards(files), None
    y = np.load(folder / "labels.npy")[:n]
    if way == "in memory":
        return np.array(np.load(folder / "rows.npy", mmap_mode="r")[:n]), y
    offset = _offset(folder / "rows.npy")
    shape = (n, SIDE, SIDE, 3)
    return np.memmap(folder / "rows.npy", np.uint8, "r", offset, shape), y


def _offset(path):
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        getattr(np.lib.format, f"read_array_header_{version[0]}_0")(file)
        return file.tell()


def peak(*, anew=False):
    """Return the peak of resident memory in GB; ``anew`` sets it to what it is now."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1e6


def evaluate(folder, way, n, checkpoint=None, listed=None):
    """Print peak, seconds and scores of an evaluation."""
    from skrobust.evaluation import evaluate_perturbations

    warnings.simplefilter("ignore")
    listed = conditions() if listed is None else listed
    small = pictures(0, 4)
    evaluate_perturbations(MeanColour(), *small, listed)  # imports what it needs
    before, begun, start = peak(anew=True), time.perf_counter(), time.process_time()
    parts = source(folder, way, n)
    found = evaluate_perturbations(
        MeanColour(), *parts, listed, checkpoint=checkpoint, batch_size=None
    )
    facts = {"peak": peak() - before, "seconds": time.process_time() - start}
    facts |= {"n": found.n_samples, "wall": time.perf_counter() - begun}
    print(json.dumps(facts | {"score": found.score.tolist()}))


def metric_batches(name, n):
    """Yield the data and the options of batches of random rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    hit = rng.random((ROWS, 4)) < [0.9, 0.8, 0.7, 0.6]
    score, week = rng.random(ROWS) + 0.3 * y, rng.integers(0, 52, ROWS)
    p = rng.random((ROWS, 1))
    p, q = np.hstack([p, 1 - p]), np.hstack([p, 1 - p])[::-1]
    data = {
        "accuracy": ((y, hit[:, 0]), {}),
        "accuracy, weights": ((y, hit[:, 0]), {"sample_weight": score}),
        "accuracy_stability_index": ((hit,), {}),
        "robust_ratio": ((p, q), {}),
        "mean_corruption_error": ((hit,), {}),
        "normalized_accuracy": ((y, hit[:, 0].astype(int)), {}),
        "normalized_r2": ((score, score + p[:, 0]), {}),
        "gini_stability": ((y, score, week), {}),
    }[name]
    for _ in range(n // ROWS):
        yield data


def measure_metric(name, n):
    """Print peak and seconds of a metric over batches, and of its interval."""
    from skrobust.metrics import StreamingMetric

    warnings.simplefilter("ignore")
    options = {"robust_ratio": {"tolerance": 0.1}, "normalized_r2": {"n_features": 9}}
    options["normalized_accuracy"] = {"n_features": 9}
    kind = name.partition(",")[0]
    metric = StreamingMetric(kind, **options.get(kind, {}))
    batches = list(metric_batches(name, ROWS))
    data, more = batches[0]
    few = [array[:1000] for array in data], {k: v[:1000] for k, v in more.items()}
    StreamingMetric(kind, **options.get(kind, {})).partial_update(*few[0], **few[1])
    before, seconds = peak(anew=True), 0.0
    for _ in range(n // ROWS):
        start = time.process_time()
        metric.partial_update(*data, **more)
        seconds += time.process_time() - start
    facts = {"peak": peak() - before, "seconds": seconds, "value": metric.compute()}
    start = time.process_time()
    metric.interval(random_state=0)
    facts["interval"] = time.process_time() - start
    print(json.dumps(facts | {"bound": metric.error_bound}))


def published_grid():
    """Return the 69 conditions of the accuracy-stability index."""
    from skrobust.perturbations import two_factor_grid

    shape = {"image_shape": (SIDE, SIDE, 3), "data_range": (0, 255)}
    return two_factor_grid("asi68", **shape, random_state=0)


def grid(n):
    """Print the seconds of each condition of the published grid."""
    warnings.simplefilter("ignore")
    X, y = pictures(0, n)
    seconds = []
    for condition in published_grid():
        condition.perturb(None, X[:2], y[:2])
        start = time.process_time()
        condition.perturb(None, X, y)
        seconds.append((time.process_time() - start) / n)
    facts = {"conditions": len(seconds), "seconds": sum(seconds)}
    print(json.dumps(facts | {"net": _net_seconds(X[:8])}))


def _net_seconds(X):
    """Return the seconds that a ResNet-50 takes for a picture, on one core."""
    import torch

    from skrobust.nets import resnet50

    torch.set_num_threads(1)
    net, x = resnet50(1000).eval(), torch.tensor(X / np.float32(255)).movedim(-1, 1)
    with torch.inference_mode():
        net(x[:2])
        start = time.process_time()
        net(x)
        return (time.process_time() - start) / len(X)


def estimate(facts, n=50_000):
    """Return a sentence about the whole grid on 50,000 pictures."""
    k = facts["conditions"]
    hours = [n * s / 3600 for s in (facts["seconds"], (k + 1) * facts["net"])]
    return (
        f"The {k} conditions of the published grid take {facts['seconds']:.3f} s of "
        f"CPU time for a picture, and a ResNet-50 {facts['net']:.2f} s for each. "
        f"Extrapolated, not measured: {hours[0]:.1f} hours of one core for the "
        f"perturbations of {n:,} pictures, and {hours[1]:.0f} hours for the net, which "
        "a GPU shortens; decoding comes once.\n"
    )


def child(*arguments, kill_after=None):
    """Return what a process of this script prints, or None where it is killed."""
    command = [sys.executable, __file__, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        out, _ = process.communicate(timeout=kill_after)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return None
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return json.loads(out)


def n_parts(store):
    """Return the number of finished parts in a folder."""
    return sum(1 for _ in store.glob("*.part"))


def picture_table(folder):
    """Yield rows about pictures."""
    scores = {}
    for way in ("in memory", "mapped file", "tar files"):
        # All rows in memory take several times their size in floats.
        for n in SIZES if way != "in memory" else SIZES[:1]:
            facts = child(folder, "--one", way, n)
            rate = f"{facts['n'] * len(conditions()) / facts['seconds']:.0f}"
            yield [way, n, f"{facts['peak']:.2f}", rate]
            if way != "tar files":  # whose pictures are those of JPEG
                scores.setdefault(n, []).append(facts["score"])
                assert scores[n][0] == scores[n][-1], "the scores differ"
    store = folder / "store"
    whole = child(folder, "--one", "mapped file", LARGEST)
    half = whole["wall"] * 0.5 + 3  # the imports take some
    arguments = folder, "--one", "mapped file", LARGEST, "--checkpoint", store
    assert child(*arguments, kill_after=half) is None, "it was too fast to be killed"
    kept = n_parts(store)
    facts = child(*arguments)
    assert facts["score"] == whole["score"], "a resumed run differs"
    share = facts["seconds"] / whole["seconds"]
    way = f"mapped file, killed after {half:.0f} s with {kept} parts, and resumed"
    yield [
        way,
        LARGEST,
        f"{facts['peak']:.2f}",
        f"{share:.0%} of the CPU time of a whole run",
    ]


def whole_grid(folder, n, kill_after):
    """Return a sentence about the published grid on n pictures, killed twice."""
    folder = folder / f"whole-{n}"
    if not (folder / "labels.npy").exists():
        for _ in make_mapped(folder, n):
            pass
    store = folder / "store"
    arguments = folder, "--one", "mapped file", n, "--checkpoint", store, "--published"
    wall, kept = 0.0, []
    for _ in range(2):
        assert child(*arguments, kill_after=kill_after) is None, "too fast to be killed"
        wall += kill_after
        kept.append(n_parts(store))
        print(f"killed with {kept[-1]} parts", flush=True)
    facts = child(*arguments)
    wall += facts["wall"]
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    k = len(facts["score"])
    killed = " and ".join(f"{parts:,}" for parts in kept)
    return (
        f"Measured: the {k} conditions of the published grid on {facts['n']:,} "
        "pictures of 224 pixels in a mapped file, with the model of next to no cost, "
        f"in one process that was killed twice, with {killed} parts: "
        f"{wall / 60:.0f} minutes in all, {facts['n'] * k / wall:.0f} pictures x "
        f"conditions a second of the clock, peak {facts['peak']:.2f} GB.\n"
    )


def metric_table(largest):
    """Yield rows about metrics."""
    for name in METRICS:
        sizes, found = [], []
        for n in (10**6, 10**7, 10**8):
            if n <= largest and (n < 10**8 or found[-1]["seconds"] < MOST_SECONDS):
                sizes.append(n)
                found.append(child("-", "--metric", name, n))
        cost = [
            f"{1e9 * f['seconds'] / n:.0f}" for f, n in zip(found, sizes, strict=True)
        ]
        peaks = [f"{f['peak']:.2f}" for f in found]
        last = found[-1]
        slope = np.log(last["seconds"] / found[0]["seconds"]) / np.log(
            sizes[-1] / sizes[0]
        )
        bound = f"{last['bound']:.1g}" if last["bound"] else "0"
        cells = " / ".join(cost), " / ".join(peaks), f"{slope:.2f}"
        yield [name, *cells, f"{last['interval']:.2f}", bound]


def show(titles, rows, path):
    """Print a table of Markdown line by line, and write it as csv."""
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles), flush=True)
    kept = [titles]
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        kept.append(row)
    if path is not None:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(kept)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--checkpoint")
    parser.add_argument("--metric", nargs=2)
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--whole", type=int, metavar="PICTURES")
    parser.add_argument("--kill-after", type=float, default=900, metavar="SECONDS")
    parser.add_argument("--largest", type=int, default=10**7)
    parser.add_argument("--only", choices=("pictures", "metrics"))
    options = parser.parse_args()
    folder, out = Path(options.folder), options.write
    if options.one:
        way, n = options.one[0], int(options.one[1])
        listed = published_grid() if options.published else None
        return evaluate(folder, way, n, options.checkpoint, listed)
    if options.metric:
        return measure_metric(options.metric[0], int(options.metric[1]))
    if options.grid:
        return grid(32)
    if options.whole:
        sentence = whole_grid(folder, options.whole, options.kill_after)
        print(sentence)
        if out is not None:
            (out / "out_of_core_whole.inc").write_text(sentence, encoding="utf-8")
        return None
    if options.only != "metrics":
        if not (folder / "labels.npy").exists():
            make(folder)
        titles = ["rows", "pictures", "peak, GB", "pictures x conditions a CPU second"]
        show(titles, picture_table(folder), out and out / "out_of_core.csv")
        facts = child(folder, "--grid")
        print(estimate(facts))
        if out is not None:
            (out / "out_of_core.inc").write_text(estimate(facts), encoding="utf-8")
    if options.only != "pictures":
        titles = ["metric", "ns a row at 10^6, 10^7, 10^8 rows", "peak, GB"]
        titles += ["exponent", "interval, s", "bound of the error"]
        path = out and out / "streaming_metrics.csv"
        show(titles, metric_table(options.largest), path)
    return None


if __name__ == "__main__":
    main()
