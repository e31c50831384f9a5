"""Conditions over folds and repeats, and what both evaluations say beside scores."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from problems import digit_rows
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import FGSM
from skrobust.base import BasePerturbation
from skrobust.base.streams import other_noise
from skrobust.evaluation import cross_validate_perturbations, evaluate_perturbations
from skrobust.metrics import (
    accuracy_stability_index,
    coefficient_of_variation,
    confidence_interval,
    flip_rate,
    mean_corruption_error,
    proportion_interval,
    simultaneous_intervals,
    worst_case_interval,
)
from skrobust.perturbations import (
    GaussianNoise,
    PerturbationSequence,
    Rotation,
    SaltAndPepper,
)

SCRIPT = Path(__file__).parents[1].joinpath("killed_folds.py")
X, Y = digit_rows()
X, Y = X[:400], Y[:400]
SHAPE = {"image_shape": (8, 8), "data_range": (0, 16)}
NOISES = [GaussianNoise(s, **SHAPE, random_state=0) for s in (1, 3, 5)]
SALTS = [SaltAndPepper(severity=s, **SHAPE, random_state=0) for s in (4, 5)]
CLEAN = PerturbationSequence([], name="CLEAN", number=1)
CONDITIONS = [
    CLEAN,
    *[
        PerturbationSequence([p], number=i, random_state=0)
        for i, p in enumerate([*NOISES, *SALTS], 2)
    ],
    PerturbationSequence([NOISES[0], SALTS[0]], name="both", number=7, random_state=0),
]


def same(a, b):
    return all(
        np.array_equal(a[c], b[c], equal_nan=a[c].dtype.kind == "f")
        for c in a["columns"]
    )


def index_interval(correct):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it carries its warnings, too
        return confidence_interval("accuracy_stability_index", correct)


# One fit


@pytest.fixture(scope="module")
def model():
    return SVC().fit(X[:250], Y[:250])


@pytest.fixture(scope="module")
def single(model):
    return evaluate_perturbations(model, X[250:], Y[250:], CONDITIONS)


def test_columns_by_hand(model, single):
    test, truth = X[250:], Y[250:]
    clean = model.predict(test)
    for i, condition in enumerate(CONDITIONS):
        predicted = model.predict(condition.perturb(None, test))
        right = int((predicted == truth).sum())
        low, high = proportion_interval(right, 150)
        assert (single.score_low[i], single.score_high[i]) == (low, high)
        pair = np.column_stack([clean, predicted])
        assert single.flip_rate[i] == flip_rate(pair, against="first")
    assert single.flip_rate[0] == 0
    assert single.clean_score == single.score[0] == model.score(test, truth)
    worst = int(np.argmin(single.score))
    assert single.worst_score == single.score[worst]
    assert single.worst_condition == single.name[worst]
    assert single.worst_interval == worst_case_interval(single.correct)
    assert single.worst_interval.plug_in == single.worst_score
    assert single.worst_score <= single.worst_interval.value
    band = simultaneous_intervals(single.correct)
    for column in ("band_low", "band_high"):
        np.testing.assert_array_equal(single[column], band[column])
        assert column in single.columns
    interval = single.accuracy_stability_index_interval
    assert interval == index_interval(single.correct)
    assert interval.plug_in == pytest.approx(single.accuracy_stability_index)


def test_curves_are_found_by_severity_not_by_name(single):
    assert single.corruption.tolist() == [
        "",
        *["GaussianNoise"] * 3,
        *["SaltAndPepper"] * 2,
        "",
    ]
    assert np.array_equal(single.severity, [0, 1, 3, 5, 4, 5, np.nan], equal_nan=True)
    curves = single.corruptions
    assert curves.corruption.tolist() == ["GaussianNoise", "SaltAndPepper"]
    assert curves.n_severities.tolist() == [3, 2]
    c, s = single.clean_score, single.score
    noise = (1 * (c + s[1]) / 2 + 2 * (s[1] + s[2]) / 2 + 2 * (s[2] + s[3]) / 2) / 5
    salt = (4 * (c + s[4]) / 2 + 1 * (s[4] + s[5]) / 2) / 5
    assert curves.area == pytest.approx([noise, salt])
    assert single.area_under_severity_curve == pytest.approx((noise + salt) / 2)
    physical = [Rotation(10), Rotation(20)]
    assert "corruptions" not in evaluate_perturbations(
        SVC().fit(X / 16, Y),
        (X / 16).reshape(-1, 8, 8)[:9].reshape(9, 64),
        Y[:9],
        [r.set_params(image_shape=(8, 8)) for r in physical],
    )


def test_settings_make_another_corruption(model):
    conditions = [
        GaussianNoise(2, **SHAPE, random_state=0),
        SaltAndPepper(severity=2, **SHAPE, per_channel=False, random_state=1),
        SaltAndPepper(severity=3, **SHAPE, random_state=2),
        SaltAndPepper(severity=4, **SHAPE, random_state=3),
    ]
    r = evaluate_perturbations(model, X[250:], Y[250:], conditions)
    expected = ["GaussianNoise", "SaltAndPepper", "SaltAndPepper 2", "SaltAndPepper 2"]
    assert r.corruption.tolist() == expected


def test_a_constant_model_has_a_flat_curve():
    class Constant(ClassifierMixin, BaseEstimator):
        classes_ = np.arange(10)

        def predict(self, X):
            return np.full(len(X), 3)

    r = evaluate_perturbations(Constant(), X, Y, CONDITIONS)
    share = (Y == 3).mean()
    assert r.area_under_severity_curve == pytest.approx(share)
    assert not r.flip_rate.any()
    assert r.accuracy_stability_index == 1


def test_errors_against_a_named_reference(model, single):
    other = DecisionTreeClassifier(random_state=0).fit(X[:250], Y[:250])
    base = evaluate_perturbations(other, X[250:], Y[250:], CONDITIONS)
    for results in (single, base):
        assert "mean_corruption_error" not in results
    r = evaluate_perturbations(
        model, X[250:], Y[250:], CONDITIONS, reference={"tree": base}
    )
    assert r.reference == "tree"
    e, b = 1 - single.score, 1 - base.score
    expected = [e[1:4].sum() / b[1:4].sum(), e[4:6].sum() / b[4:6].sum()]
    assert r.corruptions.corruption_error == pytest.approx(expected)
    assert r.mean_corruption_error == pytest.approx(np.mean(expected))
    ce, cb = 1 - single.clean_score, 1 - base.clean_score
    relative = [
        (e[1:4] - ce).sum() / (b[1:4] - cb).sum(),
        (e[4:6] - ce).sum() / (b[4:6] - cb).sum(),
    ]
    assert r.corruptions.relative_corruption_error == pytest.approx(relative)
    assert r.relative_mean_corruption_error == pytest.approx(np.mean(relative))
    assert "corruption_error" in r.corruptions.frame().columns
    # The same number of severities each: the metric itself, in one call.
    pick = [1, 3, 4, 5]
    chosen = [CONDITIONS[i] for i in pick]
    small = evaluate_perturbations(other, X[250:], Y[250:], chosen)
    r = evaluate_perturbations(model, X[250:], Y[250:], chosen, reference={"l": small})
    assert r.mean_corruption_error == pytest.approx(
        mean_corruption_error(
            e[pick].reshape(2, 2), b[pick].reshape(2, 2), reference="l"
        ).value
    )
    itself = evaluate_perturbations(
        model, X[250:], Y[250:], CONDITIONS, reference={"me": single}
    )
    assert itself.mean_corruption_error == pytest.approx(1)
    assert itself.relative_mean_corruption_error == pytest.approx(1)


class Scaled(BasePerturbation):
    """Shifts by the standard deviation of the training rows."""

    def __init__(self, severity=None, random_state=0):
        self.severity, self.random_state = severity, random_state

    def _learn(self, values):
        self.scale_ = values.std(axis=0)

    def _perturb(self, X, rng):
        return X + self._severity() * self.scale_


def test_scales_come_from_training_rows_or_not_at_all(model):
    with pytest.raises(ValueError, match=r"condition .* fitted.*X_ref=X_train"):
        evaluate_perturbations(model, X[250:], Y[250:], [Scaled(1)])
    r = evaluate_perturbations(model, X[250:], Y[250:], [Scaled(1)], X_ref=X[:250])
    assert r.score[0] == model.score(X[250:] + X[:250].std(axis=0), Y[250:])
    own = Scaled(1).fit(X[:250])
    assert evaluate_perturbations(model, X[250:], Y[250:], [own]).score[0] == r.score[0]
    # The error of an estimator is its own.
    with pytest.raises(Exception, match="not fitted") as caught:
        evaluate_perturbations(SVC(), X, Y, [NOISES[0]])
    assert "X_ref" not in str(caught.value)


# Folds


@pytest.fixture(scope="module")
def crossed():
    return cross_validate_perturbations(SVC(), X, Y, CONDITIONS, cv=3, n_repeats=2)


def test_folds_and_repeats_by_hand(crossed):
    correct = np.zeros((400, 7, 2), dtype=bool)
    scores, flips = np.zeros((7, 3, 2)), np.zeros((7, 3, 2))
    for f, (train, test) in enumerate(StratifiedKFold(3).split(X, Y)):
        fitted = SVC().fit(X[train], Y[train])
        clean = fitted.predict(X[test])
        for c, condition in enumerate(CONDITIONS):
            for r, drawn in enumerate([condition, other_noise(condition, "repeat", 1)]):
                predicted = fitted.predict(drawn.perturb(None, X[test]))
                correct[test, c, r] = predicted == Y[test]
                scores[c, f, r] = (predicted == Y[test]).mean()
                flips[c, f, r] = (predicted != clean).mean()
    assert np.array_equal(crossed.score, scores.ravel())
    assert np.array_equal(crossed.flip_rate, flips.ravel())
    assert np.array_equal(crossed.correct, correct)
    assert np.array_equal(crossed.rows, np.arange(400))
    means = scores.mean(axis=(1, 2))
    assert crossed.conditions.score == pytest.approx(means)
    assert crossed.mean == pytest.approx(means.mean())
    assert crossed.coefficient_of_variation == pytest.approx(
        coefficient_of_variation(means)
    )
    assert crossed.accuracy_stability_index == pytest.approx(
        accuracy_stability_index(means)
    )
    folds = scores.mean(axis=2)
    from scipy import stats

    low, high = stats.t.interval(0.95, 2, folds.mean(axis=1), stats.sem(folds, axis=1))
    assert crossed.conditions.score_low == pytest.approx(np.maximum(low, 0))
    assert crossed.conditions.score_high == pytest.approx(np.minimum(high, 1))
    assert "too narrow" in crossed.note
    # Fresh noise in the second repeat, where there is noise.
    assert np.array_equal(correct[:, 0, 0], correct[:, 0, 1])
    assert not np.array_equal(correct[:, 3, 0], correct[:, 3, 1])


def test_the_long_table(crossed):
    frame = crossed.frame()
    assert list(frame.columns) == [
        "number",
        "name",
        "score",
        "corruption",
        "severity",
        "fold",
        "repeat",
        "flip_rate",
        "changed",
        "distortion",
    ]
    assert len(frame) == 7 * 3 * 2
    assert not frame.duplicated(["number", "fold", "repeat"]).any()
    by_number = frame.groupby("number")["score"].mean()
    assert np.allclose(by_number, crossed.conditions.score)


def test_one_repeat_is_the_scores_of_each_fitted_fold():
    r = cross_validate_perturbations(SVC(), X, Y, CONDITIONS, cv=3)
    by_fold = r.score.reshape(7, 3)
    for f, (train, test) in enumerate(StratifiedKFold(3).split(X, Y)):
        fitted = SVC().fit(X[train], Y[train])
        one = evaluate_perturbations(fitted, X[test], Y[test], CONDITIONS)
        assert np.array_equal(by_fold[:, f], one.score)
    assert r.accuracy_stability_index_interval == index_interval(r.correct[:, :, 0])
    assert r.worst_interval == worst_case_interval(r.correct[:, :, 0])


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_backends_give_the_same(backend, crossed):
    with joblib.parallel_config(backend):
        two = cross_validate_perturbations(
            SVC(), X, Y, CONDITIONS, cv=3, n_repeats=2, n_jobs=2
        )
    assert same(crossed, two)
    assert np.array_equal(crossed.correct, two.correct)


def test_dask_gives_the_same(crossed):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        two = cross_validate_perturbations(
            SVC(), X, Y, CONDITIONS, cv=3, n_repeats=2, n_jobs=2
        )
    assert same(crossed, two)
    assert np.array_equal(crossed.correct, two.correct)


def run(folder, calls, **more):
    environment = {**os.environ, "CALLS": str(calls), **more}
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), "1"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_killed_and_resumed_is_equal(tmp_path):
    calls = tmp_path / "calls"
    whole = run(tmp_path / "other", tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    killed = run(tmp_path / "store", calls, DIE_AT="0.2")
    assert killed.returncode == 7
    assert calls.read_text().split() == ["0.0", "0.1", "0.2"]
    calls.unlink()
    resumed = run(tmp_path / "store", calls)
    assert resumed.returncode == 0, resumed.stderr
    assert calls.read_text().split() == ["0.2", "0.0", "0.1", "0.2"]
    assert resumed.stdout == whole.stdout


def test_conditions_learn_on_each_training_fold():
    r = cross_validate_perturbations(SVC(), X, Y, [Scaled(1)], cv=2)
    for f, (train, test) in enumerate(StratifiedKFold(2).split(X, Y)):
        fitted = SVC().fit(X[train], Y[train])
        assert r.score[f] == fitted.score(X[test] + X[train].std(axis=0), Y[test])


def test_other_scorings_and_attacks():
    A, b = load_diabetes(return_X_y=True)
    A = minmax_scale(A)
    noise = [GaussianNoise(std=s, random_state=0) for s in (0.0, 0.2)]
    r = cross_validate_perturbations(Ridge(), A, b, noise, cv=3)
    assert r.conditions.score[0] == pytest.approx(r.clean_score)
    assert "flip_rate" not in r
    assert "correct" not in r
    A, b = load_breast_cancer(return_X_y=True)
    attacks = [FGSM(e, data_range=(0, 1)) for e in (0.0, 0.05)]
    r = cross_validate_perturbations(
        LogisticRegression(), minmax_scale(A), b, attacks, cv=2
    )
    assert r.conditions.score[1] < r.conditions.score[0] == r.clean_score


def test_groups_are_units_and_splits_may_overlap():
    groups = np.arange(400) // 4
    r = cross_validate_perturbations(
        SVC(), X, Y, CONDITIONS[:3], cv=GroupKFold(4), groups=groups
    )
    assert r.accuracy_stability_index_interval.unit == "clusters"
    assert r.accuracy_stability_index_interval.n == 100
    r = cross_validate_perturbations(
        SVC(), X, Y, CONDITIONS[:3], cv=ShuffleSplit(3, test_size=0.4, random_state=0)
    )
    assert len(r.rows) == 480
    assert (np.diff(r.rows) >= 0).all()
    assert r.accuracy_stability_index_interval.n == len(np.unique(r.rows))


def test_weights_are_cut_to_the_fold():
    w = np.random.default_rng(0).random(400)
    settings = {"cv": 2, "params": {"sample_weight": w}}
    r = cross_validate_perturbations(
        LogisticRegression(max_iter=50, tol=0.1), X / 16, Y, [CLEAN], **settings
    )
    train, test = next(StratifiedKFold(2).split(X, Y))
    fitted = LogisticRegression(max_iter=50, tol=0.1)
    fitted.fit(X[train] / 16, Y[train], sample_weight=w[train])
    assert r.score[0] == fitted.score(X[test] / 16, Y[test])


def test_frames():
    A, b = load_breast_cancer(return_X_y=True, as_frame=True)
    A = A.set_axis(A.index + 5)
    model = LogisticRegression(max_iter=20, tol=0.1)
    noise = [GaussianNoise(std=0.05, random_state=0)]
    frame = cross_validate_perturbations(
        model, A / 5000, b.set_axis(A.index), noise, cv=2
    )
    array = cross_validate_perturbations(
        model, A.to_numpy() / 5000, b.to_numpy(), noise, cv=2
    )
    assert same(frame, array)
    assert isinstance(frame.conditions.frame(), pd.DataFrame)


class Moody(ClassifierMixin, BaseEstimator):
    """Fails on a fold that begins late."""

    def fit(self, X, y):
        if X[0, 0] > 0:
            raise RuntimeError("in no mood")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_failures_count_as_asked():
    A, b = np.r_[np.zeros(10), np.ones(10)][:, None], np.tile([0, 1], 10)
    folds = [(np.arange(10), np.arange(10, 20)), (np.arange(10, 20), np.arange(10))]
    settings = {"cv": folds, "conditions": [CLEAN]}
    with pytest.raises(RuntimeError, match="in no mood"):
        cross_validate_perturbations(Moody(), A, b, error_score="raise", **settings)
    with pytest.warns(FitFailedWarning, match="1 fits or scores failed.*in no mood"):
        r = cross_validate_perturbations(Moody(), A, b, **settings)
    assert r.failed.tolist() == ["", "RuntimeError: in no mood"]
    assert np.array_equal(r.score, [0.5, np.nan], equal_nan=True)
    assert np.isnan(r.mean)
    with pytest.warns(FitFailedWarning):
        r = cross_validate_perturbations(Moody(), A, b, error_score=0, **settings)
    assert r.mean == 0.25


def test_reference_over_folds(crossed):
    other = cross_validate_perturbations(
        DecisionTreeClassifier(random_state=0),
        X,
        Y,
        CONDITIONS,
        cv=3,
        n_repeats=2,
        reference={"SVC": crossed},
    )
    e, b = 1 - other.conditions.score, 1 - crossed.conditions.score
    expected = [e[1:4].sum() / b[1:4].sum(), e[4:6].sum() / b[4:6].sum()]
    assert other.mean_corruption_error == pytest.approx(np.mean(expected))


def test_a_reference_that_does_not_suffer(model, single):
    test, truth = X[250:], Y[250:]
    flat = evaluate_perturbations(model, test, truth, [NOISES[0]])
    flat["score"] = flat["score"] * 0 + flat["clean_score"]
    with pytest.warns(UserWarning, match="relative mCE is nan"):
        r = evaluate_perturbations(
            model, test, truth, [NOISES[0]], reference={"f": flat}
        )
    assert np.isnan(r.relative_mean_corruption_error)
    assert r.mean_corruption_error > 0


def call(function=cross_validate_perturbations, conditions=CONDITIONS, **more):
    return lambda: function(
        SVC().fit(X[:50], Y[:50]), X[:100], Y[:100], conditions, **more
    )


def perfect():
    r = evaluate_perturbations(SVC().fit(X, Y), X, Y, CONDITIONS)
    r["score"] = np.ones(7)
    return r


EV = evaluate_perturbations
BAD = {
    "conditions": (call(conditions=[]), "'conditions' parameter"),
    "class": (call(conditions=[GaussianNoise]), "'conditions' parameter"),
    "repeats": (call(n_repeats=0), "'n_repeats' parameter"),
    "confidence": (call(confidence=1), "'confidence' parameter"),
    "confidence ev": (call(EV, confidence=0), "'confidence' parameter"),
    "params": (call(params=[1]), "'params' parameter"),
    "error_score": (call(error_score="nan"), "'error_score' parameter"),
    "groups": (call(groups=[1]), "equal length"),
    "checkpoint": (call(checkpoint=7), "'checkpoint' parameter"),
    "reference": (call(EV, reference="AlexNet"), "'reference' parameter"),
    "unnamed": (
        lambda: call(EV, reference=call(EV)())(), "'reference' parameter"),
    "scoring": (
        lambda: call(EV, reference={"a": call(EV)()}, scoring="f1_macro")(),
        "accuracy only"),
    "other conditions": (
        lambda: call(EV, CONDITIONS[:3], reference={"a": call(EV)()})(),
        "under the same conditions"),
    "no severity": (
        lambda: call(EV, [CLEAN], reference={"a": call(EV, [CLEAN])()})(),
        "conditions with a severity"),
    "perfect": (
        lambda: call(EV, reference={"a": perfect()})(), "cannot divide by"),
}  # fmt: skip


@pytest.mark.parametrize("wrong, sentence", BAD.values(), ids=BAD)
def test_cross_validate_perturbations_refuses_wrong_parameters(wrong, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        wrong()
    assert len(str(caught.value)) < 400
