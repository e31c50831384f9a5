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
import os
import sys
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
from paired import (  # noqa: E402
    Case,
    print_table,
    rows_of,
    write_table,
)

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


HEADER = (
    "perturbation", "pixels", "images per CPU-second", "fastest other library",
    "its images per CPU-second", "ratio", "what it does otherwise",
)  # fmt: skip


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


def cases(short, wanted=()):
    """Yield every kind at both sizes beside all libraries that have it."""
    libraries = {}
    for library in perturbation_peers.LIBRARIES:
        try:
            libraries[library.__name__] = library(np.random.default_rng(0))
        except Exception as error:
            print(f"left out: {library.__name__} ({error})")
    shapes = ((4, 32, 32, 3), (1, 224, 224, 3)) if short else SHAPES
    for name in wanted or KINDS:
        kind = getattr(perturbations, name)
        for shape in shapes:
            images = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
            ours = kind(severity=3, random_state=0)
            sides = {"skrobust": lambda p=ours, x=images: p.perturb(None, x)}
            for library, functions in libraries.items():
                if name in functions and works(functions[name], images):
                    sides[library] = over(images, functions[name])
            remarks = {
                library: perturbation_peers.REMARKS.get((library, name), "")
                for library in sides
            }
            what = f"{name}, {shape[1]} pixels"
            yield Case("perturbations", what, "images", len(images), sides, remarks)
    if not wanted:
        yield from table_cases(1_000 if short else 100_000)


def table_cases(n_rows):
    """Yield perturbations of tables beside bare numpy."""
    X = np.random.default_rng(0).normal(size=(n_rows, 30))
    sd, rng = X.std(axis=0), np.random.default_rng(1)
    bare = {
        "FeatureNoise": lambda: X + 0.2 * sd * rng.standard_normal(X.shape),
        "MissingValues": lambda: np.where(rng.random(X.shape) < 0.2, np.nan, X),
    }
    for name, plain in bare.items():
        ours = getattr(perturbations, name)(severity=3, random_state=0).fit(X)
        sides = {"skrobust": lambda p=ours: p.perturb(None, X), "bare numpy": plain}
        yield Case("perturbations", f"{name}, 30 columns", "rows", n_rows, sides)


def fastest(rows):
    """Return one line for each kind and size, with the fastest other library."""
    found = {}
    for _, what, _, ours, other, rate, _, remark in rows:
        name, _, size = what.partition(", ")
        key = name, size.removesuffix(" pixels")
        ours, rate = float(ours), float(rate)
        line = [*key, round(ours), other, round(rate), f"{ours / rate:.2f}", remark]
        if key not in found or line[4] > found[key][4]:
            found[key] = line
    return list(found.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS])
    parser.add_argument("--csv", metavar="FILE")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for case in cases(False, args.kinds):
        rows += rows_of(case, REPEATS)
    print_table(rows)
    if args.csv:
        images = [row for row in rows if "pixels" in row[1]]
        write_table(fastest(images), args.csv, HEADER)
