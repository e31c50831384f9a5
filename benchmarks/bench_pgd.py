"""Gradient attacks, compared with a minimal loop and with torchattacks.

CPU time of one thread (wall time on a GPU), sides in turn, medians of paired ratios.
Digits of scikit-learn, enlarged; a plainly and an adversarially trained net. Then the
peak of the memory of one call beside the bare loop, and the passes of a radius curve
beside one run for each radius, on nets of several seeds.
"""

import argparse
import multiprocessing
import os
import resource
import statistics
import time
import warnings

import numpy as np
import torch
from arena_nets import of_art, of_foolbox
from paired import Case, available
from sklearn.datasets import load_digits

from skrobust.attacks import FGSM, PGD, AutoAttack
from skrobust.evaluation import robust_accuracy_curve
from skrobust.nets import small_cnn_classifier

BATCH = 256


def bare_loop(module, x, y, eps, steps):
    for p in module.parameters():
        p.requires_grad_(False)
    loss = torch.nn.CrossEntropyLoss()
    z = x.clone()
    step = 2.5 * eps / steps if steps > 1 else eps
    for _ in range(steps):
        z.requires_grad_(True)
        gradient = torch.autograd.grad(loss(module(z), y), z)[0]
        z = z.detach() + step * gradient.sign()
        z = torch.clamp(torch.clamp(z, x - eps, x + eps), 0, 1)
    for p in module.parameters():
        p.requires_grad_(True)
    return z


def digits(times):
    """Return images, each pixel repeated, and labels."""
    X, y = load_digits(return_X_y=True)
    images = np.kron(X.reshape(-1, 1, 8, 8) / 16, np.ones((times, times)))
    return images.astype(np.float32), y


def make_net(images, y, *, eps=0.0, seed=0, device="cpu", epochs=8):
    """Train a small CNN on the first 1000 images, on PGD-5 examples if eps > 0."""
    torch.manual_seed(seed)
    shape = images.shape[2:]
    flat = images[:1000].reshape(1000, -1).astype(float)
    model = small_cnn_classifier(shape, 10, epochs=20, device=device)
    net = model.fit(flat, y[:1000])[-1]
    if eps:
        module = net.module_
        optimizer = torch.optim.Adam(module.parameters(), 2e-3)
        order = np.random.default_rng(seed)
        for _ in range(epochs):
            for rows in np.array_split(order.permutation(1000), 16):
                x = torch.from_numpy(images[rows]).to(device)
                t = torch.from_numpy(y[rows]).to(device)
                z = bare_loop(module.eval(), x, t, eps, 5)
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(module.train()(z), t).backward()
                optimizer.step()
    net.module_.eval()
    return net


def in_batches(attack, images, labels, device):
    out = []
    for i in range(0, len(images), BATCH):
        x = torch.from_numpy(images[i : i + BATCH]).to(device)
        t = torch.from_numpy(labels[i : i + BATCH]).to(device)
        out.append(attack(x, t).cpu().numpy())
    return np.concatenate(out)


def make_sides(net, images, labels, eps, device):
    module = net.module_
    settings = {"data_range": (0, 1), "batch_size": BATCH}
    pgd = {**settings, "n_steps": 40, "random_start": False}

    def bare(steps):
        return in_batches(
            lambda x, t: bare_loop(module, x, t, eps, steps), images, labels, device
        )

    def ours(attack):
        return lambda: attack.perturb(net, images, labels)

    sides = {
        "PGD-40, bare loop": lambda: bare(40),
        "PGD-40, skrobust": ours(PGD(eps, **pgd)),
        "PGD-40, skrobust, no early stop": ours(PGD(eps, objective="loss", **pgd)),
        "FGSM, bare loop": lambda: bare(1),
        "FGSM, skrobust": ours(FGSM(eps, **settings)),
    }
    try:
        import torchattacks
    except ImportError:
        print("torchattacks is not installed; left out")
    else:
        peer = torchattacks.PGD(
            module, eps=eps, alpha=2.5 * eps / 40, steps=40, random_start=False
        )
        sides["PGD-40, torchattacks"] = lambda: in_batches(peer, images, labels, device)
    return sides


def compare(name, net, images, labels, a):
    clock = time.process_time if a.device == "cpu" else time.perf_counter
    sides = make_sides(net, images, labels, a.eps, a.device)
    times = {side: [] for side in sides}
    accuracy = {}
    for repeat in range(a.repeats + 1):
        for side, call in sides.items():
            start = clock()
            adversarial = call()
            if repeat:  # the first round warms up
                times[side].append(clock() - start)
            else:
                accuracy[side] = (net.predict(adversarial) == labels).mean()
    print(f"{name}: n {len(images)} of {images.shape[1:]}, clean accuracy "
          f"{(net.predict(images) == labels).mean():.3f}")  # fmt: skip
    peer = "PGD-40, torchattacks"
    for side, values in times.items():
        base = "FGSM, bare loop" if side.startswith("FGSM") else "PGD-40, bare loop"
        line = f"  {side:32s} {statistics.median(values) * 1e3:8.1f} ms, "
        line += f"{ratio(values, times[base]):.2f} x bare loop"
        if peer in times and side.startswith("PGD"):
            line += f", {ratio(values, times[peer]):.2f} x torchattacks"
        print(f"{line}, robust accuracy {accuracy[side]:.3f}", flush=True)


def ratio(values, others):
    return statistics.median(a / b for a, b in zip(values, others, strict=True))


