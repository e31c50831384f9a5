"""The authors' own corruptions of ImageNet-C, CIFAR-10-C and MNIST-C, run as they are.

Nothing of them is part of this project. FOLDER holds the scripts of their authors:

* ``make_imagenet_c.py`` and ``make_cifar_c.py`` of github.com/hendrycks/robustness
  (ImageNet-C/create_c),
* ``mnist_c.py``: ``corruptions.py`` of github.com/google-research/mnist-c.

They need numpy, scipy, scikit-image, opencv-python-headless, pillow and wand, with
ImageMagick's library, in an environment of their own. Where ImageMagick is absent,
motion blur comes from the package ``imagecorruptions-imaug``. Frost needs the six
photographs, as shipped by that package: ``--frost FOLDER``.

Only functions and classes are taken from the scripts, and names that current versions
of their libraries lack are put back; the arithmetic is theirs::

    python benchmarks/published_corruptions.py FOLDER IMAGES.npy OUT --frost FROST

reads uint8 pictures (n, side, side, 3) or (n, 28, 28) and writes
``OUT/<kind>-<severity>.npy``.
"""

import argparse
import ast
import os
import warnings
from io import BytesIO
from pathlib import Path

import numpy as np

KINDS = (
    *("gaussian_noise", "shot_noise", "impulse_noise", "defocus_blur", "glass_blur"),
    *("motion_blur", "zoom_blur", "snow", "frost", "fog", "brightness", "contrast"),
    *("elastic_transform", "pixelate", "jpeg_compression", "speckle_noise"),
    *("gaussian_blur", "spatter", "saturate"),
)
MNIST_KINDS = (
    *("shot_noise", "impulse_noise", "glass_blur", "motion_blur", "shear", "scale"),
    *("rotate", "brightness", "translate", "stripe", "fog", "spatter"),
    *("dotted_line", "zigzag", "canny_edges"),
)
SCRIPTS = {224: "make_imagenet_c.py", 32: "make_cifar_c.py", 28: "mnist_c.py"}


def _names():
    """Return what the scripts import, as their versions had it."""
    import cv2
    import skimage
    import skimage.color
    import skimage.util
    from PIL import Image
    from scipy.ndimage import map_coordinates, zoom
    from skimage import feature, filters, transform

    def gaussian(image, sigma, *args, multichannel=False, **kwargs):
        kwargs["channel_axis"] = -1 if multichannel else None
        return filters.gaussian(image, sigma, *args, **kwargs)

    def affine(scale=(1, 1), rotation=0, shear=0, translation=(0, 0)):
        turn = rotation + shear  # a shear was an angle until scikit-image 0.19
        matrix = np.eye(3)
        matrix[:2, 0] = scale[0] * np.cos(rotation), scale[0] * np.sin(rotation)
        matrix[:2, 1] = -scale[1] * np.sin(turn), scale[1] * np.cos(turn)
        matrix[:2, 2] = translation
        return transform.AffineTransform(matrix=matrix)

    numpy = _Older(np, float_=np.float64, int=int, fromstring=np.frombuffer)
    return {
        "np": numpy,
        "cv2": cv2,
        "sk": skimage,
        "feature": feature,
        "transform": _Older(transform, AffineTransform=affine),
        "gaussian": gaussian,
        "BytesIO": BytesIO,
        "Image": Image,
        "PILImage": Image,
        "scizoom": zoom,
        "map_coordinates": map_coordinates,
        **_motion_names(),
    }


class _Older:
    """A module with names that it no longer has."""

    def __init__(self, module, **names):
        self._module = module
        vars(self).update(names)

    def __getattr__(self, name):
        return getattr(self._module, name)


def _motion_names():
    try:
        import ctypes

        from wand.api import library
        from wand.image import Image
    except ImportError:
        return {"WandImage": _NumpyMotion, "wandlibrary": _NumpyMotion}
    numbers = [ctypes.c_double] * 3
    library.MagickMotionBlurImage.argtypes = (ctypes.c_void_p, *numbers)
    return {"WandImage": Image, "wandlibrary": library}


class _NumpyMotion:
    """Stands for an image of ImageMagick, of which only motion blur is used."""

    def __init__(self, blob):
        from PIL import Image

        self.wand = self
        self.pixels = np.asarray(Image.open(BytesIO(blob)))

    @staticmethod
    def MagickMotionBlurImage(self, radius, sigma, angle):
        from imagecorruptions.corruptions import _motion_blur

        self.pixels = _motion_blur(self.pixels, radius, sigma, angle)

    def make_blob(self):
        from PIL import Image

        out = BytesIO()
        Image.fromarray(np.rint(self.pixels).astype(np.uint8)).save(out, "PNG")
        return out.getvalue()


def load_published(folder, side, frost=None):
    """Return ``corrupt(image, kind, severity)`` of the script for pictures of a side.

    Parameters
    ----------
    folder : str or Path
        With the scripts of the authors.
    side : {224, 32, 28}
        Which of the three; 28 is MNIST-C, with grey pictures and one strength a kind.
    frost : str or Path, default=None
        Folder with the photographs ``frost1.png`` to ``frost6.jpg``.
    """
    script = (Path(folder) / SCRIPTS[side]).read_text()
    wanted = ast.FunctionDef | ast.ClassDef
    body = [node for node in ast.parse(script).body if isinstance(node, wanted)]
    names = _names()
    exec(compile(ast.Module(body, []), SCRIPTS[side], "exec"), names)
    from PIL import Image

    def corrupt(image, kind, severity=None):
        given = () if severity is None else (severity,)
        here = os.getcwd()
        try:
            if kind == "frost":
                os.chdir(frost)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                out = names[kind](Image.fromarray(image), *given)
                return np.uint8(out)  # cut off, not rounded, as the files were
        finally:
            os.chdir(here)

    return corrupt


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("images")
    parser.add_argument("out")
    parser.add_argument("--frost")
    parser.add_argument("--kinds", nargs="+")
    parser.add_argument("--severities", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    options = parser.parse_args()
    images = np.load(options.images)
    side = images.shape[1]
    corrupt = load_published(options.folder, side, options.frost)
    kinds = options.kinds or (MNIST_KINDS if side == 28 else KINDS)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        for severity in [None] if side == 28 else options.severities:
            np.random.seed(severity or 0)  # noqa: NPY002 (theirs)
            name = kind if severity is None else f"{kind}-{severity}"
            found = np.stack([corrupt(image, kind, severity) for image in images])
            np.save(Path(options.out) / f"{name}.npy", found)


if __name__ == "__main__":
    main()
