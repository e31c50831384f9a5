"""States that the second format of the JSON wrote."""

import hashlib
import json

import numpy as np
import pytest
from resealed_state import resealed

from skrobust.sampling import OperationalSampler, SimpleRandomSampler

SCORES = np.arange(8) / 16
OPERATIONAL = (
    '{"format": 2, "class": "OperationalSampler", "version": "0.1.0", '
    '"parameters": {"auxiliary": "confidence", "exploration": 0.1, '
    '"failure_emphasis": 0.0, "n_batches": 2, "random_state": 3, '
    '"recalibrate": true}, "n_pool": 8, '
    '"pool_hash": "c1bcb11feead6e51b42511f6ef51f43c146437b6cd00750b2310ac3d15191c41", '
    '"generator": {"bit_generator": "PCG64", '
    '"state": {"state": 303927679614398212991194652963236601192, '
    '"inc": 97927141308615583337457722247147411107}, "has_uint32": 0, '
    '"uinteger": 0}, "events": [["ask", 3], ["tell", [1, 4, 6], "failed", [false, '
    'false, false]], ["ask", 3], ["tell", [7, 3], "failed", [null, false]], '
    '["correct", [6], "failed", [true]]], "ids": [6, 4, 1, 7, 3, 2], '
    '"pi": [0.505037142327275, 0.4517189525624094, 0.2525185711636375, '
    '0.9384836498000628, 0.6486660045938707, 0.5297141106427786], "ends": [3, 6], '
    '"which": [0, 1], "snapshots": [[0.0, 1.0, 1.0], [-0.4609940199059356, '
    '1.0522933185556753, 0.9844527096161373]], "spans": [[0.0003000000000000001, '
    '0.4375], [0.0003, 0.31767362765258716]], "m": [0.375, 0.25000000000000006, '
    '0.0625, 0.31767362765258716, 0.11731589808524374, 0.07462516364904186], '
    '"m_free": [1.7503, 0.7213822622095094], "designs": [[0, '
    '{"expected": 0.02385611480370521}], [1, '
    '{"expected": 0.0026895489538171628}]], "least": [0.012500000000000002, '
    '0.012500000000000002, 0.012500000000000002, 0.020000000000000004, '
    '0.020000000000000004, 0.020000000000000004]}'
)  # fmt: skip
UNIFORM = (
    '{"format": 2, "class": "SimpleRandomSampler", "version": "0.1.0", '
    '"parameters": {"auxiliary": "confidence", "interval": "hypergeometric", '
    '"random_state": 1}, "n_pool": 8, '
    '"pool_hash": "c1bcb11feead6e51b42511f6ef51f43c146437b6cd00750b2310ac3d15191c41", '
    '"generator": {"bit_generator": "PCG64", '
    '"state": {"state": 124725033366954294569934009102245416735, '
    '"inc": 185614053515612605793268199031216774171}, "has_uint32": 0, '
    '"uinteger": 0}, "events": [["ask", 3], ["tell", [2, 7, 6], "failed", [true, '
    'true, false]], ["ask", 3], ["tell", [1, 0], "failed", [null, false]], '
    '["correct", [6], "failed", [true]]], "ids": [6, 7, 2, 1, 0, 5], "pi": [0.125, '
    '0.14285714285714285, 0.16666666666666666, 0.2, 0.25, 0.3333333333333333], '
    '"ends": [1, 2, 3, 4, 5, 6], "which": [-1, -1, -1, -1, -1, -1], '
    '"snapshots": [], "spans": [], "m": null, "m_free": null, "designs": [], '
    '"least": []}'
)  # fmt: skip


def same(text, other):
    one, two = json.loads(text), json.loads(other)
    seal = one.pop("seal")["parts"]
    assert (
        seal["designs"]
        == hashlib.sha256(json.dumps(two["designs"]).encode()).hexdigest()
    )
    assert list(seal) == list(one)
    return list(one) == list(two) and {**one, "version": ""} == {**two, "version": ""}


def test_a_stored_sampler_continues_and_writes_the_same_text():
    sampler = SimpleRandomSampler.from_json(resealed(json.loads(UNIFORM)), SCORES)
    assert same(sampler.to_json(include_pool=False), UNIFORM)
    result = sampler.result()
    assert result.accuracy == pytest.approx(0.30000000000000004, rel=1e-12)
    assert result.interval == pytest.approx((0.125, 0.625), rel=1e-12)
    assert result.std_error == pytest.approx(0.15000000000000002, rel=1e-12)
    assert sampler.ask(2).tolist() == [3, 4]


def test_stored_draws_of_a_predictor_give_their_result():
    sampler = OperationalSampler.from_json(
        resealed(json.loads(OPERATIONAL)), SCORES, frozen=True
    )
    assert same(sampler.to_json(include_pool=False), OPERATIONAL)
    result = sampler.result()
    assert result.accuracy == pytest.approx(0.7266394091485842, rel=1e-12)
    assert result.interval == pytest.approx((0.375, 0.875), rel=1e-12)
    assert result.std_error == pytest.approx(0.20741200118192854, rel=1e-12)
