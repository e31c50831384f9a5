"""Which families of models stand everyday faults of tables, and what repairs bring."""

import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import together
from joblib import Parallel, delayed
from kit import main, shown
from table_faults import (
    DAMAGED,
    SEVERITY,
    TABLES,
    interval,
    kept_skill,
    rows_of,
    scores,
    split,
)
from table_models import FAMILIES, all_models, pipeline
from tables import classification

from skrobust.evaluation import suggest_repairs
from skrobust.perturbations import tabular

REPAIRED = [
    "logistic", "Gaussian NB", "SVM, rbf", "5 neighbours", "tree", "random forest",
    "histogram boosting", "XGBoost", "LightGBM", "CatBoost", "MLP, 100",
]  # fmt: skip
KINDS = ("95 %, alone", "95 %, together")


def repaired(X, y, family, name):
    """Return the mean accuracy under the faults before and after the best repair."""
    X, y = rows_of(X, y)
    conditions = tabular((SEVERITY,), random_state=0)[1:]
    kinds = ["clipping", "scaling", "coarsening", "noise_training"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = suggest_repairs(
            pipeline(family, name), X, y, conditions, candidates=kinds, random_state=0
        )
    best = int(np.argmax(np.asarray(found["selection_score"], dtype=float)))
    return {
        "before": float(found["robust"][0]),
        "after": float(found["robust"][best]),
        "clean before": float(found["clean"][0]),
        "clean after": float(found["clean"][best]),
        "repair": str(found["kind"][best]) if best else "none",
    }


def never_run(tables):
    """Return the faults of ``tabular`` for which no table has a column."""
    conditions = tabular((SEVERITY,), random_state=0)[1:]
    trains = [split(*table)[0] for table in tables.values()]
    return [
        words(condition.name)
        for condition in conditions
        if not any(condition.fit(X).finds_columns() for X in trains)
    ]


def words(kind):
    """Return the name of a fault, without its severity, to be read."""
    return kind.removesuffix(f"-{SEVERITY}").replace("_", " ")


def kept_by(results, tables):
    """Return families, faults, and the skill that each family keeps in each table.

    An array of shape (families, tables, faults), means over models; nan where no model
    of the family has skill in the table, or where the table has no such columns.
    """
    kinds = list(dict.fromkeys(k for run, _ in results.values() for k in run))[1:]
    names = [f for f in FAMILIES if any(own == f for own, _ in of_results(results))]
    kept = np.full((len(names), len(tables), len(kinds)), np.nan)
    for i, family in enumerate(names):
        for j, table in enumerate(tables):
            runs = [
                kept_skill(results[table, name])
                for own, name in of_results(results)
                if own == family
            ]
            for k, kind in enumerate(kinds):
                values = [run[kind] for run in runs if kind in run]
                if values:
                    kept[i, j, k] = np.mean(values)
    return names, [words(kind) for kind in kinds], kept


def of_results(results):
    """Return family and name of the models that were run."""
    run = {name for _, name in results}
    return [(family, name) for family, name in all_models() if name in run]


def compared(values, n_intervals):
    """Return columns of a mean over tables: its interval alone, and of all at once."""
    if not np.any(values):
        return dict.fromkeys(("difference", *KINDS), np.nan)
    mean, limits = interval(values)
    return {"difference": mean} | dict(
        zip(KINDS, (limits, together(values, n_intervals)[1]), strict=True)
    )


def told(rows, key):
    """Return which differences are not 0, and how surely."""
    alone, sure = (
        [row[key] for row in rows if np.prod(np.sign(row[kind])) > 0] for kind in KINDS
    )
    parts = {
        f"by intervals of which all {len(rows)} hold together": sure,
        "by one of its own only": [name for name in alone if name not in sure],
        "not": [r[key] for r in rows if r[key] not in alone + sure],
    }
    of = {r[key]: f"{r[key]} {r['difference']:+.3f}" for r in rows}
    return "; ".join(
        f"{text}: {', '.join(of[name] for name in own) or 'none'}"
        for text, own in parts.items()
    )


def family_rows(names, kept, tables):
    """Return by family what it keeps over the tables in which all have skill."""
    per_table = np.ma.masked_invalid(kept).mean(axis=2).filled(np.nan)
    common = np.isfinite(per_table).all(axis=0)
    order = np.argsort(-per_table[:, common].mean(axis=1))
    whole = common & (np.array(tables) != DAMAGED)
    rows = []
    for i in order:
        own = per_table[i]
        mean, limits = interval(own[common])
        row = {"family": names[i], "kept": mean, "95 %": limits}
        row |= compared((own - per_table[order[0]])[common], len(names) - 1)
        row |= {"tables with skill": np.isfinite(own).sum()}
        row |= {"kept there": np.nanmean(own), "median there": np.nanmedian(own)}
        rows.append(row | {f"kept, without {DAMAGED}": own[whole].mean()})
    lowest = dict(zip(names, per_table.T[~common].T, strict=True))
    return rows, common, lowest


def fault_rows(names, kinds, kept):
    """Return by fault what each family keeps, worst first; those of one table last.

    The others are compared in the tables that have columns for all of them.
    """
    known = np.isfinite(kept).all(axis=0)
    many = known.sum(axis=0) > 1
    shared = known[:, many].all(axis=1)
    rows = []
    for k, kind in enumerate(kinds):
        of = kept[:, shared if many[k] else known[:, k], k]
        row = {"fault": kind, "tables": of.shape[1], "all": of.mean(), "of": of}
        rows.append(row | dict(zip(names, of.mean(axis=1), strict=True)))
    rows.sort(key=lambda row: (row["tables"] == 1, row["all"]))
    first = rows[0]["of"].mean(axis=0)
    for row in rows:
        of = row.pop("of").mean(axis=0)
        row |= compared(of - first if len(of) > 1 else 0, many.sum() - 1)
    return rows


def picture(rows, names):
    """Return a heat map of kept skill, families by faults."""
    values = np.array([[row[name] for row in rows] for name in names])
    figure, ax = plt.subplots(figsize=(10, 3.8))
    mapped = ax.imshow(values, vmin=0, vmax=1, cmap="viridis", aspect="auto")
    faults = [row["fault"] for row in rows]
    ax.set_xticks(range(len(rows)), faults, rotation=60, ha="right", fontsize=7)
    ax.set_yticks(range(len(names)), names)
    figure.colorbar(mapped, ax=ax, label="skill kept")
    return figure


def repair_row(name, own, n_intervals):
    """Return what the best repair of a model gains under the faults and without."""
    gains = [
        [r[f"{kind}after"] - r[f"{kind}before"] for r in own] for kind in ("", "clean ")
    ]
    kinds = [r["repair"] for r in own]
    row = {"model": name}
    row |= {k: np.mean([r[k] for r in own]) for k in ("before", "after")}
    for key, values in zip(("gain", "clean gain"), gains, strict=True):
        row[key], row[f"95 %, {key}"] = interval(values)
    row |= compared(np.subtract(*gains), n_intervals)
    return row | {"most chosen": max(sorted(set(kinds)), key=kinds.count)}


def run(study):
    names = study.size(TABLES, ["wine", "iris", "breast cancer"])
    tables = {n: (X, y) for n, X, y in classification(study.packages, names)}
    models = all_models()[:: study.size(1, 4)]
    todo = [(t, f, n) for t in tables for f, n in models]
    parallel = Parallel(n_jobs=study.jobs)
    found = parallel(delayed(study.kept)(scores, *tables[t], f, n) for t, f, n in todo)
    results = {(t, n): run for (t, _, n), run in zip(todo, found, strict=True)}
    of, kinds, kept = kept_by(results, list(tables))
    families, common, left_out = family_rows(of, kept, list(tables))
    faults = fault_rows(of, kinds, kept[:, common])
    chosen = [(f, n) for f, n in models if n in REPAIRED][: study.size(None, 1)]
    todo = [(t, f, n) for f, n in chosen for t in list(tables)[: study.size(None, 1)]]
    found = parallel(
        delayed(study.kept)(repaired, *tables[t], f, n) for t, f, n in todo
    )
    repairs = []
    for _, name in chosen:
        own = [r for (_, _, n), r in zip(todo, found, strict=True) if n == name]
        repairs.append(repair_row(name, own, len(chosen)))
    first, last = families[0], families[-1]
    study.answer(
        f"Over the {common.sum()} tables in which every family has a model with skill "
        f"(of {len(tables)}; {len(models)} models, severity {SEVERITY}), "
        f"{first['family']} models keep most of it ({first['kept']:.3f}, 95 %: "
        f"{shown(first['95 %'])}), {last['family']} models least ({last['kept']:.3f}, "
        f"{shown(last['95 %'])}). Told apart from {first['family']}, paired, "
        f"{told(families[1:], 'family')}."
    )
    for i, table in enumerate(np.array(list(tables))[~common]):
        text = ", ".join(
            f"{name} {values[i]:.2f}" if np.isfinite(values[i]) else f"{name} no skill"
            for name, values in left_out.items()
        )
        study.answer(f"Left out of this is {table}, where families keep: {text}.")
    many = [row for row in faults if row["tables"] > 1]
    study.answer(
        f"The fault that costs most is {many[0]['fault']} ({many[0]['all']:.2f} kept, "
        f"mean of the families over {many[0]['tables']} tables with columns for all "
        f"{len(many)}). Told apart from it, paired, {told(many[1:], 'fault')}."
    )
    few = [f"{r['fault']} {r['all']:.2f}" for r in faults if r["tables"] == 1]
    study.answer(
        f"Of one table alone, and so without an interval: {', '.join(few) or 'none'}. "
        f"Faults of the preset that found no column in any table: "
        f"{', '.join(never_run(tables))}."
    )
    most = max(repairs, key=lambda row: row["gain"])
    study.answer(
        "Gain of a repair chosen on other rows under the faults less its gain on clean "
        f"rows; told apart from 0 {told(repairs, 'model')}. The largest gain under "
        f"the faults is that of {most['model']} ({most['gain']:.3f}, 95 %: "
        f"{shown(most['95 %, gain'])}, the largest of {len(repairs)}), which gains "
        f"{most['clean gain']:.3f} on clean rows."
    )
    study.table(
        "families", families, "Skill kept by family; difference from the first one"
    )
    study.table("faults", faults, "Skill kept by fault; difference from the first one")
    study.picture("faults", picture(faults, of), "Skill kept, by family and fault")
    study.table(
        "repairs", repairs, "Mean accuracy under the faults; difference of both gains"
    )


if __name__ == "__main__":
    main(run, __file__)
