"""Does clean accuracy order the robustness of models of tables?"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from joblib import Parallel, delayed
from kit import main
from ranks import tau
from table_faults import SEVERITY, TABLES, interval, scores
from table_models import all_models
from tables import classification

from skrobust.metrics import effective_robustness


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


def effective(results, tables, names):
    """Return the mean effective robustness of each model over the tables.

    The line of each table is fitted to all other models, on the scale of logits;
    accuracies of 1 count as half an error below it.
    """
    values = {name: [] for name in names}
    for table in tables:
        pairs = [clean_and_shifted(results[table, name]) for name in names]
        pairs = np.clip(pairs, 0.002, 0.998)
        for i, name in enumerate(names):
            others = np.delete(pairs, i, axis=0)
            values[name].append(
                effective_robustness(
                    pairs[i, 1],
                    pairs[i, 0],
                    reference_clean=others[:, 0],
                    reference_shifted=others[:, 1],
                )
            )
    rows = []
    for name in names:
        mean, limits = interval(values[name])
        rows.append({"model": name, "effective robustness": mean, "95 %": limits})
    return sorted(rows, key=lambda row: -row["effective robustness"])


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
    ranked = effective(results, list(tables), of)
    taus, limits = interval([row["tau"] for row in rows])
    drops, drop_limits = interval([row["tau, drop"] for row in rows])
    first, last = ranked[0], ranked[-1]
    study.answer(
        f"Over {len(rows)} tables and {len(of)} models clean accuracy orders accuracy "
        f"under faults with a mean tau of {taus:.2f} (95 %: {limits[0]:.2f} to "
        f"{limits[1]:.2f}), and the drop with {drops:.2f} ({drop_limits[0]:.2f} to "
        f"{drop_limits[1]:.2f})."
    )
    study.answer(
        f"Above the line of the others most is {first['model']} (by "
        f"{first['effective robustness']:.3f}), below it most {last['model']} (by "
        f"{-last['effective robustness']:.3f})."
    )
    title = f"Clean accuracy and accuracy under faults of severity {SEVERITY}"
    study.table("tables", rows, title)
    study.table("models", ranked, "Effective robustness, mean over tables")
    figure, ax = plt.subplots(figsize=(5.5, 4.5))
    for table in tables:
        pairs = np.array([clean_and_shifted(results[table, name]) for name in of])
        ax.plot(*pairs.T, "o", ms=4, alpha=0.6, label=table)
    ax.axline((0.5, 0.5), slope=1, color="0.7", lw=1)
    ax.set(xlabel="clean accuracy", ylabel="mean accuracy under faults")
    ax.legend(fontsize=6, ncols=2)
    study.picture("line", figure, "Models of each table: clean, and under faults")


if __name__ == "__main__":
    main(run, __file__)
