"""PGD-40 on a ResNet-34 on a GPU: precisions, a minimal loop and torchattacks.

The weights are random but seeded. So that logits are sane and depend on the picture,
batch normalisation is calibrated on the pictures and the last layer is trained a little
to tell patterns apart. That is about speed, not about a good classifier.

Every side runs through what a user calls. Two objectives are timed: "loss", with which
every row gets every step, as with the peers; and the default, with which fooled rows
leave. The radius is the one at which the bare loop fools about half of the pictures in
ten steps, unless ``--eps`` gives another. What a run claims is verified in strict
float32 by the untouched net. Last, the time of one call is split into passes through
the net, copies between host and device, checks on the host, and the rest.
"""

import argparse
import time
import warnings

import numpy as np
import torch
from skorch import NeuralNetClassifier
from torch import nn

from skrobust._differentiable.net import NetView
from skrobust._differentiable.reduced_precision import FastNet
from skrobust._keyed_noise.generator import KeyedGenerator
from skrobust.attacks import PGD
from skrobust.base import BaseAttack

N_CLASSES = 10


def small_resnet():
    """Stand in for torchvision's net where that is missing."""
    layers, width = [], 3
    for wider in (32, 64, 128):
        layers += [nn.Conv2d(width, wider, 3, 2, 1, bias=False)]
        layers += [nn.BatchNorm2d(wider), nn.ReLU()]
        width = wider
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, N_CLASSES)]
    return nn.Sequential(*layers)


def make_module(seed=0):
    torch.manual_seed(seed)
    try:
        from torchvision.models import resnet34
    except ImportError:
        print("torchvision is not installed: a small net takes ResNet-34's place")
        return small_resnet()
    return resnet34(weights=None, num_classes=N_CLASSES)


