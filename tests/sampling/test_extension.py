"""A sampler in one short file has everything that samplers promise."""

import copy
import importlib
import inspect
import pickle
import sys

import numpy as np
import pytest
from sklearn.base import clone

import skrobust.base
import skrobust.sampling
from skrobust.testing import check_sampler

SOURCE = '''"""Sampling in proportion to the square of the scores."""

import numpy as np

from skrobust._parameters import Number
from skrobust.sampling import BaseSampler


class SquareSampler(BaseSampler):
    """Draw inputs with probability proportional to squared scores plus a floor."""

    _parameter_rules = {"floor": Number(low=0, low_open=True)}

    def __init__(
        self, estimator=None, *, auxiliary="confidence", floor=0.01, random_state=None
    ):
        super().__init__(estimator, auxiliary=auxiliary, random_state=random_state)
        self.floor = floor

    @classmethod
    def _get_test_params(cls):
        return [{}, {"floor": 0.1}]

    def _probabilities(self, taken):
        weight = np.where(taken, 0.0, self.scores_**2 + self.floor)
        return weight / weight.sum()
'''
SCORES = np.linspace(0, 1, 60)
FAILED = np.arange(60) % 4 == 1


@pytest.fixture(scope="module")
def square(tmp_path_factory):
    """Return the class that the file holds."""
    folder = tmp_path_factory.mktemp("extension")
    (folder / "square_sampler.py").write_text(SOURCE)
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("square_sampler").SquareSampler
    finally:
        sys.path.remove(str(folder))
        del sys.modules["square_sampler"]


def test_the_file_is_short():
    assert len(SOURCE.splitlines()) <= 40


@pytest.mark.parametrize("parameters", [0, 1])
def test_public_checks(square, parameters):
    check_sampler(square(**square._get_test_params()[parameters]), n_repeats=60)


def test_rules_of_the_base_and_of_the_class_hold(square):
    with pytest.raises(ValueError, match="'floor' parameter of SquareSampler must be"):
        square(floor=0).fit(SCORES)
    with pytest.raises(ValueError, match="'auxiliary' parameter of SquareSampler"):
        square(auxiliary="dsa").fit(SCORES)
    assert clone(square(floor=2)).get_params()["floor"] == 2


@pytest.mark.parametrize(
    "estimator", ["default", "published", "difference", "ppi", "lure"]
)
def test_every_estimator_and_interval_is_there(square, estimator):
    sampler = square(random_state=0).fit(SCORES)
    sampler.tell(ids := sampler.ask(30), failed=FAILED[ids])
    for method in ("default", "t", "bootstrap"):
        result = sampler.result(estimator=estimator, method=method)
        low, high = result.interval
        assert low <= 0.75 <= high
        assert (result.interval.low, result.interval.value) == (low, result.accuracy)
    assert sampler.plan(0.1, expected_accuracy=0.75).n_labels > 2
    assert sampler.should_stop(0.99)


def test_metrics_and_late_answers(square):
    y_pred = np.where(np.arange(60) % 2, "a", "b")
    y_true = np.where(FAILED, "b", y_pred)
    sampler = square(random_state=1).fit(SCORES, y_pred=y_pred)
    ids = sampler.ask(40)
    sampler.tell(ids[20:], y_true[ids[20:]])
    assert np.isnan(sampler.result().accuracy)
    sampler.tell(ids[:19], y_true[ids[:19]]).tell(ids[19], None)
    assert sampler.result().n_skipped == 1
    sampler.correct(ids[19], y_true[ids[19]])
    straight = square(random_state=1).fit(SCORES, y_pred=y_pred)
    straight.sample(40, lambda i: y_true[i])
    assert straight.result().interval == sampler.result().interval
    for name in ("precision", "recall", "f1"):
        found = sampler.metric(name)
        assert set(found) == {"a", "b"}
        assert all(one.interval.low <= one.interval.high for one in found.values())


def test_a_sampler_continues_from_json_pickle_and_copy(square):
    sampler = square(random_state=2).fit(SCORES)
    sampler.tell(ids := sampler.ask(9), failed=FAILED[ids])
    twins = [
        square.from_json(sampler.to_json()),
        square.from_json(sampler.to_json(include_pool=False), SCORES),
        pickle.loads(pickle.dumps(sampler)),
        copy.copy(sampler),
    ]
    expected = sampler.ask(5).tolist()
    for twin in twins:
        assert twin.ask(5).tolist() == expected


def test_the_public_classes_give_parameters_for_the_checks():
    for name in skrobust.sampling.__all__:
        cls = getattr(skrobust.sampling, name)
        if not inspect.isclass(cls) or not hasattr(cls, "get_params"):
            continue
        instances = [(cls(**given), given) for given in cls._get_test_params()]
        assert instances, name
        for instance, given in instances:
            assert given.items() <= instance.get_params().items()


@pytest.mark.parametrize(
    "name",
    ["BaseSampler", "Estimate", "LabelPlan", "SamplingEstimate", "SamplingResult"],
)
def test_names_that_moved_from_base_warn(name):
    assert name in skrobust.sampling.__all__
    with pytest.warns(FutureWarning, match=f"use skrobust.sampling.{name} instead"):
        found = getattr(skrobust.base, name)
    assert found is getattr(skrobust.sampling, name)


def test_a_sampler_without_draws_is_told_what_to_write():
    class Nothing(skrobust.sampling.BaseSampler):
        """Of which only the name is written."""

    sampler = Nothing(random_state=0).fit(np.ones(5))
    with pytest.raises(NotImplementedError, match=r"_probabilities.* or _draw"):
        sampler.ask(2)
