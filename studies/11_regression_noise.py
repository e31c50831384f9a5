"""Does normalized R2 of noisy data tell R2 out of sample better than raw R2?"""

import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import mean_interval, rank_intervals, word
from joblib import Parallel, delayed
from kit import main, shown
from label_scores import order, regret
from learning_curves import as_numbers
from sklearn.datasets import make_friedman1, make_friedman2, make_regression
from sklearn.linear_model import LinearRegression, RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor
from tables import drawn_together, regression

from skrobust.metrics import normalized_r2_score

STRENGTHS, SIZES, SHIFTS, FRESH = (0, 0.5, 1, 2), (40, 150), (0, 1, 3, 10), 1000
KINDS = ("raw", "raw, from 0", "normalized", "normalized, centred")
TARGETS = ("noise-free", "noisy")
MODELS = {
    "linear": LinearRegression(),
    "ridge": RidgeCV(),
    "5 neighbours": KNeighborsRegressor(),
    "SVM": SVR(),
    "tree": DecisionTreeRegressor(min_samples_leaf=3, random_state=0),
}


def sources(study):
    """Yield name, rows and targets: three made tables, and public ones."""
    seed = {"n_samples": 1500, "random_state": 0}
    yield "Friedman 1", *make_friedman1(n_features=10, **seed)
    yield "Friedman 2", *make_friedman2(**seed)
    yield "linear, 30", *make_regression(n_features=30, n_informative=8, **seed)
    for name, X, y in regression(study.packages):
        if len(y) >= 2 * SIZES[-1]:
            yield name, as_numbers(X), np.asarray(y, dtype=float)


def scores(y, predicted, d, n):
    """Return raw and normalized scores of one model on a test part."""
    of = {"n_features": d, "n_samples": n}
    normalized = [
        normalized_r2_score(y, predicted, center=c, **of) for c in (False, True)
    ]
    raw = r2_score(y, predicted)
    return dict(zip(KINDS, [raw, max(0.0, raw), *normalized], strict=True))


def measured(X, y, strength, size, n_repeats):
    """Return, for each repeat and model, scores, shifted scores and R2 out of sample.

    The spread of the noise is ``strength`` times that of the targets. A shift is a
    constant, in spreads of the targets, that is added to centred targets and to what
    the model says of them.
    """
    found = []
    for repeat in range(n_repeats):
        rng = np.random.default_rng((repeat, size, int(10 * strength)))
        rows = rng.permutation(len(y))[: size + FRESH]
        of, fresh, spread = rows[:size], rows[size:], y.std()
        noisy = y + strength * spread * rng.normal(size=len(y))
        train, test = train_test_split(of, test_size=0.3, random_state=repeat)
        for name, model in MODELS.items():
            # Both sides are scaled, which a support vector machine needs.
            mean, scale = noisy[train].mean(), noisy[train].std()
            model = make_pipeline(StandardScaler(), model)
            model.fit(X[train], (noisy[train] - mean) / scale)
            on_test = model.predict(X[test]) * scale + mean
            on_fresh = model.predict(X[fresh]) * scale + mean
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # clipped to 1
                one = scores(noisy[test], on_test, X.shape[1], size)
                for shift in SHIFTS:
                    moved = shift * spread - y.mean()
                    by_shift = scores(
                        noisy[test] + moved, on_test + moved, X.shape[1], size
                    )
                    one |= {(shift, kind): by_shift[kind] for kind in KINDS}
            one["noise-free"] = r2_score(y[fresh], on_fresh)
            one["noisy"] = r2_score(noisy[fresh], on_fresh)
            found.append({"model": name, "repeat": repeat, **one})
    return found


def across(cases, n_repeats, what):
    """Return how scores tell R2 out of sample over tables, sizes, noise and models."""
    rows = []
    grid = {k: np.array([c[k] for c in cases]).reshape(-1, n_repeats) for k in KINDS}
    groups = drawn_together(c["table"] for c in cases[::n_repeats])
    for target in TARGETS:
        truth = np.array([c[target] for c in cases]).reshape(-1, n_repeats)
        against = {k: rank_intervals(grid, truth, k, groups) for k in KINDS[:2]}
        for kind, (value, limits, _) in against["raw"].items():
            row = {"data": what, "R2 out of sample": target, "score": kind}
            row |= {"rank correlation": value, "95 %": limits}
            rows.append(row | {f"minus {k}": of[kind][2] for k, of in against.items()})
    return rows


