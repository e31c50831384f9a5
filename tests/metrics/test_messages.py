"""Bad input: a right result or one clear sentence, row by row."""

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skrobust import metrics as m
from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.nets import ToNetInput
from skrobust.perturbations import (
    GaussianNoise,
    PerturbationSequence,
    Rotation,
    SaltAndPepper,
    two_factor_grid,
)
from skrobust.sampling import DeepESTSampler, SimpleRandomSampler

MODEL, X, Y = linear_problem()
P = MODEL.predict_proba(X)
IMAGES = np.random.default_rng(0).random((4, 8, 8))
NAN = X.copy()
NAN[3, 2] = np.nan


def asked(**kw):
    sampler = SimpleRandomSampler(random_state=0, **kw).fit(np.ones(5))
    sampler.ask(2)
    return sampler


# (what is called, the sentence it must raise)
ROWS = {
    # metrics: percent, NaN, shapes, emptiness, names
    "asi percent": (lambda: m.accuracy_stability_index([90, 80]), "fractions in .0, 1"),
    "asi nan": (lambda: m.accuracy_stability_index([0.9, np.nan]), "found NaN"),
    "asi empty": (lambda: m.accuracy_stability_index([]), "at least 1"),
    "asi negative": (lambda: m.accuracy_stability_index([-0.2, 0.5]), "non-negative scores"),
    "asi 2-D": (lambda: m.accuracy_stability_index([[0.5, 0.6]]), "1-D"),
    "asi text": (lambda: m.accuracy_stability_index(["a", "b"]), "1-D array of numbers"),
    "stability inf": (lambda: m.stability_index([0.5, np.inf]), "found NaN or infinity"),
    "stability times": (
        lambda: m.stability_index([0.5, 0.6], times=[1, 1]), "times"),
    "stability lengths": (
        lambda: m.stability_index([0.5, 0.6], times=[1, 2, 3]), "times"),
    "ra lengths": (lambda: m.robust_accuracy_score(Y, Y[:3]), "equal length|shape"),
    "ra one-hot": (
        lambda: m.robust_accuracy_score(np.eye(2)[Y], Y), r"argmax\(axis=1\)"),
    "ra empty": (lambda: m.robust_accuracy_score([], []), "at least one sample"),
    "ra text and numbers": (
        lambda: m.robust_accuracy_score(["a", "b"], [0, 1]), "of one kind"),
    "rr tolerance": (
        lambda: m.robust_ratio_score(P, P, tolerance=-0.1), "'tolerance' parameter"),
    "rr tolerance percent": (
        lambda: m.robust_ratio_score(P, P, tolerance=5), r"in \[0, 1\]"),
    "rr 1-D": (
        lambda: m.robust_ratio_score(P[:, 1], P[:, 1], tolerance=0.1), "column_stack"),
    "rr one column": (
        lambda: m.robust_ratio_score(P[:, :1], P[:, :1], tolerance=0.1), "column_stack"),
    "rr shapes": (lambda: m.robust_ratio_score(P, P[:5], tolerance=0.1), "shape"),
    "rr logits": (lambda: m.robust_ratio_score(9 * P, P, tolerance=0.1), "fractions"),
    "rr not summing": (
        lambda: m.robust_ratio_score(P / 2, P / 2, tolerance=0.1), "sum to 1"),
    "rr reference": (
        lambda: m.robust_ratio_score(P, P, tolerance=0.1, reference="best"),
        "'reference' parameter"),
    "rr true without y": (
        lambda: m.robust_ratio_score(P, P, tolerance=0.1, reference="true"), "y_true"),
    "normalized d": (
        lambda: m.normalized_accuracy_score(Y, Y, n_features=0), "at least 1"),
    "normalized d bool": (
        lambda: m.normalized_accuracy_score(Y, Y, n_features=True), "an integer"),
    "normalized N": (
        lambda: m.normalized_accuracy_score(Y, Y, n_features=3, n_samples=-1),
        "'n_samples' parameter"),
    "normalized task": (
        lambda: m.normalized_score_parts(Y, Y, task="ranking", n_features=3),
        "one of 'classification'"),
    "normalized r2 text": (
        lambda: m.normalized_r2_score(["a", "b"], [1.0, 2.0], n_features=1), "numbers"),
    "interval": (lambda: m.proportion_interval(5, 3), "count"),
    "get_scorer": (lambda: m.get_scorer("accuracy_index"), "known are"),
    "make_normalized": (lambda: m.make_normalized_scorer("auc"), "one of 'accuracy'"),
    "metric as scorer": (lambda: m.robust_accuracy_score(MODEL, X, Y), "not a scorer"),
    # scorers
    "scorer of nothing": (
        lambda: m.make_robust_scorer(None), r"perturb\(estimator, X, y\)"),
    "scorer of a class": (lambda: m.make_robust_scorer(FGSM), "'perturbation'"),
    "scorer metric": (
        lambda: m.make_robust_scorer(FGSM(), "auc")(MODEL, X, Y), "'robust_ratio'"),
    "ratio without tolerance": (
        lambda: m.make_robust_scorer(FGSM(), "robust_ratio")(MODEL, X, Y),
        "needs a tolerance"),
    "tolerance without ratio": (
        lambda: m.make_robust_scorer(FGSM(), tolerance=0.1)(MODEL, X, Y),
        "belongs to metric='robust_ratio'"),
    "ratio without probabilities": (
        lambda: m.make_robust_scorer(FGSM(), "robust_ratio", tolerance=0.1)(
            LinearSVC().fit(X, Y), X, Y), "needs predict_proba, which LinearSVC"),
    "ratio stopped early": (
        lambda: m.make_robust_scorer(
            FGSM(objective="misclassification"), "robust_ratio", tolerance=0.1
        )(MODEL, X, Y), "full attack on every sample"),
    "unfitted perturbation": (
        lambda: m.make_robust_scorer(SaltAndPepper(0.1))(MODEL, X * 9, Y),
        "Fit it on training data"),
    "X_ref without fit": (
        lambda: m.make_robust_scorer(FGSM(), X_ref=X), "FGSM has no fit"),
    "scorer without y": (lambda: m.make_robust_scorer(FGSM())(MODEL, X), "needs y"),
    "conditions name": (lambda: m.make_stability_scorer("asi68"), "a list of conditions"),
    "conditions empty": (lambda: m.make_stability_scorer([]), "a list of conditions"),
    "conditions wrong": (lambda: m.make_stability_scorer([1, 2]), "'conditions'"),
    "periods": (
        lambda: m.make_stability_index_scorer(200)(MODEL, X, Y), "at most the number"),
    # perturbations
    "severity high": (lambda: GaussianNoise(6).fit(IMAGES), r"a number in \[0, 5\]"),
    "severity negative": (lambda: GaussianNoise(-1).fit(IMAGES), "'severity' parameter"),
    "severity text": (lambda: GaussianNoise("3").fit(IMAGES), "of GaussianNoise must be"),
    "severity and std": (
        lambda: GaussianNoise(3, std=0.1).fit(IMAGES), "either 'severity' or 'std'"),
    "std and var": (
        lambda: GaussianNoise(std=0.1, var=0.1).fit(IMAGES), "either 'std' or 'var'"),
    "std negative": (lambda: GaussianNoise(std=-0.1).fit(IMAGES), "a non-negative float"),
    "density": (lambda: SaltAndPepper(1.5).fit(IMAGES), r"a number in \[0, 1\]"),
    "angle": (lambda: Rotation("up").fit(IMAGES), "a finite number"),
    "canvas": (lambda: Rotation(3, canvas="crop").fit(IMAGES), "'keep', 'fit'"),
    "rotation of rows": (lambda: Rotation(30).fit(X), "needs image_shape"),
    "severity of rows": (
        lambda: GaussianNoise(2).perturb(None, X), "needs image_shape to turn"),
    "image_shape": (
        lambda: Rotation(30, image_shape=(3, 3)).fit(X), "as many pixels as a row"),
    "image_shape kind": (
        lambda: Rotation(30, image_shape=6).fit(X), "a tuple .height, width."),
    "ambiguous channels": (
        lambda: Rotation(30).fit(np.zeros((2, 3, 8, 3))), "pass channel_axis=1"),
    "channel_axis": (
        lambda: Rotation(30, channel_axis=7).fit(np.zeros((2, 3, 8, 3))), "first"),
    "five axes": (lambda: Rotation(30).fit(np.zeros((2, 2, 2, 2, 2))), "flat rows"),
    "data_range order": (
        lambda: GaussianNoise(std=0.1, data_range=(1, 0)).fit(IMAGES), "low < high"),
    "data_range name": (
        lambda: GaussianNoise(std=0.1, data_range="full").fit(IMAGES), "'auto'"),
    "outside data_range": (
        lambda: GaussianNoise(std=0.1, data_range=(0, 1)).perturb(None, IMAGES * 9),
        "outside its data range"),
    "images with NaN": (lambda: GaussianNoise(std=0.1).perturb(None, NAN), "contains NaN"),
    "empty images": (
        lambda: GaussianNoise(std=0.1).perturb(None, IMAGES[:0]), "minimum of 1"),
    "text images": (
        lambda: GaussianNoise(std=0.1).perturb(None, np.array([["a", "b"]])),
        "numeric|could not convert"),
    "random_state": (
        lambda: GaussianNoise(std=0.1, random_state="a").perturb(None, IMAGES),
        "'random_state' parameter"),
    "steps": (lambda: PerturbationSequence([FGSM()]).fit(IMAGES), "list of perturb"),
    "preset": (lambda: two_factor_grid("asi69"), "one of 'asi68'"),
    "gaussian": (lambda: two_factor_grid(gaussian="std"), "one of 'mean', 'var'"),
    "net input shape": (lambda: ToNetInput((5, 5)).fit(X), "as many values as"),
    "net input kind": (lambda: ToNetInput(8).fit(X), "None, .height, width."),
    # attacks
    "eps negative": (
        lambda: FGSM(-1).perturb(MODEL, X, Y), "The 'eps' parameter of FGSM must be a"),
    "eps text": (lambda: PGD("big").perturb(MODEL, X, Y), "'eps' parameter of PGD"),
    "eps nan": (lambda: PGD(np.nan).perturb(MODEL, X, Y), "'eps' parameter of PGD"),
    "norm": (lambda: FGSM(norm=3).perturb(MODEL, X, Y), "numpy.inf, 2 or 1"),
    "objective": (
        lambda: FGSM(objective="max").perturb(MODEL, X, Y), "'probability_shift'"),
    "n_steps": (lambda: PGD(n_steps=0).perturb(MODEL, X, Y), "at least 1"),
    "step_size": (lambda: PGD(step_size=0).perturb(MODEL, X, Y), "a positive float"),
    "restarts": (
        lambda: PGD(n_restarts=2, random_start=False).perturb(MODEL, X, Y),
        "'n_restarts' parameter"),
    "batch_size": (lambda: FGSM(batch_size=0).perturb(MODEL, X, Y), "'batch_size'"),
    "attack range": (
        lambda: FGSM(data_range=(0, 0.5)).perturb(MODEL, X, Y), "outside data_range"),
    "attack range order": (
        lambda: FGSM(data_range=(1, 0)).perturb(MODEL, X, Y), "low < high"),
    "attack range shape": (
        lambda: FGSM(data_range=(np.zeros(3), np.ones(3))).perturb(MODEL, X, Y),
        "one bound per feature"),
    "attack NaN": (lambda: FGSM().perturb(MODEL, NAN, Y), "contains NaN"),
    "attack lengths": (lambda: FGSM().perturb(MODEL, X, Y[:5]), "equal length"),
    "attack one-hot": (lambda: FGSM().perturb(MODEL, X, np.eye(2)[Y]), "1-D labels"),
    "attack other labels": (
        lambda: FGSM().perturb(MODEL, X, np.array(["a", "b"])[Y]), "none of the model's"),
    "attack width": (lambda: FGSM().perturb(MODEL, X[:, :3], Y), "takes 6 features"),
    "attack a tree": (
        lambda: FGSM().perturb(DecisionTreeClassifier().fit(X, Y), X, Y),
        "cannot differentiate DecisionTreeClassifier"),
    "attack unfitted": (
        lambda: FGSM().perturb(LogisticRegression(), X, Y), "not fitted"),
    "attack clusterer": (
        lambda: FGSM().perturb(KMeans(2, n_init=1).fit(X), X, Y), "cannot differentiate"),
    "attack sparse": (
        lambda: FGSM().perturb(MODEL, OneHotEncoder().fit_transform(X), Y), "[Ss]parse|arr"),
    # evaluation
    "evaluate nothing": (
        lambda: evaluate_perturbations(MODEL, X, Y, []), "non-empty list"),
    "evaluate a name": (
        lambda: evaluate_perturbations(MODEL, X, Y, "asi68"), "non-empty list"),
    "evaluate lengths": (
        lambda: evaluate_perturbations(MODEL, X, Y[:4], [Rotation(3)]), "equal length"),
    "evaluate attack": (
        lambda: evaluate_attack(MODEL, X, Y, "fgsm"), r"perturb\(estimator, X, y\)"),
    "evaluate tolerances": (
        lambda: evaluate_attack(MODEL, X, Y, FGSM(), tolerances=[2]), "toleranc"),
    "evaluate one-hot": (
        lambda: evaluate_attack(MODEL, X, np.eye(2)[Y], FGSM()), "1-D labels"),
    # samplers
    "pool empty": (lambda: SimpleRandomSampler().fit([]), "at least one input"),
    "scores negative": (lambda: DeepESTSampler().fit([-1.0, 2.0]), "at least 0"),
    "scores nan": (lambda: DeepESTSampler().fit([np.nan, 2.0]), "found NaN"),
    "scores 2-D": (lambda: DeepESTSampler().fit(X), "1-D scores"),
    "rule": (lambda: DeepESTSampler(rule="jar").fit([0.1, 0.2]), "'paper', 'released'"),
    "mixing": (lambda: DeepESTSampler(mixing=2).fit([0.1, 0.2]), "'mixing'"),
    "threshold": (lambda: DeepESTSampler(threshold="sd").fit([0.1, 0.2]), "'threshold'"),
    "ask too many": (lambda: asked().ask(5), "3 left, 5 asked"),
    "ask none": (lambda: asked().ask(0), "at least 1"),
    "tell unasked": (
        lambda: [asked().tell([i], failed=[0]) for i in range(5)], "was never asked"),
    "tell outside": (lambda: asked().tell([99], failed=[0]), "outside the pool"),
    "tell both": (lambda: asked().tell([0], [1], failed=[0]), "one of the two"),
    "tell labels": (
        lambda: (s := asked()).tell(s.ids_, [1, 1]), "pass failed="),
    "tell half": (
        lambda: (s := asked()).tell(s.ids_, failed=[1]), "one answer an id"),
    "tell a guess": (
        lambda: (s := asked()).tell(s.ids_, failed=[0.4, 1]), "booleans"),
    "confidence": (lambda: asked().result(confidence=95), r"in \(0, 1\)"),
    "sampler unfitted": (lambda: SimpleRandomSampler().ask(2), "not fitted"),
    "sampler without probabilities": (
        lambda: DeepESTSampler(LinearSVC().fit(X, Y)).fit(X), "needs predict_proba"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_one_clear_sentence(row):
    call, sentence = ROWS[row]
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        call()
    text = str(caught.value)
    assert 20 < len(text) < 600
    assert "\n\n\n" not in text


def test_the_table_is_long_enough():
    assert len(ROWS) >= 60


def test_one_class_is_told():
    with pytest.warns(UserWarning, match="class"):
        assert m.imbalance_factor([1, 1, 1]) == 1


def test_frames_with_odd_index_and_order():
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(900, 980))
    model = LogisticRegression(C=100, max_iter=5000).fit(frame, Y)
    plain = m.make_robust_scorer(FGSM(0.1))(MODEL, X, Y)
    assert m.make_robust_scorer(FGSM(0.1))(model, frame, pd.Series(Y)) == plain
    swapped = frame[list("bacdef")]
    with pytest.raises(ValueError, match="feature names"):
        m.make_robust_scorer(FGSM(0.1))(model, swapped, Y)


@pytest.mark.torch
def test_frames_and_doubles_into_a_net():
    pytest.importorskip("skorch")
    from nets_for_tests import make_net
    from sklearn.pipeline import make_pipeline

    net = make_net(module__k=2, epochs=5)
    labels = Y.astype(np.int64)
    scorer = m.make_robust_scorer(FGSM(0.1))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    piped = make_pipeline(ToNetInput(), net).fit(frame, labels)
    value = scorer(piped, frame, labels)
    assert value == scorer(piped, frame.astype(np.float32), labels)
    bare = piped[-1]
    assert value == scorer(bare, X.astype(np.float32), labels)
    with pytest.raises(ValueError, match="takes float32 arrays, not a data frame"):
        scorer(bare, frame, labels)
    with pytest.raises(ValueError, match="not a float64 array"):
        scorer(bare, X, labels)
    with pytest.raises(ValueError, match="not a float64 array"):
        DeepESTSampler(bare).fit(X)
