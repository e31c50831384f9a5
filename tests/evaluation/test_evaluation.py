"""Evaluation: one model, many conditions, one table."""

import numpy as np
import pytest
from problems import digit_rows, linear_problem
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from skrobust.attacks import FGSM, PGD, HopSkipJump
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.evaluation.attacked.temperature import fit_temperature
from skrobust.metrics import (
    accuracy_stability_index,
    make_asi_scorer,
    make_robust_scorer,
    proportion_interval,
)
from skrobust.perturbations import (
    GaussianNoise,
    PerturbationSequence,
    SaltAndPepper,
    two_factor_grid,
)

DIGITS, LABELS = digit_rows()
MODEL = SVC().fit(DIGITS[:1000], LABELS[:1000])
TEST, TRUTH = DIGITS[1000:1300], LABELS[1000:1300]
GRID = two_factor_grid(image_shape=(8, 8), data_range=(0, 16), random_state=0)


@pytest.mark.slow
def test_results_agree_with_the_scorer_and_by_hand():
    r = evaluate_perturbations(MODEL, TEST, TRUTH, GRID)
    by_hand = [MODEL.score(c.perturb(MODEL, TEST), TRUTH) for c in GRID]
    assert np.array_equal(r.score, by_hand)
    assert np.array_equal(r.correct.mean(axis=0), r.score)
    assert r.correct.shape == (300, 69)
    assert r.accuracy_stability_index == accuracy_stability_index(by_hand)
    assert r.accuracy_stability_index == make_asi_scorer(GRID)(MODEL, TEST, TRUTH)
    assert r.mean == np.mean(by_hand)
    assert r.coefficient_of_variation == pytest.approx(
        np.std(by_hand) / np.mean(by_hand)
    )
    assert r.number.tolist() == list(range(1, 70))
    frame = r.to_frame()
    assert list(frame.columns)[:3] == ["number", "name", "score"]
    assert r.frame().equals(frame)
    assert frame["name"][5] == "SP0.1GA0.1"
    assert "accuracy_stability_index" in repr(r)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_jobs_and_backends_give_the_same(backend):
    import joblib

    one = evaluate_perturbations(MODEL, TEST, TRUTH, GRID[:8])
    with joblib.parallel_config(backend):
        two = evaluate_perturbations(MODEL, TEST, TRUTH, GRID[:8], n_jobs=2)
    assert np.array_equal(one.correct, two.correct)


def test_dask_gives_the_same():
    distributed = pytest.importorskip("distributed")
    import joblib

    one = evaluate_perturbations(MODEL, TEST, TRUTH, GRID[:6])
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        two = evaluate_perturbations(MODEL, TEST, TRUTH, GRID[:6], n_jobs=2)
    assert np.array_equal(one.correct, two.correct)


def test_progress(capsys):
    pytest.importorskip("tqdm")
    loud = evaluate_perturbations(MODEL, TEST, TRUTH, GRID[:3], verbose=1)
    assert "conditions" in capsys.readouterr().err
    quiet = evaluate_perturbations(MODEL, TEST, TRUTH, GRID[:3])
    assert capsys.readouterr().err == ""
    assert np.array_equal(loud.correct, quiet.correct)


def test_other_scorings():
    noise = [GaussianNoise(std=s, random_state=0) for s in (0.0, 0.2)]
    X, y = load_diabetes(return_X_y=True)
    X = minmax_scale(X)
    model = LinearRegression().fit(X, y)
    r = evaluate_perturbations(model, X, y, noise)
    assert r.score[0] == model.score(X, y)
    assert r.score[0] > r.score[1]
    assert "correct" not in r
    r = evaluate_perturbations(model, X, y, noise, scoring="neg_mean_squared_error")
    assert np.isnan(r.accuracy_stability_index)
    r = evaluate_perturbations(
        MODEL, TEST, TRUTH, GRID[:3], scoring="balanced_accuracy"
    )
    assert ((r.score > 0) & (r.score <= 1)).all()


def test_attacks_serve_as_conditions():
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X)
    model = LogisticRegression().fit(X, y)
    attacks = [FGSM(e, data_range=(0, 1)) for e in (0.0, 0.02, 0.1)]
    r = evaluate_perturbations(model, X, y, attacks)
    assert r.score[0] == model.score(X, y)
    assert (np.diff(r.score) < 0).all()


