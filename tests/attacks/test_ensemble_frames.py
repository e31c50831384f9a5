"""Ensembles hand their members the container that the model expects."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from skrobust.attacks import (
    FAB,
    FGSM,
    PGD,
    AutoAttack,
    Constraints,
    HopSkipJump,
    ProbabilityShift,
    RandomSearch,
    Square,
)

NAMES = ["long", "wide", "petal", "width"]


def columns_by_name(final):
    scaled = ColumnTransformer(
        [
            ("one", StandardScaler(), ["width", "long"]),
            ("two", MinMaxScaler(), ["wide", "petal"]),
        ]
    )
    return make_pipeline(scaled, final)


def frame_of(kind):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=NAMES, index=np.arange(len(X)) + 1000)
    return (frame if kind == "pandas" else pl.DataFrame(X, schema=NAMES)), X, y


class Nudge:
    """An attack of somebody else's: it knows columns by name."""

    def perturb(self, estimator, X, y=None):
        if isinstance(X, pd.DataFrame):
            return X.assign(petal=X["petal"] + 0.3)
        return X.with_columns(pl.col("petal") + 0.3)


class Strict(RandomForestClassifier):
    """Answers frames alone."""

    def predict_proba(self, X):
        assert list(X.columns) == NAMES
        return super().predict_proba(X)


MEMBERS = [FGSM(), PGD(n_steps=5), FAB(n_steps=5), Square(n_steps=20), Nudge()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("objective", [None, "probability_shift"])
def test_columns_by_name(kind, objective):
    frame, X, y = frame_of(kind)
    model = columns_by_name(LogisticRegression(max_iter=999)).fit(frame, y)
    a = AutoAttack(0.3, attacks=MEMBERS, objective=objective, random_state=0)
    result = a.run(model, frame, y)
    assert type(result.X_adv) is type(frame)
    assert list(result.X_adv.columns) == NAMES
    assert np.abs(result.X_adv.to_numpy() - X).max() <= 0.3
    assert model.score(result.X_adv, y) < model.score(frame, y)
    if objective is None:
        assert "fgsm" in result.found_by
    # The same as on plain rows of a model without names.
    plain = columns_by_place(model, X, y)
    known = AutoAttack(0.3, attacks=MEMBERS[:4], objective=objective, random_state=0)
    assert np.allclose(known.perturb(plain, X, y), known.perturb(model, frame, y))


def columns_by_place(model, X, y):
    scaled = ColumnTransformer(
        [
            ("one", StandardScaler(), [3, 0]),
            ("two", MinMaxScaler(), [1, 2]),
        ]
    )
    return make_pipeline(scaled, LogisticRegression(max_iter=999)).fit(X, y)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_model_that_answers_frames_alone(kind):
    frame, _, y = frame_of(kind)
    model = Strict(20, random_state=0).fit(frame, y)
    members = [
        RandomSearch(n_steps=5),
        HopSkipJump(norm=2, n_steps=2, starts="rows"),
        Nudge(),
    ]
    rules = Constraints(frozen=["long"])
    a = AutoAttack(0.4, attacks=members, constraints=rules, random_state=0)
    out = a.perturb(model, frame, y)
    assert np.array_equal(out["long"], frame["long"])
    assert (model.predict(out) != y).any()
    if kind == "pandas":
        assert out.index.equals(frame.index)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_candidates_of_the_probability_shift(kind):
    frame, X, y = frame_of(kind)
    model = columns_by_name(LogisticRegression(max_iter=999)).fit(frame, y)
    starts = [Nudge(), FGSM(0.2), RandomSearch(0.2, n_steps=3)]
    a = ProbabilityShift(0.2, n_steps=5, starts=starts, random_state=0)
    out = a.perturb(model, frame, y)
    assert list(out.columns) == NAMES
    assert np.abs(out.to_numpy() - X).max() <= 0.2
    again = a.run(model, frame, y, start=frame)
    assert list(again.X_adv.columns) == NAMES


def test_an_index_with_repeats_and_float32():
    frame, _, y = frame_of("pandas")
    frame = frame.astype(np.float32).set_axis([0] * len(frame))
    model = columns_by_name(LogisticRegression(max_iter=999)).fit(frame, y)
    out = AutoAttack(0.3, attacks=MEMBERS[:4], random_state=0).perturb(model, frame, y)
    assert (out.dtypes == np.float32).all()
    assert out.index.equals(frame.index)
