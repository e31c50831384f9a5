"""Instances of classes for their contract checks, and what the checks refuse."""

import pytest
from perturbation_table import LAWS
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import FGSM
from skrobust.metrics import get_scorer
from skrobust.perturbations import GaussianBlur
from skrobust.sampling import SimpleRandomSampler
from skrobust.testing import (
    check_attack,
    check_perturbation,
    check_sampler,
    check_scorer,
    instances_for_checks,
)


class Plain(BaseEstimator):
    def __init__(self, size=1):
        self.size = size


class Listed(Plain):
    @classmethod
    def _get_test_params(cls):
        return [{"size": 2}, {"size": 3}]


class Longer(Listed):
    @classmethod
    def _get_test_params(cls):
        return [*super()._get_test_params(), {}]


@pytest.mark.parametrize(
    ("cls", "sizes"), [(Plain, [1]), (Listed, [2, 3]), (Longer, [2, 3, 1])]
)
def test_instances_have_the_listed_parameters(cls, sizes):
    instances = instances_for_checks(cls)
    assert [instance.size for instance in instances] == sizes
    assert all(type(instance) is cls for instance in instances)
    assert instances_for_checks(cls)[0] is not instances[0]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_instances_of_perturbations_get_rows_that_fit(law):
    for instance in instances_for_checks(law.cls):
        check_perturbation(instance, draws=False)


@pytest.mark.parametrize("shape", [(8, 8), (3, 8, 6), (1, -1), (8, -1), (6, -1, 3)])
def test_images_of_any_shape_get_rows_that_fit(shape):
    check_perturbation(GaussianBlur(1, image_shape=shape), draws=False)


@pytest.mark.parametrize(
    ("check", "cls"),
    [
        (check_attack, FGSM),
        (check_perturbation, GaussianBlur),
        (check_sampler, SimpleRandomSampler),
        (check_scorer, type(get_scorer("robust_accuracy", perturbation=Plain()))),
    ],
)
def test_checks_refuse_what_is_no_instance(check, cls):
    kind = check.__name__.removeprefix("check_")
    sentence = f"The '{kind}' parameter of {check.__name__} must be an instance with "
    with pytest.raises(ValueError, match=f"{sentence}.*instances_for_checks"):
        check(cls)
    for thing in (None, 3, "FGSM", Plain()):
        with pytest.raises(ValueError, match=sentence):
            check(thing)


@pytest.mark.parametrize("thing", [LogisticRegression, 3, Plain()])
def test_checks_refuse_what_is_no_model(thing):
    rows, labels = [[0.0], [1.0]], [0, 1]
    scorer = get_scorer("accuracy")
    for check, subject in ((check_attack, FGSM(0.1)), (check_scorer, scorer)):
        sentence = f"The 'estimator' parameter of {check.__name__} must be an instance"
        with pytest.raises(ValueError, match=sentence):
            check(subject, thing, rows, labels)
