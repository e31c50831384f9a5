"""Simulated and real pools of which the truth is known, for the tables of samplers."""

import csv

import numpy as np
from scipy.special import expit, logit

SEED = 20261129  # the design was tuned on pools of other seeds


def calibrated(rng, scores):
    return scores


def overconfident(rng, scores):
    shift = rng.uniform(-0.3, 0.5)
    return expit(log_odds(scores) / rng.uniform(1.3, 3) + shift)


def underconfident(rng, scores):
    return expit(log_odds(scores) / rng.uniform(0.4, 0.8) - rng.uniform(0, 0.7))


def confident_errors(rng, scores):
    share = rng.choice([0.02, 0.05, 0.12, 0.25])
    return np.minimum(share + rng.uniform(1, 2.4) * scores, rng.uniform(0.7, 0.95))


def rare_failures(rng, scores):
    return np.minimum(scores * rng.uniform(0.003, 0.015) / scores.mean(), 0.8)


def wrong_way(rng, scores):
    return rng.uniform(0.05, 0.4) * (1 - scores) ** rng.uniform(0.5, 3)


def no_signal(rng, scores):
    return np.full(len(scores), rng.choice([0.01, 0.05, 0.15, 0.4]))


def a_band(rng, scores):
    """Failures in a band of middle scores, and a few elsewhere."""
    rank = np.argsort(np.argsort(scores)) / len(scores)
    band = np.exp(-(((rank - rng.uniform(0.3, 0.8)) / 0.1) ** 2))
    return rng.uniform(0.01, 0.05) + rng.uniform(0.2, 0.6) * band


def clusters(rng, scores):
    """Parts of the pool that are harder or easier than their scores say."""
    part = rng.integers(0, rng.integers(5, 20), len(scores))
    return expit(0.7 * log_odds(scores) + rng.normal(0, 1.5, 20)[part])


def drift(rng, scores):
    """Late inputs fail whatever their scores are."""
    time, late = np.linspace(0, 1, len(scores)), rng.uniform(0.5, 0.9)
    failing = rng.uniform(0.1, 0.4) * (time > late)
    return np.clip(scores * (1 - time / 2) + failing, 0, 1)


FAMILIES = (
    calibrated, overconfident, underconfident, confident_errors, rare_failures,
    wrong_way, no_signal, a_band, clusters, drift,
)  # fmt: skip


def log_odds(scores):
    return logit(np.clip(scores, 1e-6, 1 - 1e-6))


def worlds(per_family=4, seed=SEED):
    """Yield family, scores, failures and failure probabilities of each pool."""
    for at, family in enumerate(FAMILIES):
        for k in range(per_family):
            rng = np.random.default_rng([seed, at, k])
            n_pool = int(rng.choice([4000, 6000, 10_000]))
            scores = rng.beta(rng.uniform(0.08, 0.4), rng.uniform(1.5, 5), n_pool)
            p = family(rng, scores)
            name = family.__name__.replace("_", " ")
            yield f"{name} {k + 1}", scores, rng.random(n_pool) < p, p


def read_pools(folder):
    """Yield the pools of a folder as worlds whose probabilities nobody knows."""
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
        names = [name.lower() for name in header]
        table = dict(zip(names, zip(*rows, strict=True), strict=True))
        failed = np.array([outcome == "Fail" for outcome in table["outcome"]])
        yield path.stem, 1 - np.array(table["confidence"], dtype=float), failed, None
