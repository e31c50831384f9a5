"""What users write, which a type checker accepts; see test_types.py."""

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

import skrobust
from skrobust import wrap
from skrobust.attacks import FGSM, PGD, Constraints
from skrobust.base import BaseAttack
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.metrics import (
    accuracy_stability_index,
    robust_accuracy_score,
    robust_ratio_score,
    threshold_test,
)
from skrobust.perturbations import GaussianNoise, get_preset
from skrobust.sampling import DeepESTSampler, SimpleRandomSampler


def measure(X: NDArray[np.float64], y: NDArray[np.intp]) -> float:
    """Return a robust accuracy."""
    model = LogisticRegression().fit(X, y)
    attack: BaseAttack = PGD(0.1, norm=2, n_steps=20, random_state=0)
    moved = FGSM(np.float64(0.1), data_range=(0.0, 1.0)).perturb(model, X, y)
    found = evaluate_attack(wrap(model), X, y, attack)
    noise = GaussianNoise(severity=3, random_state=np.random.default_rng(0))
    table = evaluate_perturbations(model, X, y, [noise, *get_preset("asi68")])
    index: float = accuracy_stability_index([0.9, 0.8, 0.7])
    ratio = robust_ratio_score(
        model.predict_proba(X), model.predict_proba(moved), tolerance=0.1
    )
    print(found, table, index, ratio, threshold_test, Constraints(frozen=[0]))
    return robust_accuracy_score(y, model.predict(moved))


def sample(scores: NDArray[np.float64]) -> float:
    """Return an estimate of an accuracy."""
    sampler = SimpleRandomSampler(random_state=0).fit(None, scores=scores)
    ids = sampler.ask(10)
    sampler.tell(ids, failed=[0] * 10)
    copy = DeepESTSampler().set_params(random_state=1)
    result = sampler.result(confidence=0.9)
    low, high = result.interval
    print(copy, low, high, skrobust.__version__)
    return float(result.accuracy)
