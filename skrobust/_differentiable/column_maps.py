"""Differentiable maps of ColumnTransformer and FeatureUnion."""

import numpy as np
from sklearn.pipeline import Pipeline

from skrobust._differentiable.maps import Map, beside, chain, pick
from skrobust._differentiable.steps import refuse


def columns_map(step, name, caller, translate):
    """Return the map of a ColumnTransformer over numeric columns."""
    names = getattr(step, "feature_names_in_", None)
    maps = []
    for part, transformer, columns in step.transformers_:
        if _is_idle(transformer, "drop"):
            continue
        places = _places(columns, names, step.n_features_in_)
        if places is None:
            refuse(f"{name}.{part}", step, caller, "columns by name, place or mask")
        if not len(places):
            continue
        inner = _transformer(transformer, f"{name}.{part}", caller, translate)
        maps.append((step.output_indices_[part].start, chain([pick(places), inner])))
    return beside([one for _, one in sorted(maps, key=lambda pair: pair[0])])


def union_map(step, name, caller, translate):
    """Return the map of a FeatureUnion."""
    weights, maps = step.transformer_weights or {}, []
    for part, transformer in step.transformer_list:
        if _is_idle(transformer, "drop"):
            continue
        one = _transformer(transformer, f"{name}.{part}", caller, translate)
        maps.append(_times(one, weights.get(part, 1.0)))
    return beside(maps)


def _times(one, weight):
    def apply(x):
        z, pull = one.apply(x)
        return z * weight, lambda slope: pull(slope * weight)

    return Map(apply, one.affine)


def _transformer(transformer, name, caller, translate):
    if _is_idle(transformer, "passthrough") or transformer is None:
        return chain([])
    if isinstance(transformer, Pipeline):
        return chain(
            _transformer(inner, f"{name}.{part}", caller, translate)
            for part, inner in transformer.steps
        )
    return chain(translate([(name, transformer)], caller))


def _is_idle(transformer, word):
    return isinstance(transformer, str) and transformer == word


def _places(columns, names, n_features):
    """Return column numbers; None where they are unknown."""
    every = np.arange(n_features)
    if isinstance(columns, slice):
        if isinstance(columns.start, str) or isinstance(columns.stop, str):
            if names is None:
                return None
            listed = list(names)
            first = 0 if columns.start is None else listed.index(columns.start)
            last = (
                n_features if columns.stop is None else listed.index(columns.stop) + 1
            )
            return every[first:last]
        return every[columns]
    columns = [columns] if isinstance(columns, (str, int)) else list(columns)
    if columns and isinstance(columns[0], str):
        if names is None:
            return None
        listed = list(names)
        return np.array([listed.index(column) for column in columns])
    if not columns:
        return every[:0]
    return every[np.asarray(columns)]
