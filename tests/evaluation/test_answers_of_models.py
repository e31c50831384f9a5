"""Answers that are none have one sentence; a model that draws is named."""

import re
import sys
import warnings

import numpy as np
import pytest
from misbehaving_models import Answers, Centroids, Moody
from sklearn.datasets import make_blobs

from skrobust import wrap
from skrobust._repeated_answers import warn_if_random
from skrobust.attacks import RandomSearch
from skrobust.certificates import SmoothedClassifier
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.metrics import get_scorer, make_robust_scorer
from skrobust.perturbations import GaussianNoise
from skrobust.report import collect_report
from skrobust.sampling import DeepESTSampler, MahalanobisSurprise, SimpleRandomSampler

X, Y = make_blobs(60, centers=3, n_features=4, random_state=0)
X = (X - X.min()) / (X.max() - X.min())
NOISE = [
    GaussianNoise(severity=s, image_shape=(2, 2), data_range=(0, 1), random_state=0)
    for s in (0, 2)
]
SEARCH = RandomSearch(0.1, data_range=(0, 1), max_queries=10, random_state=0)
HOPPING = RandomSearch(
    0.1, data_range=(0, 1), max_queries=10, response="predict_proba", random_state=0
)


def surprise(model):
    return MahalanobisSurprise(model, layer="unused").fit(X)


BY_LABELS = {
    "perturbations": lambda m: evaluate_perturbations(m, X, Y, NOISE),
    "batches": lambda m: evaluate_perturbations(m, X, Y, NOISE, batch_size=25),
    "attack": lambda m: evaluate_attack(m, X, Y, SEARCH),
    "run": lambda m: SEARCH.run(m, X, Y),
    "scorer": lambda m: get_scorer("normalized_accuracy")(m, X, Y),
    "robust scorer": lambda m: make_robust_scorer(NOISE[1])(m, X, Y),
    "sampler": lambda m: SimpleRandomSampler(m, random_state=0).fit(X),
    "surprise": surprise,
    "report": lambda m: collect_report({"m": m}, X, Y),
}
BY_PROBABILITIES = {
    "sampler": lambda m: DeepESTSampler(m, random_state=0).fit(X),
    "robust ratio": lambda m: make_robust_scorer(SEARCH, "robust_ratio", tolerance=0.1)(
        m, X, Y
    ),
    "run": lambda m: HOPPING.run(m, X, Y),
}
SPOILED_LABELS = {
    "None": (lambda a: None, "it returned None"),
    "a row too few": (lambda a: a[:-1], "for 60 rows it returned 59"),
    "a number": (lambda a: 1, "it returned a single"),
    "complex": (lambda a: a * 1j, "it returned complex128"),
    "several": (lambda a: np.stack([a, a], axis=1), "several labels"),
}
SPOILED_PROBABILITIES = {
    "None": (lambda p: None, "it returned None"),
    "a row too few": (lambda p: p[1:], "it returned 59"),
    "one column": (lambda p: p[:, :1], "gives one column"),
    "text": (lambda p: p.astype(str), "as numbers; it returned <U"),
    "NaN": (lambda p: p * np.nan, "NaN"),
}


@pytest.mark.filterwarnings("ignore:.*failed")
@pytest.mark.parametrize("fault", SPOILED_LABELS)
@pytest.mark.parametrize("name", BY_LABELS)
def test_labels_that_are_none(name, fault):
    spoil, words = SPOILED_LABELS[fault]
    if name == "batches":
        words = words.replace("60 rows it returned 59", "25 rows it returned 24")
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        BY_LABELS[name](Answers(spoil).fit(X, Y))
    assert "\n" not in str(caught.value)
    assert "Answers" in str(caught.value)


@pytest.mark.filterwarnings("ignore:.*failed")
@pytest.mark.parametrize("fault", SPOILED_PROBABILITIES)
@pytest.mark.parametrize("name", BY_PROBABILITIES)
def test_probabilities_that_are_none(name, fault):
    spoil, words = SPOILED_PROBABILITIES[fault]
    model = Answers(spoil_proba=spoil).fit(X, Y)
    if name == "run" and fault == "one column":
        return  # one number a row is that of the second of two classes there
    with pytest.raises(ValueError, match=re.escape(words)):
        BY_PROBABILITIES[name](model)


