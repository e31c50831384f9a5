"""Pools on disk: mapped arrays, and parquet files of which a few columns are read."""

import pickle

import numpy as np
import pytest

from skrobust._containers import is_mapped
from skrobust.sampling import (
    OperationalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    read_pool,
)

N = 500
SCORES = np.random.default_rng(0).beta(0.5, 3, N)


@pytest.fixture
def mapped(tmp_path):
    np.save(tmp_path / "scores.npy", SCORES)
    return np.load(tmp_path / "scores.npy", mmap_mode="r")


@pytest.mark.parametrize(
    "kind", [OperationalSampler, StratifiedSampler, SimpleRandomSampler]
)
def test_mapped_scores_stay_on_disk(kind, mapped):
    sampler = kind(random_state=0).fit(mapped)
    plain = kind(random_state=0).fit(SCORES)
    assert np.shares_memory(sampler.scores_, mapped)
    assert is_mapped(sampler.scores_)
    assert not np.shares_memory(plain.scores_, SCORES)
    np.testing.assert_array_equal(sampler.ask(50), plain.ask(50))
    again = kind.from_json(sampler.to_json())
    np.testing.assert_array_equal(again.scores_, SCORES)
    other = pickle.loads(pickle.dumps(sampler))
    np.testing.assert_array_equal(other.ask(20), plain.ask(20))


def test_what_can_be_written_to_is_copied(tmp_path, mapped):
    file = tmp_path / "open.npy"
    np.save(file, SCORES)
    for scores in (np.load(file, mmap_mode="r+"), np.load(file, mmap_mode="c")):
        sampler = OperationalSampler().fit(scores)
        assert not np.shares_memory(sampler.scores_, scores)
    np.save(file, SCORES.astype(np.float32))
    single = np.load(file, mmap_mode="r")
    assert OperationalSampler().fit(single).scores_.dtype == np.float64
    frozen = SCORES.copy()
    frozen.flags.writeable = False
    assert not is_mapped(frozen)  # its owner may make it writeable again
    assert is_mapped(mapped[10:20])


@pytest.fixture
def folder(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    labels = np.array(["cat", "dog", "a horse"])[np.arange(N) % 3]
    (tmp_path / "more").mkdir()
    (tmp_path / "_old").mkdir()
    parts = {"b": (100, 220), "a": (0, 100), "more/c": (220, 500), "_old/d": (0, 9)}
    for name, (start, end) in parts.items():
        part = slice(start, end)
        words = pa.array(labels[part])
        if name == "b":
            words = words.dictionary_encode()
        columns = {
            "doubt": SCORES[part],
            "sure": (1 - SCORES[part]).astype(np.float32),
            "label": words,
            "code": np.arange(N)[part] % 4,
            "minutes": 1.0 + np.arange(N)[part] % 5,
            "holes": pa.array([None, *SCORES[part][1:]]),
        }
        file = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table(columns), file, row_group_size=37)
    return tmp_path, labels


