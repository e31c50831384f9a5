"""Every perturbation does to rows in batches what it does to all of them."""

from itertools import pairwise

import numpy as np
import pytest
from families import public_classes

import skrobust.perturbations as family
from skrobust.base import BasePerturbation
from skrobust.datasets import BatchedRows
from skrobust.testing import instances_for_checks

RNG = np.random.default_rng(0)
ROWS = {
    "images": RNG.integers(0, 256, (12, 16, 16, 3)) / 255,
    "table": RNG.normal(size=(12, 5)),
    "numbers": RNG.normal(size=(12, 5)),
    "series": RNG.normal(size=(12, 40)),
    "text": [
        f"the quick brown fox number {i} said that 12 dogs bark" for i in range(12)
    ],
}
CLASSES = public_classes(family, BasePerturbation)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_batches_are_perturbed_as_all_rows(kind):
    for one in instances_for_checks(kind):
        one.set_params(random_state=0)
        if one._takes == "images":
            one.set_params(image_shape=None, channel_axis=-1)
        X = ROWS[one._takes]
        # Equal rows, some in other batches, some in the same, some three times.
        again = [*range(12), *range(6), 0, 1, 2]
        X = [X[i] for i in again] if isinstance(X, list) else X[again]
        one = one.fit(X)
        wanted = one.perturb(None, X, None)
        for cuts in ((0, 4, 8, 12, 16, 20, 21), (0, 15, 21), range(22)):
            batches = [(X[i:j], None) for i, j in pairwise(cuts)]
            rows = BatchedRows(batches).perturbed(one)
            found = [row for part, _ in rows for row in part]
            for a, b in zip(found, wanted, strict=True):
                assert np.array_equal(a, b, equal_nan=not isinstance(a, str))
