"""Figures of the guides on losses, and on models, people and pools.

Each case simulates a world of which the truth is known. Written are tables of shares
(coverage), means (widths, labels) and ratios of root mean squared errors, each with its
Monte-Carlo error; expected labels of gates are exact.

    OMP_NUM_THREADS=1 python benchmarks/guide_figures.py --jobs 2 --write doc
"""

import argparse
from pathlib import Path

import numpy as np
from guide_cases import LOSSES, PEOPLE
from joblib import Parallel, delayed
from operational_worlds import write

from skrobust.sampling import AccuracyGate, detect_drift

GATES = [
    (0.95, 0.03, 2000),
    (0.95, 0.03, None),
    (0.90, 0.05, 500),
    (0.99, 0.005, None),
]
DRIFTS = [  # mean before and after, of losses or of mispredictions
    (0.05, 0.15, False),
    (0.05, 0.25, False),
    (0.20, 0.40, False),
    (0.20, 0.25, True),
    (0.20, 0.30, True),
]
RESAMPLES = 400


def share(values):
    """Return a share and its Monte-Carlo error, at least that of one exception."""
    p, n = values.mean(), len(values)
    some = (n * p + 1) / (n + 2)
    return p, np.sqrt(some * (1 - some) / n)


def mean(values):
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


def ratio(pairs):
    """Return the root mean squared errors of one over another, by a bootstrap."""
    square, rng = pairs**2, np.random.default_rng(0)
    again = rng.integers(0, len(pairs), (RESAMPLES, len(pairs)))

    def of(means):
        return np.sqrt(means[..., 0] / means[..., 1])

    return of(square.mean(axis=0)), of(square[again].mean(axis=1)).std(ddof=1)


SUMMARIES = {"share": share, "mean": mean, "ratio": ratio}


def rows_of(case, n_repeats):
    """Return the lines of the table that a case gives."""
    one, n = case["one"], round(case.get("times", 1) * n_repeats)
    found = [one(seed, **case.get("settings", {})) for seed in range(n)]
    rows = []
    for figure, (kind, values) in _columns(found).items():
        value, error = SUMMARIES[kind](np.array(values, dtype=np.float64))
        cells = {"world": case["world"], "figure": figure, "value": f"{value:.3f}"}
        rows.append({**cells, "error": f"{error:.3f}", "runs": n})
    return rows


def _columns(found):
    columns = {}
    for one in found:
        for figure, (kind, value) in one.items():
            columns.setdefault(figure, (kind, []))[1].append(value)
    return columns


def gate_row(threshold, margin, n_pool):
    """Return the exact expected labels of a gate."""
    gate = AccuracyGate(threshold, margin=margin, n_pool=n_pool)
    row = {"threshold": threshold, "margin": margin, "pool": n_pool or "independent"}
    places = {
        "at the threshold": threshold,
        "in between": threshold + margin / 2,
        "at threshold + margin": threshold + margin,
    }
    for name, accuracy in places.items():
        found = gate.expected_labels(accuracy)
        row[name] = round(found.expected)
    return {**row, "fixed size": found.fixed_size}


def drift_row(before, after, of_losses, n_repeats):
    """Return labels from a change to the alarm, and the share of changes found."""
    kind = "losses" if of_losses else "mispredictions"
    row = {"kind": kind, "before": before, "after": after}
    shared = {"loss_range": (0, 1)} if of_losses else {}
    modes = {
        "baseline": {"baseline": before if of_losses else 1 - before},
        "parts of 100": {"parts": np.arange(900) // 100},
        "neither": {},
    }
    for name, options in modes.items():
        delays, false, n = [], 0, n_repeats // 2
        for seed in range(n):
            rng = np.random.default_rng([8, seed])
            mean = np.repeat([before, after], [300, 600])
            x = (
                rng.beta(4 * mean, 4 * (1 - mean))
                if of_losses
                else rng.random(900) < mean
            )
            at = detect_drift(x, **options, **shared).alarm_at
            false += at is not None and at <= 300
            if at is not None and at > 300:
                delays.append(at - 300)
        row[name] = ""
        if delays:
            error = np.std(delays) / np.sqrt(len(delays))
            row[name] = f"{np.mean(delays):.0f} ± {error:.0f}"
        row[f"{name}, found"] = f"{len(delays) / (n - false):.2f}"
        row[f"{name}, false"] = f"{false / n:.3f}"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    tables = ["losses", "people", "gates", "drift"]
    parser.add_argument("--only", nargs="+", choices=tables, default=tables)
    parser.add_argument("--write", type=Path, help="folder for the tables")
    arguments = parser.parse_args()
    n, pool = arguments.repeats, Parallel(n_jobs=arguments.jobs, verbose=5)
    for name in arguments.only:
        if name in ("losses", "people"):
            cases = {"losses": LOSSES, "people": PEOPLE}[name]
            parts = pool(delayed(rows_of)(case, n) for case in cases)
            rows = [row for part in parts for row in part]
        elif name == "gates":
            rows = pool(delayed(gate_row)(*gate) for gate in GATES)
        else:
            rows = pool(delayed(drift_row)(*rates, n) for rates in DRIFTS)
        for row in rows:
            print("  ".join(str(value) for value in row.values()))
        if arguments.write:
            file = "models_people_pools" if name == "people" else name
            write(rows, arguments.write / f"{file}.csv")


if __name__ == "__main__":
    main()
