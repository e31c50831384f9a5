"""Batches on several workers: one condition keeps them all busy, with the same bits."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from parallel_cases import assert_same
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression, LogisticRegression

from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.perturbations import GaussianNoise

X, Y = load_digits(return_X_y=True)
X = X / 16
MODEL = LogisticRegression(max_iter=200).fit(X[:300], Y[:300])
NOISE = GaussianNoise(std=0.3, image_shape=(8, 8), data_range=(0, 1), random_state=0)
# Equal rows in several batches, also of one window, which are numbered over all.
ROWS = np.concatenate([X[300:420], X[300:360], X[400:480]])
LABELS = np.concatenate([Y[300:420], Y[300:360], Y[400:480]])
SIZE = 44  # six batches


class Meeting(ClassifierMixin, BaseEstimator):
    """Classifier that waits for a second process before it answers."""

    def __init__(self, folder=None):
        self.folder = folder

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        Path(self.folder, str(os.getpid())).touch()
        end = time.monotonic() + 20
        while len(os.listdir(self.folder)) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        return (np.asarray(X)[:, 20] > 0.5).astype(int)


class Shift(BaseEstimator):
    """Attack of its own that moves all rows, in whatever process it runs."""

    def perturb(self, estimator, X, y=None):
        return np.clip(X + 0.2, 0, 1)


@pytest.mark.parametrize("evaluate", ["perturbations", "attack"])
def test_one_condition_runs_in_two_processes(tmp_path, evaluate):
    rows, labels = X[:250], Y[:250] % 2  # no two are equal
    model = Meeting(str(tmp_path)).fit(rows, labels)
    if evaluate == "attack":
        call, what = evaluate_attack, Shift()
    else:
        call, what = evaluate_perturbations, [NOISE]
    data = model, rows, labels, what
    found = call(*data, batch_size=SIZE, n_jobs=2)
    processes = set(os.listdir(tmp_path))
    assert len(processes) == 2
    assert str(os.getpid()) not in processes
    assert_same(found, call(*data, batch_size=SIZE))


@pytest.mark.parametrize(
    ("backend", "scoring", "workers"),
    [
        ("loky", None, [2]),
        ("threading", None, [2, 3]),
        ("threading", "neg_log_loss", [2]),
    ],
)
def test_parts_and_results_are_those_of_one_process(
    tmp_path, backend, scoring, workers
):
    zero = GaussianNoise(std=0.0, random_state=0)
    for name, conditions in (("one", [NOISE]), ("two", [NOISE, zero])):
        data = MODEL, ROWS, LABELS, conditions
        how = {"scoring": scoring, "batch_size": SIZE}
        alone = tmp_path / f"{name} alone"
        wanted = evaluate_perturbations(*data, **how, checkpoint=alone)
        for n_jobs in workers:
            folder = tmp_path / f"{name} {n_jobs}"
            with parallel_config(backend):
                more = {"checkpoint": folder, "n_jobs": n_jobs}
                assert_same(evaluate_perturbations(*data, **how, **more), wanted)
            assert set(os.listdir(folder)) == set(os.listdir(alone))


@pytest.mark.parametrize("attack", [FGSM(0.1), "auto"])
def test_attacks_over_batches_are_those_of_one_process(tmp_path, attack):
    how = {"batch_size": SIZE, "eps": 0.05 if attack == "auto" else None}
    how["random_state"] = 0
    data = MODEL, ROWS[:150], LABELS[:150], attack
    wanted = evaluate_attack(*data, **how, checkpoint=tmp_path / "one")
    more = {"checkpoint": tmp_path / "two", "n_jobs": 2}
    with parallel_config("threading"):
        assert_same(evaluate_attack(*data, **how, **more), wanted)
    assert set(os.listdir(tmp_path / "one")) == set(os.listdir(tmp_path / "two"))


def test_regressors_over_batches_are_those_of_one_process():
    model = LinearRegression().fit(X[:300], X[:300, 20] + Y[:300])
    data = model, ROWS, LABELS.astype(float), PGD(0.05, n_steps=2, random_state=0)
    wanted = evaluate_attack(*data, batch_size=SIZE)
    with parallel_config("threading"):
        assert_same(evaluate_attack(*data, batch_size=SIZE, n_jobs=2), wanted)


class Noted(GaussianNoise):
    """Noise that counts the batches that it is done with."""

    done = 0

    def perturb(self, estimator, X, y=None):
        moved = super().perturb(estimator, X, y)
        Noted.done += 1
        return moved


@pytest.mark.parametrize(("n_jobs", "most"), [(1, 1), (2, 4), (3, 6)])
def test_few_batches_are_read_ahead(monkeypatch, n_jobs, most):
    monkeypatch.setattr(Noted, "done", 0)
    waiting = []

    def batches():
        for i in range(20):
            waiting.append(i + 1 - Noted.done)  # with the one that comes
            yield X[10 * i : 10 * i + 10], Y[10 * i : 10 * i + 10]

    with parallel_config("threading"):
        noise = Noted(std=0.1, random_state=0)
        evaluate_perturbations(MODEL, batches, None, [noise], n_jobs=n_jobs)
    assert max(waiting) == most


def test_what_was_read_before_an_error_is_kept(tmp_path):
    def batches(*, ends):
        for i in range(3):
            yield X[10 * i : 10 * i + 10], Y[10 * i : 10 * i + 10]
        if ends:
            raise OSError("the disk is gone")

    how = {"checkpoint": tmp_path, "n_jobs": 2}
    with parallel_config("threading"):
        broken = batches(ends=True)
        with pytest.raises(OSError, match="the disk is gone"):
            evaluate_perturbations(MODEL, broken, None, [NOISE], **how)
        kept = set(os.listdir(tmp_path))
        evaluate_perturbations(MODEL, batches(ends=False), None, [NOISE], **how)
    assert len(kept) == 6
    assert set(os.listdir(tmp_path)) == kept
