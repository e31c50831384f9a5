"""Optimum regions of operation of the robust ratio, and what goes with the ratio."""

import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from attacked_tables import MODELS, measured
from draws import word
from face_clips import detected
from kit import main, shown
from ranks import tau_interval
from ratio_regions import regions_of
from small_pictures import NETS, attacked
from temperatures import cross_tempered

from skrobust.metrics import (
    compare_models,
    probability_shift,
    robustness_score,
)

DETECTORS = ("Meso4_DF", "Meso4_F2F", "MesoInception_DF")
EPS_FACES, EPS_CIFAR = 0.1, 1  # levels of 255
TOLERANCES = np.linspace(0, 0.2, 21)  # as in the source
MEASURES = ("robust ratio", "robustness score", "average confidence")
WAYS = ("as they are", "two labels or more", "the same, tempered")


def faces(study, n_clips, n_frames):
    """Return the same of the published detectors, and the clip of each face."""
    found = {}
    for name in DETECTORS:
        y, p, q = study.kept(
            detected, study.data, (n_clips, n_frames), EPS_FACES, 3, name
        )
        y, p, q = np.repeat(y, n_frames), p.reshape(-1, 2), q.reshape(-1, 2)
        found[name] = p, q, q.argmax(axis=1) == y
    return y, found, np.repeat(np.arange(n_clips), n_frames)


def cifar(study, n):
    """Return the same of published nets for CIFAR-10, plain and behind a blur."""
    found = {}
    for name in NETS[:4]:
        y, found[name] = study.kept(attacked, study.data, name, n, EPS_CIFAR)
    return y, found, None


def region_rows(task, y, found, clips):
    """Return regions in three ways, the models, and the result of the first way.

    The ways: all models; those that answer with two labels or more; the same after
    temperature scaling. The last line of the models is a constant answer.
    """
    units, table, scaled = np.arange(len(y)) if clips is None else clips, [], {}
    shifts = {name: probability_shift(p, q) for name, (p, q, _) in found.items()}
    for name, (p, q, stays) in found.items():
        clean, moved, temperatures = cross_tempered(p, q, y, units)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of probabilities that stay at 1
            scaled[name] = probability_shift(clean, moved)
        table.append(
            {
                "task": task,
                "model": name,
                "labels": len(np.unique(p.argmax(axis=1))),
                "accuracy": (p.argmax(axis=1) == y).mean(),
                "robust accuracy": stays.mean(),
                "RR(.05)": (shifts[name] <= 0.05).mean(),
                "RR(.15)": (shifts[name] <= 0.15).mean(),
                "no move": (shifts[name] < 1e-9).mean(),
                "temperatures": temperatures,
                "RR(.05), tempered": (scaled[name] <= 0.05).mean(),
                "RR(.15), tempered": (scaled[name] <= 0.15).mean(),
            }
        )
    several = [line["model"] for line in table if line["labels"] > 1]
    every = [shifts, *({name: s[name] for name in several} for s in (shifts, scaled))]
    results = [regions_of(s, clips) for s in every]
    rows = [
        {"task": task, "way": way} | row
        for way, (row, _) in zip(WAYS, results, strict=True)
    ]
    share = np.unique(y, return_counts=True)[1].max() / len(y)
    ones = {key: 1.0 for key in table[0] if key.startswith(("RR", "no move"))}
    constant = {"task": task, "model": "constant", "labels": 1, "accuracy": share}
    constant |= {"robust accuracy": share, "temperatures": ""} | ones
    return rows, [*table, {key: constant[key] for key in table[0]}], results[0][1]


