"""Surprise adequacy: 60,000 x 128 training and 10,000 test activations, CPU seconds.

The peer is dnn-tip where it is installed (``pip install --no-deps dnn-tip tqdm``), and
otherwise a plain loop over the definitions. Its DSA is run on some hundred test
activations and scaled to all of them, as the last column says. Set OMP_NUM_THREADS=1:
CPU seconds of several threads add up.
"""

import argparse
import resource
import time
import warnings

import numpy as np
from paired import Case
from scipy.stats import gaussian_kde

from skrobust.sampling import DistanceSurprise, LikelihoodSurprise, MahalanobisSurprise

N_TRAIN, N_TEST, N_UNITS, N_CLASSES = 60_000, 10_000, 128, 10


def clouds(n, seed):
    """Return activations like those behind a ReLU, and a class for each."""
    centres = np.random.default_rng(0).normal(size=(N_CLASSES, N_UNITS))
    rng = np.random.default_rng(seed)
    labels = rng.integers(N_CLASSES, size=n)
    rows = centres[labels] + rng.normal(size=(n, N_UNITS))
    return np.maximum(rows, 0).astype(np.float32), labels


def plain_dsa(train, labels, test, predicted):
    scores = []
    for row, c in zip(test, predicted, strict=True):
        same, other = train[labels == c], train[labels != c]
        gaps = np.linalg.norm(same - row, axis=1)
        nearest = same[gaps.argmin()]
        scores.append(gaps.min() / np.linalg.norm(other - nearest, axis=1).min())
    return np.array(scores)


def varying(rows):
    return rows.var(axis=0, ddof=1) >= 1e-5


def plain_lsa(train, labels, test, predicted):
    scores = np.empty(len(test))
    for c in np.unique(predicted):
        rows, new = train[labels == c].astype(float), test[predicted == c]
        kept = varying(rows)
        density = gaussian_kde(rows[:, kept].T)
        scores[predicted == c] = -density.logpdf(new[:, kept].T.astype(float))
    return scores


def plain_mdsa(train, labels, test, predicted):
    scores = np.empty(len(test))
    for c in np.unique(predicted):
        rows = train[labels == c].astype(float)
        kept = varying(rows)
        gap = (test[predicted == c] - rows.mean(axis=0))[:, kept]
        inverse = np.linalg.inv(np.cov(rows[:, kept].T))
        scores[predicted == c] = np.sqrt(((gap @ inverse) * gap).sum(axis=1))
    return scores


def peers():
    """Return the name of the peer, and one function a measure."""
    try:
        from dnn_tip import surprise
    except ImportError:
        return "plain loop", plain_dsa, plain_lsa, plain_mdsa

    def dsa(train, labels, test, predicted):
        return surprise.DSA(train, labels)(test, predicted, num_threads=1)

    def lsa(activations):
        return surprise.LSA(activations, var_threshold=1e-5, max_features=None)

    def by_class(kind):
        def scores(train, labels, test, predicted):
            # In single precision its covariances would be singular.
            measure = surprise.MultiModalSA.build_by_class(
                train.astype(float), labels, lambda a, _: kind(a)
            )
            return measure(test.astype(float), predicted, num_threads=1)

        return scores

    def mdsa(train, labels, test, predicted):
        # It gives the square, of a covariance with the divisor n.
        n = np.bincount(labels)[predicted]
        square = by_class(surprise.MDSA)(train, labels, test, predicted)
        return np.sqrt(square * (1 - 1 / n))

    return "dnn-tip", dsa, by_class(lsa), mdsa


def cases(short):
    """Yield the three measures on fewer activations than ``main``."""
    n_train, n_test = (2_000, 100) if short else (20_000, 500)
    train, labels = clouds(n_train, 1)
    test, predicted = clouds(n_test, 2)
    peer, *measures = peers()
    kinds = DistanceSurprise, LikelihoodSurprise, MahalanobisSurprise
    for kind, other in zip(kinds, measures, strict=True):

        def ours(kind=kind):
            return kind().fit(train, labels).score_samples(test, predicted)

        def theirs(other=other):
            return other(train, labels, test, predicted)

        what = f"{kind.__name__}, {n_train} x {N_UNITS} in training"
        sides = {"ours": ours, peer: theirs}
        yield Case("surprise adequacy", what, "rows", n_test, sides)


def seconds(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, np.asarray(result, dtype=float)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--subset", type=int, default=200, help="tests of peer's DSA")
    n_subset = parser.parse_args().subset
    train, labels = clouds(N_TRAIN, 1)
    test, predicted = clouds(N_TEST, 2)
    peer, *measures = peers()
    peaks = []
    for kind, other, n in zip(
        (DistanceSurprise, LikelihoodSurprise, MahalanobisSurprise),
        measures,
        (n_subset, N_TEST, N_TEST),
        strict=True,
    ):

        def ours(kind=kind):
            return kind().fit(train, labels).score_samples(test, predicted)

        ours_s, scores = min((seconds(ours) for _ in range(3)), key=lambda s: s[0])
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs_s, theirs = seconds(
                lambda other=other, n=n: other(train, labels, test[:n], predicted[:n])
            )
        scaled = theirs_s * N_TEST / n
        gap = np.abs(scores[:n] - theirs).max()
        how = f"scaled from {n} tests" if n < N_TEST else "measured"
        print(
            f"{kind.__name__:20s} {ours_s:7.2f} s, {peer} {scaled:7.1f} s ({how}): "
            f"{scaled / ours_s:6.1f} x, largest difference {gap:.1e}"
        )
    print(f"peak memory before the peer first ran {peaks[0]:.2f} GB (data 0.04 GB)")


if __name__ == "__main__":
    main()
