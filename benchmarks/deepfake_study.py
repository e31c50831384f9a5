"""Deepfake detectors: robust accuracy against robust ratio, images and clips, groups.

    python benchmarks/deepfake_study.py OUT [--data FOLDER] [--quick | --full]

The detectors of arXiv 2412.09795 (Meso4, MesoInception4, ResNet-34) on the faces of a
folder with ``faces/<DeepFake, Real>/<clip>_<frame>.jpg``, ``mesonet_weights/*.h5`` (or
state dicts ``*.pt``) and ``utk_groups/<group>/*.jpg`` (the last two may lack). Writes
``results.json``, ``results.md`` and pictures into OUT. Each attack is kept in
OUT/parts, so a killed study goes on when it is called again.
"""

import argparse
import json
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from deepfake_detectors import (
    export_weights,
    faces_folder,
    load_faces,
    load_groups,
    make_detectors,
)
from deepfake_runs import Detector, cells_of, masking, warm_start
from deepfake_tables import (
    budget,
    dominance,
    markdown,
    picture,
    plain,
    quietly,
    report,
    summary,
)
from sklearn.metrics import roc_auc_score

from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import evaluate_attack
from skrobust.evaluation.checkpoint import Checkpoint
from skrobust.metrics import aggregate_clips, confidence_interval

LINF = [0.05, 0.1, 0.2, 0.3, 0.5, 1, 2]
PLANS = {
    "quick": {
        "frames": 2,
        "linf": [0.3],
        "l2": [],
        "linf_steps": [0.3],
        "l2_steps": [],
        "steps": 2,
        "cw_norms": [np.inf],
        "cw_steps": 2,
        "cw_searches": 1,
        "epochs": 1,
        "side": 64,
        "masking": [0.3],
        "per_group": 2,
        "group_steps": 0,
    },
    "default": {
        "frames": 2,
        "linf": [0.05, 0.2, 1],
        "l2": [0.35],
        "linf_steps": [0.2],
        "l2_steps": [0.35],
        "steps": 10,
        "cw_norms": [2],
        "cw_steps": 30,
        "cw_searches": 3,
        "epochs": 8,
        "side": 64,
        "masking": [1],
        "per_group": 30,
        "group_steps": 0,
    },
    "full": {
        "frames": 3,
        "linf": LINF,
        "l2": [0.1, 0.35, 1.0],
        "linf_steps": [0.1, 0.3, 1],
        "l2_steps": [0.35],
        "steps": 20,
        "cw_norms": [2, np.inf],
        "cw_steps": 50,
        "cw_searches": 4,
        "epochs": 20,
        "side": 128,
        "masking": [0.3, 1],
        "per_group": 60,
        "group_steps": 20,
    },
}


def detector_row(d, origin):
    """Return what there is to say of a detector before any attack."""
    part = d.part
    found = quietly(confidence_interval, "robust_accuracy", d.right, clusters=part.clip)
    p, _ = aggregate_clips(d.p, part.clip)
    first = np.unique(part.clip, return_index=True)[1]
    y = part.y[np.sort(first)]  # clips in the order in which they first occur
    logit = d.log_odds()
    return {
        "detector": d.name,
        "accuracy": float(d.right.mean()),
        "low": found.low,
        "high": found.high,
        "AUC": float(roc_auc_score(part.y, d.p[:, 1])),
        "accuracy of clips": float((p.argmax(axis=1) == y).mean()),
        "sure (p > .99)": float((d.p.max(axis=1) > 0.99).mean()),
        "smallest log odds": float(logit.min()),
        "largest log odds": float(logit.max()),
        "weights": origin,
    }


def group_row(name, model, part, attack, store):
    """Return the true rate and the robust ratio of groups of real faces."""
    found = quietly(
        evaluate_attack,
        model,
        part.X,
        part.y,
        attack,
        groups=part.group,
        checkpoint=store,
        random_state=0,
    )
    rate = found.groups["true_rate"]
    text = budget({"norm": "inf", "eps": attack.eps})
    out = {"detector": name, "attack": f"{type(attack).__name__}, {text}"}
    out["measure"] = rate.measure
    out |= {k: rate[k] for k in ("range", "range_by_chance", "range_p_value")}
    out["rows"], out["gaps"] = [], []
    ratio = found.groups["robust_ratio_probability_shift"]
    clean = model.predict(part.X) == part.y
    for i, group in enumerate(rate["group"].tolist()):
        row = {"group": group, "n": int(rate.n_samples[i])}
        row |= {"small": bool(rate.is_small[i])}
        row["true rate, clean"] = float(clean[part.group == group].mean())
        row |= {"true rate": rate.value[i], "low": rate.low[i], "high": rate.high[i]}
        for b in (0.05, 0.2):
            at = (ratio["group"] == group) & np.isclose(ratio["tolerance"], b)
            row[f"RR({b})"] = float(ratio.value[at][0])
        out["rows"].append({k: plain(v) for k, v in row.items()})
    gaps = rate.gaps
    for i in np.flatnonzero(gaps.p_adjusted < 0.05):
        out["gaps"].append(
            f"{gaps['first'][i]} - {gaps['second'][i]} {gaps.gap[i]:+.2f}"
        )
    ranges = ratio.ranges
    out["ratio_ranges"] = {k: ranges[k] for k in ranges["columns"]}
    return out


