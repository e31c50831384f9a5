"""Conformance of the image corruptions, as lines and as JSON."""

from skrobust.perturbations import imagenet_c
from skrobust.testing import measure_conformance
from skrobust.testing.picture_statistics import STATISTICS

_NAMES = {28: "MNIST-C", 32: "CIFAR-10-C", 224: "ImageNet-C"}


def conformance_facts(frost=None, say=None):
    """Return what was measured at each side.

    Parameters
    ----------
    frost : str, default=None
        Folder with photographs of frost; without it frost is left out.
    say : Progress, default=None
        Told each benchmark before it is measured; None says nothing.
    """
    if frost is not None:
        imagenet_c(frost_pictures=frost)  # raises for a folder without pictures
    benchmarks = []
    for at, (side, name) in enumerate(_NAMES.items(), 1):
        if say is not None:
            say(f"{name}, {at} of {len(_NAMES)}, {side} pixels")
        has_bar = say is not None and say.has_bars
        found = measure_conformance(
            side=side, frost_pictures=frost, verbose=int(has_bar)
        )
        rows = [
            {column: found[column][i].item() for column in found.columns}
            for i in range(len(found.kind))
            if frost is not None or found.kind[i] != "frost"
        ]
        benchmarks.append({"benchmark": name, "side": side, "rows": rows})
    return {
        "format": "skrobust conformance 1",
        "ok": all(row["agrees"] for part in benchmarks for row in part["rows"]),
        "frost": "photographs" if frost is not None else "left out: no photographs",
        "benchmarks": benchmarks,
    }


def conformance_text(facts):
    """Return the facts as lines: the largest differences, and each that deviates."""
    lines = []
    for part in facts["benchmarks"]:
        rows = part["rows"]
        bad = [row for row in rows if not row["agrees"]]
        lines.append(
            f"{part['benchmark']} ({part['side']} pixels): {len(rows) - len(bad)} of "
            f"{len(rows)} conditions agree with the published code"
        )
        for row in bad:
            severity = f"-{row['severity']}" if row["severity"] else ""
            figures = ", ".join(
                f"{name} {row[name]:.3f} instead of {row[f'published_{name}']:.3f}"
                for name in STATISTICS
            )
            lines.append(f"  {row['kind']}{severity}: {figures}")
    if facts["frost"] != "photographs":
        lines.append("frost is left out: --frost FOLDER names its photographs")
    return "\n".join(lines)
