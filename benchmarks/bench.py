"""All benchmarks against other libraries: one table, with versions and CPU.

CPU seconds of one thread, sides in turn in one process, medians and medians of paired
ratios: above 1, skrobust is faster. What is not installed is left out.

    make bench                                   # peers in an environment of their own
    python benchmarks/bench.py attacks --write doc/benchmarks
    python benchmarks/bench.py --short           # tiny sizes: only that it runs
"""

import argparse
import importlib
import os
import sys
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

AREAS = {
    "attacks": ("bench_pgd", "bench_minimal", "bench_black_box"),
    "certificates": ("bench_trees",),
    "perturbations": ("bench_perturbations",),
    "surprise": ("bench_surprise",),
    "sampling": ("bench_samplers",),
    "overhead": ("bench_overhead",),
    "growth": ("growth",),
}
PACKAGES = (
    "skrobust", "numpy", "scipy", "scikit-learn", "torch", "numba", "torchattacks",
    "foolbox", "adversarial-robustness-toolbox", "adv-lib", "pyautoattack",
    "dtai-veritas", "dnn-tip", "albumentations", "kornia", "opencv-python-headless",
    "imagecorruptions-imaug",
)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("areas", nargs="*", metavar="AREA", help=", ".join(AREAS))
    parser.add_argument("--short", action="store_true", help="tiny sizes, one repeat")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", metavar="STEM", help="STEM-AREA.csv and STEM.inc")
    args = parser.parse_args()
    unknown = set(args.areas) - set(AREAS)
    if unknown:
        parser.error(f"there is no area {sorted(unknown)[0]!r}: {', '.join(AREAS)}")
    warnings.simplefilter("ignore")
    # numba looks for a package that has the name of a file in this folder.
    folder = sys.path.pop(0)
    importlib.import_module("skrobust._compiled.compiled")._numba()
    sys.path.insert(0, folder)
    from paired import COLUMNS, machine, print_table, rows_of, write_table

    line = machine(PACKAGES)
    print(line)
    for area in args.areas or AREAS:
        rows, columns = [], COLUMNS
        for name in AREAS[area]:
            module = importlib.import_module(name)
            if hasattr(module, "table"):
                rows, columns = module.table(args.short), module.COLUMNS
                continue
            for case in module.cases(args.short):
                rows += rows_of(case, 1 if args.short else args.repeats)
        print_table(rows, columns)
        if args.write:
            write_table(rows, f"{args.write}-{area}.csv", columns)
    if args.write:
        with open(f"{args.write}.inc", "w", encoding="utf-8") as out:
            out.write(f"Measured on {line}.\n")


if __name__ == "__main__":
    main()