class Study:
    """The study in its parts, each of which says how long it took."""

    def __init__(self, folder, out, plan, device, log, only=None):
        self.only = only
        self.folder, self.out, self.plan, self.device = folder, out, plan, device
        self.log, self.begun = log, time.process_time()
        on_cpu = str(device) == "cpu"
        # Small batches stay in the cache of a CPU: up to five times faster.
        self.batch_size, self.n_checked = 4 if on_cpu else 256, 64
        out.mkdir(parents=True, exist_ok=True)
        self.store = Checkpoint(out / "parts", "deepfake_study")

    def say(self, text):
        """Print what was done, with the CPU time so far."""
        self.log(f"{time.process_time() - self.begun:7.0f} s  {text}")

    def run(self):
        """Run all parts, and return the results as they go into the file."""
        plan, size = self.plan, self.batch_size
        train, test = load_faces(self.folder, plan["frames"])
        self.say(f"{len(train)} images to train on, {len(test)} to test on")
        models, origin = make_detectors(
            self.folder,
            train,
            device=self.device,
            epochs=plan["epochs"],
            side=plan["side"],
            batch_size=size,
            keep=self.out,
        )
        detectors = {
            name: Detector(name, model, test, self.store)
            for name, model in models.items()
        }
        if self.only:
            return self.fill(detectors[self.only])
        self.say("detectors")
        counts = np.bincount(test.y)
        results = {
            "note": f"{len(test)} images of {len(np.unique(test.clip))} held-out "
            f"clips, the same for all detectors ({counts[0]} fake and {counts[1]} real "
            "images).",
            "n_images": len(test),
            "n_clips": len(np.unique(test.clip)),
            "plan": {k: str(v) for k, v in plan.items()},
            "constant_model_accuracy": float(counts.max() / counts.sum()),
            "detectors": [
                detector_row(d, origin[name]) for name, d in detectors.items()
            ],
        }
        results["cells"], results["dominance"] = [], []
        found = defaultdict(dict)
        for name, d in detectors.items():
            for made in cells_of(d, plan, size):
                key = made["attack"], made["norm"], made["eps"]
                found[key][name] = made
                results["cells"].append(self.summary(d, made, results))
                self.say(f"{name}, {made['attack']}, {budget(made)}")
        for cells in found.values():
            results["dominance"].append(dominance(detectors, cells))
        self.say("comparisons")
        meso = detectors["MesoInception4"]
        results["masking"] = [
            {
                "detector": meso.name,
                **masking(meso, plan, eps / 255, size, self.n_checked),
            }
            for eps in plan["masking"]
        ]
        self.say("masked gradients")
        warm = [warm_start(d, plan, 0.2 / 255, size) for d in detectors.values()]
        results["warm_start"] = [row for row in warm if row]
        self.say("warm start")
        results["groups"] = self.groups(models)
        return plain(results)

    def fill(self, detector):
        """Run the attacks on one detector, and keep them for the study as a whole."""
        for made in cells_of(detector, self.plan, self.batch_size):
            self.say(f"{detector.name}, {made['attack']}, {budget(made)}")
        warm_start(detector, self.plan, 0.2 / 255, self.batch_size)
        self.groups({detector.name: detector.model})

    def summary(self, detector, made, results):
        """Return the numbers of one cell, with those of its detector beside."""
        out = summary(detector, made)
        row = results["detectors"][[*MESO_AND_REST].index(detector.name)]
        out["clean_accuracy"] = row["accuracy"]
        out["clean_accuracy_interval"] = [row["low"], row["high"]]
        out["constant_model_accuracy"] = results["constant_model_accuracy"]
        return out

    def groups(self, models):
        """Return the tables of the groups, or none where there are no such faces."""
        part = load_groups(self.folder, self.plan["per_group"])
        if part is None:
            return []
        ball = {"eps": 0.2 / 255, "data_range": (0, 1), "batch_size": self.batch_size}
        attack = FGSM(**ball)
        if self.plan["group_steps"]:
            attack = PGD(**ball, n_steps=self.plan["group_steps"], random_state=0)
        rows = []
        for name, model in models.items():
            store = self.out / "parts"
            rows.append(group_row(name, model, part, attack, store))
            self.say(f"groups, {name}")
        return rows


MESO_AND_REST = ("Meso4", "MesoInception4", "ResNet34")


def write(results, out):
    """Write the results as JSON, Markdown and pictures."""
    (out / "results.json").write_text(json.dumps(results, indent=1, allow_nan=False))
    (out / "results.md").write_text(report(results))
    by_cell = defaultdict(list)
    for c in results["cells"]:
        by_cell[c["attack"], budget(c)].append(c)
    for (attack, text), cells in by_cell.items():
        name = f"{attack}_{text}".replace("/255", "").replace(" ", "_")
        picture(cells, out / f"{name}.png")


def main(arguments=None, log=print):
    """Run the study of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder of the results")
    parser.add_argument("--data", help="folder of faces; else SKROBUST_DATA")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--frames", type=int, help="of each clip; else of the size")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", action="store_true", help="a check that all runs")
    sizes.add_argument("--full", action="store_true", help="all budgets; for a GPU")
    parser.add_argument(
        "--export-weights", action="store_true", help="as .pt, then end"
    )
    parser.add_argument(
        "--only",
        choices=MESO_AND_REST,
        help="attack one detector and keep that, so that processes can share the work",
    )
    chosen = parser.parse_args(arguments)
    folder = faces_folder(chosen.data)
    if folder is None:
        parser.error("no folder with faces/; pass --data or set SKROBUST_DATA")
    if chosen.export_weights:
        return export_weights(folder)
    size = "quick" if chosen.quick else "full" if chosen.full else "default"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*zero gradients.*")
        plan = PLANS[size] | ({"frames": chosen.frames} if chosen.frames else {})
        study = Study(folder, chosen.out, plan, chosen.device, log, chosen.only)
        results = study.run()
    if chosen.only:
        return None
    write(results, chosen.out)
    log(markdown(results["detectors"]))
    return results


if __name__ == "__main__":
    main()
