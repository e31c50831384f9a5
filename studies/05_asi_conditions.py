"""Which of the 69 conditions make the index: factors, order, repeats, noise."""

import numpy as np
from draws import LIMITS, drawn_rows
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


def order_effect(index, first, second, n, n_draws):
    """Return the mean index less that of the other order, with its interval."""

    def difference(rows):
        return np.mean(index(first)(rows)) - np.mean(index(second)(rows))

    draws = [difference(rows) for rows in drawn_rows(np.arange(n), n_draws=n_draws)]
    return difference(np.arange(n)), np.percentile(draws, LIMITS)


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
    parts = [f"salt and pepper {place}" for place in ("first", "second")]
    moved, ends = order_effect(index, *[sets[p] for p in parts], n, n_resamples)
    study.answer(
        f"The order of the factors moves it by {moved:+.3f} (95 %: {ends[0]:+.3f} to "
        f"{ends[1]:+.3f}): {by_kind[parts[0]]:.3f} with salt and pepper first, "
        f"{by_kind[parts[1]]:.3f} with salt and pepper second."
    )
    lowest = min(row["tau with all 69"] for row in taus)
    alike = "1.00" if np.isclose(lowest, 1) else f"{lowest:.2f} or more"
    least = min(taus, key=lambda row: row["95 %"][0])
    study.answer(
        f"Each part of the list orders the {len(names)} networks as all conditions do, "
        f"with a tau of {alike} (the lowest end of the 95 % intervals is "
        f"{least['95 %'][0]:.2f}, {least['conditions']})."
    )
    taken = max(abs(f["without noise"] - f["ASI"]) for f in floors)
    taken = np.ceil(1000 * taken) / 1000
    study.answer(
        f"If every condition had {n} pictures of its own, a network that no condition "
        "changes would have an ASI of "
        f"{min(f['ASI of clean sets'] for f in floors):.3f} to "
        f"{max(f['ASI of clean sets'] for f in floors):.3f} by the noise of the "
        "pictures alone; on the same pictures, as here, it has 1, and to take out this "
        f"noise moves the index of no network by more than {taken:.3f}."
    )
    study.table("lists", rows, "Index over parts of the list")
    study.table("taus", taus, "Order of the networks against that over all 69")
    study.table("floor", floors, "Noise of the pictures: sets of their own")


if __name__ == "__main__":
    main(run, __file__)
