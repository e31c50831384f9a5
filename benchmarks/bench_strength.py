"""Robust accuracy under attacks of several libraries, at equal budgets.

Same net, rows, norm, eps and number of steps; lower is stronger. Each answer is judged
by the net itself and counts only where it lies in the ball and in [0, 1]. "rows" says
by how many rows the strongest peer got further than ours; one or two are what another
random start brings. Nets: a small CNN on digits and one on MNIST, each trained plainly
and adversarially, and a CIFAR ResNet-20; the last two need the folder of shared data,
which holds mnist/mnist10k.npz and cifar10/. Peers that do not import are left out.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_digits
from skorch import NeuralNetClassifier
from torch import nn

from skrobust import attacks as sk
from skrobust.nets import AdversarialTraining, small_cnn_classifier

BOX = {"data_range": (0, 1), "random_state": 0}
ONE_STARTED = ("PGD", "PGD, constant step", "AutoPGD")


def ours(eps, norm, steps, seed=0):
    box = {"eps": eps, "norm": norm, **BOX, "random_state": seed}
    run = {
        "PGD": sk.PGD(n_steps=steps, **box),
        "PGD, constant step": sk.PGD(n_steps=steps, step_size=2.5 * eps / steps, **box),
        "AutoPGD": sk.AutoPGD(n_steps=steps, **box),
    }
    if norm == 2:
        run |= {
            "DeepFool": sk.DeepFool(norm=2, n_steps=steps, data_range=(0, 1)),
            "DDN": sk.DDN(n_steps=2 * steps, data_range=(0, 1)),
            "CW": sk.CarliniWagner(n_steps=5 * steps, n_searches=6, data_range=(0, 1)),
        }
    if norm == np.inf:
        run |= {"AutoAttack": sk.AutoAttack(**box)}
    return run


def of_foolbox(module, x, y, eps, norm, steps):
    import foolbox as fb

    model = fb.PyTorchModel(module, bounds=(0, 1), device="cpu")
    a, size = fb.attacks, {"steps": steps, "rel_stepsize": 2.5 / steps}
    run = {"PGD": a.LinfPGD(**size) if norm == np.inf else a.L2PGD(**size)}
    if norm == 2:
        run |= {
            "DeepFool": a.L2DeepFoolAttack(steps=steps, overshoot=0.02),
            "DDN": a.DDNAttack(steps=2 * steps),
            "CW": a.L2CarliniWagnerAttack(steps=5 * steps, binary_search_steps=6),
        }
    aim = fb.criteria.Misclassification(y)
    return {
        name: lambda a=a: a(model, x, aim, epsilons=[eps])[1][0]
        for name, a in run.items()
    }


def of_torchattacks(module, x, y, eps, norm, steps):
    import torchattacks as ta

    step, name = 2.5 * eps / steps, "Linf" if norm == np.inf else "L2"
    run = {"AutoPGD": ta.APGD(module, norm=name, eps=eps, steps=steps, n_restarts=1)}
    if norm == 2:
        run |= {
            "PGD": ta.PGDL2(module, eps=eps, alpha=step, steps=steps),
            "DeepFool": ta.DeepFool(module, steps=steps),
            "CW": ta.CW(module, c=1, steps=5 * steps),
        }
    else:
        run |= {
            "PGD": ta.PGD(module, eps=eps, alpha=step, steps=steps),
            "AutoAttack": ta.AutoAttack(module, norm=name, eps=eps, n_classes=10),
        }
    return {name: lambda a=a: a(x, y) for name, a in run.items()}


def of_art(module, x, y, eps, norm, steps):
    from art.attacks import evasion
    from art.estimators.classification import PyTorchClassifier

    model = PyTorchClassifier(
        module, nn.CrossEntropyLoss(), x.shape[1:], 10, clip_values=(0, 1)
    )
    size = {"norm": norm, "eps": eps, "eps_step": 2.5 * eps / steps, "max_iter": steps}
    pgd = evasion.ProjectedGradientDescent(
        model, num_random_init=1, batch_size=256, verbose=False, **size
    )
    apgd = evasion.AutoProjectedGradientDescent(
        model, nb_random_init=1, batch_size=256, verbose=False,
        **size | {"eps_step": 2 * eps},
    )  # fmt: skip
    run = {"PGD": pgd, "AutoPGD": apgd}
    return {
        name: lambda a=a: torch.from_numpy(a.generate(x.numpy(), y.numpy()))
        for name, a in run.items()
    }


def small(images, y, n_train, epochs, budget):
    """Yield a net trained plainly and one trained adversarially."""
    shape = images.shape[-2:]
    inner = sk.PGD(budget, n_steps=5, **BOX)
    for name, callbacks in (
        ("plain", []),
        ("adversarial", [AdversarialTraining(inner, ramp_epochs=2)]),
    ):
        net = small_cnn_classifier(shape, 10, epochs=epochs, callbacks=callbacks)[-1]
        yield name, net.fit(images[:n_train], y[:n_train])


class Block(nn.Module):
    """Two convolutions and the way around them."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)

    def forward(self, x):
        z = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        if z.shape[1] != x.shape[1]:
            more = (z.shape[1] - x.shape[1]) // 2
            x = nn.functional.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, more, more))
        return torch.relu(z + x)