def accuracy_row(row, y, found, clips):
    """Return how much less accurate than the best the model of the widest region is."""
    right = {name: p.argmax(axis=1) == y for name, (p, _, _) in found.items()}
    best = max(right, key=lambda name: right[name].mean())
    line = {"task": row["task"], "widest": row["widest"], "most accurate": best}
    if best == row["widest"] or row["widest"] == "none":
        return line | {"lacks": 0.0, "95 %": (0.0, 0.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few clips
        pair = compare_models(
            {name: right[name] for name in (best, row["widest"])}, clusters=clips
        )
    limits = float(pair["low"][0]), float(pair["high"][0])
    return line | {"lacks": float(pair["difference"][0]), "95 %": limits}


def relations(task, y, found, clips, n_resamples):
    """Return how robust ratio, score and confidence agree over models and classes.

    A model that misses a class on clean rows has no robustness score there and is left
    out for it. Rows are drawn, of faces whole clips.
    """
    kinds, names = np.unique(y), list(found)
    units = np.arange(len(y)) if clips is None else clips
    members = [np.flatnonzero(units == unit) for unit in np.unique(units)]
    within = {}
    for name, (p, q, _) in found.items():
        shift = probability_shift(p, q)
        within[name] = (shift[:, None] <= TOLERANCES + 1e-6).mean(axis=1)

    def scores(drawn, measure):
        rows, values = np.concatenate([members[i] for i in drawn]), []
        for name in names:
            p, _, stays = found[name]
            for kind in kinds:
                own = rows[y[rows] == kind]
                clean = (p[own].argmax(axis=1) == kind).mean() if len(own) else 0
                if not clean:
                    values.append(np.nan)
                elif measure == "robust ratio":
                    values.append(within[name][own].mean())
                elif measure == "robustness score":
                    values.append(robustness_score([stays[own].mean()], clean))
                else:
                    values.append(p[own, kind].mean())
        return np.array(values)

    everything = np.arange(len(members))
    known, rows = np.isfinite(scores(everything, MEASURES[0])), []
    for first, second in (MEASURES[:2], MEASURES[::2], MEASURES[1:]):
        value, limits = tau_interval(
            lambda r, m=first: scores(r, m)[known],
            lambda r, m=second: scores(r, m)[known],
            len(members),
            n_resamples=n_resamples,
        )
        rows.append(
            {
                "task": task,
                "first": first,
                "second": second,
                "models x classes": int(known.sum()),
                "tau": value,
                "95 %": limits,
            }
        )
    return rows


def picture(results):
    """Return a figure of the curves, thick where a model leads beyond chance."""
    n_rows = 1 + (len(results) > 3)
    shape = n_rows, -(-len(results) // n_rows)
    size = 3.2 * shape[1], 3.2 * n_rows
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained")
    for ax, (task, result) in zip(np.ravel(axes), results.items(), strict=False):
        for i, name in enumerate(result["models"]):
            ratio = result["ratios"][:, i]
            (line,) = ax.plot(result["tolerance"], ratio, lw=1, label=name)
            leads = np.where(result["leader"] == name, ratio, np.nan)
            ax.plot(result["tolerance"], leads, lw=4, color=line.get_color())
        ax.set(title=task, xlabel="tolerance", ylim=(0, 1.02))
        ax.legend(fontsize=6)
    for ax in np.reshape(axes, shape)[:, 0]:
        ax.set_ylabel("robust ratio")
    return figure


def of_regions(rows, models):
    """Return the line of the answer on regions, how many remain, and the rest of it."""
    part = {way: [row for row in rows if row["way"] == way] for way in WAYS}
    proved = [(row["task"], row["widest"]) for row in part[WAYS[0]] if row["remain"]]
    single = {(m["task"], m["model"]) for m in models if m["labels"] == 1}
    constant = [task for task, name in proved if (task, name) in single]
    sums = {way: [sum(r[k] for r in part[way]) for k in ("by eye", "remain")]
            for way in WAYS}  # fmt: skip
    text = ", ".join(
        f"{row['task']} {row['leaders']}" for row in part[WAYS[2]] if row["remain"]
    )
    return (
        f"Of {sums[WAYS[0]][0]} regions of operation that the highest robust ratio "
        f"draws in {len(part[WAYS[0]])} tasks, {sums[WAYS[0]][1]} remain where a model "
        "leads all others by more than chance (simultaneous 95 % limits); in "
        f"{' and '.join(constant) or 'no task'} it is a model that gives all rows one "
        "label, as a constant answer, whose ratio is 1.",
        "Without such models "
        f"{sums[WAYS[1]][1]} of {sums[WAYS[1]][0]} remain, and after temperature "
        f"scaling {sums[WAYS[2]][1]} of {sums[WAYS[2]][0]} ({text or 'none'}).",
    )


def of_accuracy(rows, models, accuracies):
    """Return the answer on the accuracy of the models of the widest regions."""
    less = [row for row in accuracies if row["95 %"][0] > 0]
    some = [r for r in accuracies if r not in less and r["lacks"] > 0]
    none = [r["task"] for r in rows if r["way"] == WAYS[0] and not r["remain"]]

    def text(lines):
        return ", ".join(f"{r['task']} {r['lacks']:.3f} {shown(r['95 %'])}"
                         for r in lines)  # fmt: skip

    robust = {(m["task"], m["model"]): m["robust accuracy"] for m in models}
    best = [
        row["task"]
        for row in accuracies
        if robust.get((row["task"], row["widest"]), 0)
        < max(v for (t, m), v in robust.items() if t == row["task"] and m != "constant")
    ]
    return (
        "The model with the widest region is less accurate than the best one beyond "
        f"chance (paired 95 % intervals) in {len(less)} of {len(accuracies)} tasks: "
        f"{text(less) or 'none'}; not told apart: {text(some) or 'none'}. It is not "
        f"the one of the highest robust accuracy in {len(best)} "
        f"({', '.join(best) or 'none'}). No region is beyond chance in "
        f"{' and '.join(none) or 'no task'}, where the widest is one by eye."
    )


def of_agreement(agreement, second):
    """Return the answer on what goes with the mean robust ratio."""
    pair = MEASURES[0], second
    own = [r for r in agreement if (r["first"], r["second"]) == pair]
    texts = {}
    for r in own:
        verdict = word(r["95 %"], above="above 0", below="below 0", open_="open")
        limits = f"({r['95 %'][0]:.2f} to {r['95 %'][1]:.2f})"
        texts.setdefault(verdict, []).append(f"{r['task']} {r['tau']:.2f} {limits}")
    text = "; ".join(
        f"{verdict} in {len(texts[verdict])} of {len(own)} tasks: "
        f"{', '.join(texts[verdict])}"
        for verdict in ("above 0", "below 0", "open")
        if verdict in texts
    )
    return (
        "Kendall's tau over models and classes between the mean robust ratio and the "
        f"{second} (95 % intervals) is {text}."
    )


def run(study):
    """Optimum regions of operation of the robust ratio."""
    tasks = ["breast cancer", "digits"]
    tasks += [] if study.quick or not study.packages else ["pima", "saheart"]
    names, most = list(MODELS)[: study.size(None, 3)], study.size(400, 60)
    found = {}
    for task in tasks:
        packages = study.packages if task in ("pima", "saheart") else None
        found[task] = *study.kept(measured, task, packages, names, most), None
    if not study.quick:
        found["CIFAR-10"] = cifar(study, 200)
        found["faces"] = faces(study, 30, 2)
    rows, models, accuracies, results, agreement = [], [], [], {}, []
    for task, (y, of_models, clips) in found.items():
        three, lines, results[task] = region_rows(task, y, of_models, clips)
        rows, models = rows + three, models + lines
        accuracies.append(accuracy_row(three[0], y, of_models, clips))
        agreement += relations(task, y, of_models, clips, study.size(300, 10))
    study.answer(*of_regions(rows, models))
    study.answer(of_accuracy(rows, models, accuracies))
    for second in MEASURES[1:]:
        study.answer(of_agreement(agreement, second))
    study.table("regions", rows, "Regions of operation, tolerances 0 to 0.2")
    study.table("models", models, "Models: accuracy beside ratios, and temperatures")
    study.table("accuracies", accuracies, "Accuracy of the model of the widest region")
    study.picture("curves", picture(results), "Robust ratio, thick where a model leads")
    study.table("agreement", agreement, "Agreement over models and classes")


if __name__ == "__main__":
    main(run, __file__)