def test_evaluate_attack_by_hand():
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X)
    model = LogisticRegression().fit(X, y)
    attack = PGD(0.03, data_range=(0, 1), random_state=0, n_steps=10)
    r = evaluate_attack(model, X, y, attack, tolerances=[0, 0.05, 1])
    assert r.clean_accuracy == model.score(X, y)
    assert r.robust_accuracy == make_robust_scorer(attack)(model, X, y)
    n = len(y)
    assert r.robust_accuracy_interval == proportion_interval(
        round(r.robust_accuracy * n), n
    )
    scorer = make_robust_scorer(attack, "robust_ratio", tolerance=0.05)
    assert r.robust_ratio_probability_shift[1] == scorer(model, X, y)
    assert r.robust_ratio_probability_shift[2] == 1
    # The full shift is searched both ways, so it is not above the published loss here.
    assert r.robust_ratio_probability_shift[1] <= r.robust_ratio_loss[1]
    assert r.constant_model_accuracy == pytest.approx((y == 1).mean())
    low, high = r.robust_ratio_loss_low, r.robust_ratio_loss_high
    assert (low <= r.robust_ratio_loss).all()
    assert (r.robust_ratio_loss <= high).all()


def test_modes_are_never_mixed():
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X)
    model = LogisticRegression().fit(X, y)
    r = evaluate_attack(model, X, y, FGSM(0.03, objective="loss"))
    assert r.modes == ("loss",)
    r = evaluate_attack(model, X, y, SaltAndPepper(0.1, random_state=0))
    assert r.modes == ("given",)
    assert r.note == "upper bound, objective unknown"
    svc = SVC().fit(X, y)
    r = evaluate_attack(svc, X, y, SaltAndPepper(0.1, random_state=0))
    assert r.modes == () if "modes" in r else "predict_proba" in r.skipped
    calibrated = CalibratedClassifierCV(SVC(), ensemble=False).fit(X, y)
    r = evaluate_attack(calibrated, X, y, SaltAndPepper(0.1, random_state=0))
    assert r.robust_ratio_given.shape == (21,)


def test_temperature():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(4000, 3)) * 2
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    y = (rng.random((4000, 1)) > p.cumsum(axis=1)).sum(axis=1)
    assert fit_temperature(p, y) == pytest.approx(1, abs=0.07)
    sharp = p**4 / (p**4).sum(axis=1, keepdims=True)
    assert fit_temperature(sharp, y) == pytest.approx(4, rel=0.07)


def test_conditions_are_one_perturbation_or_an_iterable_and_no_class():
    model, X, y = linear_problem()
    for wrong in (GaussianNoise, [GaussianNoise], [3]):
        with pytest.raises(ValueError, match="'conditions' parameter"):
            evaluate_perturbations(model, X, y, wrong)
    one = evaluate_perturbations(model, X, y, GaussianNoise(std=0.0))
    assert one.score[0] == model.score(X, y)
    some = (GaussianNoise(std=s) for s in (0.0, 0.0))
    assert evaluate_perturbations(model, X, y, some).score.shape == (2,)


@pytest.mark.torch
def test_net_regressors_are_scored_by_their_own_score():
    pytest.importorskip("skorch")
    from skorch import NeuralNetRegressor
    from torch import nn

    X = np.random.default_rng(0).normal(size=(300, 6)).astype(np.float32)
    y = X[:, 0] * 3
    net = NeuralNetRegressor(
        nn.Sequential(nn.Linear(6, 1), nn.Flatten(0)), max_epochs=50, lr=0.05,
        train_split=None, verbose=0,
    ).fit(X, y)  # fmt: skip
    r = evaluate_perturbations(net, X, y, [PerturbationSequence([])])
    assert r.score[0] == pytest.approx(net.score(X, y))


def test_an_attack_on_labels_alone_has_a_robust_accuracy(iris):
    # Only the robust ratio needs probabilities.
    attack = HopSkipJump(1.0, norm=2, n_steps=3, n_directions=10, random_state=0)
    found = evaluate_attack(*iris, attack)
    assert found["robust_accuracy"] < found["clean_accuracy"]
    assert "labels alone" in found["skipped"]
