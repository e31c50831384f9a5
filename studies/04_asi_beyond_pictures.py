"""Accuracy-Stability Index for tables, series and text, by two-factor grids."""

import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from kit import main
from other_inputs import LEVELS, correctness, of_numbers, of_texts, series, table, texts
from ranks import tau, tau_interval
from sklearn.dummy import DummyClassifier

from skrobust.metrics import accuracy_stability_index, confidence_interval
from skrobust.perturbations import (
    FeatureNoise,
    Gap,
    OCRErrors,
    Outliers,
    ScaleDrift,
    Smoothing,
    Spikes,
    TimeShift,
    Truncation,
    Typos,
    WordDrop,
    two_factor_grid,
)

PAIRS = {
    "table": [(FeatureNoise(), ScaleDrift()), (FeatureNoise(), Outliers())],
    "series": [
        (Spikes(), TimeShift()),
        (Spikes(), Gap(fill="hold")),
        (Spikes(), Smoothing()),
    ],
    "text": [(Typos(), WordDrop()), (OCRErrors(), Truncation())],
}
CONSTANT = "always the commonest class"


def orders():
    """Return positions of the conditions of each order, and of its pairs alone."""
    pair = [(FeatureNoise(), LEVELS), (ScaleDrift(), LEVELS)]  # any two factors

    def of(**options):
        return [c.number - 1 for c in two_factor_grid(*pair, **options)]

    first, pairs = of(both_orders=False), of(include="pairs")[1:]
    after = [0] + [i for i in of() if i not in first]
    half = len(pairs) // 2
    return first, after, pairs[:half], pairs[half:]


def interval(function, n, n_resamples):
    """Return the percentile interval of a function of rows over drawn rows."""
    rng = np.random.default_rng(0)
    draws = [function(rng.integers(n, size=n)) for _ in range(n_resamples)]
    return tuple(float(v) for v in np.percentile(draws, [2.5, 97.5]))


def of_constant(data, n_conditions):
    """Return the correctness of a model that no condition changes, by its nature."""
    X, X_test, y, y_test = data
    model = DummyClassifier(strategy="most_frequent").fit(X, y)
    right = model.predict(X_test) == y_test
    return np.repeat(right[:, None], n_conditions, axis=1)


def grid_row(kind, names, found, constant, n_resamples):
    """Return agreement with the mean and the part of the order, for one grid."""
    n, models = len(next(iter(found.values()))), list(found)
    first, after, pairs, swapped = orders()

    def index(places):
        return lambda rows: [
            accuracy_stability_index(found[m][rows][:, places].mean(axis=0))
            for m in models
        ]

    def mean(rows):
        return [found[m][rows].mean() for m in models]

    def clean(rows):
        return [found[m][rows, 0].mean() for m in models]

    def moved(rows):
        of = [found[m][rows] for m in models]
        return np.mean([c[:, pairs].mean() - c[:, swapped].mean() for c in of])

    everything = list(range(found[models[0]].shape[1]))
    whole = index(everything)
    with_mean, of_mean = tau_interval(whole, mean, n, n_resamples=n_resamples)
    with_clean, of_clean = tau_interval(whole, clean, n, n_resamples=n_resamples)
    of_orders, of_both = tau_interval(
        index(first), index(after), n, n_resamples=n_resamples
    )
    values, means = whole(np.arange(n)), mean(np.arange(n))
    index_of_it = accuracy_stability_index(constant.mean(axis=0))
    return {
        "input": kind,
        "factors A, B": names,
        "rows": n,
        "lowest ASI": min(values),
        "highest": max(values),
        "tau with mean": with_mean,
        "95 %": of_mean,
        "tau with clean": with_clean,
        "95 %, clean": of_clean,
        "A first - B first": moved(np.arange(n)),
        "95 %, order": interval(moved, n, n_resamples),
        "tau of orders": of_orders,
        "95 %, orders": of_both,
        "ASI of the constant": index_of_it,
        "its mean": constant.mean(),
        "lowest mean": min(means),
        "tau with mean, with it": tau(
            [*values, index_of_it], [*means, constant.mean()]
        ),
    }


