"""Sensitivity of the Accuracy-Stability Index, and how often two networks swap rank."""

from itertools import combinations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from kit import main
from two_factor import published_protocol

from skrobust.metrics import (
    accuracy_stability_index,
    accuracy_stability_sensitivity,
    compare_models,
)

SUMMARIES = {"ASI": accuracy_stability_index, "mean": np.mean}


def slopes(name, correct):
    """Return how the index of one network changes with its scores."""
    scores = correct.mean(axis=0)
    found = accuracy_stability_sensitivity(scores)
    slope = np.asarray(found["slope"])
    return {
        "network": name,
        "ASI": accuracy_stability_index(scores),
        "by mean": found.by_mean,
        "by CV": found.by_variation,
        "turning point": found.turning_point,
        "conditions above it": int((slope < 0).sum()),
        "steepest": np.abs(slope).max(),
        "steepest / (1 / 69)": np.abs(slope).max() * len(slope),
    }


def swaps(first, second, n, n_resamples, seed=0):
    """Return how often n drawn pictures give the other order than all pictures."""
    rng, found = np.random.default_rng(seed), {}
    draws = [rng.integers(len(first), size=n) for _ in range(n_resamples)]
    for name, summary in SUMMARIES.items():

        def difference(rows, summary=summary):
            return summary(first[rows].mean(axis=0)) - summary(
                second[rows].mean(axis=0)
            )

        sign = np.sign(difference(np.arange(len(first))))
        found[name] = np.mean([np.sign(difference(rows)) != sign for rows in draws])
    return found


def pair_rows(names, found, n_resamples):
    """Return a row for each pair of networks."""
    rows = []
    for a, b in combinations(names, 2):
        n = len(found[a])
        share = swaps(found[a], found[b], n, n_resamples)
        models = {a: found[a], b: found[b]}
        test = compare_models(
            models, metric="accuracy_stability_index", n_resamples=500, random_state=0
        )
        rows.append(
            {
                "first": a,
                "second": b,
                "difference of ASI": float(test["difference"][0]),
                "95 %": (float(test["low"][0]), float(test["high"][0])),
                "swaps, ASI": share["ASI"],
                "swaps, mean": share["mean"],
            }
        )
    return rows


def by_size(names, found, sizes, n_resamples):
    """Return the mean share of swaps over the pairs, by the number of pictures."""
    table = {name: [] for name in SUMMARIES}
    for n in sizes:
        pairs = [
            swaps(found[a], found[b], n, n_resamples) for a, b in combinations(names, 2)
        ]
        for name in SUMMARIES:
            table[name].append(np.mean([pair[name] for pair in pairs]))
    return table


def run(study):
    names, n, found = published_protocol(study)
    sensitive = [slopes(name, found[name]) for name in names]
    n_resamples = study.size(1000, 100)
    pairs = pair_rows(names, found, n_resamples)
    sizes = study.size([20, 50, 100, 200, 350, 500], [3, 6])
    table = by_size(names, found, sizes, study.size(400, 50))
    unsure = sum(row["95 %"][0] < 0 < row["95 %"][1] for row in pairs)
    closest = max(pairs, key=lambda row: row["swaps, ASI"])
    mean_swap = {k: np.mean([row[f"swaps, {k}"] for row in pairs]) for k in SUMMARIES}
    above = [row["conditions above it"] for row in sensitive]
    study.answer(
        f"At {n} pictures two of {len(names)} networks swap rank by ASI in "
        f"{mean_swap['ASI']:.3f} of the resamples on average (by mean accuracy "
        f"{mean_swap['mean']:.3f}); the closest pair, {closest['first']} and "
        f"{closest['second']}, in {closest['swaps, ASI']:.2f}."
    )
    study.answer(
        f"{unsure} of {len(pairs)} pairs have an interval of the difference that holds "
        "0."
    )
    study.answer(
        f"In {min(above)} to {max(above)} of the 69 conditions a better accuracy would "
        "lower the index: it is above the turning point of the closed form."
    )
    study.table("slopes", sensitive, "Derivatives in closed form")
    study.table("pairs", pairs, "Pairs of networks")
    figure, ax = plt.subplots(figsize=(5.5, 3.5))
    for name, shares in table.items():
        ax.plot(sizes, shares, "o-", label=name)
    ax.set(xlabel="pictures", ylabel="share of swapped pairs", ylim=(0, None))
    ax.legend()
    study.picture("sizes", figure, "Swaps of rank, by the number of pictures")


if __name__ == "__main__":
    main(run, __file__)
