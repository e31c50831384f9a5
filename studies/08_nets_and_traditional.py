"""Does the normalized metric order small nets and traditional models differently?"""

import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import LIMITS, drawn_rows, mean_interval, word
from joblib import Parallel, delayed
from kit import main, shown
from label_scores import KINDS, label_scores, order, regret, ties
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from skrobust.nets import small_cnn_classifier

SIZES, SOURCES, STEPS, BATCH = (50, 100, 200, 500, 1000), ("digits", "MNIST"), 300, 128
SIDES = {"digits": 8, "MNIST": 14}


def models(side, n_rows):
    """Return unfitted models, the nets last; at least 300 steps and 30 passes."""
    seed = {"random_state": 0}
    epochs = max(30, round(STEPS / np.ceil(n_rows / BATCH)))
    scaled = [
        LogisticRegression(max_iter=1000),
        SVC(),
        MLPClassifier((100,), max_iter=300, **seed),
    ]
    logistic, svm, mlp = [make_pipeline(MinMaxScaler(), model) for model in scaled]
    return {
        "logistic": logistic,
        "SVM": svm,
        "forest": RandomForestClassifier(100, **seed),
        "boosting": HistGradientBoostingClassifier(max_iter=25, **seed),
        "MLP": mlp,
        "CNN": small_cnn_classifier((side, side), 10, epochs=epochs),
    }


def pictures(source, folder):
    """Return flat pictures and labels in a random order; MNIST at half its width."""
    if source == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        with np.load(folder / "mnist" / "mnist10k.npz") as file:
            X, y = file["X"].astype(float), file["y"]
        X = X.reshape(len(X), 14, 2, 14, 2).mean(axis=(2, 4)).reshape(len(X), -1)
    rows = np.random.default_rng(0).permutation(len(y))
    return X[rows].astype(np.float32), y[rows].astype(np.int64)


def fitted(source, X, y):
    """Yield name and fitted model."""
    for name, model in models(SIDES[source], len(y)).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            yield name, model.fit(X, y)


def large(source, folder, n_pool):
    """Return the accuracy of each model of all rows of the pool, on all others."""
    X, y = pictures(source, folder)
    models = fitted(source, X[:n_pool], y[:n_pool])
    return [accuracy_score(y[n_pool:], m.predict(X[n_pool:])) for _, m in models]


def small(source, folder, n_pool, size, repeat):
    """Return each kind of score of each model on one data set of the pool."""
    X, y = pictures(source, folder)
    rows = np.random.default_rng((size, repeat)).permutation(n_pool)[:size]
    X, y = X[rows], y[rows]
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=repeat
    )
    of = {"n_features": X.shape[1], "y": y}
    found = [
        label_scores(y_test, model.predict(X_test), **of)
        for _, model in fitted(source, X_train, y_train)
    ]
    return {kind: np.array([one[kind] for one in found]) for kind in KINDS}


def right_pairs(cases, kind):
    """Return how many pairs a score orders rightly, and how many there are.

    Arrays over two data sets. A pair is of two models of one source, on data sets of
    different sizes, whose accuracies on large samples differ; ties count half.
    """
    right, of = np.zeros((2, len(cases), len(cases)))
    for i, one in enumerate(cases):
        apart = np.sign(np.subtract.outer(one["target"], one["target"]))
        for j, other in enumerate(cases):
            if one["source"] == other["source"] and one["size"] != other["size"]:
                gap = np.subtract.outer(one[kind], other[kind])
                by_score = np.where(np.abs(gap) < 1e-12, 0, np.sign(gap))
                right[i, j] = ((1 + by_score * apart) / 2)[apart != 0].sum()
                of[i, j] = (apart != 0).sum()
    return right, of


def across_sizes(cases, kind):
    """Return the share of pairs in the right order, and those of drawn data sets.

    A pair counts as often as both of its data sets are drawn.
    """
    right, of = right_pairs(cases, kind)
    times = [
        np.bincount(rows, minlength=len(cases))
        for rows in drawn_rows(np.arange(len(cases)))
    ]
    draws = [(n @ right @ n, n @ of @ n) for n in times]
    return right.sum() / of.sum(), np.array([a / b for a, b in draws if b])


def summary(cases, key):
    """Return one row for each kind of score: order, pick, ties, with intervals."""
    rows = []
    for kind in KINDS:
        tau, tau_limits = mean_interval([order(c[kind], c["target"]) for c in cases])
        lost, limits = mean_interval([regret(c[kind], c["target"]) for c in cases])
        row = {"data sets": key, "score": kind, "tau with large": tau}
        row |= {"95 %": tau_limits, "accuracy lost by the pick": lost}
        tied = np.mean([ties(c[kind]) for c in cases])
        rows.append(row | {"95 %, lost": limits, "pairs tied": tied})
    return rows


