"""Hostile records: one sentence, bounded memory, nothing run, no other file."""

import io
import json
import pickle
import socket
import tracemalloc
import zipfile

import numpy as np
import pytest
from forged_records import change_facts, forge
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from skrobust._sealed import Damaged, bytes_digest
from skrobust.evaluation import (
    evaluate_perturbations,
    replay_record,
    verify_record,
    write_record,
)
from skrobust.evaluation.records.npy_bytes import from_npy
from skrobust.evaluation.records.plain_settings import PlainReader
from skrobust.evaluation.records.record_file import FACTS, read_members, write_members
from skrobust.perturbations import GaussianNoise
from skrobust.sampling import SimpleRandomSampler

X, Y = load_iris(return_X_y=True)
ROWS, LABELS = X[1::3], Y[1::3]


@pytest.fixture(scope="module")
def model():
    return LogisticRegression(max_iter=500).fit(X[::3], Y[::3])


@pytest.fixture
def record(model, tmp_path):
    path = tmp_path / "record.skr"
    noise = [GaussianNoise(std=0.3, data_range=(0, 8), random_state=0)]
    evaluate_perturbations(model, ROWS, LABELS, noise, record=path)
    return path


def refused(path):
    """Return the one sentence by which a file is refused, within little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"no record|damaged") as error:
            verify_record(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 * path.stat().st_size + 2_000_000
    text = str(error.value)
    assert "\n" not in text
    return text


def archive(path, members, **how):
    with zipfile.ZipFile(path, "w", **how) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def test_a_bomb_is_not_unpacked(tmp_path):
    bomb = {FACTS: b" " * 200_000_000}
    path = archive(tmp_path / "b.skr", bomb, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1_000_000
    assert "is no record of skrobust" in refused(path)


@pytest.mark.parametrize(
    "name", ["../record.json", "/etc/passwd", "arrays/../../x.npy", "a.pkl", "C:\\x"]
)
def test_names_that_lead_elsewhere(name, record, tmp_path):
    members, _ = read_members(record)
    path = archive(tmp_path / "p.skr", {name: b"1", FACTS: members[FACTS]})
    refused(path)
    path = archive(tmp_path / "p.skr", {FACTS: members[FACTS], name: b"1"})
    refused(path)
    assert not list(tmp_path.parent.glob("x.npy"))


def test_links_and_members_that_occur_twice(record, tmp_path):
    members, _ = read_members(record)
    path = tmp_path / "l.skr"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            about = zipfile.ZipInfo(name)
            about.external_attr = 0o120777 << 16  # a link
            file.writestr(about, content)
    found = verify_record(path)
    assert not found.ok
    assert found.state[found.part == "form of the file"] == ["damaged"]
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(FACTS, members[FACTS])
        with pytest.warns(UserWarning, match="Dupl"):
            file.writestr(FACTS, members[FACTS])
    refused(path)


@pytest.mark.parametrize(
    "content", [b"", b"PK", b"PK\3\4", b"\0" * 500, b"PK\5\6" + b"\0" * 18, b"{}"]
)
def test_what_is_no_archive(content, tmp_path):
    path = tmp_path / "n.skr"
    path.write_bytes(content)
    assert "'n.skr' is no record of skrobust" in refused(path)


@pytest.mark.parametrize(
    "text",
    [b"[" * 100_000, b"{", b"[]", b'{"format": "skrobust record"}', b"9" * 10_000,
     b'{"format": "skrobust record", "version": 99}', b"\xff\xfe"],
)  # fmt: skip
def test_facts_that_are_none(text, record):
    members, _ = read_members(record)
    write_members(record, {**members, FACTS: text})
    refused(record)


def npy(shape, dtype, body=b"12345678"):
    head = repr({"descr": dtype, "fortran_order": False, "shape": shape})
    head = head.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + body


@pytest.mark.parametrize(
    "content",
    [
        npy((10**15,), "<f8"), npy((2**62, 4), "<f8"), npy((-1,), "<f8"),
        npy((1,) * 40, "<f8"), npy((1,), "|O"), npy((1,), [("a", "|O")]),
        npy((0, 10**18), "<f8"), npy((8,), "|V1"), npy("x", "<f8"),
        npy((1,), "__import__('os')"), pickle.dumps(np.arange(3)), b"", b"\x93NUMPY",
    ],
)  # fmt: skip
def test_arrays_that_are_none(content, record):
    with pytest.raises(Damaged, match=r"^the array is damaged: "):
        from_npy(content, "the array")
    members, _ = read_members(record)
    name = next(name for name in members if name.endswith(".npy"))
    write_members(record, {**members, name: content})

    def reseal(facts):
        facts["arrays"][name]["sha256"] = bytes_digest(content)

    change_facts(record, reseal, sealed=True)
    refused(record)


def test_pickled_objects_are_not_opened(record):
    buffer = io.BytesIO()
    np.save(buffer, np.array([Bomb()], dtype=object), allow_pickle=True)
    with pytest.raises(Damaged):
        from_npy(buffer.getvalue(), "the array")


class Bomb:
    def __reduce__(self):
        return _explode, ()


def _explode():
    raise AssertionError("a pickle was opened")


CLASSES = [
    "os.system", "subprocess.Popen", "builtins.eval", "skrobust.wrappers.HttpEndpoint",
    "skrobust.wrappers.wrap", "skrobust.datasets.load_image_folder", "sklearn.svm.SVC",
    "skrobust.perturbations.get_preset", "skrobust.perturbations.__init__", "",
]  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_no_other_class_is_made(name, record, model):
    def edit(content):
        plain = content.facts["settings"]["perturbations"]["arguments"]
        plain["conditions"][0] = {"class": name, "params": {}, "fitted": {}}

    forge(record, edit)
    found = replay_record(record, model, ROWS, LABELS)
    assert found.state.tolist() == ["not replayable"]
    assert f"the class {name!r}" in found.reasons[0]


@pytest.mark.parametrize(
    "plain",
    [
        {"class": "skrobust.perturbations.Frost", "params": {"pictures": "/etc"},
         "fitted": {}},
        {"class": "skrobust.perturbations.GaussianNoise", "params": {},
         "fitted": {"__class__": 1}},
        {"class": "skrobust.perturbations.GaussianNoise", "params": {},
         "fitted": {"perturb": 1}},
        {"class": "skrobust.perturbations.GaussianNoise", "params": {"a": 1},
         "fitted": {}},
        {"class": ["x"], "params": {}, "fitted": {}}, {"class": "x"}, {},
        {"objects": [[10**12], []]}, {"objects": [[-1, -1], [1]]}, {"array": 7},
        {"objects": [[-1], [1, 2]]}, {"objects": [[2], [1]]},
        {"objects": [[1] * 40, [1]]},
        {"scalar": ["O", 1]}, {"scalar": ["V9999999999", 1]}, {"float": "1e9"},
        {"dict": [[[1], 2]]}, {"unknown": "x"}, {"other": 1}, {"_init__": 1},
        {"tuple": {"dict": 3}}, {"slice": [1]},
    ],
)  # fmt: skip
def test_settings_that_are_none(plain):
    with pytest.raises(Damaged):
        PlainReader([]).read(plain)


def test_deep_settings_are_refused(record, model):
    members, _ = read_members(record)
    text = members[FACTS].decode()
    head, mark, tail = text.partition('"confidence": 0.95')
    assert mark
    deep = '"confidence": ' + "[" * 900 + "]" * 900
    write_members(record, {**members, FACTS: (head + deep + tail).encode()})
    assert not verify_record(record).ok


def test_calls_that_are_no_evaluation(record, model):
    def edit(content):
        content.facts["steps"][0]["call"] = "suggest_repairs"

    forge(record, edit)
    found = replay_record(record, model, ROWS, LABELS)
    assert "names no evaluation" in found.reasons[0]


@pytest.mark.parametrize("name", ["record", "checkpoint", "estimator", "path"])
def test_a_record_cannot_make_a_replay_write_files(name, record, model, tmp_path):
    target = tmp_path / "written"

    def edit(content):
        plain = content.facts["settings"]["perturbations"]["arguments"]
        plain[name] = str(target)

    forge(record, edit)
    found = replay_record(record, model, ROWS, LABELS)
    assert f"other arguments: {name}" in found.reasons[0]
    assert not target.exists()


def test_a_verification_and_a_replay_need_no_network(record, model, monkeypatch):
    def no(*args, **kwargs):
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", no)
    monkeypatch.setattr(socket, "getaddrinfo", no)
    assert verify_record(record).ok
    assert replay_record(record, model, ROWS, LABELS).ok


@pytest.mark.parametrize("name", ["seed", "PCG64 ", "Generator", "load"])
def test_no_other_generator_is_made(name, tmp_path):
    path = tmp_path / "r.skr"
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(9))
    sampler.tell(sampler.ask(2), failed=[True, False])
    write_record(path, sampler)

    def edit(facts):
        facts["sampler"]["generator"]["bit_generator"] = name

    change_facts(path, edit, sealed=True)
    found = verify_record(path)
    assert "The record names no generator of numpy." in found.note.tolist()


@pytest.mark.parametrize("name", ["BaseSampler", "AccuracyGate", "os.system", None, []])
def test_no_other_sampler_is_made(name, tmp_path):
    path = tmp_path / "r.skr"
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(9))
    sampler.tell(sampler.ask(2), failed=[True, False])
    write_record(path, sampler)
    change_facts(path, lambda facts: facts["sampler"].update({"class": name}),
                 sealed=True)  # fmt: skip
    found = verify_record(path)
    assert found.state[found.part == "draws"].tolist() == ["damaged"]


def test_any_part_may_be_of_another_kind(record):
    """Every part replaced by other plain data and sealed anew: refused or named."""
    whole = record.read_bytes()
    names = json.loads(read_members(record)[0][FACTS])
    for name in set(names) - {"seal"}:
        for value in (None, 3, "x", [], [1], {}, {"a": 1}, [{"name": 1}]):
            record.write_bytes(whole)
            change_facts(record, lambda f, n=name, v=value: f.update({n: v}),
                         sealed=True)  # fmt: skip
            try:
                found = verify_record(record)
            except Damaged:
                continue
            assert not found.ok or name == "environment", (name, value)
