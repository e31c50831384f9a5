"""Stability index over real streams: patterns, sampling interval, weights, alarms."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import LIMITS
from kit import main
from ranks import tau
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from stream_alarms import alarm_row, by_period

from skrobust.metrics import gini_stability, stability_index, stability_pattern

MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "boosting": HistGradientBoostingClassifier(max_iter=100, random_state=0),
    "naive Bayes": GaussianNB(),
}
STREAMS = {"elec": ("elec.csv", 336), "weather": ("weather.csv", 365)}  # rows a period
WEIGHTS = [(w_f, w_v) for w_f in (0, 1, 12, 88) for w_v in (0, 0.5, 2)]
HIGH, TRAINING = 0.7, 0.1  # "high" of the patterns; share of the stream to train on


def read(folder, file):
    """Return rows and labels of a stream in their order, without its time column."""
    with open(folder / "streams" / file, encoding="utf-8") as lines:
        names = lines.readline().strip().split(",")
        table = np.loadtxt(lines, delimiter=",")
    kept = [i for i, name in enumerate(names[:-1]) if name != "period"]
    return table[:, kept], table[:, -1].astype(int)


def answers(X, y, model, retrained, step):
    """Return scores of the second class for all rows after the first tenth.

    A frozen model knows that tenth alone; a retrained one is fitted again at every
    ``step`` rows on as many rows just before. No row is scored by a model that saw it.
    """
    n = int(TRAINING * len(X))
    fitted, found = model.fit(X[:n], y[:n]), []
    for start in range(n, len(X), step):
        if retrained and len(np.unique(y[start - n : start])) == 2:
            fitted = model.fit(X[start - n : start], y[start - n : start])
        found.append(fitted.predict_proba(X[start : start + step])[:, 1])
    return np.concatenate(found), y[n:]


def series_row(stream, name, kind, score, y, rows):
    """Return what the indices and the patterns say about one series."""
    correct = (score > 0.5) == y
    accuracy = by_period(correct, rows)
    n = len(accuracy)
    pattern = stability_pattern(accuracy, high=HIGH)
    return {
        "stream": stream,
        "model": name,
        "kind": kind,
        "periods": n,
        "accuracy": accuracy.mean(),
        "index": stability_index(accuracy),
        "gini stability": gini_stability(
            y[: n * rows], score[: n * rows], np.arange(n * rows) // rows
        ),
        "pattern": pattern.most_probable,
        "probability": max(pattern["probability"]),
    }


def agreement(all_correct, first, second, n_resamples):
    """Return Kendall's tau of two scores of the series of each stream, with intervals.

    Rows are resampled within their periods, jointly for all models of a stream.
    """
    row = {}
    for stream in STREAMS:
        own = [np.asarray(c) for name, c in all_correct if name == stream]
        rng, draws = np.random.default_rng(0), []
        for _ in range(n_resamples):
            chosen = rng.integers(own[0].shape[1], size=own[0].shape)
            new = [np.take_along_axis(table, chosen, axis=1) for table in own]
            draws.append(tau([first(t) for t in new], [second(t) for t in new]))
        value = tau([first(t) for t in own], [second(t) for t in own])
        limits = tuple(np.nanpercentile(draws, LIMITS))
        row |= {f"tau, {stream}": value, f"95 %, {stream}": limits}
    return row


def gini_taus(scores, y, rows, n_resamples):
    """Return tau of the index and the gini stability, of all rows and of resamples.

    ``scores`` has one array for each series of a stream.
    """
    n, found = len(y) // rows, []
    rng, times = np.random.default_rng(0), np.repeat(np.arange(n), rows)
    for k in range(n_resamples + 1):
        chosen = rng.integers(rows, size=(n, rows)) if k else np.arange(rows)
        places = (chosen + rows * np.arange(n)[:, None]).ravel()
        at = y[places]
        parts = [score[places] for score in scores]
        indices = [stability_index(by_period((p > 0.5) == at, rows)) for p in parts]
        found.append(tau(indices, [gini_stability(at, p, times) for p in parts]))
    return found


def index_of(weights=(12, 0.5), per=1, fixed=False):
    """Return the stability index as a function of a table of periods by rows.

    ``per`` neighbouring periods are joined. ``fixed`` counts time in the periods of
    the table, so that the slope keeps its unit; otherwise each joined period is a step.
    """

    def index(table):
        n = len(table) // per * per
        accuracy = table[:n].reshape(n // per, -1).mean(axis=1)
        times = np.arange(len(accuracy)) * float(per) if fixed else None
        w_f, w_v = weights
        return stability_index(
            accuracy, falling_rate_weight=w_f, variability_weight=w_v, times=times
        )

    return index


def draw_series(rows, tables):
    """Return a figure of all series, a column for each stream."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), sharey=True)
    for ax, stream in zip(axes, STREAMS, strict=True):
        for row, (_, table) in zip(rows, tables, strict=True):
            if row["stream"] != stream:
                continue
            style = "-" if row["kind"] == "retrained" else ":"
            label = f"{row['model']}, {row['kind']}: {row['index']:.2f}"
            ax.plot(table.mean(axis=1), style, lw=1, label=label)
        ax.set(title=stream, xlabel="period")
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.17), "ncols": 2}
        ax.legend(fontsize=7, title="stability index", title_fontsize=7, **below)
    axes[0].set_ylabel("accuracy")
    return figure