def pictures(n, size, seed=0):
    """Return noisy plane waves, whose direction is their class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % N_CLASSES
    angle = (np.pi * y / N_CLASSES)[:, None, None]
    across, down = np.meshgrid(np.arange(size), np.arange(size))
    phase = rng.uniform(0, 2 * np.pi, size=(n, 1, 1))
    wave = np.sin((across * np.cos(angle) + down * np.sin(angle)) / 3 + phase)
    noise = rng.normal(0, 0.1, size=(n, 3, size, size))
    X = np.clip(0.5 + 0.25 * wave[:, None] + noise, 0, 1)
    return X.astype(np.float32), y.astype(np.int64)


def prepare(module, X, y, device, steps):
    """Calibrate batch normalisation and train the whole net for a few steps."""
    module.to(device).train()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.02, momentum=0.9)
    for step in range(steps):
        rows = np.arange(64) + 64 * step
        x = torch.from_numpy(X[rows % len(X)]).to(device)
        t = torch.from_numpy(y[rows % len(X)]).to(device)
        optimizer.zero_grad()
        nn.functional.cross_entropy(module(x), t).backward()
        optimizer.step()
    optimizer.zero_grad()
    return module.eval()


def bare_loop(module, X, y, eps, steps, device, batch):
    """PGD that does nothing superfluous."""
    for p in module.parameters():
        p.requires_grad_(False)
    out = []
    for i in range(0, len(X), batch):
        x = torch.from_numpy(X[i : i + batch]).to(device)
        t = torch.from_numpy(y[i : i + batch]).to(device)
        z = x.clone()
        for _ in range(steps):
            z.requires_grad_(True)
            loss = nn.functional.cross_entropy(module(z), t)
            gradient = torch.autograd.grad(loss, z)[0]
            z = z.detach() + 2.5 * eps / steps * gradient.sign()
            z = torch.clamp(torch.clamp(z, x - eps, x + eps), 0, 1)
        out.append(z.cpu().numpy())
    for p in module.parameters():
        p.requires_grad_(True)
    return np.concatenate(out)


def set_tf32(allowed):
    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed


def peer(module, X, y, eps, steps, device, batch):
    import torchattacks

    attack = torchattacks.PGD(
        module, eps=eps, alpha=2.5 * eps / steps, steps=steps, random_start=False
    )
    out = []
    for i in range(0, len(X), batch):
        x = torch.from_numpy(X[i : i + batch]).to(device)
        t = torch.from_numpy(y[i : i + batch]).to(device)
        out.append(attack(x, t).cpu().numpy())
    return np.concatenate(out)


def radius(net, X, y, a):
    """Return the radius that fools about half of the rows in ten steps."""
    low, high = 0.1 / 255, 64 / 255
    for _ in range(7):
        eps = float(np.sqrt(low * high))
        z = bare_loop(net.module_, X, y, eps, 10, a.device, a.batch)
        share = (net.predict(z) != y).mean()
        if 0.35 <= share <= 0.65:
            break
        low, high = (low, eps) if share > 0.5 else (eps, high)
    return eps


def sides(net, X, y, a):
    """Yield name, and a function of the number of steps."""
    where = (a.device, a.batch)
    yield "bare loop, fp32", lambda n: bare_loop(net.module_, X, y, a.eps, n, *where)
    try:
        import torchattacks  # noqa: F401
    except ImportError:
        print("torchattacks is not installed; left out")
    else:
        yield "torchattacks, fp32", lambda n: peer(net.module_, X, y, a.eps, n, *where)
    ways = [("bfloat16", False), ("float32", False), ("tf32", False)]
    if not a.no_compile:
        ways.insert(0, ("bfloat16", True))
    for objective in ("loss", None):
        for precision, compiled in ways:
            attack = PGD(
                a.eps, random_start=False, data_range=(0, 1), objective=objective,
                batch_size=a.batch, precision=precision, compile=compiled,
            )  # fmt: skip
            name = f"skrobust, {precision}{' + compile' if compiled else ''}, "
            name += "every step" if objective else "fooled leave"
            yield (
                name,
                lambda n, attack=attack: attack.set_params(n_steps=n).perturb(
                    net, X, y
                ),
            )


def timed(side, steps, is_cuda):
    if is_cuda:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    adversarial = side(steps)
    if is_cuda:
        torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    peak = torch.cuda.max_memory_allocated() / 2**30 if is_cuda else float("nan")
    return adversarial, seconds, peak


def best_of(name, side, a, begun, is_cuda):
    """Warm up (cuDNN, compilation), then time; slow sides are timed once."""
    first = timed(side, a.steps if "compile" in name else 2, is_cuda)
    runs = [timed(side, a.steps, is_cuda)]
    while (
        len(runs) < a.repeats
        and runs[0][1] < 2.5
        and time.perf_counter() - begun < a.budget
    ):
        runs.append(timed(side, a.steps, is_cuda))
    return first[1], min(runs, key=lambda run: run[1])


class Stopwatch:
    """Time spent inside some methods, waiting for the device; outermost ones count."""

    def __init__(self, is_cuda):
        self.seconds, self._is_cuda, self._inside = {}, is_cuda, False

    def wrap(self, function, label):
        def watched(*args, **kwargs):
            if self._inside:
                return function(*args, **kwargs)
            self._inside = True
            self._wait()
            start = time.perf_counter()
            try:
                found = function(*args, **kwargs)
                self._wait()
            finally:
                self._inside = False
            spent = time.perf_counter() - start
            self.seconds[label] = self.seconds.get(label, 0) + spent
            if isinstance(found, tuple) and len(found) == 2 and callable(found[1]):
                return found[0], self.wrap(found[1], label)  # logits and pullback
            return found

        return watched

    def _wait(self):
        if self._is_cuda:
            torch.cuda.synchronize()


def profile(name, call, is_cuda):
    """Print where one call spends its time."""
    places = [
        (NetView, "forward", "net"), (NetView, "logits", "net"),
        (NetView, "tensor", "copies"), (NetView, "host", "copies"),
        (FastNet, "__init__", "replica"), (BaseAttack, "_check_input", "checks"),
        (BaseAttack, "_enforce", "checks"), (KeyedGenerator, "uniform", "draws"),
    ]  # fmt: skip
    watch = Stopwatch(is_cuda)
    kept = [(owner, method, owner.__dict__[method]) for owner, method, _ in places]
    try:
        for owner, method, label in places:
            setattr(owner, method, watch.wrap(owner.__dict__[method], label))
        _, seconds, _ = timed(call, None, is_cuda)
    finally:
        for owner, method, function in kept:
            setattr(owner, method, function)
    rest = seconds - sum(watch.seconds.values())
    parts = {**watch.seconds, "rest": rest}
    shown = ", ".join(f"{label} {spent:.3f}" for label, spent in parts.items())
    print(f"profile of {name}: {seconds:.3f} s, of which {shown}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--eps", type=float, help="default: fools about half")
    parser.add_argument("--repeats", type=int, default=3, help="of sides below 2.5 s")
    parser.add_argument("--training", type=int, default=60, help="steps")
    parser.add_argument("--budget", type=float, default=180, help="seconds in all")
    parser.add_argument("--no-compile", action="store_true")
    a = parser.parse_args()
    begun = time.perf_counter()
    warnings.simplefilter("ignore")
    is_cuda = a.device.startswith("cuda")
    set_tf32(False)  # strict float32 is the yardstick; "tf32" switches it on for itself
    X, y = pictures(a.batch, a.size)
    module = prepare(make_module(), X, y, a.device, a.training)
    net = NeuralNetClassifier(
        module, criterion=nn.CrossEntropyLoss, device=a.device, batch_size=a.batch
    ).initialize()
    net.module_.load_state_dict(module.state_dict())
    before = {k: v.clone() for k, v in net.module_.state_dict().items()}
    fine = net.predict(X) == y
    if a.eps is None:
        a.eps = radius(net, X, y, a)
    card = torch.cuda.get_device_name() if is_cuda else "CPU"
    print(f"{card}, torch {torch.__version__}, {type(module).__name__}, "
          f"{a.batch} x 3x{a.size}x{a.size}, PGD-{a.steps}, eps {a.eps * 255:.2f}/255, "
          f"clean accuracy {fine.mean():.3f}, ready after "
          f"{time.perf_counter() - begun:.0f} s", flush=True)  # fmt: skip
    rates = {}
    for name, side in sides(net, X, y, a):
        if time.perf_counter() - begun > a.budget:
            print(f"{name}: left out, the time is up")
            continue
        first, (adversarial, seconds, peak) = best_of(name, side, a, begun, is_cuda)
        fooled = net.predict(adversarial) != y
        inside = np.abs(adversarial.astype(float) - X).max() <= a.eps
        rates[name] = len(X) / seconds
        ratios = [f"{rates[name] / rates['bare loop, fp32']:5.2f} x bare"]
        if "torchattacks, fp32" in rates:
            ratios.append(f"{rates[name] / rates['torchattacks, fp32']:5.2f} x peer")
        print(f"{name:45s} {rates[name]:8.1f} samples/s, {', '.join(ratios)}, first "
              f"{first:.1f} s, peak {peak:.2f} GiB, robust accuracy "
              f"{1 - fooled.mean():.4f} (fp32), {int((fooled & fine).sum())} verified, "
              f"exactly in the ball: {bool(inside)}", flush=True)  # fmt: skip
        if "every step" in name and ("compile" in name or "float32" in name):
            profile(name, lambda _, side=side: side(a.steps), is_cuda)
    for precision in ("float32", "bfloat16"):
        attack = PGD(a.eps, n_steps=a.steps, data_range=(0, 1), precision=precision,
                     batch_size=a.batch, random_state=0)  # fmt: skip
        if time.perf_counter() - begun < a.budget:
            start = time.perf_counter()
            result = attack.run(net, X, y)
            held = net.predict(result.X_adv)[result.success] != y[result.success]
            print(f"run with random start, {precision}: "
                  f"{time.perf_counter() - start:.2f} s, {int(result.success.sum())} "
                  f"claimed, {int(held.sum())} of them hold in fp32")  # fmt: skip
    if time.perf_counter() - begun < a.budget:
        attack = PGD(a.eps, n_steps=1, data_range=(0, 1), batch_size=a.batch,
                     random_state=0)  # fmt: skip
        profile("run, one step, random start", lambda _: attack.run(net, X, y), is_cuda)
    same = all(torch.equal(v, before[k]) for k, v in net.module_.state_dict().items())
    flags = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32
    print(f"net bit-identical: {same}, TF32 flags as set: {not any(flags)}, "
          f"{time.perf_counter() - begun:.0f} s in all")  # fmt: skip


if __name__ == "__main__":
    main()
