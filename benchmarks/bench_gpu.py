"""PGD-40 on a ResNet-34 on a GPU: skrobust's precisions, the bare loop, torchattacks.

The weights are random but seeded. So that logits are sane and depend on the picture,
batch normalisation is calibrated on the pictures and the last layer is trained a little
to tell patterns apart. That is about speed, not about a good classifier.

Every side runs through what a user calls. Two objectives are timed: "loss", with which
every row gets every step, as with the peers; and the default, with which fooled rows
leave. What a run claims is verified in strict float32 by the untouched net.
"""

import argparse
import time
import warnings

import numpy as np
import torch
from skorch import NeuralNetClassifier
from torch import nn

from skrobust.attacks import PGD

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


def sides(net, X, y, a):
    """Yield name, function, and whether the first call compiles."""
    where = (X, y, a.eps, a.steps, a.device, a.batch)
    yield "bare loop, fp32", lambda: bare_loop(net.module_, *where)
    try:
        import torchattacks  # noqa: F401
    except ImportError:
        print("torchattacks is not installed; left out")
    else:
        yield "torchattacks, fp32", lambda: peer(net.module_, *where)
    ways = [("float32", False), ("tf32", False), ("bfloat16", False)]
    if not a.no_compile:
        ways.append(("bfloat16", True))
    for objective in ("loss", None):
        for precision, compiled in ways:
            attack = PGD(
                a.eps, n_steps=a.steps, random_start=False, data_range=(0, 1),
                objective=objective, batch_size=a.batch, precision=precision,
                compile=compiled,
            )  # fmt: skip
            name = f"skrobust, {precision}{' + compile' if compiled else ''}, "
            name += "every step" if objective else "fooled leave"
            yield name, lambda attack=attack: attack.perturb(net, X, y)


def timed(side, is_cuda):
    if is_cuda:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    adversarial = side()
    if is_cuda:
        torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    peak = torch.cuda.max_memory_allocated() / 2**30 if is_cuda else float("nan")
    return adversarial, seconds, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--eps", type=float, default=1 / 255)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--training", type=int, default=60, help="steps")
    parser.add_argument("--budget", type=float, default=225, help="seconds in all")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--quick", action="store_true", help="one repeat, 10 steps")
    a = parser.parse_args()
    if a.quick:
        a.repeats, a.steps = 1, 10
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
    card = torch.cuda.get_device_name() if is_cuda else "CPU"
    print(f"{card}, torch {torch.__version__}, {type(module).__name__}, "
          f"{a.batch} x 3x{a.size}x{a.size}, PGD-{a.steps}, eps {a.eps:.5f}, clean "
          f"accuracy {fine.mean():.3f}", flush=True)  # fmt: skip
    rates = {}
    for name, side in sides(net, X, y, a):
        if time.perf_counter() - begun > a.budget:
            print(f"{name}: left out, the time is up")
            continue
        # The first run warms up (cuDNN, compilation); it is told, not counted.
        first = timed(side, is_cuda)
        runs = [first] if a.quick and "compile" not in name else []
        while len(runs) < a.repeats and time.perf_counter() - begun < a.budget:
            runs.append(timed(side, is_cuda))
        runs = runs or [first]
        adversarial, seconds, peak = min(runs, key=lambda run: run[1])
        fooled = net.predict(adversarial) != y
        inside = np.abs(adversarial - X).max() <= a.eps * (1 + 1e-5)
        rates[name] = len(X) / seconds
        ratios = [f"{rates[name] / rates['bare loop, fp32']:5.2f} x bare"]
        if "torchattacks, fp32" in rates:
            ratios.append(f"{rates[name] / rates['torchattacks, fp32']:5.2f} x peer")
        print(f"{name:45s} {rates[name]:8.1f} samples/s, {', '.join(ratios)}, first "
              f"{first[1]:.1f} s, peak {peak:.2f} GiB, robust accuracy "
              f"{1 - fooled.mean():.4f} (fp32), {int((fooled & fine).sum())} verified, "
              f"in the ball: {bool(inside)}", flush=True)  # fmt: skip
    for attack in (PGD(a.eps, n_steps=a.steps, data_range=(0, 1), precision=p,
                       batch_size=a.batch, random_state=0)
                   for p in ("float32", "bfloat16")):  # fmt: skip
        if time.perf_counter() - begun < a.budget:
            start = time.perf_counter()
            result = attack.run(net, X, y)
            held = net.predict(result.X_adv)[result.success] != y[result.success]
            print(f"run with random start, {attack.precision}: "
                  f"{time.perf_counter() - start:.2f} s, {int(result.success.sum())} "
                  f"claimed, {int(held.sum())} of them hold in fp32")  # fmt: skip
    same = all(torch.equal(v, before[k]) for k, v in net.module_.state_dict().items())
    flags = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32
    print(f"net bit-identical: {same}, TF32 flags as set: {not any(flags)}, "
          f"{time.perf_counter() - begun:.0f} s in all")  # fmt: skip


if __name__ == "__main__":
    main()
