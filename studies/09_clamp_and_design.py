"""How often does the clamp bind, and what does a factorial design say of stability?"""

from itertools import product

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import mean_interval, word
from joblib import Parallel, delayed
from kit import main, shown
from quick_classifiers import MODELS, cell, real
from tables import classification

from skrobust.metrics import stable_sample_size

FACTORS = {
    "rows": (20, 40, 80, 160, 320, 640),
    "columns": (5, 50, 200),
    "imbalance": (1, 4, 19),
    "separation": (1.5, 3.0, 6.0),
}
REAL_SIZES, MARGIN, FEW = (30, 100), 0.01, 5


def clamp_row(name, runs, groups):
    """Return how often the clamp binds, and what it hides.

    Hidden is a pair of models that clipping alone ties and that differ by more than
    0.01 on fresh rows; the score before it is clipped, or the accuracy of the test
    part, would have told these in the right order, or not.
    """
    bound = [np.mean(run["not clipped"] > 1) for run in runs]
    first, second = np.triu_indices(len(MODELS), 1)
    hidden, of, told = [], [], {"not clipped": [], "raw": []}
    for run, group in zip(runs, groups, strict=True):
        gap = {k: run[k][first] - run[k][second] for k in run}
        tied = (gap["normalized"] == 0) & (run["normalized"][first] == 1)
        apart = np.abs(gap["truth"]) > MARGIN
        hidden += list(apart[tied])
        of += [group] * tied.sum()
        for kind, right in told.items():
            signs = np.sign(gap[kind]) * np.sign(gap["truth"])
            right += list((signs[tied & apart] + 1) / 2)
    share, limits = over_groups(bound, groups)
    apart, apart_limits = over_groups(hidden, of)
    row = {"data": name, "data sets": len(runs), "groups": len(set(groups))}
    row |= {"clamp binds": share, "95 %": limits}
    row |= {
        "pairs tied at 1": len(of),
        "of these apart": apart,
        "95 %, apart": apart_limits,
    }
    row["hidden, of all pairs"] = np.sum(hidden) / (len(first) * len(runs))
    for kind, right in told.items():
        row[f"order right, {kind}"] = np.mean(right) if right else np.nan
    return row


def over_groups(values, groups):
    """Return a mean and its interval; fewer groups than five give none."""
    mean, limits = mean_interval(values, groups) if len(values) else (np.nan, np.nan)
    return mean, limits if len(set(groups)) >= FEW else np.nan


def stable_sizes(sizes, runs):
    """Return the stabilisation size of each model, of raw and normalized scores."""
    return {
        kind: [
            stable_sample_size(
                sizes,
                [[run[kind][i] for run in runs[n]] for n in sizes],
                tolerance=0.05,
                relative=True,
            )
            for i in range(len(MODELS))
        ]
        for kind in ("raw", "normalized")
    }


def level_row(i, level, own, lowest):
    """Return stabilisation sizes at one level of a factor, and less the lowest level.

    Settings are paired: those that differ in this factor alone.
    """
    groups = [str(e[0]) for e in own]
    share, limits = over_groups([e[1] for e in own], groups)
    row = {"factor": list(FACTORS)[i + 1], "level": level, "normalized earlier": share}
    row["95 %"] = limits
    others = [[e[0][:i] + e[0][i + 1 :] for e in es] for es in (own, lowest)]
    for kind, k in (("raw", 2), ("normalized", 3)):
        sizes, first = (np.array([e[k] for e in es]) for es in (own, lowest))
        row[f"stable from, {kind}"], more = sizes.mean(), np.nan
        if own is not lowest and others[0] == others[1]:
            more = over_groups(sizes - first, groups)[1]
        row[f"95 %, {kind} less lowest level"] = more
    return row


def level_text(rows, factor):
    """Return in words how a factor acts on the size from which scores are stable."""
    own, parts = [row for row in rows if row["factor"] == factor], []
    for kind in ("raw", "normalized"):
        sizes = ", ".join(f"{row[f'stable from, {kind}']:.0f}" for row in own)
        more = np.broadcast_to(own[-1][f"95 %, {kind} less lowest level"], 2)
        says = word(more, above="later", below="earlier", open_="not told apart")
        more = ", ".join(f"{limit:+.0f}" for limit in more)
        parts.append(f"{kind} from {sizes} rows ({says}, [{more}])")
    shares = ", ".join(f"{row['normalized earlier']:.2f}" for row in own)
    levels = ", ".join(str(row["level"]) for row in own)
    return f"By {factor} ({levels}): {'; '.join(parts)}; earlier in {shares}"


