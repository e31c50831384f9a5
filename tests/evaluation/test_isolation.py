"""Models that run in processes apart."""

import time

import numpy as np
import pytest
from misbehaving_models import Brighten, Centroids, Fussy
from sklearn.datasets import make_blobs
from sklearn.exceptions import FitFailedWarning

from skrobust.attacks import RandomSearch
from skrobust.evaluation import (
    Isolation,
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
)
from skrobust.perturbations import GaussianNoise
from skrobust.report import collect_report

X, Y = make_blobs(60, centers=3, n_features=4, random_state=0)
X = (X - X.min()) / (X.max() - X.min())
FIRST = X[0]
IMAGE = {"image_shape": (2, 2), "data_range": (0, 1), "random_state": 0}
NOISE = [GaussianNoise(severity=s, **IMAGE) for s in (0, 2, 4)]
CONDITIONS = [*NOISE, Brighten()]
MODEL = Fussy().fit(X, Y)
SEARCH = RandomSearch(0.1, data_range=(0, 1), max_queries=10, random_state=0)


def evaluate(model=MODEL, conditions=CONDITIONS, **more):
    return evaluate_perturbations(model, X, Y, conditions, **more)


def same(one, other):
    for name in ("score", "score_low", "band_high", "flip_rate", "changed", "correct"):
        assert np.array_equal(one[name], other[name], equal_nan=True)
    assert one.mean_interval == other.mean_interval


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_isolation_changes_no_number(n_jobs):
    plain = evaluate(conditions=NOISE)
    same(evaluate(conditions=NOISE, isolate=True, n_jobs=n_jobs), plain)
    batches = evaluate(conditions=NOISE, isolate=Isolation(60), batch_size=20)
    same(batches, evaluate(conditions=NOISE, batch_size=20))
    model = Centroids().fit(X, Y)
    runs = [evaluate_attack(model, X, Y, SEARCH, isolate=one) for one in (False, True)]
    first, second = runs
    assert first.robust_accuracy == second.robust_accuracy
    assert np.array_equal(first.robust_ratio_loss, second.robust_ratio_loss)


@pytest.mark.parametrize(
    ("how", "limits", "reason"),
    [
        ("hang", Isolation(timeout=2), "timed out after 2 s"),
        pytest.param("die", True, "killed (SIGKILL)", marks=pytest.mark.slow),
        pytest.param(
            "grow", Isolation(memory=2**30), "MemoryError", marks=pytest.mark.slow
        ),
    ],
)
def test_what_hangs_dies_or_grows_fails_alone(how, limits, reason):
    model = Fussy(how).fit(X, Y)
    with pytest.warns(UserWarning, match="1 of 4 conditions failed"):
        r = evaluate(model, isolate=limits)
    assert reason in r.failed[3]
    assert np.array_equal(r.score[:3], evaluate(conditions=NOISE).score)


@pytest.mark.slow
def test_a_model_that_dies_on_clean_rows_is_one_sentence():
    model = Fussy("die").fit(X, Y)
    with pytest.raises(RuntimeError, match="the process of the model was killed"):
        evaluate_perturbations(model, X + 9, Y, NOISE, isolate=True)


@pytest.mark.slow
def test_an_attack_under_which_a_model_hangs():
    class Wide(Brighten):
        pass

    model = Fussy("hang").fit(X, Y)
    with pytest.raises(RuntimeError, match="timed out after 2 s"):
        evaluate_attack(model, X, Y, Wide(), isolate=Isolation(timeout=2))


class HangsOnce(Centroids):
    """Hangs in the fit of the fold that lacks the first row."""

    def fit(self, X, y):
        if not (X == FIRST).all(axis=1).any():
            time.sleep(600)
        return super().fit(X, y)


def test_a_fold_whose_fit_hangs_fails_alone():
    given = X, Y, NOISE
    with pytest.warns(FitFailedWarning, match="timed out after 2 s"):
        found = cross_validate_perturbations(
            HangsOnce(), *given, cv=3, isolate=Isolation(timeout=2)
        )
    assert set(found.failed[found.fold == 0]) == {"timed out after 2 s"}
    plain = cross_validate_perturbations(Centroids(), *given, cv=3)
    there = found.fold > 0
    assert np.array_equal(found.score[there], plain.score[there])
    assert np.isnan(found.score[~there]).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:normalized_score_parts")
def test_a_report_whose_model_hangs():
    found = collect_report(
        {"m": Fussy("hang").fit(X, Y)}, X, Y, conditions=CONDITIONS, eps=0.1,
        attacks={"search": SEARCH, "brighten": Brighten()}, image_shape=(2, 2),
        data_range=(0, 1), checks=False, isolate=Isolation(timeout=4),
    )  # fmt: skip
    reasons = {row["section"]: row["reason"] for row in found["skipped"]}
    assert reasons["stability, brighten"] == "timed out after 4 s"
    assert reasons["brighten"] == "timed out after 4 s"
    assert found["models"][0]["attacks"]["search"]["robust_accuracy"] > 0


@pytest.mark.parametrize("wrong", [1, "yes", {"timeout": 3}])
def test_bad_isolation(wrong):
    with pytest.raises(ValueError, match="'isolate' parameter"):
        evaluate(isolate=wrong)
    with pytest.raises(ValueError, match="'isolate' parameter of cross_validate_pert"):
        cross_validate_perturbations(MODEL, X, Y, NOISE, isolate=wrong)
    with pytest.raises(ValueError, match="'isolate' parameter"):
        collect_report({"m": MODEL}, X, Y, isolate=wrong)


@pytest.mark.parametrize("timeout", [3e6, 1e12, 1e300])
def test_longer_than_a_wait_can_count_is_as_long_as_it_takes(timeout):
    found = evaluate(conditions=NOISE, isolate=Isolation(timeout=timeout))
    assert "failed" not in found


@pytest.mark.parametrize("wrong", [{"timeout": 0}, {"timeout": "1"}, {"memory": 0.5}])
def test_bad_limits(wrong):
    with pytest.raises(ValueError, match=f"'{next(iter(wrong))}' parameter"):
        Isolation(**wrong)
