"""Differentiable maps of ColumnTransformer and FeatureUnion."""

import numpy as np
from sklearn.pipeline import Pipeline

from skrobust._differentiable.maps import Map, beside, chain, pick
from skrobust._differentiable.steps import refuse


def columns_map(step, name, caller, translate):
    """Return the map of a ColumnTransformer over numeric columns."""
    names = getattr(step, "feature_names_in_", None)
    maps = []
    for part, transformer, _, places in column_parts(step, names, name, caller):
        inner = transformer_map(transformer, f"{name}.{part}", caller, translate)
        maps.append((step.output_indices_[part].start, chain([pick(places), inner])))
    return beside([one for _, one in sorted(maps, key=lambda pair: pair[0])])


def union_map(step, name, caller, translate):
    """Return the map of a FeatureUnion."""
    weights, maps = step.transformer_weights or {}, []
    for part, transformer in step.transformer_list:
        if is_idle(transformer, "drop"):
            continue
        one = transformer_map(transformer, f"{name}.{part}", caller, translate)
        maps.append(_times(one, weights.get(part, 1.0)))
    return beside(maps)


def _times(one, weight):
    def apply(x):
        z, pull = one.apply(x)
        return z * weight, lambda slope: pull(slope * weight)

    return Map(apply, one.affine, one.stand_in)


def column_parts(step, names, name, caller):
    """Yield the parts of a ColumnTransformer that take columns, with their places."""
    for part, transformer, columns in step.transformers_:
        if is_idle(transformer, "drop"):
            continue
        places = column_places(columns, names, step.n_features_in_)
        if places is None:
            refuse(f"{name}.{part}", step, caller, "columns by name, place or mask")
        if len(places):
            yield part, transformer, columns, places


def transformer_map(transformer, name, caller, translate):
    """Return the map of one part; that of "passthrough" or None changes nothing."""
    if is_idle(transformer, "passthrough") or transformer is None:
        return chain([])
    if isinstance(transformer, Pipeline):
        return chain(
            transformer_map(inner, f"{name}.{part}", caller, translate)
            for part, inner in transformer.steps
        )
    return chain(translate([(name, transformer)], caller))


def is_idle(transformer, word):
    """Say whether a word stands in the place of a transformer."""
    return isinstance(transformer, str) and transformer == word


def column_places(columns, names, n_features):
    """Return column numbers; None where they are unknown."""
    listed = None if names is None else list(names)
    every = np.arange(n_features)
    if isinstance(columns, slice):
        start, stop = columns.start, columns.stop
        if not isinstance(start, str) and not isinstance(stop, str):
            return every[columns]
        if listed is None:
            return None
        first = 0 if start is None else listed.index(start)
        return every[first : None if stop is None else listed.index(stop) + 1]
    columns = [columns] if isinstance(columns, (str, int)) else list(columns)
    if not columns:
        return every[:0]
    if not isinstance(columns[0], str):
        return every[np.asarray(columns)]
    return None if listed is None else np.array([listed.index(c) for c in columns])
