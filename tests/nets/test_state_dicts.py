"""Weights that are damaged, or hold what no training gives, are refused."""

import io
import random

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from skrobust.nets import resnet34  # noqa: E402
from skrobust.nets.state_dicts import read_state_dict  # noqa: E402

pytestmark = pytest.mark.torch


def small_net():
    return torch.nn.Sequential(torch.nn.Linear(9, 9), torch.nn.BatchNorm1d(9))


def equal(one, other):
    return list(one) == list(other) and all(
        map(torch.equal, one.values(), other.values())
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
def test_numbers_that_are_not_finite_are_refused(value, dtype, tmp_path):
    state = small_net().state_dict()
    state["0.weight"] = state["0.weight"].to(dtype)
    state["0.weight"][3, 4] = value
    path = tmp_path / "w.pt"
    torch.save(state, path)
    for weights in (state, path, {"state_dict": state}):
        with pytest.raises(
            ValueError, match=r"'0\.weight' has 1 of 81 values"
        ) as error:
            read_state_dict(weights, "resnet34")
        assert "\n" not in str(error.value)


def test_what_overflows_in_single_precision_is_refused():
    state = {"a": torch.tensor([1e300], dtype=torch.float64)}
    with pytest.raises(ValueError, match="'a' has 1 of 1"):
        read_state_dict(state, "resnet34")


def test_negative_variances_are_refused():
    state = small_net().state_dict()
    state["1.running_var"][0] = -1e-9
    with pytest.raises(ValueError, match=r"'1\.running_var' has negative values"):
        read_state_dict(state, "resnet34")


def test_a_net_refuses_them():
    state = resnet34().state_dict()
    state["conv1.weight"][0, 0, 0, 0] = float("nan")
    with pytest.raises(ValueError, match="resnet34 must hold finite numbers"):
        resnet34(weights=state)


def test_counts_and_truth_values_pass():
    state = {"n": torch.tensor(3), "mask": torch.tensor([True]), "w": torch.ones(2)}
    assert equal(read_state_dict(state, "resnet34"), state)


def test_no_flipped_bit_changes_a_weight_in_silence(tmp_path):
    """Of 400 flips none gives other weights; torch.load alone lets most through."""
    state, path = small_net().state_dict(), tmp_path / "w.pt"
    torch.save(state, path)
    content, rng = path.read_bytes(), random.Random(0)
    n_refused = n_unseen = 0
    for _ in range(400):
        flipped = bytearray(content)
        flipped[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        try:
            found = read_state_dict(path, "resnet34")
        except ValueError:
            n_refused += 1
            try:
                plain = torch.load(io.BytesIO(flipped), weights_only=True)
                n_unseen += not equal(plain, state)
            except Exception:
                pass
        else:
            assert equal(found, state)
    assert n_refused > 100
    assert n_unseen > 0  # else the checksums would be checked for nothing


@pytest.mark.parametrize("kept", [0, 1, 50, 0.5, 0.99])
def test_files_that_are_cut_off_are_refused(kept, tmp_path):
    path = tmp_path / "w.pt"
    torch.save(small_net().state_dict(), path)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content)) if kept < 1 else kept])
    with pytest.raises(ValueError, match="could not read"):
        read_state_dict(path, "resnet34")


def test_files_that_run_code_are_refused(tmp_path):
    class Code:
        def __reduce__(self):
            return eval, ("1/0",)

    path = tmp_path / "w.pt"
    torch.save({"a": Code()}, path)
    with pytest.raises(ValueError, match="more than weights"):
        read_state_dict(path, "resnet34")
