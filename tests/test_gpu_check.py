"""The prepared check of GPUs runs on the CPU, small, and can fail."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")
pytest.importorskip("PIL")

from skrobust import _containers  # noqa: E402

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(
        torch.cuda.is_available(), reason="the whole check is for the GPU that is here"
    ),
]
SMALL = ["--rows", "6", "--epochs", "1", "--pictures", "4", "--training", "1"]
SMALL += ["--least", "0", "--side", "32"]


@pytest.fixture
def gpu_check(monkeypatch):
    folder = Path(__file__).parents[1] / "benchmarks"
    if not folder.exists():
        pytest.skip("the benchmarks are not here")
    monkeypatch.syspath_prepend(str(folder))
    known = set(sys.modules)
    import gpu_check

    yield gpu_check
    for name in set(sys.modules) - known:
        if name in ("gpu_check", "device_checks", "device_figures", "bench_gpu"):
            del sys.modules[name]


def test_noise_kinds_and_evaluation(gpu_check, capsys):
    assert gpu_check.main([*SMALL, "--parts", "noise", "kinds", "evaluation"])
    told = json.loads(capsys.readouterr().out)
    assert told["GPUs"].startswith("none: no GPU was tried")
    checks = [row["check"] for row in told["checks"]]
    for name in ("keys of bytes that differ", "MotionBlur, float32", "Fog, uint8"):
        assert name in checks
    assert all(row["ok"] for row in told["checks"])
    assert {"cpu"} == _containers.HOST


def test_other_noise_is_found(gpu_check, capsys, monkeypatch):
    import device_checks

    plain = device_checks.tensor_row_keys
    monkeypatch.setattr(
        device_checks, "tensor_row_keys", lambda X: plain(X) ^ np.uint64(1)
    )
    assert not gpu_check.main([*SMALL, "--parts", "noise"])
    told = json.loads(capsys.readouterr().out)
    wrong = [row["check"] for row in told["checks"] if not row["ok"]]
    assert wrong == ["keys of bytes that differ", "keys of floats that differ"]


def test_figures(gpu_check, capsys):
    assert gpu_check.main([*SMALL, "--parts", "figures"])
    told = json.loads(capsys.readouterr().out)["figures"]
    kinds = {row["kind"]: row for row in told["kinds"]}
    assert len(kinds) == 19
    assert kinds["gaussian_noise"]["on_device"]
    assert kinds["gaussian_noise"]["ratio_to_bare"] > 0
    assert not kinds["jpeg_compression"]["on_device"]
    plan = told["ImageNet-C, planned"]
    assert plan["conditions"] == 76
    assert plan["total"] == pytest.approx(sum(plan["seconds"].values()))
    expected = 50_000 * 76 / plan["total"]
    assert plan["pictures_a_second"] == pytest.approx(expected)
    assert told["evaluation"]["conditions"] == 1 + sum(
        row["on_device"] for row in told["kinds"]
    )


def test_what_does_not_fit_into_the_time_is_named(gpu_check, capsys):
    assert gpu_check.main([*SMALL, "--parts", "noise", "proofs", "--seconds", "0"])
    told = json.loads(capsys.readouterr().out)
    assert told["left out"] == ["noise, cpu", "proofs, cpu"]
    assert told["checks"] == []


@pytest.mark.slow
def test_attacks_and_proofs(gpu_check, capsys):
    small = ["--rows", "20", "--epochs", "10", "--parts", "attacks", "proofs"]
    assert gpu_check.main(small)
    assert len(json.loads(capsys.readouterr().out)["checks"]) > 15
