"""Coverage of confidence intervals: how often they hold the truth, and their width.

Each cell draws data with a known truth, takes the 95 % interval and counts. A cell
below 93 % is marked as low, or as warned where the interval came with a warning in at
least half of the repeats.

python benchmarks/coverage.py                 # all families, 1,000 repeats a cell
python benchmarks/coverage.py clusters --repeats 200
python benchmarks/coverage.py --jobs 2 --write doc/coverage.csv
"""

import argparse
import csv
import time
import warnings
from pathlib import Path
from zlib import crc32

import numpy as np
from coverage_cases import FAMILIES
from joblib import Parallel, delayed

LOWEST = 0.93  # of 95 % intervals; below it a cell is marked
COLUMNS = (
    *("family", "interval", "units", "clusters", "share", "correlation", "data"),
    *("coverage", "width", "warned"),
)


def one_cell(draw, cell, repeats):
    """Return coverage, median width and share of warnings of each interval."""
    name = f"{draw.__module__}.{draw.__name__}", *sorted(cell.items())
    rng = np.random.default_rng(crc32(repr(name).encode()))
    found = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(repeats):
            caught.clear()
            for interval, (inside, width, said) in draw(rng, **cell).items():
                rest = found.setdefault(interval, [])
                rest.append((inside, width, said or bool(caught)))
    return {name: _summary(np.array(rows).T) for name, rows in found.items()}


def _summary(rows):
    inside, width, said = rows
    known = width[~np.isnan(width)]
    middle = np.median(known) if known.size else np.nan
    return inside.mean(), middle, said.mean()


def table_rows(family, cell, found):
    """Return the rows of a cell, one for each of its intervals."""
    cell = dict(cell)
    if not cell.get("clusters"):
        cell.pop("clusters", None)
    known = [cell.pop(name, "") for name in ("n", "clusters", "share", "correlation")]
    data = [cell.pop("data", "")] + [f"{name} {cell[name]}" for name in cell]
    about = *known, ", ".join(filter(None, data))
    return [
        (family, interval, *about, *_cells(*numbers))
        for interval, numbers in found.items()
    ]


def _cells(coverage, width, warned):
    text = f"{coverage:.3f}"
    if coverage < LOWEST:
        text = f"*{text} warned*" if warned >= 0.5 else f"**{text} low**"
    return text, "" if np.isnan(width) else f"{width:.3f}", f"{100 * warned:.0f} %"


def write_rows(path, family, rows):
    """Replace the rows of a family in a file, in the order of the families."""
    others = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            others = [row for row in list(csv.reader(file))[1:] if row[0] != family]
    order = list(FAMILIES)
    rows = sorted([*others, *rows], key=lambda row: order.index(row[0]))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


def main():
    """Print the table of each family, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("families", nargs="*", metavar=f"{{{','.join(FAMILIES)}}}")
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="CSV")
    arguments = parser.parse_args()
    for family in arguments.families or FAMILIES:
        start = time.perf_counter()
        cells = [(draw, cell) for draw, some in FAMILIES[family] for cell in some]
        found = Parallel(arguments.jobs, return_as="generator")(
            delayed(one_cell)(*one, arguments.repeats) for one in cells
        )
        print(f"\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
        rows = []
        for (_, cell), of_cell in zip(cells, found, strict=True):
            for row in table_rows(family, cell, of_cell):
                print(f"| {' | '.join(map(str, row))} |", flush=True)
                rows.append(row)
        print(f"{time.perf_counter() - start:.0f} s")
        if arguments.write:
            write_rows(arguments.write, family, rows)


if __name__ == "__main__":
    main()