def within(cases):
    """Return how scores order the models of one data set, and what their pick lacks."""
    runs = {}
    for c in cases:
        key = (c["table"], c["strength"], c["size"], c["repeat"])
        runs.setdefault(key, []).append(c)
    rows = []
    for kind in KINDS:
        row, names = {"score": kind}, drawn_together(key[0] for key in runs)
        for target in TARGETS:
            pairs = [
                ([c[kind] for c in own], [c[target] for c in own])
                for own in runs.values()
            ]
            lost = [regret(score, np.clip(truth, 0, 1)) for score, truth in pairs]
            for what, values in (
                ("tau", [order(*pair) for pair in pairs]),
                ("R2 lost by the pick", lost),
            ):
                value, limits = mean_interval(values, names)
                row |= {f"{what}, {target}": value, f"95 %, {what}, {target}": limits}
        rows.append(row)
    return rows


def run(study):
    n_repeats, tables = study.size(5, 2), {n: (X, y) for n, X, y in sources(study)}
    strengths = study.size(STRENGTHS, (0, 1))
    todo = [(t, s, n) for t in tables for s in strengths for n in SIZES]
    found = Parallel(n_jobs=study.jobs)(
        delayed(study.kept)(measured, *tables[t], s, n, n_repeats) for t, s, n in todo
    )
    cases = [
        {"table": t, "strength": s, "size": n, **one}
        for (t, s, n), ones in zip(todo, found, strict=True)
        for one in sorted(ones, key=lambda one: (one["model"], one["repeat"]))
    ]
    rows = across(cases, n_repeats, "all")
    for strength in strengths:
        own = [c for c in cases if c["strength"] == strength]
        rows += across(own, n_repeats, f"noise {strength}")
    total = {(r["R2 out of sample"], r["score"]): r for r in rows[: 2 * len(KINDS)]}
    for target in TARGETS[::-1]:
        found = [total[target, kind] for kind in KINDS]
        start = word(
            found[2]["minus raw"],
            above="Yes, normalized R2 tells more than raw R2",
            below="No, normalized R2 tells less than raw R2",
            open_="Normalized R2 is not shown to tell more or less than raw R2",
        )
        text = ", ".join(
            f"{r['score']} {r['rank correlation']:.3f} {shown(r['95 %'])}"
            for r in found
        )
        study.answer(
            f"{start} about R2 on fresh {target} targets: rank correlation over "
            f"{len(tables)} tables, noise, sizes and models: {text} (normalized minus "
            f"raw, 95 %: {shown(found[2]['minus raw'])}; centred minus raw "
            f"{shown(found[3]['minus raw'])})."
        )
        lost = [found[0]["rank correlation"] - r["rank correlation"] for r in found]
        study.answer(
            f"Of the {lost[2]:.3f} that normalized lacks there, the clip at 0 alone, "
            f"that of raw, from 0, costs {lost[1]:.3f}, and the factors the rest "
            "(normalized minus raw, from 0, 95 %: "
            f"{shown(found[2]['minus raw, from 0'])})."
        )
    orders, shifts = within(cases), []
    text = ", ".join(f"{r['score']} {r['tau, noisy']:.3f}" for r in orders)
    pick = ", ".join(
        f"{r['score']} {r['R2 lost by the pick, noisy']:.3f}" for r in orders
    )
    study.answer(
        f"Order of the models of one data set, tau with fresh noisy rows: {text}; R2 "
        f"that the pick of the highest score lacks there: {pick}."
    )
    for shift in SHIFTS:
        means = {k: np.mean([c[shift, k] for c in cases]) for k in KINDS[2:]}
        clamped = np.mean([c[shift, "normalized"] >= 1 for c in cases])
        row = {"mean of y, in spreads": shift} | means
        shifts.append(row | {"normalized at 1": clamped})
    ends = {kind: [shifts[i][kind] for i in (0, -1)] for kind in KINDS[2:]}
    text = ", ".join(f"{k} from {a:.3f} to {b:.3f}" for k, (a, b) in ends.items())
    study.answer(
        f"Mean scores when a constant of {SHIFTS[-1]} spreads is added to centred "
        f"targets and answers: {text}."
    )
    study.table("rank_correlations", rows, "What scores tell of R2 out of sample")
    study.table("orders", orders, "Order and pick of the models of one data set")
    study.table("shifts", shifts, "Mean scores when a constant is added to the targets")
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
    for ax, kind in zip(axes, KINDS[1:], strict=True):
        for strength in strengths:
            own = [c for c in cases if c["strength"] == strength]
            pair = [np.clip([c[k] for c in own], -0.2, 1) for k in (kind, "noisy")]
            ax.plot(*pair, ".", ms=3, alpha=0.5, label=f"noise {strength}")
        ax.set(xlabel=kind, ylabel="R2 on fresh rows")
    axes[0].legend(fontsize=7)
    study.picture("scores", figure, "Scores of small data sets and R2 on fresh rows")


if __name__ == "__main__":
    main(run, __file__)