def _peak(side, a, queue):
    torch.set_num_threads(1)
    images, y = digits(8)
    net = make_net(images, y, device=a.device)
    images, labels = np.tile(images[1000:1256], (2, 1, 1, 1)), np.tile(y[1000:1256], 2)
    calls = make_sides(net, images, labels, a.eps, a.device)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls[side]()
    queue.put((before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


def memory(a):
    """Print the peak resident memory of a process that makes one call.

    Also with a fixed threshold of the allocator of Linux: it then gives large blocks
    back at once instead of keeping holes of all the sizes that a shrinking batch had.
    """
    context = multiprocessing.get_context("spawn")
    for fixed in (False, True):  # minutes: each process trains its net
        peaks = {}
        if fixed:
            os.environ["MALLOC_MMAP_THRESHOLD_"] = str(2**20)
        for side in (
            "PGD-40, bare loop",
            "PGD-40, skrobust, no early stop",
            "PGD-40, skrobust",
        ):
            found = []
            for _ in range(3):
                queue = context.Queue()
                process = context.Process(target=_peak, args=(side, a, queue))
                process.start()
                found.append(queue.get()[1] / 1024)
                process.join()
            peaks[side] = statistics.median(found)
            base = peaks["PGD-40, bare loop"]
            where = "fixed threshold" if fixed else "as it is"
            print(f"memory, allocator {where}, {side}: {peaks[side]:.0f} MiB, "
                  f"{peaks[side] / base:.2f} x bare loop", flush=True)  # fmt: skip
    del os.environ["MALLOC_MMAP_THRESHOLD_"]


def radius_curve(name, net, images, labels):
    grid = np.linspace(0.01, 0.2, 20)
    attack = PGD(data_range=(0, 1), random_state=0)
    curve = robust_accuracy_curve(net, images, labels, attack, grid)
    passes, above = 0, 0
    for eps, accuracy in zip(grid, curve.robust_accuracy, strict=True):
        alone = PGD(eps, data_range=(0, 1), random_state=0).run(net, images, labels)
        passes += alone.n_passes
        above += max(0, round((accuracy - 1 + alone.success.mean()) * len(labels)))
    full = len(grid) * 81 * int((net.predict(images) == labels).sum())
    print(f"radius curve, {name}: {full / curve.n_passes:.1f} x fewer passes than 20 "
          f"runs of every step, {passes / curve.n_passes:.1f} x than 20 whose fooled "
          f"leave; rows above theirs, all radii: {above}", flush=True)  # fmt: skip


def cases(short):
    """Yield PGD and FGSM beside a bare loop and other libraries."""
    torch.set_num_threads(1)
    images, y = digits(1 if short else 3)
    net = make_net(images, y)
    rows = slice(1000, 1064 if short else 1512)
    images, labels, eps = images[rows], y[rows], 0.1
    made = make_sides(net, images, labels, eps, "cpu")
    pgd = {
        "ours": made["PGD-40, skrobust, no early stop"],
        "bare loop": made["PGD-40, bare loop"],
    }
    if "PGD-40, torchattacks" in made:
        pgd["torchattacks"] = made["PGD-40, torchattacks"]
    for library, build in {"foolbox": of_foolbox, "ART": of_art}.items():
        for name, run in available((build,), net, eps, np.inf, 0).items():
            if name == "PGD":
                pgd[library] = lambda run=run: run(40, images, labels)
    yield Case("attacks", "PGD, 40 steps", "rows", len(labels), pgd)
    fgsm = {"ours": made["FGSM, skrobust"], "bare loop": made["FGSM, bare loop"]}
    yield Case("attacks", "FGSM", "rows", len(labels), fgsm)
    images, labels = images[:32], labels[:32]
    auto = AutoAttack(eps=eps, data_range=(0, 1), random_state=0)
    sides = {"ours": lambda: auto.perturb(net, images, labels)}
    sides |= available((_auto_attack,), net, images, labels, eps)
    yield Case("attacks", "AutoAttack, standard", "rows", len(labels), sides, most=1)


def _auto_attack(net, images, labels, eps):
    from pyautoattack import AutoAttack as Reference

    reference = Reference(net.module_, norm="Linf", eps=eps, seed=0)
    x, t = torch.from_numpy(images), torch.from_numpy(labels)

    def run():
        return reference.run_standard_evaluation(x, t, batch_size=BATCH)

    return {"AutoAttack reference": run}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--eps", type=float, default=0.1)
    parser.add_argument("--copies", type=int, default=1, help="of the test images")
    parser.add_argument("--times", type=int, default=3, help="enlargement")
    parser.add_argument("--part", choices=["speed", "memory", "radius"])
    a = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    images, y = digits(a.times)
    nets = {
        "plain net": make_net(images, y, device=a.device),
        "adversarially trained net": make_net(images, y, eps=a.eps, device=a.device),
    }
    test, labels = images[1000:], y[1000:]
    if a.part in (None, "speed"):
        for name, net in nets.items():
            many = np.tile(test, (a.copies, 1, 1, 1))
            compare(name, net, many, np.tile(labels, a.copies), a)
    if a.part in (None, "memory") and a.device == "cpu":
        memory(a)
    if a.part in (None, "radius"):
        small, y = digits(1)
        test, labels = small[1000:1300], y[1000:1300]
        for seed in (0, 1):
            radius_curve(f"plain net {seed}", make_net(small, y, seed=seed), test,
                         labels)  # fmt: skip
            net = make_net(small, y, seed=seed, eps=a.eps)
            radius_curve(f"adversarially trained net {seed}", net, test, labels)


if __name__ == "__main__":
    main()
