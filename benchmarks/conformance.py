"""Accuracy under the published corruptions and under those of this package.

Three steps; the second runs in the environment of ``published_corruptions.py``::

    python benchmarks/conformance.py DATA OUT --prepare
    for name in cifar imagenet; do python benchmarks/published_corruptions.py SCRIPTS \\
        OUT/$name.npy OUT/$name --frost F --severities 1 3 5; done
    python benchmarks/conformance.py DATA OUT --frost F --write doc/conformance.csv

DATA holds ``cifar10`` and ``imagenet`` with pictures and weights. The table has, for
each kind and severity, the accuracy of a network on the pictures of the authors' code,
on those of ``cifar_c`` or ``imagenet_c`` with ``published=True`` and ``False``, the
standard error of the first difference, and the peak signal-to-noise ratios. ``frost``
uses the published photographs, ``drawn_frost`` does not.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from corrupted_nets import resnet20, squeezenet
from PIL import Image

from skrobust.perturbations import cifar_c, imagenet_c

N_PICTURES = {"cifar": 1000, "imagenet": 250}
FOLDERS = {"cifar": "cifar10/test", "imagenet": "imagenet/images"}
FIELDS = (
    *("benchmark", "kind", "severity", "n", "published code", "accuracy"),
    *("error", "not published", "published PSNR", "PSNR"),
)


def load(data, name):
    """Return drawn pictures and their classes."""
    rng = np.random.RandomState(0)  # one after the other, so that each has its own
    for other, where in FOLDERS.items():
        paths = sorted((Path(data) / where).rglob("*.*"))
        order = rng.permutation(len(paths))[: N_PICTURES[other]]
        if other == name:
            break
    folder, paths = Path(data) / where, [paths[i] for i in order]
    pictures = np.stack([np.asarray(Image.open(p).convert("RGB")) for p in paths])
    if name == "imagenet":
        return pictures, np.array([int(p.name[:3]) for p in paths])
    classes = sorted({p.parent.name for p in folder.glob("*/*")})
    return pictures, np.array([classes.index(p.parent.name) for p in paths])


def rows_of(name, data, out, frost, severities):
    pictures, y = load(data, name)
    if name == "cifar":
        predict = resnet20(next((Path(data) / "cifar10").glob("resnet20-*.th")))
        preset = cifar_c
    else:
        predict = squeezenet(Path(data) / "imagenet/squeezenet11_fp16.npz")
        preset = imagenet_c
    more = {"severities": severities, "holdout": True, "random_state": 0}
    found = {c.name: c for c in preset(frost_pictures=frost, **more)}
    drawn = {c.name: c for c in preset(**more)}
    found |= {k: c for k, c in drawn.items() if k.startswith("drawn_frost")}
    own = {c.name: c for c in preset(published=False, **more)}
    clean = predict(pictures) == y
    yield [
        name,
        "clean",
        0,
        len(y),
        clean.mean(),
        clean.mean(),
        0,
        clean.mean(),
        "",
        "",
    ]
    for condition, perturbation in found.items():
        if condition == "CLEAN":
            continue
        theirs_name = condition.removeprefix("drawn_")
        theirs = np.load(Path(out) / name / f"{theirs_name}.npy")
        ours, other = perturbation.perturb(None, pictures), own[theirs_name]
        a, b = (predict(images) == y for images in (theirs, ours))
        c = b
        if repr(other.steps) != repr(perturbation.steps):
            c = predict(other.perturb(None, pictures)) == y
        error = np.std(a.astype(float) - b) / np.sqrt(len(y))
        psnr = [_psnr(pictures, images) for images in (theirs, ours)]
        kind, severity = condition.rsplit("-", 1)
        yield [name, kind, severity, len(y), a.mean(), b.mean(), error, c.mean(), *psnr]


def _psnr(clean, images):
    error = np.square(clean.astype(np.float32) - images).mean(axis=(1, 2, 3))
    return float(np.mean(20 * np.log10(255) - 10 * np.log10(np.maximum(error, 1e-3))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--frost")
    parser.add_argument("--write")
    parser.add_argument("--only", nargs="+", default=list(N_PICTURES))
    parser.add_argument("--severities", nargs="+", type=int, default=[1, 3, 5])
    options = parser.parse_args()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    if options.prepare:
        for name in options.only:
            np.save(Path(options.out) / f"{name}.npy", load(options.data, name)[0])
        return
    with open(options.write, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for name in options.only:
            found = rows_of(
                name, options.data, options.out, options.frost, options.severities
            )
            for row in found:
                writer.writerow(
                    [f"{x:.3f}" if isinstance(x, float) else x for x in row]
                )
                file.flush()


if __name__ == "__main__":
    main()