def with_limits(row):
    """Return the taus of both streams in words."""
    return " and ".join(
        f"{row[f'tau, {stream}']:.2f} ({row[f'95 %, {stream}'][0]:.2f} to "
        f"{row[f'95 %, {stream}'][1]:.2f}; {stream})"
        for stream in STREAMS
    )


def give_answers(study, rows, alarms, steps, weights, ginis):
    """Give the answers, from the tables."""
    patterns = [row["pattern"] for row in rows]
    counts = ", ".join(f"{patterns.count(k)} {k}" for k in sorted(set(patterns)))
    study.answer(
        f"{len(rows)} real series show {len(set(patterns))} of the four patterns "
        f"({counts})."
    )
    seen = [row for row in alarms if row["alarm at label"] != "none"]
    lower = [row for row in alarms if row["95 %"][1] < 0]
    higher = [
        f"{row['stream']}, {row['model']}, {row['kind']} "
        f"({row['later less first']:+.3f}, 95 %: {row['95 %'][0]:+.3f} to "
        f"{row['95 %'][1]:+.3f})"
        for row in seen
        if row["later less first"] > 0
    ]
    told = []
    for stream in STREAMS:
        own = [row for row in alarms if row["stream"] == stream]
        at = [row["alarm at label"] for row in own if row in seen]
        alike = [row["correlation of neighbours"] for row in own]
        most = [row for row in own if 2 * row["shuffled alarms"] >= row["shuffles"]]
        medians = [row["median label"] for row in most] or [np.nan]
        told.append(
            f"{stream}: {len(at)} alarms at labels {min(at)} to {max(at)}; neighbouring"
            f" labels are correlated by {min(alike):.2f} to {max(alike):.2f}; with the "
            f"later labels shuffled {sum(row['shuffled alarms'] for row in own)} alarms"
            f" in {sum(row['shuffles'] for row in own)} tries, at a median label of "
            f"{min(medians):.0f} to {max(medians):.0f} in the {len(most)} series where "
            "most tries have one"
        )
    study.answer(
        f"A sequential test raises an alarm in {len(seen)} of the series, which does "
        "not show a drop: it takes each label to fail with at most the rate of the "
        "first twenty periods whatever came before it, and that rate for known "
        f"({'. '.join(told)}). The later accuracy is lower by more than chance, over "
        f"drawn periods, in {len(lower)} of {len(alarms)}; alarms where it is higher: "
        f"{'; '.join(higher) or 'none'}."
    )
    study.answer(
        "Four times longer periods move the mean index from "
        f"{steps[0]['slope per step']:.2f} to {steps[2]['slope per step']:.2f}, and "
        f"with the slope per first period to {steps[2]['slope per first period']:.2f}; "
        f"the order of the models agrees with tau {with_limits(steps[2])}."
    )
    of_gini = {}
    for stream, (value, *draws) in ginis.items():
        of_gini |= {f"tau, {stream}": value}
        of_gini |= {f"95 %, {stream}": np.nanpercentile(draws, LIMITS)}
    study.answer(
        "Between the index and the gini stability the order agrees with tau "
        f"{with_limits(of_gini)}; without a weight of falls (weights 0 and .5) with "
        f"tau {with_limits(weights[1])}."
    )


def run(study):
    """Stability index over real streams: patterns, interval, weights, alarms."""
    names = list(MODELS)[:: study.size(1, 2)]  # quick: without boosting
    rows, tables, alarms, scores = [], [], [], {}
    for stream, (file, period) in STREAMS.items():
        X, y = read(study.data, file)
        for name in names:
            for kind in ("frozen", "retrained"):
                is_new = kind == "retrained"
                found = study.kept(answers, X, y, MODELS[name], is_new, period)
                rows.append(series_row(stream, name, kind, *found, period))
                correct = (found[0] > 0.5) == found[1]
                n_shuffles = study.size(20, 2)
                of = stream, name, kind, correct, period, n_shuffles
                alarms.append(study.kept(alarm_row, *of))
                n = len(correct) // period * period
                tables.append((stream, correct[:n].reshape(-1, period)))
                scores.setdefault(stream, []).append(found[0])
        labels = found[1]  # the same rows for all models
        of = scores[stream], labels, period, study.size(100, 5)
        scores[stream] = study.kept(gini_taus, *of)
    n_resamples = study.size(300, 30)
    usual = index_of()
    steps = [
        {
            "periods joined": per,
            "slope per step": np.mean([index_of(per=per)(t) for _, t in tables]),
            **agreement(tables, usual, index_of(per=per), n_resamples),
            "slope per first period": np.mean(
                [index_of(per=per, fixed=True)(t) for _, t in tables]
            ),
        }
        for per in (1, 2, 4)
    ]
    weights = [
        {
            "falling rate": pair[0],
            "variability": pair[1],
            **agreement(tables, usual, index_of(pair), n_resamples),
        }
        for pair in WEIGHTS
    ]
    give_answers(study, rows, alarms, steps, weights, scores)
    study.table("series", rows, "Series")
    study.table("alarms", alarms, "Alarms, and the later labels in shuffled order")
    study.table("periods", steps, "Length of periods")
    study.table("weights", weights, "Weights, against (12, .5)")
    study.picture(
        "series", draw_series(rows, tables), "Accuracy by period of each model"
    )


if __name__ == "__main__":
    main(run, __file__)
