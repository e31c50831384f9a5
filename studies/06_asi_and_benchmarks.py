"""ASI on digits and CIFAR-10, against the established corruption benchmarks."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import word
from kit import main
from ranks import tau, tau_interval
from small_pictures import DIGITS, NETS, SEVERITIES, of_cifar, of_digits

from skrobust.metrics import (
    accuracy_stability_index,
    confidence_interval,
    mean_corruption_error,
)

PAIRS = {  # pairs of measures whose taus are compared over the same drawn pictures
    "list of conditions": ("benchmark, ASI", "ASI"),
    "mean in place of ASI": ("mean of asi68", "ASI"),
}
TASKS = {"digits": ("mnist_c", "logistic"), "CIFAR-10": ("cifar_c", NETS[0])}


def mce(correct, reference, n_severities):
    """Return the mean corruption error, without the clean column, or nan."""
    errors, base = (
        1 - c[:, 1:].mean(axis=0).reshape(-1, n_severities)
        for c in (correct, reference)
    )
    if not base.sum(axis=1).all():
        return np.nan  # drawn pictures of which the reference misses none
    return mean_corruption_error(errors, base, reference="reference").value


def measures(two, task):
    """Return by measure a function from rows to the score of each model."""
    ours, theirs = two
    names, reference = list(ours), TASKS[task][1]
    n_severities = 1 if task == "digits" else len(SEVERITIES)

    def benchmark_error(rows):
        base = theirs[reference][rows]
        return [-mce(theirs[m][rows], base, n_severities) for m in names]

    return {
        "ASI": lambda rows: [
            accuracy_stability_index(ours[m][rows].mean(axis=0)) for m in names
        ],
        "mean of asi68": lambda rows: [ours[m][rows].mean() for m in names],
        "clean accuracy": lambda rows: [ours[m][rows, 0].mean() for m in names],
        "benchmark, mean": lambda rows: [theirs[m][rows, 1:].mean() for m in names],
        "benchmark, mCE": benchmark_error,
        "benchmark, ASI": lambda rows: [
            accuracy_stability_index(theirs[m][rows].mean(axis=0)) for m in names
        ],
    }


def model_rows(two, task):
    """Return the scores of each model by both lists."""
    found = measures(two, task)
    everything = np.arange(len(next(iter(two[0].values()))))
    scores = {kind: score(everything) for kind, score in found.items()}
    rows = []
    for i, name in enumerate(two[0]):
        limits = confidence_interval("accuracy_stability_index", two[0][name])
        rows.append(
            {
                "pictures": task,
                "model": name,
                "clean": scores["clean accuracy"][i],
                "mean of asi68": scores["mean of asi68"][i],
                "ASI": scores["ASI"][i],
                "95 %": (limits.low, limits.high),
                "mean of benchmark": scores["benchmark, mean"][i],
                "mCE": -scores["benchmark, mCE"][i],
                "ASI of benchmark": scores["benchmark, ASI"][i],
            }
        )
    return rows


def agreement(two, task, n_resamples):
    """Return Kendall's tau of pairs of measures, with intervals over pictures."""
    found, rows = measures(two, task), []
    n = len(next(iter(two[0].values())))
    kinds = list(found)
    pairs = [(a, b) for i, a in enumerate(kinds[:3]) for b in kinds[i + 1 :]]
    for first, second in [*pairs, ("benchmark, ASI", "benchmark, mean")]:
        value, limits = tau_interval(
            found[first], found[second], n, n_resamples=n_resamples
        )
        rows.append(
            {
                "pictures": task,
                "first": first,
                "second": second,
                "tau": value,
                "95 %": limits,
            }
        )
    return rows


def paired(two, task, n_resamples):
    """Return differences of two taus with the mean of the benchmark, same pictures.

    The middle of the draws is shown beside the value of all pictures: draws repeat
    pictures, which adds noise to the scores and moves taus towards 0.
    """
    found, rows = measures(two, task), []
    n = len(next(iter(two[0].values())))
    for name, (first, second) in PAIRS.items():

        def gap(rows, pair=(first, second)):
            target = found["benchmark, mean"](rows)
            taus = [tau(found[kind](rows), target) for kind in pair]
            return taus[0] - taus[1]

        rng = np.random.default_rng(0)
        draws = [gap(rng.integers(n, size=n)) for _ in range(n_resamples)]
        low, middle, high = np.nanpercentile(draws, [2.5, 50, 97.5])
        rows.append(
            {
                "pictures": task,
                "what": name,
                "tau of": first,
                "minus tau of": second,
                "difference": gap(np.arange(n)),
                "middle of draws": float(middle),
                "95 %": (float(low), float(high)),
            }
        )
    return rows


