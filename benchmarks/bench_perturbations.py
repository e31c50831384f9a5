"""Perturbations of images and tables, compared with other libraries in CPU time.

Images are uint8 in and out, one thread. Each other library is used the way that gives
every image noise of its own: albumentations image by image (its batch mode gives all
images the same noise), kornia on a batch with conversion to and from floats. What does
not import is left out. ``python bench_perturbations.py GaussianNoise Rotation`` runs
some of the rows.
"""

import contextlib
import os
import statistics
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")

import numpy as np  # noqa: E402

from skrobust import perturbations  # noqa: E402

SHAPES = ((2000, 32, 32, 3), (64, 224, 224, 3))
REPEATS = 7
OURS = {
    "GaussianNoise": {"std": 0.18},
    "SaltAndPepper": {"density": 0.09},
    "Rotation": {"angle": 15},
    "GaussianBlur": {"severity": 4},
    "MotionBlur": {"severity": 3},
    "Contrast": {"severity": 3},
    "Brightness": {"severity": 3},
    "JPEGCompression": {"severity": 3},
    "Pixelate": {"severity": 3},
}


def round_to_bytes(x):
    return np.clip(np.rint(x), 0, 255).astype(np.uint8)


def opencv(rng):
    """Plain loops: what one writes with numpy and OpenCV in a few lines."""
    import cv2

    cv2.setNumThreads(0)

    def gaussian(image):
        noise = np.empty(image.shape, np.int16)
        cv2.randn(noise, (0, 0, 0), (46, 46, 46))
        return cv2.add(image, noise, dtype=cv2.CV_8U)

    def salt(image):
        u = np.empty(image.shape, np.uint16)
        cv2.randu(u, 0, 65536)
        out = image.copy()
        out[u < 2949] = 0
        out[u > 62586] = 255
        return out

    def rotate(image):
        h, w = image.shape[:2]
        matrix = cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), 15, 1)
        return cv2.warpAffine(image, matrix, (w, h), flags=cv2.INTER_LINEAR)

    def jpeg(image):
        data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 15])[1]
        return cv2.imdecode(data, cv2.IMREAD_COLOR)

    def pixelate(image):
        h, w = image.shape[:2]
        small = cv2.resize(image, (w // 4, h // 4), interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (w, h), interpolation=cv2.INTER_NEAREST)

    line = np.eye(15, dtype=np.float32) / 15
    return {
        "GaussianNoise": gaussian,
        "SaltAndPepper": salt,
        "Rotation": rotate,
        "GaussianBlur": lambda image: cv2.GaussianBlur(image, (0, 0), 3),
        "MotionBlur": lambda image: cv2.filter2D(image, -1, line),
        "Contrast": lambda image: round_to_bytes(
            image.mean((0, 1)) + 0.2 * (image - image.mean((0, 1)))
        ),
        "Brightness": lambda image: cv2.add(image, (77.0, 77.0, 77.0)),
        "JPEGCompression": jpeg,
        "Pixelate": pixelate,
    }


def albumentations(rng):
    import albumentations as A

    def alone(transform):
        run = A.Compose([transform], seed=0)
        return lambda image: run(image=image)["image"]

    kinds = {
        "GaussianNoise": lambda: A.GaussNoise((0.18, 0.18), p=1),
        "SaltAndPepper": lambda: A.SaltAndPepper((0.09, 0.09), (0.5, 0.5), p=1),
        "Rotation": lambda: A.Rotate((15, 15), border_mode=0, p=1),
        "GaussianBlur": lambda: A.GaussianBlur((0, 0), (3, 3), p=1),
        "MotionBlur": lambda: A.MotionBlur((15, 15), p=1),
        "Brightness": lambda: A.RandomBrightnessContrast((0.3, 0.3), (0, 0), p=1),
        "JPEGCompression": lambda: A.ImageCompression("jpeg", (15, 15), p=1),
        "Pixelate": lambda: A.Downscale((0.25, 0.25), p=1),
    }
    return {name: alone(make()) for name, make in kinds.items()}


def kornia(rng):
    """Return functions of a whole batch."""
    import kornia.augmentation as K
    import torch

    torch.set_num_threads(1)

    def salt(u):
        return K.RandomSaltAndPepperNoise(amount=(u, u), p=1.0)

    kinds = {
        "GaussianNoise": K.RandomGaussianNoise(std=0.18, p=1.0),
        "SaltAndPepper": salt(0.09),
        "Rotation": K.RandomRotation((15.0, 15.0), p=1.0),
        "GaussianBlur": K.RandomGaussianBlur((19, 19), (3.0, 3.0), p=1.0),
        "MotionBlur": K.RandomMotionBlur(15, 45.0, 0.0, p=1.0),
        "Brightness": K.RandomBrightness((1.3, 1.3), p=1.0),
        "JPEGCompression": K.RandomJPEG((15.0, 15.0), p=1.0),
    }

    def batch(layer):
        def run(images):
            x = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255
            with torch.no_grad():
                out = layer(x).clamp(0, 1) * 255
            return out.round().to(torch.uint8).permute(0, 2, 3, 1).numpy()

        run.takes_batches = True
        return run

    return {name: batch(layer) for name, layer in kinds.items()}


def imagecorruptions(rng):
    from imagecorruptions import corrupt

    names = {
        "GaussianNoise": "gaussian_noise",
        "SaltAndPepper": "impulse_noise",
        "GaussianBlur": "gaussian_blur",
        "MotionBlur": "motion_blur",
        "Contrast": "contrast",
        "Brightness": "brightness",
        "JPEGCompression": "jpeg_compression",
        "Pixelate": "pixelate",
    }
    return {
        ours: lambda image, name=name: corrupt(
            image, corruption_name=name, severity=3
        ).astype(np.uint8)
        for ours, name in names.items()
    }


def available():
    """Return the functions of each library that can be imported."""
    found = {}
    for library in (opencv, albumentations, kornia, imagecorruptions):
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


def image_rows(wanted):
    libraries = available()
    print(
        "\n| operation | side | images per CPU-s | fastest other | its rate | ratio |"
    )
    print("|---|---|---|---|---|---|")
    for name, params in OURS.items():
        kind = getattr(perturbations, name, None)
        if kind is None or (wanted and name not in wanted):
            continue
        for shape in SHAPES:
            images = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
            ours = kind(random_state=0, **params)
            sides = {"skrobust": lambda p=ours, x=images: p.perturb(None, x)}
            for library, functions in libraries.items():
                if name in functions and works(functions[name], images):
                    sides[library] = over(images, functions[name])
            rates = {k: len(images) / t for k, t in cpu_seconds(sides).items()}
            mine = rates.pop("skrobust")
            others = sorted(rates.items(), key=lambda item: -item[1])
            best, rate = others[0] if others else ("none", np.nan)
            print(
                f"| {name} | {shape[1]} | {mine:,.0f} | {best} | {rate:,.0f} | "
                f"{mine / rate:.2f} |"
            )
            for library, rate in others[1:]:
                print(f"| | | | {library} | {rate:,.0f} | {mine / rate:.2f} |")


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
    warnings.simplefilter("ignore")
    image_rows(sys.argv[1:])
    table_rows(sys.argv[1:])
