"""Sensitivity of the Accuracy-Stability Index, and how often two networks swap rank."""

from itertools import combinations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from kit import main
from two_factor import FIVE, SIX_MORE, correctness, published_protocol

from skrobust.metrics import (
    accuracy_stability_index,
    accuracy_stability_sensitivity,
    compare_models,
)

SUMMARIES = {"ASI": accuracy_stability_index, "mean": np.mean}
CLOSE = 0.05  # difference of the index of two models that are close
MORE = [*FIVE, *SIX_MORE]


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


def pair_rows(found, sizes, n_resamples):
    """Return a row for each pair of networks, with swaps at each number of pictures."""
    rows = []
    for a, b in combinations(found, 2):
        models = {a: found[a], b: found[b]}
        test = compare_models(
            models, metric="accuracy_stability_index", n_resamples=500, random_state=0
        )
        shares = {n: swaps(found[a], found[b], n, n_resamples) for n in sizes}
        rows.append(
            {
                "first": a,
                "second": b,
                "difference of ASI": float(test["difference"][0]),
                "95 %": (float(test["low"][0]), float(test["high"][0])),
                **{f"swaps at {n}": shares[n]["ASI"] for n in sizes},
                **{f"swaps at {n}, mean": shares[n]["mean"] for n in sizes},
            }
        )
    return sorted(rows, key=lambda row: abs(row["difference of ASI"]))


def mean_share(rows, column):
    """Return the mean share of swaps over pairs; nan without pairs."""
    return float(np.mean([row[column] for row in rows])) if rows else np.nan


def is_open(row):
    """Return whether the interval of a pair holds 0."""
    return row["95 %"][0] < 0 < row["95 %"][1]


def run(study):
    names, n, found = published_protocol(study)
    sensitive = [slopes(name, found[name]) for name in names]
    n_resamples = study.size(4000, 100)
    sizes = study.size([20, 50, 100, 200, 350, 500], [3, 6])
    pairs = pair_rows(found, sizes, n_resamples)
    few = study.size(100, 6)
    some = correctness(study, study.size(MORE, FIVE[:4]), few)
    more = pair_rows(some, [few], n_resamples)
    closest, above = pairs[0], [row["conditions above it"] for row in sensitive]
    by_size = ", ".join(f"{closest[f'swaps at {k}']:.3f} at {k}" for k in sizes)
    low, high = closest["95 %"]
    study.answer(
        f"Of {len(names)} networks {closest['first']} and {closest['second']} are "
        f"closest by ASI (difference {closest['difference of ASI']:+.3f}, 95 %: "
        f"{low:+.3f} to {high:+.3f}) and swap rank in these shares of draws, by the "
        f"number of pictures: {by_size}; at {n} no pair swaps in more than "
        f"{max(row[f'swaps at {n}'] for row in pairs):.3f}, and "
        f"{sum(is_open(row) for row in pairs)} of {len(pairs)} intervals hold 0."
    )
    near = [row for row in more if abs(row["difference of ASI"]) < CLOSE]
    open_ = [row for row in more if is_open(row)]
    study.answer(
        f"These networks are far apart. Of {len(some)} models over {few} pictures "
        f"{len(open_)} of {len(more)} pairs have an interval that holds 0; the "
        f"{len(near)} pairs closer than {CLOSE} swap by ASI in "
        f"{mean_share(near, f'swaps at {few}'):.2f} of the draws on average (by mean "
        f"accuracy {mean_share(near, f'swaps at {few}, mean'):.2f}), all pairs in "
        f"{mean_share(more, f'swaps at {few}'):.2f} "
        f"({mean_share(more, f'swaps at {few}, mean'):.2f})."
    )
    study.answer(
        f"In {min(above)} to {max(above)} of the 69 conditions a better accuracy would "
        "lower the index: it is above the turning point of the closed form."
    )
    study.table("slopes", sensitive, "Derivatives in closed form")
    by_asi = [{k: row[k] for k in row if not k.endswith("mean")} for row in pairs]
    study.table("pairs", by_asi, "Pairs of networks, closest first; swaps by ASI")
    study.table("models", more, f"Pairs of {len(some)} models over {few} pictures")
    figure, ax = plt.subplots(figsize=(5.5, 3.5))
    for name, end in (("ASI", ""), ("mean", ", mean")):
        shares = [mean_share(pairs, f"swaps at {k}{end}") for k in sizes]
        ax.plot(sizes, shares, "o-", label=name)
    ax.set(xlabel="pictures", ylabel="share of swapped pairs", ylim=(0, None))
    ax.legend()
    study.picture("sizes", figure, "Swaps of rank, by the number of pictures")


if __name__ == "__main__":
    main(run, __file__)