def picture(rows):
    """Return a figure of the index over the mean accuracy of the benchmark."""
    figure, axes = plt.subplots(1, len(TASKS), figsize=(10, 4), layout="constrained")
    for ax, task in zip(axes, TASKS, strict=True):
        own = [row for row in rows if row["pictures"] == task]
        for place, row in enumerate(own):
            color = plt.colormaps["tab20"](place)
            point = row["mean of benchmark"], row["ASI"]
            ax.plot(*point, "o", color=color, label=row["model"])
        ax.set(title=task, xlabel=f"mean accuracy, {TASKS[task][0]}", ylabel="ASI")
        ax.legend(fontsize=7)
    return figure


def run(study):
    """ASI on digits and CIFAR-10, against the established corruption benchmarks."""
    names = list(DIGITS)[: study.size(None, 8)]
    sizes = study.size((3000, 500), (500, 100))
    found = {"digits": study.kept(of_digits, study.data, names, *sizes)}
    n, nets = study.size(200, 10), study.size(NETS, NETS[:4])
    found["CIFAR-10"] = [
        {m: study.kept(of_cifar, study.data, m, n, preset) for m in nets}
        for preset in ("asi68", "cifar_c")
    ]
    n_resamples, models, taus, gaps = study.size(500, 20), [], [], []
    for task, two in found.items():
        models += model_rows(two, task)
        taus += agreement(two, task, n_resamples)
        gaps += paired(two, task, n_resamples)

    def told(task, first, second):
        row = next(
            r
            for r in taus
            if (r["pictures"], r["first"], r["second"]) == (task, first, second)
        )
        low, high = row["95 %"]
        return f"{row['tau']:.2f} (95 %: {low:.2f} to {high:.2f})"

    def gap(task, what):
        row = next(r for r in gaps if (r["pictures"], r["what"]) == (task, what))
        low, high = row["95 %"]
        verdict = word(row["95 %"], above="more", below="less", open_="open")
        return (
            f"{row['difference']:+.2f} ({low:.2f} to {high:.2f}, {verdict}) on {task}"
        )

    def every(first, second):
        return " and ".join(f"{told(task, first, second)} on {task}" for task in TASKS)

    lists = [r for r in gaps if r["what"] == "list of conditions"]
    start = "That the list of conditions disagrees is not beyond chance on both:"
    if all(row["95 %"][0] > 0 for row in lists):
        start = "On both the list of conditions disagrees beyond chance:"
    study.answer(
        "Kendall's tau between the ASI and the mean accuracy of the established "
        f"benchmark is {every('ASI', 'benchmark, mean')} "
        f"({len(found['digits'][0])} and {len(found['CIFAR-10'][0])} models, "
        f"{' and '.join(preset for preset, _ in TASKS.values())}).",
        f"{start} the ASI on the conditions of the benchmark itself "
        f"agrees with it by {every('benchmark, ASI', 'benchmark, mean')}; minus that "
        "of the 69 conditions, over the same drawn pictures: "
        f"{' and '.join(gap(task, 'list of conditions') for task in TASKS)}.",
    )
    study.answer(
        "The plain mean of the 69 conditions agrees with the benchmark by "
        f"{every('mean of asi68', 'benchmark, mean')}; minus that of the ASI, over the "
        "same drawn pictures: "
        f"{' and '.join(gap(task, 'mean in place of ASI') for task in TASKS)}."
    )
    study.answer(
        "With the mean corruption error of the benchmark in place of its mean the ASI "
        f"agrees by {every('ASI', 'benchmark, mCE')}; clean accuracy alone agrees with "
        f"the mean of the benchmark by {every('clean accuracy', 'benchmark, mean')}."
    )
    text = " and ".join(
        f"{min(means):.2f} to {max(means):.2f} on {task}"
        for task in TASKS
        for means in [[r["mean of asi68"] for r in models if r["pictures"] == task]]
    )
    study.answer(
        f"Under the 69 conditions the models have mean accuracies of {text}, where "
        "guessing has 0.10: near that, the index orders models by what little is left."
    )
    study.table(
        "taus", taus, "Agreement of the orders of the models (mCE with its sign turned)"
    )
    study.table("pairs", gaps, "Differences of taus with the mean of the benchmark")
    study.table("models", models, "Models")
    study.picture("both", picture(models), "ASI over the mean of the benchmark")


if __name__ == "__main__":
    main(run, __file__)
