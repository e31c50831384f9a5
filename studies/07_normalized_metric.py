"""Does the normalized metric stabilise earlier, and predict large samples better?"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import mean_interval, rank_intervals, word
from joblib import Parallel, delayed
from kit import main, shown
from learning_curves import curve
from tables import classification, regression

from skrobust.metrics import sample_size_deviation, stable_sample_size

SIZES, MOST = (20, 30, 45, 70, 100, 150, 220, 330, 500), 2500
TASKS = ("classification", "clustering", "regression")
MEASURES = ("stable from", "MAD", "relative MAD")
NAMES = (
    "stable from a smaller size",
    "smaller mean absolute deviation",
    "smaller relative to its mean",
)


def sources(study):
    """Yield task, name, rows and labels."""
    for name, X, y in classification(study.packages):
        keep = np.random.default_rng(1).permutation(len(X))[:MOST]
        yield "classification", name, X.iloc[keep], np.asarray(y)[keep]
        yield "clustering", name, X.iloc[keep], np.asarray(y)[keep]
    for name, X, y in regression(study.packages):
        keep = np.random.default_rng(1).permutation(len(X))[:MOST]
        yield "regression", name, X.iloc[keep], np.asarray(y)[keep]


def table_row(task, name, scores):
    """Return deviation and stable size of raw and normalized scores of a table."""
    row = {"task": task, "table": name}
    known = np.isfinite(scores["raw"]).all(axis=1)
    sizes = np.array(SIZES)[: len(known)][known]
    for kind in ("raw", "normalized"):
        values = scores[kind][known]
        row[f"MAD, {kind}"] = sample_size_deviation(values)
        row[f"relative MAD, {kind}"] = np.nan
        if values.mean() > 0.01:
            row[f"relative MAD, {kind}"] = sample_size_deviation(values, relative=True)
        row[f"stable from, {kind}"] = stable_sample_size(
            sizes, values, tolerance=0.05, relative=True
        )
    return row


def share_smaller(rows, measure):
    """Return the share of cases in which normalized is smaller, and its interval.

    Ties count half; tables are drawn, with all their cases.
    """
    first, second = (
        np.array([r[f"{measure}, {kind}"] for r in rows])
        for kind in ("normalized", "raw")
    )
    wins = np.where(first == second, 0.5, first < second)
    wins[np.isnan(first + second)] = np.nan
    return mean_interval(wins, [r["table"] for r in rows])


def error_of_a_line(values, target):
    """Return the mean error of lines fitted to all other tables.

    A constant factor or an offset of the score costs nothing.
    """
    errors = []
    for i in range(len(target)):
        others = np.arange(len(target)) != i
        for value in values.T:
            slope, start = np.polyfit(value[others], target[others], 1)
            errors.append(abs(start + slope * value[i] - target[i]))
    return float(np.mean(errors))


def prediction(task, runs, size):
    """Return how well scores of one data set of a size tell the raw score of many."""
    at = SIZES.index(size)
    known = [
        (scores, target)
        for scores, target in runs
        if len(scores["raw"]) > at and np.isfinite(scores["raw"][at]).all()
    ]
    if len(known) < 4:
        return []
    target = np.array([target for _, target in known])
    kinds = {
        kind: np.array([scores[kind][at] for scores, _ in known])
        for kind in known[0][0]
    }
    found = rank_intervals(kinds, target, "raw")
    return [
        {
            "task": task,
            "rows": size,
            "tables": len(known),
            "score": kind,
            "rank correlation": value,
            "95 %": limits,
            "minus raw": difference,
            "error of a line": error_of_a_line(kinds[kind], target),
        }
        for kind, (value, limits, difference) in found.items()
    ]


def run(study):
    n_repeats = study.size(25, 3)
    cases = list(sources(study))
    sizes = [[n for n in SIZES if n <= len(y) // 2] for *_, y in cases]
    found = Parallel(n_jobs=study.jobs)(
        delayed(study.kept)(curve, task, X, y, s, n_repeats)
        for (task, _, X, y), s in zip(cases, sizes, strict=True)
    )
    runs = {
        (task, name): run for (task, name, *_), run in zip(cases, found, strict=True)
    }
    rows = [table_row(task, name, run[0]) for (task, name), run in runs.items()]
    shares = []
    for task in (*TASKS, "all"):
        own = [r for r in rows if task in (r["task"], "all")]
        row = {"task": task, "cases": len(own)}
        for measure in MEASURES:
            share, limits = share_smaller(own, measure)
            row |= {f"{measure} smaller": share, f"95 %, {measure}": limits}
        shares.append(row)
    predicted = []
    for task in TASKS:
        of = [run for (kind, _), run in runs.items() if kind == task]
        for size in (30, 100):
            predicted += prediction(task, of, size)
    parts = []
    for measure, name in zip(MEASURES, NAMES, strict=True):
        limits = shares[-1][f"95 %, {measure}"]
        says = word(limits, 0.5, above="yes", below="no", open_="not shown")
        share = shares[-1][f"{measure} smaller"]
        parts.append(f"{name} {share:.2f} {shown(limits)} ({says})")
    tasks = ", ".join(
        f"{r['relative MAD smaller']:.2f} in {r['task']}" for r in shares[:-1]
    )
    study.answer(
        f"Is the normalized score the steadier one? Share of {shares[-1]['cases']} "
        f"cases, with 95 % and ties half: {'; '.join(parts)}; the last is {tasks}."
    )
    for task in TASKS:
        for size in (30, 100):
            own = [r for r in predicted if (r["task"], r["rows"]) == (task, size)]
            if not own:
                continue
            text = ", ".join(f"{r['score']} {r['rank correlation']:.2f}" for r in own)
            ahead = word(
                next(r["minus raw"] for r in own if r["score"] == "normalized"),
                above="normalized tells more than raw",
                below="normalized tells less than raw",
                open_="normalized and raw are not told apart",
            )
            study.answer(
                f"One data set of {size} rows, {task}: rank correlation over "
                f"{own[0]['tables']} tables with the raw score on large samples: "
                f"{text}; {ahead}."
            )
    study.table("shares", shares, "Share of cases in which normalized is smaller")
    study.table("prediction", predicted, "What a small sample tells of a large one")
    study.table("tables", rows, "All tables")
    figure, ax = plt.subplots(figsize=(4.5, 4.3))
    for task in TASKS:
        own = [r for r in rows if r["task"] == task]
        pair = [[r[f"relative MAD, {k}"] for r in own] for k in ("raw", "normalized")]
        ax.plot(*pair, "o", label=task, alpha=0.7)
    ax.axline((0.1, 0.1), slope=1, color="0.6", lw=1)
    ax.set(xlabel="relative MAD, raw", ylabel="relative MAD, normalized")
    ax.set(xscale="log", yscale="log")
    ax.legend()
    study.picture("mad", figure, "Relative deviation over sizes, one point a table")


if __name__ == "__main__":
    main(run, __file__)
