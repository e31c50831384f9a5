"""Does the normalized metric stabilise earlier, and predict large samples better?"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import mean_interval, rank_intervals, word
from joblib import Parallel, delayed
from kit import main, shown
from learning_curves import curve
from tables import classification, drawn_together, regression

from skrobust.metrics import sample_size_deviation, stable_sample_size

SIZES, MOST = (20, 30, 45, 70, 100, 150, 220, 330, 500), 2500
TOLD_AT = (30, 100)
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
    """Return deviation and stable size of raw and normalized scores of a table.

    At 1: the share of normalized scores at the upper end of the clamp, of all sizes.
    """
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
    row["at 1"] = np.mean(scores["normalized"][known] >= 1)
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
    return mean_interval(wins, drawn_together([r["table"] for r in rows]))


def share_row(name, rows):
    """Return the share of each measure over the cases of one task."""
    row = {"task": name, "cases": len(rows)}
    for measure in MEASURES:
        share, limits = share_smaller(rows, measure)
        row |= {f"{measure} smaller": share, f"95 %, {measure}": limits}
    return row


def verdict(row, measure):
    """Return whether a share is above a half."""
    limits = row[f"95 %, {measure}"]
    return word(limits, 0.5, above="yes", below="no", open_="not shown")


def share_text(row):
    """Return the shares of a task, and whether they are above a half."""
    parts = []
    for measure, name in zip(MEASURES, NAMES, strict=True):
        share, limits = row[f"{measure} smaller"], row[f"95 %, {measure}"]
        says = verdict(row, measure)
        parts.append(f"{name} {share:.2f} {shown(limits)} ({says})")
    return f"{row['task']} ({row['cases']} cases): {', '.join(parts)}"


def errors_of_a_line(values, target, groups):
    """Return the mean error by table of lines fitted to all other tables.

    A constant factor or an offset of the score costs nothing.
    """
    errors = np.empty(values.shape)
    for i in range(len(target)):
        others = groups != groups[i]
        for j, value in enumerate(values.T):
            slope, start = np.polyfit(value[others], target[others], 1)
            errors[i, j] = abs(start + slope * value[i] - target[i])
    return errors.mean(axis=1)


def prediction(task, runs, size):
    """Return how well scores of one data set of a size tell the raw score of many."""
    at = SIZES.index(size)
    known = {
        name: (scores, target)
        for name, (scores, target) in runs.items()
        if len(scores["raw"]) > at and np.isfinite(scores["raw"][at]).all()
    }
    if len(known) < 4:
        return []
    groups = np.array(drawn_together(known))
    target = np.array([target for _, target in known.values()])
    kinds = {
        kind: np.array([scores[kind][at] for scores, _ in known.values()])
        for kind in next(iter(known.values()))[0]
    }
    found = rank_intervals(kinds, target, "raw", groups)
    errors = {kind: errors_of_a_line(v, target, groups) for kind, v in kinds.items()}
    return [
        {
            "task": task,
            "rows": size,
            "tables": len(known),
            "score": kind,
            "rank correlation": value,
            "95 %": limits,
            "minus raw": difference,
            "error of a line": errors[kind].mean(),
            "error minus raw": mean_interval(errors[kind] - errors["raw"], groups)[1],
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
    shares = [
        share_row(task, [r for r in rows if task in (r["task"], "all")])
        for task in (*TASKS, "all")
    ]
    held = {r["table"]: r["at 1"] for r in rows if r["task"] == TASKS[2]}
    held = {name: share for name, share in held.items() if share > 0.5}
    free = [r for r in rows if r["task"] == TASKS[2] and r["table"] not in held]
    shares.append(share_row("regression without tables held at 1", free))
    predicted = []
    for task in TASKS:
        of = {name: run for (kind, name), run in runs.items() if kind == task}
        for size in TOLD_AT:
            predicted += prediction(task, of, size)
    verdicts = "; ".join(
        f"{row['task']} {', '.join(verdict(row, measure) for measure in MEASURES)}"
        for row in shares[:3]
    )
    study.answer(
        f"Is the normalized score the steadier one, by three measures? {verdicts}.",
        f"These are {', '.join(NAMES)}. Share of cases, with 95 % and ties half: "
        f"{'; '.join(share_text(row) for row in shares[:3])}.",
    )
    text = ", ".join(f"{name} {share:.2f}" for name, share in held.items())
    study.answer(
        "In regression the clamp holds more than half of the normalized scores of some "
        f"tables at 1, where they cannot change (shares: {text or 'none'}); "
        f"{share_text(shares[-1])}."
    )
    compared = [r for r in predicted if r["score"] == "normalized"]
    for row in compared:
        own = [
            r for r in predicted if (r["task"], r["rows"]) == (row["task"], row["rows"])
        ]
        text = ", ".join(f"{r['score']} {r['rank correlation']:.2f}" for r in own)
        ahead = word(
            row["minus raw"],
            above="normalized tells more than raw",
            below="normalized tells less than raw",
            open_="normalized and raw are not told apart",
        )
        study.answer(
            f"One data set of {row['rows']} rows, {row['task']}: rank correlation over "
            f"{row['tables']} tables with the raw score on large samples: {text}; "
            f"{ahead} (95 %: {shown(row['minus raw'])}, one of {len(compared)} "
            "comparisons, not corrected for their number)."
        )
    raw = {(r["task"], r["rows"]): r for r in predicted if r["score"] == "raw"}
    text = "; ".join(
        f"{r['task']}, {r['rows']} rows: {r['error of a line']:.3f} against "
        f"{raw[r['task'], r['rows']]['error of a line']:.3f} "
        f"{shown(r['error minus raw'])}"
        for r in compared
    )
    study.answer(
        "A constant factor leaves rank correlations and the error of a line as they "
        "are for the raw score. That error, normalized against raw, with 95 % of the "
        f"difference: {text}."
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