def test_labels_outside_of_the_classes_are_said():
    strange = Answers(lambda a: np.where(a == 0, 7, a)).fit(X, Y)
    for name in ("perturbations", "sampler", "robust scorer"):
        with pytest.warns(UserWarning, match=r"not in its classes_, such as 7"):
            BY_LABELS[name](strange)
    fine = Answers(lambda a: a.astype(float)).fit(X, Y)
    evaluate_perturbations(fine, X, Y, NOISE)


def test_a_function_that_answers_badly():
    for answer, words in (
        (lambda rows: None, "wrap"),
        (lambda rows: np.zeros(len(rows) - 1), "one answer a row"),
    ):
        model = wrap(answer, classes=[0, 1], response="labels")
        with pytest.raises(ValueError, match=words):
            evaluate_perturbations(model, X, Y, NOISE)


RANDOM = {
    "perturbations": "evaluate_perturbations",
    "batches": "evaluate_perturbations",
    "attack": "evaluate_attack",
    "sampler": "SimpleRandomSampler",
}
SAID = "asked twice about the same rows, Moody answers differently"


@pytest.mark.filterwarnings("ignore:.*changed no row")
@pytest.mark.parametrize("name", RANDOM)
def test_a_model_that_draws_is_named(name):
    with pytest.warns(UserWarning, match=f"{RANDOM[name]}: {SAID}"):
        BY_LABELS[name](Moody().fit(X, Y))


@pytest.mark.filterwarnings("ignore:normalized_score_parts")
def test_a_report_names_a_model_that_draws():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_report(
            {"m": Moody().fit(X, Y)}, X, Y, conditions=NOISE, image_shape=(2, 2)
        )
    assert any(SAID in row["text"] for row in found["warnings"])


def test_probabilities_that_draw():
    def shake(p):
        p = p + np.random.default_rng().random(p.shape)
        return p / p.sum(axis=1, keepdims=True)

    with pytest.warns(UserWarning, match="probabilities that differ by up to"):
        evaluate_perturbations(Answers(spoil_proba=shake).fit(X, Y), X, Y, NOISE)
    rng = np.random.default_rng(0)
    rounding = Answers(spoil_proba=lambda p: p * (1 + 1e-7 * rng.random()))
    evaluate_perturbations(rounding.fit(X, Y), X, Y, NOISE)


class Counted(Centroids):
    """Counts the rows that it is asked about."""

    n_rows = 0

    def predict(self, X):
        type(self).n_rows += len(X)
        return super().predict(X)


def test_the_probe_asks_about_few_rows_and_not_where_asking_costs():
    rows, labels = np.tile(X, (10, 1)), np.tile(Y, 10)
    model = Counted().fit(rows, labels)
    evaluate_perturbations(model, rows, labels, NOISE)
    assert Counted.n_rows - 3 * 600 == 2 * 32
    model.asking_costs, Counted.n_rows = True, 0
    evaluate_perturbations(model, rows, labels, NOISE)
    assert Counted.n_rows == 3 * 600
    model.asking_costs, Counted.n_rows = False, 0
    SimpleRandomSampler(random_state=0).fit(rows, y_pred=labels)
    assert Counted.n_rows == 0


def test_the_probe_leaves_the_global_generator():
    class Global(Moody):
        def predict(self, X):
            return self.classes_[np.random.randint(3, size=len(X))]  # noqa: NPY002

    model, states = Global().fit(X, Y), []
    for ask in (model.predict, SimpleRandomSampler(model).fit):
        np.random.seed(3)  # noqa: NPY002
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ask(X)  # the sampler asks about all rows once
        states.append(np.random.get_state()[1:3])  # noqa: NPY002
    assert str(states[0]) == str(states[1])


def test_smoothing_asks_the_same_way():
    smooth = SmoothedClassifier(
        Answers(lambda a: None).fit(X, Y), sigma=0.1, n_samples=20, random_state=0
    )
    with pytest.raises((ValueError, TypeError)):
        smooth.fit(X, Y).predict(X)


class DrawsFromTorch(Centroids):
    """Draws from the generator of torch, as a module with dropout does."""

    def predict(self, X):
        sys.modules["torch"].rand(len(X))
        return super().predict(X)


def test_the_probe_leaves_the_generator_of_torch():
    torch = pytest.importorskip("torch")
    before = torch.get_rng_state()
    warn_if_random(DrawsFromTorch().fit(X, Y), X, "caller")
    assert torch.equal(torch.get_rng_state(), before)