def test_pieces_are_joined_in_the_order_of_their_names(folder):
    path, labels = folder
    pool = read_pool(path, scores="doubt", y_pred="label", costs="minutes")
    np.testing.assert_array_equal(pool["X"], SCORES)
    np.testing.assert_array_equal(pool["y_pred"], labels)
    np.testing.assert_array_equal(pool["costs"], 1.0 + np.arange(N) % 5)
    sampler = OperationalSampler(random_state=0).fit(**pool)
    ids = sampler.ask(budget=40.0)
    sampler.tell(ids, labels[ids])
    pool = read_pool(path, confidence="sure", y_pred="code")
    np.testing.assert_allclose(pool["X"], SCORES, atol=1e-6)
    np.testing.assert_array_equal(pool["y_pred"], np.arange(N) % 4)
    assert set(pool) == {"X", "y_pred"}
    more = read_pool(path, scores="doubt", features=["minutes", "doubt"])
    expected = np.column_stack([1.0 + np.arange(N) % 5, SCORES])
    np.testing.assert_array_equal(more["features"], expected)
    assert OperationalSampler().fit(**more).features_.shape == (N, 2)
    one = read_pool(path, scores="doubt", features="minutes")
    np.testing.assert_array_equal(one["features"], expected[:, :1])
    one = read_pool(path / "b.parquet", scores="doubt")
    np.testing.assert_array_equal(one["X"], SCORES[100:220])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "scores= or confidence=, not neither"),
        ({"scores": "doubt", "confidence": "sure"}, "not both"),
        (
            {"scores": "nothing"},
            r"'a.parquet' has no column 'nothing'; its columns are",
        ),
        ({"scores": "holes"}, "'holes' of 'a.parquet' has missing values"),
        ({"scores": "label"}, "'label' of 'a.parquet' is no number"),
        ({"confidence": "minutes"}, "'confidence' parameter of read_pool"),
        ({"scores": "doubt", "features": []}, "'features' parameter of read_pool"),
        ({"scores": "doubt", "features": "label"}, "'label' of .* is no number"),
        ({"scores": "doubt", "y_pred": "mixed"}, "no column 'mixed'"),
    ],
)
def test_messages(folder, given, message):
    with pytest.raises(ValueError, match=message):
        read_pool(folder[0], **given)


@pytest.mark.parametrize("role", ["scores", "confidence", "y_pred", "costs"])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_nan_is_refused_as_null_is(tmp_path, role, kind):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    holes = np.array([0.5, 1.0, np.nan], dtype=kind)
    pq.write_table(pa.table({"x": np.ones(3), "holes": holes}), tmp_path / "a.parquet")
    others = {"scores": "x"} if role in ("y_pred", "costs") else {}
    message = r"'holes' of 'a.parquet' has missing values \(null or NaN\); fill them"
    with pytest.raises(ValueError, match=message):
        read_pool(tmp_path, **others, **{role: "holes"})


def test_integers_that_float64_rounds_are_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    most = 2**53
    columns = {
        "most": np.array([0, most]),
        "more": np.array([0, most + 1]),
        "less": np.array([0, -most - 1]),
        "least": np.array([0, -(2**63)]),
        "unsigned": np.array([0, 2**64 - 1], dtype=np.uint64),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    for name in ("more", "less", "least", "unsigned"):
        for role in ({"scores": name}, {"scores": "most", "costs": name}):
            with pytest.raises(ValueError, match=f"{name!r} of .* beyond 2"):
                read_pool(tmp_path, **role)
    found = read_pool(tmp_path, scores="most", y_pred="more")
    assert found["X"].tolist() == [0, most]
    assert found["y_pred"].tolist() == [0, most + 1]  # labels stay integers


def test_other_messages(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, _ = folder
    with pytest.raises(ValueError, match="'path' parameter of read_pool"):
        read_pool(path / "nothing", scores="doubt")
    (path / "empty").mkdir()
    pq.write_table(pa.table({"x": np.zeros(0)}), path / "empty" / "a.parquet")
    with pytest.raises(ValueError, match="has no rows"):
        read_pool(path / "empty", scores="x")
    (path / "two").mkdir()
    for name, values in (("a", [1, 2]), ("b", ["x", "y"])):
        table = pa.table({"x": [0.1, 0.2], "label": values})
        pq.write_table(table, path / "two" / f"{name}.parquet")
    with pytest.raises(ValueError, match="is of another type than in the files"):
        read_pool(path / "two", scores="x", y_pred="label")


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"skrobust\[parquet\]"):
        read_pool(tmp_path, scores="x")


def test_a_damaged_file_is_named(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "bad.parquet"
    path.write_bytes(b"hello")
    with pytest.raises(ValueError, match=r"read_pool: .*bad.parquet' is damaged"):
        read_pool(path, scores="a")
