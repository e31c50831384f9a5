"""Minimal-norm attacks on digits, compared with adv-lib, foolbox and ART.

CPU seconds (one thread, sides in turn within one process, median of paired ratios),
share of rows fooled and median norm; a row that was not fooled counts as infinite. What
a peer returns is judged by the net itself. The printed ratio is the time of a side over
that of ours: above 1, ours is faster. Constants of Carlini-Wagner are not comparable
(ours is free of units), so a single search starts ours from 3, where every row here is
fooled; the default of 1 is for the search over constants.
"""

import argparse
import statistics
import time

import numpy as np
import torch
from paired import Case, available
from sklearn.datasets import load_digits

from skrobust.attacks import DDN, FAB, FMN, CarliniWagner, DeepFool
from skrobust.nets import small_cnn_classifier

STEPS = 100
BOX = {"data_range": (0, 1), "batch_size": 256}


def ours():
    cw = {"n_steps": STEPS, **BOX}
    return {
        "DDN, skrobust": DDN(n_steps=STEPS, **BOX),
        "FMN, skrobust": FMN(norm=2, n_steps=STEPS, **BOX),
        "DeepFool, skrobust": DeepFool(norm=2, **BOX),
        "FAB 20 x 9, skrobust": FAB(norm=2, n_steps=20, **BOX),
        "CW 1 search, skrobust": CarliniWagner(n_searches=1, initial_const=3.0, **cw),
        "CW 6 searches, skrobust": CarliniWagner(**cw),
        "CW 9 searches, skrobust": CarliniWagner(n_searches=9, **cw),
        # Six searches of a hundred steps, and FMN at as many passes.
        "CW-inf, skrobust": CarliniWagner(norm=np.inf, **cw),
        "FMN-inf, skrobust": FMN(norm=np.inf, n_steps=6 * STEPS, **BOX),
    }


def adv_lib(module, x, y):
    from adv_lib.attacks import carlini_wagner_l2, carlini_wagner_linf, ddn, fmn

    def cw(n):
        return lambda: carlini_wagner_l2(
            module, x, y, max_iterations=STEPS, binary_search_steps=n, initial_const=1.0
        )

    return {
        "DDN, adv-lib": lambda: ddn(module, x, y, steps=STEPS),
        "FMN, adv-lib": lambda: fmn(module, x, y, norm=2, steps=STEPS),
        "CW 1 search, adv-lib": cw(1),
        "CW 9 searches, adv-lib": cw(9),
        # A constant doubled and a limit lowered over and over: some 3,000 passes.
        "CW-inf, adv-lib": lambda: carlini_wagner_linf(
            module, x, y, max_iterations=STEPS
        ),
    }


def foolbox(module, x, y):
    import foolbox as fb

    model = fb.PyTorchModel(module, bounds=(0, 1), device="cpu")
    attacks = {
        "DDN, foolbox": fb.attacks.DDNAttack(steps=STEPS),
        "FMN, foolbox": fb.attacks.L2FMNAttack(steps=STEPS),
    }
    return {
        name: lambda a=a: a(model, x, fb.criteria.Misclassification(y), epsilons=None)[
            0
        ]
        for name, a in attacks.items()
    }


def art(module, x, y):
    from art.attacks.evasion import CarliniL2Method
    from art.estimators.classification import PyTorchClassifier

    model = PyTorchClassifier(
        module, torch.nn.CrossEntropyLoss(), x.shape[1:], 10, clip_values=(0, 1)
    )
    attack = CarliniL2Method(
        model, max_iter=STEPS, binary_search_steps=1, initial_const=1.0,
        batch_size=256, verbose=False,
    )  # fmt: skip
    return {
        "CW 1 search, ART": lambda: torch.from_numpy(
            attack.generate(x.numpy(), y.numpy())
        )
    }


def problem(n_rows):
    """Return a net, and digits that it has right."""
    X, y = load_digits(return_X_y=True)
    images = (X / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    net = small_cnn_classifier((8, 8), 10, epochs=20)[-1].fit(images[:1000], y[:1000])
    images, y = images[1000 : 1000 + n_rows], y[1000 : 1000 + n_rows]
    right = net.predict(images) == y
    return net, images[right], y[right]


def sides_of(net, images, y):
    """Return attacks by the names ``kind, library``."""
    sides = {
        name: lambda a=a: a.perturb(net, images, y) for name, a in ours().items()
    }  # fmt: skip
    tensors = net.module_.eval(), torch.from_numpy(images), torch.from_numpy(y)
    return sides | available((adv_lib, foolbox, art), *tensors)


def cases(short):
    """Yield attacks of the least norm beside those of other libraries."""
    net, images, y = problem(16 if short else 128)
    sides = sides_of(net, images, y)
    for kind in ("DDN", "FMN", "CW 1 search"):
        own = {n.partition(", ")[2]: s for n, s in sides.items() if f"{kind}," in n}
        what = f"{kind}, {STEPS} steps"
        yield Case("attacks", what, "rows", len(y), own, most=3)


def main():
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=256)
    arguments = parser.parse_args()
    net, images, y = problem(arguments.rows)
    sides = sides_of(net, images, y)
    times = {name: [] for name in sides}
    print(f"{len(images)} rows, all right")
    for repeat in range(arguments.repeats + 1):
        for name, side in sides.items():
            start = time.process_time()
            found = np.asarray(side())
            if repeat:  # the first round warms up
                times[name].append(time.process_time() - start)
                continue
            fooled = net.predict(found.astype(np.float32)) != y
            order = np.inf if "-inf" in name else 2
            size = np.linalg.norm((found - images).reshape(len(y), -1), order, axis=1)
            norm = np.median(np.where(fooled, size, np.inf))
            print(f"{name:26s} fooled {fooled.mean():.3f}, median L{order} {norm:.4f}")
    for name, values in times.items():
        base = f"{name.partition(',')[0]}, skrobust"
        ratio = statistics.median(
            a / b for a, b in zip(values, times[base], strict=True)
        )
        print(f"{name:26s} {min(values):6.2f} s, {ratio:5.2f} x {base}")


if __name__ == "__main__":
    main()