def model_rows(kind, names, found):
    """Return mean, extremes, index and its interval of each model on one grid."""
    rows = []
    for model, correct in found.items():
        scores = correct.mean(axis=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # doubts are in the column "noise"
            limits = confidence_interval("accuracy_stability_index", correct)
        rows.append(
            {
                "input": kind,
                "factors": names,
                "model": model,
                "clean": scores[0],
                "mean": scores.mean(),
                "lowest": scores.min(),
                "ASI": accuracy_stability_index(scores),
                "without noise": limits.value,
                "95 %": (limits.low, limits.high),
            }
        )
    return rows


def picture(details):
    """Return a figure of the index over the mean accuracy, by kind of input."""
    figure, axes = plt.subplots(1, len(PAIRS), figsize=(10, 3.4), sharey=True)
    for ax, kind in zip(axes, PAIRS, strict=True):
        own = [row for row in details if row["input"] == kind]
        for names in dict.fromkeys(row["factors"] for row in own):
            points = [(r["mean"], r["ASI"]) for r in own if r["factors"] == names]
            *points, of_it = points  # the constant model is the last, alike in all
            ax.plot(*np.transpose(points), "o", alpha=0.7, label=names)
        ax.plot(*of_it, "kx", label=CONSTANT)
        ax.set(title=kind, xlabel="mean accuracy")
        ax.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.17))
    axes[0].set_ylabel("ASI")
    return figure


def run(study):
    """Accuracy-Stability Index for tables, series and text."""
    tasks = {
        "table": (of_numbers(), table()),
        "series": (of_numbers(), series(study.data)),
        "text": (of_texts(), texts(study.size(500, 100))),
    }
    n_resamples, grids, details = study.size(500, 20), [], []
    for kind, (models, data) in tasks.items():
        for pair in PAIRS[kind][: study.size(None, 1)]:
            chosen = dict(list(models.items())[: study.size(None, 5)])
            found = study.kept(correctness, chosen, data, pair)
            names = ", ".join(type(one).__name__ for one in pair)
            constant = of_constant(data, len(orders()[0]) + len(orders()[1]) - 1)
            grids.append(grid_row(kind, names, found, constant, n_resamples))
            details += model_rows(kind, names, {**found, CONSTANT: constant})
    low = min(grids, key=lambda row: row["tau with mean"])
    high = max(grids, key=lambda row: row["tau with mean"])
    alike = [row for row in grids if row["95 %"][0] > 0]
    below = sum(row["highest"] < row["ASI of the constant"] for row in grids)
    study.answer(
        f"Over {len(grids)} grids of tables, series and text the ASI orders the models "
        f"as their mean accuracy does with a tau of {low['tau with mean']:.2f} (95 %: "
        f"{low['95 %'][0]:.2f} to {low['95 %'][1]:.2f}; {low['input']}, "
        f"{low['factors A, B']}) to {high['tau with mean']:.2f} "
        f"({high['95 %'][0]:.2f} to {high['95 %'][1]:.2f}; {high['input']}, "
        f"{high['factors A, B']}); in {len(alike)} of them it is above 0 by more than "
        "chance. A model that always gives the commonest class has a higher ASI than "
        f"all of them in {below} of {len(grids)} grids."
    )
    found = [r for r in grids if r["95 %, order"][0] > 0 or r["95 %, order"][1] < 0]
    most = max(grids, key=lambda row: abs(row["A first - B first"]))
    study.answer(
        "The order of the factors changes the mean accuracy by more than chance in "
        f"{len(found)} of {len(grids)} grids (the largest change is "
        f"{most['A first - B first']:.3f}, 95 %: {most['95 %, order'][0]:.3f} to "
        f"{most['95 %, order'][1]:.3f}; "
        f"{most['factors A, B']}); the models are ordered alike by the two halves with "
        f"a tau of {min(row['tau of orders'] for row in grids):.2f} or more."
    )
    least = min(grids, key=lambda row: row["lowest mean"] - row["its mean"])
    with_it = [row["tau with mean, with it"] for row in grids]
    study.answer(
        "The model that always gives the commonest class has an ASI of "
        f"{least['ASI of the constant']:.3f} (the highest of another model is "
        f"{max(row['highest'] for row in grids):.3f}), with a mean accuracy of "
        f"{least['its mean']:.3f} where the lowest of a model is "
        f"{least['lowest mean']:.3f} ({least['input']}, {least['factors A, B']}); with "
        f"it among the models the tau with the mean is {min(with_it):.2f} to "
        f"{max(with_it):.2f}."
    )
    models = [row for row in details if row["model"] != CONSTANT]
    width = np.median([row["95 %"][1] - row["95 %"][0] for row in models])
    gap = np.median([row["highest"] - row["lowest ASI"] for row in grids])
    study.answer(
        f"The index of one model is known to within {width:.2f} (median width of the "
        f"intervals), where the models of a grid differ by {gap:.2f} (median range)."
    )
    study.table("grids", grids, "Grids of two factors, 31 conditions each")
    study.table("models", details, "Models")
    study.picture("surface", picture(details), "ASI over mean accuracy")


if __name__ == "__main__":
    main(run, __file__)
