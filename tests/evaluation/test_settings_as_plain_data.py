"""Settings as plain data: which arrays come back, and which objects have no seed."""

import json

import numpy as np
import pytest

from skrobust.attacks import PGD, RandomSearch
from skrobust.evaluation.records.plain_settings import PlainReader, PlainWriter
from skrobust.perturbations import Contrast, FeatureNoise, GaussianNoise, Rotation

ARRAYS = {
    "flags": np.array([True, False]),
    "whole numbers": np.arange(6, dtype=np.int16).reshape(2, 3),
    "unsigned numbers": np.array([0, 255], dtype=np.uint8),
    "floats": np.array([[0.5, np.nan, -np.inf]], dtype=np.float32),
    "complex numbers": np.array([1 + 2j]),
    "bytes": np.array([b"a", b"bc"]),
    "text": np.array(["a", "ü"]),
    "durations": np.array([1, 2], dtype="m8[s]"),
    "dates": np.array(["2024-02-29", "NaT"], dtype="M8[D]"),
    "nothing": np.zeros((0, 3)),
}
OBJECTS = {
    "names and numbers": np.array(["a", 1, None, 0.5], dtype=object),
    "a table": np.array([["a", 2], [True, "b"], [None, -0.25]], dtype=object),
    "large numbers": np.array([2**70, -(2**65)], dtype=object),
    "no objects": np.zeros((2, 0), dtype=object),
    "one object": np.array("alone", dtype=object),
    "one number": np.array(0.5),
    "one flag": np.array(True),
    "one text": np.array("text"),
}


def written(value):
    writer = PlainWriter()
    return writer, json.loads(json.dumps(writer.write(value, "it"), allow_nan=False))


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_kept_beside_the_settings(name):
    values = ARRAYS[name]
    writer, plain = written([3, values, values])
    assert plain == [3, {"array": 0}, {"array": 1}]
    for again in PlainReader(writer.arrays).read(plain)[1:]:
        assert again.dtype == values.dtype
        np.testing.assert_array_equal(again, values)
    assert not writer.missing


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_and_single_values_are_written_among_the_settings(name):
    values = OBJECTS[name]
    writer, plain = written(values)
    assert plain == {"objects": [list(values.shape), values.ravel().tolist()]}
    again = PlainReader(writer.arrays).read(plain)
    assert again.shape == values.shape
    assert again.tolist() == values.tolist()
    assert writer.arrays == writer.missing == []


def test_what_an_array_of_objects_cannot_hold_is_named():
    writer, plain = written(np.array([1, len, object()], dtype=object))
    kinds = [one["unknown"] for one in plain["objects"][1][1:]]
    assert writer.missing == [f"it[{i}]: {kind}" for i, kind in enumerate(kinds, 1)]


def test_records_of_numpy_are_not_written():
    records = np.zeros(3, dtype=[("a", int), ("b", float)])
    writer, plain = written({"x": records})
    assert plain["dict"][0][1] == {"unknown": "numpy.ndarray"}
    assert writer.missing == ["it[1]: numpy.ndarray"]
    assert writer.arrays == []


# What draws nothing needs no seed.
@pytest.mark.parametrize("kind", [Contrast, Rotation, GaussianNoise, FeatureNoise,
                                  PGD, RandomSearch])  # fmt: skip
@pytest.mark.parametrize("seed", [None, 0, 7])
def test_what_draws_without_a_seed_is_named(kind, seed):
    draws = kind not in (Contrast, Rotation)
    writer, _ = written([kind(random_state=seed)])
    assert writer.unseeded == ["it[0]"] * (draws and seed is None)
