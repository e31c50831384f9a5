"""Instances of classes for their contract checks."""

import pytest
from sklearn.base import BaseEstimator

from skrobust.testing import instances_for_checks


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
