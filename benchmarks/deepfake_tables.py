"""Statistics, tables and figures of the deepfake study, from stored probabilities."""

import warnings

import numpy as np

from skrobust.evaluation.temperature import fit_temperature, tempered
from skrobust.metrics import (
    adversarial_class_confidence,
    clip_robustness,
    compare_models,
    confidence_interval,
    noise_tolerance_estimate,
    robust_ratio_band,
    robust_ratio_curve,
    robustness_score,
    rr_linearity,
    true_class_confidence,
)
from skrobust.plots import RobustRatioDisplay

TOLERANCES = np.arange(21) / 100


def plain(value):
    """Return a value as JSON has it; what is not finite becomes None."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return round(float(value), 6) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def quietly(function, *arguments, **settings):
    """Call a function without its warnings on few clips, which the tables tell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **settings)


def _table(results):
    return {name: results[name] for name in results["columns"]}


def summary(detector, cell):
    """Return all numbers of one attack at one budget on one detector."""
    part, p, judged = detector.part, detector.p, cell["judged"]
    out = {k: cell[k] for k in ("detector", "attack", "norm", "eps")}
    found = quietly(
        confidence_interval, "robust_accuracy", cell["robust"], clusters=part.clip
    )
    out["robust_accuracy"] = float(cell["robust"].mean())
    out["robust_accuracy_interval"] = [found.low, found.high]
    fooled = judged.argmax(axis=1) != part.y
    out["comparison"] = {
        "ACAC": quietly(adversarial_class_confidence, part.y, judged),
        "ACTC": quietly(true_class_confidence, part.y, judged),
        "NTE": quietly(noise_tolerance_estimate, part.y, judged),
        "robustness_score": quietly(
            robustness_score, out["robust_accuracy"], float(detector.right.mean())
        ),
        "n_fooled": int(fooled.sum()),
    }
    temperature = fit_temperature(p, part.y)
    out["temperature"], out["modes"] = temperature, {}
    for mode, q in cell["modes"].items():
        band = quietly(robust_ratio_band, p, q, clusters=part.clip)
        _, scaled = robust_ratio_curve(
            tempered(p, temperature), tempered(q, temperature)
        )
        clips = quietly(clip_robustness, part.y, p, q, part.clip, random_state=0)
        out["modes"][mode] = {
            **{k: band[k] for k in ("ratio", "low", "high", "band_low", "band_high")},
            "tempered": scaled,
            "linearity": dict(rr_linearity(TOLERANCES, band.ratio)),
            "clips": {
                "ratio": clips.clip_ratio,
                "accuracy": _table(clips.accuracy),
                "linearity": _table(clips.linearity),
            },
        }
    return out


def ranges(tolerances, holds):
    """Return [first, last] of each run of tolerances at which something holds."""
    out = []
    for b, yes, before in zip(tolerances, holds, [False, *holds[:-1]], strict=True):
        if yes and not before:
            out.append([b, b])
        elif yes:
            out[-1][1] = b
    return out


def dominance(detectors, cells, n_resamples=999):
    """Return for one attack and budget in which tolerances one detector is ahead.

    A pair differs at a tolerance where the band of the paired difference, which holds
    for all pairs and tolerances at once, has one sign.
    """
    clip = next(iter(detectors.values())).part.clip
    settings = {"clusters": clip, "n_resamples": n_resamples, "random_state": 0}
    first = next(iter(cells.values()))
    out = {k: first[k] for k in ("attack", "norm", "eps")} | {"modes": {}}
    hits = {name: c["robust"].astype(float) for name, c in cells.items()}
    found = quietly(compare_models, hits, **settings)
    out["robust_accuracy"] = _table(found)
    values = [h.mean() for h in hits.values()]
    out["robust_accuracy_spread"] = float(np.ptp(values))
    for mode in first["modes"]:
        pairs = {
            name: (detectors[name].p, c["modes"][mode]) for name, c in cells.items()
        }
        found = quietly(
            compare_models,
            pairs,
            metric="robust_ratio",
            tolerance=TOLERANCES,
            **settings,
        )
        curves = np.array([robust_ratio_curve(*pq)[1] for pq in pairs.values()])
        ahead = []
        for a, b in dict.fromkeys(zip(found.first, found.second, strict=True)):
            rows = (found["first"] == a) & (found["second"] == b)
            for who, over, holds in (
                (a, b, found.band_low[rows] > 0),
                (b, a, found.band_high[rows] < 0),
            ):
                for low, high in ranges(TOLERANCES, holds.tolist()):
                    ahead.append({"first": who, "over": over, "from": low, "to": high})
        out["modes"][mode] = {
            "spread": np.ptp(curves, axis=0),
            "largest_spread": float(np.ptp(curves, axis=0).max()),
            "ahead": ahead,
            "order_at_.05": _order(list(pairs), curves[:, 5]),
            "order_at_.20": _order(list(pairs), curves[:, 20]),
        }
    return out


def _order(names, values):
    return [names[i] for i in np.argsort(-values, kind="stable")]


