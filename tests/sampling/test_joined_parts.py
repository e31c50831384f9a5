"""Parts of a living pool: what is joined where nothing is left to chance."""

import numpy as np
import pytest

from skrobust.sampling import LivingPool, SimpleRandomSampler


def known_pool():
    pool = LivingPool(SimpleRandomSampler(), random_state=0)
    for part, size in enumerate((6, 9)):
        failed = np.arange(size) % 3 == 0
        ids = pool.extend(np.zeros(size)).ask(size, part=-1)
        pool.tell(ids, failed=failed[ids - 6 * part])
    return pool


def test_parts_that_are_known_have_no_error():
    result = known_pool().result()
    assert result.accuracy == pytest.approx(2 / 3)
    assert result.interval == pytest.approx((2 / 3, 2 / 3))
    assert (result.std_error, result.effective_n) == (0, 15)


@pytest.mark.parametrize("ids", [[0.0, 1.0], [[0], [1]], [True, False]])
def test_ids_are_positions_in_one_row(ids):
    pool = LivingPool(SimpleRandomSampler(), random_state=0).extend(np.zeros(5))
    pool.ask(5)
    with pytest.raises(ValueError, match="integer positions that ask returned"):
        pool.tell(ids, failed=[0, 1])
