"""Perturbations of images and tables, compared with other libraries in CPU time.

Images are uint8 in and out, one thread; every kind has the strength of severity 3. Each
other library is used the way that gives every image noise of its own: albumentations
image by image (its batch mode gives all images the same noise), kornia on a batch with
conversion to and from floats. What does not import is left out.
``python bench_perturbations.py GaussianNoise Rotation`` runs some of the rows, and
``--csv FILE`` writes the fastest other library for each kind and size.
"""

import argparse
import contextlib
import csv
import os
import statistics
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")

# A file in this folder has the name of a package that numba looks for.
folder = sys.path.pop(0)
with contextlib.suppress(ImportError):
    import numba  # noqa: F401
sys.path.insert(0, folder)

import numpy as np  # noqa: E402
import perturbation_peers  # noqa: E402

from skrobust import perturbations  # noqa: E402

SHAPES = ((500, 32, 32, 3), (64, 224, 224, 3))
REPEATS = 5
KINDS = [
    "GaussianNoise", "UniformNoise", "SpeckleNoise", "ShotNoise", "SaltAndPepper",
    "PixelDropout", "GaussianBlur", "DefocusBlur", "MotionBlur", "ZoomBlur",
    "GlassBlur", "Snow", "Frost", "Fog", "Spatter", "Brightness", "Contrast",
    "Saturate", "Gamma", "ChannelShift", "Quantization", "JPEGCompression", "Pixelate",
    "Downscaling", "Rotation", "Translation", "Scaling", "Shear", "Tilt",
    "ElasticDeformation", "Occlusion", "Stripe", "DottedLine", "Zigzag", "CannyEdges",
]  # fmt: skip


def available():
    """Return the functions of each library that can be imported."""
    found = {}
    for library in perturbation_peers.LIBRARIES:
        try:
            found[library.__name__] = library(np.random.default_rng(0))
        except Exception as error:
            print(f"left out: {library.__name__} ({error})")
    return found


def cpu_seconds(sides):
    """Return the median CPU time of each side; the sides take turns."""
    times = {name: [] for name in sides}
    for repeat in range(REPEATS + 1):
        for name, side in sides.items():
            start = time.process_time()
            side()
            if repeat:  # the first time warms up
                times[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def over(images, function):
    """Return a call that runs a function over a batch, or over image by image."""
    if hasattr(function, "takes_batches"):
        return lambda: function(images)
    return lambda: [function(image) for image in images]


def works(function, images):
    with contextlib.suppress(Exception):
        over(images[:2], function)()
        return True
    return False


def image_rows(wanted, file):
    """Print a table of all libraries, and write the fastest others to a file."""
    libraries = available()
    lines = []
    print("\n| operation | side | images per CPU-s | other | its rate | ratio | |")
    print("|---|---|---|---|---|---|---|")
    for name in wanted or KINDS:
        kind = getattr(perturbations, name)
        for shape in SHAPES:
            images = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
            ours = kind(severity=3, random_state=0)
            sides = {"skrobust": lambda p=ours, x=images: p.perturb(None, x)}
            for library, functions in libraries.items():
                if name in functions and works(functions[name], images):
                    sides[library] = over(images, functions[name])
            rates = {k: len(images) / t for k, t in cpu_seconds(sides).items()}
            mine = rates.pop("skrobust")
            others = sorted(rates.items(), key=lambda item: -item[1])
            for k, (library, rate) in enumerate(others or [("none", np.nan)]):
                remark = perturbation_peers.REMARKS.get((library, name), "")
                first = f"{name} | {shape[1]} | {mine:,.0f}" if k == 0 else " | | "
                ratio = f"{mine / rate:.2f}"
                print(f"| {first} | {library} | {rate:,.0f} | {ratio} | {remark} |")
                if k == 0:
                    row = [name, shape[1], round(mine), library, round(rate), ratio]
                    lines.append([*row, remark] if others else [*row[:3], *[""] * 4])
    if file:
        with open(file, "w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([HEADER, *lines])


HEADER = (
    "perturbation", "pixels", "images per CPU-second", "fastest other library",
    "its images per CPU-second", "ratio", "what it does otherwise",
)  # fmt: skip


def table_rows(wanted):
    X = np.random.default_rng(0).normal(size=(100_000, 30))
    sd, rng = X.std(axis=0), np.random.default_rng(1)
    bare = {
        "FeatureNoise": lambda: X + 0.2 * sd * rng.standard_normal(X.shape),
        "MissingValues": lambda: np.where(rng.random(X.shape) < 0.2, np.nan, X),
    }
    print("\n| operation | rows per CPU-s | bare numpy | time against it |")
    print("|---|---|---|---|")
    for name, plain in bare.items():
        kind = getattr(perturbations, name, None)
        if kind is None or (wanted and name not in wanted):
            continue
        ours = kind(severity=3, random_state=0).fit(X)
        times = cpu_seconds({"ours": lambda p=ours: p.perturb(None, X), "bare": plain})
        rates = [len(X) / times[side] for side in ("ours", "bare")]
        print(
            f"| {name} | {rates[0]:,.0f} | {rates[1]:,.0f} | "
            f"{times['ours'] / times['bare']:.2f} |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--csv", metavar="FILE")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    image_rows([kind for kind in args.kinds if kind in KINDS], args.csv)
    table_rows(args.kinds)
