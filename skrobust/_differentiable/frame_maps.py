"""Differentiable maps of the first step after coded rows of a data frame.

Cells that never change give the same columns for each row, whatever the transformer
makes of them: these are looked up. A category that may change is a sum of its
indicators, so that any encoder of single columns is linear in them.
"""

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from skrobust._containers import is_frame
from skrobust._differentiable import maps
from skrobust._differentiable.asked_maps import function_map
from skrobust._differentiable.column_maps import column_parts, is_idle, transformer_map
from skrobust._differentiable.steps import refuse
from skrobust._responses import respond
from skrobust.base.frame_columns import rows_at, with_columns
from skrobust.base.rows_as_numbers import FrameRows

_BY_COLUMN = ("OneHotEncoder", "OrdinalEncoder", "TargetEncoder", "SimpleImputer")


class FrameStep:
    """A step of a pipeline that takes the frame that coded rows stand for.

    Parameters
    ----------
    coded : CodedFrame
        The frame, and how it is coded.
    step : fitted transformer
        The step.
    """

    def __init__(self, coded, step):
        self.coded, self.step = coded, step
        self.n_features_in_ = coded.values.shape[1]


def with_frame(steps, model, caller):
    """Return steps in which decoding a frame and what follows it are one.

    Parameters
    ----------
    steps : list of (str, transformer)
        Of a pipeline, the decoding first where there is any.
    model : estimator
        After them.
    caller : str
        Name of the public function or class, for error messages.
    """
    if not steps or not isinstance(steps[0][1], FrameRows):
        return steps
    coded = steps[0][1].coded
    if len(steps) == 1:
        at = next((p for p, v in enumerate(coded.numbers) if v is None), None)
        held = "missing values" if at is None else "no numbers"
        name = coded.names[0 if at is None else at]
        raise ValueError(
            f"{caller} needs gradients, and {type(model).__name__} takes column "
            f"{name!r}, which holds {held}, itself. Put an encoder before it in a "
            "Pipeline, or use a black-box attack."
        )
    name, step = steps[1]
    return [(name, FrameStep(coded, step)), *steps[2:]]


def frame_map(frame_step, name, caller, translate):
    """Return the map of the first step, from coded rows."""
    coded, step = frame_step.coded, frame_step.step
    if maps.sklearn_name(step) != "ColumnTransformer":
        every = list(range(len(coded.names)))
        return _part_map(coded, step, coded.names, every, name, caller, translate)
    known = getattr(step, "feature_names_in_", None)
    known = coded.names if known is None else list(known)
    found = []
    for part, transformer, columns, places in column_parts(step, known, name, caller):
        places = [coded.names.index(known[p]) for p in places]
        # One name, not a list of it, hands the transformer a single column.
        chosen = [coded.names[p] for p in places]
        chosen = chosen[0] if isinstance(columns, (str, int)) else chosen
        label = f"{name}.{part}"
        one = _part_map(coded, transformer, chosen, places, label, caller, translate)
        found.append((step.output_indices_[part].start, one))
    return maps.beside([one for _, one in sorted(found, key=lambda pair: pair[0])])


def _part_map(coded, transformer, columns, places, name, caller, translate):
    """Return the map of a transformer over some columns of the frame."""
    if all(coded.numbers[p] is not None for p in places):
        values = maps.beside([_number(coded, p) for p in places])
        if all(p not in coded.free for p in places):
            return _looked_up(coded, _answers(transformer, coded.frame, columns))
        if not _encodes(transformer):
            if maps.sklearn_name(transformer) == "FunctionTransformer":
                in_frame = function_map(_InFrame(coded, transformer, columns, places))
                return maps.chain([values, in_frame])
            one = transformer_map(transformer, name, caller, translate)
            return maps.chain([values, one])
    free = [p for p in places if p in coded.free]
    if free:
        column = coded.names[free[0]]
        raise ValueError(
            f"{caller} cannot differentiate what the step {name!r} "
            f"({type(transformer).__name__}) makes of the numbers in column "
            f"{column!r}. Freeze the column, Constraints(frozen=[{column!r}]), or use "
            "a black-box attack."
        )
    table = _answers(transformer, coded.frame, columns)
    switched = [p for p in places if p in coded.groups]
    if not switched:
        return _looked_up(coded, table)
    if len(places) > 1 and not _encodes(transformer):
        refuse(name, transformer, caller, "categories that change one column each")
    return _switched(coded, transformer, columns, switched, table)


class _InFrame:
    """A function of columns of the frame, as one of rows of their numbers."""

    def __init__(self, coded, transformer, columns, places):
        self._frame = rows_at(coded.frame, [0])
        self._transformer, self._columns, self._places = transformer, columns, places
        self.n_features_in_ = len(places)

    def transform(self, values):
        """Return what the function makes of the numbers."""
        rows = rows_at(self._frame, [0] * len(values))
        changes = {p: values[:, j] for j, p in enumerate(self._places)}
        return _answers(self._transformer, with_columns(rows, changes), self._columns)


def _number(coded, place):
    """Return the map to the numbers of a column."""
    if place in coded.coded:
        return maps.pick(np.array([coded.coded.index(place)]))
    return _looked_up(coded, coded.numbers[place][:, None])


def _looked_up(coded, table):
    """Return the map to rows of a table by the cells that never change."""

    def apply(x):
        rows = table[coded.rows(x)]
        return maps.dense(rows), lambda slope: np.zeros_like(x)

    return maps.Map(apply)


def _switched(coded, transformer, columns, places, table):
    """Return the map of an encoder: what stays, plus the part of each indicator.

    The answers for a level are those for the first row with the level in place of its
    own, less their mean over levels; encoders of single columns add up over columns.
    """
    rest, parts = maps.dense(table), []
    for place in places:
        series, width = coded.level_cells(place), len(coded.levels[place])
        changed = with_columns(rows_at(coded.frame, [0] * width), {place: series})
        levels = maps.dense(_answers(transformer, changed, columns))
        levels = levels - levels.mean(axis=0)
        own = coded.indicators_of(coded.frame, place)
        rest = rest - own @ levels
        parts.append((coded.groups[place], levels))
    return maps.total([_looked_up(coded, rest), *(_of_group(*one) for one in parts)])


def _of_group(part, levels):
    columns = np.arange(part.start, part.stop)
    return maps.chain([maps.pick(columns), maps.linear(levels)])


def _answers(transformer, frame, columns):
    """Return what a transformer makes of columns of a frame: an array, or CSR."""
    rows = _safe_indexing(frame, columns, axis=1)
    if not is_idle(transformer, "passthrough") and transformer is not None:
        rows = respond(transformer, "transform", rows)
    if sparse.issparse(rows):
        return rows.tocsr()
    rows = rows.to_numpy() if is_frame(rows) else np.asarray(rows)
    return rows.astype(np.float64).reshape(len(frame), -1)


def _encodes(transformer):
    """Say whether a transformer encodes each column by itself."""
    if isinstance(transformer, Pipeline):
        return all(_encodes(step) for _, step in transformer.steps) and any(
            maps.sklearn_name(step) != "SimpleImputer" for _, step in transformer.steps
        )
    return maps.sklearn_name(transformer) in _BY_COLUMN