class ResNet20(nn.Module):
    """For pixels in [0, 1]."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        for number, (before, after) in enumerate(((16, 16), (16, 32), (32, 64)), 1):
            blocks = [Block(before, after, 1 if before == after else 2)]
            blocks += [Block(after, after, 1) for _ in range(2)]
            setattr(self, f"layer{number}", nn.Sequential(*blocks))
        self.linear = nn.Linear(64, 10)

    def forward(self, x):
        mean, spread = x.new_tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])
        x = (x - mean[:, None, None]) / spread[:, None, None]
        x = torch.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.linear(x.mean(dim=(2, 3)))


def resnet(folder, n):
    """Return ResNet-20 and pictures of every class."""
    from PIL import Image

    net = NeuralNetClassifier(ResNet20, criterion=nn.CrossEntropyLoss).initialize()
    (path,) = folder.glob("resnet20*.th")
    state = torch.load(path, weights_only=True, map_location="cpu")["state_dict"]
    net.module_.load_state_dict(
        {key.removeprefix("module."): value for key, value in state.items()}
    )
    kinds = sorted(kind for kind in (folder / "test").iterdir() if kind.is_dir())
    pairs = [
        (np.asarray(Image.open(path).convert("RGB")), label)
        for label, kind in enumerate(kinds)
        for path in sorted(p for p in kind.iterdir() if p.is_file())[: n // 10]
    ]
    images = np.stack([one for one, _ in pairs]).transpose(0, 3, 1, 2)
    images = np.ascontiguousarray(images / 255, dtype=np.float32)
    return net, images, np.array([y for _, y in pairs])


def cases(data, rows):
    """Yield the name, net, rows, labels and (eps, norm) of each case."""
    X, y = load_digits(return_X_y=True)
    images = (X / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    for name, net in small(images, y, 1000, 20, 0.06):
        for budget in ((0.06, np.inf), (0.4, 2)):
            yield f"digits, {name}", net, images[-rows:], y[-rows:], budget
    if (data / "mnist").exists():
        with np.load(data / "mnist" / "mnist10k.npz") as file:
            order = np.random.default_rng(0).permutation(len(file["y"]))[:2500]
            X, y = (file[key][order] for key in ("X", "y"))
        images = (X / 255).astype(np.float32).reshape(-1, 1, 28, 28)
        for name, net in small(images, y.astype(np.int64), 2000, 4, 0.05):
            for budget in ((0.05, np.inf), (0.7, 2)):
                half = rows // 2
                yield f"MNIST, {name}", net, images[-half:], y[-half:], budget
    if (data / "cifar10").exists():
        net, images, y = resnet(data / "cifar10", max(10, rows // 5))
        for budget in ((1 / 255, np.inf), (0.1, 2)):
            yield "CIFAR ResNet-20", net, images, y, budget


def judge(net, images, y, found, eps, norm):
    """Return the share of rows that stay right."""
    found = np.asarray(found.detach() if hasattr(found, "detach") else found)
    away = (found - images).reshape(len(y), -1)
    valid = np.linalg.norm(away, norm, axis=1) <= eps * 1.0001 + 1e-6
    valid &= (found.reshape(len(y), -1) >= -1e-6).all(axis=1)
    valid &= (found.reshape(len(y), -1) <= 1 + 1e-6).all(axis=1)
    clean = net.predict(images) != y
    return 1 - (clean | (valid & (net.predict(found.astype(np.float32)) != y))).mean()


def peers_of(module, x, y, eps, norm, steps, seed, missing):
    """Return the attacks of the peers that are installed, by library and name."""
    peers = {}
    for build in (of_foolbox, of_torchattacks, of_art):
        torch.manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002 (ART draws from it)
        try:
            made = build(module, x, y, eps, norm, steps)
        except ImportError as error:
            missing.add(f"{build.__name__} is left out: {error}")
            made = {}
        peers[build.__name__.removeprefix("of_")] = made
    return peers


def print_row(name, norm, eps, kind, share, n):
    """Print what holds under one attack, ours and theirs."""
    theirs = [share.get(peer) for peer in ("foolbox", "torchattacks", "art")]
    known = [value for value in theirs if value is not None]
    cells = " | ".join("" if v is None else f"{v:.3f}" for v in theirs)
    rows = round((share["ours"] - min(known)) * n, 1) if known else 0
    size = "L-inf" if norm == np.inf else "L2"
    print(
        f"| {name} | {size}, {eps:.3g} | {kind} | {share['ours']:.3f} | {cells} | "
        f"{f'+{rows:g}' if rows > 0 else ''} |",
        flush=True,
    )


def main():
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=0, help="means; PGD kinds only")
    parser.add_argument("--autoattack", action="store_true", help="minutes more")
    options = parser.parse_args()
    begun, missing = time.process_time(), set()
    print("| net | norm, eps | attack | ours | foolbox | torchattacks | ART | rows |")
    print("|---|---|---|---|---|---|---|---|")
    for name, net, images, y, (eps, norm) in cases(options.data, options.rows):
        y = y.astype(np.int64)
        module = net.module_.eval()
        x, t = torch.from_numpy(images), torch.from_numpy(y)
        found = defaultdict(lambda: defaultdict(list))
        for seed in range(max(1, options.seeds)):
            mine = {"ours": ours(eps, norm, options.steps, seed)}
            peers = peers_of(module, x, t, eps, norm, options.steps, seed, missing)
            for side, attacks in (mine | peers).items():
                for kind, attack in attacks.items():
                    if kind == "AutoAttack" and not options.autoattack:
                        continue
                    if options.seeds and kind not in ONE_STARTED:
                        continue
                    out = attack() if callable(attack) else attack.run(net, images, y)
                    out = getattr(out, "X_adv", out)
                    found[kind][side].append(judge(net, images, y, out, eps, norm))
        for kind, sides in found.items():
            share = {side: float(np.mean(values)) for side, values in sides.items()}
            if "ours" not in share:
                continue
            print_row(name, norm, eps, kind, share, len(y))
    print("\n".join(sorted(missing)))
    print(f"{time.process_time() - begun:.0f} CPU seconds")


if __name__ == "__main__":
    main()
