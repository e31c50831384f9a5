"""Sides that take turns: medians of CPU seconds, and their ratios, in one table.

A benchmark is a generator of :class:`Case`. The first side of a case is ours; a ratio
is the time of another side over ours, so that above 1 we are faster.
"""

import csv
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

COLUMNS = (
    "area", "what", "unit", "skrobust per CPU-second", "other", "its rate", "ratio",
    "remark",
)  # fmt: skip


@dataclass
class Case:
    """Functions that do the same work.

    Parameters
    ----------
    area, what : str
        Where it belongs, and what is measured.
    unit : str
        What is counted, such as "rows".
    count : int
        How many of them one call works on.
    sides : dict of str to callable
        Ours first.
    remarks : dict of str to str
        What a side does otherwise.
    clock : callable, default=time.process_time
        What times a call.
    most : int, default=5
        Most repeats, for what takes minutes.
    """

    area: str
    what: str
    unit: str
    count: int
    sides: dict
    remarks: dict = field(default_factory=dict)
    clock: Callable = time.process_time
    most: int = 5


def timed(sides, repeats, clock):
    """Return the times of each side; sides that fail at first are left out."""
    working = {}
    for name, side in sides.items():  # the first time warms up
        try:
            side()
            working[name] = side
        except Exception as error:
            if not working:  # ours
                raise
            print(f"left out: {name} ({type(error).__name__}: {error})")
    times = {name: [] for name in working}
    for _ in range(repeats):
        for name, side in working.items():
            start = clock()
            side()
            times[name].append(clock() - start)
    return times


def rows_of(case, repeats):
    """Measure a case and return one row for each other side."""
    times = timed(case.sides, min(repeats, case.most), case.clock)
    (_, ours), *others = times.items()
    rate = case.count / max(statistics.median(ours), 1e-9)
    row = [case.area, case.what, case.unit, f"{rate:.4g}"]
    if not others:
        return [[*row, "", "", "", ""]]
    rows = []
    for name, theirs in others:
        ratios = [b / max(a, 1e-9) for a, b in zip(ours, theirs, strict=True)]
        its = f"{case.count / max(statistics.median(theirs), 1e-9):.4g}"
        ratio = f"{statistics.median(ratios):.2f}"
        rows.append([*row, name, its, ratio, case.remarks.get(name, "")])
    return rows


def available(builders, *args):
    """Return what each of several functions returns; a missing package is left out."""
    found = {}
    for build in builders:
        try:
            found |= build(*args)
        except ImportError as error:
            print(f"left out: {build.__name__} ({error})")
    return found


def machine(packages):
    """Return a line that says on what a table was measured."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1] for line in lines if line.startswith("model n")]
        model = names[0].strip() if names else model
    found = []
    for package in packages:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    python = platform.python_version()
    return f"{model}, {os.cpu_count()} cores, Python {python}; " + ", ".join(found)


def print_table(rows, columns=COLUMNS):
    """Print rows as Markdown."""
    print("\n| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


def write_table(rows, file, columns=COLUMNS):
    """Write rows as CSV."""
    with open(file, "w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([columns, *rows])
