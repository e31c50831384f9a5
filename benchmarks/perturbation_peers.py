"""What other libraries do to images, for ``bench_perturbations.py``.

Strengths are those of severity 3 at 224 pixels. OpenCV functions are what one writes
with numpy and OpenCV in a few lines, with a generator where the kind draws. Where a
library does something else under the same name, ``REMARKS`` says what.
"""

import cv2
import numpy as np

cv2.setNumThreads(0)
_LINEAR = cv2.INTER_LINEAR
REMARKS = {
    ("albumentations", "Brightness"): "adds a constant",
    ("kornia", "Brightness"): "adds a constant",
    ("albumentations", "Contrast"): "scales about mid-grey",
    ("albumentations", "GaussianBlur"): "kernel ends at 3 sd",
    ("opencv", "GaussianBlur"): "kernel ends at 3 sd",
    ("kornia", "GaussianBlur"): "kernel ends at 3 sd",
    ("albumentations", "Snow"): "bleaches, no flakes",
    ("albumentations", "Fog"): "blurred disks",
    ("albumentations", "Pixelate"): "one pixel for each block",
    ("albumentations", "Downscaling"): "averages blocks",
    ("opencv", "Downscaling"): "averages blocks",
    ("albumentations", "Saturate"): "adds a constant",
    ("kornia", "Saturate"): "scales",
    ("albumentations", "ZoomBlur"): "means of 8-bit zooms",
}
_ZOOMS = np.arange(1, 1.21, 0.02)


def _disk(radius, smooth):
    y, x = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    disk = (y**2 + x**2 <= radius**2).astype(np.float32)
    return cv2.GaussianBlur(disk / disk.sum(), (3, 3), smooth)


def _to_bytes(x):
    return np.clip(np.rint(x), 0, 255).astype(np.uint8)


def _per_size(make):
    """Return a function of an image from one that is made once for each size."""
    made = {}

    def run(image):
        shape = image.shape[:2]
        if shape not in made:
            made[shape] = make(*shape)
        return made[shape](image)

    return run


def _affine(matrix):
    return lambda h, w: (
        lambda image: cv2.warpAffine(image, matrix(h, w), (w, h), flags=_LINEAR)
    )


def _about_centre(a, b, c, d):
    def matrix(h, w):
        y, x = (h - 1) / 2, (w - 1) / 2
        return np.array([[a, b, x - a * x - b * y], [c, d, y - c * x - d * y]])

    return matrix


def _table(values):
    table = _to_bytes(values)
    return lambda image: cv2.LUT(image, table)


