"""Does clean accuracy order the robustness of models of tables?"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import together
from joblib import Parallel, delayed
from kit import main, shown
from ranks import tau
from table_faults import DAMAGED, SEVERITY, TABLES, interval, scores, split
from table_models import all_models
from tables import classification

from skrobust.metrics import effective_robustness

GAPS = "first less this", "this less last"


def clean_and_shifted(run):
    """Return the accuracy on clean rows, and the mean under the faults."""
    by_kind, _ = run
    return by_kind["CLEAN"], np.mean([v for k, v in by_kind.items() if k != "CLEAN"])


def table_row(table, runs):
    """Return how well clean accuracy tells the accuracy under faults in one table."""
    clean, shifted = np.array([clean_and_shifted(run) for run in runs]).T
    return {
        "table": table,
        "tau": tau(clean, shifted),
        "correlation": float(np.corrcoef(clean, shifted)[0, 1]),
        "tau, drop": tau(clean, clean - shifted),
        "clean, lowest": clean.min(),
        "clean, highest": clean.max(),
    }


def effective(results, tables, names, n_test):
    """Return the effective robustness of each model in each table.

    The line of each table is fitted to all other models, on the scale of logits, where
    accuracies of 1 count as half an error below it, and those of 0 as half a hit.
    """
    values = np.empty((len(names), len(tables)))
    for j, table in enumerate(tables):
        half = 0.5 / n_test[table]
        pairs = [clean_and_shifted(results[table, name]) for name in names]
        pairs = np.clip(pairs, half, 1 - half)
        for i in range(len(names)):
            others = np.delete(pairs, i, axis=0)
            values[i, j] = effective_robustness(
                pairs[i, 1],
                pairs[i, 0],
                reference_clean=others[:, 0],
                reference_shifted=others[:, 1],
            )
    return values


def model_rows(values, names, whole):
    """Return models by mean effective robustness, with that of both ends less theirs.

    ``whole`` marks the tables whose numbers are whole.
    """
    order = np.argsort(-values.mean(axis=1))
    n, rows = len(names), []
    for i in order:
        mean, limits = interval(values[i])
        row = {"model": names[i], "effective robustness": mean, "95 %": limits}
        row["95 %, all together"] = together(values[i], n)[1]
        gaps = values[order[0]] - values[i], values[i] - values[order[-1]]
        for text, gap in zip(GAPS, gaps, strict=True):
            row[text], row[f"95 %, {text}"] = np.nan, np.nan
            row[f"95 %, {text}, alone"] = interval(gap)[1]
            if gap.any():
                row[text], row[f"95 %, {text}"] = together(gap, n - 1)
        rows.append(row | {f"without {DAMAGED}": values[i, whole].mean()})
    return rows


def listed(rows, sign):
    """Return the models whose interval lies on one side of the line, farthest first."""
    own = [r for r in rows if min(sign * np.array(r["95 %, all together"])) > 0]
    own.sort(key=lambda row: -abs(row["effective robustness"]))
    texts = [f"{r['model']} {r['effective robustness']:+.3f}" for r in own]
    return "; ".join(texts) or "none"


def run(study):
    names = study.size(TABLES, ["wine", "iris", "breast cancer"])
    tables = {n: (X, y) for n, X, y in classification(study.packages, names)}
    models = all_models()[:: study.size(1, 4)]
    todo = [(t, f, n) for t in tables for f, n in models]
    found = Parallel(n_jobs=study.jobs)(
        delayed(study.kept)(scores, *tables[t], f, n) for t, f, n in todo
    )
    results = {(t, n): run for (t, _, n), run in zip(todo, found, strict=True)}
    of = [name for _, name in models]
    rows = [table_row(t, [results[t, name] for name in of]) for t in tables]
    n_test = {name: len(split(*table)[3]) for name, table in tables.items()}
    values = effective(results, list(tables), of, n_test)
    whole = np.array([name != DAMAGED for name in tables])
    ranked = model_rows(values, of, whole)
    taus, limits = interval([row["tau"] for row in rows])
    drops, drop_limits = interval([row["tau, drop"] for row in rows])
    study.answer(
        f"Over {len(rows)} tables and {len(of)} models clean accuracy orders accuracy "
        f"under faults with a mean tau of {taus:.2f} (95 %: {limits[0]:.2f} to "
        f"{limits[1]:.2f}), and the drop with {drops:.2f} ({drop_limits[0]:.2f} to "
        f"{drop_limits[1]:.2f})."
    )
    study.answer(
        "Above the line of the others, in accuracy, and with intervals of which those "
        f"of all {len(ranked)} models hold together: {listed(ranked, 1)}; below it: "
        f"{listed(ranked, -1)}."
    )
    ends = zip(("highest", "lowest"), (ranked[0], ranked[-1]), GAPS, strict=True)
    for end, row, gap in ends:
        like = [r for r in ranked if np.min(r[f"95 %, {gap}"]) <= 0]
        close = min((r for r in ranked if r is not row), key=lambda r: r[gap])
        study.answer(
            f"The {end} mean is that of {row['model']} "
            f"({row['effective robustness']:+.3f} {shown(row['95 %, all together'])}); "
            f"{len(like)} of {len(ranked) - 1} others are not told apart from it, the "
            f"closest {close['model']} (difference {close[gap]:.4f}, 95 %: "
            f"{shown(close[f'95 %, {gap}, alone'])} on its own)."
        )
    title = f"Clean accuracy and accuracy under faults of severity {SEVERITY}"
    study.table("tables", rows, title)
    hidden = [key for key in ranked[0] if key.endswith(", alone")]
    ranked = [{k: v for k, v in row.items() if k not in hidden} for row in ranked]
    study.table("models", ranked, "Effective robustness in accuracy, mean over tables")
    figure, ax = plt.subplots(figsize=(5.5, 4.5))
    for place, table in enumerate(tables):
        pairs = np.array([clean_and_shifted(results[table, name]) for name in of])
        color = plt.colormaps["tab20"](place)
        ax.plot(*pairs.T, "o", ms=4, alpha=0.6, color=color, label=table)
    ax.axline((0.5, 0.5), slope=1, color="0.7", lw=1)
    ax.set(xlabel="clean accuracy", ylabel="mean accuracy under faults")
    ax.legend(fontsize=6, ncols=2)
    study.picture("line", figure, "Models of each table: clean, and under faults")


if __name__ == "__main__":
    main(run, __file__)