def markdown(rows, columns=None):
    """Return dictionaries as a table of Markdown."""
    columns = columns or list(rows[0])

    def text(value):
        if isinstance(value, float):
            return "-" if np.isnan(value) else f"{value:.3f}"
        return "-" if value is None else str(value)

    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(text(r.get(c)) for c in columns) + " |" for r in rows]
    return "\n".join(lines)


def budget(row):
    """Return a budget as text."""
    if row["norm"] == "inf":
        return f"L-inf {row['eps'] * 255:.3g}/255"
    return f"L2 {row['eps']:g}"


def report(results):
    """Return the whole study as text in Markdown."""
    cells, parts = results["cells"], ["# Deepfake detectors: RA against RR\n"]
    parts.append(results["note"] + "\n")
    parts.append("## Detectors\n\n" + markdown(results["detectors"]))
    rows = [
        {
            "attack": c["attack"],
            "budget": budget(c),
            "detector": c["detector"],
            "RA": c["robust_accuracy"],
            "RA low": c["robust_accuracy_interval"][0],
            "RA high": c["robust_accuracy_interval"][1],
            "RA clips": next(iter(c["modes"].values()))["clips"]["accuracy"]["robust"][
                1
            ],
            **c["comparison"],
        }
        for c in cells
    ]
    parts.append("\n## Robust accuracy and the metrics beside it\n\n" + markdown(rows))
    rows = []
    for c in cells:
        for mode, m in c["modes"].items():
            row = {"attack": c["attack"], "budget": budget(c)}
            row |= {"detector": c["detector"], "mode": mode}
            for i in (1, 5, 10, 20):
                row[f"RR({i / 100:g})"] = m["ratio"][i]
            row["RR(.05) at T"] = m["tempered"][5]
            lines = m["clips"]["linearity"]
            row["clips RR(.05)"] = m["clips"]["ratio"][5]
            row["R2 chord, images"] = lines["r_squared_chord"][0]
            row["clips"] = lines["r_squared_chord"][1]
            low, high = (lines[f"r_squared_chord_{k}"][2] for k in ("low", "high"))
            row["difference"] = lines["r_squared_chord"][2]
            row["low"], row["high"] = low, high
            rows.append(row)
    share = results["constant_model_accuracy"]
    text = f"\n\nA constant model has RR 1 at every tolerance, and RA {share:.3f}."
    parts.append("\n## Robust ratio\n\n" + markdown(rows) + text)
    rows = []
    for d in results["dominance"]:
        for mode, m in d["modes"].items():
            ahead = "; ".join(
                f"{a['first']} > {a['over']} at {a['from']:.2f} to {a['to']:.2f}"
                for a in m["ahead"]
            )
            row = {"attack": d["attack"], "budget": budget(d), "mode": mode}
            row["spread RA"] = d["robust_accuracy_spread"]
            row["largest spread RR"] = m["largest_spread"]
            row["ahead (95 % band of all)"] = ahead or "none"
            rows.append(row)
    parts.append("\n## Who is ahead, and where\n\n" + markdown(rows))
    for m in results["masking"]:
        parts.append(
            f"\n## Masked gradients: {m['detector']} at {m['eps'] * 255:.3g}/255\n\n"
            f"Zero gradient of cross entropy: {m['zero_gradient_share']:.3f} of the "
            f"images; logits {m['logit_range'][0]:.1f} to {m['logit_range'][1]:.1f}; "
            f"check_evaluation on the plain loop: {', '.join(m['codes']) or 'nothing'}."
            "\n\n" + markdown(m["rows"])
        )
    if results["warm_start"]:
        parts.append("\n## Warm start\n\n" + markdown(results["warm_start"]))
    for g in results["groups"]:
        parts.append(
            f"\n## Groups (all real): {g['detector']}, {g['attack']}\n\n"
            + markdown(g["rows"])
            + f"\n\nTrue rate: range {g['range']:.3f}, by chance "
            f"{g['range_by_chance']:.3f}, p {g['range_p_value']:.3f}. Gaps with an "
            f"adjusted p below .05: {', '.join(g['gaps']) or 'none'}."
        )
    return "\n".join(parts) + "\n"


def picture(cells, file):
    """Draw one attack at one budget, a panel per detector, as in the paper."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(cells), figsize=(5.6 * len(cells), 4.6), layout="constrained"
    )
    for c, ax in zip(cells, np.atleast_1d(axes), strict=True):
        curves = {
            mode: {
                "tolerance": TOLERANCES,
                "robust_ratio": np.array(m["ratio"], dtype=float),
                "low": np.array(m["low"], dtype=float),
                "high": np.array(m["high"], dtype=float),
                "tempered": np.array(m["tempered"], dtype=float),
            }
            for mode, m in c["modes"].items()
        }
        keys = ("robust_accuracy", "clean_accuracy", "constant_model_accuracy")
        RobustRatioDisplay(
            curves=curves,
            accuracies={k: c[k] for k in keys},
            intervals={k: c[f"{k}_interval"] for k in keys[:2]},
            temperature=c["temperature"],
            name=f"{c['detector']}, {c['attack']}, {budget(c)}",
        ).plot(ax)
    figure.savefig(file, dpi=100)
    plt.close(figure)
