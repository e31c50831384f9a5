"""Published protocol of the Accuracy-Stability Index on real ImageNet networks."""

import csv
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import mean_interval
from kit import main
from two_factor import conditions, published_protocol

from skrobust.metrics import (
    accuracy_stability_index,
    confidence_interval,
    stability_quadrant,
    stability_summary,
)

REFERENCE = "SqueezeNet 1.1"


def row(name, correct, reference):
    """Return mean, variation, index, extremes and quadrant of one network."""
    scores = correct.mean(axis=0)
    found = stability_summary(scores, reference=reference.mean(axis=0))
    interval = confidence_interval("accuracy_stability_index", correct)
    return {
        "network": name,
        "mean": found.mean,
        "CV": found.cv,
        "ASI": found.asi,
        "95 %": (interval.low, interval.high),
        "min": scores.min(),
        "max": scores.max(),
        "clean": scores[0],
        "quadrant": "reference" if correct is reference else found.quadrant,
    }


def published():
    """Return the published rows with the index that follows from mean and CV."""
    with (Path(__file__).parent / "published_asi.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    rows, clean = [], {r["network"]: r for r in table if r["trained on"] == "clean"}
    for r in table:
        mean, cv = float(r["mean %"]) / 100, float(r["cv %"]) / 100
        ref = clean[r["network"]]
        quadrant = stability_quadrant(
            mean,
            cv,
            reference_mean=float(ref["mean %"]) / 100,
            reference_cv=float(ref["cv %"]) / 100,
        )
        is_reference = r is ref
        # Two scores with this mean and variation have the index of the published row.
        asi = accuracy_stability_index([mean * (1 - cv), mean * (1 + cv)])
        rows.append(
            {
                "network": r["network"],
                "trained on": r["trained on"],
                "mean": mean,
                "CV": cv,
                "ASI": f"{asi:.6f}",
                "quadrant": "reference" if is_reference else quadrant,
                "as published": _agrees(is_reference, quadrant, r["group"]),
            }
        )
    return rows


def _agrees(is_reference, quadrant, group):
    if is_reference:
        return ""  # it is the reference of its own quadrant
    return "yes" if quadrant == group else f"no: {group}"


def orders(names, found):
    """Return the mean accuracy of pairs of factors, in each order of application.

    The interval of the difference is over pictures, the same for both orders.
    """
    grid = {c.name: i for i, c in enumerate(conditions())}
    rows = []
    for name in names:
        correct = found[name].astype(float)
        for kind, other in (
            ("GA", ("0.1", "0.15", "0.2")),
            ("R", ("RL30", "RL60", "RR30", "RR60")),
        ):
            pairs = [
                (f"SP{s}{o}", f"{o}SP{s}")
                for s in ("0.1", "0.15", "0.2")
                for o in (other if kind == "R" else [f"GA{g}" for g in other])
            ]
            first = correct[:, [grid[a] for a, _ in pairs]].mean(axis=1)
            then = correct[:, [grid[b] for _, b in pairs]].mean(axis=1)
            difference, interval = mean_interval(first - then)
            rows.append(
                {
                    "network": name,
                    "factors": f"SP with {'rotation' if kind == 'R' else 'GA'}",
                    "SP first": first.mean(),
                    "SP second": then.mean(),
                    "difference": difference,
                    "95 %": interval,
                }
            )
    return rows


def moved(rows, what):
    """Return the largest difference of the two orders and those beyond chance."""
    rows = [row for row in rows if row["factors"].endswith(what)]
    most = max(rows, key=lambda row: abs(row["difference"]))
    sure = sum(row["95 %"][0] > 0 or row["95 %"][1] < 0 for row in rows)
    return (
        f"{most['difference']:+.3f} (95 %: {most['95 %'][0]:+.3f} to "
        f"{most['95 %'][1]:+.3f}; {most['network']}; beyond chance in {sure} of "
        f"{len(rows)} networks)"
    )


def surface(names, found):
    """Return a figure of the index over mean and CV, with a point for each network."""
    figure, ax = plt.subplots(figsize=(6.5, 4.5))
    scores = [found[name].mean(axis=0) for name in names]
    top = 1.1 * max(one.std() / one.mean() for one in scores)
    m, c = np.meshgrid(np.linspace(0.005, 1, 300), np.linspace(0.001, top, 300))
    filled = ax.contourf(m, c, (m - c) / (m + c), levels=20, cmap="viridis")
    figure.colorbar(filled, ax=ax, label="ASI")
    for name in names:
        scores = found[name].mean(axis=0)
        ax.plot(
            scores.mean(), scores.std() / scores.mean(), "o", mec="white", label=name
        )
    ax.set(xlabel="mean accuracy over 69 conditions", ylabel="coefficient of variation")
    ax.legend(fontsize=8)
    return figure


def run(study):
    """Published protocol of the index on real ImageNet networks."""
    names, n, found = published_protocol(study)
    rows = [row(name, found[name], found[REFERENCE]) for name in names]
    table, both = published(), orders(names, found)
    indices = [r["ASI"] for r in rows]
    best, worst = np.argmax(indices), np.argmin(indices)
    others = [r["as published"] for r in table if r["quadrant"] != "reference"]
    low = np.floor(1000 * min(float(r["ASI"]) for r in table)) / 1000
    study.answer(
        f"{len(names)} clean-trained networks have an ASI of {indices[worst]:.2f} "
        f"({rows[worst]['network']}) to {indices[best]:.2f} "
        f"({rows[best]['network']}) on {n} pictures; the published ones, which "
        f"were tuned to ten classes, have at least {low:.3f}."
    )
    study.answer(
        "Salt and pepper first, not second, moves the mean accuracy by up to "
        f"{moved(both, 'GA')} with Gaussian noise and by up to "
        f"{moved(both, 'rotation')} with rotation."
    )
    study.answer(
        f"{others.count('yes')} of {len(others)} published rows have the quadrant that "
        "follows from their own mean and CV and from those of their reference; the "
        f"{len(table) - len(others)} references are not counted."
    )
    study.table("networks", rows, f"Networks, {n} pictures, 69 conditions")
    study.picture(
        "surface", surface(names, found), "Networks on the surface of the ASI"
    )
    study.table("orders", both, "Both orders")
    study.table("published", table, "Published means and CVs, and the index from them")


if __name__ == "__main__":
    main(run, __file__)
