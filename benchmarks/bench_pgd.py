"""PGD-40 against the loop that does nothing superfluous, and against torchattacks."""

import argparse
import statistics
import time

import numpy as np
import torch
from sklearn.datasets import load_digits

from skrobust.attacks import FGSM, PGD
from skrobust.nets import small_cnn_classifier


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--eps", type=float, default=0.1)
    parser.add_argument("--copies", type=int, default=1, help="of the test images")
    arguments = parser.parse_args()
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = small_cnn_classifier((8, 8), 10, epochs=20, device=arguments.device)
    net = model.fit(X[:1000], y[:1000])[-1]
    images = np.tile(X[1000:].reshape(-1, 1, 8, 8), (arguments.copies, 1, 1, 1))
    images = images.astype(np.float32)
    labels = np.tile(y[1000:], arguments.copies)
    module, eps = net.module_.eval(), arguments.eps
    batch = 256
    settings = {"data_range": (0, 1), "batch_size": batch}
    pgd = {**settings, "n_steps": 40, "random_start": False}

    def bare(steps):
        out = []
        for i in range(0, len(images), batch):
            x = torch.from_numpy(images[i : i + batch]).to(arguments.device)
            t = torch.from_numpy(labels[i : i + batch]).to(arguments.device)
            out.append(bare_loop(module, x, t, eps, steps).cpu().numpy())
        return np.concatenate(out)

    sides = {
        "PGD-40, bare loop": lambda: bare(40),
        "PGD-40, skrobust": lambda: PGD(eps, **pgd).perturb(net, images, labels),
        "PGD-40, skrobust, no early stop": lambda: PGD(
            eps, objective="loss", **pgd
        ).perturb(net, images, labels),
        "FGSM, bare loop": lambda: bare(1),
        "FGSM, skrobust": lambda: FGSM(eps, **settings).perturb(net, images, labels),
    }
    try:
        import torchattacks
    except ImportError:
        print("torchattacks is not installed; left out")
    else:
        attack = torchattacks.PGD(
            module, eps=eps, alpha=2.5 * eps / 40, steps=40, random_start=False
        )

        def peer():
            out = []
            for i in range(0, len(images), batch):
                x = torch.from_numpy(images[i : i + batch]).to(arguments.device)
                t = torch.from_numpy(labels[i : i + batch]).to(arguments.device)
                out.append(attack(x, t).cpu().numpy())
            return np.concatenate(out)

        sides["PGD-40, torchattacks"] = peer
    times = {name: [] for name in sides}
    for repeat in range(arguments.repeats + 1):
        for name, side in sides.items():
            start = time.perf_counter()
            adversarial = side()
            if repeat:  # the first round warms up
                times[name].append(time.perf_counter() - start)
            else:
                accuracy = (net.predict(adversarial) == labels).mean()
                print(f"{name:34s} accuracy {accuracy:.3f}")
    print(f"clean accuracy {(net.predict(images) == labels).mean():.3f}, "
          f"n {len(images)}, device {arguments.device}")  # fmt: skip
    for name, values in times.items():
        base = "FGSM, bare loop" if name.startswith("FGSM") else "PGD-40, bare loop"
        ratios = [a / b for a, b in zip(values, times[base], strict=True)]
        print(
            f"{name:34s} {statistics.median(values) * 1e3:8.1f} ms, "
            f"{statistics.median(ratios):.2f} x {base}"
        )


if __name__ == "__main__":
    main()
