"""Samplers of operational testing: error, failures found, coverage, auxiliaries."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from kit import main
from pools import AUXILIARIES, fresh, published, simulated
from sampler_answers import (
    of_auxiliaries,
    of_budgets,
    of_coverage,
    of_deepest,
    of_errors,
    of_sampler,
    ratio,
)
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
            coverage = [row["coverage"] for row in own]
            rows.append(
                {
                    "pools": kind,
                    "sampler": name,
                    "n": len(own),
                    "error": np.median(errors),
                    "best": min(errors),
                    "worst": max(errors),
                    "noise": np.median([row["noise"] for row in own]),
                    "largest bias / error": max(abs(r["bias / error"]) for r in own),
                    "lowest coverage": min(coverage),
                    "highest coverage": max(coverage),
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
            against = ratio([run], *names[:0:-1])
            rows.append(
                {
                    "pool": pool,
                    "auxiliary": kind,
                    "AUC of failure": roc_auc_score(failed, scores[kind]),
                    **{f"error, {name}": by_name[name]["error"] for name in names},
                    "released / paper": against[0],
                    "95 %": against[1],
                    **{f"failures, {n}": by_name[n]["failures"] for n in names[1:]},
                }
            )
    return rows


def budget_runs(study, names, n_repeats):
    """Return by budget the runs on the published pools."""
    return {
        n_labels: [
            study.kept(
                results, scores["confidence"], failed, names, n_labels, n_repeats
            )
            for _, failed, scores in published(study.data)
        ]
        for n_labels in study.size(BUDGETS, BUDGETS[:1])
    }


def run(study):
    n_repeats, names = study.size(300, 8), list(SAMPLERS)
    sources = {
        "published": [(n, f, s) for n, f, s in published(study.data)],
        "simulated": list(simulated(study.size(2, 1))),
        "fresh models": list(fresh(study.data)),
    }
    table, everything, kinds, pools_of = [], [], [], []
    for kind, pools in sources.items():
        runs = []
        for pool, failed, scores in pools[:: study.size(1, 3)]:
            options = (names, LABELS, n_repeats)
            runs.append(study.kept(results, scores["confidence"], failed, *options))
            pools_of.append(pool)
        table += summary(kind, runs)
        everything += runs
        kinds += [kind] * len(runs)
    helped = auxiliary_rows(study, n_repeats)
    budgets = budget_runs(study, names, n_repeats)
    families = [pool.rstrip(" 0123456789") if kind == "simulated" else pool
                for kind, pool in zip(kinds, pools_of, strict=True)]  # fmt: skip
    study.answer(of_errors(everything, families, LABELS))
    study.answer(of_coverage(everything, pools_of))
    study.answer(of_deepest(everything, kinds, helped))
    study.answer(of_auxiliaries(helped))
    study.answer(of_budgets(budgets))
    of_budget = [
        {"labels": n_labels, **row}
        for n_labels, runs in budgets.items()
        for row in summary("published", runs)
    ]
    study.table("samplers", table, f"Samplers, {LABELS} labels, by 1 - confidence")
    study.table("budgets", of_budget, "Other budgets on the published pools")
    study.table("auxiliaries", helped, "Auxiliary variables on the published pools")
    figure, ax = plt.subplots(figsize=(7, 4))
    ax.boxplot(
        [of_sampler(everything, name, "error") for name in names],
        orientation="horizontal",
        whis=(0, 100),
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
