"""Records of drawn evaluations and operational tests: round trips, single bytes."""

import numpy as np
import pytest
from drawn_models import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_cases import seeds

from skrobust.evaluation import (
    evaluate_perturbations,
    replay_record,
    verify_record,
    write_record,
)
from skrobust.perturbations import GaussianNoise, PerturbationSequence
from skrobust.sampling import SimpleRandomSampler

FEW = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
NAMES = st.text(st.characters(codec="utf-8"), max_size=6)
LABELS = st.lists(
    st.one_of(st.integers(-(2**53), 2**53), st.text("right<>&\"中文é", max_size=5)),
    min_size=2, max_size=4, unique_by=str,
).map(lambda labels: [str(one) for one in labels])  # fmt: skip


def is_refused(path, at, bit):
    """Say whether one flipped bit of a file is found."""
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= 1 << bit
    path.write_bytes(content)
    try:
        return not verify_record(path).ok
    except ValueError:
        return True


@FEW
@given(
    case=cases(False), names=st.lists(NAMES, min_size=1, max_size=3), seed=seeds,
    at=st.integers(0, 10**6), bit=st.integers(0, 7),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_evaluations_of_any_names_are_replayed(case, names, seed, at, bit, tmp_path):
    path, data = tmp_path / "record.skr", (case.model, case.X, case.y)
    noise = GaussianNoise(std=0.3, data_range=(-1, 2))
    given_ = [
        PerturbationSequence([noise], name=name, random_state=seed + i)
        for i, name in enumerate(names)
    ]
    evaluate_perturbations(*data, given_, record=path)
    parts = dict(zip(("model", "X", "y"), data, strict=True))
    assert verify_record(path, **parts).ok
    again = replay_record(path, *data)
    assert again.ok
    assert again.largest_difference == 0
    assert again.n_differing.sum() == 0
    other = verify_record(path, **{**parts, "X": case.X + 1e-9})
    assert other.part[other.state == "differs"].tolist() == ["rows scored"]
    assert is_refused(path, at, bit)


@FEW
@given(
    labels=LABELS, n=st.integers(5, 40), n_told=st.integers(0, 5), seed=seeds,
    at=st.integers(0, 10**6), bit=st.integers(0, 7),
)  # fmt: skip
def test_operational_tests_of_any_labels(labels, n, n_told, seed, at, bit, tmp_path):
    rng, path = np.random.default_rng(seed), tmp_path / "test.skr"
    y_pred, y = rng.choice(labels, size=(2, n))
    sampler = SimpleRandomSampler(random_state=seed)
    sampler.fit(rng.random(n), y_pred=y_pred)
    if n_told:
        ids = sampler.ask(n_told)
        sampler.tell(ids, y[ids])
    digest = write_record(path, sampler)
    found = verify_record(path)
    assert found.ok
    assert (found.sha256, found.kind) == (digest, "operational test")
    assert write_record(tmp_path / "again.skr", sampler) == digest
    assert replay_record(path).ok
    assert is_refused(path, at, bit)
