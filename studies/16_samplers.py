"""Samplers of operational testing: error, failures found, coverage, auxiliaries."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from kit import main
from pools import AUXILIARIES, fresh, published, simulated
from sklearn.metrics import roc_auc_score

from skrobust.sampling import (
    ConfidenceStratifiedSampler,
    CrossEntropySampler,
    DeepESTSampler,
    OperationalSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    TwoStageSampler,
    simulate,
)

LABELS, BUDGETS = 200, (50, 100, 400)
SAMPLERS = {
    "random": SimpleRandomSampler(),
    "operational": OperationalSampler(),
    "DeepEST, paper": DeepESTSampler(),
    "DeepEST, released": DeepESTSampler(rule="released"),
    "proportional": ProportionalSampler(),
    "Rao-Hartley-Cochran": RaoHartleyCochranSampler(),
    "stratified": StratifiedSampler(),
    "confidence strata": ConfidenceStratifiedSampler(),
    "two stages": TwoStageSampler(),
    "cross entropy": CrossEntropySampler(),
}


def results(scores, failed, names, n_labels, n_repeats):
    """Return error over that of random sampling, coverage and failures by sampler."""
    samplers = {name: SAMPLERS[name] for name in names}
    found = simulate(
        samplers, scores, failed, n_labels=n_labels, n_repeats=n_repeats, random_state=0
    )
    n = len(failed)
    base = np.sqrt((1 / n_labels - 1 / n) * failed.var(ddof=1))  # exactly
    return [
        {
            "sampler": name,
            "error": rmse / base,
            "noise": error / base,
            "bias / error": bias / rmse if rmse else 0.0,
            "coverage": coverage,
            "failures": failures / (n_labels * failed.mean()),
        }
        for name, rmse, error, bias, coverage, failures in zip(
            found["sampler"],
            found["rmse"],
            found["rmse_error"],
            found["bias"],
            found["coverage"],
            found["failures"],
            strict=True,
        )
    ]


def summary(kind, runs):
    """Return a row for each sampler: medians and extremes over the pools of a kind."""
    rows = []
    for name in SAMPLERS:
        own = [row for run in runs for row in run if row["sampler"] == name]
        if own:
            errors = [row["error"] for row in own]
            rows.append(
                {
                    "pools": kind,
                    "sampler": name,
                    "n": len(own),
                    "error": np.median(errors),
                    "best": min(errors),
                    "worst": max(errors),
                    "lowest coverage": min(row["coverage"] for row in own),
                    "failures found": np.median([row["failures"] for row in own]),
                }
            )
    return rows


def auxiliary_rows(study, n_repeats):
    """Return what each auxiliary variable brings on the published pools."""
    rows = []
    for pool, failed, scores in published(study.data):
        for kind in AUXILIARIES:
            names = ["operational", "DeepEST, paper", "DeepEST, released"]
            run = study.kept(results, scores[kind], failed, names, LABELS, n_repeats)
            by_name = {row["sampler"]: row for row in run}
            rows.append(
                {
                    "pool": pool,
                    "auxiliary": kind,
                    "AUC of failure": roc_auc_score(failed, scores[kind]),
                    **{f"error, {name}": by_name[name]["error"] for name in names},
                    **{f"failures, {n}": by_name[n]["failures"] for n in names[1:]},
                }
            )
    return rows


def budget_rows(study, names, n_repeats):
    """Return, by sampler, medians over the published pools with other budgets."""
    rows = []
    for n_labels in study.size(BUDGETS, BUDGETS[:1]):
        runs = [
            study.kept(
                results, scores["confidence"], failed, names, n_labels, n_repeats
            )
            for _, failed, scores in published(study.data)
        ]
        rows += [{"labels": n_labels, **row} for row in summary("published", runs)]
    return rows


def run(study):
    n_repeats, names = study.size(300, 8), list(SAMPLERS)
    sources = {
        "published": [(n, f, s) for n, f, s in published(study.data)],
        "simulated": list(simulated(study.size(2, 1))),
        "fresh models": list(fresh(study.data)),
    }
    table, errors = [], {name: [] for name in names}
    for kind, pools in sources.items():
        runs = []
        for _, failed, scores in pools[:: study.size(1, 3)]:
            options = (names, LABELS, n_repeats)
            run = study.kept(results, scores["confidence"], failed, *options)
            runs.append(run)
            for row in run:
                errors[row["sampler"]].append(row["error"])
        table += summary(kind, runs)
    helped = auxiliary_rows(study, n_repeats)
    medians = {name: np.median(values) for name, values in errors.items()}
    best = min(medians, key=medians.get)
    bounded = [name for name in names[1:] if max(errors[name]) < 1.1]
    study.answer(
        f"With {LABELS} labels the median error over all pools is lowest for {best} "
        f"({medians[best]:.2f} of that of random sampling); never above 1.1 of it: "
        f"{', '.join(bounded) or 'none'}."
    )
    both = [name for name in names if name.startswith("DeepEST")]
    found = {
        name: np.median([r["failures found"] for r in table if r["sampler"] == name])
        for name in both
    }
    study.answer(
        f"The released rule of DeepEST finds {found[both[1]]:.1f} times the failures "
        f"of random sampling (the paper's {found[both[0]]:.1f} times), with a median "
        f"error of {medians[both[1]]:.2f} (paper {medians[both[0]]:.2f})."
    )
    strong = [r for r in helped if r["AUC of failure"] >= 0.8]
    weak = [r for r in helped if r["AUC of failure"] < 0.6]
    of = "error, operational"
    study.answer(
        f"An auxiliary variable helps where it ranks failures: with an AUC of at least "
        f".8 the operational sampler has an error of "
        f"{np.median([r[of] for r in strong]):.2f} of random sampling ({len(strong)} "
        f"cases), below .6 {np.median([r[of] for r in weak]):.2f} ({len(weak)} cases)."
    )
    budgets = budget_rows(study, names, n_repeats)
    lowest = {
        n: min((r for r in budgets if r["labels"] == n), key=lambda r: r["error"])
        for n in dict.fromkeys(row["labels"] for row in budgets)
    }
    text = "; ".join(
        f"{n} labels: {row['sampler']} ({row['error']:.2f})"
        for n, row in lowest.items()
    )
    study.answer(
        "With other budgets the lowest median error on the published pools is that of: "
        f"{text}."
    )
    study.table("samplers", table, f"Samplers, {LABELS} labels, by 1 - confidence")
    study.table("budgets", budgets, "Other budgets on the published pools")
    study.table("auxiliaries", helped, "Auxiliary variables on the published pools")
    figure, ax = plt.subplots(figsize=(7, 4))
    ax.boxplot(
        [errors[name] for name in names], orientation="horizontal", whis=(0, 100)
    )
    ax.set_yticks(range(1, len(names) + 1), names)
    ax.axvline(1, color="0.6", lw=1)
    ax.set(xlabel="error over that of random sampling", xscale="log")
    ticks = [0.2, 0.5, 1, 2, 4]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.minorticks_off()
    study.picture("errors", figure, "Errors over all pools")


if __name__ == "__main__":
    main(run, __file__)
