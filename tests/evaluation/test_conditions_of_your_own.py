"""Conditions, folds and files that users bring: what is told, kept and left alone."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust import _loader_workers
from skrobust.evaluation import cross_validate_perturbations, evaluate_perturbations
from skrobust.evaluation.core.batched_runs import as_batches
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.metrics import make_stability_index_scorer
from skrobust.perturbations import FeatureNoise

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=60) > 0).astype(int)
MODEL = LogisticRegression().fit(X, Y)


class Learns:
    """Learns a scale in ``fit`` and raises what it is told to without."""

    def __init__(self, error):
        self.error = error

    def fit(self, X, y=None):
        self.n_features_in_, self.scale_ = X.shape[1], X.std(axis=0)
        return self

    def perturb(self, estimator, X, y=None):
        if hasattr(self, "scale_"):
            return X + self.scale_
        raise self.error


@pytest.mark.parametrize(
    "error", [NotFittedError("call fit first"), AttributeError("?", name="scale_")]
)
def test_a_condition_of_your_own_that_must_be_fitted_says_so(error):
    with pytest.raises(ValueError, match="fitted, since it learns scales from train"):
        evaluate_perturbations(MODEL, X, Y, [Learns(error)], error_score="raise")


def test_another_error_of_a_condition_stays_what_it_is():
    wrong = AttributeError("no attribute 'shpae'", name="shpae")
    with pytest.raises(AttributeError, match="shpae"):
        evaluate_perturbations(MODEL, X, Y, [Learns(wrong)], error_score="raise")


class WithAnother:
    """Adds a column, which a model that names its columns does not see."""

    def perturb(self, estimator, X, y=None):
        return X.assign(a=-X["a"], more=1.0)


def test_changes_of_tables_are_left_out_where_a_condition_adds_a_column():
    frame = pd.DataFrame(X, columns=list("abc"))
    named = make_column_transformer((StandardScaler(), list("abc")))
    model = make_pipeline(named, LogisticRegression()).fit(frame, Y)
    conditions = [FeatureNoise(3, random_state=0).fit(frame), WithAnother()]
    whole = evaluate_perturbations(model, frame, Y, conditions)
    pairs = [(frame[i : i + 20], Y[i : i + 20]) for i in range(0, 60, 20)]
    parts = evaluate_perturbations(model, pairs, None, conditions)
    assert whole.score.tolist() == parts.score.tolist()
    mirrored = model.predict(frame.assign(a=-frame["a"]))
    assert parts.score[1] == (mirrored == Y).mean()
    assert set(whole.columns) == set(parts.columns)
    alone = evaluate_perturbations(model, pairs, None, conditions[:1])
    assert "percent_changed" in set(alone.columns) - set(parts.columns)


class OfWorkers(ClassifierMixin, BaseEstimator):
    """Notes whether it loads its batches by workers while it is fitted."""

    seen = []

    def __init__(self, iterator_train__num_workers=2):
        self.iterator_train__num_workers = iterator_train__num_workers

    def fit(self, X, y):
        self.seen.append(getattr(self, "iterator_train__num_workers", 0))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]


@pytest.mark.parametrize(("may", "workers"), [(True, 2), (False, 0)])
def test_folds_load_by_workers_only_where_they_may(may, workers, monkeypatch):
    monkeypatch.setattr(_loader_workers, "may_have_children", lambda: may)
    monkeypatch.setattr(OfWorkers, "seen", [])
    model = make_pipeline(StandardScaler(), OfWorkers())
    conditions = [FeatureNoise(1, random_state=0)]
    cross_validate_perturbations(model, X, Y, conditions, cv=KFold(3))
    assert OfWorkers.seen == [workers] * 3


def test_a_scorer_over_time_refuses_folds_that_are_no_stretch_of_time():
    scorer = make_stability_index_scorer()
    data = MODEL, X, Y, [FeatureNoise(1, random_state=0)]
    mixed = KFold(3, shuffle=True, random_state=0)
    with pytest.raises(ValueError, match="time"):
        cross_validate_perturbations(*data, cv=mixed, scoring=scorer)
    found = cross_validate_perturbations(*data, cv=KFold(3), scoring=scorer)
    assert np.isfinite(found.score).all()


@pytest.mark.parametrize(("more", "in_batches"), [(0, False), (1, True)])
def test_mapped_files_of_more_than_256_mb_are_read_in_batches(
    more, in_batches, tmp_path
):
    size = 256 * 2**20  # a file without data: nothing is written or read
    with open(tmp_path / "rows", "wb") as file:
        file.truncate(size + 4096 * more)
    rows = np.memmap(tmp_path / "rows", dtype=np.uint8, mode="r").reshape(-1, 4096)
    assert (as_batches(rows, np.zeros(len(rows)), None, "here") is None) != in_batches


def test_the_bar_of_parts_ends_where_all_are_done(capsys, tmp_path):
    pytest.importorskip("tqdm")
    for store in (Checkpoint(None, "here"), Checkpoint(tmp_path, "here")):
        prefix = store.prefix(MODEL, X, Y)
        tasks = [(store.key(prefix, i), np.full, 3, i) for i in range(4)]
        found = store.run_all(tasks, label="parts", verbose=1)
        assert [part.tolist() for part, _ in found] == [[i] * 3 for i in range(4)]
        shown = capsys.readouterr().err
        assert "parts" in shown
        assert "100%" in shown
        assert shown.endswith("\n")  # what is printed next begins a line
    assert store.run_all(tasks)[3][0].tolist() == [3, 3, 3]
    assert capsys.readouterr().err == ""


def test_the_bar_ends_its_line_before_an_error_is_shown(capsys):
    pytest.importorskip("tqdm")
    tasks = [("", np.full, 3, 1), ("", np.full, -1, 1)]
    with pytest.raises(ValueError, match="negative") as kept:
        Checkpoint(None, "here").run_all(tasks, label="parts", verbose=1)
    shown = capsys.readouterr().err
    assert "parts" in shown
    assert shown.endswith("\n")
    assert kept.tb is not None  # which keeps the bar alive
