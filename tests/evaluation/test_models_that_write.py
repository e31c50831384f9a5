"""Models and perturbations that write into their input change nothing of the user."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from misbehaving_models import Centroids, Locked, TorchWriter, Writer, WritingNoise
from scipy.sparse import csr_array, issparse
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from skrobust._guarded_rows import ask_guarded, copied, read_only
from skrobust.attacks import HopSkipJump, RandomSearch
from skrobust.base import BaseAttack
from skrobust.base.one_label import OneLabel
from skrobust.certificates import SmoothedClassifier
from skrobust.evaluation import (
    check_evaluation,
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_bounds,
    robust_accuracy_curve,
)
from skrobust.metrics import get_scorer, make_asi_scorer, make_robust_scorer
from skrobust.perturbations import FunctionPerturbation, GaussianNoise
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.report import collect_report
from skrobust.sampling import OperationalSampler, SimpleRandomSampler
from skrobust.testing import assert_robust

X, Y = make_blobs(90, centers=3, n_features=4, cluster_std=3.0, random_state=0)
X = (X - X.min()) / (X.max() - X.min())
IMAGE = {"image_shape": (2, 2), "data_range": (0, 1)}
NOISE = [GaussianNoise(severity=s, **IMAGE, random_state=0) for s in (0, 3)]
SEARCH = RandomSearch(0.1, data_range=(0, 1), max_queries=10, random_state=0)
RIGHT = Centroids().fit(X, Y)


def bounds(model, X, y):
    ball = {"eps": 0.05, "data_range": (0, 1), "random_state": 0}
    return robust_accuracy_bounds(model, X, y, [SEARCH], **ball).upper


def sample(model, X, y):
    sampler = OperationalSampler(model, random_state=0).fit(X)
    return sampler.sample(40, lambda ids: y[ids]).accuracy


def later(model, X, y):
    sampler = SimpleRandomSampler(RIGHT, random_state=0).fit(X)
    sampler.add_model("later", model, X)
    sampler.sample(40, lambda ids: y[ids])
    return sampler.result(model="later").accuracy


def crossed(model, X, y):
    return cross_validate_perturbations(model, X, y, NOISE, cv=3).score


def smoothed(model, X, y):
    smooth = SmoothedClassifier(model, sigma=0.1, n_samples=50, random_state=0)
    return smooth.fit(X, y).predict(X)


def reported(model, X, y):
    found = collect_report(
        {"m": model}, X, y, conditions=NOISE, attacks={"search": SEARCH}, checks=False
    )["models"][0]
    assert found["attacks"]["search"] is not None
    return found["clean"]["value"], found["stability"]["score"].tolist()


ENTRY_POINTS = {
    "perturbations": lambda m, X, y: evaluate_perturbations(m, X, y, NOISE).score,
    "scoring": lambda m, X, y: (
        evaluate_perturbations(m, X, y, NOISE, scoring="neg_log_loss").score
    ),
    "batches": lambda m, X, y: (
        evaluate_perturbations(m, X, y, NOISE, batch_size=40).score
    ),
    "scored batches": lambda m, X, y: (
        evaluate_perturbations(
            m, X, y, NOISE, batch_size=40, scoring="neg_log_loss"
        ).score
    ),
    "cross-validation": crossed,
    "attack": lambda m, X, y: evaluate_attack(m, X, y, SEARCH).robust_accuracy,
    "attack in batches": lambda m, X, y: (
        evaluate_attack(m, X, y, SEARCH, batch_size=40).robust_accuracy
    ),
    "curve": lambda m, X, y: (
        robust_accuracy_curve(m, X, y, SEARCH, [0.05, 0.1]).robust_accuracy
    ),
    "bounds": bounds,
    "check": lambda m, X, y: [
        str(d) for d in check_evaluation(m, X, y, SEARCH, random_state=0)
    ],
    "run": lambda m, X, y: SEARCH.run(m, X, y).success,
    "perturb": lambda m, X, y: HopSkipJump(
        0.2, data_range=(0, 1), max_queries=60, random_state=0
    ).perturb(m, X[:8], y[:8]),
    "one label": lambda m, X, y: OneLabel(m, 0).predict_proba(X),
    "robust scorer": lambda m, X, y: make_robust_scorer(SEARCH)(m, X, y),
    "stability scorer": lambda m, X, y: make_asi_scorer(NOISE)(m, X, y),
    "scorer": lambda m, X, y: get_scorer("normalized_accuracy")(m, X, y),
    "sampler": sample,
    "later model": later,
    "smoothed": smoothed,
    "report": reported,
    "assertion": lambda m, X, y: assert_robust(
        m, X, y, perturbation=NOISE[1], min_accuracy=0.1
    ),
}


@pytest.mark.filterwarnings("ignore:normalized_score_parts")
@pytest.mark.filterwarnings("ignore:.*took the .* rows")
@pytest.mark.parametrize("kind", [Writer, TorchWriter, Locked])
@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_the_array_and_the_score_are_right(name, kind):
    run, own = ENTRY_POINTS[name], X.copy()
    found = run(kind().fit(X, Y), own, Y)
    assert np.array_equal(own, X)
    expected = run(Centroids().fit(X, Y), X.copy(), Y)
    if isinstance(expected, list):
        assert found == expected
    else:
        assert str(found) == str(expected)


CONTAINERS = {
    "array": lambda X: X.copy(),
    "float32": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "read-only": read_only,
    "pandas": pd.DataFrame,
    "polars": lambda X: pl.DataFrame(X, schema=list("abcd")),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_keep_their_rows(container):
    own = CONTAINERS[container](X)
    before = np.asarray(own).copy()

    def write(rows):
        if isinstance(rows, np.ndarray):
            rows *= 10
        elif isinstance(rows, pd.DataFrame):
            rows.iloc[0, 0] = 77.0
            rows["new"] = 1.0
        else:
            rows[0, "a"] = 77.0
        return np.asarray(rows)[0, 0]

    found = ask_guarded(write, own)
    assert found in (before[0, 0] * 10, 77.0)
    assert np.array_equal(np.asarray(own), before)
    assert np.asarray(own).shape == before.shape


def test_sparse_rows_tensors_lists_and_dicts_are_copies():
    torch = pytest.importorskip("torch")
    matrix = csr_array(X)
    made = read_only(matrix)
    made.data[:] = 0
    assert issparse(made)
    assert matrix.data.any()
    tensor = torch.ones(3)
    read_only(tensor).mul_(0)
    assert bool(tensor.all())
    texts = ["a", "b"]
    read_only(texts).append("c")
    assert texts == ["a", "b"]
    rows = [np.ones(2), np.ones(3)]
    copied(rows)[0][:] = 0
    assert rows[0].all()
    inputs = {"a": np.ones(2)}
    with pytest.raises(ValueError, match="read-only"):
        read_only(inputs)["a"][0] = 3


def _cell_kinds():
    cells = np.empty(3, dtype=object)
    cells[:] = [None, np.ones(2), [1.0]]
    return {
        "objects": cells,
        "list of dicts": [{"a": 1.0}, {"a": 2.0}],
        "objects of dicts": np.array([{"a": 1.0}, {"b": 1.0}], dtype=object),
        "frame": pd.DataFrame({"series": cells, "n": [1, 2, 3]}),
        "frame of dicts": pd.DataFrame({"d": [None, {"a": 1.0}]}),
        "series": pd.Series([np.nan, np.ones(2)]),
    }


def _write_into_cells(X):
    for column in [X[name] for name in X.columns] if hasattr(X, "columns") else [X]:
        for cell in column:
            if isinstance(cell, dict):
                cell.update(a=-1.0)
            elif isinstance(cell, (list, np.ndarray)):
                cell[0] = -1.0
    return [type(cell) for cell in column]


@pytest.mark.parametrize("kind", _cell_kinds())
def test_no_cell_is_written_to_whatever_the_first_one_holds(kind):
    X, before = _cell_kinds()[kind], repr(_cell_kinds()[kind])
    kinds = ask_guarded(_write_into_cells, X, object())
    assert repr(X) == before
    assert kinds == _write_into_cells(X)  # None stays None
    assert repr(X) != before


def test_arrays_in_cells_are_guarded():
    cells = np.empty(2, dtype=object)
    cells[:] = [np.ones(2), np.ones(3)]
    with pytest.raises(ValueError, match="read-only"):
        read_only(cells)[0][0] = 5
    frame = pd.DataFrame({"series": [np.ones(2), np.ones(3)], "x": [1, 2]})
    with pytest.raises(ValueError, match="read-only"):
        read_only(frame)["series"].iloc[0][0] = 5
    copied(frame)["series"].iloc[0][0] = 5
    assert frame["series"].iloc[0].all()


def test_a_model_that_refuses_views_is_asked_with_copies_from_then_on():
    calls = []

    class Counted(Locked):
        def _prepare(self, X):
            calls.append(X.flags.writeable)
            return super()._prepare(X)

    model = Counted().fit(X, Y)
    big = np.repeat(X, 5000, axis=0)  # small arrays are copies
    for _ in range(3):
        ask_guarded(model.predict, big, model)
    assert calls == [True, True, True]  # a view is for models of known libraries
    calls.clear()

    def view(rows):
        calls.append(rows.flags.writeable)
        if not rows.flags.writeable:
            raise ValueError("buffer source array is read-only")

    view.__module__ = "sklearn.view"
    for _ in range(3):
        ask_guarded(view, big, view)
    assert calls == [False, True, True, True]


def test_a_pipeline_that_scales_in_place():
    steps = StandardScaler(copy=False), Centroids()
    own = X.copy()
    model = make_pipeline(*steps).fit(X.copy(), Y)
    found = evaluate_perturbations(model, own, Y, NOISE).score
    assert np.array_equal(own, X)
    steps = StandardScaler(), Centroids()
    expected = evaluate_perturbations(make_pipeline(*steps).fit(X, Y), X, Y, NOISE)
    assert np.allclose(found, expected.score)


def test_steps_in_place_before_layers_and_trees():
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.neural_network import MLPClassifier

    from skrobust.attacks import ExactTree
    from skrobust.sampling import extract_activations

    for last in (MLPClassifier((5,), max_iter=20), GradientBoostingClassifier()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it does not converge
            model = make_pipeline(StandardScaler(copy=False), last).fit(X.copy(), Y)
        own = X.copy()
        if isinstance(last, MLPClassifier):
            extract_activations(model, own)
        else:
            ExactTree(0.05, data_range=(0, 1)).perturb(model, own[:5], Y[:5])
        assert np.array_equal(own, X)


def test_a_function_that_writes_in_a_pipeline():
    def halve(X):
        X /= 2
        return X

    model = make_pipeline(FunctionTransformer(halve), Centroids()).fit(X.copy(), Y)
    own = X.copy()
    evaluate_attack(model, own, Y, SEARCH)
    assert np.array_equal(own, X)


class DarkenInPlace(ImagePerturbation):
    def __init__(self, severity=None, **shared):
        super().__init__(severity, **shared)

    def _perturb_images(self, images, rng):
        images *= 0.5
        return images


def shift_in_place(X):
    X += 0.5
    return X


@pytest.mark.parametrize(
    "condition",
    [
        WritingNoise(),
        FunctionPerturbation(shift_in_place),
        DarkenInPlace(image_shape=(2, 2), data_range=(0, 1)),
    ],
    ids=lambda c: type(c).__name__,
)
@pytest.mark.parametrize("batch_size", [None, 40])
def test_a_perturbation_in_place_is_seen_to_change_rows(condition, batch_size):
    own, y = X.copy(), Y.copy()
    r = evaluate_perturbations(RIGHT, own, y, [condition], batch_size=batch_size)
    assert r.changed.tolist() == [1.0]
    assert np.array_equal(own, X)
    make_robust_scorer(condition, "robust_accuracy")(RIGHT, own, y)
    assert np.array_equal(own, X)


class StepInPlace(BaseAttack):
    def _attack(self, estimator, X, y, key):
        X += self.eps
        return X


def test_an_attack_in_place_is_seen_to_change_rows():
    own = X.copy()
    result = StepInPlace(0.1).run(RIGHT, own, Y)
    assert np.array_equal(own, X)
    assert result.changed.all()
    assert np.allclose(result.X_adv, X + 0.1)
    r = evaluate_attack(RIGHT, own, Y, StepInPlace(0.1))
    assert r.changed == 1
    assert np.array_equal(own, X)


def test_a_net_whose_module_writes_into_its_input():
    torch = pytest.importorskip("torch")
    pytest.importorskip("skorch")
    from skrobust.attacks import PGD
    from skrobust.nets import make_net_classifier

    class InPlace(torch.nn.Module):
        def forward(self, x):
            return x.sub_(0.5)

    class Apart(torch.nn.Module):
        def forward(self, x):
            return x - 0.5

    rows = X.astype(np.float32)
    attack = PGD(0.1, n_steps=3, data_range=(0, 1), random_state=0)
    found = []
    for first in (InPlace(), Apart()):
        torch.manual_seed(0)
        module = torch.nn.Sequential(first, torch.nn.Linear(4, 3))
        net = make_net_classifier(module, fitted=True, classes=[0, 1, 2])
        own = rows.copy()
        found.append((attack.run(net, own, Y).X_adv, net.predict_proba(own)))
        assert np.array_equal(own, rows)
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)
