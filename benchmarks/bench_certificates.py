"""Tightness of the certificates of a small convolutional net, against seconds.

For a plain and an adversarially trained net: the share of rows that each stage proves
to be robust, the share that AutoPGD leaves, and CPU seconds for all rows (one thread).
Finished blocks of rows are kept in a folder, so that a run that was killed goes on.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_digits

from skrobust.attacks import PGD, AutoPGD
from skrobust.certificates.find_proof import find_proof
from skrobust.certificates.region import Region
from skrobust.evaluation.attacked.certificates import certify
from skrobust.metrics.robust.probability_shift import probability_shift
from skrobust.nets import AdversarialTraining, small_cnn_classifier

STAGES = ("intervals", "linear bounds", "slopes searched")
BLOCK = 25


def problem(name, data):
    """Return training rows, labels, test rows, labels and the shape of an image."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X[:797] / 16, y[:797], X[797:] / 16, y[797:], (8, 8)
    with np.load(data) as file:
        X, y = (file[key] for key in sorted(file.files, key=lambda k: -file[k].ndim))
    X = X.reshape(len(X), -1) / 255
    return X[:9000], y[:9000].astype(int), X[9000:], y[9000:].astype(int), (28, 28)


def nets(X, y, shape, eps, epochs):
    """Return the two nets, trained."""
    attack = PGD(eps, n_steps=3, random_state=0)
    robust = AdversarialTraining(attack, ramp_epochs=epochs // 2)
    callbacks = {"plain": [], "adversarial": [("adversarial", robust)]}
    return {
        name: small_cnn_classifier(
            shape, 10, epochs=epochs, callbacks=parts, batch_size=64
        ).fit(X, y)
        for name, parts in callbacks.items()
    }


def block(model, X, y, eps, stage):
    """Return what one stage gives for a few rows, and its seconds."""
    begun = time.process_time()
    if stage == "AutoPGD":
        attack = AutoPGD(eps, data_range=(0, 1), random_state=0)
        found = model.predict(attack.perturb(model, X, y)) == y
        return np.array([found]), time.process_time() - begun
    if stage == "move of P":
        p = model.predict_proba(X).astype(float)
        ball = {"eps": eps / 10, "norm": np.inf, "data_range": (0, 1)}
        attack = AutoPGD(eps / 10, data_range=(0, 1), random_state=0)
        attack.set_params(objective="probability_shift")
        q = model.predict_proba(attack.perturb(model, X, y)).astype(float)
        attacked = probability_shift(p, q, reference="predicted")
        proof = certify(model, X, X, p, p.argmax(axis=1), caller="bench", **ball)
        certified = proof.shift(p, p.argmax(axis=1))
        return np.array([attacked, certified]), time.process_time() - begun
    region = Region.of(X, eps, np.inf, (0, 1))
    proof = find_proof(model, region, 10, model.predict_proba, "bench", X.shape[1:])
    right = model.predict(X) == y
    own = np.where(right, y, -1)
    won = proof.wins(own, effort=1 + STAGES.index(stage))
    return np.array([won & right]), time.process_time() - begun


def measure(model, X, y, eps, stage, folder):
    """Return what a stage gives for all rows, block by block, and its seconds."""
    values, seconds = [], 0.0
    for start in range(0, len(y), BLOCK):
        path = folder / f"{stage.replace(' ', '_')}_{eps:g}_{start}.npz"
        if path.exists():
            with np.load(path) as file:
                found, took = file["found"], float(file["took"])
        else:
            rows = slice(start, start + BLOCK)
            found, took = block(model, X[rows], y[rows], eps, stage)
            np.savez(path, found=found, took=took)
        values.append(found)
        seconds += took
        print(f"\r{stage}: {start + BLOCK}/{len(y)} rows, {seconds:.0f} s", end="")
    print("\r", end="")
    return np.concatenate(values, axis=1), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problem", choices=("digits", "mnist"), default="digits")
    parser.add_argument("--data", default="shared/data/mnist/mnist10k.npz")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--eps", type=float, nargs="+", default=[0.02, 0.05, 0.1])
    parser.add_argument("--train-eps", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--folder", default="certificates_run")
    options = parser.parse_args()
    torch.set_num_threads(1)
    X, y, test, labels, shape = problem(options.problem, options.data)
    test, labels = test[: options.rows], labels[: options.rows]
    models = nets(X, y, shape, options.train_eps, options.epochs)
    print("| net | eps | clean | stage | rows | per 1,000 rows |")
    print("|---|---|---|---|---|---|")
    for name, model in models.items():
        clean = model.score(test, labels)
        for eps in options.eps:
            folder = Path(options.folder) / options.problem / name
            folder.mkdir(parents=True, exist_ok=True)
            for stage in (*STAGES, "AutoPGD"):
                found, took = measure(model, test, labels, eps, stage, folder)
                row = name, f"{eps:g}", f"{clean:.3f}", stage, f"{found[0].mean():.3f}"
                print(f"| {' | '.join(row)} | {1000 * took / len(labels):.1f} s |")
            found, took = measure(model, test, labels, eps, "move of P", folder)
            found = " to ".join(f"{value:.4f}" for value in np.median(found, axis=1))
            row = name, f"{eps / 10:g}", f"{clean:.3f}", "median move of P", found
            print(f"| {' | '.join(row)} | {1000 * took / len(labels):.1f} s |")


if __name__ == "__main__":
    main()