def run(study):
    sizes = study.size(SIZES, (50, 200))
    n_repeats, n_pool = study.size(8, 1), study.size(2000, 600)
    pools = {"digits": 1000, "MNIST": n_pool}
    targets = {s: study.kept(large, s, study.data, pools[s]) for s in SOURCES}
    todo = [
        (s, n, r)
        for r in range(n_repeats)
        for n in sizes
        for s in SOURCES
        if 2 * n <= pools[s]  # or all data sets of a size would be nearly the same
    ]
    found = Parallel(n_jobs=study.jobs)(
        delayed(study.kept)(small, s, study.data, pools[s], n, r) for s, n, r in todo
    )
    cases = [
        {"source": s, "size": n, "target": np.array(targets[s]), **scores}
        for (s, n, _), scores in zip(todo, found, strict=True)
    ]
    rows = summary(cases, "all")
    for n in sizes:
        rows += summary([c for c in cases if c["size"] == n], f"{n} rows")
    names = list(models(8, 100))
    agree, near = mean_interval([order(c["raw"], c["not clipped"]) for c in cases])
    lost = [[regret(c[k], c["target"]) for k in ("normalized", "raw")] for c in cases]
    moved, moved_limits = mean_interval(-np.diff(lost).ravel())
    of = {row["score"]: row for row in rows[: len(KINDS)]}
    lacks = {kind: row["accuracy lost by the pick"] for kind, row in of.items()}
    start = word(
        moved_limits,
        above="The normalized score picks worse than the raw score",
        below="The normalized score picks better than the raw score",
        open_="The normalized score picks neither better nor worse than the raw one",
    )
    study.answer(
        f"{start}: over {len(cases)} data sets the model of the highest normalized "
        f"score lacks {lacks['normalized']:.3f} of the best accuracy on large samples "
        f"({lacks['not clipped']:.3f} before it is clipped), that of the raw score "
        f"{lacks['raw']:.3f} (difference {moved:+.3f}, 95 %: {shown(moved_limits)})."
    )
    study.answer(
        "Before it is clipped the normalized score orders the models of a data set "
        f"with tau {agree:.3f} {shown(near)} to accuracy; clipped it ties "
        f"{of['normalized']['pairs tied']:.2f} of the pairs, accuracy "
        f"{of['raw']['pairs tied']:.2f}."
    )
    gap = {s: np.max(t[-2:]) - np.max(t[:-2]) for s, t in targets.items()}
    text = ", ".join(f"{value:+.3f} on {s}" for s, value in gap.items())
    study.answer(f"Best net minus best traditional model, large samples: {text}.")
    found = {kind: across_sizes(cases, kind) for kind in KINDS}
    pairs = []
    for kind, (share, draws) in found.items():
        row = {"score": kind, "in the right order": share}
        row["95 %"] = tuple(np.percentile(draws, LIMITS))
        for source in SOURCES:
            own = [c for c in cases if c["source"] == source]
            row[source] = across_sizes(own, kind)[0]
        less = draws - found["raw"][1]
        pairs.append(row | {"minus raw": tuple(np.percentile(less, LIMITS))})
    text = ", ".join(
        f"{p['score']} {p['in the right order']:.3f} {shown(p['95 %'])}" for p in pairs
    )
    study.answer(
        "Two models that differ in accuracy on large samples and are scored on data "
        "sets of different sizes are in the right order in a share of (0.5 is chance, "
        f"95 %): {text}; normalized minus raw, 95 %: {shown(pairs[1]['minus raw'])}."
    )
    at_large = zip(names, *targets.values(), strict=True)
    larges = [dict(zip(("model", *SOURCES), row, strict=True)) for row in at_large]
    study.table("orders", rows, "Order and pick of models by scores of small data sets")
    study.table("across", pairs, "Models that are scored on different sizes")
    study.table("large", larges, "Accuracy of the models on large samples")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True)
    for ax, source in zip(axes, SOURCES, strict=True):
        for i, name in enumerate(names):
            for kind, line in (("raw", "-"), ("normalized", ":")):
                of = [c for c in cases if c["source"] == source]
                own = [n for n in sizes if any(c["size"] == n for c in of)]
                values = [[c[kind][i] for c in of if c["size"] == n] for n in own]
                means, label = np.mean(values, axis=1), name * (kind == "raw")
                ax.plot(own, means, line, color=f"C{i}", label=label or None)
        ax.set(xscale="log", xlabel="rows of the data set", title=source)
        ax.set_xticks(own, own)
        ax.minorticks_off()
    axes[0].set_ylabel("raw (line), normalized (dotted)")
    axes[1].legend(fontsize=7)
    study.picture("curves", figure, "Mean scores of the models by size of the data set")


if __name__ == "__main__":
    main(run, __file__)
