"""Flip rates and stability along frames in which a perturbation grows (ImageNet-P).

``python benchmarks/flip_rates.py --write doc`` writes doc/flips.csv.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC

from skrobust.metrics import confidence_interval, period_stability_index
from skrobust.perturbations import (
    Brightness,
    GaussianNoise,
    PerturbedFrames,
    Rotation,
    Tilt,
    Translation,
)

DIGITS = {"image_shape": (8, 8), "data_range": (0, 16), "random_state": 0}


def sequences():
    """Return the sequences, with steps of ImageNet-P where they fit small images."""
    shift = np.linspace(-1 / 8, 1 / 8, 21)  # a pixel of 8, in steps of a tenth
    moves = {"distance": np.abs(shift), "direction": np.where(shift < 0, 180, 0)}
    angles, light = np.arange(-15, 16), np.arange(-15, 16) * 0.02
    noise = GaussianNoise(std=0.08, **DIGITS)
    return {
        "noise, sd .08": PerturbedFrames(noise, draws="new"),
        "rotation, -15 to 15 degrees": PerturbedFrames(
            Rotation(**DIGITS), steps={"angle": angles}
        ),
        "tilt, -15 to 15 degrees": PerturbedFrames(
            Tilt(**DIGITS), steps={"angle": angles}
        ),
        "brightness, -.3 to .3": PerturbedFrames(
            Brightness(**DIGITS), steps={"shift": light}
        ),
        "translation, -1 to 1 pixels": PerturbedFrames(
            Translation(**DIGITS), steps=moves
        ),
    }


def main():
    """Fit two models, and print or write their figures for each sequence."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, help="folder for flips.csv")
    arguments = parser.parse_args()
    X, y = load_digits(return_X_y=True)
    models = {
        "SVC": SVC().fit(X[:900], y[:900]),
        "random forest": RandomForestClassifier(random_state=0).fit(X[:900], y[:900]),
    }
    rows = [["frames", "model", "flip rate", "95 % interval", "accuracy, first frame",
             "accuracy, lowest", "stability index"]]  # fmt: skip
    for name, frames in sequences().items():
        for kind, model in models.items():
            rows.append([name, kind, *figures(frames, model, X[900:], y[900:])])
    for row in rows:
        print(", ".join(row))
    if arguments.write is not None:
        with (arguments.write / "flips.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def figures(frames, model, X, y):
    """Return the columns of the table as text."""
    y_pred = frames.predict_frames(model, X)
    rate = confidence_interval("flip_rate", y_pred, against=frames.against)
    n_frames = y_pred.shape[1]
    times = np.tile(np.arange(n_frames), len(y))
    index = period_stability_index(np.repeat(y, n_frames), y_pred.ravel(), times)
    accuracy = (y_pred == y[:, None]).mean(axis=0)
    interval = f"{rate.low:.4f} to {rate.high:.4f}"
    figures = (accuracy[0], accuracy.min(), index)
    return [f"{rate.value:.4f}", interval, *(f"{value:.3f}" for value in figures)]


if __name__ == "__main__":
    main()