def run(study):
    sizes = study.size(FACTORS["rows"], (20, 80, 320))
    n_repeats = study.size(20, 2)
    settings = list(product(*list(FACTORS.values())[1:]))
    settings = settings[:: study.size(1, 4)]
    todo = [(n, *setting) for setting in settings for n in sizes]
    found = Parallel(n_jobs=study.jobs)(
        delayed(study.kept)(cell, *one, n_repeats) for one in todo
    )
    cells = dict(zip(todo, found, strict=True))
    flat = [(one, run) for one, runs in cells.items() for run in runs]

    def part(name, holds):
        own = [(str(one[1:]), run) for one, run in flat if holds(*one)]
        return clamp_row(name, [r for _, r in own], [group for group, _ in own])

    rows = [part("design", lambda *_: True)]
    rows.append(part("d >= N", lambda n, d, r, s: d >= n))
    rows.append(part("d >= N, balanced", lambda n, d, r, s: d >= n and r == 1))
    extreme = part("extreme", lambda n, d, r, s: d >= n and r == 1 and s == 6)
    rows.append(extreme | {"data": "d >= N, balanced, separation 6"})
    of_real = []
    for name, X, y in classification(study.packages):
        for size in REAL_SIZES:
            if len(y) >= 2 * size:
                runs = study.kept(real, X, y, size, study.size(5, 2))
                of_real += [(name, run) for run in runs]
    names, runs = zip(*of_real, strict=True)
    rows.append(clamp_row("public tables", runs, names))
    earlier, by_factor = [], []
    for setting in settings:
        both = stable_sizes(sizes, {n: cells[n, *setting] for n in sizes})
        for raw, normalized in zip(both["raw"], both["normalized"], strict=True):
            win = 0.5 if raw == normalized else float(normalized < raw)
            earlier.append((setting, win, raw, normalized))
    for i, factor in enumerate(list(FACTORS)[1:]):
        lowest = None
        for level in FACTORS[factor]:
            own = [e for e in earlier if e[0][i] == level]
            if own:
                lowest = lowest or own
                by_factor.append(level_row(i, level, own, lowest))
    total, tables = rows[0], rows[-1]
    study.answer(
        f"The clamp binds in {total['clamp binds']:.2f} of the scores of the design "
        f"(95 %: {shown(total['95 %'])}), in {extreme['clamp binds']:.2f} of those of "
        f"balanced data with d >= N and a separation of 6 ({extreme['groups']} "
        "settings, too few for an interval), and in "
        f"{tables['clamp binds']:.2f} {shown(tables['95 %'])} of data sets of 30 and "
        "100 rows of public tables."
    )
    for row, where in ((total, "design"), (tables, "public tables")):
        if row["pairs tied at 1"]:
            study.answer(
                f"Of the pairs of models that it ties ({where}) "
                f"{row['of these apart']:.2f} {shown(row['95 %, apart'])} differ by "
                f"more than {MARGIN} on fresh rows ({row['hidden, of all pairs']:.2f} "
                "of all pairs); the score before it is clipped has "
                f"{row['order right, not clipped']:.2f} of these in the right order, "
                f"plain accuracy {row['order right, raw']:.2f} (ties half)."
            )
    share, limits = mean_interval([e[1] for e in earlier], [str(e[0]) for e in earlier])
    start = word(
        limits, 0.5, above="earlier", below="later", open_="neither earlier nor later"
    )
    study.answer(
        f"Over the design the normalized score is stable {start} than the raw one: "
        f"from a smaller size in a share of {share:.2f} (95 %: {shown(limits)}, ties "
        "half)."
    )
    text = ". ".join(level_text(by_factor, f) for f in list(FACTORS)[1:])
    study.answer(
        "Mean sizes from which scores are stable by level, with 95 % of the last less "
        f"the first, and the shares in which normalized is earlier. {text}."
    )
    study.table("clamp", rows, "Where the clamp binds, and the pairs of models it ties")
    study.table("factors", by_factor, "Stabilisation size by level of each factor")
    figure, ax = plt.subplots(figsize=(5, 3.5))
    for d, line in zip(FACTORS["columns"], ("-", "--", ":"), strict=True):
        for ratio, color in zip(FACTORS["imbalance"], ("C0", "C1", "C3"), strict=True):
            of = [[r for one, r in flat if one[:3] == (n, d, ratio)] for n in sizes]
            bound = [[r["not clipped"] > 1 for r in runs] for runs in of]
            shares = [np.mean(one) if one else np.nan for one in bound]
            ax.plot(sizes, shares, line, color=color, label=f"d = {d}, {ratio}:1")
    ax.set(
        xscale="log", xlabel="rows of the data set", ylabel="share of clipped scores"
    )
    ax.set_xticks(sizes, sizes)
    ax.minorticks_off()
    ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    study.picture("clamp", figure, "Share of scores that the clamp changes, over rows")


if __name__ == "__main__":
    main(run, __file__)
