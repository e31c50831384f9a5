"""What noise keyed by row content costs, against numpy's own generator."""

import statistics
import time

import numpy as np

from skrobust.perturbations import GaussianNoise


def main():
    for shape in ((20_000, 8, 8), (5_000, 32, 32, 3), (64, 224, 224, 3)):
        images = np.random.default_rng(0).random(shape, dtype=np.float32)
        noise = GaussianNoise(std=0.1, random_state=0)

        def plain(images=images):
            rng = np.random.default_rng(0)
            z = rng.standard_normal(images.shape, dtype=np.float32)
            return np.clip(images + np.float32(0.1) * z, 0, 1)

        def keyed(images=images, noise=noise):
            return noise.perturb(None, images)

        times = {plain: [], keyed: []}
        for repeat in range(8):
            for side, values in times.items():
                start = time.perf_counter()
                side()
                if repeat:
                    values.append(time.perf_counter() - start)
        ratio = statistics.median(
            k / p for k, p in zip(times[keyed], times[plain], strict=True)
        )
        rate = shape[0] / statistics.median(times[keyed])
        print(f"{shape!s:20s} {rate:10.0f} images/s, {ratio:.2f} x plain numpy")


if __name__ == "__main__":
    main()
