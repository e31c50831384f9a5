"""Evaluations under drawn conditions, by hand, in any order, batches and folds."""

import warnings

import numpy as np
import pytest
from drawn_models import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import seeds
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from skrobust.evaluation import cross_validate_perturbations, evaluate_perturbations
from skrobust.perturbations import (
    ColumnSwap,
    FeatureNoise,
    MeanDrift,
    MultiplicativeNoise,
    PerturbationSequence,
    QuantileNoise,
    Rounding,
    SignFlip,
    StaleRows,
)

FEW = settings(max_examples=8, deadline=None, derandomize=True)
KINDS = (ColumnSwap, FeatureNoise, MeanDrift, MultiplicativeNoise, QuantileNoise,
         Rounding, SignFlip, StaleRows)  # fmt: skip


@st.composite
def some_conditions(draw):
    """Return conditions of several severities, of which some have the same name."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        kind, severity = draw(st.sampled_from(KINDS)), draw(st.floats(0, 5))
        one = kind(severity).set_params(random_state=draw(seeds))
        if draw(st.booleans()):
            name = draw(st.sampled_from(["a", "b", "<i>", "中文", ""]))
            one = PerturbationSequence([one], name=name, random_state=draw(seeds))
        found.append(one)
    return found


def quietly(function, *args, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **params)


@FEW
@given(cases(False), some_conditions(), st.data())
def test_scores_are_those_of_the_perturbed_rows(case, conditions, data):
    model, X, y = case.model, case.X, case.y
    before = X.copy()
    found = quietly(evaluate_perturbations, model, X, y, conditions, X_ref=X)
    clean = model.predict(X)
    for k, condition in enumerate(conditions):
        rows = clone(condition).fit(X).perturb(model, X, y)
        answers = model.predict(rows)
        assert np.array_equal(found.correct[:, k], answers == y)
        assert np.array_equal(found.flipped[:, k], answers != clean)
        assert found.score[k] == (answers == y).mean()
        assert found.changed[k] == (rows != X).any(axis=1).mean()
        assert found.flip_rate[k] == (answers != clean).mean()
    assert found.clean_score == (clean == y).mean()
    assert found.mean == pytest.approx(found.score.mean())
    assert found.worst_score == found.score.min()
    assert (found.band_low <= found.score_low).all()
    assert ((found.score_low <= found.score) & (found.score <= found.score_high)).all()
    assert (found.score_high <= found.band_high).all()
    assert np.array_equal(X, before)
    rows = data.draw(st.permutations(range(len(X))))
    places = data.draw(st.permutations(range(len(conditions))))
    size = data.draw(st.integers(1, len(X)))
    for options in ({}, {"batch_size": size}):
        other = quietly(
            evaluate_perturbations, model, X[rows], y[rows],
            [conditions[k] for k in places], X_ref=X, **options,
        )  # fmt: skip
        assert np.array_equal(other.correct, found.correct[rows][:, places])
        assert np.array_equal(other.score, found.score[places])
        assert other.mean == pytest.approx(found.mean)
        assert other.accuracy_stability_index == pytest.approx(
            found.accuracy_stability_index
        )
        assert other.clean_score == found.clean_score


@FEW
@given(seeds, some_conditions(), st.integers(2, 4), st.integers(1, 2))
def test_folds_are_evaluations_of_fitted_copies(seed, conditions, n_folds, n_repeats):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(24, 3)), np.arange(24) % 2
    X[:, 0] += y
    fold = rng.permutation(np.arange(24) // 2 % n_folds)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k))
              for k in range(n_folds)]  # fmt: skip
    if any(len(set(y[train])) < 2 for train, _ in splits):
        return
    found = quietly(
        cross_validate_perturbations, GaussianNB(), X, y, conditions, cv=splits,
        n_repeats=n_repeats,
    )  # fmt: skip
    assert len(found.score) == len(conditions) * n_folds * n_repeats
    first = found.repeat == 0
    for k, (train, test) in enumerate(splits):
        model = GaussianNB().fit(X[train], y[train])
        by_hand = quietly(
            evaluate_perturbations, model, X[test], y[test], conditions,
            X_ref=X[train],
        )  # fmt: skip
        mine = first & (found.fold == k)
        assert found.score[mine] == pytest.approx(by_hand.score)
        assert found.flip_rate[mine] == pytest.approx(by_hand.flip_rate)
    table = found.conditions
    means = [found.score[found.number == number].mean() for number in table.number]
    if len(set(table.number)) == len(conditions):
        assert table.score == pytest.approx(means)
    assert found.mean == pytest.approx(np.mean(table.score))
    assert sorted(found.rows) == found.rows.tolist() == list(range(24))
