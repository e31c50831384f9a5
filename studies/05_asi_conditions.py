"""Which of the 69 conditions make the index: factors, order, repeats, noise."""

import numpy as np
from kit import main
from ranks import tau_interval
from two_factor import conditions, published_protocol

from skrobust.metrics import accuracy_stability_index, confidence_interval
from skrobust.perturbations import two_factor_grid

SHAPE = {"image_shape": (224, 224, 3), "data_range": (0, 255)}


def subsets():
    """Return the positions of the conditions of each set, the clean one in each."""
    names = [c.name for c in conditions()]

    def of(**options):
        return [c.number - 1 for c in two_factor_grid("asi68", **SHAPE, **options)]

    first = {"both_orders": False}
    swapped = [0] + [i for i in range(len(names)) if i not in of(**first)]
    return {
        "all 69": list(range(len(names))),
        "one factor": of(include="single"),
        "two factors": of(include="pairs"),
        "salt and pepper first": of(**first),
        "salt and pepper second": swapped,
        "without repeats": of(unique=True),
    }


def floor(correct, n_sets, seed=0):
    """Return the index over drawn clean sets, and from the closed form.

    Sets of as many pictures are drawn with replacement, and the model is the same in
    all of them: what is below 1 is noise of the pictures alone.
    """
    rng, n = np.random.default_rng(seed), len(correct)
    clean = correct[:, 0].astype(float)
    drawn = clean[rng.integers(n, size=(n_sets, n))].mean(axis=1)
    mu = clean.mean()
    sigma = np.sqrt(mu * (1 - mu) / n * (1 - 1 / n_sets))
    return accuracy_stability_index(drawn), (mu**2 - sigma) / (mu**2 + sigma)


def run(study):
    names, n, found = published_protocol(study)
    sets, n_resamples = subsets(), study.size(500, 50)

    def index(places):
        return lambda rows: [
            accuracy_stability_index(found[name][rows][:, places].mean(axis=0))
            for name in names
        ]

    rows, taus = [], []
    for kind, places in sets.items():
        values = index(places)(np.arange(n))
        row = {"conditions": kind, "number": len(places)}
        rows.append(row | dict(zip(names, values, strict=True)))
        if kind != "all 69":
            value, interval = tau_interval(
                index(sets["all 69"]), index(places), n, n_resamples=n_resamples
            )
            taus.append(
                {"conditions": kind, "tau with all 69": value, "95 %": interval}
            )
    floors = []
    for name in names:
        drawn, closed = floor(found[name], 69)
        interval = confidence_interval("accuracy_stability_index", found[name])
        floors.append(
            {
                "network": name,
                "ASI of clean sets": drawn,
                "closed form": closed,
                "ASI": rows[0][name],
                "without noise": interval.value,
                "95 %": (interval.low, interval.high),
            }
        )
    by_kind = {row["conditions"]: np.mean([row[n] for n in names]) for row in rows}
    study.answer(
        f"Mean ASI over the networks: {by_kind['all 69']:.3f} over all 69 conditions, "
        f"{by_kind['one factor']:.3f} with one factor, "
        f"{by_kind['two factors']:.3f} with two, "
        f"{by_kind['without repeats']:.3f} without repeats: the index depends on "
        "the list of conditions, so compare only within one list."
    )
    lowest = min(row["tau with all 69"] for row in taus)
    study.answer(
        f"The order of the {len(names)} networks agrees between the lists with a tau "
        f"of at least {lowest:.2f}."
    )
    study.answer(
        f"Clean sets of {n} pictures alone have an ASI of "
        f"{min(f['ASI of clean sets'] for f in floors):.3f} to "
        f"{max(f['ASI of clean sets'] for f in floors):.3f}: that is what a model "
        "shows which no condition changes."
    )
    study.table("lists", rows, "Index over parts of the list")
    study.table("taus", taus, "Order of the networks against that over all 69")
    study.table("floor", floors, "Noise of the pictures")


if __name__ == "__main__":
    main(run, __file__)
