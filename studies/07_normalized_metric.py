"""Does the normalized metric stabilise earlier, and predict large samples better?"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from joblib import Parallel, delayed
from kit import main, shown
from learning_curves import curve
from scipy.stats import spearmanr
from tables import classification, regression

from skrobust.metrics import sample_size_deviation, stable_sample_size

SIZES, MOST = (20, 30, 45, 70, 100, 150, 220, 330, 500), 2500


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
        if abs(values.mean()) > 0.01:
            row[f"relative MAD, {kind}"] = sample_size_deviation(values, relative=True)
        row[f"stable from, {kind}"] = stable_sample_size(
            sizes, values, tolerance=0.05, relative=True
        )
    return row


def smaller(rows, first, second, seed=0):
    """Return the share of tables in which the first is smaller, and its interval.

    Ties count half; the interval is of drawn tables.
    """
    pairs = [(r[first], r[second]) for r in rows]
    pairs = np.array([p for p in pairs if np.isfinite(p).all()])
    wins = (pairs[:, 0] < pairs[:, 1]) + 0.5 * (pairs[:, 0] == pairs[:, 1])
    rng = np.random.default_rng(seed)
    draws = wins[rng.integers(len(wins), size=(2000, len(wins)))].mean(axis=1)
    return wins.mean(), tuple(np.percentile(draws, [2.5, 97.5]))


def prediction(runs, size, seed=0):
    """Return how well scores at one size tell the raw score of large samples.

    The rank correlation over tables, and the error of a line that is fitted to all
    other tables, so that a constant factor or an offset costs nothing.
    """
    at = SIZES.index(size)
    names = ("raw", "normalized", "balanced", "MCC")
    rows = []
    for name in names:
        pairs = [
            (np.nanmean(scores[name][at]), target)
            for scores, target in runs
            if name in scores
            and len(scores[name]) > at
            and np.isfinite(scores[name][at]).any()
        ]
        if len(pairs) < 4:
            continue
        value, target = np.array(pairs).T
        errors = []
        for i in range(len(value)):
            others = np.arange(len(value)) != i
            line = np.polyfit(value[others], target[others], 1)
            errors.append(abs(np.polyval(line, value[i]) - target[i]))
        rng = np.random.default_rng(seed)
        draws = rng.integers(len(value), size=(1000, len(value)))
        limits = np.nanpercentile(
            [spearmanr(value[d], target[d]).statistic for d in draws], [2.5, 97.5]
        )
        rows.append(
            {
                "score": name,
                "size": size,
                "tables": len(value),
                "rank correlation": spearmanr(value, target).statistic,
                "95 %": tuple(limits),
                "error of a line": np.mean(errors),
            }
        )
    return rows


def run(study):
    n_repeats = study.size(40, 4)
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
    for task in ("classification", "clustering", "regression", "all"):
        own = [r for r in rows if task in (r["task"], "all")]
        if len(own) < 2:
            continue
        row = {"task": task, "tables": len(own)}
        for what in ("MAD", "relative MAD", "stable from"):
            share, limits = smaller(own, f"{what}, normalized", f"{what}, raw")
            row |= {f"{what} smaller": share, f"95 %, {what}": limits}
        shares.append(row)
    predicted = []
    for size in (30, 100):
        of = [run for (task, _), run in runs.items() if task == "classification"]
        predicted += prediction(of, size)
    total = shares[-1]
    smallest = total["relative MAD smaller"]
    start = "No." if smallest < 0.5 else "Yes."
    study.answer(
        f"{start} Over {total['tables']} cases the normalized score has the smaller "
        f"mean absolute deviation in {total['MAD smaller']:.2f} of them, relative "
        f"to its mean in {smallest:.2f} (95 %: {shown(total['95 %, relative MAD'])}), and is "
        f"stable from a smaller size in {total['stable from smaller']:.2f}."
    )
    text = "; ".join(
        f"{r['score']} {r['rank correlation']:.2f} (error {r['error of a line']:.3f})"
        for r in predicted
        if r["size"] == 30
    )
    study.answer(
        "From data sets of 30 rows, rank correlation with the accuracy on large "
        f"samples over the tables: {text}. A constant factor changes neither number."
    )
    study.table("shares", shares, "Share of tables in which normalized is smaller")
    study.table("prediction", predicted, "What a small sample tells of a large one")
    study.table("tables", rows, "All tables")
    figure, ax = plt.subplots(figsize=(4.5, 4.3))
    for task in ("classification", "clustering", "regression"):
        own = [r for r in rows if r["task"] == task]
        ax.plot(
            [r["relative MAD, raw"] for r in own],
            [r["relative MAD, normalized"] for r in own],
            "o",
            label=task,
            alpha=0.7,
        )
    ax.axline((0.1, 0.1), slope=1, color="0.6", lw=1)
    ax.set(
        xlabel="relative MAD, raw",
        ylabel="relative MAD, normalized",
        xscale="log",
        yscale="log",
    )
    ax.legend()
    study.picture("mad", figure, "Relative deviation over sizes, one point a table")


if __name__ == "__main__":
    main(run, __file__)
