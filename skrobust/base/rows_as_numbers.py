"""Rows in any container as rows of numbers: data frames with text, sparse rows."""

import copy
from functools import partial

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

from skrobust._containers import is_frame, like, to_array
from skrobust._responses import innermost
from skrobust.base.coded_frame import CodedFrame
from skrobust.base.constraint_reader import Reader
from skrobust.base.constraints import Constraints
from skrobust.base.frame_columns import column_at, numbers_of
from skrobust.base.one_label import OneLabel
from skrobust.base.sparse_rows import dense_case


def as_numbers(attack, estimator, X):
    """Return attack, model and rows of numbers that stand for those of a frame.

    Parameters
    ----------
    attack : BaseAttack
        Its constraints and its range are those of the columns of the frame.
    estimator : fitted estimator
        Takes frames like X.
    X : array-like, data frame or tensor
        Rows under attack.

    Returns
    -------
    attack, estimator, X
        As they came, where all columns are numbers (sparse rows dense). Else a copy of
        the attack whose constraints are those of the coded rows, a pipeline that
        decodes them first, and the coded rows.
    back : callable
        From (coded) rows to the container that came in.
    """
    if issparse(X) and X.shape[0]:
        return attack, *dense_case(estimator, X, type(attack).__name__)
    if not is_frame(X) or X.shape[0] == 0:
        return attack, estimator, X, partial(like, X=X)
    numbers = [numbers_of(column_at(X, place)) for place in range(X.shape[1])]
    given = attack.constraints
    by_place = Constraints()
    if isinstance(given, Constraints):
        by_place = _with_every_unit(given, X, numbers).by_position(X.columns)
    frozen = _frozen(by_place, X.shape[1], type(attack).__name__)
    missing = [v is not None and not np.isfinite(v).all() for v in numbers]
    gaps = any(missing[place] for place in frozen)
    if all(v is not None for v in numbers) and not gaps:
        return attack, estimator, X, partial(like, X=X)
    coded = CodedFrame(X, numbers, by_place, frozen, attack)
    label, inner = None, estimator
    if isinstance(estimator, OneLabel):  # stays outside: a Pipeline ends in a fit
        label, inner = estimator.label, estimator.estimator
    model = Pipeline([("frame", FrameRows(coded)), ("model", inner)])
    model = model if label is None else OneLabel(model, label)
    return coded.attack, model, coded.values, coded.decode


def frame_of(model):
    """Return the coded frame behind a model that :func:`as_numbers` returned."""
    return innermost(model)[0][0][1].coded


def _frozen(constraints, n_columns, caller):
    reader = Reader(np.zeros((1, n_columns)), caller)
    return set(reader.places(constraints.frozen, "frozen").tolist())


def _with_every_unit(constraints, X, numbers):
    """Return constraints whose named units name the columns without numbers too."""
    scale = constraints.scale
    if is_frame(scale) and len(scale) == 1:
        scale = dict(zip(scale.columns, to_array(scale)[0], strict=True))
    if not hasattr(scale, "items"):
        return constraints
    units, named = dict(scale.items()), list(X.columns)
    for name, values in zip(named, numbers, strict=True):
        if values is None and not isinstance(units.get(name), (int, float)):
            units[name] = 1.0
    out = copy.copy(constraints)
    out.scale = units
    return out


class FrameRows(TransformerMixin, BaseEstimator):
    """Pipeline step that turns coded rows into rows of the data frame.

    Parameters
    ----------
    coded : CodedFrame
        The frame, and how it is coded.
    """

    def __init__(self, coded):
        self.coded = coded

    def fit(self, X, y=None):
        """Return the step."""
        return self

    def transform(self, X):
        """Return the rows of the frame that coded rows stand for."""
        return self.coded.decode(X)

    def __sklearn_is_fitted__(self):
        return True
