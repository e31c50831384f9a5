"""A condition, a fold or a run that fails is a row with its reason."""

import errno
import warnings

import numpy as np
import pytest
from misbehaving_models import Brighten, Centroids, Fussy, Raises
from sklearn.datasets import make_blobs
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression

from skrobust.attacks import RandomSearch
from skrobust.evaluation import (
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
)
from skrobust.evaluation.core import checkpoint
from skrobust.perturbations import GaussianNoise
from skrobust.report import collect_report, create_report

X, Y = make_blobs(60, centers=3, n_features=4, random_state=0)
X = (X - X.min()) / (X.max() - X.min())
IMAGE = {"image_shape": (2, 2), "data_range": (0, 1), "random_state": 0}
NOISE = [GaussianNoise(severity=s, **IMAGE) for s in (0, 2, 4)]
CONDITIONS = [*NOISE, Brighten()]
MODEL = Fussy().fit(X, Y)
SEARCH = RandomSearch(0.1, data_range=(0, 1), max_queries=10, random_state=0)
TOLD = "1 of 4 conditions failed and have the score nan: 'brighten'.*too bright"
REASON = ["", "", "", "RuntimeError: too bright"]


def evaluate(model=MODEL, conditions=CONDITIONS, **more):
    return evaluate_perturbations(model, X, Y, conditions, **more)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
@pytest.mark.parametrize("batch_size", [None, 20])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_failed_condition_is_a_row(batch_size, scoring, n_jobs):
    how = {"batch_size": batch_size, "scoring": scoring, "n_jobs": n_jobs}
    with pytest.warns(UserWarning, match=TOLD):
        r = evaluate(**how)
    rest = evaluate(conditions=NOISE, **how)
    assert r.failed.tolist() == REASON
    assert np.array_equal(r.score, [*rest.score, np.nan], equal_nan=True)
    assert np.array_equal(r.changed, [*rest.changed, np.nan], equal_nan=True)
    for name in ("mean", "accuracy_stability_index", "worst_score"):
        assert np.isnan(r[name])
    assert r.worst_condition == ""
    assert r.area_under_severity_curve == rest.area_under_severity_curve
    assert r.verdict.startswith("1 of 4 conditions failed: RuntimeError: too bright.")
    assert "failed" not in rest
    if scoring is None:
        for name in ("score_low", "band_high", "flip_rate"):
            assert np.isnan(r[name][3])
            assert not np.isnan(r[name][:3]).any()
        assert np.array_equal(r.score_low[:3], rest.score_low)
        assert np.array_equal(r.correct[:, :3], rest.correct)
        assert np.isnan(r.correct[:, 3]).all()
        assert r.mean_interval is r.worst_interval is None


def test_a_number_stands_for_what_failed():
    with pytest.warns(UserWarning, match="have the score 0"):
        r = evaluate(error_score=0)
    assert r.score[3] == 0
    assert r.worst_score == 0
    assert r.mean == pytest.approx(r.score.mean())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_raise_stops_at_the_first(n_jobs):
    with pytest.raises(RuntimeError, match="too bright"):
        evaluate(error_score="raise", n_jobs=n_jobs)


@pytest.mark.parametrize("batch_size", [None, 20])
def test_if_all_fail_the_first_reason_is_raised(batch_size):
    with pytest.raises(RuntimeError, match="too bright") as caught:
        evaluate(conditions=[Brighten(), Brighten(9)], batch_size=batch_size)
    assert "all 2 failed" in caught.value.__notes__[0]


@pytest.mark.parametrize("wrong", ["nan", None, True, "ignore"])
def test_bad_error_score(wrong):
    for run in (evaluate_perturbations, cross_validate_perturbations):
        with pytest.raises(ValueError, match="'error_score' parameter"):
            run(MODEL, X, Y, NOISE, error_score=wrong)
    with pytest.raises(ValueError, match="'error_score' parameter"):
        evaluate_attack(MODEL, X, Y, SEARCH, error_score=wrong)


