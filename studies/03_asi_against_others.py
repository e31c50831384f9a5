"""Accuracy-Stability Index against other summaries of 69 conditions, over 11 models."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from kit import main
from ranks import tau_interval
from scipy.stats import hmean
from two_factor import FIVE, SIX_MORE, correctness

from skrobust.metrics import (
    accuracy_stability_f_score,
    accuracy_stability_index,
    coefficient_of_variation,
    mean_corruption_error,
)

REFERENCE = "SqueezeNet 1.1"


def summaries(reference):
    """Return functions of the scores under the conditions; greater is better."""

    def against_reference(scores):
        errors = 1 - np.asarray([scores, reference])[:, :, None]
        return -mean_corruption_error(*errors, reference=REFERENCE).value

    return {
        "ASI": accuracy_stability_index,
        "mean": np.mean,
        "minus CV": lambda scores: -coefficient_of_variation(scores),
        "mean - sd": lambda scores: np.mean(scores) - np.std(scores),
        "harmonic mean": lambda scores: hmean(np.maximum(scores, 1e-9)),
        "F score": accuracy_stability_f_score,
        "mCE": against_reference,
        "worst": np.min,
        "clean": lambda scores: scores[0],
    }


def value_rows(found, kinds):
    """Return a row of all summaries for each network."""
    return [
        {"network": name} | {k: float(f(c.mean(axis=0))) for k, f in kinds.items()}
        for name, c in found.items()
    ]


def agreement(found, kinds, n_resamples):
    """Return Kendall's tau of the index with each other summary."""
    tables = list(found.values())

    def of(function):
        return lambda rows: [function(table[rows].mean(axis=0)) for table in tables]

    rows = []
    for name, function in kinds.items():
        if name == "ASI":
            continue
        options = {"n_resamples": n_resamples}
        value, interval = tau_interval(
            of(kinds["ASI"]), of(function), len(tables[0]), **options
        )
        rows.append({"summary": name, "tau with ASI": value, "95 %": interval})
    return rows


def run(study):
    names = study.size([*FIVE, *SIX_MORE], FIVE[:4])
    n = study.size(100, 6)
    found = correctness(study, names, n)
    kinds = summaries(found[REFERENCE].mean(axis=0))
    values = value_rows(found, kinds)
    table = agreement(found, kinds, study.size(500, 50))
    table.sort(key=lambda row: -np.nan_to_num(row["tau with ASI"], nan=-2))
    ranked = [row for row in table if np.isfinite(row["tau with ASI"])]
    first, last = ranked[0], ranked[-1]  # a summary that is constant has no order
    with_mean = next(row for row in table if row["summary"] == "mean")
    study.answer(
        f"Over {len(names)} models the order by ASI agrees with that by the mean "
        f"accuracy with a tau of {with_mean['tau with ASI']:.2f} (95 %: "
        f"{with_mean['95 %'][0]:.2f} to {with_mean['95 %'][1]:.2f}); most with "
        f"{first['summary']} ({first['tau with ASI']:.2f}), least with "
        f"{last['summary']} ({last['tau with ASI']:.2f})."
    )
    study.table("values", values, f"Summaries, {n} pictures")
    study.table("agreement", table, "Agreement of the order of models with that by ASI")
    figure, ax = plt.subplots(figsize=(5.5, 3.5))
    places = np.arange(len(table))[::-1]
    centre = np.array([row["tau with ASI"] for row in table])
    ends = np.array([row["95 %"] for row in table])
    errors = np.clip([centre - ends[:, 0], ends[:, 1] - centre], 0, None)
    ax.errorbar(centre, places, xerr=errors, fmt="o", capsize=3)
    ax.set_yticks(places, [row["summary"] for row in table])
    ax.set(xlabel="Kendall's tau with the ASI", xlim=(-1, 1.05))
    ax.axvline(0, color="0.7", lw=1)
    study.picture(
        "agreement", figure, "Kendall's tau with the ASI, by resampled pictures"
    )


if __name__ == "__main__":
    main(run, __file__)