def opencv(rng):
    """Return functions of one image."""
    levels = np.arange(256.0)

    def noise(scale):
        def run(image):
            added = np.empty(image.shape, np.int16)
            scale(added)
            return cv2.add(image, added, dtype=cv2.CV_8U)

        return run

    def normal(added):
        cv2.randn(added, (0, 0, 0), (46, 46, 46))

    def uniform(added):
        cv2.randu(added, (-79, -79, -79), (80, 80, 80))

    def speckle(image):
        factor = np.empty(image.shape, np.float32)
        cv2.randn(factor, (1, 1, 1), (0.35, 0.35, 0.35))
        return cv2.multiply(image, factor, dtype=cv2.CV_8U)

    def salt(image):
        u = np.empty(image.shape, np.uint16)
        cv2.randu(u, 0, 65536)
        out = image.copy()
        out[u < 2949] = 0
        out[u > 62586] = 255
        return out

    def dropout(image):
        u = np.empty(image.shape[:2], np.uint16)
        cv2.randu(u, 0, 65536)
        out = image.copy()
        out[u < 3277] = 0
        return out

    def motion(h, w):
        angle, radius = rng.uniform(-45, 45), 15 if h > 100 else 6
        weights = np.exp(-0.5 * (np.arange(2 * radius + 1) / 8) ** 2)
        kernel = np.zeros((2 * len(weights) - 1,) * 2, np.float32)
        for k, weight in enumerate(weights / weights.sum()):
            turn = np.deg2rad(angle)
            row = len(weights) - 1 + round(k * np.sin(turn))
            kernel[row, len(weights) - 1 - round(k * np.cos(turn))] = weight
        return lambda image: cv2.filter2D(image, -1, kernel)

    def defocus(h, w):
        kernel = _disk(*((6, 0.5) if h > 100 else (1, 0.6)))
        return lambda image: cv2.filter2D(image, -1, kernel)

    def zoom_blur(image):
        h, w = image.shape[:2]
        total = np.zeros(image.shape, np.float32)
        for zoom in _ZOOMS:
            matrix = _about_centre(zoom, 0, 0, zoom)(h, w)
            cv2.accumulate(cv2.warpAffine(image, matrix, (w, h), flags=_LINEAR), total)
        return _to_bytes(total / len(_ZOOMS))

    def snow(image):
        h, w = image.shape[:2]
        flakes = np.empty((h, w), np.float32)
        cv2.randn(flakes, 0.55, 0.3)
        matrix = _about_centre(4.0, 0, 0, 4.0)(h, w)
        flakes = cv2.warpAffine(flakes, matrix, (w, h), flags=_LINEAR)
        flakes[flakes < 0.9] = 0
        flakes = cv2.filter2D(np.clip(flakes, 0, 1), -1, np.eye(25, dtype="f4") / 25)
        grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
        white = np.maximum(image, (1.5 * grey + 127)[..., None])
        both = (255 * (flakes + flakes[::-1, ::-1]))[..., None]
        return _to_bytes(0.7 * image + 0.3 * white + both)

    def brightness(image):
        hsv = cv2.cvtColor(image, cv2.COLOR_RGB2HSV)
        hsv[..., 2] = cv2.LUT(hsv[..., 2], raised)
        return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)

    raised = _to_bytes(levels + 77)

    def saturate(image):
        hsv = cv2.cvtColor(image, cv2.COLOR_RGB2HSV)
        hsv[..., 1] = cv2.LUT(hsv[..., 1], doubled)
        return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)

    doubled = _to_bytes(2 * levels)

    def contrast(image):
        mean = np.array(cv2.mean(image)[: image.shape[2]])
        table = mean + 0.2 * (levels[:, None] - mean)
        return cv2.LUT(image, _to_bytes(table)[:, None])

    def channel_shift(image):
        shift = np.where(rng.random(3) < 0.5, 26.0, -26.0)
        return cv2.add(image, (*shift, 0.0))

    def jpeg(image):
        quality = 15 if image.shape[0] > 100 else 58
        data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return cv2.imdecode(data, cv2.IMREAD_COLOR)

    def pixelate(image):
        h, w = image.shape[:2]
        share = 0.4 if h > 100 else 0.85
        size = (int(share * w), int(share * h))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (w, h), interpolation=cv2.INTER_NEAREST)

    def downscaling(image):
        h, w = image.shape[:2]
        small = cv2.resize(image, (w // 2, h // 2), interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC)

    def translation(image):
        h, w = image.shape[:2]
        turn = rng.uniform(0, 2 * np.pi)
        matrix = np.array(
            [[1, 0, 0.1 * w * np.cos(turn)], [0, 1, 0.1 * h * np.sin(turn)]]
        )
        return cv2.warpAffine(image, matrix, (w, h), flags=_LINEAR)

    def tilt(h, w):
        corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
        moved = corners + np.array([[2, 1], [-1, 2], [1, -2], [-2, -1]], np.float32)
        matrix = cv2.getPerspectiveTransform(corners, moved)
        return lambda image: cv2.warpPerspective(image, matrix, (w, h), flags=_LINEAR)

    def elastic(image):
        h, w = image.shape[:2]
        alpha, sigma, affine = (0.054, 0.011, 0.022) if h > 100 else (0.08, 0.06, 0.06)
        field = np.empty((2, h, w), np.float32)
        cv2.randu(field, -1, 1)
        x, y = (
            alpha
            * w
            * cv2.GaussianBlur(one, (0, 0), sigma * w, borderType=cv2.BORDER_REFLECT)
            for one in field
        )
        corners = np.array([[0, 0], [w / 3, 0], [0, h / 3]], np.float32)
        moved = corners + rng.uniform(-affine * w, affine * w, (3, 2)).astype(
            np.float32
        )
        matrix = cv2.getAffineTransform(corners, moved)
        at_y, at_x = np.mgrid[:h, :w].astype(np.float32)
        map_x = matrix[0, 0] * at_x + matrix[0, 1] * at_y + matrix[0, 2] + x
        map_y = matrix[1, 0] * at_x + matrix[1, 1] * at_y + matrix[1, 2] + y
        return cv2.remap(
            image, map_x.astype("f4"), map_y.astype("f4"), _LINEAR,
            borderMode=cv2.BORDER_REFLECT_101,
        )  # fmt: skip

    def occlusion(image):
        h, w = image.shape[:2]
        high, wide = int(0.316 * h), int(0.316 * w)
        top, left = rng.integers(0, h - high), rng.integers(0, w - wide)
        out = image.copy()
        out[top : top + high, left : left + wide] = 0
        return out

    def stripe(image):
        out, side = image.copy(), int(0.15 * image.shape[1])
        out[:, :side] = 255 - image[:, :side]
        out[:, -side:] = 255 - image[:, -side:]
        return out

    def line(image):
        h, w = image.shape[:2]
        a, b = (int(v) for v in rng.integers(0, h, 2))
        drawn = cv2.line(
            np.zeros((h, w), np.uint8), (0, a), (w, b), 153, max(2, h // 14)
        )
        return cv2.add(image, cv2.merge([drawn] * 3))

    def zigzag(image):
        h, w = image.shape[:2]
        x = np.arange(0, w, max(2, h // 14))
        y = rng.integers(0, h) + (h // 14) * (np.arange(len(x)) % 2)
        drawn = np.zeros((h, w), np.uint8)
        points = np.stack([x, y], axis=1).astype(np.int32)
        cv2.polylines(drawn, [points], False, 153, max(2, h // 14))
        return cv2.add(image, cv2.merge([drawn] * 3))

    def canny(image):
        grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), (0, 0), 1)
        edges = cv2.merge([cv2.Canny(grey, 100, 200)] * 3)
        return cv2.addWeighted(image, 0.4, edges, 0.6, 0)

    turn = np.deg2rad(15)
    cos, sin = np.cos(turn), np.sin(turn)
    return {
        "GaussianNoise": noise(normal),
        "UniformNoise": noise(uniform),
        "SpeckleNoise": speckle,
        "SaltAndPepper": salt,
        "PixelDropout": dropout,
        "GaussianBlur": lambda image: cv2.GaussianBlur(
            image, (0, 0), 3 if image.shape[0] > 100 else 0.7
        ),
        "DefocusBlur": _per_size(defocus),
        "MotionBlur": _per_size(motion),
        "ZoomBlur": zoom_blur,
        "Snow": snow,
        "Brightness": brightness,
        "Contrast": contrast,
        "Saturate": saturate,
        "Gamma": _table(255 * (levels / 255) ** 0.7),
        "ChannelShift": channel_shift,
        "Quantization": _table(np.rint(levels / 255 * 15) * 17),
        "JPEGCompression": jpeg,
        "Pixelate": pixelate,
        "Downscaling": downscaling,
        "Rotation": _per_size(_affine(_about_centre(cos, sin, -sin, cos))),
        "Translation": translation,
        "Scaling": _per_size(_affine(_about_centre(1.2, 0, 0, 1.2))),
        "Shear": _per_size(_affine(_about_centre(1, -0.2, 0, 1))),
        "Tilt": _per_size(tilt),
        "ElasticDeformation": elastic,
        "Occlusion": occlusion,
        "Stripe": stripe,
        "DottedLine": line,
        "Zigzag": zigzag,
        "CannyEdges": canny,
    }


def albumentations(rng):
    """Return functions of one image."""
    import albumentations as A

    def alone(transform):
        run = A.Compose([transform], seed=0)
        return lambda image: run(image=image)["image"]

    kinds = {
        "GaussianNoise": lambda: A.GaussNoise((0.18, 0.18), p=1),
        "SpeckleNoise": lambda: A.MultiplicativeNoise(
            (0.4, 1.6), per_channel=True, elementwise=True, p=1
        ),
        "ShotNoise": lambda: A.ShotNoise((0.08, 0.08), p=1),
        "SaltAndPepper": lambda: A.SaltAndPepper((0.09, 0.09), (0.5, 0.5), p=1),
        "PixelDropout": lambda: A.PixelDropout(0.05, p=1),
        "GaussianBlur": lambda: A.GaussianBlur((0, 0), (3, 3), p=1),
        "DefocusBlur": lambda: A.Defocus((6, 6), (0.5, 0.5), p=1),
        "MotionBlur": lambda: A.MotionBlur((15, 15), p=1),
        "ZoomBlur": lambda: A.ZoomBlur((1.21, 1.22), (0.02, 0.02), p=1),
        "GlassBlur": lambda: A.GlassBlur(1, 2, 3, mode="fast", p=1),
        "Snow": lambda: A.RandomSnow(2.5, (0.3, 0.3), p=1),
        "Fog": lambda: A.RandomFog(0.08, (0.5, 0.5), p=1),
        "Spatter": lambda: A.Spatter(p=1),
        "Brightness": lambda: A.RandomBrightnessContrast((0.3, 0.3), (0, 0), p=1),
        "Contrast": lambda: A.RandomBrightnessContrast((0, 0), (-0.8, -0.8), p=1),
        "Saturate": lambda: A.HueSaturationValue((0, 0), (80, 80), (0, 0), p=1),
        "Gamma": lambda: A.RandomGamma((70, 70), p=1),
        "ChannelShift": lambda: A.RGBShift((26, 26), (26, 26), (26, 26), p=1),
        "JPEGCompression": lambda: A.ImageCompression("jpeg", (15, 15), p=1),
        "Pixelate": lambda: A.Downscale((0.4, 0.4), p=1),
        "Downscaling": lambda: A.Downscale(
            (0.5, 0.5),
            {"downscale": cv2.INTER_AREA, "upscale": cv2.INTER_CUBIC},
            p=1,
        ),
        "Quantization": lambda: A.Posterize((4, 4), p=1),
        "Rotation": lambda: A.Rotate((15, 15), border_mode=0, p=1),
        "Translation": lambda: A.Affine(translate_percent=(0.1, 0.1), p=1),
        "Scaling": lambda: A.Affine(scale=(1.2, 1.2), p=1),
        "Shear": lambda: A.Affine(shear={"x": (11.3, 11.3)}, p=1),
        "Tilt": lambda: A.Perspective((0.05, 0.05), p=1),
        "ElasticDeformation": lambda: A.ElasticTransform(12, 2.4, p=1),
        "Occlusion": lambda: A.Erasing((0.1, 0.1), (1, 1), p=1),
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
        "Translation": K.RandomAffine(0, translate=(0.1, 0.1), p=1.0),
        "Scaling": K.RandomAffine(0, scale=(1.2, 1.2), p=1.0),
        "Shear": K.RandomAffine(0, shear=(11.3, 11.3), p=1.0),
        "GaussianBlur": K.RandomGaussianBlur((19, 19), (3.0, 3.0), p=1.0),
        "MotionBlur": K.RandomMotionBlur(15, 45.0, 0.0, p=1.0),
        "Brightness": K.RandomBrightness((1.3, 1.3), p=1.0),
        "Gamma": K.RandomGamma((0.7, 0.7), p=1.0),
        "Saturate": K.RandomSaturation((2.0, 2.0), p=1.0),
        "Quantization": K.RandomPosterize((4, 4), p=1.0),
        "Tilt": K.RandomPerspective(0.1, p=1.0),
        "ElasticDeformation": K.RandomElasticTransform((15, 15), (2.4, 2.4), p=1.0),
        "Occlusion": K.RandomErasing((0.1, 0.1), (1.0, 1.0), p=1.0),
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
    """Return functions of one image: the published code."""
    from imagecorruptions import corrupt

    names = {
        "GaussianNoise": "gaussian_noise",
        "SpeckleNoise": "speckle_noise",
        "ShotNoise": "shot_noise",
        "SaltAndPepper": "impulse_noise",
        "GaussianBlur": "gaussian_blur",
        "DefocusBlur": "defocus_blur",
        "GlassBlur": "glass_blur",
        "MotionBlur": "motion_blur",
        "ZoomBlur": "zoom_blur",
        "Snow": "snow",
        "Frost": "frost",
        "Fog": "fog",
        "Spatter": "spatter",
        "Brightness": "brightness",
        "Contrast": "contrast",
        "Saturate": "saturate",
        "ElasticDeformation": "elastic_transform",
        "JPEGCompression": "jpeg_compression",
        "Pixelate": "pixelate",
    }
    return {
        ours: lambda image, name=name: corrupt(
            image, corruption_name=name, severity=3
        ).astype(np.uint8)
        for ours, name in names.items()
    }


LIBRARIES = (opencv, albumentations, kornia, imagecorruptions)