def test_a_condition_that_must_be_fitted_is_misuse():
    from skrobust.perturbations import FeatureNoise

    loose = FeatureNoise(severity=2, random_state=0)
    with pytest.raises(ValueError, match="needs the condition"):
        evaluate_perturbations(MODEL, X, Y, [Brighten(0.0), loose])


def test_reference_and_groups_beside_a_failure():
    reference = {"other": evaluate(Centroids().fit(X, Y))}
    groups = np.arange(60) % 2
    with pytest.warns(UserWarning, match=TOLD):
        r = evaluate(reference=reference, groups=groups, n_permutations=9)
    assert np.isnan(r.mean_corruption_error)
    assert set(r.groups.number.tolist()) == {1, 2, 3}


def test_a_table_beside_a_failure():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    from skrobust.perturbations import FeatureNoise

    conditions = [FeatureNoise(severity=3, random_state=0), Brighten()]
    model = Fussy().fit(X, Y)
    with pytest.warns(UserWarning, match="1 of 2 conditions failed"):
        r = evaluate_perturbations(model, frame, Y, conditions, X_ref=frame)
    assert r.failed[1] == "RuntimeError: too bright"
    assert r.effect[0]
    assert np.isnan(r.std_change[1])


def test_finished_parts_are_kept_and_failed_ones_tried_again(tmp_path):
    with pytest.warns(UserWarning, match=TOLD):
        evaluate(checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.warns(UserWarning, match=TOLD):
        assert evaluate(checkpoint=tmp_path).failed.tolist() == REASON


def test_cross_validation():
    with pytest.warns(FitFailedWarning, match="3 fits or scores failed.*too bright"):
        r = cross_validate_perturbations(Fussy(), X, Y, CONDITIONS, cv=3)
    rest = cross_validate_perturbations(Fussy(), X, Y, NOISE, cv=3)
    assert r.failed.tolist() == [""] * 9 + ["RuntimeError: too bright"] * 3
    assert np.array_equal(r.score[:9], rest.score)
    assert np.isnan(r.conditions.score[3])
    assert np.isnan(r.accuracy_stability_index)
    with pytest.raises(RuntimeError, match="too bright"):
        cross_validate_perturbations(Fussy(), X, Y, [Brighten()], cv=3)


class NoProbabilities(Centroids):
    """Raises where probabilities of other rows than the clean ones are asked."""

    def predict_proba(self, X):
        if not all(row in self.known_ for row in map(tuple, np.round(X, 12))):
            raise RuntimeError("no probabilities")
        return super().predict_proba(X)

    def fit(self, X, y):
        self.known_ = set(map(tuple, np.round(X, 12)))
        return super().fit(X, y)


@pytest.mark.parametrize("batch_size", [None, 20])
def test_a_run_of_an_attack_that_fails(batch_size):
    model = NoProbabilities().fit(X, Y)
    attack = RandomSearch(
        0.3, data_range=(0, 1), max_queries=20, response="predict", random_state=0
    )
    with pytest.warns(UserWarning, match="the run of the attack for robust_ratio"):
        r = evaluate_attack(model, X, Y, attack, batch_size=batch_size)
    right = (attack.perturb(model, X, Y), Y)
    assert r.robust_accuracy == model.score(*right)
    assert set(r.failed) == {"robust_ratio_loss", "robust_ratio_probability_shift"}
    assert np.isnan(r.robust_ratio_loss).all()
    assert len(r.robust_ratio_loss) == len(r.tolerance)
    assert str(r)
    for how in ({}, {"error_score": "raise"}):
        with pytest.raises(RuntimeError, match="cannot"):
            evaluate_attack(model, X, Y, Raises(), **how)


class FirstRun:
    """Raises in its first run alone."""

    def __init__(self):
        self.n = 0

    def perturb(self, estimator, X, y=None):
        self.n += 1
        if self.n == 1:
            raise RuntimeError("not yet")
        return np.asarray(X) + 0.1


def test_robust_accuracy_that_fails_beside_a_ratio():
    model = Centroids().fit(X, Y)
    with pytest.warns(UserWarning, match="for robust_accuracy failed"):
        r = evaluate_attack(model, X, Y, FirstRun())
    assert np.isnan(r.robust_accuracy)
    assert r.robust_accuracy_interval is None
    assert "per_sample" not in r
    assert r.failed == {"robust_accuracy": "RuntimeError: not yet"}
    assert "the attack failed" in r.verdict
    assert np.isfinite(r.robust_ratio_given).all()
    assert str(r)


def test_regressors():
    model = LinearRegression().fit(X, X[:, 0])
    with pytest.raises(RuntimeError, match="not yet"):
        evaluate_attack(model, X, X[:, 0], FirstRun(), error_score="raise")
    with warnings.catch_warnings(record=True) as caught:  # of its clean R2, too
        warnings.simplefilter("always")
        r = evaluate_attack(model, X, X[:, 0], FirstRun())
    assert any("robust_r2 failed" in str(w.message) for w in caught)
    assert np.isnan(r.robust_r2)
    assert r.failed == {"robust_r2": "RuntimeError: not yet"}
    assert np.isfinite(r.prediction_shift)


@pytest.fixture
def full_disk(monkeypatch):
    def write(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint, "write_array", write)


def test_a_full_disk_is_said_once(full_disk, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        r = evaluate(conditions=NOISE, checkpoint=tmp_path)
    assert np.array_equal(r.score, evaluate(conditions=NOISE).score)
    (told,) = [str(w.message) for w in caught]
    assert "No space left on device" in told
    assert "The run goes on" in told
    with pytest.warns(UserWarning, match="could not be kept"):
        evaluate_attack(Centroids().fit(X, Y), X, Y, SEARCH, checkpoint=tmp_path)


@pytest.mark.parametrize("path", ["a\0b", "FILE/x", "/proc/none"])
def test_a_folder_that_cannot_be_used(path, tmp_path):
    (tmp_path / "FILE").write_text("")
    folder = path if path != "FILE/x" else str(tmp_path / path)
    for run, last in ((evaluate_perturbations, NOISE), (evaluate_attack, SEARCH)):
        with pytest.raises(ValueError, match="Nothing was computed yet"):
            run(MODEL, X, Y, last, checkpoint=folder)
    with pytest.raises(ValueError, match="Nothing was computed yet"):
        collect_report({"m": MODEL}, X, Y, checkpoint=folder)


@pytest.mark.filterwarnings("ignore:normalized_score_parts")
def test_a_report_lists_what_failed(tmp_path):
    attacks = {"search": SEARCH, "raises": Raises()}
    out = {"out": tmp_path / "r.html", "json_out": tmp_path / "r.json"}
    report = create_report(
        {"m": MODEL}, X, Y, conditions=CONDITIONS, attacks=attacks, **out,
        image_shape=(2, 2), data_range=(0, 1), checks=False,
        thresholds={"worst_accuracy": 0.0},
    )  # fmt: skip
    found = report.collected
    reasons = {row["section"]: row["reason"] for row in found["skipped"]}
    assert reasons["stability, brighten"] == "RuntimeError: too bright"
    assert reasons["raises"] == "cannot"
    stability = found["models"][0]["stability"]
    assert stability["failed"].tolist() == REASON
    assert "not known: 1 of 4" in stability["worst"]["name"]
    assert found["verdicts"][0]["needs"][0]["status"] == "not measured"
    page = (tmp_path / "r.html").read_text()
    assert "too bright" in page
    with pytest.raises(ValueError, match="holds no NUL"):
        create_report({"m": MODEL}, X, Y, out="a\0b")
