"""Check of GPUs against the CPU, and what they bring, as one table of JSON.

On each CUDA device, keys and numbers of the noise must be those of the host, pictures
of each kind the same within rounding, and an evaluation must have its verdicts. The
same small net (digits, trained on the CPU) is attacked by PGD, AutoPGD and DDN, by PGD
in reduced precision, and certified by linear bounds. Verdicts must be those of the CPU
but for a few rows, claims must hold in float32, bounds must be equal within rounding,
and nothing that was sampled may lie outside of them. On the first device pictures a
second are measured: of each kind of ImageNet-C, with ratios to bare kernels, of copies,
decoding and a ResNet-50, and what ImageNet-C over 50,000 pictures would take.

Without a GPU the same code runs with the CPU in the place of the device and small
pictures, and says so. The exit code is 1 where a check fails. Parts that are not begun
in time are left out, and named.
"""

import argparse
import json
import sys
import time

import numpy as np
import torch
from device_checks import check_evaluation, check_kinds, check_noise
from device_figures import figures
from sklearn.datasets import load_digits
from skorch import NeuralNetClassifier
from torch import nn

from skrobust import _containers
from skrobust._differentiable.reduced_precision import tensor_float
from skrobust.attacks import DDN, PGD, AutoPGD
from skrobust.certificates.find_proof import find_proof
from skrobust.certificates.region import Region
from skrobust.nets import small_cnn_classifier

SHAPE, BOX = (1, 8, 8), {"data_range": (0, 1), "random_state": 0}
# The parts, and how many seconds must be left for one to begin.
PARTS = {"noise": 5, "kinds": 10, "evaluation": 5, "figures": 60, "attacks": 30,
         "proofs": 30}  # fmt: skip
PART = 0.02  # of the rows, whose verdicts may differ


def twin(net, device):
    """Return the same net on a device."""
    other = NeuralNetClassifier(
        type(net.module_),
        criterion=nn.CrossEntropyLoss,
        device=device,
        batch_size=512,
        **{k: v for k, v in net.get_params(deep=False).items() if "module__" in k},
    ).initialize()
    other.module_.load_state_dict(net.module_.state_dict())
    other.classes_inferred_ = np.arange(10)
    return other


class Table:
    """Rows of results, with what is allowed."""

    def __init__(self):
        self.rows = []

    def add(self, check, device, value, most, begun):
        """Add a number that must not be above another one."""
        value, ok = float(value), bool(value <= most)
        seconds = round(time.perf_counter() - begun, 2)
        self.rows.append(
            {"check": check, "device": device, "value": value, "most": most, "ok": ok,
             "seconds": seconds}
        )  # fmt: skip


def check_attacks(table, host, there, device, X, y):
    for attack in (
        PGD(0.08, n_steps=20, **BOX),
        AutoPGD(0.08, n_steps=20, **BOX),
        AutoPGD(0.5, norm=2, n_steps=20, **BOX),
        DDN(0.5, n_steps=40, **BOX),
    ):
        name = f"{type(attack).__name__}, norm {attack.norm:g}"
        fooled = host.predict(attack.perturb(host, X, y)) != y
        begun = time.perf_counter()
        moved = attack.perturb(there, X, y)
        again = host.predict(moved) != y
        length = np.linalg.norm((moved - X).reshape(len(X), -1), attack.norm, axis=1)
        differ = (fooled != again).mean()
        table.add(f"{name}: other verdicts", device, differ, PART, begun)
        over = (length - attack.eps).max()
        table.add(f"{name}: outside of the ball", device, over, 1e-5, begun)
    kinds = ["bfloat16"] + (["tf32"] if device != "cpu" else [])
    fine = host.predict(PGD(0.08, n_steps=20, **BOX).perturb(host, X, y)) != y
    for precision in kinds:
        begun = time.perf_counter()
        attack = PGD(0.08, n_steps=20, precision=precision, **BOX)
        result = attack.run(there, X, y)
        with tensor_float(torch, False if device != "cpu" else None):
            fooled = there.predict(result.X_adv) != y
        lost = fine.mean() - fooled.mean()
        table.add(f"PGD, {precision}: fewer fooled", device, lost, PART, begun)
        wrong = (result.success & ~fooled).sum()
        table.add(f"PGD, {precision}: claims that fail", device, wrong, 0, begun)


