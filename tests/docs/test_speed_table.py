"""The table of speed in the guide has every image perturbation."""

import csv
import re
from pathlib import Path

import skrobust.perturbations as sp

ROOT = Path(__file__).parents[2]


def test_the_table_has_every_kind_at_both_sizes():
    kinds = {
        name
        for name in sp.__all__
        if isinstance(getattr(sp, name), type)
        and issubclass(getattr(sp, name), sp.ImagePerturbation)
    } - {"ImagePerturbation", "PointPerturbation", "VideoCompression"}  # of clips
    with (ROOT / "doc" / "speed.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = [(row["perturbation"], row["pixels"]) for row in rows]
    assert sorted(found) == sorted((k, s) for k in kinds for s in ("224", "32"))
    for row in rows:
        rate, other = (
            float(row[name])
            for name in ("images per CPU-second", "its images per CPU-second")
        )
        assert abs(rate / other - float(row["ratio"])) < 0.006 + 0.01 * rate / other
    script = (ROOT / "benchmarks" / "bench_perturbations.py").read_text("utf-8")
    assert (
        set(re.findall(r'"([A-Z]\w+)"', script.split("KINDS = ")[1].split("]")[0]))
        == kinds
    )
