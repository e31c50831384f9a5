"""Differentiable maps of fitted scikit-learn transformers."""

import numpy as np
from scipy import sparse
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from skrobust._differentiable import maps
from skrobust._differentiable.asked_maps import BUILDERS as asked_maps
from skrobust._differentiable.asked_maps import function_map
from skrobust._differentiable.column_maps import columns_map, union_map
from skrobust._differentiable.curved_maps import power_map, quantile_map
from skrobust._differentiable.frame_maps import FrameStep, frame_map
from skrobust._differentiable.kernels import KERNELS, kernel_map
from skrobust._differentiable.steps import affine_parts, clip_range, refuse
from skrobust.base.sparse_rows import SparseRows

UNDERSTOOD = (
    "passthrough, scalers, PCA and other linear decompositions, KernelPCA, LDA, random "
    "projections, PolynomialFeatures, SplineTransformer, KBinsDiscretizer, Binarizer, "
    "Nystroem, RBFSampler, Normalizer, QuantileTransformer, PowerTransformer, feature "
    "selection, SimpleImputer, FunctionTransformer, ColumnTransformer, FeatureUnion "
    "and ToNetInput"
)


def step_maps(steps, caller):
    """Return the maps of named steps, or say which one is not understood."""
    return [_step_map(name, step, caller) for name, step in steps]


def _step_map(name, step, caller):
    if isinstance(step, FrameStep):
        return frame_map(step, name, caller, step_maps)
    if isinstance(step, SparseRows):
        return maps.scaling(1.0, 0.0)
    found = None
    parts = affine_parts(step)
    if parts is not None:
        return maps.scaling(*parts, clip_range(step))
    kind = maps.sklearn_name(step)
    if kind in _BUILDERS:
        check_is_fitted(step)
        found = _BUILDERS[kind](step)
    elif kind in _BUILDERS_OF_PARTS:
        check_is_fitted(step)
        found = _BUILDERS_OF_PARTS[kind](step, name, caller, step_maps)
    elif isinstance(step, SelectorMixin) and kind is not None:
        found = maps.pick(step.get_support(indices=True))
    elif hasattr(step, "differentiable_transform"):
        found = _own(step)
    if found is None:
        refuse(name, step, caller, UNDERSTOOD)
    return found


def _own(step):
    """Return the map of a step of anyone's own: a reshaping, or with a pullback."""

    def apply(x):
        z = np.asarray(step.differentiable_transform(x), dtype=np.float64)
        if hasattr(step, "differentiable_pullback"):
            return z, lambda slope: step.differentiable_pullback(x, slope)
        if not np.array_equal(z.ravel(), x.ravel()):
            raise ValueError(
                f"{type(step).__name__}.differentiable_transform changes values; "
                "before a model of scikit-learn it needs "
                "differentiable_pullback(x, slope), the slope by x."
            )
        return z, lambda slope: slope.reshape(x.shape)

    return maps.Map(apply)


def _pca(step):
    weights, scale = maps.dense(step.components_).T, 1.0
    if step.whiten:
        tiny = np.finfo(step.explained_variance_.dtype).eps
        scale = 1 / np.maximum(np.sqrt(step.explained_variance_), tiny)
    return maps.linear(weights * scale, -(maps.dense(step.mean_) @ weights) * scale)


def _normalizer(step):
    kind = step.norm

    def apply(x):
        sign = np.sign(x)
        if kind == "l1":
            size, way = np.abs(x).sum(axis=1), sign
        elif kind == "l2":
            size = np.sqrt((x * x).sum(axis=1))
            way = x / np.where(size > 0, size, 1)[:, None]
        else:
            size = np.abs(x).max(axis=1)
            way = np.zeros_like(x)
            at = np.arange(len(x)), np.abs(x).argmax(axis=1)
            way[at] = sign[at]
        zero = size == 0
        size = np.where(zero, 1, size)[:, None]
        z = x / size

        def pullback(slope):
            along = (slope * z).sum(axis=1, keepdims=True)
            return (slope - np.where(zero[:, None], 0, along) * way) / size

        return z, pullback

    return maps.Map(apply)


def _polynomial(step):
    powers = np.asarray(step.powers_)
    n_out, n_in = powers.shape
    degree = max(1, int(powers.sum(axis=1).max()))
    # Each output is a product of `degree` factors; column n_in is the constant 1.
    factors = np.full((n_out, degree), n_in)
    for row, power in enumerate(powers):
        places = np.repeat(np.arange(n_in), power)
        factors[row, : len(places)] = places
    shape = (n_out, n_in + 1)
    ones, rows = np.ones(n_out), np.arange(n_out)
    back = [sparse.csr_matrix((ones, (rows, f)), shape=shape) for f in factors.T]

    def apply(x):
        parts = np.column_stack([x, np.ones(len(x))])[:, factors]

        def pullback(slope):
            out = np.zeros((len(x), n_in + 1))
            for place in range(degree):
                others = np.delete(parts, place, axis=2).prod(axis=2)
                out += (slope * others) @ back[place]
            return out[:, :n_in]

        return parts.prod(axis=2), pullback

    return maps.bounded(maps.Map(apply), n_out * degree)


def _nystroem(step):
    points = maps.dense(step.components_)
    params = dict(step.kernel_params or {})
    if step.kernel not in KERNELS:
        return None
    of_kernel = (
        params.get(name) if getattr(step, name) is None else getattr(step, name)
        for name in ("gamma", "degree", "coef0")
    )
    kernel = kernel_map(step.kernel, points, *of_kernel)
    return maps.chain([kernel, maps.linear(maps.dense(step.normalization_).T)])


def _rbf_sampler(step):
    weights, offset = maps.dense(step.random_weights_), maps.dense(step.random_offset_)
    height = np.sqrt(2 / step.n_components)

    def apply(x):
        angle = x @ weights + offset

        def pullback(slope):
            return (-height * slope * np.sin(angle)) @ weights.T

        return height * np.cos(angle), pullback

    return maps.Map(apply)


def _imputer(step):
    statistics = step.statistics_
    wanted = step.missing_values
    if step.add_indicator or not (
        wanted is None or (isinstance(wanted, float) and np.isnan(wanted))
    ):
        return None
    known = np.array([s == s and s is not None for s in statistics])
    kept = np.flatnonzero(known | step.keep_empty_features)
    filled = np.array([s if k else 0.0 for s, k in zip(statistics, known, strict=True)])
    filled = filled.astype(np.float64)[kept]

    def fill(x):
        absent = np.isnan(x)
        if not absent.any():
            return x, lambda slope: slope
        return np.where(absent, filled, x), lambda slope: np.where(absent, 0.0, slope)

    return maps.chain([maps.pick(kept), maps.Map(fill, True)])


def _function(step):
    """Return the map of a FunctionTransformer: a cast, or any function of rows."""
    casts = (None, np.asarray, np.float32, np.float64)
    if step.kw_args or not any(step.func is one for one in casts):
        return function_map(step)
    return maps.scaling(1.0, 0.0)


_BUILDERS = {
    **asked_maps,
    "PCA": _pca,
    "TruncatedSVD": lambda step: maps.linear(maps.dense(step.components_).T),
    "Normalizer": _normalizer,
    "PolynomialFeatures": _polynomial,
    "Nystroem": _nystroem,
    "RBFSampler": _rbf_sampler,
    "SimpleImputer": _imputer,
    "FunctionTransformer": _function,
    "QuantileTransformer": quantile_map,
    "PowerTransformer": power_map,
}
_BUILDERS_OF_PARTS = {"ColumnTransformer": columns_map, "FeatureUnion": union_map}