def check_proofs(table, host, there, device, X):
    own = host.predict(X)
    for norm, eps in ((np.inf, 0.02), (2, 0.1)):
        region = Region.of(X, eps, norm, (0, 1), np.float32)
        wide = region.take(slice(0, 10))
        name = f"linear bounds, norm {norm:g}"
        # In strict float32 first: bounds are wider where TF32 is allowed.
        with tensor_float(torch, False if device != "cpu" else None):
            begun = time.perf_counter()
            first = find_proof(host, region, 10, None, "check", SHAPE)
            won, low = first.wins(own), _differences(host, wide, own)
            table.add(f"{name}: not proved", "cpu", 1 - won.mean(), 1, begun)
            begun = time.perf_counter()
            proof = find_proof(there, region, 10, None, "check", SHAPE)
            certified = proof.wins(own)
            ends = _differences(there, wide, own)
            table.add(f"{name}: not proved", device, 1 - certified.mean(), 1, begun)
            outside = _samples_outside(there, X[:10], own, ends, norm, eps)
        if not proof.name.startswith("linear bounds"):
            raise RuntimeError(proof.name)
        far = max(np.abs(a - b).max() for a, b in zip(low, ends, strict=True))
        table.add(f"{name}: bounds differ by", device, far, 1e-4, begun)
        table.add(
            f"{name}: other verdicts", device, (won != certified).mean(), PART, begun
        )
        loose = find_proof(there, region, 10, None, "check", SHAPE).wins(own)
        table.add(f"{name}, as TF32 is set: proved beyond", device,
                  (loose & ~certified).sum(), 0, begun)  # fmt: skip
        table.add(f"{name}: samples outside", device, outside, 0, begun)
        moved = PGD(eps, norm=norm, n_steps=40, **BOX).perturb(there, X, own)
        broken = (loose & (there.predict(moved) != own)).sum()
        table.add(f"{name}: proofs broken by PGD", device, broken, 0, begun)


def _differences(net, region, own):
    proof = find_proof(net, region, 10, None, "check", SHAPE)
    return proof.differences(own[: len(region)])


def _samples_outside(net, X, own, ends, norm, eps):
    """Count differences of logits, of sampled corners, that no bound holds."""
    rng, outside = np.random.default_rng(0), 0
    for i, x in enumerate(X):
        step = rng.choice([-1.0, 1.0], size=(200, *x.shape))
        step /= 1 if norm == np.inf else np.sqrt(x.size)
        tried = np.clip(x + eps * step, 0, 1).astype(np.float32)
        with torch.no_grad():
            z = net.infer(torch.from_numpy(tried)).cpu().numpy().astype(float)
        gaps = z[:, own[i]][:, None] - z
        outside += ((gaps < ends[0][i] - 1e-3) | (gaps > ends[1][i] + 1e-3)).sum()
    return outside


def digits_net(epochs):
    """Return a small net on the CPU, and digits that it has not seen."""
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(np.float32).reshape(-1, *SHAPE)
    host = small_cnn_classifier((8, 8), 10, epochs=epochs, random_state=0)[-1]
    host.fit(X[:1200], y[:1200])
    return host, X[1200:], y[1200:]


def arguments(given, has_gpu):
    parser = argparse.ArgumentParser(description=__doc__)
    size = (512, 224, 40) if has_gpu else (8, 32, 4)
    parser.add_argument("--rows", type=int, default=100, help="digits")
    parser.add_argument("--epochs", type=int, default=10, help="of the small net")
    parser.add_argument("--pictures", type=int, default=size[0])
    parser.add_argument("--side", type=int, default=size[1], help="of the pictures")
    parser.add_argument("--training", type=int, default=size[2], help="steps")
    least = 0.5 if has_gpu else 0.05
    parser.add_argument("--least", type=float, default=least, help="seconds of a rate")
    parser.add_argument("--seconds", type=float, default=225, help="in all")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    return parser.parse_args(given)


def run(args, devices):
    """Return the table of checks and the rest, within the time."""
    begun, table, rest = time.perf_counter(), Table(), {"left out": []}

    def left():
        return args.seconds - (time.perf_counter() - begun)

    host, X, y = digits_net(args.epochs)
    X, y = X[: args.rows], y[: args.rows]
    nets = {device: twin(host, device) for device in devices}
    for part in args.parts:
        for device in devices if part not in ("evaluation", "figures") else devices[:1]:
            there = nets[device]
            if left() < PARTS[part]:
                rest["left out"].append(f"{part}, {device}")
            elif part == "noise":
                check_noise(table, device, args.side)
            elif part == "kinds":
                check_kinds(table, device, min(args.side, 96))
            elif part == "evaluation":
                check_evaluation(table, there, X, y, devices)
            elif part == "figures":
                sizes = args.pictures, args.side, args.training, args.least
                rest["figures"] = figures(device, *sizes, left)
            elif part == "attacks":
                check_attacks(table, host, there, device, X, y)
            else:
                check_proofs(table, host, there, device, X[:25])
    rest["seconds"] = round(time.perf_counter() - begun, 1)
    return table, rest


def main(given=None):
    """Run the parts that are asked for, and return whether all checks hold."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    devices = [f"cuda:{i}" for i in range(count)] or ["cpu"]
    args = arguments(given, bool(count))
    kept = set(_containers.HOST)
    if not count:  # so that CPU tensors go the ways of a device
        _containers.HOST.clear()
    try:
        table, rest = run(args, devices)
    finally:
        _containers.HOST.update(kept)
    names = [torch.cuda.get_device_name(i) for i in range(count)]
    said = names or "none: no GPU was tried, the CPU stands in its place"
    print(json.dumps({"torch": torch.__version__, "GPUs": said, "checks": table.rows,
                      **rest}, indent=1))  # fmt: skip
    return all(row["ok"] for row in table.rows)


if __name__ == "__main__":
    sys.exit(not main())
