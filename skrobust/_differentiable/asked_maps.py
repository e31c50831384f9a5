"""Maps of steps that are asked: affine ones, curves of single columns, functions.

An affine step is known from its answers to the origin and to the unit rows. The slopes
of other smooth steps are central differences of their answers.
"""

import numpy as np

from skrobust._differentiable.kernels import KERNELS, kernel_map
from skrobust._differentiable.maps import Map, chain, dense, linear
from skrobust._differentiable.steps import ask

STEP = 1e-5  # of the differences, relative to 1 + |x|


def affine_map(step):
    """Return the map of an affine step, from its answers to a few rows."""
    n = step.n_features_in_
    rows = np.vstack([np.zeros((1, n)), np.eye(n)])
    answers = _numbers(step, rows)
    return linear(answers[1:] - answers[0], answers[0])


def _numbers(step, rows):
    return ask(lambda asked: dense(step.transform(asked)), rows)


def curves_map(step):
    """Return the map of a step that turns each column into columns of its own.

    All columns move at once: each result depends on one of them.
    """
    n = step.n_features_in_

    def apply(x):
        z = _numbers(step, x)
        h = STEP * (1 + np.abs(x))
        rise = _numbers(step, x + h) - _numbers(step, x - h)
        wide = z.shape[1] // n

        def pullback(slope):
            parts = (slope * rise).reshape(len(x), n, wide).sum(axis=2)
            return parts / (2 * h)

        return z, pullback

    return Map(apply)


def function_map(step):
    """Return the map of any function of rows, with slopes by central differences.

    It is asked about twice the number of columns for each gradient. None where it does
    not take plain rows.
    """
    try:
        _numbers(step, np.ones((1, step.n_features_in_)))
    except Exception:  # whatever a function of anyone's own says
        return None

    def apply(x):
        z = _numbers(step, x).reshape(len(x), -1)

        def pullback(slope):
            out = np.zeros_like(x)
            for column in range(x.shape[1]):
                h = np.zeros_like(x)
                h[:, column] = STEP * (1 + np.abs(x[:, column]))
                up, down = (_numbers(step, x + s * h) for s in (1, -1))
                rise = ((up - down).reshape(z.shape) * slope).sum(axis=1)
                out[:, column] = rise / (2 * h[:, column])
            return out

        return z, pullback

    return Map(apply)


def kernel_pca_map(step):
    """Return the map of KernelPCA: centred kernels, turned."""
    if step.kernel not in KERNELS:
        return None
    points = dense(step.X_fit_)
    kernel = kernel_map(step.kernel, points, step.gamma_, step.degree, step.coef0)
    sizes = np.asarray(step.eigenvalues_, dtype=np.float64)
    roots = np.where(sizes > 0, np.sqrt(np.where(sizes > 0, sizes, 1)), np.inf)
    turned = dense(step.eigenvectors_) / roots
    turned = turned - turned.mean(axis=0)  # takes the mean of each row of kernels away
    raw = chain([kernel, linear(turned)])
    shift = _numbers(step, points[:1]) - raw.apply(points[:1])[0]
    return chain([raw, linear(np.eye(turned.shape[1]), shift)])


def bins_map(step):
    """Return the map of KBinsDiscretizer: steps, with the slope of lines between them.

    The slope at x is that of the line through the answers for the middles of the two
    bins nearest to x (straight through).
    """
    edges = [np.asarray(e, dtype=np.float64) for e in step.bin_edges_]
    middles = [(e[:-1] + e[1:]) / 2 for e in edges]
    n = len(edges)
    base = np.array([m[0] for m in middles])
    tables = []
    for j, middle in enumerate(middles):
        rows = np.tile(base, (len(middle), 1))
        rows[:, j] = middle
        tables.append(_numbers(step, rows))

    def apply(x):
        z = _numbers(step, x)
        rises = []
        for j, middle in enumerate(middles):
            if len(middle) < 2:
                rises.append(np.zeros_like(z))
                continue
            left = np.clip(np.searchsorted(middle, x[:, j]) - 1, 0, len(middle) - 2)
            width = (middle[left + 1] - middle[left])[:, None]
            rises.append((tables[j][left + 1] - tables[j][left]) / width)

        def pullback(slope):
            return np.column_stack([(slope * rises[j]).sum(axis=1) for j in range(n)])

        return z, pullback

    return Map(apply, stand_in="lines between bins in the place of steps")


def binarizer_map(step):
    """Return the map of Binarizer: a step, whose slope is taken to be 1."""
    stand_in = "a slope of 1 in the place of a threshold"
    return Map(lambda x: (_numbers(step, x), lambda slope: slope), stand_in=stand_in)


BUILDERS = {
    **dict.fromkeys(
        (
            "FactorAnalysis", "FastICA", "FeatureAgglomeration",
            "GaussianRandomProjection", "IncrementalPCA", "LinearDiscriminantAnalysis",
            "MiniBatchSparsePCA", "NeighborhoodComponentsAnalysis", "SparsePCA",
            "SparseRandomProjection",
        ),
        affine_map,
    ),
    "Binarizer": binarizer_map,
    "KBinsDiscretizer": bins_map,
    "KernelPCA": kernel_pca_map,
    "SplineTransformer": curves_map,
    "SkewedChi2Sampler": function_map,
}  # fmt: skip
