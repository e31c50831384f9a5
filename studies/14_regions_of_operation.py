"""Optimum regions of operation of the robust ratio, and what goes with the ratio."""

import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from attacked_tables import MODELS, measured
from face_clips import detected
from kit import main
from ranks import tau_interval
from small_pictures import NETS, attacked

from skrobust.metrics import probability_shift, robust_ratio_regions, robustness_score

DETECTORS = ("Meso4_DF", "Meso4_F2F", "MesoInception_DF")
EPS_FACES, EPS_CIFAR = 0.1, 1  # levels of 255
TOLERANCES = np.linspace(0, 0.2, 21)  # as in the source
MEASURES = ("robust ratio", "robustness score", "average confidence")


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


def region_row(task, y, found, clips):
    """Return who leads where, by eye and by more than chance; and the regions.

    A region by eye is a run of tolerances with one best model; it remains where this
    model leads beyond chance at one of them or more.
    """
    shifts = {name: probability_shift(p, q) for name, (p, q, _) in found.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of probabilities that stay at 1
        result = robust_ratio_regions(shifts, clusters=clips, random_state=0)
    regions = result["regions"]
    told = [
        f"{model} {start:.2f}-{stop:.2f}"
        for model, start, stop in zip(
            regions["model"], regions["start"], regions["stop"], strict=True
        )
    ]
    best, leads = np.asarray(result["best"]), np.asarray(result["leader"]) != ""
    run = np.cumsum(np.r_[True, best[1:] != best[:-1]])
    kinds, counts = np.unique(best[leads] if leads.any() else best, return_counts=True)
    widest = str(kinds[counts.argmax()])
    clean = {name: (p.argmax(axis=1) == y).mean() for name, (p, _, _) in found.items()}
    row = {
        "task": task,
        "models": len(found),
        "rows": len(next(iter(shifts.values()))),
        "regions by eye": int(run[-1]),
        "remain": len(np.unique(run[leads])),
        "tolerances led": leads.mean(),
        "leaders": "; ".join(told) or "none",
        "widest": widest,
        "its accuracy": clean[widest],
        "best accuracy": max(clean.values()),
        "largest class": np.unique(y, return_counts=True)[1].max() / len(y),
    }
    return row, result


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
    rows, results, agreement = [], {}, []
    for task, (y, of_models, clips) in found.items():
        row, results[task] = region_row(task, y, of_models, clips)
        rows.append(row)
        agreement += relations(task, y, of_models, clips, study.size(300, 10))
    by_eye = sum(row["regions by eye"] for row in rows)
    proved = sum(row["remain"] for row in rows)
    led = np.mean([row["tolerances led"] for row in rows])
    several = sum(len(set(r["regions"]["model"])) > 1 for r in results.values())
    study.answer(
        f"Of {by_eye} regions of operation that the highest robust ratio draws in "
        f"{len(rows)} tasks, {proved} remain where a model leads all others by more "
        f"than chance (simultaneous 95 % limits), in {led:.2f} of the tolerances on "
        f"average; in {several} of the tasks different models lead in different ones."
    )
    poor = [r for r in rows if r["its accuracy"] <= r["largest class"]]
    less = [r for r in rows if r["its accuracy"] < r["best accuracy"]]
    study.answer(
        f"The model with the widest region is less accurate than the best one in "
        f"{len(less)} of {len(rows)} tasks, and not better than the largest class in "
        f"{len(poor)}{': such a lead says little' * bool(poor)}."
    )
    for second in MEASURES[1:]:
        own = [
            r for r in agreement if r["first"] == MEASURES[0] and r["second"] == second
        ]
        text = ", ".join(
            f"{r['task']} {r['tau']:.2f} ({r['95 %'][0]:.2f} to {r['95 %'][1]:.2f})"
            for r in own
        )
        study.answer(
            "Kendall's tau over models and classes between the mean robust ratio and "
            f"the {second} (95 % intervals): {text}."
        )
    study.table("regions", rows, "Regions of operation, tolerances 0 to 0.2")
    study.picture("curves", picture(results), "Robust ratio, thick where a model leads")
    study.table("agreement", agreement, "Agreement over models and classes")


if __name__ == "__main__":
    main(run, __file__)
